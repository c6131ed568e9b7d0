r"""An answer to (12) in the eigenbasis of the problem.

z, a and u are coordinates in an eigenbasis: those of another are the same up to signs and order
where eigenvalues are simple. What does not depend on it is Uz and K = U diag(λ∘a)Uᵀ. An answer that
holds its U is judged in it. Of one that does not, the signs of z are taken as they come, as they
belong to α, or to the machine with the kernel K of a, or as one of LAPACK's drivers or a usual
convention has them: whichever leaves the margins least short, and then with any one sign turned
that helps.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np
from scipy.linalg import eigh

from cvxkernel.formulations import eigenbasis, svm
from cvxkernel.formulations.chen2009 import spectrum
from cvxkernel.formulations.chen2009.programs import SpectrumMachine
from cvxkernel.formulations.inputs import Array

Point = Mapping[str, Array]
DRIVERS = ("ev", "evd", "evr", "evx")


def framed(problem: SpectrumMachine, point: Point) -> tuple[SpectrumMachine, Point, str | None]:
    """The problem and the point in one basis, and what was assumed for it."""
    if "U" not in point:
        return (problem, *_signed(problem, point)) if "z" in point else (problem, point, None)
    if problem.U is None:
        return replace(problem, U=point["U"]), point, None
    order, signs = eigenbasis.matched(problem.U, eigenbasis.checked(point["U"], problem.S))
    moved = {symbol: point[symbol][order] for symbol in ("z", "a", "u") if symbol in point}
    if "z" in moved:
        moved["z"] = signs * moved["z"]
    return problem, {**point, **moved, "U": problem.U}, None


def _signed(problem: SpectrumMachine, point: Point) -> tuple[Point, str | None]:
    """The z with the signs that fit best."""
    z = point["z"]
    signs = min(_guesses(problem, point), key=lambda s: _short(problem, point, s * z))
    least = _short(problem, point, signs * z)
    for i in np.flatnonzero(z):
        signs[i] *= -1
        short = _short(problem, point, signs * z)
        if short < least:
            least = short
        else:
            signs[i] *= -1
    turned = int((signs * z != z).sum())
    if not turned:
        return point, None
    assumed = f"z without its U: the signs of {turned} of {problem.n} of its entries were turned"
    return {**point, "z": signs * z}, assumed


def _guesses(problem: SpectrumMachine, point: Point) -> Iterator[Array]:
    U, n = problem.basis.U, problem.n
    yield np.ones(n)
    if "alpha" in point:  # z = λ∘a∘Uᵀ(y∘α)
        yield _nonzero(U.T @ (problem.y * point["alpha"]) * point["z"])
    if "a" in point:
        yield _nonzero(U.T @ _machine(problem, point["a"]) * point["z"])
    S = (problem.S + problem.S.T) / 2
    for V in [np.linalg.eigh(S)[1], *(eigh(S, driver=driver)[1] for driver in DRIVERS)]:
        yield _nonzero((U * V).sum(axis=0))
    yield _nonzero(U[np.abs(U).argmax(axis=0), np.arange(n)])
    yield _nonzero(U[0])


def _machine(problem: SpectrumMachine, a: Array) -> Array:
    """y∘α of the machine with the kernel of a, about."""
    from sklearn.svm import SVC

    K = spectrum.compose(np.maximum(problem.Lam * a, 0.0), problem.basis.U)
    c = np.zeros(problem.n)
    try:
        found = SVC(C=problem.C, kernel="precomputed", tol=1e-6).fit(K, problem.y)
    except ValueError:  # numbers that libsvm cannot read
        return c
    c[found.support_] = found.dual_coef_[0]
    return c


def _nonzero(x: Array) -> Array:
    return np.where(x < 0, -1.0, 1.0)


def _short(problem: SpectrumMachine, point: Point, z: Array) -> float:
    """What the margins lack, beyond the ξ given; at the best b where there is none."""
    image, y = problem.basis.U @ z, problem.y
    b = float(np.ravel(point["b"])[0]) if "b" in point else svm.offset(y * image, y)
    return float(np.maximum(0.0, 1 - point.get("xi", 0.0) - y * (image + b)).sum())
