r"""Mirror descent for the three problems of Kundu et al. (2010), with both ends at every iteration.

One idea: a mirror map, a subgradient oracle, a step rule.

    mirror map   ψ = Σⱼ xⱼ log xⱼ on the simplex {x ≥ 0, Σⱼ xⱼ = τ} (Algorithm 3), the same of the
                 eigenvalues on {K ⪰ 0, trace K = τ} (Algorithm 1), and products of m of them
    the step     log x ← log x - ηf′(x), then normalized: with matrices
                 K ← τ exp(log K - ηf′)/trace(·). H = log K + const is what is kept, so that no
                 eigenvalue underflows.
    oracle       one support vector machine (Algorithm 1) or multiple kernel problem (10): α, γ, and
                 with a = Yα and Wᵢ ∈ ∂(ρL)(Kᵢ - Sᵢ)
                 f′ = Σᵢ Wᵢ - ½aaᵀ;  Wᵢ - aaᵀ/(2γᵢ);  wᵢⱼ - (vᵢⱼᵀa)²/(2γᵢ)

The averages of the α, γ and Wᵢ that the oracle gave are feasible for the dual, and
`kundu2010.bounds` makes of them the lower end: no conic program is solved. An α that is not quite
optimal is no harm: the upper end bounds ω or Ω from above at that α, the lower end takes any α.

# Paper's Algorithms 1 and 2 put the eigenvalues of K⁽ᵗ⁾ into the eigenbasis of the gradient, which
# is the mirror step only where the two commute; its Algorithms 2 and 3 leave out the ρ before the
# subgradient of the loss. They are run line by line under the ids that end in -printed.
"""

from cvxkernel.solvers.mirror_descent.algorithms import (
    ALGORITHMS,
    EMKL,
    ESKL,
    REKL,
    Algorithm,
    Linearization,
    algorithm,
)
from cvxkernel.solvers.mirror_descent.interval import Averages, Interval
from cvxkernel.solvers.mirror_descent.maps import logarithm, mirror, printed_step
from cvxkernel.solvers.mirror_descent.method import MirrorDescent, MirrorStep, PaperDescent
from cvxkernel.solvers.mirror_descent.splitting import nearest
from cvxkernel.solvers.mirror_descent.steps import Iterate

__all__ = [
    "ALGORITHMS",
    "EMKL",
    "ESKL",
    "REKL",
    "Algorithm",
    "Averages",
    "Interval",
    "Iterate",
    "Linearization",
    "MirrorDescent",
    "MirrorStep",
    "PaperDescent",
    "algorithm",
    "logarithm",
    "mirror",
    "nearest",
    "printed_step",
]
