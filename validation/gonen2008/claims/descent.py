"""Section 2 over the gatings: the gradients, Algorithm 1 and what it promises."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import pairwise

import numpy as np

from cvxkernel.formulations.arithmetic import balls
from cvxkernel.formulations.gonen2008 import Gated, Localized
from cvxkernel.formulations.inputs import Array
from cvxkernel.solvers import GatingDescent
from cvxkernel.solvers.localized import Iterate, step
from cvxkernel.validation import rigorous
from cvxkernel.validation.gonen2008.claims.machine import EQ7, solved, space
from cvxkernel.validation.instances import random_kernels
from cvxkernel.validation.ledger.claim import (
    Claim,
    Evidence,
    Finding,
    Remark,
    about,
    at_most,
    missing,
    not_above,
    rounding,
    worst,
)
from cvxkernel.validation.ledger.shared import PROMISE, problem

STEP = 2.0**-30  # of the differences, J being proved to far more digits

# -- The gradients --------------------------------------------------------------------------------


@cache
def _polished(seed: int) -> tuple[Gated, Array]:
    """The instance with kernels of full rank, and the α of (7) there to all digits of a double."""
    at: Gated = problem(EQ7, "random", seed)
    with balls.precision():
        *_, best = rigorous.judge(EQ7, at).better({"alpha": solved(at).variables["alpha"]})
    return at, balls.doubles(best["alpha"])


def _slope(at: Gated, alpha: Array, key: str, place: tuple[int, ...]) -> float:
    """The central difference of J in one parameter, J being proved to 30 digits and more."""
    ends, where = [], []
    for h in (STEP, -STEP):
        moved = {"V": at.V.copy(), "v0": at.v0.copy()}
        moved[key][place] += h
        there = Gated(at.kernels, at.y, at.X, at.C, **moved)
        ends.append(rigorous.proof(EQ7, there, {"alpha": alpha}))
        where.append(float(moved[key][place]))
    with balls.precision():
        return float((ends[0].lower - ends[1].lower) / (where[0] - where[1]))


def _gradient(seed: int, key: str) -> Evidence:
    at, alpha = _polished(seed)
    printed = dict(zip(("V", "v0"), at.gradient(alpha), strict=True))[key]
    u = alpha * at.eta
    reach = max(1.0, float(np.abs(at.X).max())) if key == "V" else 1.0
    terms = 2 * reach * float(np.sum(u[:, :, None] * np.abs(at.kernels) * u[:, None, :]))
    slopes = np.array([_slope(at, alpha, key, i) for i in np.ndindex(printed.shape)])
    size = float(np.abs(slopes).max())
    apart = float(np.abs(slopes - printed.ravel()).max())
    # What the difference itself is off is of second order in the step.
    allowed = rounding(at.n**2 * at.p, terms) / size + STEP
    return Evidence(Finding(apart / size, allowed, **about("kernels of full rank", {"size": size})))


def gradient_v0(seed: int) -> Evidence:
    """∂J/∂v_m0 against differences of J."""
    return _gradient(seed, "v0")


def gradient_v(seed: int) -> Evidence:
    """∂J/∂v_m against differences of J."""
    return _gradient(seed, "V")


def kink(v: float) -> Gated:
    """Two samples that only their gates tell apart: α may be on either of them."""
    phi = np.array([1.0, 1.0, -1.0])
    K = np.stack([np.outer(phi, phi), np.zeros((3, 3))])
    X, V = np.array([[1.0], [-1.0], [0.0]]), np.array([[v], [0.0]])
    return Gated(K, phi, X, 10.0, V, np.zeros(2))


def kinked(seed: int) -> Finding:
    """Where two α solve (7) the slopes of J to both sides are the largest of the printed ones."""
    at, h = kink(0.0), 2.0**-16
    form = [np.array([2.0, 0.0, 2.0]), np.array([0.0, 2.0, 2.0])]
    gradients = [at.gradient(alpha)[0][0, 0] for alpha in form]
    best = solved(at)
    values = [alpha.sum() - ((alpha * at.y) @ at.K_eta @ (alpha * at.y)) / 2 for alpha in form]
    slopes = [(solved(kink(s * h)).value - best.value) / h for s in (1.0, -1.0)]
    numbers = {
        "at α = (2, 0, 2)": gradients[0],
        "at α = (0, 2, 2)": gradients[1],
        "to the right": slopes[0],
        "to the left": slopes[1],
    }
    told = about("three points, v₁ − v₂ = 0", numbers)
    found = [at_most(best.upper * (1 - best.width), value, n=3) for value in values]
    for slope, sign in zip(slopes, (1.0, -1.0), strict=True):
        largest = max(sign * g for g in gradients)
        found.append(Finding(abs(slope - largest), h + rounding(3, 1.0) / h, **told))
    return worst(found)


# -- Algorithm 1 ----------------------------------------------------------------------------------


def two_points() -> Localized:
    """One kernel of unit trace twice, y = ±1: J = 2a - a²q/2 with a = min(C, 2/q)."""
    K = np.array([[0.5, 0.499], [0.499, 0.5]])
    return Localized(np.stack([K, K]), np.array([1.0, -1.0]), np.array([[1.0], [2.0]]), 100.0)


def path(*, search: bool, steps: int = 12) -> list[Iterate]:
    """Algorithm 1 there: with the step 0.01 of section 4, or with a line search."""
    method = GatingDescent(search=search, iterations=steps)
    start = np.array([[0.01], [-0.02]]), np.array([0.0, 0.01])
    return list(method.path(two_points(), *start))


def on_a_line(seed: int, n: int = 8) -> Localized:
    """Eight points, two kernels of rank three."""
    K = n * random_kernels(n, 2, rank=3, seed=seed)
    X = np.random.default_rng(seed).normal(size=(n, 1))
    return Localized(K, np.where(np.arange(n) % 2, 1.0, -1.0), X, 10.0)


def upper_bound(seed: int) -> Evidence:
    """The w_m, b and ξ of a gating with it: their objective in (5) is J; another J is below."""
    s = space(seed)
    at, best = s.at, solved(s.at)
    alpha, b = best.variables["alpha"], float(best.variables["b"])
    eta = s.gates(at.X)
    w = [(alpha * at.y * eta[m]) @ s.features(m, at.X) for m in range(s.p)]  # (6)
    xi = np.maximum(0.0, 1 - at.y * s.f(at.X, w, b))  # the constraints of (5) hold
    value = sum(float(v @ v) for v in w) / 2 + at.C * float(xi.sum())
    rng = np.random.default_rng(seed)
    others = [
        solved(replace(at, V=rng.normal(size=at.V.shape), v0=rng.normal(size=s.p))).upper
        for _ in range(12)
    ]
    told = about("explicit features", {"J": best.value, "(5)": value, "least of 12": min(others)})
    found = [
        at_most(best.lower, value, n=s.n, magnitude=s.size, **told),
        Finding(max(0.0, value / best.upper - 1), PROMISE, **told),
        at_most(min(others), best.lower, n=1, **told),
    ]
    return Evidence(worst(found))


def falls(at: Localized, start: tuple[Array, Array]) -> Finding:
    """A step of lines 5 and 6 so small that J falls by what the gradient promises, to a half."""
    now = Iterate.make(at, *start, None)
    for k in range(40):
        mu = 2.0**-k
        J, promise = step(at, now, mu).J, mu * now.residual**2
        rate = (now.J.value - J.value) / promise
        if abs(rate - 1) <= 0.5 and J.upper < now.J.lower:
            return Finding(0.0, 0.0, **about(f"μ = {mu:g}", {"of what is promised": rate}))
    return missing("a step that is small enough")


def monotone(seed: int) -> Evidence:
    """J by iteration with a line search, each enclosed: never above, and below in the end."""
    method, found = GatingDescent(iterations=8, seed=seed), []
    for at in (two_points(), on_a_line(seed), on_a_line(seed + 1)):
        start = method.start(at, 0)  # line 1: small random numbers
        run = [iterate.J for iterate in method.path(at, *start)]
        found += [not_above(then, now) for now, then in pairwise(run)]
        found += [at_most(run[-1].upper, run[0].lower, n=1), falls(at, start)]
    return Evidence(worst(found))


def rises(seed: int) -> Finding:
    """With the fixed step 0.01 of section 4 J rises on kernels of unit trace with C = 100."""
    fixed = path(search=False)
    ends = [iterate.J.value for iterate in fixed[:4]]
    told = about("unit trace, C = 100, μ = 0.01", {f"J({t})": J for t, J in enumerate(ends)})
    most = max(then.J.lower - now.J.upper for now, then in pairwise(fixed))
    return at_most(0.0, most, n=1, **told)


def local(seed: int) -> Evidence:
    """Two starts end where the gradient leaves next to nothing to win, and J is not the same."""
    at, method = on_a_line(3), GatingDescent(spread=3.0)
    runs = [list(method.path(at, *method.start(at, k)))[-1] for k in (0, 2)]
    low, high = sorted((run.J for run in runs), key=lambda J: J.upper)
    left = max(run.left for run in runs)
    numbers = {"J": low.value, "J from another start": high.value}
    numbers |= {"largest gradient": max(run.residual for run in runs), "left to win": left}
    told = about("eight points", numbers)
    return Evidence(
        worst([at_most(low.upper, high.lower, n=at.n, **told), Finding(left, PROMISE, **told)])
    )


def copies(seed: int) -> Finding:
    """Copies of one kernel with equal gates: the gradients vanish, whatever the data."""
    at: Gated = problem(EQ7, "random", seed)
    same = Gated(at.kernels[[0] * at.p], at.y, at.X, at.C, 0 * at.V, 0 * at.v0)
    alpha = solved(same).variables["alpha"]
    dV, dv0 = same.gradient(alpha)
    size = float(np.abs(at.X).max() * alpha @ np.abs(at.kernels[0]) @ alpha)
    found = [at_most(float(np.abs(d).max()), 0.0, n=at.n**2, magnitude=size) for d in (dV, dv0)]
    return worst(found)


# fmt: off
CLAIMS = (
    Claim("gonen2008-gradient-v0", "Section 2, ∂J/∂v_m0",
        "∂J/∂v_m0 = −½ΣΣΣαᵢαⱼyᵢyⱼη_k(xᵢ)K_k(xᵢ, xⱼ)η_k(xⱼ)(δ − η_m(xᵢ) + δ − η_m(xⱼ))",
        "at the α that solves (7), against differences of J, which is proved to 30 digits",
        gradient_v0, quote="to calculate the gradients of the primal objective with respect to the "
        "parameters",
        remark="Where the α that solves (7) is unique, as a rule; else see gonen2008-kink.",
        programs=("gonen2008-eq7",)),
    Claim("gonen2008-gradient-v", "Section 2, ∂J/∂v_m",
        "∂J/∂v_m = the same sum with xᵢ[δ − η_m(xᵢ)] + xⱼ[δ − η_m(xⱼ)]",
        "at the α that solves (7), against differences of J, which is proved to 30 digits",
        gradient_v, quote="To train the gating model, we take derivatives of",
        programs=("gonen2008-eq7",)),
    Claim("gonen2008-upper", "Section 2, below (5)",
        "the objective value obtained for a fixed gating is an upper bound for (5)",
        "points with explicit features: the objective of (5) at a feasible point with the gating, "
        "against J; J at other gatings", upper_bound,
        quote="is an upper bound for (5)", programs=("gonen2008-alg1",)),
    Claim("gonen2008-monotone", "Section 2, below (5), and 3.1",
        "with a proper step size selection, a line search, the objective value never increases",
        "Algorithm 1 with a line search, J enclosed at every iteration; the decrease of a small "
        "step against what the gradient promises", monotone,
        quote="as iterations progress with a proper step size selection procedure (see Section "
        "3.1), the objective value of (5) never increases",
        remark="With the fixed step of section 4 it may, see gonen2008-fixed-step.",
        programs=("gonen2008-alg1",)),
    Claim("gonen2008-local", "Section 2, below (5)",
        "the global optimum is not guaranteed, and the initial parameters may affect the solution",
        "two starts whose ends leave a millionth to win at most, with disjoint enclosures of J",
        local,
        quote="this does not guarantee convergence to the global optimum and the initial "
        "parameters of … may affect the solution quality", programs=("gonen2008-alg1",)),
)

REMARKS = (
    Remark("gonen2008-kink", "Section 2, above the gradients",
        "Where several α solve (7) J may have a kink: its slope in a direction is the largest of "
        "the printed ones over them.",
        "an instance where two α solve (7): the printed sum at both, and the slopes of J", kinked,
        about="gonen2008-gradient-v0"),
    Remark("gonen2008-fixed-step", "Section 4",
        "With the fixed step 0.01 of the experiments J may rise: kernels of unit trace, C = 100.",
        "Algorithm 1 with μ = 0.01 on two points, J enclosed at every iteration", rises,
        about="gonen2008-monotone"),
    Remark("gonen2008-start", "Algorithm 1, line 1",
        "A start at zero would not move with copies of one kernel: both gradients vanish there.",
        "the gradients at equal gates, copies of one kernel", copies, about="gonen2008-alg1"),
)
# fmt: on
