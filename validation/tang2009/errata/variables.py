import numpy as np

n, k = 5, 3
alpha, s, s0, s_t = np.zeros((k, n)), np.zeros(1), np.zeros(1), np.zeros(k)
print(n * k + 2, sum(v.size for v in (alpha, s, s0, s_t)))  # as printed, counted
