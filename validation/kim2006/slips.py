r"""Slips in kim2006, judged at the answer alone.

With v = a - Ju and u the best for the weights, value(θ) = uᵀu + vᵀG(θ)v/λ and
bound(u) = uᵀu + maxᵢ vᵀGᵢv/λ agree iff θ is optimal. Where an answer has only u, its weights are
those of λu = JG(θ)v.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import solve
from scipy.optimize import nnls

from cvxkernel.formulations.formulation import Formulation
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kernels import centre
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


@dataclass(frozen=True)
class Answer:
    """An answer, and every choice that a slip may change."""

    kernels: Array
    y: Array
    lam: float
    theta: Array | None
    u: Array | None
    claims: Mapping[str, float]
    blocks: str = "own"  # or "all": 1/√m in both blocks of J; "none": 1; "counts": 1/m₊ and 1/m₋
    budget: str = "one"  # or "given", "centred": θᵀr = 1 with these traces
    targets: str = "sizes"  # or "plain": a without the sizes of the classes
    times: float = 1.0  # what a is multiplied by

    def system(self) -> tuple[Array, Array, Array, Array]:
        """a, J, the kernels divided by r, and r."""
        positive = self.y == self.y.max()
        n, J = len(self.y), np.zeros((len(self.y),) * 2)
        for rows in (positive, ~positive):
            m = int(rows.sum())
            root = {"own": np.sqrt(m), "all": np.sqrt(n), "none": 1.0, "counts": m}[self.blocks]
            J[np.ix_(rows, rows)] = (np.eye(m) - 1 / m) / root
        a = positive / positive.sum() - ~positive / (~positive).sum()
        if self.targets != "sizes":
            a = np.where(positive, 1.0, -1.0) * 2 / n
        r = {
            "one": np.ones(len(self.kernels)),
            "given": np.trace(self.kernels, axis1=1, axis2=2),
            "centred": np.trace(centre(self.kernels), axis1=1, axis2=2),
        }[self.budget]
        return self.times * a, J, self.kernels / r[:, None, None], r

    def distance(self) -> float:
        """The gap at the answer, what its weights violate, and how far its values are off."""
        a, J, K, r = self.system()
        off = 0.0
        if self.theta is not None:
            w = np.maximum(self.theta * r, 0.0)
            size = float(np.abs(self.theta * r).max())
            off = abs(float(self.theta @ r) - 1) + float(np.max(w - self.theta * r)) / size
        elif self.u is not None:
            v = a - J @ self.u
            w = nnls(np.stack([J @ (K_i @ v) for K_i in K], axis=1), self.lam * self.u)[0]
        else:
            w = self.solved(a, J, K)
        w = w / w.sum()
        u, value = self.best(a, J, K, w)
        bound, _ = self.bound(a, J, K, u if self.u is None else self.u)
        gaps = [(bound - value) / value, *(abs(c - value) / value for c in self.claims.values())]
        return max(0.0, *gaps) + off

    def best(self, a: Array, J: Array, K: Array, w: Array) -> tuple[Array, float]:
        """u at the weights, and the value there."""
        G = np.tensordot(w, K, axes=1)
        u: Array = solve(self.lam * np.eye(len(a)) + J @ G @ J, J @ (G @ a), assume_a="pos")
        v = a - J @ u
        return u, float(u @ u + v @ G @ v / self.lam)

    def bound(self, a: Array, J: Array, K: Array, u: Array) -> tuple[float, Array]:
        """uᵀu + maxᵢ vᵀGᵢv/λ, and the forms."""
        v = a - J @ u
        forms = np.einsum("n,inm,m->i", v, K, v, optimize=True)
        return float(u @ u + forms.max() / self.lam), forms

    def solved(self, a: Array, J: Array, K: Array) -> Array:
        """Weights near the optimum, for an answer that has none: they grow with their forms."""
        w = np.full(len(K), 1.0 / len(K))
        for _ in range(3000):
            u, value = self.best(a, J, K, w)
            bound, forms = self.bound(a, J, K, u)
            if bound - value <= 1e-9 * value or outside(self.claims, 1.0, (value, bound)):
                break
            w = w * np.sqrt(np.maximum(forms, 0.0))
            w = w / w.sum()
        return w


def measure(
    form: Formulation, problem: Any, point: Mapping[str, Array], value: float | None
) -> Answer:
    """The answer as it stands, to the problem as it stands."""
    claims = {} if value is None else {"value": value}
    kernels, y, lam = problem.kernels, problem.y, problem.lam
    return Answer(kernels, y, lam, point.get("theta"), point.get("u"), claims)


def variants(at: Answer) -> Iterator[Variant]:
    """The slips of this program."""
    told = "1/√m in both blocks of J, which makes (4) the maximum of (1), for 1/√m₊ and 1/√m₋"
    yield fixed("blocks of J", told, blocks="all")
    told = "J without 1/√m₊ and 1/√m₋: the scatters as sums"
    yield fixed("blocks of J", told, blocks="none")
    yield fixed("blocks of J", "1/m₊ and 1/m₋ in J in place of their roots", blocks="counts")
    told = "θᵀr = 1 with the traces of the kernels, instead of weights that sum to one"
    yield fixed("θᵀr = 1", told, budget="given")
    yield fixed("θᵀr = 1", f"{told}, centred", budget="centred")
    yield fixed("labels", "a = ±2/m, without the sizes of the classes", targets="plain")
    n = len(at.y)
    told = "the labels ±1 in place of a"
    yield fixed("labels as targets", told, targets="plain", times=n / 2)
    yield from regularization(at.lam, len(at.y))
    yield from data(at.kernels, at.y, u=at.u)
    if at.theta is not None and len(at.theta) > 1 and np.ptp(at.theta) <= 1e-6 * at.theta.max():
        told = "the average of the kernels, no weights learned"
        K = np.tensordot(at.theta, at.kernels, axes=1)[None]
        yield fixed("average kernel", told, kernels=K, theta=np.ones(1))
    yield from answers(at)
    for times, x in {"n": float(n), "n/2": n / 2, "2": 2.0, "½": 0.5}.items():
        yield fixed("scale of the targets", f"a multiplied by {times}", times=x)


def answers(at: Answer) -> Iterator[Variant]:
    """The right problem, its answer told in another scale or sign."""
    if at.theta is not None:
        yield from permuted("theta", at.theta)
    if at.theta is not None and at.theta.sum() > 0:
        total = float(at.theta @ at.system()[3])
        told = f"weights optimal up to a factor: their sum is {at.theta.sum():.4g}"
        yield fixed("weights rescaled", told, theta=at.theta / total)
        yield from powers("theta", at.theta, at.system()[3], 1.0)
    if at.u is not None:
        yield from reordered(at.y, u=at.u)
        yield fixed("sign of u", "-u in place of u (the labels swapped)", u=-at.u)
        for name, f in FACTORS.items():
            yield fixed("factor of u", f"u multiplied by {name}", u=at.u / f)
    yield from values(at.claims, len(at.y), λ=at.lam)
