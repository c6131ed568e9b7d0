import numpy as np  # m = 2, C near zero: f = Σᵢ‖K - Sᵢ‖²_F

S, K = (np.diag([2.0, 0.0]), np.diag([0.0, 1.0])), np.eye(2)
other = np.diag([0.5, 1.5])
printed = sum(2 * (K - S[0]) for j in range(2))  # Σⱼ L′ᵢ, i = 1
true = sum(2 * (K - S_i) for S_i in S)  # Σᵢ L′ᵢ
print((printed * (other - K)).sum(), (true * (other - K)).sum())  # the slope of f towards K′
