import numpy as np  # the ten widths are even in the logarithm, to the two digits printed: but one

printed = np.array([0.10, 0.22, 0.46, 1.00, 2.15, 4.46, 10.00, 21.54, 46.42, 100.00])
even = np.logspace(-1, 2, 10)
odd = np.argmax(np.abs(printed - even))
print(printed[odd], even[odd])
