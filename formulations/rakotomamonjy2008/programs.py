r"""Rakotomamonjy, Bach, Canu and Grandvalet (2008): multiple kernel learning by weighted norms.

f_m is in the space of K_m: f_m = R_mᵀu_m at the samples, K_m = R_mᵀR_m, and its norm is ‖u_m‖. With
d_m = 0 there is no f_m: 0/0 = 0, and x/0 is infinite. For given d it is the primal of the support
vector machine with the kernel Σ_m d_mK_m, so that the paper asks for the least of

    J(d) = max 1ᵀα - ½αᵀY(Σ_m d_mK_m)Yα  over  0 ≤ α ≤ C, αᵀy = 0

over the simplex, by gradient descent. The objective has the ½: that of lanckriet2004 is twice it.
"""

from __future__ import annotations

from dataclasses import dataclass

import cvxpy as cp

from cvxkernel.formulations.formulation import Point, printed
from cvxkernel.formulations.program import Program
from cvxkernel.formulations.rakotomamonjy2008.data import WeightedKernels


def from_primal(problem: MultipleKernels, program: Program) -> Point:
    """d, and α, the multipliers of the margins."""
    return {"d": program.value("d"), "alpha": program.dual("margin")}


@dataclass(frozen=True, eq=False, repr=False)
class MultipleKernels(WeightedKernels):
    """Kernels (m, n, n), labels y (n,) of ±1, and C > 0."""

    @printed(
        "rakotomamonjy2008",
        "the primal problem of multiple kernel learning",
        "SOCP",
        "min ½Σ_m ‖f_m‖²/d_m + C·1ᵀξ, yᵢ(Σ_m f_m(xᵢ) + b) ≥ 1 - ξᵢ, ξ ≥ 0, Σ_m d_m = 1, d ≥ 0",
        symbols={"d": "m", "alpha": "n"},
        recover=from_primal,
    )
    def primal(self) -> Program:
        r"""The primal problem, all of whose unknowns are found together.

        minimize    ½ Σ_m ‖u_m‖²/d_m + C·1ᵀξ                over u_m, b ∈ R, ξ ∈ Rⁿ, d ∈ Rᵐ
        subject to  yᵢ(Σ_m (R_mᵀu_m)ᵢ + b) ≥ 1 - ξᵢ          (margin)
                    ξ ≥ 0                                    (slack)
                    Σ_m d_m = 1                              (budget)
                    d ≥ 0                                    (nonneg)
        """
        b, xi = cp.Variable(name="b"), cp.Variable(self.n, name="xi")
        d = cp.Variable(self.m, name="d")
        some = [i for i in range(self.m) if len(self.R[i])]  # a zero kernel has no functions
        u = {i: cp.Variable(len(self.R[i]), name=f"u{i + 1}") for i in some}
        f = sum(self.R[i].T @ u[i] for i in some) + b
        norms = sum(cp.quad_over_lin(u[i], d[i]) for i in some)
        return Program(
            minimize=norms / 2 + self.C * cp.sum(xi),
            margin=cp.multiply(self.y, f) >= 1 - xi,
            slack=xi >= 0,
            budget=cp.sum(d) == 1,
            nonneg=d >= 0,
        )
