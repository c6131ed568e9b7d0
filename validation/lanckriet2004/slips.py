r"""Slips in lanckriet2004, judged at the answer alone.

The machine at the weights, max 2αᵀ1 - αᵀQ(μ)α, is above the optimum, the objective at α below it;
they agree iff both are optimal. A bound of the machine at (μ, α) is as good as its optimum. Where
an answer has no α it is the machine's at its weights; where it has no μ, the weights are those of
the KKT conditions (Q(μ)α)ⱼ + byⱼ = 1 at the free samples.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from cvxkernel.formulations import svm
from cvxkernel.formulations.formulation import Formulation
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kernels import centre
from cvxkernel.formulations.lanckriet2004 import SoftMargin
from cvxkernel.validation.proofs.svm import machine
from cvxkernel.validation.slips.data import data
from cvxkernel.validation.slips.machine import (
    above,
    boxed_ends,
    boxes,
    machine_without_offset,
    weights,
    without_offset,
)
from cvxkernel.validation.slips.numbers import (
    FACTORS,
    costs,
    outside,
    permuted,
    powers,
    reordered,
    values,
)
from cvxkernel.validation.slips.slip import Variant, fixed


@dataclass(frozen=True)
class Answer:
    """An answer to one of the programs, and every choice that a slip may change."""

    kernels: Array
    y: Array
    C: float | None  # None where it is learned
    squared: bool
    alpha: Array | None
    mu: Array | None
    claims: Mapping[str, float]
    traces: str = "given"  # or "centred", "one": the rᵢ
    budget: str | float = "sum"  # or "given", "one", "n", a number: c
    symbols: tuple[str, str] = ("μᵀr", "c")  # of the sum of the weights, and of the budget
    norm: float = 1.0  # of the shares: 2 where Σd² = 1
    signed: bool = True  # αᵀG(K)α, not αᵀKα
    offset: bool = True  # αᵀy = 0, a threshold b
    box: Array | None = None  # a C for each sample
    each: bool = False  # read off that sample's own α
    scale: float = 1.0  # what the paper's value is of 2αᵀ1 - αᵀQ(μ)α
    both: bool = False  # αᵀα/C and the box α ≤ C

    def system(self) -> tuple[Array, Array, float, Array, Any]:
        """The Gᵢ, r, c, the ridge and the top of the box."""
        n = len(self.y)
        G = np.stack([svm.signed(self.y, K) if self.signed else K for K in self.kernels])
        r = np.trace(centre(G) if self.traces == "centred" else G, axis1=1, axis2=2)
        if self.traces == "centred":
            r = np.trace(centre(self.kernels), axis1=1, axis2=2)
        if self.C is None:
            G, r = np.concatenate([np.eye(n)[None], G]), np.append(float(n), r)
        if self.traces == "one":
            r = np.ones(len(G))
        given = np.trace(self.kernels, axis1=1, axis2=2).sum() + (n if self.C is None else 0)
        budgets = {"sum": float(r.sum()), "one": 1.0, "n": float(n), "given": float(given)}
        c = budgets[self.budget] if isinstance(self.budget, str) else self.budget
        ridge = 1 / self.C if self.C is not None and (self.squared or self.both) else 0.0
        top: Any = np.inf if self.C is None or (self.squared and not self.both) else self.C
        if self.box is not None:
            top = self.box
        return G, r, c, ridge * np.eye(n), top

    def distance(self) -> float:
        """The gap at the answer, what it violates, and how far its values are off."""
        G, r, c, ridge, top = self.system()
        off: float = 0.0
        alpha = self.alpha
        if alpha is not None:
            if not alpha.max() > 0:
                return np.inf
            off = max(0.0, -float(alpha.min())) / float(alpha.max())
            off += max(0.0, float(np.max(alpha / top)) - 1)
            if self.offset:
                off += abs(float(alpha @ self.y)) / float(np.abs(alpha).sum())
            plain = self.offset and not np.ndim(top)
            alpha = svm.repair(alpha, self.y, top) if plain else np.clip(alpha, 0.0, top)
        elif np.ndim(top) or (self.mu is None and self.norm != 1):
            return np.inf
        if self.mu is not None:
            w = np.maximum(self.mu * r, 0.0) / c
            off += abs(float(np.linalg.norm(self.mu * r / c, self.norm)) - 1)
            off += float(np.max(w - self.mu * r / c)) / float(np.abs(self.mu * r / c).max())
        elif alpha is not None:
            w = self.weights(G, r, c, ridge, top, alpha)
        else:
            w = self.solved(G, r, c, ridge, top)
        Q = np.tensordot(w / np.linalg.norm(w, self.norm) * c / r, G, axes=1) + ridge
        if alpha is None:
            alpha = self.machine(Q, top)
            upper = float(2 * alpha.sum() - alpha @ Q @ alpha)
        elif np.ndim(top):
            upper = 2 * boxed_ends(Q, self.y, top, alpha, offset=self.offset, each=self.each)[1]
        elif not self.offset:
            upper = 2 * without_offset(Q, top, alpha)
        else:
            upper = 2 * above(Q, self.y, top, alpha)
        if not np.isfinite(upper):
            return np.inf
        lower = self.objective(G, r, c, ridge, alpha)
        claims = [x / self.scale for x in self.claims.values()]
        gaps = [(upper - lower) / upper, *(abs(x - upper) / upper for x in claims)]
        return float(max(0.0, *gaps) + off)

    def machine(self, Q: Array, top: float) -> Array:
        """α near the optimum at Q, with b or without it."""
        return (machine if self.offset else machine_without_offset)(Q, self.y, top)

    def objective(self, G: Array, r: Array, c: float, ridge: Array, alpha: Array) -> float:
        """2αᵀ1 - ridge·αᵀα - c·maxᵢ αᵀGᵢα/rᵢ"""
        forms = np.einsum("n,inm,m->i", alpha, G, alpha, optimize=True) / r
        dual = np.inf if self.norm == 1 else self.norm / (self.norm - 1)
        most = float(np.linalg.norm(forms, dual))
        return float(2 * alpha.sum() - alpha @ ridge @ alpha - c * most)

    def weights(
        self, G: Array, r: Array, c: float, ridge: Array, top: float, alpha: Array
    ) -> Array:
        """The shares of the budget at which α is nearest to the machine's KKT conditions."""
        images = np.stack([G_i @ alpha for G_i in G], axis=1) * c / r
        y = self.y * float(self.offset)
        return weights(images, y, 1 - ridge @ alpha, alpha, top)

    def solved(self, G: Array, r: Array, c: float, ridge: Array, top: float) -> Array:
        """Shares near the optimum, for an answer that has none: they grow with their forms."""
        w = np.full(len(G), 1.0 / len(G))
        for _ in range(200):
            Q = np.tensordot(w * c / r, G, axes=1) + ridge
            alpha = self.machine(Q, top)
            forms = np.einsum("n,inm,m->i", alpha, G, alpha, optimize=True) / r
            if forms.max() - w @ forms <= 1e-7 * forms.max():
                break
            ends = self.objective(G, r, c, ridge, alpha), float(2 * alpha.sum() - alpha @ Q @ alpha)
            if outside(self.claims, self.scale, ends):
                break
            w = w * np.sqrt(np.maximum(forms, 0.0))
            w = w / w.sum()
        return w


