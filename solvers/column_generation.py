r"""The exchange method of Ye, Ji and Chen (2008), section 2.3, for the semi-infinite programs.

It alternates between a linear program in (θ, γ) over the cuts found so far, solved by HiGHS, and
one Cholesky factorization that finds the most violated cut β (20) for all k right-hand sides. At
every iteration

    γ* ≥ Σᵢ θᵢSᵢ(β)               at the θ of the master and its β: a feasible value,
    γ* ≤ maxᵢ Σₜ νₜSᵢ(β⁽ᵗ⁾)/rᵢ    for any weights ν ≥ 0, Σνₜ = 1, on the cuts: the linear program's
                                  dual, evaluated from ν, so that HiGHS need not be trusted.

The paper makes the next cut at the master's θ; stabilized, it is made between that and the best θ
so far. The master works with wᵢ = θᵢrᵢ on the unit simplex, with γ in units of the best value and
with rows of largest entry 1.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, Literal

import numpy as np
from scipy.linalg import LinAlgError

from cvxkernel.formulations.catalogue import CATALOGUE, formulation
from cvxkernel.formulations.enclosure import Enclosure
from cvxkernel.formulations.errors import InputError, SolverError
from cvxkernel.formulations.formulation import Formulation
from cvxkernel.formulations.inputs import Array
from cvxkernel.solvers import deadline
from cvxkernel.solvers.exchange import PATIENCE, Pull, linear_program
from cvxkernel.solvers.solution import Progress, Solution, Step

ANSWERS = frozenset(
    id for id, form in CATALOGUE.items() if form.paper == "ye2008" and form.kind == "SILP"
)
HOPELESS = 100.0  # times the best value: weights as bad as this make no useful cut


@dataclass(frozen=True)
class Exchange:
    """A semi-infinite program over weights, as an exchange method needs it.

    maximize γ over θ ≥ 0, θᵀr = 1, subject to Σᵢ θᵢSᵢ(β) ≥ γ for all β; (16), (44) with h = a, (37),
    (47) with h = H. `argmin(theta)` is the β of the most violated cut, and raises LinAlgError where
    there is none in doubles.
    """

    problem: Any
    h: Array

    @classmethod
    def of(cls, form: Formulation, problem: Any) -> Exchange:
        """That of a problem of `ANSWERS`."""
        return cls(problem, problem.a if form.binary else problem.H)

    @property
    def r(self) -> Array:
        """What the weights are on a budget with."""
        r: Array = self.problem.r
        return r

    def S(self, beta: Array) -> Array:
        """S₁(β), …, S_p(β)"""
        S: Array = self.problem.S(beta, self.h)
        return S

    def argmin(self, theta: Array) -> Array:
        """(20)"""
        beta: Array = self.problem.argmin(theta, self.h)
        return beta


@dataclass
class State:
    """The cuts so far, the best feasible weights, and the dual point that the cuts combine to."""

    w: Array  # w = θ ∘ r, where the next cut is made
    cuts: list[Array] = field(default_factory=list)  # rows S(β)/r, scaled
    weights: list[Array] = field(default_factory=list)  # the w each cut was made at
    nu: Array = field(default_factory=lambda: np.zeros(0))
    best: Array | None = None
    lower: float = -np.inf  # of γ: the best feasible value
    upper: float = np.inf  # of γ: the best dual value
    master: float = np.inf  # γ of the last restricted master
    pull: Pull = field(default_factory=Pull)


@dataclass(frozen=True)
class ColumnGeneration:
    """The hyper-parameters.

    stop       : "gap", the true relative gap at most `tol`; or "paper", the rule (22),
                 |1 - Σᵢ θᵢ⁽ᵗ⁻¹⁾Sᵢ(β⁽ᵗ⁾)/γ⁽ᵗ⁻¹⁾| ≤ tol, with which the paper uses 5e-4
    stabilized : cuts are made between the master's θ and the best one so far; False: at the
                 master's θ, as printed, and as rule (22) needs it: "paper" is never stabilized

    The history is in the solver's own arithmetic; the solution's ends are the enclosure's.
    """

    tol: float = 1e-6
    stop: Literal["gap", "paper"] = "gap"
    stabilized: bool = True
    max_iterations: int = 1000

    def solve(self, id: str, problem: Any, *, progress: Progress | None = None) -> Solution:
        """Solve thm2.3, thm3.3, eq44 or eq47; raises SolverError when the gap stays above `tol`."""
        form = formulation(id)
        if form.id not in ANSWERS:
            raise InputError("solver", f"a conic solver for {id}", "column_generation")
        form.require(problem)
        start = perf_counter()
        program = Exchange.of(form, problem)
        state = State(w=np.full(len(program.r), 1.0 / len(program.r)))
        history: list[Step] = []
        while True:
            violated = self.step(state, program)
            history.append(Step(len(history) + 1, state.lower, state.upper, perf_counter() - start))
            width = history[-1].width
            if progress is not None:
                progress(f"{id}: iteration {len(history)}, relative gap {width:.1e}")
            done = (violated if self.stop == "paper" else width) <= self.tol
            spent = len(history) >= self.max_iterations or deadline.passed()
            stalled = len(history) > PATIENCE and history[-PATIENCE].width <= width
            if not (done or spent or stalled):
                continue
            enclosure = self.enclose(form, problem, state, program)
            status = "optimal" if enclosure.width <= self.tol else "stopped by rule (22)"
            if done and (status == "optimal" or self.stop == "paper"):
                break
            if spent or stalled:
                why = f"relative width {enclosure.width:.1e} above {self.tol:.1e}"
                told = f"{why} after {len(history)} iterations"
                raise SolverError(
                    id, {"column_generation": told}, enclosure, limit=deadline.reached()
                )
        return Solution.at(
            id,
            enclosure,
            "column_generation",
            iterations=len(history),
            seconds=perf_counter() - start,
            status=status,
            history=tuple(history),
        )

    def enclose(
        self, form: Formulation, problem: Any, state: State, program: Exchange
    ) -> Enclosure:
        """The enclosure at the best weights and at Σₜ νₜβ⁽ᵗ⁾, by the problem's own numpy functions.

        Since each Sᵢ is convex, the bound there is at least the linear program's. At most p + 1
        cuts bind; their β are made again, which is cheaper than to keep all of them.
        """
        assert state.best is not None
        binding = [(nu, w) for nu, w in zip(state.nu, state.weights, strict=True) if nu > 0]
        beta = np.asarray(sum(nu * program.argmin(w / program.r) for nu, w in binding))
        return form.enclose(problem, {"theta": state.best / program.r, "beta": beta})

    def step(self, state: State, program: Exchange) -> float:
        """One cut and one master; returns what rule (22) compares with ε."""
        # (20): β⁽ᵗ⁾ = argmin_β Σᵢ θᵢ⁽ᵗ⁻¹⁾Sᵢ(β)
        S = self.cut(state, program)
        value = float(state.w @ S)
        violated = abs(1 - value / state.master) if 0 < abs(state.master) < np.inf else np.inf
        better = value > state.lower
        if better:
            state.lower, state.best = value, state.w
        state.cuts.append(S)
        state.weights.append(state.w)
        # The restricted master: maximize γ over w on the simplex, Σᵢ wᵢSᵢ(β)/rᵢ ≥ γ for these β
        state.w, state.nu, state.master = master(np.array(state.cuts), -state.lower)
        state.upper = min(state.upper, float((state.nu @ np.array(state.cuts)).max()))
        if self.stabilized and self.stop == "gap" and state.best is not None:
            state.w = state.pull.towards(state.best, state.w, better=better)
        return violated

    def cut(self, state: State, program: Exchange) -> Array:
        """S(β)/r at the β of (20); while w is hopeless it is first moved halfway to the best.

        # Paper is silent on this. In (44) and (47) the master may choose weights at which (42) is
        # unbounded, and with small λ and kernels of low rank ones that are many times worse than
        # the best.
        """
        for _ in range(60):
            try:
                S: Array = program.S(program.argmin(state.w / program.r)) / program.r
                if np.isfinite(S).all() and float(state.w @ S) > HOPELESS * state.lower:
                    return S
            except LinAlgError:
                pass
            if state.best is None:
                break
            state.w = (state.w + state.best) / 2
        raise SolverError(
            "column_generation", {"Cholesky": "the system is not definite in doubles"}
        )


def master(cuts: Array, scale: float) -> tuple[Array, Array, float]:
    """w and γ of the linear program, and the weights ν of its cuts, all repaired to the simplex.

    γ is counted in units of `scale`, and each row divided by its largest entry.
    """
    t, p = cuts.shape
    size = np.abs(cuts).max(axis=1)
    x, marginals = linear_program(
        "column_generation",
        np.c_[-cuts / size[:, None], -scale / size],  # in -γ, which is to be the least
        np.zeros(t),
        np.r_[np.ones(p), 0.0][None],
        1,
    )
    w, nu = x[:p], marginals / size
    return w / w.sum(), nu / nu.sum(), -float(x[p]) * scale
