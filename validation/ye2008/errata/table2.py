import numpy as np  # Table 2, the rows SDP_θ and QCQP_θ: one optimum; SDP_θ,λ: another program

SDP = np.array([0, 0, 0, 0, 0.550, 0.307, 0.022, 0.041, 0.029, 0.050])
QCQP = np.array([0.003, 0.003, 0.004, 0.011, 0.444, 0.375, 0.046, 0.034, 0.035, 0.048])
joint = np.array([0, 0, 0, 0, 0.550, 0.307, 0.022, 0.041, 0.029, 0.050])
print(np.abs(SDP - joint).sum(), np.abs(SDP - QCQP).sum())  # from SDP_θ,λ, from QCQP_θ
