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
        return (self.mean - self.printed) / size if size else None


Cells = Mapping[tuple[str, str, str], Cell]  # by method, case and measure


@dataclass(frozen=True)
class Sentence:
    """A conclusion of the paper, and whether our numbers agree: None where they cannot tell."""

    quote: str
    agrees: Callable[[Cells, Sequence[Record]], bool | None]


@dataclass(frozen=True, eq=False)
class Study:
    """A table or figure.

    id       : <paper>-<table>, as `cvxkernel study` takes it
    where    : the place in the paper
    about    : what is compared, in a line
    data     : the data sets that can be had
    methods  : the rows; `measure` runs one of them on one split
    splits   : how many the paper has; `quick` is for a first look
    columns  : what is tabled, a key of the measures for each printed column
    printed  : (method, data, column) → the printed mean and deviation
    choices  : what the paper leaves open, and what was chosen before any test result was seen
    missing  : data sets of the table that cannot be had, and why
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
    columns: tuple[str, ...] = ("accuracy",)
    printed: Mapping[tuple[str, str, str], tuple[float, float | None]] = field(default_factory=dict)
    choices: tuple[str, ...] = ()
    missing: Mapping[str, str] = field(default_factory=dict)
    sentences: tuple[Sentence, ...] = ()
    why: tuple[str, ...] = ()  # what explains a difference, written after the run
    reduce: Callable[[list[Measures]], list[Measures]] | None = None

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
        for method in self.methods:
            for name in (*self.data, *self.missing):
                own = self.measured(own_records, method, name)
                failed = sum(measures is None for measures in own.values())
                for column in self.columns:
                    mean, deviation = self.printed.get((method, name, column), (None, None))
                    values = [m[column] for m in own.values() if m and m.get(column) is not None]
                    cell = Cell(
                        method,
                        name,
                        column,
                        mean,
                        deviation,
                        float(np.mean(values)) if values else None,
                        float(np.std(values, ddof=1)) if len(values) > 1 else None,
                        len(values),
                        failed,
                    )
                    table[method, name, column] = cell
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
