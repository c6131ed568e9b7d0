import numpy as np  # m = 2 similarities of n = 5 samples

m, n = 2, 5
mu = np.ones((m, n))
print(n * n, mu.size)  # entries of a list from μ₁₁ to μₙₙ, of μ
