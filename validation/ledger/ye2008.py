"""The statements of Ye, Ji and Chen (2008)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from cvxkernel.formulations.catalogue import formulation
from cvxkernel.formulations.enclosure import Enclosure
from cvxkernel.solvers import solve
from cvxkernel.validation.instances import instance
from cvxkernel.validation.ledger.claim import (
    Claim,
    Evidence,
    Finding,
    equal,
    not_above,
    worst,
)

KINDS = ("gaussian", "random", "low rank")


@cache
def data(kind: str, k: int, seed: int) -> Mapping[str, Any]:
    """The built-in instance: n = 24, five kernels."""
    return instance(24, 5, k, kind=kind, seed=seed)


@cache
def optimum(id: str, kind: str, k: int, seed: int) -> Enclosure:
    """The enclosure; of minus the optimum for a semi-infinite program."""
    form = formulation(id)
    found = solve(id, form.make(data(kind, k, seed))).enclosure
    return -found if form.kind == "SILP" else found


def same(*ids: str, k: int) -> Callable[[int], Evidence]:
    """The programs have the same optimum, whatever the kernels."""

    def test(seed: int) -> Evidence:
        found = []
        for kind in KINDS:
            first = optimum(ids[0], kind, k, seed)
            found += [equal(optimum(id, kind, k, seed), first, instance=kind) for id in ids[1:]]
        return Evidence(worst(found))

    return test


def close_to_29(seed: int) -> Evidence:
    """(32) against (29): not equal, not near, but not below."""
    found, below = [], []
    for kind in KINDS:
        exact, restricted = (
            optimum(f"ye2008-{id}", kind, 3, seed) for id in ("eq29-single", "thm3.1")
        )
        numbers = {"(29)": exact.value, "(32)": restricted.value}
        found.append(equal(restricted, exact, instance=kind, numbers=numbers))
        below.append(not_above(exact, restricted, instance=kind, numbers=numbers))
    return Evidence(_farthest(found), worst(below))


def _farthest(found: list[Finding]) -> Finding:
    return max(found, key=lambda f: f.worst)


# fmt: off
CLAIMS = (
    Claim("ye2008-thm2.2", "Theorem 2.2", "max (13) = min (8)",
        "both programs solved, their enclosures compared",
        same("ye2008-thm2.1", "ye2008-thm2.2", k=2),
        programs=("ye2008-thm2.1", "ye2008-thm2.2")),
    Claim("ye2008-thm3.1-close", "Theorem 3.1 and the paragraph before it", "min (32) ≈ min (29)",
        "both programs solved, three classes, their enclosures compared", close_to_29,
        printed="fails",
        correction="min (32) ≥ min (29), and the two are not near: an upper bound only",
        programs=("ye2008-thm3.1", "ye2008-eq29-single")),
)
