r"""Kim, Magnani and Boyd (2006), in the notation of Ye, Ji and Chen (2008): maximize (4),

    F₁*(G) = (1/λ) aᵀ(G - GJ(λI + JGJ)⁻¹JG)a     over G = Σᵢ θᵢGᵢ, θ ≥ 0, Σᵢ θᵢ = 1,

with a from (3) and J the block diagonal of (1/√m±)(I - eeᵀ/m±), as printed below (3).

# With this J, (4) is the maximum of Kim's ratio, whose denominator is S⁺ + S⁻ + λI. It is the
# maximum of (1) only if both blocks carry 1/√m.

The epigraph is ours: F₁*(G(θ)) = min_u uᵀu + (a - Ju)ᵀG(a - Ju)/λ, linear in θ and convex in u, so
that max_θ min_u = min_u max_θ (the simplex is compact), and the largest over the simplex is that of
a vertex. The two programs have one optimum; λ stands in no matrix that has to be inverted.
"""

from __future__ import annotations

from dataclasses import dataclass

import cvxpy as cp
import numpy as np

from cvxkernel.formulations.formulation import Point, printed
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kernels import factor
from cvxkernel.formulations.kim2006.data import WithinClasses
from cvxkernel.formulations.program import Program, combination


def _from_lmi(problem: KernelFisher, program: Program) -> Point:
    return {"theta": program.value("theta"), "u": problem.u_from_lmi(program)}


def _from_quad(problem: KernelFisher, program: Program) -> Point:
    return {"u": program.value("u"), "theta": problem.weights_from_quad(program)}


@dataclass(frozen=True, eq=False, repr=False)
class KernelFisher(WithinClasses):
    """Kernels (p, n, n) not centred, labels y (n,) of two classes, λ > 0."""

    @printed(
        "kim2006", "ye2008, (4) and below", "SDP",
        "max (aᵀGa - t)/λ, [λI + JGJ, JGa; aᵀGJ, t] ⪰ 0, G = ΣθᵢGᵢ, θ ≥ 0, Σθᵢ = 1",
        symbols={"theta": "p", "t": "", "u": "n"}, recover=_from_lmi, binary=True,
    )  # fmt: skip
    def sdp(self) -> Program:
        r"""Maximize (4), by the Schur complement of λI + JGJ.

        maximize    (1/λ) (aᵀGa - t)                      over θ ∈ Rᵖ, t ∈ R, G = Σᵢ θᵢGᵢ
        subject to  [ λI + JGJ   JGa ]
                    [ aᵀGJ       t   ]  ⪰ 0               (lmi)
                    Σᵢ θᵢ = 1                             (budget)
                    θ ≥ 0                                 (nonneg)
        """
        theta, t = cp.Variable(self.p, name="theta"), cp.Variable((1, 1), name="t")
        a, J, K = self.a, self.J, self.near.kernels
        JGJ = combination(theta, J @ K @ J)
        JGa = combination(theta, J @ K @ a)
        aGa = combination(theta, a.T @ K @ a)
        return Program(
            maximize=aGa[0, 0] / self.lam - t[0, 0] / self.lam,
            lmi=cp.bmat([[self.lam * np.eye(self.n) + JGJ, JGa], [JGa.T, t]]) >> 0,
            budget=cp.sum(theta) == 1,
            nonneg=theta >= 0,
        )

    @printed(
        "kim2006-epigraph", "ours, of (4) in ye2008", "QCQP",
        "min uᵀu + t/λ, t ≥ (a - Ju)ᵀGᵢ(a - Ju)",
        symbols={"u": "n", "t": "", "theta": "p"}, recover=_from_quad, binary=True,
    )  # fmt: skip
    def epigraph(self) -> Program:
        r"""The least over u of the largest over θ: the value of (4) at its best kernel.

        minimize    uᵀu + (1/λ) t                         over u ∈ Rᵐ, t ∈ R
        subject to  t ≥ (a - Ju)ᵀGᵢ(a - Ju),  i = 1, …, p (quad)
        """
        u, t = cp.Variable((self.n, 1), name="u"), cp.Variable(name="t")
        v = self.a - self.J @ u
        return Program(
            minimize=cp.sum_squares(u) + t / self.lam,
            # vᵀGᵢv = ‖Rᵢv‖² with RᵢᵀRᵢ = Gᵢ
            quad=[t >= cp.sum_squares(factor(G) @ v) for G in self.near.kernels],
        )

    def weights_from_quad(self, program: Program) -> Array:
        """θᵢ = λμᵢ from the multipliers: ∂L/∂t = 1/λ - Σμᵢ = 0, ∂L/∂u = 2(u - JΣμᵢGᵢv) = 0."""
        theta: Array = self.lam * program.dual("quad")
        return theta

    def u_from_lmi(self, program: Program) -> Array:
        r"""u = -Z₁₂/Z₂₂ from the dual matrix of the LMI.

        ∂L/∂t = -1/λ + Z₂₂ = 0; with Z₁₂ = -u/λ, Z₁₁ = uuᵀ/λ the rest of the Lagrangian is bound(u).
        """
        Z = program.dual("lmi")
        u: Array = -Z[:-1, [-1]] / Z[-1, -1]
        return u
