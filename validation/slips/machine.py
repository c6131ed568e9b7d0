r"""Slips in a support vector machine on a given or a combined kernel: gonen2008 and chen2009.

    maximize 1ᵀα - ½αᵀQα  subject to  0 ≤ α ≤ C, αᵀy = 0

Every part of an answer is held against the optimum of the slipped problem: α below it, a primal
point (v, b) above it, a value at it. A bound of the machine at α is as good as that optimum, being
equal iff α is optimal; without α the machine is solved.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from scipy.optimize import nnls

from cvxkernel.formulations import svm
from cvxkernel.formulations.arithmetic import DOUBLES
from cvxkernel.formulations.inputs import Array
from cvxkernel.validation.proofs.svm import machine
from cvxkernel.validation.slips.data import data
from cvxkernel.validation.slips.numbers import FACTORS, reordered, values
from cvxkernel.validation.slips.slip import Variant, fixed

ON_MARGIN, MET = 1e-5, 3  # a margin that is met, and how many of them say that α is optimal
NEAR = 0.01  # a gap above it is far from optimal


@dataclass(frozen=True)
class Answer:
    """An answer, and every choice that a slip may change.

    `c` has the primal point v = yc, in place of α; `scale` is what the paper's value is of the
    machine's.
    """

    kernels: Array
    y: Array
    C: float
    alpha: Array | None
    claims: Mapping[str, float]
    b: float | None = None
    c: Array | None = None
    scale: float = 1.0
    gates: Array | None = None  # (p, n); None where there is one kernel
    signed: bool = True  # αᵀYKYα, not αᵀKα
    form: float = 1.0  # times ½αᵀQα
    squared: float = 0.0  # times ½CΣξ², in place of CΣξ
    offset: bool = True  # αᵀy = 0, a threshold b
    box: Array | None = None  # a C for each sample
    each: bool = False  # read off that sample's own α

    def system(self) -> tuple[Array, float]:
        """Q and the top of the box."""
        gates = np.ones((1, len(self.y))) if self.gates is None else self.gates
        pairs = zip(gates, self.kernels, strict=True)
        K = sum((e[:, None] * (k + k.T) / 2 * e for e, k in pairs), np.zeros(self.kernels[0].shape))
        Q = self.form * (np.outer(self.y, self.y) * K if self.signed else K)
        return (Q, np.inf) if self.squared else (Q, self.C)

    def distance(self) -> float:
        """How far the parts of the answer are from the optimum at worst, and what they violate."""
        form, top = self.system()
        if self.box is not None and self.alpha is not None:
            return self.boxed(form, self.alpha, self.box)
        # max 1ᵀα - ½αᵀ(Q + I/C)α, with ½CΣξ² above
        Q = form + np.eye(len(form)) / (self.squared * self.C) if self.squared else form
        off, parts = 0.0, []
        alpha = self.alpha
        if alpha is None and self.c is not None and not self.offset:
            alpha = self.y * self.c
        if alpha is not None:
            if not alpha.max() > 0:
                return np.inf
            size = float(alpha.max())
            off += max(0.0, -float(alpha.min())) / size + max(0.0, size / top - 1)
            if not self.offset:
                return off + self.without_offset(Q, top, np.clip(alpha, 0.0, top))
            off += abs(float(alpha @ self.y)) / float(np.abs(alpha).sum())
            alpha = svm.repair(alpha, self.y, top)
            parts.append(self.value(Q, alpha))
        if not self.offset:
            return off + self.without_offset(Q, top, machine_without_offset(Q, self.y, top))
        if alpha is None:
            best = self.value(Q, machine(Q, self.y, top))
        else:
            best = above(Q, self.y, top, alpha)
        v = alpha if self.c is None else self.y * self.c
        if v is not None and (self.c is not None or self.b is not None):
            image = form @ v
            b = svm.offset(image, self.y) if self.b is None else self.b
            slacks = np.maximum(0.0, 1 - image - b * self.y)
            loss = self.C * float(slacks.sum())
            if self.squared:
                loss = self.squared * self.C / 2 * float(slacks @ slacks)
            if not self.squared or self.b is not None:
                parts.append(float(v @ image) / 2 + loss)
        parts += [claim / self.scale for claim in self.claims.values()]
        return off + max(abs(part - best) for part in parts) / best

    def boxed(self, Q: Array, alpha: Array, box: Array) -> float:
        """The gap at α where each sample has a box of its own, and how far the values are off."""
        if not alpha.max() > 0:
            return np.inf
        off = abs(float(alpha @ self.y)) / float(np.abs(alpha).sum())
        off += max(0.0, -float(alpha.min())) / float(alpha.max())
        off += max(0.0, float((alpha / box).max()) - 1)
        low, high = boxed_ends(Q, self.y, box, np.maximum(alpha, 0.0), each=self.each)
        claims = [abs(claim / self.scale - low) for claim in self.claims.values()]
        return off + max(high - low, 0.0, *claims) / high

    @staticmethod
    def value(Q: Array, alpha: Array) -> float:
        """1ᵀα - ½αᵀQα"""
        return float(alpha.sum() - alpha @ Q @ alpha / 2)

    def without_offset(self, Q: Array, top: float, alpha: Array) -> float:
        """The gap at α of the machine without b, and how far the values are off."""
        low, high = self.value(Q, alpha), without_offset(Q, top, alpha)
        gaps = [high - low, *(abs(claim / self.scale - low) for claim in self.claims.values())]
        return max(gaps) / high


def above(Q: Array, y: Array, top: float, alpha: Array) -> float:
    """A number above the optimum, as near as α is; a rough one will do where α is far."""
    if np.isfinite(top):
        low, rough = boxed_ends(Q, y, np.full(len(y), top), alpha)
        if rough - low > NEAR * rough:
            return rough
    return float(svm.upper(DOUBLES, svm.nearest(Q), y, top, alpha).mid)


def weights(
    images: Array, y: Array, right: Array, alpha: Array, top: float, *, largest: bool = True
) -> Array:
    """The shares w ≥ 0 of sum one at which α is nearest to the conditions of its machine.

    `images` (n, p) are Qᵢα and y is zero where there is no b: Σᵢ wᵢQᵢα + by is `right` at the free
    samples, at most that at the top, at least that at zero. The latter two are used where the free
    samples are too few, and then only forms that are the `largest` have weight.
    """
    p = images.shape[1]
    used, below = alpha > 1e-6 * alpha.max(), alpha < (1 - 1e-6) * top
    free = used & below
    columns = np.hstack([images, y[:, None], -y[:, None]])  # b in two parts
    rows = [columns[free]]
    ends = [right[free]]
    slacks = 0
    if free.sum() <= p:
        forms = images.T @ alpha
        sign = np.where(used, 1.0, -1.0)[~free]
        slacks = len(sign)
        short = (forms.max() - forms) / forms.max() if largest else 0 * forms
        rows = [
            np.hstack([rows[0], np.zeros((len(rows[0]), slacks))]),
            np.hstack([columns[~free], np.diag(sign)]),
            np.append(short, np.zeros(2 + slacks))[None],
        ]
        ends += [right[~free], np.zeros(1)]
    total = np.append(np.ones(p), np.zeros(2 + slacks))[None]
    found: Array = nnls(np.vstack([*rows, total]), np.concatenate([*ends, np.ones(1)]))[0][:p]
    return found


def without_offset(Q: Array, top: float, alpha: Array) -> float:
    """½αᵀQα + top·Σ max(0, 1 - (Qα)ᵢ); with no top α is scaled until every margin is met."""
    image = Q @ alpha
    form = float(alpha @ image) / 2
    if np.isfinite(top):
        return form + top * float(np.maximum(0.0, 1 - image).sum())
    return form / float(image.min()) ** 2 if image.min() > 0 else np.inf


def machine_without_offset(Q: Array, y: Array, top: float) -> Array:
    """α near the optimum of the machine without b: with every sample's mirror image b is zero."""
    both = machine(np.block([[Q, Q], [Q, Q]]), np.append(y, -y), top / 2)
    alpha: Array = both[: len(y)] + both[len(y) :]
    return alpha


