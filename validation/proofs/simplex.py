r"""A convex function of weights on the unit simplex, polished by Newton's method in balls.

    minimize φ(w)  subject to  w ≥ 0, Σᵢ wᵢ = 1

Newton's method on the weights that are not zero; one that reaches zero leaves them, and the one
whose gradient is the farthest below the others' enters. No proof rests on the result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from flint import arb, ctx

from cvxkernel.formulations.arithmetic import balls
from cvxkernel.formulations.arithmetic.balls import newton

STEPS = 60
UNUSED = 1e-7  # an interior point leaves small weights everywhere

Hessian = Callable[[list[int]], list[list[arb]]]  # its rows and columns of some weights
Derivatives = Callable[[list[arb]], tuple[list[arb], Hessian]]


def polished(derivatives: Derivatives, w: Sequence[arb]) -> list[arb]:
    """Weights nearer to the optimum, to the working precision; they sum to one about."""
    p = len(w)
    w = [x if x > UNUSED else arb(0) for x in w]
    active = [i for i in range(p) if w[i] > 0]
    target = arb(2) ** (20 - ctx.prec)
    for _ in range(STEPS):
        gradient, hessian = derivatives(w)
        mean = balls.total(w[i] * gradient[i] for i in active) / balls.total(w)
        excess = [(gradient[i] - mean).mid() for i in active]
        if not any(abs(x) > target * abs(mean) for x in excess):
            off = [i for i in range(p) if i not in active]
            worst = min(off, key=lambda i: float(gradient[i] - mean), default=None)
            if worst is None or not gradient[worst] - mean < -target * abs(mean):
                break
            active.append(worst)
            continue
        moved(w, active, newton(hessian(active), excess))
    return w


def moved(w: list[arb], active: list[int], step: Sequence[arb]) -> arb:
    """How far w went along a step: as no weight becomes negative; one that reaches zero leaves."""
    ratios = {i: -w[i] / d for i, d in zip(active, step, strict=True) if w[i] + d < 0}
    length = min(ratios.values(), key=float, default=arb(1))
    for i, d in zip(active, step, strict=True):
        w[i] = (w[i] + length * d).mid()
    for i in [i for i, x in ratios.items() if float(x) <= float(length)]:
        w[i] = arb(0)
        active.remove(i)
    return length
