r"""Slips in kundu2010: ρ left out, C and τ in other units, another loss, labels, values.

The distance of an answer from the optimum of (4), (6) or (7) is the width of the enclosure at its
own kernels and at the α and subgradients that belong to them; of (10) at its own α and γ. A slipped
problem is one of the same kind with other numbers, and is judged at the answer alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from cvxkernel.formulations import svm
from cvxkernel.formulations.arithmetic import DOUBLES
from cvxkernel.formulations.chen2009 import spectrum
from cvxkernel.formulations.errors import InputError
from cvxkernel.formulations.formulation import Formulation
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kundu2010 import (
    LOSSES,
    Budgeted,
    Combination,
    Similarities,
    Spectra,
    bounds,
    losses,
)
from cvxkernel.formulations.problem import with_numbers
from cvxkernel.validation.lanckriet2004 import slips as lanckriet2004
from cvxkernel.validation.slips import machine
from cvxkernel.validation.slips.data import data
from cvxkernel.validation.slips.numbers import (
    FACTORS,
    MOST_SOLVED,
    costs,
    reordered,
    solved,
    values,
)
from cvxkernel.validation.slips.slip import Variant, fixed

EQUATIONS = {f"kundu2010-alg{i}": f"kundu2010-eq{e}" for i, e in ((1, 4), (2, 6), (3, 7))}
ELSEWHERE = 1e-2  # a trace that is so far from τ is that of no answer to the problem
SMALL, LARGER = 1e-9, 1e-4  # shares of γ that count as zero, always and where that serves


@dataclass(frozen=True)
class Answer:
    """An answer, the problem it is held against, and the values that are claimed."""

    form: Formulation
    problem: Any
    point: Mapping[str, Array]
    claims: Mapping[str, float]
    offset: bool = True  # αᵀy = 0, a threshold b
    norm: float = 1.0  # of γ in (10), which is one
    total: bool = False  # one trace τ for the sum of the kernels of (6)
    made: dict[int, Any] = field(default_factory=dict, repr=False, compare=False)  # solved once

    def distance(self) -> float:
        """The relative width at the answer, or how far its values lie outside."""
        try:
            if not self.offset or self.norm != 1 or self.total:
                lower, upper = self.ends()
            else:
                found = self.form.enclose(self.problem, self.whole())
                lower, upper = found.lower, found.upper
        except (InputError, np.linalg.LinAlgError):
            return np.inf
        size = max(abs(upper), np.finfo(float).tiny)
        off = [max(x - upper, lower - x, 0.0) / size for x in self.claims.values()]
        return self.unshared() + max((upper - lower) / size, *off, 0.0)

    def unshared(self) -> float:
        """How far γ of (10) is from the shares that belong to α, whose sum is one."""
        alpha, gamma = self.point.get("alpha"), self.point.get("gamma")
        if not isinstance(self.problem, Combination) or alpha is None or gamma is None:
            return 0.0
        v = self.problem.y * alpha
        best = self.shares(np.array([v @ K @ v for K in self.problem.kernels]))
        size = float(np.linalg.norm(gamma, self.norm))
        return float(np.linalg.norm(gamma - best)) ** 2 + abs(size - 1)

    def shares(self, forms: Array) -> Array:
        """The γ of norm one with the least Σᵢ qᵢ/γᵢ: γᵢ ∝ qᵢ^(1/(1 + norm))."""
        if self.norm == 1:
            return bounds.balanced(forms)
        gamma: Array = np.maximum(forms, 0.0) ** (1 / (1 + self.norm))
        return gamma / float(np.linalg.norm(gamma, self.norm))

    @property
    def dear(self) -> bool:
        """Whether it takes long to make two slips at once: each pair has to be solved."""
        return bool(self.lacking) and self.problem.n > MOST_SOLVED

    @property
    def lacking(self) -> set[str]:
        """What an enclosure is made of, where the answer has it not."""
        if isinstance(self.problem, Combination):
            return {"alpha"} - set(self.point)
        return {"alpha", "mu" if isinstance(self.problem, Spectra) else "K"} - set(self.point)

    def whole(self) -> Mapping[str, Array]:
        """The answer, and what it lacks: that of the problem it is held against."""
        if not self.lacking and isinstance(self.problem, Combination):
            # α/γᵢ where γᵢ is more than what a solver leaves
            v, alpha = self.problem.y * self.point["alpha"], self.point["alpha"]
            gamma = self.shares(np.array([v @ K @ v for K in self.problem.kernels]))
            x = np.stack([alpha / g if g > LARGER else 0 * alpha for g in gamma])
            return {**self.point, "x": x}
        if not self.lacking:
            return self.point
        name = self.form.id
        for algorithm, equation in EQUATIONS.items():
            name = equation if name.startswith(algorithm) else name
        if not isinstance(self.problem, Combination):
            traces = self.traces().sum() if self.total else self.traces()
            if np.abs(traces / self.problem.tau - 1).max() > ELSEWHERE:
                raise InputError("K", f"the trace {self.problem.tau}", f"{traces}")
        if (key := id(self.problem)) not in self.made:  # with the problem, lest it go
            self.made[key] = self.problem, solved(name, self.problem).variables
        return {**self.made[key][1], **self.point}

    def traces(self) -> Array:
        """Those of what was learned; τ where that is not told."""
        learned = self.point.get("K", np.diag([self.problem.tau]))
        traces: Array = np.atleast_1d(np.trace(learned, axis1=-2, axis2=-1))
        if "mu" in self.point:
            traces = np.sum(self.point["mu"], axis=1)
        return traces

    def ends(self) -> tuple[float, float]:
        """Both ends at α and at what is learned, without b or so, in doubles, not proved."""
        alpha, y, C = self.point.get("alpha"), self.problem.y, self.problem.C
        if alpha is None or alpha.max() > C * (1 + 1e-3):
            return -np.inf, np.inf
        exact, alpha = DOUBLES.exact, np.clip(alpha, 0.0, C)
        if self.offset:
            alpha = svm.repair(alpha, y, C)
        most = np.inf  # the norm that belongs to that of the √qᵢ
        if isinstance(self.problem, Combination):
            M = [np.outer(y, y) * K for K in self.problem.kernels]
            forms = np.array([alpha @ M_i @ alpha for M_i in M])
            gamma, cost = self.shares(forms), 0.0
            power = 2 * self.norm / (self.norm + 1)
            most = np.inf if self.norm == 1 else power / (power - 1)
            roots = np.sqrt(np.maximum(forms, 0.0))
            lower = float(alpha.sum() - np.linalg.norm(roots, power) ** 2 / 2)
        else:
            several = (
                bounds.OneKernel if np.ndim(self.point.get("K", 0)) == 2 else bounds.SeveralKernels
            )
            kind = bounds.LearnedSpectra if isinstance(self.problem, Spectra) else several
            at = kind(DOUBLES, self.problem)
            if at.symbol not in self.point:
                return -np.inf, np.inf
            learned = self.point[at.symbol].reshape(at.shape)
            learned = self.of_total(learned) if self.total else at.nearest(learned)
            every = [exact(x) for x in learned]
            omega = at.omega(every)
            shares = omega.gamma(exact(alpha)) if at.weighed else exact(np.ones(1))
            W = at.inside(at.subgradients(learned))
            lower = float(at.bound(exact(alpha), shares, W).mid)
            if self.total:  # the least of the λ_min in place of their sum
                v = y * alpha
                least = [np.linalg.eigvalsh(W_i.mid - np.outer(v, v) / (2 * g))[0]
                         for W_i, g in zip(W, shares.mid, strict=True)]  # fmt: skip
                lower += self.problem.tau * (min(least) - sum(least))
            M, gamma, cost = [M_i.mid for M_i in omega.M], shares.mid, float(at.cost(every).mid)
        uppers = []
        for none in (SMALL, LARGER):
            images = [M_i @ alpha / g for M_i, g in zip(M, gamma, strict=True) if g > none]
            norms = [alpha @ x / g for x, g in zip(images, gamma[gamma > none], strict=True)]
            image = np.sum(images, axis=0)
            b = svm.offset(image, y) if self.offset else 0.0
            hinges = float(np.maximum(0.0, 1 - image - b * y).sum())
            size = float(np.linalg.norm(np.sqrt(np.maximum(norms, 0.0)), most))
            uppers.append(size**2 / 2 + C * hinges + cost)
        return lower, min(uppers)

    def of_total(self, K: Array) -> Array:
        """Semidefinite, the traces summing to τ."""
        K = np.stack([spectrum.clip(K_i) for K_i in K])
        made: Array = K * (self.problem.tau / float(np.trace(K, axis1=1, axis2=2).sum()))
        return made


def measure(
    form: Formulation, problem: Any, point: Mapping[str, Array], value: float | None
) -> Answer | lanckriet2004.Answer:
    """The answer as it stands, to the problem as it stands."""
    claims = {} if value is None else {"value": value}
    if isinstance(problem, Budgeted):  # half of the 1-norm soft margin, τ for c
        return lanckriet2004.Answer(
            problem.kernels, problem.y, problem.C, False, point.get("alpha"), point.get("beta"),
            claims, budget=problem.tau, symbols=("Σᵢ βᵢ·trace Kᵢ", "τ"), scale=0.5,
        )  # fmt: skip
    return Answer(form, problem, point, claims)


def variants(at: Answer | lanckriet2004.Answer) -> Iterator[Variant]:
    """The slips of these programs."""
    if isinstance(at, lanckriet2004.Answer):
        yield from budgeted(at)
        return
    problem, n = at.problem, at.problem.n
    for kind, told, C in costs(problem.C, n):
        yield fixed(kind, told, problem=with_numbers(problem, C=C))
    yield fixed("no offset", "no b: the constraint αᵀy = 0 left out", offset=False)
    told = "αᵀYKYα where ½αᵀYKYα was meant"
    if isinstance(problem, Combination):
        yield fixed("½ of the form", told, problem=replace(problem, kernels=2 * problem.kernels))
        more = replace(problem, kernels=problem.kernels / problem.m)
        point = {s: x / problem.m if s == "gamma" else x for s, x in at.point.items()}
        told = "γ of 2-norm one, Σγᵢ² ≤ 1, in place of Σγᵢ ≤ 1"
        yield fixed("2-norm of γ", told, norm=2.0)
        yield fixed("Σγ = m", "Σᵢ γᵢ ≤ m in place of Σᵢ γᵢ ≤ 1", problem=more, point=point)
        for slip in data(problem.kernels, problem.y):
            yield _of_the_data(problem, slip)
    else:
        yield from learned(at, problem, n)
        doubled = _doubled(problem)
        if doubled is not None:
            point = {s: 2 * x if s in ("K", "mu") else x for s, x in at.point.items()}
            yield fixed("½ of the form", told, problem=doubled, point=point)
    for order in (np.sort(problem.y), np.sort(problem.y)[::-1]):
        if not np.array_equal(order, problem.y):
            told = "labels sorted while the similarities are not"
            yield fixed("labels", told, problem=with_numbers(problem, y=order))
    yield from answers(at)


def learned(at: Answer, problem: Any, n: int) -> Iterator[Variant]:
    """Those of (4), (6) and (7): of ρ, τ, the losses and the similarities."""
    if problem.rho > 0:
        told = "ρ left out of the loss and its subgradients: ρ = 1"
        yield fixed("ρ left out", told, problem=with_numbers(problem, rho=1.0))
        made = {f"{name}ρ": f for name, f in FACTORS.items()} | {"nρ": float(n), "ρ/n": 1 / n}
        for kind, f in {**made, "mρ": float(problem.m), "ρ/m": 1 / problem.m}.items():
            other = with_numbers(problem, rho=f * problem.rho)
            yield fixed(kind, f"{kind} in place of ρ", problem=other)
    m = problem.m
    taus = {"τ = 1": 1.0, "τ = n": float(n), "τ = τ/m": problem.tau / m, "τ = mτ": m * problem.tau}
    for kind, tau in taus.items():
        if tau != problem.tau:
            told = f"trace {kind[4:]} in place of τ"
            yield fixed(kind, told, problem=with_numbers(problem, tau=tau))
    if "K" in at.point or "mu" in at.point:
        yield from of_traces(at, problem)
    if isinstance(problem, Similarities):
        for loss in LOSSES:
            if problem.loss != loss:
                told = f"loss {loss} in place of {losses.told(problem.loss)}"
                yield fixed("other loss", told, problem=with_numbers(problem, loss=loss))
    for modify in (spectrum.clip, spectrum.flip, spectrum.shift):
        S = np.stack([modify(S_i) for S_i in problem.S])
        told = f"similarities made semidefinite first, by {modify.__name__}"
        yield fixed("S modified", told, problem=_with_similarities(problem, S))


def of_traces(at: Answer, problem: Any) -> Iterator[Variant]:
    """The traces read off what was learned: another τ, or one for all the kernels."""
    K, traces = at.point.get("K"), at.traces()
    tau = float(np.mean(traces))
    if tau > 0 and abs(tau / problem.tau - 1) > 1e-6 and np.ptp(traces) <= 1e-5 * tau:
        told = f"trace {tau:.6g}, which is what was learned, in place of τ: perhaps left free"
        other = with_numbers(problem, tau=tau)
        yield Variant("another τ", told, lambda _: {"problem": other}, read=1)
    if K is not None and K.ndim == 3 and np.ptp(traces) > 1e-5 * tau:
        yield fixed("τ for all", "one trace τ for the sum of the kernels, not for each", total=True)


def _with_similarities(problem: Any, S: Array, **changes: Any) -> Any:
    """The same problem with other Sᵢ, in eigenbases of their own."""
    own = {"U": None} if isinstance(problem, Spectra) else {}
    return replace(problem, S=S, **own, **changes)


def _doubled(problem: Any) -> Any:
    """What 2K solves where K solves the problem with αᵀYKYα; None where a loss is no multiple."""
    if isinstance(problem, Spectra):
        degrees = {1.0}
    else:
        found = [L.unit(0.5) for L in problem.losses]
        same = all(told == L for (told, _), L in zip(found, problem.losses, strict=True))
        degrees = {float(degree) for _, degree in found} if same else set()
    if len(degrees) != 1:
        return None
    rho = problem.rho * 0.5 ** degrees.pop()
    return _with_similarities(problem, 2 * problem.S, rho=rho, tau=2 * problem.tau)


def _of_the_data(problem: Combination, slip: Variant) -> Variant:
    """A slip of kernels and labels, as one of the problem."""

    def changes(x: float) -> dict[str, Any]:
        return {"problem": replace(problem, **slip.changes(x))}

    return Variant(slip.kind, slip.statement, changes, slip.search)


def budgeted(at: lanckriet2004.Answer) -> Iterator[Variant]:
    """Those of (5) at given kernels."""
    n, tau = len(at.y), float(at.budget)
    assert at.C is not None
    for kind, told, C in costs(at.C, n):
        yield fixed(kind, told, C=C)
    yield from machine.boxes(at.alpha, at.y, at.C)
    told = "Σᵢ βᵢ = τ in place of the trace: the traces of the kernels left out"
    yield fixed("weights sum to τ", told, traces="one")
    for kind, total in {"τ = 1": 1.0, "τ = n": float(n)}.items():
        if total != tau:
            yield fixed(kind, f"trace {kind[4:]} in place of τ", budget=total)
    yield from lanckriet2004.of_budget(at)
    told = "αᵀYKYα where ½αᵀYKYα was meant"
    yield fixed("½ of the form", told, kernels=2 * at.kernels, budget=2 * tau)
    yield fixed("no offset", "no b: the constraint αᵀy = 0 left out", offset=False)
    yield from lanckriet2004.uniform(at)
    yield from data(at.kernels, at.y)
    yield from lanckriet2004.answers(at)


def answers(at: Answer | lanckriet2004.Answer) -> Iterator[Variant]:
    """The right problem, its answer told with another factor."""
    if isinstance(at, lanckriet2004.Answer):
        yield from lanckriet2004.answers(at)
        return
    if "alpha" in at.point:
        for name, f in FACTORS.items():
            point = {**at.point, "alpha": at.point["alpha"] / f}
            yield fixed("factor of α", f"α multiplied by {name}", point=point)
    told = {s: at.point[s] for s in ("alpha", "K") if s in at.point}
    for slip in reordered(at.problem.y, **told):
        yield fixed(slip.kind, slip.statement, point={**at.point, **slip.changes(1.0)})
    yield from values(at.claims, at.problem.n)