def boxed_ends(
    Q: Array, y: Array, box: Array, alpha: Array, *, offset: bool = True, each: bool = False
) -> tuple[float, float]:
    """1ᵀα - ½αᵀQα, and the primal at α and the best b with a C for each sample.

    Where each box was read off its own αᵢ, any α so small that all margins are violated would be
    optimal: some have to be met, of both classes.
    """
    image = Q @ alpha
    form = float(alpha @ image) / 2
    kinks = y * (1 - image) if offset else np.zeros(1)
    losses = np.maximum(0.0, 1 - image - kinks[:, None] * y) @ box
    if each:
        short = 1 - image - float(kinks[int(np.argmin(losses))]) * y
        met = (np.abs(short) <= ON_MARGIN) & (alpha > 0)
        if met.sum() < MET or len(set(y[met])) < 2:
            return float(alpha.sum()) - form, np.inf
    return float(alpha.sum()) - form, form + float(losses.min())


def boxes(alpha: Array | None, y: Array, C: float) -> Iterator[Variant]:
    """The box read off α: its top is the largest αᵢ, of all or of a class; or each sample's own."""
    if alpha is None or not all((alpha[y == side] > 0).any() for side in (1, -1)):
        return
    tops = {side: float(alpha[y == side].max()) for side in (1, -1)}
    top, least = max(tops.values()), min(tops.values())
    if abs(top / C - 1) > 1e-6:
        count = int((alpha > (1 - 1e-6) * top).sum())
        at = "" if count > 1 else " or more"
        told = f"C = {top:.6g}{at}, the largest αᵢ, in place of {C:.6g}"
        yield Variant("another C", told, lambda _: {"box": np.full(len(y), top)}, read=1)
    if top - least > 1e-6 * top:
        n, sizes = len(y), {side: int((y == side).sum()) for side in (1, -1)}
        told = (
            f"a C for each class, the largest αᵢ there: {tops[1]:.6g} for +1, {tops[-1]:.6g} for -1"
        )
        if all(abs(tops[s] * 2 * sizes[s] / (n * C) - 1) < 1e-5 for s in (1, -1)):
            told += " (balanced: nC/(2n₊) and nC/(2n₋))"
        each = np.where(y > 0, tops[1], tops[-1])
        yield Variant("C of each class", told, lambda _: {"box": each}, read=2)
    used = alpha > 1e-9 * top
    if (used & (alpha < (1 - 1e-6) * C)).sum() > 2 or top > C:
        told = "a C for each sample (sample weights): αᵢ where the margin is violated"
        own = np.where(used, alpha, top)
        yield Variant(
            "C of each sample", told, lambda x: {"box": x * own, "each": True}, (1.0, 1.0), read=3
        )


