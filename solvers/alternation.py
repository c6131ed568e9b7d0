r"""The alternation of Tang, Chen and Ye (2009), section 4, for the semi-infinite (11).

Step 1 solves k support vector machines at the weights θ; step 2 a linear program in (ζ, γ, g) over
the cuts Σᵢ θᵢᵗD(αⱼᵗ, Gᵢ) ≤ gᵗ found so far, by HiGHS. At every iteration

    optimum ≤ Σₜ upper bound of the machine at θᵗ, from its α: an inexact machine is charged,
    optimum ≥ `Bounds.value` at ᾱᵗ = Σⱼ νⱼᵗαⱼᵗ with weights νᵗ ≥ 0, Σⱼ νⱼᵗ = 1 on the cuts.

The νᵗ are the linear program's multipliers, repaired: S(t) is convex, so ᾱ is feasible whatever
HiGHS says, and D is concave in α, so the bound there is at least the linear program's.

The two ends of β are cheaper: at β = 0 (Same) one set of p weights is left in the linear program,
at β = k/2 (Independent) the labels come apart into k problems, each of which stops by itself.

Theorem 3.1 and (3) are answered by the same steps: there the linear program pays λ for Ω, both ends
are those of `bounds` with the price, and a λ that no difference is worth is β = 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import numpy as np

from cvxkernel.formulations.arithmetic import DOUBLES
from cvxkernel.formulations.errors import SolverError
from cvxkernel.formulations.formulation import Formulation, Point
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.problem import with_numbers
from cvxkernel.formulations.tang2009 import Regularized, Shared, bounds, prohibitive
from cvxkernel.solvers import units
from cvxkernel.solvers.exchange import PATIENCE, Pull, linear_program
from cvxkernel.solvers.method import Iterative, Progress, Solution, State, Step
from cvxkernel.solvers.svm import svm
from cvxkernel.solvers.weights import simplex, within

REFRESH = 0.1  # of the gap: a smaller gain at the upper end is not worth k bounds


@dataclass
class LabelsState(State):
    """The cuts so far, the best weights, and the α that the cuts combine to.

    All but the ends are in the units of `problem`; `scale` takes α and the optimum back.
    """

    problem: Shared | Regularized
    scale: float
    theta: Array  # (k, p), where the next machines are solved
    best: Array  # θ of the least Σₜ Σᵢ θᵢᵗD(αᵗ, Gᵢ) so far, `value`
    weights: Array  # θ of the best upper end
    machines: Array  # (k, n): α of the machines there
    mixture: Array  # (k, n): ᾱ of the best lower end
    alphas: list[Array] = field(default_factory=list)  # (k, n) each
    cuts: list[Array] = field(default_factory=list)  # D(αᵗ, Gᵢ), (k, p) each
    thetas: list[Array] = field(default_factory=list)  # where they were made
    value: float = np.inf
    bound: float = 0.0  # the lower end at `mixture`
    attained: float = np.inf  # the upper end at `weights`
    pull: Pull = field(default_factory=Pull)


@dataclass(frozen=True)
class Alternation(Iterative[LabelsState]):
    """The hyper-parameters.

    stabilized : machines are solved between the linear program's θ and the best one so far, nearer
                 to the best after a θ that was worse; False: at the linear program's θ, as printed
    split      : β = 0 and β = k/2 by their cheaper routes; False: by that of every β
    """

    name = "alternation"
    answers = frozenset({"tang2009-eq11", "tang2009-eq3-sdp", "tang2009-thm3.1"})
    after = answers
    warm = True
    patience = PATIENCE

    stabilized: bool = True
    split: bool = True
    max_iterations: int = 500

    def solve(
        self, id: str, problem: Any, *, progress: Progress | None = None, start: Point | None = None
    ) -> Solution:
        """Solve (11), Theorem 3.1 or (3); from β = k/2 on each label alone."""
        form = self.formulation(id, problem)
        shared = isinstance(problem, Shared)
        if self.split and shared and problem.k > 1 and problem.most == problem.k / 2:
            return self.separately(form, problem, progress=progress)
        return super().solve(id, problem, progress=progress, start=start)

    def init(self, form: Formulation, problem: Any, start: Point | None) -> LabelsState:
        """Uniform weights, or the `theta` of a problem nearby, or its `zeta` and `gamma`; α = 0."""
        unit = units.of(form).scaled(problem)
        theta, zero = np.full((unit.k, unit.p), 1 / unit.p), np.zeros(unit.Y.shape)
        near = theta if start is None else within(bounds.weights(DOUBLES, unit, start), most(unit))
        return LabelsState(unit, problem.C / unit.C, near, theta, theta, zero, zero)

    def point(self, state: LabelsState) -> Point:
        """θ of the best upper end with its machines, and ᾱ of the best lower end."""
        alpha, machines = state.scale * state.mixture, state.scale * state.machines
        return {"alpha": alpha, "machines": machines, "theta": state.weights}

    def separately(
        self, form: Formulation, problem: Shared, *, progress: Progress | None = None
    ) -> Solution:
        """β = k/2: each label alone, and the sums of their ends as if they had run side by side."""
        began = perf_counter()
        points: list[Mapping[str, Array]] = []
        histories: list[tuple[Step, ...]] = []
        failed: dict[str, str] = {}
        for t in range(problem.k):
            label = with_numbers(problem, Y=problem.Y[[t]], beta=0.0)
            try:
                alone = self.solve(form.id, label, progress=progress)
                points.append(alone.variables)
                histories.append(alone.history)
            except SolverError as error:
                if error.best is None:
                    raise
                points.append(error.best.variables)
                failed[f"alternation, label {t + 1}"] = error.attempts["alternation"]
        symbols = ("theta", "alpha", "machines")
        point = {symbol: np.concatenate([part[symbol] for part in points]) for symbol in symbols}
        enclosure = form.enclose(problem, point)
        if failed or enclosure.width > self.tol:
            failure = self.failure(form.id, enclosure)
            raise SolverError(form.id, failed or failure.attempts, enclosure, limit=failure.limit)
        history = []
        for i in range(max(map(len, histories))):
            side = [h[min(i, len(h) - 1)] for h in histories]
            lower, upper = sum(s.lower for s in side), sum(s.upper for s in side)
            history.append(Step(i + 1, lower, upper, sum(s.seconds for s in side)))
        return self.solution(
            form.id,
            enclosure,
            iterations=len(history),
            seconds=perf_counter() - began,
            history=tuple(history),
        )

    def step(self, state: LabelsState) -> bool:
        """k machines, one linear program, and both ends."""
        problem = state.problem
        ends = bounds.Bounds(DOUBLES, problem)
        # Step 1: αⱼᵗ, the most violated constraint of (12) for each label
        kernels = problem.combined(state.theta)
        alpha = machines(problem, kernels, state)
        D = problem.D(alpha)
        lam = problem.lam if isinstance(problem, Regularized) else 0.0
        price = lam * bounds.omega(state.theta)
        value = float(np.sum(state.theta * D)) + price
        better = value < state.value
        if better:
            state.value, state.best = value, state.theta
        gap = state.attained - state.bound
        if not np.isfinite(gap) or value < state.attained - REFRESH * gap:
            at = DOUBLES.exact(state.theta)
            upper = ends.upper(at, ends.machines(ends.combined(at), alpha)).upper
            if upper < state.attained:
                state.attained, state.weights, state.machines = upper, state.theta, alpha
        state.alphas.append(alpha)
        state.cuts.append(D)
        state.thetas.append(state.theta)
        # Step 2: θ, g and the weights of the cuts
        beta, k = most(problem), problem.k
        cuts = np.array(state.cuts)
        if self.split and beta == 0:
            theta, nu = shared_master(cuts, state.value / k)
        else:
            theta, nu = master(cuts, beta, state.value / k, lam)
        mixture = ends.feasible(np.einsum("tj,jtn->tn", nu, np.array(state.alphas)))
        low = ends.value(mixture).lower
        if low > state.bound:
            state.bound, state.mixture = low, mixture.mid
        # Paper takes θ itself. Where many kernels take part that swings: with 15 random kernels and
        # 6 labels it needs twice to three times the iterations.
        if self.stabilized:
            theta = state.pull.towards(state.best, theta, better=better)
        state.theta = within(theta, beta)
        state.lower, state.upper = state.scale * state.bound, state.scale * state.attained
        return True


def most(problem: Shared | Regularized) -> float:
    """The largest Ω there may be; with a price k/2, or zero where no difference is worth λ."""
    if isinstance(problem, Shared):
        return problem.most
    return 0.0 if problem.lam >= (1 - 1e-9) * prohibitive(problem) else problem.k / 2


def machines(problem: Shared | Regularized, kernels: Array, state: LabelsState) -> Array:
    """α of every label's machine, started from the last; a label whose weights stay keeps its α."""
    if not state.alphas:
        return np.array([svm(K, y, problem.C) for K, y in zip(kernels, problem.Y, strict=True)])
    alpha = state.alphas[-1].copy()
    for t in np.flatnonzero((state.theta != state.thetas[-1]).any(axis=1)):
        alpha[t] = svm(kernels[t], problem.Y[t], problem.C, start=alpha[t])
    return alpha


