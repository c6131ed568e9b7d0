r"""The support vector machine in balls: feasible points and the bounds of `formulations.svm`.

    maximize 1ᵀα - ½αᵀQα  subject to  0 ≤ α ≤ C, αᵀy = 0

The matrix in the balls Q is semidefinite: a kernel is the one that `balls.kernel` encloses,
or it was made so. Nothing has to be proved of that, and the ends hold for every such matrix.
"""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np
from flint import arb

from cvxkernel.formulations import svm as bounds
from cvxkernel.formulations.arithmetic import BALLS, Tensor
from cvxkernel.formulations.arithmetic.balls import Proof, exact, excess
from cvxkernel.formulations.inputs import Array
from cvxkernel.solvers.svm import svm as solvers_svm
from cvxkernel.validation.proofs.proof import Examination, Point
from cvxkernel.validation.proofs.saddle import Saddle


def off_box(alpha: Any, y: Array, C: float) -> dict[str, arb]:
    """How far α is from αᵀy = 0, relative to Σ|αᵢ|, from α ≥ 0 and from α ≤ C."""
    a = exact(alpha)
    out = {
        "balance": excess(abs((a * y).sum()).number, abs(a).sum().number),
        "nonneg": excess((-a).max().number, abs(a).max().number),
    }
    if np.isfinite(C):
        out["box"] = excess((a - C).max().number, arb(C))
    return out


def examined(found: Examination, point: Point, y: Array, C: float, symbol: str = "alpha") -> Tensor:
    """An α of the point clipped and balanced, exactly; told is what it violates."""
    whose = "" if symbol == "alpha" else f"{symbol} "
    wrong = off_box(point[symbol], y, C)
    found.violations.update({f"{whose}{label}": x for label, x in wrong.items()})
    made = found.repaired[symbol] = bounds.feasible(BALLS, exact(point[symbol]), y, C)
    return made


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


def optimum(Q: Tensor, y: Array, C: float) -> Proof:
    """The optimum of the machine at a given matrix: α from libsvm, polished; both ends there."""
    start = machine(Q.mid, y, C)
    found = [start, polished(Q, y, C, start) if start.max() > 0 else None]
    points = [bounds.feasible(BALLS, alpha, y, C) for alpha in found if alpha is not None]
    ends = [(bounds.value(BALLS, Q, a), bounds.upper(BALLS, Q, y, C, a)) for a in points]
    return reduce(Proof.narrowed, (BALLS.enclosure(low, low, high, {}) for low, high in ends))


def polished(Q: Tensor, y: Array, C: float, alpha: Array) -> Tensor | None:
    """α by Newton's method on active sets; None where it is not finite. No proof rests on it."""
    saddle = Saddle(y[None], C, [{0: Q.matrix}], np.zeros(1), np.ones((1, 1)), exact([arb(1)]))
    at = saddle.polished(alpha[None], np.ones(1))
    return at.alpha[0] if at.unknowns.is_finite() else None