def variants(at: Answer) -> Iterator[Variant]:
    """The slips of every machine; those of C are the paper's."""
    told = "αᵀQα where ½αᵀQα was meant"
    yield fixed("½ of the form", told, form=2.0 * at.form)
    yield fixed("labels", "αᵀKα in place of αᵀYKYα: the labels left out", signed=False)
    yield fixed("other norm", "the squares of the slacks, ½CΣξ²", squared=1.0)
    yield fixed("other norm", "the squares of the slacks, CΣξ²", squared=2.0)
    yield fixed("no offset", "a machine without b: the constraint αᵀy = 0 left out", offset=False)
    if at.gates is None:
        told = "b as one more weight, which is penalized: K + 1, and αᵀy = 0 left out"
        rows = "the rows of K as features of a linear machine: K² in place of K"
        yield fixed("K²", rows, kernels=at.kernels @ at.kernels)
        yield fixed("b penalized", told, kernels=at.kernels + 1.0, offset=False)
    yield from boxes(at.alpha, at.y, at.C)
    own = {} if at.gates is not None else {"alpha": at.alpha, "c": at.c}
    yield from data(at.kernels, at.y, **own)
    yield from answers(at)
    yield fixed("½ of the form", "¼αᵀQα where ½αᵀQα was meant", form=at.form / 2)


def answers(at: Answer) -> Iterator[Variant]:
    """The right machine, told in another scale or sign."""
    if at.alpha is not None:
        for name, f in FACTORS.items():
            yield fixed("factor of α", f"α multiplied by {name}", alpha=at.alpha / f)
        yield fixed("factor of α", "α/C in place of α", alpha=at.alpha * at.C)
        yield fixed("sign of α", "αᵢyᵢ in place of αᵢ", alpha=at.alpha * at.y)
        yield from reordered(at.y, alpha=at.alpha, c=at.c)
    if at.b is not None:
        yield fixed("sign of b", "b with the other sign", b=-at.b)
    yield from values(at.claims, len(at.y))
