"""Section 2, (1) to (4): two classes, λ given, as Kim et al. (2006) are quoted for them."""

from __future__ import annotations

import numpy as np

from cvxkernel.formulations import kim2006
from cvxkernel.formulations.arithmetic import DOUBLES
from cvxkernel.formulations.catalogue import formulation
from cvxkernel.formulations.inputs import Array
from cvxkernel.solvers import Newton
from cvxkernel.validation.instances import sample
from cvxkernel.validation.ledger.claim import (
    Claim,
    Evidence,
    about,
    at_most,
    equal,
    identity,
    on_each,
    solved,
    worst,
)
from cvxkernel.validation.ledger.shared import (
    KINDS,
    literal,
    optimum,
    optimum_of,
    problem,
)
from cvxkernel.validation.ye2008.claims.programs import all_written
from cvxkernel.validation.ye2008.claims.space import Space, solve, some_weights, space, two, unit


def eq2(seed: int) -> Evidence:
    """w* attains (2), and no other direction does better."""
    s = two(seed)
    M = s.within + s.lam * np.eye(s.d)
    w = solve(M, s.delta)
    best = float(s.delta @ w)

    def F1(w: Array) -> float:
        return float((w @ s.delta) ** 2 / (w @ M @ w))

    found = [solved(F1(w), best, M), identity(s.X @ s.a, s.delta, n=s.n)]
    rng = np.random.default_rng(seed)
    found += [at_most(F1(v), best, n=s.n) for v in w + rng.normal(size=(8, s.d))]
    return Evidence(worst(found))


def of_4(s: Space, J: Array) -> tuple[float, Array, Array]:
    """(4) for any J, the α* above it, and the matrix that was solved."""
    M = s.lam * np.eye(s.n) + J @ s.G @ J
    alpha: Array = (s.a - J @ solve(M, J @ s.G @ s.a)) / s.lam
    return float(s.a @ s.G @ alpha), alpha, M


def corrected_J(s: Space) -> Array:
    """Both blocks with 1/√m."""
    sizes = np.array([np.sum(s.y == label) for label in s.y])
    return s.J * np.sqrt(sizes / s.n)[:, None]


def spaces(seed: int) -> tuple[Space, ...]:
    """Two classes, unbalanced and nearly equal; λ = 0.3, the paper's 5e-4, and 10."""
    return two(seed), space((20, 4), seed, 3, 5e-4), space((6, 7), seed, 5, 10.0)


def eq4(seed: int) -> Evidence:
    """(4) with the printed J is the maximum of Kim's ratio, not of (1)."""
    return on_each(map(_eq4, spaces(seed)))


def _eq4(s: Space) -> Evidence:
    ridge = s.lam * np.eye(s.d)
    true = float(s.delta @ solve(s.within + ridge, s.delta))
    kims = float(s.delta @ solve(s.scatter(1) + s.scatter(-1) + ridge, s.delta))
    (printed, _, M), (corrected, _, N) = of_4(s, s.J), of_4(s, corrected_J(s))
    numbers = {"(4)": printed, "(2)": true, "Kim's ratio": kims, "(4), both 1/√m": corrected}
    told = about(f"m = {s.n}, λ = {s.lam:g}", numbers)
    return Evidence(
        solved(printed, true, M, **told),
        worst([solved(corrected, true, N, **told), solved(printed, kims, M, **told)]),
    )


def eq4_alpha(seed: int) -> Evidence:
    """φ(X)α* against w*."""
    return on_each(map(_eq4_alpha, spaces(seed)))


def _eq4_alpha(s: Space) -> Evidence:
    true = solve(s.within + s.lam * np.eye(s.d), s.delta)
    (_, alpha, M), (_, better, N) = of_4(s, s.J), of_4(s, corrected_J(s))
    told = about(f"m = {s.n}, λ = {s.lam:g}", {"cos": float(unit(s.X @ alpha) @ unit(true))})
    return Evidence(
        solved(s.X @ alpha, true, M, s.within, **told), solved(s.X @ better, true, N, s.within)
    )


def kim(seed: int) -> Evidence:
    """The SDP as written, against (4) at its own weights and at others, and against its epigraph.

    The last at both λ of the paper, 1e-8 and 5e-4, by a cone where (4) is by Newton's method.
    """
    found = all_written(seed, "kim2006")
    for lam in (1e-8, 5e-4):
        small = formulation("kim2006").make({**sample("kim2006", 13, 3, seed=seed), "lam": lam})
        cone, newton = optimum_of("kim2006-epigraph", small), Newton().solve("kim2006", small)
        found.append(equal(newton.enclosure, cone, instance=f"λ = {lam:g}"))
    for kind in KINDS:
        found += literal("kim2006", kind, seed)
        at, best = problem("kim2006", kind, seed), optimum("kim2006", kind, seed)
        for theta in some_weights(np.ones(at.p), seed):
            value = kim2006.value(DOUBLES, at, theta)
            found.append(at_most(value.lower, best.upper, n=at.n, instance=kind))
            G = np.tensordot(theta, at.kernels, axes=1)
            M = at.lam * np.eye(at.n) + at.J @ G @ at.J
            four = at.a.T @ G @ (at.a - at.J @ solve(M, at.J @ G @ at.a)) / at.lam
            size = (np.abs(at.a.T) @ np.abs(G) @ np.abs(at.a)).item() / at.lam * np.linalg.cond(M)
            found.append(
                identity(four.item(), float(value.mid), n=at.n, magnitude=size, instance=kind)
            )
    return Evidence(worst(found))


# fmt: off
CLAIMS = (
    Claim("ye2008-eq2", "Section 2, (1) and (2)",
        "w* = (m₊/m S⁺ + m₋/m S⁻ + λI)⁻¹(μ⁺ − μ⁻) maximizes (1), with maximum (2)",
        "points with explicit features; F₁(w*) against (2) and against other w", eq2,
        quote="that maximizes the objective function in Equation (1) for a fixed kernel function … "
        "is given by"),
    Claim("ye2008-eq4", "Section 2, (4) with J below (3)",
        "max (1) = (1/λ) aᵀG(I − J(λI + JGJ)⁻¹JG)a, blocks of J scaled by 1/√m₊ and 1/√m₋",
        "points with explicit features: (4) against (2)", eq4, printed="fails", erratum="ye2008-J",
        quote="in Equation (2) is thus given by",
        correction="both blocks of J need 1/√m; as printed, (4) is the maximum of Kim's ratio, "
        "with S⁺ + S⁻ + λI below",
        programs=("kim2006",)),
    Claim("ye2008-eq4-alpha", "Section 2, above (3)",
        "w* = φ(X)α*, α* = (1/λ)(I − J(λI + JGJ)⁻¹JG)a",
        "points with explicit features: φ(X)α* against the maximizer of (1)", eq4_alpha,
        printed="fails", erratum="ye2008-J", correction="with both blocks of J scaled by 1/√m",
        quote="is given by Kim et al. (2006) as", programs=("kim2006",)),
    Claim("ye2008-kim2006", "Section 2, below (4)",
        "the G = ΣθᵢGᵢ, θ ≥ 0, Σθᵢ = 1, that maximizes (4) solves a semidefinite program",
        "the program as written, held against its ends, and at other weights against (4)", kim,
        quote="given in Equation (4) can be obtained by solving a semidefinite program (SDP)",
        programs=("kim2006",)),
)
# fmt: on
