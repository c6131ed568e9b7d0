"""Without a constraint, or a term of its objective, a program turns a claim of its paper red.

A sample in the normal run; all with CVXKERNEL_DELETIONS=all, or as a table by
`python -m cvxkernel.validation.ledger.deletions`.
"""

from __future__ import annotations

import os
import zlib

import pytest

from cvxkernel.validation.ledger import deletions as module
from cvxkernel.validation.ledger.deletions import IMPLIED, Deletion, deletions, red

EVERY = [one for one in deletions() if tuple(one) not in IMPLIED]
ALL = os.environ.get("CVXKERNEL_DELETIONS") == "all"
SAMPLE = [one for one in EVERY if ALL or zlib.crc32(str(one).encode()) % 12 == 0]


@pytest.mark.parametrize("one", SAMPLE, ids=str)
def test_a_deletion_turns_a_claim_red(one: Deletion):
    assert red(one)


def test_what_is_implied_is_a_constraint():
    assert set(IMPLIED) <= {tuple(one) for one in deletions()}


@pytest.mark.parametrize("error", [KeyError, ZeroDivisionError, AttributeError, TypeError])
def test_to_stumble_is_no_verdict(error, monkeypatch):
    def stumble(id):
        raise error(id)

    monkeypatch.setattr(module, "judge", stumble)
    assert red(EVERY[0]) == []


@pytest.mark.parametrize(
    "one",
    [
        Deletion("tang2009-eq3-sdp", "lmi"),
        Deletion("tang2009-eq11", "cuts"),
        Deletion("tang2009-eq11", "term 1"),
        Deletion("chen2009-eq8-qcqp", "quad"),
    ],
    ids=str,
)
def test_a_claim_without_its_constraint_gives_a_verdict(one: Deletion):
    assert red(one)
