r"""The losses: any convex L, with what the literal program, both ends and the methods ask of it.

    L1            Σⱼₖ |Xⱼₖ|                        L2  ‖X‖_F            L3  ‖X‖²_F
    huber         Σⱼₖ h(Xⱼₖ), h(x) = x²/2 up to |x| = δ, δ|x| - δ²/2 beyond
    insensitive   Σⱼₖ max(|Xⱼₖ| - ε, 0)
    weighted      Σⱼₖ Vⱼₖ|Xⱼₖ|, or with power 2 Σⱼₖ VⱼₖXⱼₖ²;  V ≥ 0, symmetric
    largest       maxⱼₖ |Xⱼₖ|
    spectral      maxⱼ |λⱼ(X)|
    nuclear       Σⱼ |λⱼ(X)|
    eigenvalues   ℓ(λ(X)) for a symmetric ℓ, one of L1, L2, L3, huber, insensitive, largest
    Own           a loss of the caller's, in Python: conjugated by numbers, and not rigorous

From above ρL(X) itself. From below, for every W in the domain of the conjugate,

    ρL(X) ≥ ⟨W, X⟩ - (ρL)*(W)
"""

from cvxkernel.formulations.kundu2010.losses.entrywise import Huber, Insensitive, Largest, Weighted
from cvxkernel.formulations.kundu2010.losses.loss import Loss, Rescaled
from cvxkernel.formulations.kundu2010.losses.norms import Absolute, Euclidean, Squared
from cvxkernel.formulations.kundu2010.losses.own import Own
from cvxkernel.formulations.kundu2010.losses.reading import LOSSES, NAMES, losses, told
from cvxkernel.formulations.kundu2010.losses.spectral import Eigenvalues

__all__ = [
    "LOSSES",
    "NAMES",
    "Absolute",
    "Eigenvalues",
    "Euclidean",
    "Huber",
    "Insensitive",
    "Largest",
    "Loss",
    "Own",
    "Rescaled",
    "Squared",
    "Weighted",
    "losses",
    "told",
]
