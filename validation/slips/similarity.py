r"""Slips in the programs of chen2009 that learn a kernel from similarities: (2), (7) and (12).

minimize  loss·1ᵀξ + ridge·cᵀKc + weight·(‖K - S‖², ‖K - S‖ or h(a))

All of them are (2) or (7) or (12) in other units, whatever the three numbers are. Every part of an
answer is held against the dual at its α: the K that belongs to α, the answer's own K and z, its
value. What an answer lacks is that of the slipped problem, which is solved.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cvxkernel.formulations import svm
from cvxkernel.formulations.arithmetic import DOUBLES
from cvxkernel.formulations.chen2009 import (
    REGULARIZERS,
    KernelMachine,
    RobustMachine,
    SpectrumMachine,
    bounds,
    prediction,
    spectrum,
)
from cvxkernel.formulations.inputs import Array
from cvxkernel.validation.slips.machine import Answer as Machine
from cvxkernel.validation.slips.numbers import (
    FACTORS,
    MOST_SOLVED,
    costs,
    outside,
    reordered,
    solved,
    values,
)
from cvxkernel.validation.slips.slip import Variant, fixed

ID: dict[type, str] = {
    RobustMachine: "luss2007",
    KernelMachine: "chen2009-eq7",
    SpectrumMachine: "chen2009-eq12",
}
TERMS = {"squared": "ρ‖K-S‖²", "norm": "γ‖K-S‖"}  # and the names of h


@dataclass(frozen=True)
class Answer:
    """An answer, and every choice that a slip may change; `term` says what keeps K near S."""

    S: Array
    y: Array
    loss: float
    ridge: float
    weight: float
    term: str
    point: Mapping[str, Array]
    claims: Mapping[str, float]
    offset: bool = True  # αᵀy = 0, a threshold b
    given: Array | None = None  # a kernel made of S beforehand: none is learned
    constant: float = 0.0  # what the value has beside the machine's
    rule: float | None = None  # w: the answer has (S + w·vvᵀ)₊, v = Yα, for its K

    @property
    def C(self) -> float:
        """The top of the box."""
        return self.loss / (2 * self.ridge)

    def problem(self) -> tuple[Any, float]:
        """The program of the package that it is, and what this one's value is of that one's."""
        if self.term == "squared":
            rho = self.weight / (2 * self.ridge)
            return RobustMachine(self.S, self.y, self.C, rho), 2 * self.ridge
        scale = self.loss * len(self.y)
        eta, gamma = self.ridge / scale, self.weight / scale
        if self.term == "norm":
            return KernelMachine(self.S, self.y, eta, gamma), scale
        return SpectrumMachine(self.S, self.y, eta, gamma, self.term), scale

    @property
    def tells(self) -> bool:
        """Whether the answer has something that is held against the dual."""
        held = {"alpha", "K"} if self.term in TERMS else {"alpha", "a"}
        return bool(self.claims or held & set(self.point))

    @property
    def lacking(self) -> set[str]:
        """What the parts are held against, where the answer has it not."""
        return ({"alpha"} if self.term in TERMS else {"alpha", "a"}) - set(self.point)

    @property
    def dear(self) -> bool:
        """Whether it takes long to make two slips at once: each pair has to be solved."""
        return bool(self.lacking) and len(self.y) > MOST_SOLVED

    def distance(self) -> float:
        """How far the parts are from the dual at worst, relatively, and what α violates."""
        if self.given is not None:
            return self.unlearned(self.given)
        if not self.tells:
            return np.inf
        problem, scale = self.problem()
        if not self.lacking:
            return self.held(problem, scale, self.point)
        if not self.offset:
            return self.held(problem, scale, {**self.without_offset(problem), **self.point})
        found = solved(ID[type(problem)], problem)
        if outside(self.claims, scale, (found.lower, found.upper)):
            return np.inf
        own = {symbol: found.variables[symbol] for symbol in self.lacking}
        return self.held(problem, scale, {**own, **self.point})

    def without_offset(self, problem: Any) -> dict[str, Array]:
        """α, and a, of the problem without b: with every sample's mirror image b is zero.

        [K, -K; -K, K] is twice as far from [S, -S; -S, S] as K from S, its spectrum twice that of K
        and n zeros, and half of α belongs to each of the images.
        """
        n, S = len(self.y), self.S
        both: dict[str, Any] = {"S": np.block([[S, -S], [-S, S]]), "y": np.append(self.y, -self.y)}
        if isinstance(problem, RobustMachine):
            both |= {"C": problem.C / 2, "rho": problem.rho / 4}
        elif isinstance(problem, KernelMachine):
            both["gamma"] = problem.gamma / 2
        found = solved(ID[type(problem)], replace(problem, **both)).variables
        own = {"alpha": found["alpha"][:n] + found["alpha"][n:]}
        if "a" in found:
            negative = int((spectrum.eigen(S)[0] < 0).sum())
            own["a"] = np.append(found["a"][:negative], found["a"][negative + n :])
        return own

    def held(self, problem: Any, scale: float, point: Mapping[str, Array]) -> float:
        """The parts of a point that has all that the others are held against."""
        alpha = point["alpha"]
        size, total = float(alpha.max()), float(np.abs(alpha).sum())
        if not size > 0:
            return np.inf
        off = max(0.0, -float(alpha.min())) / size + max(0.0, size / self.C - 1)
        if self.offset:
            off += abs(float(alpha @ self.y)) / total
            alpha = svm.repair(alpha, self.y, problem.C)
        else:
            alpha = np.clip(alpha, 0.0, problem.C)
        if isinstance(problem, SpectrumMachine):
            low, ends = self.spectrum(problem, alpha, point)
        else:
            low, ends = self.free(problem, alpha, point)
        best = max(*ends, low) - self.floor(problem)
        parts = [*ends, *(claim / scale for claim in self.claims.values())]
        return off + max(abs(part - low) for part in parts) / best if best > 0 else np.inf

    def unlearned(self, kernel: Array) -> float:
        """How far the answer is from that kernel, and from the machine on it."""
        K, off = self.point.get("K"), 0.0
        if "a" in self.point:
            at = bounds.Spectrum(DOUBLES, self.problem()[0])
            K = at.kernel(DOUBLES.exact(self.point["a"])).mid
        learned = kernel
        if self.rule is not None:
            v = self.y * self.point["alpha"]
            learned = spectrum.clip(self.S + self.rule * np.outer(v, v))
        if K is not None:
            off = float(np.linalg.norm(K - learned) / np.linalg.norm(learned))
        alpha, c = self.point.get("alpha"), self.point.get("c")
        claims = {name: claim - self.constant for name, claim in self.claims.items()}
        if alpha is None and c is None and not claims:
            return off if K is not None else np.inf
        machine = Machine(
            kernels=kernel[None], y=self.y, C=self.C, alpha=alpha, c=c, claims=claims,
            scale=2 * self.ridge, offset=self.offset,
        )  # fmt: skip
        return off + machine.distance()

    def floor(self, problem: Any) -> float:
        """What the term costs at least: no part of an answer is to hide behind it."""
        if isinstance(problem, SpectrumMachine):
            at = bounds.Spectrum(DOUBLES, problem)
            least = at.h(DOUBLES.exact(spectrum.a_clip(problem.Lam)))
            return problem.gamma * float(least.mid) if self.term in ("both", "spectrum") else 0.0
        distance = float(np.linalg.norm(np.minimum(np.linalg.eigvalsh(self.S), 0.0)))
        if isinstance(problem, RobustMachine):
            return problem.rho * distance**2
        return float(problem.gamma * distance)

    def free(
        self, problem: Any, alpha: Array, point: Mapping[str, Array]
    ) -> tuple[float, list[float]]:
        """The dual of (2) or (7) at α; the primal at the answer's K, or at that of α."""
        at, K = bounds.free(DOUBLES, problem), point.get("K")
        tau = None if K is None else float(np.linalg.norm(K - self.S)) or None
        dual = at.best(DOUBLES.exact(alpha), tau)
        c = self.y * dual.alpha.mid
        if K is None:
            return float(dual.value.mid), [self.primal(at, dual.K, c)]
        # where S ⪰ 0 the K that belongs to α need not be unique
        if "z" in point:
            c = bounds.coefficients(K, point["z"])
        return float(dual.value.mid), [self.primal(at, K, point.get("c", c))]

    def spectrum(
        self, problem: SpectrumMachine, alpha: Array, point: Mapping[str, Array]
    ) -> tuple[float, list[float]]:
        """The dual of (12) at α; the primal at a."""
        at = bounds.Spectrum(DOUBLES, problem)
        a = at.modified(point["a"])
        low, shorter = at.spectrum_bound(DOUBLES.exact(alpha), a)
        cs = [self.y * shorter.mid]
        if "z" in point:
            cs.append(prediction.from_spectrum(problem, a.mid, point["z"]).c)
        return float(low.mid), [self.primal(at, a, c) for c in cs]

    def primal(self, at: Any, learned: Any, c: Array) -> float:
        """The objective at the kernel, or at its a, and at c: with the best b, or without one."""
        spectrum = isinstance(at, bounds.Spectrum)
        if self.offset:
            found = at.spectrum_value(learned, c) if spectrum else at.value(at.raised(learned), c)
            return float(found[0].mid)
        K = at.kernel(learned).mid if spectrum else learned
        cost = at.gamma * at.h(learned) if spectrum else at.cost(at.F.norm(at.F.exact(K - at.S)))
        hinges = float(np.maximum(0.0, 1 - self.y * (K @ c)).sum())
        return float(at.loss.mid) * hinges + float(at.ridge.mid * (c @ K @ c)) + float(cost.mid)


