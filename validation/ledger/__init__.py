"""The ledger: every statement of the papers as a checked claim, errata by cause, and remarks."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from difflib import get_close_matches
from functools import cached_property
from multiprocessing import get_context
from time import perf_counter
from typing import TypeVar

import numpy as np

from cvxkernel.formulations.catalogue import PAPERS
from cvxkernel.formulations.errors import ContradictionError, InputError, SolverError
from cvxkernel.solvers.child import die_with_parent
from cvxkernel.validation.ledger.claim import (
    Claim,
    Erratum,
    Evidence,
    Finding,
    Picture,
    Remark,
    Verdict,
)
from cvxkernel.validation.papers import part

Thing = TypeVar("Thing", Claim, Remark, Erratum, Picture)
WORDS = ("holds", "imprecise", "fails", "as transcribed")
BLOCK = 5  # neighbours go to one process: they share optima


class Every(Mapping[str, Thing]):
    """What all papers have under this name, by id; read when first asked for: claims import us."""

    def __init__(self, module: str, name: str) -> None:
        self.module, self.name = module, name

    @cached_property
    def things(self) -> dict[str, Thing]:
        """Paper by paper."""
        parts = (part(paper, self.module) for paper in PAPERS)
        return {thing.id: thing for found in parts for thing in getattr(found, self.name, ())}

    def __getitem__(self, id: str) -> Thing:
        return self.things[id]

    def __iter__(self) -> Iterator[str]:
        return iter(self.things)

    def __len__(self) -> int:
        return len(self.things)


LEDGER: Mapping[str, Claim] = Every("claims", "CLAIMS")
REMARKS: Mapping[str, Remark] = Every("claims", "REMARKS")
ERRATA: Mapping[str, Erratum] = Every("errata", "ERRATA")
PICTURES: Mapping[str, Picture] = Every("pictures", "PICTURES")


def select(paper: str | None = None, claim: str | None = None) -> list[Claim]:
    """The claims of a paper, the one of an id, or all."""
    papers = {c.paper for c in LEDGER.values()}
    if paper is not None and paper not in papers:
        raise InputError("--paper", f"one of {', '.join(sorted(papers))}", repr(paper))
    if claim is not None and claim not in LEDGER:
        near = get_close_matches(claim, LEDGER, n=3, cutoff=0.3)
        hint = f" (nearest: {', '.join(near)})" if near else ""
        raise InputError("--claim", f"the id of a claim{hint}", repr(claim))
    if paper is not None and claim is not None and LEDGER[claim].paper != paper:
        raise InputError("--claim", f"a claim of {paper}", f"{claim!r}, of {LEDGER[claim].paper}")
    return [
        c
        for c in LEDGER.values()
        if (paper is None or c.paper == paper) and (claim is None or c.id == claim)
    ]


def judge(id: str, seed: int = 0) -> Verdict:
    """Gather the evidence for one claim."""
    return Verdict(LEDGER[id], seed, *_evidence(id, seed))


def verify(claims: Sequence[Claim], *, seed: int = 0, jobs: int = 1) -> Iterator[Verdict]:
    """The verdicts, in the order of the claims; several jobs are several processes."""
    if jobs <= 1 or len(claims) <= 1:
        yield from (judge(claim.id, seed) for claim in claims)
        return
    blocks = [claims[i : i + BLOCK] for i in range(0, len(claims), BLOCK)]
    # One thread each, read by the processes to come: the matrices are small.
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    jobs = min(jobs, len(blocks))
    spawn = get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=spawn, initializer=die_with_parent) as pool:
        found = [pool.submit(_block, [claim.id for claim in block], seed) for block in blocks]
        for block, future in zip(blocks, found, strict=True):
            for claim, evidence in zip(block, future.result(), strict=True):
                yield Verdict(claim, seed, *evidence)


def verdict_of(claim: Claim, printed: str) -> str:
    """A verdict as it is counted: what fails by a glyph of our transcription is counted apart."""
    erratum = ERRATA.get(claim.erratum or "")
    transcribed = printed == "fails" and erratum is not None and erratum.transcribed is not None
    return "as transcribed" if transcribed else printed


def counts(verdicts: Sequence[Verdict]) -> dict[str, int]:
    """How many hold, are imprecise, fail, and fail as transcribed."""
    found = [verdict_of(v.claim, v.printed) for v in verdicts]
    return {word: found.count(word) for word in WORDS}


def observe(id: str, seed: int = 0) -> Finding:
    """The evidence for a remark, which holds."""
    return REMARKS[id].test(seed)


def caused(erratum: Erratum) -> list[Claim]:
    """The claims that fail by this cause."""
    return [claim for claim in LEDGER.values() if claim.erratum == erratum.id]


def forget() -> None:
    """Drop the instances and optima that the claims share."""
    rooms = (f"{__name__}.", *(f"cvxkernel.validation.{paper}." for paper in PAPERS))
    for name, module in list(sys.modules.items()):
        if name.startswith(rooms):
            for thing in vars(module).values():
                if hasattr(thing, "cache_clear"):
                    thing.cache_clear()


def _block(ids: Sequence[str], seed: int) -> list[tuple[Evidence, float]]:
    return [_evidence(id, seed) for id in ids]


def _evidence(id: str, seed: int) -> tuple[Evidence, float]:
    """What was found, and the seconds it took; this much can travel between processes."""
    start = perf_counter()
    try:
        evidence = LEDGER[id].test(seed)
    # No answer that could be enclosed, or ends the wrong way round: neither side holds.
    except (SolverError, ContradictionError) as error:
        unknown = Finding(np.inf, 0.0, instance=str(error))
        evidence = Evidence(unknown, unknown)
    return evidence, perf_counter() - start


__all__ = [
    "ERRATA",
    "LEDGER",
    "PICTURES",
    "REMARKS",
    "WORDS",
    "Claim",
    "Erratum",
    "Evidence",
    "Finding",
    "Picture",
    "Remark",
    "Verdict",
    "caused",
    "counts",
    "forget",
    "judge",
    "observe",
    "select",
    "verdict_of",
    "verify",
]
