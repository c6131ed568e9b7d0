"""The method: iterations, both ends at each of them, and when to stop."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

from cvxkernel.formulations.catalogue import formulation
from cvxkernel.formulations.errors import InputError, SolverError
from cvxkernel.formulations.formulation import Point
from cvxkernel.solvers import deadline
from cvxkernel.solvers.method import Method, Progress, Solution, Step
from cvxkernel.solvers.mirror_descent.ends import Averages, Ends
from cvxkernel.solvers.mirror_descent.oracle import Oracle
from cvxkernel.solvers.mirror_descent.splitting import Splitting
from cvxkernel.solvers.mirror_descent.steps import Iterate, Lip, Rule, accelerated, descent

ALGORITHMS = frozenset(f"kundu2010-alg{k}{how}" for k in (1, 2, 3) for how in ("", "-printed"))
SADDLES = frozenset({"kundu2010-eq4", "kundu2010-eq6", "kundu2010-eq7"})
BRIEF, ENTRYWISE = 12, 400  # iterations before the conic solvers are asked
EVERY = 10  # iterations the averaged iterate is looked at, or the K of the splitting


@dataclass(frozen=True)
class MirrorStep(Step):
    """An iteration: f there, the step, and by how much the bounds say that the best f may miss.

    `theorem` is the bound of Proposition 3.1, Theorem 3.2 or Proposition 3.2, with the largest
    subgradient so far for Lip. `proven` is what the steps taken prove: for T steps ηₜ
    (mτ log n + ½τΣₜηₜ²Σᵢ‖gᵢₜ‖²)/Σₜηₜ plus what the inner problems were inexact by.
    """

    value: float
    eta: float
    lip: float
    theorem: float
    proven: float


@dataclass(frozen=True)
class MirrorDescent(Method):
    """The hyper-parameters.

    step : "paper", ηₜ = √(2 log n/(mt))/Lip (m = 1 in Algorithm 1); "proof", √(2 log n/t)/Lip, what
           its proof (15) uses; "horizon", √(2 log n/T)/Lip with T = max_iterations, for which (15)
           is a proof; "accelerated", the best in practice: steps from a line search, with momentum
    lip  : "seen", the largest subgradient so far; "known", a constant for all of (4)

    With "accelerated", L1 and L2 are smoothed by no more than the gap that is left, and both ends
    are also taken at the closed response to α that L2 and L3 have, and with L1 from a splitting.
    """

    name = "mirror_descent"
    answers = ALGORITHMS | SADDLES
    first = ALGORITHMS
    after = SADDLES  # and for a moment before the panel, see `brief`

    tol: float = 1e-3
    step: Rule = "accelerated"
    lip: Lip = "seen"
    max_iterations: int = 3000
    printed_iterations: int = 100

    def solve(
        self, id: str, problem: Any, *, progress: Progress | None = None, start: Point | None = None
    ) -> Solution:
        """Algorithm 1, 2 or 3 on its problem; raises SolverError where the gap stays above `tol`.

        The printed algorithms stop after `printed_iterations` wherever they are, and say so.
        """
        form = formulation(id)
        number, printed = _algorithm(form.id)
        form.require(problem)
        began = perf_counter()
        oracle = Oracle(number, problem)
        limit = self.printed_iterations if printed else self.max_iterations
        ends, averages, history, lip = Ends(), Averages(), list[Step](), 0.0
        mean_x, weight = np.zeros(()), 0.0
        entrywise = number < 3 and problem.loss == "L1" and problem.rho > 0
        best_response = number < 3 and problem.loss == "L3" and problem.rho > 0
        own = self.step == "accelerated" and not printed
        splitting = Splitting(oracle) if entrywise and own else None
        for T, it in enumerate(self.iterates(oracle, ends, printed=printed), start=1):
            ends.offer(it.value, it.x, it.alpha)
            means = averages.add(it.dual, it.weight, fresh=it.fresh)
            answer = oracle.response(means[-1], ends.best[0])
            if answer is not None:
                ends.bound(*oracle.lower(means[-1], answer))
            if not best_response:
                for mean in means:
                    ends.bound(*oracle.lower(mean))
            if own and answer is not None:
                # What answers the last average is a feasible point too, and often the better one.
                alpha = oracle.ask(answer, it.dual).dual[0]
                ends.offer(oracle.upper(answer, alpha), answer, alpha)
            if not (own or printed):
                # The averaged iterate; with momentum x is an average already.
                weight += it.weight
                mean_x = mean_x + (it.x - mean_x) * (it.weight / weight)
                if T % EVERY == 0:
                    alpha = oracle.ask(mean_x, it.dual).dual[0]
                    ends.offer(oracle.upper(mean_x, alpha), mean_x, alpha)
            if splitting is not None:
                ends.bound(*oracle.lower(splitting.steps(means[-1], it.x)))
                if T % EVERY == 0:
                    # Its K is feasible, and sparser in K - S than an iterate.
                    found = splitting.kernels()
                    alpha = oracle.ask(found, it.dual).dual[0]
                    ends.offer(oracle.upper(found, alpha), found, alpha)
            lip = max(lip, float(oracle.sizes(it.gradient).max()))
            theorem = problem.tau * oracle.blocks * lip * np.sqrt(2 * np.log(problem.n) / T)
            told = (it.value, it.eta, lip, float(theorem), it.proven)
            history.append(MirrorStep(T, ends.lower, ends.upper, perf_counter() - began, *told))
            if progress is not None:
                progress(f"{id}: iteration {T}, relative gap {history[-1].width:.1e}")
            if history[-1].width <= self.tol or limit <= T or deadline.passed():
                break
        enclosure = form.enclose(problem, oracle.point(*ends.best, ends.dual))
        status = "optimal" if enclosure.width <= self.tol else f"stopped after {T} iterations"
        if status != "optimal" and (not printed or limit > T):
            why = f"relative width {enclosure.width:.1e} above {self.tol:.1e}"
            attempts = {"mirror_descent": f"{why} after {T} iterations"}
            raise SolverError(id, attempts, enclosure, limit=deadline.reached())
        return Solution.at(
            id,
            enclosure,
            "mirror_descent",
            iterations=T,
            seconds=perf_counter() - began,
            status=status,
            history=tuple(history),
        )

    def brief(self, id: str, problem: Any) -> int:
        """How many iterations are worth a try before a conic solver is asked.

        # Measured on (6) with L1: 2.6 s at n = 30 and 4 s at n = 60, where no conic solver ends
        # within a minute.
        """
        entrywise = _algorithm(id)[0] == 2 and problem.loss == "L1"
        return ENTRYWISE if entrywise else BRIEF

    def iterates(
        self, oracle: Oracle, ends: Ends | None = None, *, printed: bool = False
    ) -> Iterator[Iterate]:
        """The sequence of points, without end; `ends` is what is known of the optimum meanwhile."""
        if self.step == "accelerated" and not printed:
            return accelerated(oracle, Ends() if ends is None else ends)
        return descent(oracle, self.step, self.lip, self.max_iterations, printed=printed)


def _algorithm(id: str) -> tuple[int, bool]:
    """The number of the algorithm, and whether it is run as printed."""
    name, _, printed = id.removeprefix("kundu2010-").partition("-")
    numbers = {"alg1": 1, "alg2": 2, "alg3": 3, "eq4": 1, "eq6": 2, "eq7": 3}
    if name not in numbers:
        raise InputError("solver", f"a conic solver for {id}", "mirror_descent")
    return numbers[name], bool(printed)
