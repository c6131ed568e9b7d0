import numpy as np

G, y, alpha = [np.diag([1.0, 3.0]), np.ones((2, 2))], np.array([1, -1]), np.array([2.0, 1.0])
theta = [0.3, 0.7]  # of one label; by (1) the sum of (8) over them is the form of ΣᵢθᵢGᵢ
form = [alpha @ (K * np.outer(y, y)) @ alpha for K in G]
part = [alpha @ (t * K * np.outer(y, y)) @ alpha for t, K in zip(theta, G)]  # Gᵢᵗ = θᵢᵗGᵢ
print(np.dot(theta, part), np.dot(theta, form))
