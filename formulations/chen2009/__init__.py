"""Chen, Gupta and Recht (2009). ICML 26: learning kernels from indefinite similarities.

`Machine(K, y, C)` and `RegularizedMachine(K, y, eta)` hold the support vector machine, (1) and (3);
`RobustMachine(S, y, C, rho)` the machine (2) of Luss and d'Aspremont (2007);
`KernelMachine(S, y, eta, gamma)` and `SpectrumMachine(S, y, eta, gamma, h)` learn the kernel, (7)
and (12); `NewSample(K, s, psi)` and `AugmentedSample(K, s, psi, S)` treat a test sample, (8).
"""

from cvxkernel.formulations.chen2009 import prediction, spectrum
from cvxkernel.formulations.chen2009.programs import (
    REGULARIZERS,
    AugmentedSample,
    KernelMachine,
    Machine,
    NewSample,
    RegularizedMachine,
    RobustMachine,
    SpectrumMachine,
)

__all__ = [
    "REGULARIZERS",
    "AugmentedSample",
    "KernelMachine",
    "Machine",
    "NewSample",
    "RegularizedMachine",
    "RobustMachine",
    "SpectrumMachine",
    "prediction",
    "spectrum",
]
