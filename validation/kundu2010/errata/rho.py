import numpy as np  # C near zero: F(K) = ρ‖K - S‖_F but for C; m = 1

rho, S = 5.0, np.diag([2.0, 0.0])
K, other = np.eye(2), np.diag([0.5, 1.5])
F = lambda K: rho * np.linalg.norm(K - S)
g = (K - S) / np.linalg.norm(K - S)  # (12) as printed
slope = (F(K + 1e-6 * (other - K)) - F(K)) / 1e-6
print((g * (other - K)).sum(), slope)  # ⟨F′, K′ - K⟩, the derivative of F towards K′
