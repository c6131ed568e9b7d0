"""From a nearly feasible point of any of the fifteen programs to an enclosure of its optimum.

The repair is explicit: weights are clipped at zero and divided by θᵀr; β needs none. Both ends are
then computed by `bounds`, so whatever the repair costs is inside the enclosure. A point may hold
`theta`, `beta`, or both, and for the restricted programs `t` and `Z`; what is missing is made from
the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from cvxkernel.formulations import inputs
from cvxkernel.formulations.enclosure import IDENTITY_SHARES, Bounded, Enclosure
from cvxkernel.formulations.formulation import Point
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.ye2008 import bounds
from cvxkernel.formulations.ye2008.bounds import Solved
from cvxkernel.formulations.ye2008.data import Scatter
from cvxkernel.formulations.ye2008.fixed import Discriminant

T = TypeVar("T")

NO_VALUE: Bounded = (np.inf, 0.0)  # where the matrix of a system may be singular


@dataclass(frozen=True)
class Certificate:
    """The weights and the value there, the dual point and the bound there.

    `at` is the linear system there, None where the identity has no weight; `forms` are those of β.
    """

    theta: Array
    upper: Bounded
    at: Solved | None
    beta: Array
    lower: Bounded
    forms: Array

    def enclosure(self, value: float, **variables: Array) -> Enclosure:
        """lower and upper, each moved outwards by its allowance."""
        (low, down), (high, up) = self.lower, self.upper
        return Enclosure(value, low - down, high + up, variables)


def traces(problem: Scatter) -> Array:
    """r, with r₀ = n in the joint programs."""
    r = np.array([trace.r for trace in bounds.traces(problem)])
    return r if isinstance(problem, Discriminant) else np.concatenate([[float(problem.n)], r])


def repair(problem: Scatter, theta: Array) -> Array:
    """θ clipped at zero and divided by θᵀr; the uniform θᵢ = 1/(p rᵢ) if nothing is left."""
    r = traces(problem)
    theta = np.maximum(theta, 0.0)
    total = float(theta @ r)
    return theta / total if total > 0 else 1.0 / (len(r) * r)


def weights(problem: Scatter, point: Point) -> Iterator[Array]:
    """Feasible weights to try: the point's own; in the joint programs also with more identity.

    At θ₀ = 0 the matrix of (41) to (47) may be singular; a share s of the identity costs about s
    of the value, relatively, and makes it definite.
    """
    r = traces(problem)
    given = inputs.weights("theta", point["theta"], r.shape) if "theta" in point else 1.0 / r
    theta = repair(problem, given)
    if isinstance(problem, Discriminant):
        yield theta
        return
    for share in IDENTITY_SHARES:
        mixed = (1 - share) * theta
        mixed[0] += share / r[0]
        yield mixed


def dual(
    problem: Scatter, point: Point, at: Solved | None, H: Array
) -> tuple[Bounded, tuple[Array, Array]]:
    """The better of two bounds: at β = 2M(θ)⁻¹H, the best for the weights, and at the point's own.

    With the bound its β and the forms there.
    """
    candidates = []
    if at is not None:
        beta: Array = 2 * at.X
        lower, forms = bounds.bound(problem, beta, H, at.seen.scaled(2.0))
        candidates.append((lower, (beta, forms)))
    if "beta" in point or at is None:
        beta = inputs.weights("beta", point.get("beta", np.zeros(H.shape)), H.shape)
        lower, forms = bounds.bound(problem, beta, H)
        candidates.append((lower, (beta, forms)))
    return max(candidates, key=lambda c: c[0][0] - c[0][1])


def certify(problem: Scatter, point: Point, *, binary: bool) -> Certificate:
    """The best value over the weights to try, and the better of the bounds.

    Whoever has M(θ)⁻¹H already gives it as `X`: then no factorization is needed.
    """
    H = bounds.class_vectors(problem, binary=binary)
    if "X" in point:
        theta, X = next(weights(problem, point)), inputs.weights("X", point["X"], H.shape)
        at = bounds.checked(problem, theta, H, X)
        if at is not None:
            lower, (beta, forms) = dual(problem, {}, at, H)
            return Certificate(theta, at.value, at, beta, lower, forms)
    tried = [(theta, bounds.solved(problem, theta, H)) for theta in weights(problem, point)]
    values = [(NO_VALUE if at is None else at.value, (theta, at)) for theta, at in tried]
    upper, (theta, at) = _least(values)
    lower, (beta, forms) = dual(problem, point, at, H)
    return Certificate(theta, upper, at, beta, lower, forms)


def certify_restricted(problem: Scatter, point: Point) -> tuple[Certificate, Array, Array]:
    """The same for (32) and (45), and the t and Z that go with the two ends."""
    H = bounds.class_vectors(problem, binary=False)
    best: list[tuple[Bounded, tuple[Array, Array, Solved | None]]] = []
    for theta in weights(problem, point):
        at = bounds.solved(problem, theta, H)
        if at is None:
            best.append((NO_VALUE, (theta, np.full(problem.k, np.inf), at)))
            continue
        least = np.sum(H * at.X, axis=0)  # tⱼ ≥ hⱼᵀM⁻¹hⱼ in any case, and k times that is enough
        given = inputs.weights("t", point["t"], (problem.k,)) if "t" in point else problem.k * least
        value, t = bounds.restricted_value(at, np.maximum(given, least))
        best.append((value, (theta, t, at)))
    upper, (theta, t, at) = _least(best)
    Z = inputs.weights("Z", point["Z"], (problem.k,) * 2) if "Z" in point else np.eye(problem.k)
    R = bounds.unit_diagonal_root(Z)
    lower, (beta, forms) = dual(problem, point, bounds.solved(problem, theta, H @ R), H @ R)
    return Certificate(theta, upper, at, beta, lower, forms), t, R @ R.T


# -- What each program calls its variables ---------------------------------------------------


def sdp(*, binary: bool, matrix: bool = False) -> Callable[[Scatter, Point], Enclosure]:
    """thm2.1, eq29, eq29-single, eq41, eq45-single: t or T = HᵀM⁻¹H at the weights."""

    def enclose(problem: Scatter, point: Point) -> Enclosure:
        c = certify(problem, point, binary=binary)
        S = np.full((c.beta.shape[1],) * 2, np.inf) if c.at is None else c.at.schur
        beta = c.beta[:, 0] if binary else c.beta
        symbol = {"T": S} if matrix else {"t": S[0, 0] if binary else S.diagonal()}
        return c.enclosure(c.upper[0], theta=c.theta, beta=beta, **symbol)

    return enclose


def restricted_sdp(problem: Scatter, point: Point) -> Enclosure:
    """thm3.1, eq45: t at the weights, and the unit-diagonal Z of the bound."""
    c, t, Z = certify_restricted(problem, point)
    return c.enclosure(c.upper[0], theta=c.theta, t=t, beta=c.beta, Z=Z)


def qcqp(*, binary: bool) -> Callable[[Scatter, Point], Enclosure]:
    """thm2.2, thm3.2, eq43, eq46: β at its best scale, and t = maxᵢ Σⱼ βⱼᵀG̃ᵢβⱼ/rᵢ there."""

    def enclose(problem: Scatter, point: Point) -> Enclosure:
        c = certify(problem, point, binary=binary)
        b = float(np.sum(c.beta * bounds.class_vectors(problem, binary=binary)))
        # At the best scale the bound is half of Σⱼ βⱼᵀhⱼ.
        scale = 2 * c.lower[0] / b if b > 0 else 0.0
        beta = scale * c.beta
        ends = c.forms if isinstance(problem, Discriminant) else [np.sum(c.beta**2), *c.forms]
        t = scale**2 * np.max(np.array(ends) / traces(problem))
        shown = beta[:, 0] if binary else beta
        return c.enclosure(c.lower[0], beta=shown, t=np.array(t), theta=c.theta)

    return enclose


def silp(*, binary: bool) -> Callable[[Scatter, Point], Enclosure]:
    """thm2.3, thm3.3, eq44, eq47: γ = -value(θ); the enclosure changes sign."""

    def enclose(problem: Scatter, point: Point) -> Enclosure:
        c = certify(problem, point, binary=binary)
        beta = c.beta[:, 0] if binary else c.beta
        gamma = np.array(-c.upper[0])
        return -c.enclosure(c.upper[0], theta=c.theta, gamma=gamma, beta=beta)

    return enclose


def _least(candidates: Iterable[tuple[Bounded, T]]) -> tuple[Bounded, T]:
    return min(candidates, key=lambda c: c[0][0] + c[0][1])
