r"""Slips in tang2009, judged at the answer alone.

λΩ and the machines at the weights are above the optimum, `bounds` at α is below it; they agree iff
both are optimal. Where an answer has no α it is the machines' at its weights; where it has no
weights, each label's are those of the KKT conditions (Q(θᵗ)αᵗ)ⱼ + bₜyⱼᵗ = 1 at its free samples.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np

from cvxkernel.formulations import svm
from cvxkernel.formulations.arithmetic import DOUBLES
from cvxkernel.formulations.formulation import Formulation
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.tang2009 import Regularized, Separate, Shared, bounds
from cvxkernel.solvers import solve
from cvxkernel.validation.proofs.svm import machine
from cvxkernel.validation.slips.data import data
from cvxkernel.validation.slips.machine import machine_without_offset, weights, without_offset
from cvxkernel.validation.slips.numbers import FACTORS, costs, values
from cvxkernel.validation.slips.slip import Variant, fixed

HOPELESS = 0.1  # a violation that no slip explains: the machines need not be solved
MOST_LABELS = 4  # whose order is tried


@dataclass(frozen=True)
class Answer:
    """An answer to one of the programs, and every choice that a slip may change."""

    kernels: Array
    Y: Array
    C: float
    lam: float | None  # of (3) and Theorem 3.1
    most: float | None  # β of (11); with neither it is (2)
    alpha: Array | None
    theta: Array | None
    claims: Mapping[str, float]
    signed: bool = True  # αᵀ(G ∘ yyᵀ)α, not αᵀGα
    offset: bool = True  # αᵗᵀyᵗ = 0, thresholds bₜ

    @property
    def problem(self) -> Regularized | Shared | Separate:
        """The problem that is answered, perhaps a slipped one."""
        if self.lam is not None:
            return Regularized(self.kernels, self.Y, self.C, self.lam)
        if self.most is not None:
            return Shared(self.kernels, self.Y, self.C, self.most)
        return Separate(self.kernels, self.Y, self.C)

    def distance(self) -> float:
        """The gap at the answer, what it violates, and how far its values are off."""
        at, off = self.problem, 0.0
        alpha = self.alpha
        if alpha is not None:
            size = float(np.abs(alpha).max())
            if not size > 0:
                return np.inf
            off = max(0.0, -float(alpha.min())) / size
            off += max(0.0, float(alpha.max()) / self.C - 1)
            if self.offset:
                sums = np.abs((alpha * self.Y).sum(axis=1))
                off += float(sums.max()) / float(np.abs(alpha).sum())
                alpha = bounds.Bounds(DOUBLES, at).feasible(alpha).mid
            else:
                alpha = np.clip(alpha, 0.0, self.C)
        elif not self.offset and self.theta is None:
            return np.inf
        if isinstance(at, Separate):
            theta = np.eye(at.k)
        elif self.theta is not None:
            off += float(np.abs(self.theta.sum(axis=1) - 1).max())
            off += max(0.0, -float(self.theta.min())) / float(np.abs(self.theta).max())
            theta = bounds.simplex(DOUBLES, self.theta).mid
        elif alpha is not None:
            theta = self.from_conditions(alpha)
        else:
            found = solve(self.id, at, tol=1e-7).variables
            theta = bounds.weights(DOUBLES, at, found).mid
        if isinstance(at, Shared) and bounds.omega(theta) > at.beta:
            off += 2 * (bounds.omega(theta) - at.beta) / at.k
            theta = bounds.within(DOUBLES, DOUBLES.exact(theta), at.beta).mid
        if off > HOPELESS:
            return off
        Q = [self.matrix(K, y) for K, y in zip(at.combined(theta), at.Y, strict=True)]
        if alpha is not None and not self.offset:
            best = alpha
            upper = sum(without_offset(Q_t, self.C, a) for Q_t, a in zip(Q, alpha, strict=True))
        else:
            learn = machine if self.offset else machine_without_offset
            best = np.stack([learn(Q_t, y, self.C) for Q_t, y in zip(Q, at.Y, strict=True)])
            upper = self.at_machines(Q, best)
        upper += (self.lam or 0.0) * bounds.omega(theta)
        lower = self.lower(at, Q, best if alpha is None else alpha)
        gaps = [(upper - lower) / upper, *(abs(x - upper) / upper for x in self.claims.values())]
        return float(max(0.0, *gaps) + off)

    @property
    def id(self) -> str:
        """The program whose optimum is wanted where an answer has only a value."""
        return "tang2009-thm3.1" if self.lam is not None else "tang2009-eq11"

    def matrix(self, K: Array, y: Array) -> Array:
        """G ∘ yyᵀ"""
        return svm.signed(y, K) if self.signed else K

    def at_machines(self, Q: list[Array], alpha: Array) -> float:
        """Σₜ D(αᵗ, 𝒢ᵗ)"""
        forms = [a @ Q_t @ a for a, Q_t in zip(alpha, Q, strict=True)]
        return float(alpha.sum() - sum(forms) / 2)

    def lower(self, at: Regularized | Shared | Separate, Q: list[Array], alpha: Array) -> float:
        """The least over the weights at α."""
        if isinstance(at, Separate):
            return self.at_machines(Q, alpha)
        ends = bounds.Bounds(DOUBLES, at)
        A, B = ends.extremes(alpha if self.signed else at.Y * alpha)
        return float(alpha.sum() - ends.spread(A, B).mid / 2)

    def from_conditions(self, alpha: Array) -> Array:
        """The weights at which each αᵗ is nearest to its machine's KKT conditions."""
        rows = []
        for a, y in zip(alpha, self.Y, strict=True):
            images = np.stack([self.matrix(G, y) @ a for G in self.kernels], axis=1)
            offset = y * float(self.offset)
            rows.append(weights(images, offset, np.ones(len(y)), a, self.C, largest=False))
        made: Array = bounds.simplex(DOUBLES, np.array(rows)).mid
        return made


