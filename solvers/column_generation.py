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
from typing import Any, Literal

import numpy as np
from scipy.linalg import LinAlgError

from cvxkernel.formulations.enclosure import Enclosure
from cvxkernel.formulations.errors import SolverError
from cvxkernel.formulations.formulation import Formulation, Point
from cvxkernel.formulations.inputs import Array
from cvxkernel.solvers.exchange import PATIENCE, Pull, linear_program
from cvxkernel.solvers.method import Iterative, State, Step

ANSWERS = frozenset({"ye2008-thm2.3", "ye2008-thm3.3", "ye2008-eq44", "ye2008-eq47"})
HOPELESS = 100.0  # times the best value: weights as bad as this make no useful cut


@dataclass(frozen=True)
class Exchange:
    """A semi-infinite program over weights, as an exchange method needs it.

    maximize γ over θ ≥ 0, θᵀr = 1, subject to Σᵢ θᵢSᵢ(β) ≥ γ for all β; (16) and (44) with h = a,
    (37) and (47) with h = H. `argmin(theta)` is the β of the most violated cut, and raises
    LinAlgError where there is none in doubles.
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
class CutsState(State):
    """The cuts so far, the best feasible weights, and the dual point that the cuts combine to.

    The ends are of γ: the best feasible value, and the best dual one.
    """

    program: Exchange
    w: Array  # w = θ ∘ r, where the next cut is made
    cuts: list[Array] = field(default_factory=list)  # rows S(β)/r, scaled
    weights: list[Array] = field(default_factory=list)  # the w each cut was made at
    nu: Array = field(default_factory=lambda: np.zeros(0))
    best: Array | None = None
    master: float = np.inf  # γ of the last restricted master
    violated: float = np.inf  # what rule (22) compares with ε
    pull: Pull = field(default_factory=Pull)


@dataclass(frozen=True)
class ColumnGeneration(Iterative[CutsState]):
    """The hyper-parameters.

    stop       : "gap", the true relative gap at most `tol`; or "paper", the rule (22),
                 |1 - Σᵢ θᵢ⁽ᵗ⁻¹⁾Sᵢ(β⁽ᵗ⁾)/γ⁽ᵗ⁻¹⁾| ≤ tol, with which the paper uses 5e-4
    stabilized : cuts are made between the master's θ and the best one so far; False: at the
                 master's θ, as printed, and as rule (22) needs it: "paper" is never stabilized
    """

    name = "column_generation"
    answers = after = ANSWERS
    patience = PATIENCE

    stop: Literal["gap", "paper"] = "gap"
    stabilized: bool = True

    def init(self, form: Formulation, problem: Any, start: Point | None) -> CutsState:
        """No cut yet, and equal weights."""
        program = Exchange.of(form, problem)
        return CutsState(program, np.full(len(program.r), 1.0 / len(program.r)))

    def closed(self, state: CutsState, last: Step) -> bool:
        """By the gap, or by rule (22)."""
        return (state.violated if self.stop == "paper" else last.width) <= self.tol

    def status(self, state: CutsState, enclosure: Enclosure) -> str | None:
        """Rule (22) ends it whatever the width."""
        if self.stop == "paper" and state.violated > self.tol:
            return None
        status = super().status(state, enclosure)
        return "stopped by rule (22)" if status is None and self.stop == "paper" else status

    def point(self, state: CutsState) -> Point:
        """The best weights, and Σₜ νₜβ⁽ᵗ⁾.

        Since each Sᵢ is convex, the bound there is at least the linear program's. At most p + 1
        cuts bind; their β are made again, which is cheaper than to keep all of them.
        """
        assert state.best is not None
        program = state.program
        binding = [(nu, w) for nu, w in zip(state.nu, state.weights, strict=True) if nu > 0]
        beta = np.asarray(sum(nu * program.argmin(w / program.r) for nu, w in binding))
        return {"theta": state.best / program.r, "beta": beta}

    def step(self, state: CutsState) -> bool:
        """One cut and one master."""
        # (20): β⁽ᵗ⁾ = argmin_β Σᵢ θᵢ⁽ᵗ⁻¹⁾Sᵢ(β)
        S = self.cut(state)
        value = float(state.w @ S)
        known = 0 < abs(state.master) < np.inf
        state.violated = abs(1 - value / state.master) if known else np.inf
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
        return True

    def cut(self, state: CutsState) -> Array:
        """S(β)/r at the β of (20); while w is hopeless it is first moved halfway to the best.

        # Paper is silent on this. In (44) and (47) the master may choose weights at which (42) is
        # unbounded, and with small λ and kernels of low rank ones that are many times worse than
        # the best.
        """
        program = state.program
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
