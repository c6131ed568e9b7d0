r"""Both ends of (4), (6), (7) and (10) at any point, in any arithmetic: no programs.

(10) from below: any α ∈ A with its best γ gives 1ᵀα - ½(Σᵢ√qᵢ)², qᵢ = αᵀYKᵢYα, since the least
Σᵢ qᵢ/γᵢ over Δ is at γᵢ ∝ √qᵢ. From above, for any xᵢ ∈ Rⁿ and b,

    ½maxᵢ xᵢᵀYKᵢYxᵢ + C Σⱼ max(0, 1 - (Σᵢ YKᵢYxᵢ)ⱼ - byⱼ),

the dual in `programs` at wᵢ = YKᵢYxᵢ; at the optimum xᵢ = α/γᵢ. Or by Cauchy and Schwarz:
αᵀΣᵢ YKᵢYxᵢ ≤ Σᵢ√qᵢ·maxᵢ√(xᵢᵀYKᵢYxᵢ) ≤ ½(Σᵢ√qᵢ)² + ½max(…), and αᵀ(1 - Σᵢ YKᵢYxᵢ - by) is at most
the hinges.

(4), (6) and (7) from above: the objective at a feasible K, its ω or Ω from above. From below, for
any α ∈ A, γ ∈ Δ and Wᵢ with finite conjugate, since ρL(X) ≥ ⟨W, X⟩ - (ρL)*(W),

    (4)  1ᵀα - Σᵢ (⟨Wᵢ, Sᵢ⟩ + (ρL)*(Wᵢ)) + τ λ_min(Σᵢ Wᵢ - ½YααᵀY)
    (6)  1ᵀα - Σᵢ (⟨Wᵢ, Sᵢ⟩ + (ρL)*(Wᵢ) - τ λ_min(Wᵢ - YααᵀY/(2γᵢ)))
    (7)  1ᵀα - Σᵢ (wᵢᵀλᵢ - τ minⱼ(wᵢⱼ - (vᵢⱼᵀYα)²/(2γᵢ))),                  ‖wᵢ‖₂ ≤ ρ

(ρL)* is zero on |Wⱼₖ| ≤ ρ (L1) and on ‖W‖_F ≤ ρ (L2), and ‖W‖²_F/(4ρ) for L3; those of the other
losses stand with them, in `kundu2010.losses`, and each similarity may have its own.
"""

from cvxkernel.formulations.kundu2010.bounds.budget import Budget, eq5_enclosure
from cvxkernel.formulations.kundu2010.bounds.enclosures import (
    eq7_enclosure,
    eq10_enclosure,
    kernels_enclosure,
)
from cvxkernel.formulations.kundu2010.bounds.feasible import (
    balanced,
    composed,
    shares,
    simplex,
    spectahedron,
)
from cvxkernel.formulations.kundu2010.bounds.learned import (
    Bounds,
    LearnedSpectra,
    OneKernel,
    SeveralKernels,
    combine,
)
from cvxkernel.formulations.kundu2010.bounds.omega import SMALLEST_GAMMA, Omega

__all__ = [
    "SMALLEST_GAMMA",
    "Bounds",
    "Budget",
    "LearnedSpectra",
    "Omega",
    "OneKernel",
    "SeveralKernels",
    "balanced",
    "combine",
    "composed",
    "eq5_enclosure",
    "eq7_enclosure",
    "eq10_enclosure",
    "kernels_enclosure",
    "shares",
    "simplex",
    "spectahedron",
]
