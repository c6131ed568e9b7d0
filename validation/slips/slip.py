"""A slip: the answer is (nearly) optimal for another problem than the one that was asked.

A paper gives a measure of how far an answer is from optimal in a problem of its kind, in doubles,
at the answer alone (a dataclass with `distance()`), and the slips: each changes fields of it.
Slips of the data, which every paper has, are here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeVar

import numpy as np
from scipy.optimize import minimize_scalar

from cvxkernel.formulations.formulation import Formulation
from cvxkernel.formulations.inputs import Array
from cvxkernel.validation.papers import home, part

EXPLAINED = 0.02  # an explanation leaves at most this part of the distance
LEAST = 1e-6  # a relative distance below it is inaccuracy, no slip
BESIDE = 300.0  # an explanation that leaves so much more than the best one is dropped
FLOOR = 1e-7  # below it no distance is better than another
FACTORS = {"2": 2.0, "½": 0.5, "4": 4.0, "¼": 0.25}
SEARCHED = 100.0  # a number that was searched for explains more easily: its distance counts so much


class Measure(Protocol):
    """An answer in a problem that may be a slipped one."""

    def distance(self) -> float:
        """How far the answer is from optimal, relatively; infinite where that makes no sense."""


M = TypeVar("M", bound=Any)


@dataclass(frozen=True)
class Slip:
    """What explains an answer: its kind, in a sentence, and the distance that it leaves."""

    kind: str
    statement: str
    distance: float
    parameter: float | None = None  # what was estimated
    vague: bool = False  # many numbers explain it as well

    @property
    def score(self) -> float:
        """The smaller the better."""
        penalty = 1.0 if self.parameter is None else SEARCHED ** (1 + self.vague)
        return max(self.distance, FLOOR) * penalty


@dataclass(frozen=True)
class Variant:
    """A slip that may have been made: the fields it changes, perhaps by a number to be found.

    kind      a few words, the same for slips of one sort
    statement a sentence; {0} is the number
    changes   of the number (1 where there is none) to the fields of the measure
    search    the range of the number, searched in the logarithm
    """

    kind: str
    statement: str
    changes: Callable[[float], Mapping[str, Any]]
    search: tuple[float, float] | None = None

    def slip(self, measure: Any) -> Slip:
        """The distance that is left, at the best number."""
        if self.search is None:
            return Slip(self.kind, self.statement, self.at(measure, 1.0))
        low, high = np.log(self.search)
        grid = np.linspace(low, high, 29)
        found = [self.at(measure, float(np.exp(x))) for x in grid]
        around = [np.inf, *found, np.inf]
        valleys = [i for i, x in enumerate(found) if x <= min(around[i], around[i + 2])]
        least, at = min(zip(found, grid.tolist(), strict=True))
        for i in sorted(valleys, key=lambda i: found[i])[:2]:
            fine = minimize_scalar(
                lambda x: min(self.at(measure, float(np.exp(x))), 1e3),
                bounds=(grid[max(i - 1, 0)], grid[min(i + 1, len(grid) - 1)]),
                method="bounded",
                options={"xatol": 1e-7, "maxiter": 18},
            )
            least, at = min((least, at), (float(fine.fun), float(fine.x)))
        number = float(np.exp(at))
        vague = sum(x <= max(10 * least, FLOOR) for x in found) > 2
        return Slip(self.kind, self.statement.format(f"{number:.3g}"), least, number, vague)

    def at(self, measure: Any, number: float) -> float:
        """The distance at one number; infinite where the slipped problem is none."""
        with np.errstate(all="ignore"):
            try:
                left = float(replace(measure, **self.changes(number)).distance())
            except (np.linalg.LinAlgError, ValueError, ZeroDivisionError):
                return np.inf
        return left if np.isfinite(left) else np.inf


def fixed(kind: str, statement: str, **changes: Any) -> Variant:
    """A slip without a number."""
    return Variant(kind, statement, lambda _: changes)


def ranked(measure: Measure, variants: Iterable[Variant]) -> list[Slip]:
    """The slips that explain the answer, best first; none where there is nothing to explain."""
    before = fixed("", "").at(measure, 1.0)
    if not before > LEAST:
        return []
    slips = [variant.slip(measure) for variant in variants]
    explained = [s for s in slips if s.distance <= min(EXPLAINED * before, 1e-3)]
    explained.sort(key=lambda s: s.score)
    best: dict[str, Slip] = {}
    for slip in explained:
        if slip.score <= BESIDE * explained[0].score:
            best.setdefault(slip.kind, slip)
    return list(best.values())


def measure(
    form: Formulation, problem: Any, point: Mapping[str, Array], value: float | None
) -> Measure:
    """The answer as it stands, to the problem as it stands."""
    made: Measure = part(home(form), "slips").measure(form, problem, point, value)
    return made


def variants(form: Formulation, answer: Measure) -> Iterator[Variant]:
    """The slips of a formulation's paper."""
    yield from part(home(form), "slips").variants(answer)


