import numpy as np

rng, P = np.random.default_rng(0), np.eye(8) - 1 / 8
G = [P @ x @ x.T @ P for x in rng.normal(size=(2, 8, 3))]
a, lam, w = np.repeat([0.25, -0.25], 4), 0.5, np.linspace(0, 1, 101)
M = [np.eye(8) + sum(u * g / np.trace(g) for u, g in zip((1 - x, x), G)) / lam for x in w]
b = [2 * np.linalg.solve(m, a) for m in M]  # (21): the most violated cut of (16)
gamma = [0.25 * v @ m @ v - v @ a for m, v in zip(M, b)]  # min over β of ΣθᵢSᵢ(β)
F3 = [a @ np.linalg.solve(m, a) for m in M]  # min over w of (12)
print(max(F3), F3[np.argmax(gamma)])  # the maximum of F₃*, F₃* at the kernel of (16)
