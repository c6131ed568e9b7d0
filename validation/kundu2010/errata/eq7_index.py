import numpy as np  # m = 2 similarities of n = 5 samples

B = np.random.default_rng(0).normal(size=(5, 5))
V, tau, m = np.linalg.eigh(B + B.T)[1], 1.0, 2
mu = np.array([0.3, 0.7, 2.0, 4.0, 8.0])  # the first m add up to τ, as (7) prints
print(np.trace((V * mu) @ V.T), tau)  # the trace of K as (7) prints it, τ
