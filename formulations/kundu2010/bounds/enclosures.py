"""Both ends at a point of any kind: it is repaired, and what it lacks is made."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from cvxkernel.formulations import eigenbasis, inputs, svm
from cvxkernel.formulations.arithmetic import DOUBLES, Arithmetic, Tensor, settled
from cvxkernel.formulations.formulation import Point, encloses, given
from cvxkernel.formulations.kundu2010.bounds.feasible import shares
from cvxkernel.formulations.kundu2010.bounds.learned import (
    Bounds,
    LearnedSpectra,
    OneKernel,
    SeveralKernels,
)
from cvxkernel.formulations.kundu2010.bounds.omega import Omega
from cvxkernel.formulations.kundu2010.programs import Combination, Similarities, Spectra

# The optimal K is singular, and bounds of second order take definite matrices: this share of
# (τ/n)I is mixed into it, where the gap is wider than that moves it.
SHARE = 1e-8
FARTHEST = 1e150  # an entry of what is projected: beyond it eigenvalues overflow


def _alpha(F: Arithmetic, problem: Similarities | Spectra | Combination, point: Point) -> Tensor:
    """α ∈ A"""
    alpha = given(F, point, "alpha", np.full(problem.n, 0.5))
    return svm.feasible(F, alpha, problem.y, problem.C)


def _xs(
    F: Arithmetic, problem: Similarities | Spectra | Combination, point: Point, alpha: Tensor
) -> list[Tensor]:
    """Where ω or Ω is bounded from above: at the x given, at α, at zero.

    x is an α, (n,), made for the upper end alone; or xᵢ of shape (m, n), about α/γᵢ.
    """
    every = [alpha.point(), F.exact(np.zeros(problem.n))]
    if "x" not in point:
        return every
    if np.ndim(point["x"]) < 2:
        x = given(F, point, "x", np.zeros(problem.n))
        return [svm.feasible(F, x, problem.y, problem.C).point(), *every]
    return [given(F, point, "x", np.zeros((problem.m, problem.n))), *every]


def _tried(F: Arithmetic, given: list[Any], made: list[Any]) -> list[Any]:
    """In doubles both; in balls, where a try is dear, what is made only if nothing is given."""
    return [*given, *made] if F is DOUBLES or not given else given


@encloses("kundu2010-eq4", "kundu2010-alg1", "kundu2010-alg1-printed", kind=OneKernel)
@encloses("kundu2010-eq6", "kundu2010-alg2", "kundu2010-alg2-printed", kind=SeveralKernels)
def kernels_enclosure(
    F: Arithmetic, problem: Similarities, point: Point, *, kind: type[Bounds]
) -> Any:
    """(4) or (6) at the kernels of the point; from below at α, a few γ and a few Wᵢ."""
    return _enclosure(kind(F, problem), point)


def _framed(problem: Spectra, point: Point) -> tuple[Spectra, Point, str | None]:
    """An answer in its own eigenbases: μ and w follow their order, and signs do not matter."""
    if "U" not in point:
        return problem, point, None
    if problem.U is None:
        return replace(problem, U=point["U"]), point, None
    U = inputs.weights("U", point["U"], problem.S.shape)
    moved = {symbol: point[symbol].copy() for symbol in ("mu", "w") if symbol in point}
    for i in range(problem.m):
        order, _ = eigenbasis.matched(problem.U[i], eigenbasis.checked(U[i], problem.S[i]))
        for symbol in moved:
            moved[symbol][i] = point[symbol][i][order]
    return problem, {**point, **moved, "U": problem.U}, None


@encloses("kundu2010-eq7", "kundu2010-alg3", "kundu2010-alg3-printed", frame=_framed)
def eq7_enclosure(F: Arithmetic, problem: Spectra, point: Point) -> Any:
    """(7) at the spectra of the point; from below at α, a few γ and a few wᵢ."""
    return _enclosure(LearnedSpectra(F, problem), point)


def _enclosure(bounds: Bounds, point: Point) -> Any:
    F, problem = bounds.F, bounds.problem
    start, alpha = _learned(bounds, point), _alpha(F, problem, point)
    xs = [x for x in _xs(F, problem, point, alpha) if bounds.weighed or x.ndim == 1]
    made = bounds.repaired(start)
    omega = bounds.omega([one.x for one in made])
    xs = [omega.sharpest(xs)] if F is DOUBLES else xs
    learned = F.stack([one.feasible for one in made])
    low, gamma, W = _below(bounds, point, alpha, learned)
    ends = zip(bounds.values(made, xs, omega), xs, strict=True)
    high, x = min(ends, key=lambda end: end[0].upper)
    if F is DOUBLES and bounds.weighed and not _near(low, high):
        # With a share of the centre, for bounds of second order.
        mixed = bounds.repaired(((1 - SHARE) * start + SHARE * bounds.centre()).point())
        (end,) = bounds.values(mixed, [x])
        if end.upper < high.upper:
            high, learned = end, F.stack([one.feasible for one in mixed])
    variables = {
        bounds.symbol: learned if bounds.weighed else learned[0],
        "alpha": alpha, "gamma": gamma, bounds.dual: F.stack(W), "x": x,
    }  # fmt: skip
    if not bounds.weighed:
        del variables["gamma"]
    if isinstance(problem, Spectra):
        variables["U"] = problem.V
    return F.enclosure(high, low, high, variables, problem.open)


def _near(low: Tensor, high: Tensor) -> bool:
    """Whether no other end need be tried, in doubles."""
    return bool(high.upper - low.lower <= SHARE * abs(high.upper))


def _learned(bounds: Bounds, point: Point) -> Tensor:
    """What is learned as a stack: the nearest to doubles that is feasible, balls as they came."""
    F, shape = bounds.F, bounds.shape
    learned = point.get(bounds.symbol)
    if F is not DOUBLES and isinstance(learned, F.tensor):
        return learned.reshape(*shape)
    default = np.stack([S.mid for S in bounds.S])
    default = default if bounds.weighed else default.mean(axis=0)
    start = given(DOUBLES, point, bounds.symbol, default).mid.reshape(shape)
    return F.exact(bounds.nearest(np.clip(start, -FARTHEST, FARTHEST)))


def _below(
    bounds: Bounds, point: Point, alpha: Tensor, learned: Tensor
) -> tuple[Tensor, Tensor, list[Tensor]]:
    """The best bound from below, its γ and its Wᵢ, over those given and a few that are made."""
    F, m, K = bounds.F, bounds.problem.m, learned.mid
    shape = bounds.problem.S.shape[: len(bounds.shape)]
    W = [given(F, point, bounds.dual, np.zeros(shape))] if bounds.dual in point else []
    W = _tried(F, W, [bounds.subgradients(K), np.zeros(shape)])
    gammas = [np.ones(m)]
    if bounds.weighed:
        own = [given(F, point, "gamma", np.zeros(m))] if "gamma" in point else []
        best = bounds.omega(F.exact(K)).gamma(alpha) if F is DOUBLES or not own else own[0]
        gammas = _tried(F, own, [best] if own else [best, np.ones(m)])
    tries = []
    for gamma in (shares(F, g) for g in gammas):
        response = bounds.response(alpha.mid, gamma.mid, K) if len(W) > 1 else None
        made = [] if response is None else [bounds.subgradients(response)]
        tries += [(gamma, bounds.inside(w)) for w in (*W, *made)]
    ends = ((bounds.bound(alpha, *one), *one) for one in tries)
    return max(ends, key=lambda end: end[0].lower)


@encloses("kundu2010-eq10")
def eq10_enclosure(F: Arithmetic, problem: Combination, point: Point) -> Any:
    """(10) at α, from above at x or at α."""
    alpha = _alpha(F, problem, point)
    M = [F.signed(problem.y, K) for K in F.kernels(problem.kernels)]
    omega = Omega(F, M, problem.y, problem.C)
    low = omega.value(alpha)
    uppers: list[tuple[Tensor, Tensor]] = []
    for x in _xs(F, problem, point, alpha):
        uppers.append((omega.upper(x), x))
        if settled(F, low, uppers[-1][0]) or (F is DOUBLES and _near(low, uppers[-1][0])):
            break
    high, x = min(uppers, key=lambda end: end[0].upper)
    gamma = omega.gamma(alpha)
    if not low > 0:  # α = 0 is feasible
        low, alpha = F.exact(0.0), 0.0 * alpha
    return F.enclosure(low, low, high, {"alpha": alpha, "gamma": gamma, "x": x})
