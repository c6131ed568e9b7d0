r"""Both ends of every program, in either arithmetic: no programs here.

All of them have a support vector machine inside. With v = Yα, α in the box, and K ⪰ 0,

    (3)    ≥ 2η·1ᵀα - η vᵀKv                                                     for C = 1/(2ηn)
    (2)    ≥ 1ᵀα - ⟨W, S⟩ - ‖W‖²/(4ρ)         for any W ⪰ ½vvᵀ
    (7)    ≥ 2η·1ᵀα - ⟨W, S⟩                  for any W ⪰ ηvvᵀ with ‖W‖ ≤ γ
    (12)   ≥ 2η·1ᵀα - (what h takes)          `Spectrum.spectrum_bound`

and from above the printed objective at any K ⪰ 0 and any c. For a given α the best W is explicit:
W = ½vvᵀ + 2ρM₋ with M = S + vvᵀ/(4ρ) in (2); in (7) W = ηvvᵀ + (γ/τ)M₋ with M = S + (ητ/γ)vvᵀ,
where one number τ is left to be found, the distance ‖K - S‖ of K = M₊ from S.

K and W are doubles, plus the multiple of the identity with which K ⪰ 0 and W ⪰ ηvvᵀ are proved;
what is outside the ball is multiplied by a factor (α by its square root).
"""

from __future__ import annotations

from cvxkernel.formulations.chen2009.bounds.kernel import (
    Clipped,
    Dual,
    Free,
    Kernel,
    Robust,
    coefficients,
    eq2,
    eq2_maxmin,
    eq7,
    eq7_dual,
    free,
    negative_part,
)
from cvxkernel.formulations.chen2009.bounds.machine import Primal, Regularized, eq1, eq3
from cvxkernel.formulations.chen2009.bounds.modification import Spectrum, diagonal, eq12
from cvxkernel.formulations.chen2009.bounds.sample import (
    Augmented,
    Column,
    column,
    eq8,
    multiplier,
)

__all__ = [
    "Augmented",
    "Clipped",
    "Column",
    "Dual",
    "Free",
    "Kernel",
    "Primal",
    "Regularized",
    "Robust",
    "Spectrum",
    "coefficients",
    "column",
    "diagonal",
    "eq1",
    "eq2",
    "eq2_maxmin",
    "eq3",
    "eq7",
    "eq7_dual",
    "eq8",
    "eq12",
    "free",
    "multiplier",
    "negative_part",
]
