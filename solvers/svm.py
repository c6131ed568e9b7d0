r"""The support vector machine on a given kernel by libsvm, its answer polished and repaired.

    maximize 1ᵀα - ½αᵀYKYα  subject to  0 ≤ α ≤ C, αᵀy = 0

libsvm stops when the KKT conditions hold to `TOLERANCE` and leaves α in the box with αᵀy = 0 up to
rounding; Newton's step on its active set (one linear system in the free α) then gives what doubles
can. Where C is large libsvm may wander for a million iterations: after a few thousand it gives way
to an interior point. Each is asked in units in which the kernel or the box is near 1, a power of
two; where it cannot read the numbers α is 0, which is feasible. Nothing is believed: whoever needs
a bound computes it from the α that is returned, by the functions of `formulations.svm`.

scikit-learn's interface to libsvm takes no initial α. A warm start is the active set of a solution
nearby: where a few of Newton's steps from it end in the KKT conditions, libsvm is not asked.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from cvxkernel.formulations import svm as bounds
from cvxkernel.formulations.formulation import Point
from cvxkernel.formulations.gonen2008 import Gated
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.tang2009 import Separate
from cvxkernel.solvers import units
from cvxkernel.solvers.box import polish, quadratic_program, violation
from cvxkernel.solvers.method import Method, Progress, Solution

TOLERANCE = 1e-6  # libsvm's, on the KKT conditions
ITERATIONS = 20_000  # of libsvm before it gives way
MAX_ITERATIONS = (
    1_000_000  # where there is nobody to give way to; it warns, and what it has is used
)
SMALLEST = 1e-300
LARGEST = 500  # samples of which an interior point takes care


MACHINES = frozenset({"chen2009-eq1", "chen2009-eq3", "gonen2008-eq5", "gonen2008-eq7"})
SEPARATE = frozenset({"tang2009-eq2"})


@dataclass(frozen=True)
class Machine:
    """A support vector machine on a given kernel."""

    K: Array
    y: Array
    C: float

    @classmethod
    def of(cls, problem: Any) -> Machine:
        """That of a problem of `MACHINES`."""
        K = problem.K_eta if isinstance(problem, Gated) else problem.K
        return cls(K, problem.y, problem.C)


@dataclass(frozen=True)
class SupportVectors(Method):
    """The same as a method, for every formulation that is a support vector machine."""

    name = "svm"
    answers = MACHINES | SEPARATE
    first = SEPARATE
    after = MACHINES

    def solve(
        self, id: str, problem: Any, *, progress: Progress | None = None, start: Point | None = None
    ) -> Solution:
        """Solve it, in units where the optimum is near 1; SolverError where too wide."""
        form = self.formulation(id, problem)
        began = perf_counter()
        if progress is not None:
            progress(f"{id}: svm, n = {problem.n}")
        if form.id in SEPARATE:
            enclosure = form.enclose(problem, {"alpha": separate(problem)})
        else:
            unit = units.of(form).scaled(problem)
            machine = Machine.of(unit)
            point = {"alpha": svm(machine.K, machine.y, machine.C)}
            enclosure = form.enclose(problem, units.of(form).restored(problem, unit, point))
        if not enclosure.width <= self.tol:
            raise self.failure(form.id, enclosure)
        return self.solution(form.id, enclosure, iterations=None, seconds=perf_counter() - began)


def separate(problem: Separate) -> Array:
    """α (k, n) of every label's machine, each in units in which its kernel or its box is near 1."""
    alpha = np.zeros(problem.Y.shape)
    for t, (K, y) in enumerate(zip(problem.kernels, problem.Y, strict=True)):
        size = float(np.trace(K)) / problem.n
        sigma = min(1 / size, problem.C) if size > 0 else problem.C
        alpha[t] = sigma * svm(sigma * K, y, problem.C / sigma)
    return alpha


def svm(K: Array, y: Array, C: float, *, start: Array | None = None) -> Array:
    """A feasible α, as near to the optimum as doubles allow."""
    size = float(np.trace(K)) / len(y)
    if not (np.isfinite(K).all() and size > 0 and 0 < C < np.inf):
        size = 1.0
    sigma = 2.0 ** np.round(np.log2(np.clip(min(1 / size, C), SMALLEST, 1 / SMALLEST)))
    near = None if start is None else start / sigma
    with np.errstate(all="ignore"):
        found = sigma * _unit(K if sigma == 1 else sigma * K, y, C / sigma, near)
    return found if np.isfinite(found).all() else np.zeros(len(y))


def _unit(K: Array, y: Array, C: float, start: Array | None) -> Array:
    """The same in such units."""
    if not np.isfinite(K).all():
        return np.zeros(len(y))
    Q = y[:, None] * K
    Q *= y
    if start is not None:
        # Clipped, not repaired: that would move what is at C, and polishing balances.
        polished = polish(Q, y, C, np.clip(start, 0.0, C))
        if polished is not None and violation(Q, y, C, polished) <= TOLERANCE:
            return polished
    small = len(y) <= LARGEST
    raw, ended = _libsvm(K, y, C, ITERATIONS if small else MAX_ITERATIONS)
    alpha = bounds.repair(raw, y, C)
    candidates = [alpha, polish(Q, y, C, alpha)]
    if small and not ended and not _settled(Q, y, C, candidates[1]):
        candidates.append(quadratic_program(Q, np.ones(len(y)), y, C))
    found = (a for a in candidates if a is not None)
    return max(found, key=lambda a: float(a.sum() - a @ (Q @ a) / 2))


def _settled(Q: Array, y: Array, C: float, alpha: Array | None) -> bool:
    return alpha is not None and violation(Q, y, C, alpha) <= TOLERANCE


def _libsvm(K: Array, y: Array, C: float, iterations: int) -> tuple[Array, bool]:
    """α, and whether libsvm came to its end."""
    model = SVC(C=C, kernel="precomputed", tol=TOLERANCE, cache_size=500, max_iter=iterations)
    alpha = np.zeros(len(y))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        try:
            model.fit(K, y)
        except ValueError:  # numbers that it cannot read, or NaNs of its own
            return alpha, False
    alpha[model.support_] = np.abs(model.dual_coef_[0])
    return alpha, int(np.max(model.n_iter_)) < iterations
