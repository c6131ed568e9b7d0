import numpy as np  # (6), C near zero, L2, ρ = 1, m = 100 equal S = 1000τe₁e₁ᵀ, Lip = 1

n, m, T, x, best = 13, 100, 29, np.ones(13), np.inf  # n = τ; all is diagonal
S = 1000.0 * n * np.eye(n)[0]
for t in range(1, T + 1):
    size = np.linalg.norm(x - S)
    best = min(best, m * (size - 999 * n))  # F - F*
    x = x * np.exp(-np.sqrt(2 * np.log(n) / (m * t)) * (x - S) / size)
    x *= n / x.sum()
print(m * n * np.sqrt(2 * np.log(n) / T), best)  # the bound of Theorem 3.2, what is reached
