from itertools import product
import numpy as np  # L1, m = 1, C near zero: f = ΣΣ|K - S|, optimum 0 at K = S, Lip = 3

S, far = np.array([[1.0, 0.6, 0.2], [0.6, 0.8, -0.3], [0.2, -0.3, 1.2]]), []
for a, b, c, d, e, f in product([-1, 1], repeat=6):  # every f′ without a tie
    w, V = np.linalg.eigh([[a, b, c], [b, d, e], [c, e, f]])  # K after it has these eigenvectors
    off = (V.T @ S @ V)[np.abs(w[:, None] - w) > 1e-9]
    far.append(np.sqrt((off**2).sum()))  # f(K) ≥ ‖K - S‖_F ≥ this, for any eigenvalues and order
bound = 3 * 3 * np.sqrt(2 * np.log(3) / 20000)  # Proposition 3.1, T = 20000
print(bound, min(far))  # min f - f* is not above, not below
