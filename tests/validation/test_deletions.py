"""Without a constraint, or a term of its objective, a program turns a claim of its paper red.

A sample in the normal run; all with CVXKERNEL_DELETIONS=all, or as a table by
`python -m cvxkernel.validation.ledger.deletions`.
"""

from __future__ import annotations

import os
import zlib

import pytest

from cvxkernel.validation.ledger.deletions import IMPLIED, Deletion, deletions, red

EVERY = [one for one in deletions() if tuple(one) not in IMPLIED]
ALL = os.environ.get("CVXKERNEL_DELETIONS") == "all"
SAMPLE = [one for one in EVERY if ALL or zlib.crc32(str(one).encode()) % 12 == 0]


@pytest.mark.parametrize("one", SAMPLE, ids=str)
def test_a_deletion_turns_a_claim_red(one: Deletion):
    assert red(one)


def test_what_is_implied_is_a_constraint():
    assert set(IMPLIED) <= {tuple(one) for one in deletions()}
