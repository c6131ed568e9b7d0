"""The ledger: every statement of the papers as a checked claim."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from difflib import get_close_matches
from multiprocessing import get_context
from time import perf_counter

import numpy as np

from cvxkernel.formulations.errors import InputError, SolverError
from cvxkernel.validation.ledger import chen2009, gonen2008, kundu2010, tang2009, ye2008
from cvxkernel.validation.ledger.claim import Claim, Evidence, Finding, Picture, Verdict

# A module has CLAIMS, and may have PICTURES.
PAPERS = (ye2008, tang2009, chen2009, kundu2010, gonen2008)

BLOCK = 5  # neighbours go to one process: they share optima

LEDGER: dict[str, Claim] = {claim.id: claim for paper in PAPERS for claim in paper.CLAIMS}
PICTURES: dict[str, Picture] = {
    picture.id: picture for paper in PAPERS for picture in getattr(paper, "PICTURES", ())
}


def select(paper: str | None = None, claim: str | None = None) -> list[Claim]:
    """The claims of a paper, the one of an id, or all."""
    papers = {c.paper for c in LEDGER.values()}
    if paper is not None and paper not in papers:
        raise InputError("--paper", f"one of {', '.join(sorted(papers))}", repr(paper))
    if claim is not None and claim not in LEDGER:
        near = get_close_matches(claim, LEDGER, n=3, cutoff=0.3)
        hint = f" (nearest: {', '.join(near)})" if near else ""
        raise InputError("--claim", f"the id of a claim{hint}", repr(claim))
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
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        found = [pool.submit(_block, [claim.id for claim in block], seed) for block in blocks]
        for block, future in zip(blocks, found, strict=True):
            for claim, evidence in zip(block, future.result(), strict=True):
                yield Verdict(claim, seed, *evidence)


def forget() -> None:
    """Drop the instances and optima that the claims share."""
    for name, module in list(sys.modules.items()):
        if name.startswith(f"{__name__}."):
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
    except SolverError as error:  # no answer that could be enclosed: neither side holds
        unknown = Finding(np.inf, 0.0, instance=str(error))
        evidence = Evidence(unknown, unknown)
    return evidence, perf_counter() - start


__all__ = [
    "LEDGER",
    "PICTURES",
    "Claim",
    "Evidence",
    "Finding",
    "Picture",
    "Verdict",
    "forget",
    "judge",
    "select",
    "verify",
]