def answer(problem: Any, point: Mapping[str, Array], value: float | None) -> Answer:
    """The answer as it stands, to the problem as it stands."""
    claims = {} if value is None else {"value": value}
    if isinstance(problem, RobustMachine):
        numbers = (problem.C, 0.5, problem.rho, "squared")
    else:
        term = problem.h if isinstance(problem, SpectrumMachine) else "norm"
        numbers = (1 / problem.n, problem.eta, problem.gamma, term)
    return Answer(problem.S, problem.y, *numbers, point, claims)


def variants(at: Answer) -> Iterator[Variant]:
    """The slips of these programs."""
    n = len(at.y)
    if at.term == "squared":
        for kind, told, C in costs(at.loss, n):
            yield fixed(kind, told, loss=C)
        # max 1ᵀα - αᵀYKYα, α ≤ C: 2α is what half the ridge has
        point = {s: 2 * x if s == "alpha" else x for s, x in at.point.items()}
        told = "αᵀYKYα where ½αᵀYKYα was meant"
        yield fixed("½ of the form", told, ridge=at.ridge / 2, point=point)
    else:
        yield fixed("losses summed", "Σξᵢ in place of its average", loss=1.0)
        for kind, told, ridge in _scaled("η", at.ridge, n):
            yield fixed(kind, told, ridge=ridge)
        yield fixed("value of (1)", "1ᵀα-½αᵀQα with C = 1/(2ηn): divided by 2η",
                    loss=at.C, ridge=0.5)  # fmt: skip
    symbol = "ρ" if at.term == "squared" else "γ"
    for kind, told, weight in _scaled(symbol, at.weight, n):
        yield fixed(kind, told, weight=weight)
    other = "norm" if at.term == "squared" else "squared"
    if at.term in TERMS:
        told = f"{TERMS[other]} in place of {TERMS[at.term]}, with the same number"
        yield fixed("square of the norm", told, term=other)
        told = f"½{TERMS[other]} in place of {TERMS[at.term]}, with the same number"
        yield fixed("square of the norm", told, term=other, weight=at.weight / 2)
    else:
        for h in REGULARIZERS:
            if h != at.term:
                yield fixed("other h", f"h = {h} in place of {at.term}", term=h)
        if "a" in at.point:
            # h² has the gradient 2h·h′: its optimum is that of h, weighed by 2h there
            machine = bounds.Spectrum(DOUBLES, at.problem()[0])
            h_a = float(machine.h(machine.modified(at.point["a"])).mid)
            claims = {s: x + at.weight * h_a**2 for s, x in at.claims.items()}
            told = f"h(a)² in place of h(a), h = {at.term}"
            yield fixed("square of h", told, weight=2 * h_a * at.weight, claims=claims)
    for modify in (spectrum.clip, spectrum.flip, spectrum.shift):
        name, K = modify.__name__, modify(at.S)
        yield fixed("S modified", f"S made semidefinite first, by {name}", S=K)
        if "alpha" in at.point and "K" in at.point and at.term == "squared":
            told = f"one round: α of S made semidefinite, by {name}, and K of that α"
            for w in (1 / (4 * at.weight), 1 / (2 * at.weight)):
                yield fixed("one round", told, given=K, rule=w)
        told = f"S made semidefinite, by {name}, for K, and no kernel learned"
        yield fixed("kernel not learned", told, given=K)
        if at.term in TERMS and at.claims:
            off = float(np.linalg.norm(K - at.S))
            cost = at.weight * (off**2 if at.term == "squared" else off)
            yield fixed("kernel not learned", told, given=K, constant=cost)
    if "alpha" in at.point and at.term == "squared":
        for told, w in (("", 1 / (4 * at.weight)), (", 1/(2ρ) for 1/(4ρ)", 1 / (2 * at.weight))):
            alpha = at.point["alpha"]
            K = spectrum.clip(at.S + w * np.outer(alpha, alpha))
            told = f"(S + ααᵀ/(4ρ))₊ in place of K*(α): the labels left out of it{told}"
            yield fixed("labels left out of K*", told, given=K)
    size = np.sqrt(np.abs(np.diag(at.S)))
    if size.min() > 0 and not np.allclose(size, 1.0, rtol=1e-6):
        told = "similarities normalized to unit diagonal"
        yield fixed("unit diagonal", told, S=at.S / size[:, None] / size)
    yield fixed("no offset", "no b: the constraint αᵀy = 0 left out", offset=False)
    yield fixed("sign of S", "-S in place of S: dissimilarities", S=-at.S)
    for order in (np.sort(at.y), np.sort(at.y)[::-1]):
        if not np.array_equal(order, at.y):
            yield fixed("labels", "labels sorted while the similarities are not", y=order)
    yield from answers(at)


