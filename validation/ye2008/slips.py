r"""Slips in ye2008, judged at the answer alone.

With w = θ∘r on the unit simplex, M(w) = M₀ + ΣwᵢAᵢ and X = M⁻¹H, value(w) = ⟨H, X⟩ and
bound(2X) = 2⟨X, H⟩ - ⟨X, M₀X⟩ - maxᵢ⟨X, AᵢX⟩ differ by maxᵢ⟨X, AᵢX⟩ - Σwᵢ⟨X, AᵢX⟩, which is zero
iff w is optimal: no slipped problem has to be solved. Where an answer has only β, its weights are
those of M(w)β = 2H.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import nnls

from cvxkernel.formulations.formulation import Formulation
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kernels import centre
from cvxkernel.formulations.ye2008 import Discriminant
from cvxkernel.formulations.ye2008.bounds import unit_diagonal_root
from cvxkernel.validation.slips.data import data
from cvxkernel.validation.slips.numbers import (
    FACTORS,
    outside,
    permuted,
    powers,
    regularization,
    reordered,
    values,
)
from cvxkernel.validation.slips.slip import Variant, fixed
from cvxkernel.validation.ye2008.proofs import least_diagonal


@dataclass(frozen=True)
class Answer:
    """An answer to one of the programs, and every choice that a slip may change."""

    kernels: Array
    y: Array
    lam: float | None  # None where it is learned
    binary: bool
    theta: Array | None
    beta: Array | None
    claims: Mapping[str, float]  # values, in the sense of the minimization
    centred: bool = True
    traces: str = "centred"  # or "given", "one": what stands in θᵀr = 1
    first: int = 0  # r₀ = n - first
    restricted: bool = False
    targets: str = "sizes"  # which class vectors: a key of `classes`
    times: float = 1.0  # what they are multiplied by
    halves: tuple[float, float] = (1.0, 1.0)  # times ¼βᵀβ and the other ¼ of (13)
    ridge: float = 0.0
    gauge: bool = field(default=False)  # β belongs to HR, not to H

    def system(self) -> tuple[Array, Array, Array, Array]:
        """M₀, the Aᵢ, r and H."""
        n = len(self.y)
        G = centre(self.kernels) if self.centred else self.kernels
        r = {
            "centred": np.trace(centre(self.kernels), axis1=1, axis2=2),
            "given": np.trace(self.kernels, axis1=1, axis2=2),
            "one": np.ones(len(G)),
        }[self.traces]
        G = G + self.ridge * np.eye(n)
        if self.lam is None:
            G = np.concatenate([np.eye(n)[None], G])
            first = 1.0 if self.traces == "one" else float(n - self.first)
            r = np.concatenate([[first], r])
            return np.zeros((n, n)), self.halves[1] * G / r[:, None, None], r, self.H()
        A = self.halves[1] * G / (self.lam * r)[:, None, None]
        return self.halves[0] * np.eye(n), A, r, self.H()

    def H(self) -> Array:
        """a or H, from the labels."""
        return self.times * classes(self.y, self.binary)[self.targets]

    def distance(self) -> float:
        """The gap at the answer, what its weights violate, and how far its values are off."""
        if self.theta is None and self.beta is not None and (self.restricted or self.gauge):
            return np.inf  # β of (32) says nothing without its Z
        M0, A, r, H = self.system()
        off = 0.0
        if self.theta is not None:
            w = np.maximum(self.theta * r, 0.0)
            size = float(np.abs(self.theta * r).max())
            off = abs(float(self.theta @ r) - 1) + float(np.max(w - self.theta * r)) / size
        elif self.beta is not None:
            B = self.beta.reshape(H.shape)
            columns = np.stack([(A_i @ B).ravel() for A_i in A], axis=1)
            w = nnls(columns, (2 * H - M0 @ B).ravel())[0]
        else:
            w = self.solved(M0, A, H)
        w = w / w.sum()
        value, bound, X = self.ends(M0, A, H, w)
        if self.beta is not None and self.restricted and not self.gauge:
            # β = 2XR is told but for a rotation of R: ββᵀ is the same
            B, made = self.beta.reshape(H.shape), 4 * X @ X.T
            off += float(np.linalg.norm(B @ B.T - made) / np.linalg.norm(made)) ** 2
        if self.beta is not None and not self.gauge and not self.restricted:
            bound = self.bound(M0, A, H, self.beta.reshape(H.shape))
        gaps = [(value - bound) / value, *(abs(c - value) / value for c in self.claims.values())]
        return max(0.0, *gaps) + off

    def ends(self, M0: Array, A: Array, H: Array, w: Array) -> tuple[float, float, Array]:
        """The value at w, the bound at the β of w, and X."""
        M = M0 + np.tensordot(w, A, axes=1)
        if self.lam is None and self.centred and np.abs(H.sum(axis=0)).max() < 1e-12:
            M = M + np.trace(M) / len(M) ** 2  # H ⟂ e: no hᵀM⁻¹h sees it
        factor = cho_factor(M, lower=True)
        X = cho_solve(factor, H)
        if self.restricted:
            t, Z = least_diagonal(H.T @ X)
            R = unit_diagonal_root(Z)
            return float(t.sum()), self.bound(M0, A, H @ R, 2 * X @ R), X @ R
        return float(np.sum(H * X)), self.bound(M0, A, H, 2 * X), X

    def bound(self, M0: Array, A: Array, H: Array, beta: Array) -> float:
        """⟨β, H⟩ - ¼⟨β, M₀β⟩ - ¼maxᵢ⟨β, Aᵢβ⟩"""
        forms = np.einsum("nk,inm,mk->i", beta, A, beta, optimize=True)
        return float(np.sum(beta * H) - np.sum(beta * (M0 @ beta)) / 4 - forms.max() / 4)

    def solved(self, M0: Array, A: Array, H: Array) -> Array:
        """Weights near the optimum, for an answer that has none."""
        w = np.full(len(A), 1.0 / len(A))
        for _ in range(3000):
            value, bound, X = self.ends(M0, A, H, w)
            if value - bound <= 1e-9 * value or outside(self.claims, 1.0, (bound, value)):
                break
            forms = np.einsum("nk,inm,mk->i", X, A, X, optimize=True)
            w = w * np.sqrt(forms)  # a fixed point has equal forms wherever w > 0
            w = w / w.sum()
        return w


def classes(y: Array, binary: bool) -> dict[str, Array]:
    """The class vectors of the paper and those that people take: (n, k), or a (n, 1)."""
    ones = (y[:, None] == np.unique(y)).astype(float)
    n, sizes = len(ones), ones.sum(axis=0)
    centred = ones - ones.mean(axis=0)
    if binary:
        signs = ones[:, 1:] - ones[:, :1]
        return {
            "sizes": ones[:, 1:] / sizes[1] - ones[:, :1] / sizes[0],
            "plain": signs * 2 / n,
            "signs": signs,
            "centred signs": signs - signs.mean(),
            "indicators": ones[:, 1:],
        }
    return {
        "sizes": centred * np.sqrt(n / sizes),
        "plain": centred,
        "not centred": ones * np.sqrt(n / sizes),
        "signs": 2 * ones - 1,
        "centred signs": 2 * centred,
        "indicators": ones,
        "no roots": ones * n / sizes - np.ones(n)[:, None] * sizes / n,
        "no roots, centred": centred * n / sizes,
    }


def measure(
    form: Formulation, problem: Any, point: Mapping[str, Array], value: float | None
) -> Answer:
    """The answer as it stands, to the problem as it stands."""
    sign = -1.0 if form.kind == "SILP" else 1.0
    claims = {} if value is None else {"value": sign * value}
    if "gamma" in point:
        claims["gamma"] = -float(point["gamma"])
    if form.kind == "SDP" and "t" in point:
        claims["t"] = float(np.sum(point["t"]))
    if "T" in point:
        claims["T"] = float(np.trace(point["T"]))
    restricted = form.id in ("ye2008-thm3.1", "ye2008-eq45")
    return Answer(
        kernels=problem.kernels,
        y=problem.y,
        lam=problem.lam if isinstance(problem, Discriminant) else None,
        binary=form.binary,
        theta=point.get("theta"),
        beta=point.get("beta"),
        claims=claims,
        restricted=restricted,
        gauge=restricted,
    )


def variants(at: Answer) -> Iterator[Variant]:
    """The slips of these programs."""
    not_centred = "kernels not centred"
    yield fixed(not_centred, not_centred, centred=False, traces="given")
    told = f"{not_centred}, though their traces are those of the centred ones"
    yield fixed(not_centred, told, centred=False)
    told = "θᵀr = 1 with r the traces before centring"
    yield fixed("traces before centring", told, traces="given")
    told = "weights that sum to one instead of θᵀr = 1: the traces rᵢ left out"
    yield fixed("weights sum to one", told, traces="one")
    yield fixed("weights sum to one", f"{told}, kernels not centred", traces="one", centred=False)
    if at.lam is None:
        yield fixed("r₀ = m - 1", "the identity of (41)-(47) centred: r₀ = m - 1", first=1)
        yield fixed("r₀ = 1", "r₀ = 1 in place of m", first=len(at.y) - 1)
    else:
        yield from regularization(at.lam, len(at.y))
    if not at.binary:
        exact, other = ("(32)", "(29)") if at.lam is not None else ("(45)", "(46)")
        if at.restricted:
            exact, other = other, exact
        kind = "restricted SDP" if not at.restricted else "exact for restricted"
        told = f"{exact} solved in place of {other}"
        yield fixed(kind, told, restricted=not at.restricted)
    yield from data(at.kernels, at.y, beta=at.beta)
    told = "a ridge of {0} on the centred kernels, their traces unchanged"
    size = float(np.trace(centre(at.kernels), axis1=1, axis2=2).mean()) / len(at.y)
    yield Variant("ridge", told, lambda e: {"ridge": e}, (1e-9 * size, 10 * size))
    n, sizes = len(at.y), np.unique(at.y, return_counts=True)[1]
    if len(set(sizes.tolist())) > 1:
        yield fixed("labels", "class vectors without the sizes of the classes", targets="plain")
    if not at.binary:
        told = "√(n/nⱼ) and 0 in (24), not centred: the terms √(nⱼ/n) left out"
        yield fixed("labels", told, targets="not centred")
        told = "n/nⱼ and nⱼ/n in (24), without their square roots"
        yield fixed("labels", told, targets="no roots")
        yield fixed(
            "labels", "(n/nⱼ)eⱼ - 1 in (24), without the roots", targets="no roots, centred"
        )
        root = float(np.sqrt(n))
        yield fixed("labels", "1/√nⱼ and 0 in (24)", targets="not centred", times=1 / root)
    told = "indicators, 1 and 0, in place of the class vectors"
    yield fixed("labels", told, targets="indicators")
    for targets, told in (
        ("signs", "the labels ±1 as regression targets, in place of the class vectors"),
        ("centred signs", "the labels ±1, centred, as regression targets"),
    ):
        yield fixed("labels as targets", told, targets=targets)
    yield fixed("½ for ¼", "½ in place of both ¼ of the quadratic terms", halves=(2.0, 2.0))
    if at.lam is not None:
        yield fixed("½ for ¼", "½βᵀβ in place of ¼βᵀβ", halves=(2.0, 1.0))
    yield from uniform(at)
    yield from answers(at)
    scales = {"n": n, "n/2": n / 2, "√n": n**0.5, "1/√n": n**-0.5, "2": 2.0, "½": 0.5}
    if at.binary:
        product = float(np.prod(sizes)) / n
        scales |= {"n₊n₋/n": product, "√(n₊n₋/n)": product**0.5}
    for times, x in scales.items():
        told = f"class vectors multiplied by {times}"
        yield fixed("scale of the targets", told, times=float(x))


def uniform(at: Answer) -> Iterator[Variant]:
    """Weights that were not learned."""
    if at.theta is None or at.lam is None or len(at.theta) == 1 or not at.theta.min() > 0:
        return
    for of, shares in (("", at.theta), (" over their traces", at.theta * at.system()[2])):
        if np.ptp(shares) <= 1e-6 * shares.max():
            K = np.tensordot(at.theta, at.kernels, axes=1)[None]
            told = f"the average of the kernels{of}, no weights learned"
            yield fixed("average kernel", told, kernels=K, theta=np.ones(1), traces="one")


def answers(at: Answer) -> Iterator[Variant]:
    """The right problem, its answer told in another scale or sign."""
    if at.theta is not None:
        r = at.system()[2]
        total = float(at.theta @ r)
        if total > 0:
            told = f"weights optimal up to a factor: θᵀr = {total:.4g}"
            if abs(float(at.theta.sum()) - 1) < 1e-6:
                told = "optimal weights, divided by their sum"
            yield fixed("weights rescaled", told, theta=at.theta / total)
        if at.traces != "one":
            yield fixed("shares", "θᵢrᵢ, which sum to one, in place of θᵢ", theta=at.theta / r)
        yield from permuted("theta", at.theta)
        yield from powers("theta", at.theta, r, 1.0)
        if at.lam is None and at.theta[0] == 0:
            told = "θ₀, which is λ, left out: zero stands for it"
            whole = np.append((1 - total) / r[0], at.theta[1:])
            yield fixed("θ₀ left out", told, theta=whole)
    if at.beta is not None and not at.gauge:
        yield fixed("sign of β", "-β in place of β (the labels swapped)", beta=-at.beta)
        yield from reordered(at.y, beta=at.beta)
        for name, f in FACTORS.items():
            yield fixed("factor of β", f"β multiplied by {name}", beta=at.beta / f)
        if at.lam is not None:
            told = "raw dual coefficients β/(2λ) = (λI + G)⁻¹a in place of β"
            yield fixed("raw dual coefficients", told, beta=2 * at.lam * at.beta)
            yield fixed("raw dual coefficients", "β/λ in place of β", beta=at.lam * at.beta)
    yield from values(at.claims, len(at.y))
    total = float(np.sum(at.H() ** 2))
    if "value" in at.claims:
        told = "the maximum of the ratio (10), trace HᵀH less the value, told for the value"
        yield fixed("ratio (10)", told, claims={**at.claims, "value": total - at.claims["value"]})
