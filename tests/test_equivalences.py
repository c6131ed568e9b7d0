"""Programs of the same optimum over the range of λ and at size; a restricted one above.

On small instances these are claims of the ledger.
"""

from __future__ import annotations

import pytest

from cvxkernel.formulations import CATALOGUE
from cvxkernel.formulations.catalogue import EQUAL
from cvxkernel.validation import instance
from cvxkernel.validation.instances import sample

ABOVE = {"ye2008-eq29": "ye2008-thm3.1", "ye2008-eq45-single": "ye2008-eq45"}
GROUPS = {group: ABOVE.get(group[0]) for group in EQUAL if group[0].startswith("ye2008")}


def classes(group):
    return 2 if CATALOGUE[group[0]].binary else 3


def compare(group, data, optimum, tolerances):
    found = {id: optimum(id, data) for id in group}
    for one in found.values():
        assert one.width <= tolerances.width
        assert all(one.meets(other) for other in found.values())
    if GROUPS[group] is not None:
        above = optimum(GROUPS[group], data)
        # Strictly: with three classes S(θ) is not diagonal.
        assert above.lower >= max(e.lower for e in found.values())


@pytest.mark.parametrize("group", [g for g in EQUAL if g not in GROUPS], ids=lambda g: g[0])
def test_of_the_other_papers(group, optimum, tolerances):
    data = sample(group[0], 10, 3)
    one, *others = (optimum(id, data) for id in group)
    assert one.width <= tolerances.width
    assert all(one.meets(other) for other in others)


@pytest.mark.parametrize("lam", [1e-6, 1.0, 100.0])
@pytest.mark.parametrize(
    "group", [g for g in GROUPS if "thm" in g[1] or "29" in g[1]], ids=lambda g: g[0]
)
def test_over_the_range_of_lambda(group, lam, optimum, tolerances):
    data = {**instance(12, 3, classes(group), kind="gaussian", seed=2), "lam": lam}
    compare(group, data, optimum, tolerances)


@pytest.mark.parametrize("kind", ["gaussian", "random"])
@pytest.mark.parametrize("group", GROUPS, ids=lambda g: g[0])
def test_at_sixty_samples_and_ten_kernels(group, kind, optimum, tolerances):
    k = 2 if classes(group) == 2 else 4
    compare(group, instance(60, 10, k, kind=kind, seed=3), optimum, tolerances)


@pytest.mark.parametrize("kind", ["gaussian", "random"])
@pytest.mark.parametrize(
    "id", ["kim2006", "lanckriet2004-sm1", "lanckriet2004-sm2", "lanckriet2004-sm2c"]
)
def test_the_others_at_sixty_samples_and_ten_kernels(id, kind, optimum, tolerances):
    assert optimum(id, instance(60, 10, 2, kind=kind, seed=3)).width <= tolerances.width
