import numpy as np

G = np.array([[1.0, 4.0], [3.0, 0.5]])  # Gᵢᵗ(α), a row for each label t
zeta = np.linspace(0, 1, 101)  # (ζ₁, 1 - ζ₁), c₁ = 1
left = max(z * G[:, 0].sum() + (1 - z) * G[:, 1].sum() for z in zeta)
print(G.max(axis=0).max(), left)  # line 2: Σᵢ ζᵢ maxₜ at its largest, the maximum
print(G.sum(axis=1).max(), left)  # line 3: maxₜ Σᵢ, the maximum (which is maxᵢ Σₜ)
