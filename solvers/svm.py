r"""The support vector machine on a given kernel by libsvm, its answer polished and repaired.

    maximize 1ᵀα - ½αᵀYKYα  subject to  0 ≤ α ≤ C, αᵀy = 0

libsvm stops when the KKT conditions hold to `TOLERANCE` and leaves α in the box with αᵀy = 0 up to
rounding; Newton's step on its active set (one linear system in the free α) then gives what doubles
can. Nothing is believed: whoever needs a bound computes it from the α that is returned, by the
functions of `formulations.svm`.

scikit-learn's interface to libsvm takes no initial α. A warm start is the active set of a solution
nearby: where a few of Newton's steps from it end in the KKT conditions, libsvm is not asked.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, lstsq, solve
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from cvxkernel.formulations import svm as bounds
from cvxkernel.formulations.catalogue import formulation
from cvxkernel.formulations.errors import InputError, SolverError
from cvxkernel.formulations.inputs import Array
from cvxkernel.solvers.solution import Progress, Solution

TOLERANCE = 1e-6  # libsvm's, on the KKT conditions
CYCLES = 10  # of Newton's steps, the active set corrected in between
MAX_ITERATIONS = 1_000_000  # of libsvm; it warns at the end, and what it has is used


@dataclass(frozen=True)
class SupportVectors:
    """The same as a method, for every formulation that is a support vector machine."""

    tol: float = 1e-6

    def solve(self, id: str, problem: Any, *, progress: Progress | None = None) -> Solution:
        """Solve it, in units where the optimum is near 1; SolverError where too wide."""
        form = formulation(id)
        if form.machine is None:
            raise InputError("solver", f"another for {id}: it is no support vector machine", "svm")
        form.require(problem)
        start = perf_counter()
        if progress is not None:
            progress(f"{id}: svm, n = {problem.n}")
        unit = form.unit(problem)
        machine = form.machine(unit)
        point = {"alpha": svm(machine.K, machine.y, machine.C)}
        enclosure = form.enclose(problem, form.restore(problem, unit, point))
        if not enclosure.width <= self.tol:
            why = f"relative width {enclosure.width:.1e} above {self.tol:.1e}"
            raise SolverError(id, {"svm": why}, enclosure)
        seconds = perf_counter() - start
        return Solution.at(id, enclosure, "svm", iterations=None, seconds=seconds)


def svm(K: Array, y: Array, C: float, *, start: Array | None = None) -> Array:
    """A feasible α, as near to the optimum as doubles allow."""
    Q = bounds.signed(y, K)
    if start is not None:
        polished = polish(Q, y, C, bounds.repair(start, y, C))
        if polished is not None and violation(Q, y, C, polished) <= TOLERANCE:
            return polished
    alpha = bounds.repair(_libsvm(K, y, C), y, C)
    polished = polish(Q, y, C, alpha)
    if polished is None:
        return alpha
    better = bounds.value(Q, polished)[0] >= bounds.value(Q, alpha)[0]
    return polished if better else alpha


def violation(Q: Array, y: Array, C: float, alpha: Array) -> float:
    """How far α is from the KKT conditions: max of y(1 - Qα) over I_up less min over I_low."""
    gradient = y * (1 - Q @ alpha)
    small = 1e-12 * min(C, float(alpha.max()))
    rises = np.where(y > 0, alpha < C - small, alpha > small)
    falls = np.where(y > 0, alpha > small, alpha < C - small)
    return float(gradient[rises].max(initial=-np.inf) - gradient[falls].min(initial=np.inf))


def polish(Q: Array, y: Array, C: float, alpha: Array) -> Array | None:
    """Newton's step on the active set of α: [Q_FF y_F; y_Fᵀ 0] on the free samples F.

    Samples that the step takes out of the box are fixed at its border, those that violate the KKT
    conditions are freed, all at once and a few times. None where that does not settle.
    """
    at_top, at_zero = borders(alpha, C)
    for _ in range(CYCLES):
        free = ~(at_top | at_zero)
        m = int(free.sum())
        fixed = np.where(at_top, C, 0.0)
        if m == 0:
            return fixed if y @ fixed == 0 else None
        system = np.zeros((m + 1, m + 1))
        system[:m, :m] = Q[free][:, free]
        system[:m, m] = system[m, :m] = y[free]
        right = np.append(1 - Q[np.ix_(free, at_top)] @ fixed[at_top], -float(y @ fixed))
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                step = solve(system, right, assume_a="sym")
        except (LinAlgError, Warning):
            start = np.append(alpha[free], 0.0)  # singular: the least move from where we are
            step = start + lstsq(system, right - system @ start, lapack_driver="gelsy")[0]
        moved = fixed
        moved[free] = step[:m]
        over, under = moved > C, moved < 0
        gap = 1 - Q @ moved - step[m] * y  # ≤ 0 at zero, ≥ 0 at C
        wrong = np.where(at_zero, gap, 0.0) - np.where(at_top, gap, 0.0) > 1e-10
        if not (over | under | wrong).any():
            return bounds.repair(moved, y, C)
        at_top, at_zero = at_top & ~wrong | over, at_zero & ~wrong | under
        alpha = np.clip(moved, 0.0, C)
    return None


def borders(alpha: Array, C: float) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which samples are at C, and which at zero, to what a solver leaves."""
    margin = 1e-7 * min(C, float(alpha.max()))
    return alpha >= C - margin, alpha <= margin


def _libsvm(K: Array, y: Array, C: float) -> Array:
    model = SVC(C=C, kernel="precomputed", tol=TOLERANCE, cache_size=500, max_iter=MAX_ITERATIONS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(K, y)
    alpha = np.zeros(len(y))
    alpha[model.support_] = np.abs(model.dual_coef_[0])
    return alpha