def master(cuts: Array, beta: float, scale: float, lam: float = 0.0) -> tuple[Array, Array]:
    """The linear program of step 2: θ (k, p), and the weights ν (k, J) of the cuts (J, k, p).

    λΩ is added to its objective.
    g is counted in units of `scale`, and each row divided by its largest entry.
    """
    J, k, p = cuts.shape
    size = _sizes(cuts)
    m = p + k * p  # ζ, then γ¹, …, γᵏ, then g
    A_ub, A_eq = np.zeros((k * J + 1, m + k)), np.zeros((k, m + k))
    for t in range(k):
        own = slice(p + t * p, p + (t + 1) * p)
        rows = slice(t * J, (t + 1) * J)
        A_ub[rows, :p] = A_ub[rows, own] = cuts[:, t] / size[t][:, None]
        A_ub[rows, m + t] = -scale / size[t]
        A_eq[t, :p] = A_eq[t, own] = 1.0
    A_ub[-1, p:m] = 0.5  # Ω ≤ β
    b_ub = np.append(np.zeros(k * J), beta)
    cost = np.append(np.zeros(p), np.full(k * p, lam / 2 / scale))
    x, marginals = linear_program("alternation", A_ub, b_ub, A_eq, k, cost)
    theta = x[:p] + x[p:m].reshape(k, p)
    return simplex(theta), simplex(marginals[:-1].reshape(k, J) / size)


def shared_master(cuts: Array, scale: float) -> tuple[Array, Array]:
    """The same with γ = 0: one set of weights for all labels of the cuts."""
    J, k, p = cuts.shape
    size = _sizes(cuts)
    A_ub = np.zeros((k * J, p + k))
    for t in range(k):
        rows = slice(t * J, (t + 1) * J)
        A_ub[rows, :p] = cuts[:, t] / size[t][:, None]
        A_ub[rows, p + t] = -scale / size[t]
    A_eq = np.append(np.ones(p), np.zeros(k))[None]
    x, marginals = linear_program("alternation", A_ub, np.zeros(k * J), A_eq, k)
    theta = simplex(x[:p][None])
    return np.repeat(theta, k, axis=0), simplex(marginals.reshape(k, J) / size)


def _sizes(cuts: Array) -> Array:
    """The largest entry of every cut, as (k, J); 1 for α = 0, whose cut is 0 ≤ gᵗ."""
    size = np.abs(cuts).max(axis=2).T
    return np.where(size > 0, size, 1.0)
