"""The method: iterations, both ends at each of them, and when to stop."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

from cvxkernel.formulations.formulation import Point
from cvxkernel.solvers import deadline
from cvxkernel.solvers.method import Method, Progress, Solution, Step
from cvxkernel.solvers.mirror_descent.algorithms import Algorithm, algorithm
from cvxkernel.solvers.mirror_descent.interval import Averages, Interval
from cvxkernel.solvers.mirror_descent.maps import Order
from cvxkernel.solvers.mirror_descent.splitting import Splitting
from cvxkernel.solvers.mirror_descent.steps import Iterate, Lip, Rule, accelerated, descent

PRINTED = frozenset(f"kundu2010-alg{k}{how}" for k in (1, 2, 3) for how in ("", "-printed"))
SADDLES = frozenset({"kundu2010-eq4", "kundu2010-eq6", "kundu2010-eq7"})
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
    order: of the eigenvalues of the gradient, which the printed step pairs with those of K⁽ᵗ⁾

    With "accelerated", L1, L2 and other losses with kinks are smoothed by no more than the gap that
    is left, and both ends are also taken at the closed response to α that L2 and L3 have, and with
    any other loss from a splitting.
    """

    name = "mirror_descent"
    answers = PRINTED | SADDLES
    first = PRINTED
    after = SADDLES  # and for a moment before the panel, see `brief`

    tol: float = 1e-3
    step: Rule = "accelerated"
    lip: Lip = "seen"
    order: Order = "ascending"
    max_iterations: int = 3000
    printed_iterations: int = 100

    def solve(
        self, id: str, problem: Any, *, progress: Progress | None = None, start: Point | None = None
    ) -> Solution:
        """Algorithm 1, 2 or 3 on its problem; raises SolverError where the gap stays above `tol`.

        The printed algorithms stop after `printed_iterations` wherever they are, and say so.
        """
        form = self.formulation(id, problem)
        kind, printed = algorithm(form.id)
        began = perf_counter()
        run = kind(problem)
        limit = self.printed_iterations if printed else self.max_iterations
        interval, averages, history, lip = Interval(), Averages(), list[Step](), 0.0
        mean_x, weight = np.zeros(()), 0.0
        own = self.step == "accelerated" and not printed
        split = problem.loss not in ("L2", "L3") and problem.rho > 0
        best_response = problem.loss == "L3" and problem.rho > 0
        splitting = Splitting(run) if split and own else None
        for T, it in enumerate(self.iterates(run, interval, printed=printed), start=1):
            interval.offer(it.value, it.x, it.alpha)
            means = averages.add(it.dual, it.weight, fresh=it.fresh)
            response = run.response(means[-1], interval.best[0])
            if response is not None:
                interval.bound(*run.lower(means[-1], response))
            if not best_response:
                for mean in means:
                    interval.bound(*run.lower(mean))
            others = []  # points that are feasible too
            if own and response is not None:
                others.append(response)  # often the better one
            if not (own or printed):
                # The averaged iterate; with momentum x is an average already.
                weight += it.weight
                mean_x = mean_x + (it.x - mean_x) * (it.weight / weight)
                if T % EVERY == 0:
                    others.append(mean_x)
            if splitting is not None:
                interval.bound(*run.lower(splitting.steps(means[-1], it.x)))
                if T % EVERY == 0:
                    others.append(splitting.kernels())  # sparser in K - S than an iterate
            for x in others:
                alpha = run.ask(x, it.dual).dual[0]
                interval.offer(run.upper(x, alpha), x, alpha)
            lip = max(lip, float(run.sizes(it.gradient).max()))
            theorem = problem.tau * run.blocks * lip * np.sqrt(2 * np.log(problem.n) / T)
            history.append(
                MirrorStep(
                    T,
                    interval.lower,
                    interval.upper,
                    perf_counter() - began,
                    value=it.value,
                    eta=it.eta,
                    lip=lip,
                    theorem=float(theorem),
                    proven=it.proven,
                )
            )
            if progress is not None:
                progress(f"{id}: iteration {T}, relative gap {history[-1].width:.1e}")
            if history[-1].width <= self.tol or limit <= T or deadline.passed():
                break
        enclosure = form.enclose(problem, run.point(*interval.best, interval.dual))
        status = "optimal" if enclosure.width <= self.tol else f"stopped after {T} iterations"
        if status != "optimal" and (not printed or limit > T):
            raise self.failure(form.id, enclosure, f" after {T} iterations")
        return self.solution(
            form.id,
            enclosure,
            iterations=T,
            seconds=perf_counter() - began,
            status=status,
            history=tuple(history),
        )

    def brief(self, id: str, problem: Any) -> int:
        """How many iterations are worth a try before a conic solver is asked."""
        return algorithm(id)[0](problem).brief

    def iterates(
        self, run: Algorithm, interval: Interval | None = None, *, printed: bool = False
    ) -> Iterator[Iterate]:
        """The points, without end; `interval` is what is known of the optimum meanwhile."""
        if self.step == "accelerated" and not printed:
            return accelerated(run, Interval() if interval is None else interval)
        return descent(
            run, self.step, self.lip, self.max_iterations, printed=printed, order=self.order
        )


@dataclass(frozen=True)
class PaperDescent(MirrorDescent):
    """The true mirror step with the ηₜ of Propositions 3.1 and 3.2 and Theorem 3.2, asked by name.

    With it a relative width of 1e-2 takes hundreds of iterations: it shows what the paper proves.
    """

    name = "mirror_descent-paper"
    answers = SADDLES | frozenset(f"kundu2010-alg{k}" for k in (1, 2, 3))
    first = after = frozenset()

    step: Rule = "paper"
