r"""Both ends of (4), (6), (7) and (10) at any point: plain numpy, no programs.

(10) from below: any α ∈ A with its best γ gives 1ᵀα - ½(Σᵢ√qᵢ)², qᵢ = αᵀYKᵢYα, since the least
Σᵢ qᵢ/γᵢ over Δ is at γᵢ ∝ √qᵢ. From above, for any xᵢ ∈ Rⁿ and b,

    ½maxᵢ xᵢᵀYKᵢYxᵢ + C Σⱼ max(0, 1 - (Σᵢ YKᵢYxᵢ)ⱼ - byⱼ),

the dual in `programs` at wᵢ = YKᵢYxᵢ; at the optimum xᵢ = α/γᵢ. Or by Cauchy and Schwarz:
αᵀΣᵢ YKᵢYxᵢ ≤ Σᵢ√qᵢ·maxᵢ√(xᵢᵀYKᵢYxᵢ) ≤ ½(Σᵢ√qᵢ)² + ½max(…), and αᵀ(1 - Σᵢ YKᵢYxᵢ - by) is at most
the hinges. The kernels are the Kᵢ₊, within εᵢ of the doubles in the spectral norm: a form at x is
off by at most εᵢ‖x‖², the image of x by εᵢ‖x‖ in the Euclidean norm.

(4), (6) and (7) from above: the objective at a feasible K, its ω or Ω from above. From below, for
any α ∈ A, γ ∈ Δ and Wᵢ with finite conjugate, since ρL(X) ≥ ⟨W, X⟩ - (ρL)*(W),

    (4)  1ᵀα - Σᵢ (⟨Wᵢ, Sᵢ⟩ + (ρL)*(Wᵢ)) + τ λ_min(Σᵢ Wᵢ - ½YααᵀY)
    (6)  1ᵀα - Σᵢ (⟨Wᵢ, Sᵢ⟩ + (ρL)*(Wᵢ) - τ λ_min(Wᵢ - YααᵀY/(2γᵢ)))
    (7)  1ᵀα - Σᵢ (wᵢᵀλᵢ - τ minⱼ(wᵢⱼ - (vᵢⱼᵀYα)²/(2γᵢ))),                  ‖wᵢ‖₂ ≤ ρ

(ρL)* is zero on |Wⱼₖ| ≤ ρ (L1) and on ‖W‖_F ≤ ρ (L2), and ‖W‖²_F/(4ρ) for L3.
"""

from cvxkernel.formulations.kundu2010.bounds.duals import (
    SMALLEST_GAMMA,
    eq4_bound,
    eq4_response,
    eq6_bound,
    eq6_response,
    eq7_bound,
    eq7_response,
    linear,
    subgradients,
)
from cvxkernel.formulations.kundu2010.bounds.enclosures import (
    eq4_enclosure,
    eq6_enclosure,
    eq7_enclosure,
    eq10_enclosure,
)
from cvxkernel.formulations.kundu2010.bounds.feasible import (
    balanced,
    combine,
    composed,
    dual_ball,
    gamma_repair,
    signed,
    simplex,
    spectahedron,
)
from cvxkernel.formulations.kundu2010.bounds.omega import (
    forms,
    omega_bound,
    omega_points,
    omega_quadratic_bound,
    omega_upper,
    omega_value,
)
from cvxkernel.formulations.kundu2010.bounds.values import eq4_value, eq6_value, eq7_value, loss

__all__ = [
    "SMALLEST_GAMMA",
    "balanced",
    "combine",
    "composed",
    "dual_ball",
    "eq4_bound",
    "eq4_enclosure",
    "eq4_response",
    "eq4_value",
    "eq6_bound",
    "eq6_enclosure",
    "eq6_response",
    "eq6_value",
    "eq7_bound",
    "eq7_enclosure",
    "eq7_response",
    "eq7_value",
    "eq10_enclosure",
    "forms",
    "gamma_repair",
    "linear",
    "loss",
    "omega_bound",
    "omega_points",
    "omega_quadratic_bound",
    "omega_upper",
    "omega_value",
    "signed",
    "simplex",
    "spectahedron",
    "subgradients",
]
