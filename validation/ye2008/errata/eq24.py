import numpy as np

y = np.repeat([0, 1, 2], [7, 5, 3])
n = len(y)
size = np.bincount(y)
X = np.random.default_rng(0).normal(size=(n, 2)) + y[:, None]
inside = y[:, None] == np.arange(3)
n_j = size[y][:, None]  # (24) as printed: j is the sample
H = np.where(inside, np.sqrt(n / n_j), 0) - np.sqrt(n_j / n)
D = [X[y == i].mean(axis=0) - X.mean(axis=0) for i in range(3)]
B = sum(n * m * np.outer(d, d) for m, d in zip(size, D))  # between the classes
print(np.trace(X.T @ H @ H.T @ X), np.trace(B))
