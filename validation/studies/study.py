"""What a study is: a table or figure of a paper as a list of independent fits, each with a seed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import sqrt
from typing import Any

import numpy as np

from cvxkernel.validation.studies.data import Data
from cvxkernel.validation.studies.store import Record

Measures = dict[str, Any]  # what a fit comes to: numbers, lists of numbers, chosen parameters
Measure = Callable[["Fit", Data], Measures]


@dataclass(frozen=True)
class Fit:
    """One piece of work: a method on a random split of a data set; `split` is its seed."""

    study: str
    data: str
    method: str
    split: int

    @property
    def key(self) -> tuple[str, str, str, int]:
        """What no two fits have in common."""
        return (self.study, self.data, self.method, self.split)


@dataclass(frozen=True)
class Cell:
    """A printed number beside ours: mean, deviation and how many splits."""

    row: str
    column: str
    measure: str
    printed: float | None
    printed_deviation: float | None
    mean: float | None = None
    deviation: float | None = None
    splits: int = 0
    failures: int = 0
    values: tuple[float | None, ...] = ()  # by split; None where it failed or was not run

    @property
    def error(self) -> float | None:
        """The standard error of the mean."""
        if self.deviation is None or self.splits < 2:
            return None
        return self.deviation / sqrt(self.splits)

    def difference(self, splits: int) -> float | None:
        """Ours less theirs in standard errors, theirs from its printed deviation if there is one.

        Without one, its splits are taken to have scattered as ours did.
        """
        if (
            self.mean is None
            or self.printed is None
            or self.error is None
            or self.deviation is None
        ):
            return None
        theirs = self.deviation if self.printed_deviation is None else self.printed_deviation
        size = sqrt(self.error**2 + theirs**2 / splits)
        scatters = size > 1e-9 * abs(self.mean)  # not by rounding alone
        return (self.mean - self.printed) / size if scatters else None


Cells = Mapping[tuple[str, str, str], Cell]  # by method, case and measure


def common(a: Cell, b: Cell) -> tuple[list[float], list[float]]:
    """The values of two cells on the splits that both have."""
    both = [(x, y) for x, y in zip(a.values, b.values, strict=False) if None not in (x, y)]
    return [float(x) for x, _ in both if x is not None], [
        float(y) for _, y in both if y is not None
    ]


@dataclass(frozen=True)
class Sentence:
    """A conclusion of the paper, and whether our numbers agree: None where they cannot tell."""

    quote: str
    agrees: Callable[[Cells], bool | None]


@dataclass(frozen=True)
class Unrun:
    """A table or figure that no study runs: its data cannot be had, or a page has it."""

    id: str
    where: str
    about: str
    reason: str
    documented: str = "no data"
    state: str = "no data"

    @property
    def paper(self) -> str:
        """Whose table it is."""
        return self.id.partition("-")[0]


def cell_of(
    key: tuple[str, str, str],
    printed: tuple[float | None, float | None],
    values: Sequence[float | None],
    failures: int,
) -> Cell:
    """A cell of the values of its splits."""
    known = [value for value in values if value is not None]
    mean = float(np.mean(known)) if known else None
    deviation = float(np.std(known, ddof=1)) if len(known) > 1 else None
    return Cell(*key, *printed, mean, deviation, len(known), failures, tuple(values))


def _values(own: Mapping[int, Measures | None], column: str) -> list[float | None]:
    """By split, up to the last that was run."""
    return [(own.get(split) or {}).get(column) for split in range(max(own, default=-1) + 1)]


def _shares(values: list[float | None], ones: list[float | None]) -> list[float | None]:
    """Each divided by the other of its split."""
    pairs = zip(values, [*ones, *[None] * len(values)], strict=False)
    return [None if a is None or not b else a / b for a, b in pairs]


@dataclass(frozen=True, eq=False)
class Study:
    """A table or figure.

    id       : <paper>-<table>, as `cvxkernel study` takes it
    where    : the place in the paper
    about    : what is compared, in a line
    data     : the data sets that can be had
    methods  : the rows; `measure` runs one of them on one split
    splits   : how many the paper has
    quick    : how many are for a first look, on `quick_data` alone if they are named
    columns  : what is tabled, a key of the measures for each printed column
    details  : what is tabled beside it, in a table of its own
    printed  : (method, data, column) → the printed mean and deviation
    choices  : what the paper leaves open, and what was chosen before any test result was seen
    missing  : data sets of the table that cannot be had, and why
    share_of : the row whose time is one: every value is divided by its value on the same split,
               every printed number by its printed one
    series   : measures that are lists, which a picture is drawn of
    reduce   : what the measures of the splits of one method on one case come to together, where
               the paper chooses a parameter by all of them
    """

    id: str
    where: str
    about: str
    data: tuple[str, ...]
    methods: tuple[str, ...]
    measure: Measure
    splits: int
    quick: int = 2
    quick_data: tuple[str, ...] = ()
    columns: tuple[str, ...] = ("accuracy",)
    printed: Mapping[tuple[str, str, str], tuple[float, float | None]] = field(default_factory=dict)
    choices: tuple[str, ...] = ()
    missing: Mapping[str, str] = field(default_factory=dict)
    sentences: tuple[Sentence, ...] = ()
    why: tuple[str, ...] = ()  # what explains a difference, written after the run
    reduce: Callable[[list[Measures]], list[Measures]] | None = None
    details: tuple[str, ...] = ()
    share_of: str | None = None
    series: tuple[str, ...] = ()

    @property
    def paper(self) -> str:
        """Whose table it is."""
        return self.id.partition("-")[0]

    def fits(
        self, splits: int, data: Sequence[str] | None = None, methods: Sequence[str] | None = None
    ) -> list[Fit]:
        """All of them, split by split, so that whatever is finished is balanced."""
        rows, names = methods or self.methods, data or self.data
        every = product(range(splits), names, rows)
        return [Fit(self.id, name, method, split) for split, name, method in every]

    def cells(self, records: Iterable[Record]) -> dict[tuple[str, str, str], Cell]:
        """The table: by method, data set and column; a repeated fit counts once, the first."""
        own_records = list(records)
        table: dict[tuple[str, str, str], Cell] = {}
        for name in (*self.data, *self.missing):
            by_method = {m: self.measured(own_records, m, name) for m in self.methods}
            for method, column in product(self.methods, (*self.columns, *self.details)):
                values = _values(by_method[method], column)
                mean, deviation = self.printed.get((method, name, column), (None, None))
                if self.share_of is not None:
                    values = _shares(values, _values(by_method[self.share_of], column))
                    one, _ = self.printed.get((self.share_of, name, column), (None, None))
                    mean, deviation = (None if mean is None or not one else mean / one), None
                failed = sum(measures is None for measures in by_method[method].values())
                table[method, name, column] = cell_of(
                    (method, name, column), (mean, deviation), values, failed
                )
        return table

    def measured(
        self, records: Iterable[Record], method: str, case: str
    ) -> dict[int, Measures | None]:
        """By split what a method came to; None where it failed."""
        found: dict[int, Measures | None] = {}
        for r in records:
            if (r["study"], r["method"], r["data"]) == (self.id, method, case):
                found.setdefault(r["split"], None if r.get("error") else r["measures"])
        whole = {split: m for split, m in sorted(found.items()) if m is not None}
        if self.reduce is not None and whole:
            found |= dict(zip(whole, self.reduce(list(whole.values())), strict=True))
        return dict(sorted(found.items()))

    def widest(self, records: Sequence[Record]) -> float:
        """The widest enclosure of all fits of the study, relative."""
        return max((r.get("width") or 0.0 for r in records if r["study"] == self.id), default=0.0)