def measure(
    form: Formulation, problem: Any, point: Mapping[str, Array], value: float | None
) -> Answer:
    """The answer as it stands, to the problem as it stands."""
    theta = point.get("theta")
    if theta is None and "gamma" in point:
        theta = point["gamma"] + point.get("zeta", 0.0)
    elif theta is None and "zeta" in point:
        theta = np.tile(point["zeta"], (problem.k, 1))
    return Answer(
        kernels=problem.kernels,
        Y=problem.Y,
        C=problem.C,
        lam=getattr(problem, "lam", None),
        most=getattr(problem, "beta", None),
        alpha=point.get("alpha", point.get("machines")),
        theta=theta,
        claims={} if value is None else {"value": value},
    )


def variants(at: Answer) -> Iterator[Variant]:
    """The slips of these programs."""
    k, n = at.Y.shape
    if at.lam is not None:
        yield from prices(at.lam, n, k)
    if at.most is not None:
        yield from shares(at.most, k)
    yield from machines(at)


def machines(at: Answer) -> Iterator[Variant]:
    """Those that need no λ and no β: of C, of the data, of the numbers."""
    n = at.Y.shape[1]
    for kind, told, C in costs(at.C, n):
        yield fixed(kind, told, C=C)
    told = "αᵀGα in place of αᵀ(G ∘ yyᵀ)α: the labels left out"
    yield fixed("labels", told, signed=False)
    told = "αᵀ(G ∘ yyᵀ)α without its factor ½"
    yield fixed("½ of (1)", told, kernels=2 * at.kernels)
    if at.lam is not None:
        told = "s in place of ½s: the forms without their factor ½, λΩ doubled"
        yield fixed("½ of s", told, kernels=2 * at.kernels, lam=2 * at.lam)
    told = "machines without b: the constraints αᵗᵀyᵗ = 0 left out"
    yield fixed("no offset", told, offset=False)
    yield from (slip for slip in data(at.kernels, at.Y[0]) if slip.kind != "labels")
    yield from numbers(at)


