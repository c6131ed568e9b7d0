import numpy as np

X, y = np.random.default_rng(0).normal(size=(14, 3)), np.repeat([1, -1], [9, 5])
X[y > 0] += 0.7
G, lam, I = X @ X.T, 0.3, np.eye(14)
a, m = np.where(y > 0, 1 / 9, -1 / 5), np.where(y > 0, 9, 5)
d = X.T @ a
J = (I - (y[:, None] == y) / m) / np.sqrt(m)[:, None]  # below (3)
four = a @ G @ (a - J @ np.linalg.solve(lam * I + J @ G @ J, J @ G @ a)) / lam
S = [np.cov(X[y == s].T, bias=True) for s in (1, -1)]
true = d @ np.linalg.solve(9 / 14 * S[0] + 5 / 14 * S[1] + lam * np.eye(3), d)
print(four, true)  # (4) as printed, the maximum of (1)
