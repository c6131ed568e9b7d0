"""The method: where it starts, both ends at every step, and when to stop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cvxkernel.formulations import inputs
from cvxkernel.formulations.formulation import Formulation, Point
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kundu2010 import Similarities, Spectra
from cvxkernel.solvers import units
from cvxkernel.solvers.box import balanced
from cvxkernel.solvers.method import Iterative, State
from cvxkernel.solvers.response_ascent.dual import Dual, answered
from cvxkernel.solvers.response_ascent.response import CLOSEST, ONE_KERNEL, Block, parts

IDS = ONE_KERNEL | {f"kundu2010-{label}" for label in ("eq6", "alg2", "eq7", "alg3")}

SMALLEST = 1e-60  # the first α, relative to the machine on the projections of S
SMALLEST_GAMMA = 1e-9  # of a problem nearby
ROUGH = 0.1  # of the value: where it rises by more, the upper end need not be sharp
SLOW = 8  # steps in which the gap has to be halved


@dataclass
class ResponseState(State):
    """α, γ and the kernels that answer them; all but the ends in the units of `unit`."""

    form: Formulation
    problem: Similarities | Spectra
    unit: Similarities | Spectra
    dual: Dual
    scale: float  # of the objective
    rise: float = 0.0  # of the value, in the last step
    bound: float = -np.inf
    attained: float = np.inf
    best: tuple[Dual, Array] | None = None  # of the upper end: the kernels, and an α
    highest: Dual | None = None  # of the lower end
    gaps: list[float] = field(default_factory=list)


@dataclass(frozen=True)
class ResponseAscent(Iterative[ResponseState]):
    """The hyper-parameters; it answers (4), (6) and (7) with L2 or L3, the algorithms' ids too."""

    name = "response_ascent"
    answers = first = IDS
    warm = True

    max_iterations: int = 200

    @classmethod
    def takes(cls, problem: Any) -> bool:
        """Where the best response is explicit."""
        return problem.loss in ("L2", "L3") and problem.rho > 0

    def init(self, form: Formulation, problem: Any, start: Point | None) -> ResponseState:
        """The machine on the projections of S, scaled down; or the point of a problem nearby."""
        unit = units.of(form).scaled(problem)
        blocks = parts(form.id, unit)
        scale = problem.C / unit.C
        if start is None or not {"alpha", symbol(unit)} <= set(start):
            dual = first(blocks, unit)
        else:
            dual = near(blocks, unit, scale, start)
        return ResponseState(form, problem, unit, dual, scale)

    def step(self, state: ResponseState) -> bool:
        """One Newton step, where it is not the first, and both ends at the α it leads to."""
        C = state.unit.C
        if state.gaps:
            there = state.dual.ascended(C)
            if there is state.dual or self.slow(state):
                return False
            state.rise, state.dual = there.value - state.dual.value, there
        dual = state.dual
        alpha, gamma = dual.alpha, dual.gamma
        if state.rise <= ROUGH * abs(dual.value):
            alpha, gamma = answered(dual, C)
        value = dual.upper(C, alpha, gamma)
        if value < state.attained or state.best is None:
            state.attained, state.best = value, (dual, alpha)
        if dual.value > state.bound or state.highest is None:
            state.bound, state.highest = dual.value, dual
        state.lower, state.upper = state.scale * state.bound, state.scale * state.attained
        state.gaps.append(state.attained - state.bound)
        return True

    def slow(self, state: ResponseState) -> bool:
        """Whether the gap has not been halved for a while."""
        return len(state.gaps) > SLOW and state.gaps[-1] > state.gaps[-1 - SLOW] / 2

    def point(self, state: ResponseState) -> Point:
        """α, γ and Wᵢ of the lower end, the kernels and the α of the upper end."""
        assert state.best is not None
        assert state.highest is not None
        (made, x), dual = state.best, state.highest
        learned = np.stack([r.learned for r in made.responses])
        W = np.concatenate([r.W for r in dual.responses])
        one = state.form.id in ONE_KERNEL
        point = {"alpha": dual.alpha, "gamma": dual.gamma, "x": x}
        point[symbol(state.unit)] = learned[0] if one else learned
        point["w" if isinstance(state.unit, Spectra) else "W"] = W
        if one:
            del point["gamma"]
        return units.of(state.form).restored(state.problem, state.unit, point)


def symbol(problem: Similarities | Spectra) -> str:
    """Of what is learned."""
    return "mu" if isinstance(problem, Spectra) else "K"


def first(blocks: Sequence[Block], problem: Similarities | Spectra) -> Dual:
    """The machine on the projections of S, its α scaled down as far as the value rises."""
    nothing, even = np.zeros(problem.n), np.full(len(blocks), 1 / len(blocks))
    dual = Dual.of(blocks, problem.y, nothing, even, [block.farthest for block in blocks])
    alpha, gamma = answered(dual, problem.C)
    gamma = (gamma + even) / (gamma + even).sum()  # none is zero: every K will answer α
    dual, shrink = dual.at(alpha, gamma), 1.0
    while shrink > SMALLEST:
        shrink /= 2
        there = dual.at(shrink * alpha, gamma)
        if not there.value > dual.value:
            break
        dual = there
    return dual.evened


def near(
    blocks: Sequence[Block], problem: Similarities | Spectra, scale: float, point: Point
) -> Dual:
    """α, γ and the distances ‖Kᵢ - Sᵢ‖ of a point of a problem nearby."""
    given = inputs.weights("alpha", point["alpha"], problem.y.shape)
    alpha = balanced(given / scale, problem.y, problem.C)
    gamma = np.ones(len(blocks))
    if len(blocks) > 1:
        shares = inputs.weights("gamma", point["gamma"], gamma.shape) if "gamma" in point else gamma
        gamma = np.maximum(shares, SMALLEST_GAMMA)
        gamma = gamma / gamma.sum()
    learned = scale * np.asarray(point[symbol(problem)]).reshape(len(blocks), -1)
    xs = []
    for block, x in zip(blocks, learned, strict=True):
        away = np.linalg.norm(x - block.S.reshape(len(block.S), -1), axis=1)
        xs.append(np.log(np.maximum(away, CLOSEST * block.tau)))
    return Dual.of(blocks, problem.y, alpha, gamma, xs)