def measure(
    form: Formulation, problem: Any, point: Mapping[str, Array], value: float | None
) -> Answer:
    """The answer as it stands, to the problem as it stands."""
    return Answer(
        kernels=problem.kernels,
        y=problem.y,
        C=problem.C if isinstance(problem, SoftMargin) else None,
        squared=form.id != "lanckriet2004-sm1",
        alpha=point.get("alpha"),
        mu=point.get("mu"),
        claims={} if value is None else {"value": value},
    )


def variants(at: Answer) -> Iterator[Variant]:
    """The slips of these programs."""
    kind = "trace normalization"
    told = "the traces rᵢ left out: weights that sum to c"
    yield fixed(kind, told, traces="one", budget="given")
    told = "weights that sum to one instead of μᵀr = c"
    yield fixed("weights sum to one", told, traces="one", budget="one")
    told = "weights that sum to their number instead of μᵀr = c"
    yield fixed("weights sum to p", told, traces="one", budget="sum")
    yield fixed("c = 1", "μᵀr = 1 instead of μᵀr = c", budget="one")
    yield fixed("c = n", "μᵀr = n instead of μᵀr = c", budget="n")
    yield from of_budget(at)
    told = "the traces rᵢ of the centred kernels"
    yield fixed("kernels centred", told, traces="centred")
    if at.C is not None:
        for kind, told, C in costs(at.C, len(at.y)):
            yield fixed(kind, told, C=C)
        mine, other_ = ("2-norm", "1-norm") if at.squared else ("1-norm", "2-norm")
        told = f"the {other_} soft margin solved in place of the {mine}"
        yield fixed("other norm", told, squared=not at.squared)
        yield fixed("both norms", "αᵀα/C and the box α ≤ C at once", both=True)
        if at.budget == "sum":
            told = "αᵀ1 in place of 2αᵀ1 in the objective"
            C = at.C / 2 if at.squared else at.C
            yield fixed("2 of 2αᵀ1", told, kernels=2 * at.kernels, C=C, scale=at.scale / 2)
    told = "αᵀKα in place of αᵀG(K)α: the labels left out"
    yield fixed("labels", told, signed=False)
    if at.C is not None and not at.squared:
        yield from boxes(at.alpha, at.y, at.C)
    told = "a machine without b: the constraint αᵀy = 0 left out"
    yield fixed("no offset", told, offset=False)
    yield from uniform(at)
    yield from data(at.kernels, at.y, alpha=at.alpha)
    yield from answers(at)