def prices(lam: float, n: int, k: int) -> Iterator[Variant]:
    """λ for another λ: of the definition of Ω too."""
    told = "every label with kernels of its own: λΩ left out"
    yield fixed("Independent", told, lam=0.0)
    told = "one kernel for all labels, as if λ were large"
    yield fixed("Same", told, lam=None, most=0.0)
    told = "Ω without its factor ½, or 2λ in place of λ"
    yield fixed("½ of Ω", told, lam=2 * lam)
    told = "λ in place of kλ: Ω as a mean over the labels"
    yield fixed("k of kλ", told, lam=lam / k)
    for kind, told, other in (
        ("kλ", "kλ in place of λ", k * lam),
        ("nλ", "nλ in place of λ", n * lam),
        ("λ/n", "λ/n in place of λ", lam / n),
        ("½λ", "½λ in place of λ", lam / 2),
    ):
        yield fixed(kind, told, lam=other)
    if lam > 0:
        yield fixed("1/λ", "1/λ in place of λ", lam=1 / lam)
    if lam <= k / 2:
        yield fixed("λ for β", "λ taken for the bound β of (10)", lam=None, most=lam)


def shares(beta: float, k: int) -> Iterator[Variant]:
    """β for another β."""
    told = "every label with kernels of its own: Ω ≤ β left out"
    yield fixed("Independent", told, most=k / 2)
    yield fixed("Same", "one kernel for all labels: β = 0", most=0.0)
    for kind, told, other in (
        ("½ of Ω", "Ω without its factor ½, or β/2 in place of β", beta / 2),
        ("2β", "2β in place of β", 2 * beta),
        ("share", "β taken for the portion shared, Σᵢ ζᵢ ≥ β", k / 2 * (1 - beta)),
        ("own share", "β taken for the portion of its own, Σᵢ γᵢᵗ ≤ β", k / 2 * beta),
        ("Ω a mean", "Ω as a mean over the labels", k * beta),
    ):
        if 0 <= other <= k / 2:
            yield fixed(kind, told, most=other)
    yield fixed("β for λ", "β taken for the price λ of (3)", lam=beta, most=None)


def numbers(at: Answer) -> Iterator[Variant]:
    """The average kernel for the best, labels in another order, the right answer told wrongly."""
    k = len(at.Y)
    learned = at.lam is not None or at.most is not None
    if learned and (at.theta is None or np.ptp(at.theta) <= 1e-6 * np.abs(at.theta).max()):
        told = "the average of the kernels, no weights learned"
        mean = at.kernels.mean(axis=0)[None]
        yield fixed("average kernel", told, kernels=mean, theta=np.ones((k, 1)))
    yield from answers(at)
    if 1 < k <= MOST_LABELS:
        for order in list(permutations(range(k)))[1:]:
            rows = list(order)
            told = f"labels in another order: {', '.join(str(t + 1) for t in rows)}"
            moved = {s: x[rows] for s in ("alpha", "theta") if (x := getattr(at, s)) is not None}
            if moved:
                yield fixed("order of the labels", told, **moved)


def answers(at: Answer) -> Iterator[Variant]:
    """The right problem, its answer told in another scale or sign."""
    if at.theta is not None and (at.lam is not None or at.most is not None):
        sums = at.theta.sum(axis=1, keepdims=True)
        if (sums > 0).all():
            told = f"weights optimal up to a factor: Σᵢ θᵢ¹ = {float(sums[0, 0]):.4g}"
            yield fixed("weights rescaled", told, theta=at.theta / sums)
    if at.alpha is not None:
        for name, f in FACTORS.items():
            yield fixed("factor of α", f"α multiplied by {name}", alpha=at.alpha / f)
        yield fixed("sign of α", "αᵢyᵢ in place of αᵢ", alpha=at.alpha * at.Y)
    yield from values(at.claims, at.Y.shape[1], **{"1/k": 1 / len(at.Y)})