def answers(at: Answer) -> Iterator[Variant]:
    """The right problem, its answer told in another scale or sign."""
    if "alpha" in at.point:
        alpha = at.point["alpha"]
        told = "multipliers of the margins in place of α, which are 2ηα"
        changed = {"factor of α": (told, alpha / (2 * at.ridge))}
        changed["sign of α"] = ("αᵢyᵢ in place of αᵢ", alpha * at.y)
        for kind, (told, made) in changed.items():
            yield fixed(kind, told, point={**at.point, "alpha": made})
        for name, f in FACTORS.items():
            point = {**at.point, "alpha": alpha / f}
            yield fixed("factor of α", f"α multiplied by {name}", point=point)
    per_sample = {s: at.point[s] for s in ("alpha", "K", "c") if s in at.point}
    if "z" in at.point and at.term in TERMS:
        per_sample["z"] = at.point["z"]
    for slip in reordered(at.y, **per_sample):
        yield fixed(slip.kind, slip.statement, point={**at.point, **slip.changes(1.0)})
    if at.term not in TERMS and "a" in at.point:
        Lam = spectrum.eigen(at.S)[0]
        for order, how in (
            (np.arange(len(Lam))[::-1], "decreasing"),
            (np.argsort(-np.abs(Lam), kind="stable"), "of decreasing size"),
            (np.argsort(np.abs(Lam), kind="stable"), "of increasing size"),
        ):
            # z had its signs turned to what they are in the wrong order: it says no more
            point = {s: x for s, x in at.point.items() if s not in ("z", "u")}
            point["a"] = at.point["a"][np.argsort(order)]
            told = f"eigenvalues in another order: {how}"
            yield fixed("order of the eigenvalues", told, point=point)
    yield from values(at.claims, len(at.y))


def _scaled(symbol: str, x: float, n: int) -> Iterator[tuple[str, str, float]]:
    """Another number for η, γ or ρ."""
    made = {f"n{symbol}": n * x, f"{symbol}/n": x / n, f"1/{symbol}": 1 / x}
    made |= {f"{name}{symbol}": f * x for name, f in FACTORS.items()}
    for kind, other in made.items():
        yield kind, f"{kind} in place of {symbol}", other