def explain(
    form: Formulation, problem: Any, point: Mapping[str, Array], value: float | None
) -> list[Slip]:
    """The slips that explain an answer, best first."""
    answer = measure(form, problem, point, value)
    slips = variants(form, answer)
    if not point:  # a number that is searched for would explain any value
        slips = (slip for slip in slips if slip.search is None)
    return ranked(answer, slips)


# -- Slips of the data ----------------------------------------------------------------------------


def data(kernels: Array, y: Array) -> Iterator[Variant]:
    """Another Gaussian width, a hidden ridge, labels in another order than the kernels."""
    yield from widths(kernels)
    size = float(np.mean(np.trace(kernels, axis1=1, axis2=2))) / kernels.shape[1]
    yield Variant(
        "ridge",
        "a ridge of {0} on the diagonal of every kernel",
        lambda e: {"kernels": kernels + e * np.eye(kernels.shape[1])},
        (1e-9 * size, 10 * size),
    )
    for order, name in ((np.sort(y), "increasing"), (np.sort(y)[::-1], "decreasing")):
        if not np.array_equal(order, y):
            told = f"labels sorted ({name}) while the kernels are not"
            yield fixed("labels", told, y=order)


def widths(kernels: Array) -> Iterator[Variant]:
    """Gaussian kernels exp(-d/w) with other widths: elementwise powers of the given ones."""
    w = relative_widths(kernels)
    if w is None:
        return
    logs = np.log(np.maximum(kernels, np.finfo(float).tiny))

    def power(x: Array | float) -> dict[str, Array]:
        return {"kernels": np.exp(logs * np.reshape(x, (-1, 1, 1)))}

    yield fixed("2σ²", "Gaussian kernels with σ² where 2σ² was meant (squares)", **power(2.0))
    yield fixed("2σ²", "Gaussian kernels with 2σ² where σ² was meant (roots)", **power(0.5))
    root = np.sqrt(w)
    told = "Gaussian kernels with σ for σ² (the smallest σ being {0})"
    yield Variant("σ against σ²", told, lambda s: power(s * root), (0.02, 50.0))
    told = "Gaussian kernels with σ² for σ (the smallest σ being {0})"
    yield Variant("σ against σ²", told, lambda s: power(1 / (s * w)), (0.02, 50.0))


def relative_widths(kernels: Array) -> Array | None:
    """w₁ : … : w_p, the least being 1, if all kernels are exp(-d/wᵢ) of the same d; else None."""
    if kernels.min() < 0 or kernels.max() > 1 or not (kernels.diagonal(0, 1, 2) == 1).all():
        return None
    n = kernels.shape[1]
    off = ~np.eye(n, dtype=bool)
    K = kernels[:, off]
    usable = ((K > 1e-290) & (K < 1)).all(axis=0)
    if not usable.any():
        return None
    logs = -np.log(K[:, usable])
    ratios = logs.max(axis=0) / logs  # widths relative to the narrowest kernel
    w: Array = np.median(ratios, axis=1)
    spread = np.abs(ratios / w[:, None] - 1)
    # A wide kernel has few digits of its distances left.
    return w / w.min() if (spread < 1e-6 + 1e-13 / logs).all() else None


# -- Slips of a parameter and of the answer's own numbers -----------------------------------------


def regularization(lam: float, n: int) -> Iterator[Variant]:
    """λ for another λ."""
    for kind, told, other in (
        ("1/λ", "1/λ in place of λ", 1 / lam),
        ("nλ", "nλ in place of λ", n * lam),
        ("λ/n", "λ/n in place of λ", lam / n),
        *((f"{name}λ", f"{name}λ in place of λ", f * lam) for name, f in FACTORS.items()),
    ):
        yield fixed(kind, told, lam=other)


def costs(C: float, n: int) -> Iterator[tuple[str, str, float]]:
    """C for another C: the kind of slip, a sentence, and the other C."""
    yield "C/n", "C/n in place of C", C / n
    yield "nC", "nC in place of C", n * C
    yield "1/C", "1/C in place of C", 1 / C
    yield "1/(2C)", "1/(2C) in place of C", 1 / (2 * C)
    yield "1/(nC)", "1/(nC) in place of C", 1 / (n * C)
    for name, f in FACTORS.items():
        yield f"{name}C", f"{name}C in place of C", f * C


def values(claims: Mapping[str, float], factors: Mapping[str, float]) -> Iterator[Variant]:
    """Values with another factor or sign, all of them or one."""
    for names in {tuple(claims), *((name,) for name in claims)} if claims else set():
        of = " and ".join(names)

        def changed(f: Any, names: tuple[str, ...] = names) -> dict[str, float]:
            return {k: f(v) if k in names else v for k, v in claims.items()}

        yield fixed("sign of the value", f"{of} with the other sign", claims=changed(lambda v: -v))
        for name, f in factors.items():
            made = changed(lambda v, f=f: v / f)
            yield fixed("factor of the value", f"{of} multiplied by {name}", claims=made)
