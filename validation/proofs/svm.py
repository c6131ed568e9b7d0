r"""The support vector machine in balls: feasible points and the bounds of `formulations.svm`.

    maximize 1ᵀα - ½αᵀQα  subject to  0 ≤ α ≤ C, αᵀy = 0

The matrix in the balls Q is semidefinite: a kernel is the one that `balls.kernel` encloses,
or it was made so. Nothing has to be proved of that, and the ends hold for every such matrix.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from flint import arb, arb_mat

from cvxkernel.formulations import svm as bounds
from cvxkernel.formulations.arithmetic import BALLS, Tensor, balls
from cvxkernel.formulations.arithmetic.balls import Proof, exact, excess, numbers
from cvxkernel.formulations.inputs import Array
from cvxkernel.solvers.svm import svm as solvers_svm
from cvxkernel.validation.proofs.saddle import Saddle


def signed(y: Array, Q: arb_mat) -> arb_mat:
    """diag(y) Q diag(y), exactly."""
    rows = [[x if s == t else -x for x, t in zip(row, y, strict=True)]
            for row, s in zip(Q.tolist(), y, strict=True)]  # fmt: skip
    return arb_mat(rows)


def feasible(alpha: Any, y: Array, C: float) -> list[arb]:
    """α clipped to the box, then the heavier class scaled down until αᵀy = 0."""
    return list(bounds.feasible(BALLS, exact(numbers(alpha)), y, C).x)


def value(Q: arb_mat, alpha: list[arb]) -> arb:
    """1ᵀα - ½αᵀQα"""
    made: arb = bounds.value(BALLS, exact(Q), exact(alpha)).number
    return made


def upper(Q: arb_mat, y: Array, C: float, v: list[arb]) -> arb:
    """The better of the primal and of the Lagrangian, each where it is defined."""
    end = bounds.upper(BALLS, exact(Q), y, C, exact(v)).number.upper()
    return end if end.is_finite() else arb.pos_inf()


def off_box(alpha: Any, y: Array, C: float, whose: str = "") -> dict[str, arb]:
    """How far α is from αᵀy = 0, relative to Σ|αᵢ|, from α ≥ 0 and from α ≤ C."""
    a = numbers(alpha)
    size = balls.largest([abs(x) for x in a])
    balance = abs(balls.total(x * int(s) for x, s in zip(a, y, strict=True)))
    out = {
        "balance": excess(balance, balls.total(abs(x) for x in a)),
        "nonneg": excess(balls.largest([-x for x in a]), size),
    }
    if np.isfinite(C):
        out["box"] = excess(balls.largest(a) - arb(C), arb(C))
    return {f"{whose}{label}": x for label, x in out.items()}


def machine(Q: Array, y: Array, C: float) -> Array:
    """α in doubles near the optimum at a given matrix; C may be infinite."""
    K = Q * np.outer(y, y)
    if np.isfinite(C):
        return solvers_svm(K, y, C)
    # libsvm wants a box: one that nothing touches, and not much larger.
    scale = 1.0 / max(float(np.abs(Q).max()), 1e-300)
    for power in range(12):
        alpha = solvers_svm(K, y, scale * 10.0**power)
        if alpha.max() < 0.9 * scale * 10.0**power:
            break
    return alpha


def optimum(Q: arb_mat, y: Array, C: float) -> Proof:
    """The optimum of the machine at a given matrix: α from libsvm, polished; both ends there."""
    alpha = machine(balls.doubles(Q), y, C)
    better = polished(Q, y, C, alpha) if alpha.max() > 0 else None
    points = [feasible(a, y, C) for a in (alpha, better) if a is not None]
    lower = balls.largest([value(Q, a).lower() for a in points])
    upper_ = -balls.largest([-upper(Q, y, C, a) for a in points])
    return Proof(lower.lower(), upper_.upper())


def polished(Q: arb_mat, y: Array, C: float, alpha: Array) -> Tensor | None:
    """α by Newton's method on active sets; None where it is not finite. No proof rests on it."""
    saddle = Saddle(y[None], C, [{0: Q}], np.zeros(1), np.ones((1, 1)), exact([arb(1)]))
    at = saddle.polished(alpha[None], np.ones(1))
    return at.alpha[0] if at.unknowns.is_finite() else None
