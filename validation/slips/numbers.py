"""Slips of a parameter and of the answer's own numbers: their factors, signs and order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import combinations, permutations
from typing import Any

import numpy as np

from cvxkernel.formulations.catalogue import formulation
from cvxkernel.formulations.errors import SolverError
from cvxkernel.formulations.inputs import Array
from cvxkernel.solvers import Solution
from cvxkernel.solvers.route import route, solve
from cvxkernel.validation.slips.slip import Variant, fixed

FACTORS = {"2": 2.0, "½": 0.5, "4": 4.0, "¼": 0.25}
MOST_ORDERED, MOST_EXCHANGED = 4, 20  # kernels whose weights are tried in other orders
NONE, SMALL = 1e-4, 0.05  # a share that is zero to a solver, and one that is small
MOST_SOLVED = 24  # samples of a problem that is solved for every pair of slips
NEARLY = 1e-6  # the width at which a slipped problem is solved


def solved(id: str, problem: Any) -> Solution:
    """What an answer lacks, of the problem it is held against: one solver is asked, or two."""
    own = route(formulation(id), problem)[0]
    for solver, tol in ((own, NEARLY / 10), (own, NEARLY)):
        with suppress(SolverError):
            return solve(id, problem, solver=solver, tol=tol)
    return solve(id, problem, solver="CLARABEL", tol=10 * NEARLY)


def regularization(lam: float, n: int) -> Iterator[Variant]:
    """λ for another λ."""
    for kind, told, other in (
        ("nλ", "nλ in place of λ", n * lam),
        ("λ/n", "λ/n in place of λ", lam / n),
        *((f"{name}λ", f"{name}λ in place of λ", f * lam) for name, f in FACTORS.items()),
        ("1/λ", "1/λ in place of λ", 1 / lam),
        ("λ left out", "λ left out: λ = 1", 1.0),
    ):
        yield fixed(kind, told, lam=other)


def costs(C: float, n: int) -> Iterator[tuple[str, str, float]]:
    """C for another C: the kind of slip, a sentence, and the other C."""
    yield "C/n", "C/n in place of C", C / n
    yield "nC", "nC in place of C", n * C
    yield "1/C", "1/C in place of C", 1 / C
    yield "1/(2C)", "1/(2C) in place of C", 1 / (2 * C)
    yield "1/(nC)", "1/(nC) in place of C", 1 / (n * C)
    yield "C left out", "C left out: C = 1, as programs have it by default", 1.0
    for name, f in FACTORS.items():
        yield f"{name}C", f"{name}C in place of C", f * C


def permuted(symbol: str, weights: Array) -> Iterator[Variant]:
    """Weights in another order than the kernels: any, of a few; else reversed or two exchanged."""
    p = len(weights)
    if p <= MOST_ORDERED:
        orders = list(permutations(range(p)))[1:]
    else:
        orders = [tuple(range(p))[::-1]]
        for i, j in combinations(range(p), 2) if p <= MOST_EXCHANGED else ():
            exchanged = list(range(p))
            exchanged[i], exchanged[j] = j, i
            orders.append(tuple(exchanged))
    for order in orders:
        told = "weights in another order than the kernels: "
        told += (
            "reversed" if order == tuple(range(p))[::-1] else ", ".join(str(i + 1) for i in order)
        )
        yield fixed("order of the weights", told, **{symbol: weights[list(order)]})


def powers(symbol: str, weights: Array, r: Any, total: float) -> Iterator[Variant]:
    """Roots of the weights, or their squares, perhaps taken to the budget again.

    The latter not where a share is small: that of a method that has stopped would be smaller still.
    """
    shares = np.maximum(weights * r, 0.0) / max(float(np.max(weights * r)), 1e-300)
    small = bool(np.sum(shares > NONE) < 2 or ((shares > NONE) & (shares < SMALL)).any())
    shares = np.maximum(weights, 0.0)
    for kind, told, x in (
        ("roots of the weights", "√: the weights of the features, not of the kernels", shares**2),
        ("squares of the weights", "the squares of the weights in their place", np.sqrt(shares)),
    ):
        size = float(np.sum(x * r))
        if size > 0 and (not small or abs(size / total - 1) < 1e-6):
            yield fixed(kind, told, **{symbol: x * total / size})


def reordered(y: Array, **vectors: Array | None) -> Iterator[Variant]:
    """Vectors (n, …) of an answer, and matrices (…, n, n), with the samples in another order."""
    n = len(y)
    told = {s: x for s, x in vectors.items() if x is not None}
    for order, how in (
        (np.argsort(-y, kind="stable"), "sorted by their labels, decreasing"),
        (np.argsort(y, kind="stable"), "sorted by their labels, increasing"),
        (np.arange(n)[::-1], "reversed"),
    ):
        if told and not np.array_equal(order, np.arange(n)):
            back = np.argsort(order)
            made = {s: x[..., back, :][..., back] if x.shape[-2:] == (n, n) else x[back]
                    for s, x in told.items()}  # fmt: skip
            yield fixed("order of the samples", f"samples in another order: {how}", **made)


def outside(claims: Mapping[str, float], scale: float, ends: tuple[float, float]) -> bool:
    """Whether a value is so far from an interval of the optimum that no slip leaves so much."""
    lower, upper = ends
    room = 2e-3 * max(abs(lower), abs(upper))
    return any(not lower - room <= x / scale <= upper + room for x in claims.values())


def values(claims: Mapping[str, float], n: int, **more: float) -> Iterator[Variant]:
    """Values with another factor or sign, all of them or one."""
    factors = {**FACTORS, "n": float(n), "1/n": 1 / n, **more}
    for names in {tuple(claims), *((name,) for name in claims)} if claims else set():
        of = " and ".join(names)

        def changed(f: Any, names: tuple[str, ...] = names) -> dict[str, float]:
            return {k: f(v) if k in names else v for k, v in claims.items()}

        yield fixed("sign of the value", f"{of} with the other sign", claims=changed(lambda v: -v))
        for name, f in factors.items():
            made = changed(lambda v, f=f: v / f)
            yield fixed("factor of the value", f"{of} multiplied by {name}", claims=made)