def of_budget(at: Answer) -> Iterator[Variant]:
    """The budget read off the weights, where there is more that tells of it: α or a value."""
    if at.mu is None or (at.alpha is None and not at.claims):
        return
    _, r, c, _, _ = at.system()
    total, named = float(at.mu @ r), (c, 1.0, float(len(at.y)))
    if total > 0 and all(abs(total / x - 1) > 1e-6 for x in named):
        whole, budget = at.symbols
        told = f"{budget} = {total:.6g}, which is {whole} of the weights told, in place of {c:.6g}"
        yield Variant("another budget", told, lambda _: {"budget": total}, read=1)


def uniform(at: Answer) -> Iterator[Variant]:
    """Weights that were not learned."""
    if at.mu is None or at.C is None or len(at.mu) == 1 or not at.mu.min() > 0:
        return
    _, r, _, _, _ = at.system()
    for kind, told, shares in (
        ("average kernel", "the average of the kernels, no weights learned", at.mu),
        ("average kernel", "the average of the kernels over their traces, none learned", at.mu * r),
    ):
        if np.ptp(shares) <= 1e-6 * shares.max():
            K = np.tensordot(at.mu, at.kernels, axes=1)[None]
            one = {"traces": "one", "budget": "one", "mu": np.ones(1)}
            yield fixed(kind, told, kernels=K, **one)


def answers(at: Answer) -> Iterator[Variant]:
    """The right problem, its answer told in another scale or sign."""
    if at.mu is not None:
        yield from permuted("mu", at.mu)
        _, r, c, _, _ = at.system()
        total = float(at.mu @ r)
        if total > 0:
            whole, budget = at.symbols
            other = at.budget in ("one", "n", "given")  # c itself was slipped
            size = f"{total:.4g}" if other else f"{total / c:.4g}{budget}"
            told = f"weights optimal up to a factor: {whole} = {size}"
            yield fixed("weights rescaled", told, mu=at.mu * c / total)
        if at.traces != "one":
            told = "the shares μᵢrᵢ/c of the trace in place of μᵢ"
            yield fixed("shares", told, mu=at.mu * c / r)
        yield from powers("mu", at.mu, r, c)
    if at.alpha is not None:
        for name, f in FACTORS.items():
            yield fixed("factor of α", f"α multiplied by {name}", alpha=at.alpha / f)
        told = "αᵢyᵢ in place of αᵢ"
        yield fixed("sign of α", told, alpha=at.alpha * at.y)
        yield from reordered(at.y, alpha=at.alpha)
    yield from values(at.claims, len(at.y))
