"""Every id of the catalogue under attack; `CVXKERNEL_EXAMPLES` says how long.

    CVXKERNEL_EXAMPLES=10000 CVXKERNEL_SEED=1 pytest tests/attack -n 2

spreads so many examples evenly over the ids, in shards that run side by side. What fails prints
its `Case`, and `attack(Case(…)).complaints()` is the same again. The run ends with a line that
counts, for n ≤ 5, how many multiprecision optima the intervals from doubles contain.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from attack import kinds
from attack.conftest import COUNTS
from attack.judge import Case, attack
from cvxkernel.formulations import CATALOGUE

EXAMPLES = int(os.environ.get("CVXKERNEL_EXAMPLES", "129"))
SEED = int(os.environ.get("CVXKERNEL_SEED", "0"))
SHARD = 40  # examples of one test
EACH = -(-EXAMPLES // len(CATALOGUE))  # of one id

SHARDS = [
    (id, shard, min(SHARD, EACH - shard * SHARD))
    for id in CATALOGUE
    for shard in range(-(-EACH // SHARD))
]


def cases(id: str) -> st.SearchStrategy[Case]:
    """Instances of every kind with two to five samples, some with more."""
    sizes = st.sampled_from((2, 3, 3, 3, 4, 4, 5, 5, 5, 9))
    numbers = st.integers(0, 2**32)
    return st.builds(Case, st.just(id), st.sampled_from(kinds.kinds(id)), sizes, numbers)


@pytest.mark.parametrize(("id", "shard", "examples"), SHARDS)
def test_nothing_false_and_nothing_foreign_comes_out(id, shard, examples, record_property):
    seen = {"contained": 0, "missed": 0, "no reference": 0}

    @seed(SEED * 100_003 + shard)
    @settings(
        max_examples=examples,
        phases=[Phase.generate],  # the instances are small already
        suppress_health_check=list(HealthCheck),
    )
    @given(case=cases(id))
    def attacked(case):
        evidence = attack(case, panel=case.seed % 4 == 0)
        if case.n <= 5:
            within = {True: "contained", False: "missed", None: "no reference"}
            seen[within[evidence.contained()]] += 1
        complaints = list(evidence.complaints())
        assert not complaints, "\n".join([str(case), *complaints])

    try:
        attacked()
    finally:
        record_property(COUNTS, seen)
