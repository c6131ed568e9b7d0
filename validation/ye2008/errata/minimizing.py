import numpy as np

rng, P = np.random.default_rng(0), np.eye(9) - 1 / 9
G = [P @ x @ x.T @ P for x in rng.normal(size=(2, 9, 3))]
H, lam = np.sqrt(3) * P @ np.repeat(np.eye(3), 3, axis=0), 0.5
K = [sum(u * g / np.trace(g) for u, g in zip((1 - x, x), G)) for x in np.linspace(0, 1, 101)]
F6 = [lam * np.trace(H.T @ np.linalg.solve(k + lam * np.eye(9), H)) for k in K]  # min over W
F5 = [np.trace(H.T @ np.linalg.solve(k + lam * np.eye(9), k @ H)) for k in K]  # max over W of (26)
print(min(F5), F5[np.argmin(F6)])  # F₅* at its minimizer, and at the minimizer of F₆
