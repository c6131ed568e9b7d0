import numpy as np

rng, n, tau = np.random.default_rng(0), 8, 2.0
phi, h = rng.normal(size=(n, n)), np.repeat([0.25, -0.25], 4)
P = np.eye(n) - 1 / n
A = phi @ P.T  # F₉ as printed: the least over w of τ‖Aw - h‖² + ‖w‖²
w = np.linalg.solve(A.T @ A + np.eye(n) / tau, A.T @ h)
printed = tau * np.sum((A @ w - h) ** 2) + w @ w
G = P @ phi.T @ phi @ P
print(printed, h @ np.linalg.solve(np.eye(n) / tau + G, h))  # F₉*, and (40)
