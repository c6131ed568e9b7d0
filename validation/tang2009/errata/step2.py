import numpy as np

D = np.array([2.0, 3.0])  # D(α, G₁), D(α, G₂) at one α
w = np.linspace(0, 1, 100001)
printed = np.max([(1 - w) * D[0], w * D[1]], axis=0).min()  # θᵢD(α, Gᵢ) ≤ g, each i
print(printed, ((1 - w) * D[0] + w * D[1]).min())  # the least g: as printed, with Σᵢ
