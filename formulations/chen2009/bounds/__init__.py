r"""Both ends of every program, in plain numpy: no programs here.

All of them have a support vector machine inside. With v = Yα, α in the box, and K ⪰ 0,

    (3)    ≥ 2η·1ᵀα - η vᵀKv                                                     for C = 1/(2ηn)
    (2)    ≥ 1ᵀα - ⟨W, S⟩ - ‖W‖²/(4ρ)         for any W ⪰ ½vvᵀ
    (7)    ≥ 2η·1ᵀα - ⟨W, S⟩                  for any W ⪰ ηvvᵀ with ‖W‖ ≤ γ
    (12)   ≥ 2η·1ᵀα - (what h takes)          `spectrum_bound`

and from above the printed objective at any K ⪰ 0 and any c. For a given α the best W is explicit:
W = ½vvᵀ + 2ρM₋ with M = S + vvᵀ/(4ρ) in (2); in (7) W = ηvvᵀ + (γ/τ)M₋ with M = S + (ητ/γ)vvᵀ,
where one number τ is left to be found, the distance ‖K - S‖ of K = M₊ from S.

Each W is made feasible by explicit steps, which are charged: a multiple of the identity for what
rounding takes from W ⪰ ηvvᵀ, and a factor for what is outside the ball (α with its square root).
"""

from __future__ import annotations

from cvxkernel.formulations.chen2009.bounds.kernel import (
    Dual,
    coefficients,
    distance,
    eq2,
    eq7,
    eq7_dual,
    kernel_bound,
    kernel_value,
    robust_bound,
    robust_value,
    semidefinite,
)
from cvxkernel.formulations.chen2009.bounds.machine import Primal, best_primal, eq1, eq3, primal
from cvxkernel.formulations.chen2009.bounds.modification import (
    diagonal,
    eq12,
    regularizer,
    spectrum_bound,
    spectrum_responses,
    spectrum_value,
)
from cvxkernel.formulations.chen2009.bounds.sample import (
    column,
    column_bound,
    column_value,
    eq8,
    eq8_qcqp,
    multiplier,
)

__all__ = [
    "Dual",
    "Primal",
    "best_primal",
    "coefficients",
    "column",
    "column_bound",
    "column_value",
    "diagonal",
    "distance",
    "eq1",
    "eq2",
    "eq3",
    "eq7",
    "eq7_dual",
    "eq8",
    "eq8_qcqp",
    "eq12",
    "kernel_bound",
    "kernel_value",
    "multiplier",
    "primal",
    "regularizer",
    "robust_bound",
    "robust_value",
    "semidefinite",
    "spectrum_bound",
    "spectrum_responses",
    "spectrum_value",
]
