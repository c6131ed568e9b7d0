"""What may not change the optimum, and what changes it by a known factor."""

from __future__ import annotations

import numpy as np
import pytest

from cvxkernel.formulations import CATALOGUE
from cvxkernel.formulations.errors import ZeroTraceError
from cvxkernel.validation import instance

STACKED = ("ye2008", "kim2006", "lanckriet2004")  # a stack of kernels, y, λ, C
EVERY = [id for id, form in CATALOGUE.items() if form.paper in STACKED]
YE = [id for id in EVERY if id.startswith("ye2008")]
MARGIN = [id for id in EVERY if id.startswith("lanckriet2004")]
TWO_CLASSES = [id for id in EVERY if id not in YE or CATALOGUE[id].binary]


@pytest.fixture(scope="module")
def base(optimum):
    """The data of an id, uneven classes, and the enclosure of its optimum."""
    cache = {}

    def get(id):
        k = 2 if id in TWO_CLASSES else 3
        if id not in cache:
            data = instance(12, 3, k, kind="random", seed=5)
            y = np.array(data["y"])
            y[0] = y[1]
            data = {**data, "y": y, "lam": 0.02, "C": 0.8}
            cache[id] = data, optimum(id, data)
        return cache[id]

    return get


@pytest.mark.parametrize("id", EVERY)
def test_the_order_of_the_samples(id, base, optimum, meet):
    data, found = base(id)
    order = np.random.default_rng(0).permutation(12)
    permuted = {**data, "kernels": data["kernels"][:, order][:, :, order], "y": data["y"][order]}
    assert meet(optimum(id, permuted), found)


@pytest.mark.parametrize("id", EVERY)
def test_the_order_of_the_kernels(id, base, optimum, meet):
    data, found = base(id)
    assert meet(optimum(id, {**data, "kernels": data["kernels"][[2, 0, 1]]}), found)


@pytest.mark.parametrize("id", TWO_CLASSES)
def test_the_names_of_two_classes(id, base, optimum, meet):
    data, found = base(id)
    assert meet(optimum(id, {**data, "y": -data["y"]}), found)


@pytest.mark.parametrize("id", [id for id in YE if id not in TWO_CLASSES])
def test_the_names_of_three_classes(id, base, optimum, meet):
    data, found = base(id)
    renamed = np.array([0.0, 40.0, -3.5, 7.0])[data["y"].astype(int)]
    assert meet(optimum(id, {**data, "y": renamed}), found)


@pytest.mark.parametrize("id", YE)
def test_the_scale_of_a_kernel_of_ye2008(id, base, optimum, meet):
    # θᵀr = 1: only Gᵢ/rᵢ counts.
    data, found = base(id)
    scaled = data["kernels"] * np.array([1.0, 1e4, 1e-5])[:, None, None]
    assert meet(optimum(id, {**data, "kernels": scaled}), found)


@pytest.mark.parametrize("id", [*YE, "kim2006"])
def test_a_kernel_twice(id, base, optimum, meet):
    data, found = base(id)
    assert meet(optimum(id, {**data, "kernels": data["kernels"][[0, 1, 2, 1]]}), found)


@pytest.mark.parametrize("id", YE)
def test_a_multiple_and_a_mixture_of_kernels(id, base, optimum, meet):
    # What is already in the convex hull adds nothing.
    data, found = base(id)
    K = data["kernels"]
    more = np.concatenate([K, 5.0 * K[:1], (0.3 * K[0] + 2.0 * K[2])[None]])
    assert meet(optimum(id, {**data, "kernels": more}), found)


@pytest.mark.parametrize("id", [*YE, "kim2006"])
def test_one_more_kernel_cannot_hurt(id, base, optimum):
    data, found = base(id)
    fewer = optimum(id, {**data, "kernels": data["kernels"][:2]})
    if id == "kim2006":
        assert fewer.lower <= found.upper
    else:
        assert fewer.upper >= found.lower


@pytest.mark.parametrize("id", [*YE, "kim2006"])
def test_a_constant_added_to_a_kernel(id, base, optimum, meet):
    # ye2008 centres it away; in kim2006 aᵀe = 0 and Je = 0.
    data, found = base(id)
    shifted = data["kernels"] + np.array([0.0, 0.7, 0.05])[:, None, None]
    assert meet(optimum(id, {**data, "kernels": shifted}), found)


def test_kernels_and_lambda_together_in_kim2006(base, optimum, meet):
    data, found = base("kim2006")
    scaled = {**data, "kernels": 50.0 * data["kernels"], "lam": 50.0 * data["lam"]}
    assert meet(optimum("kim2006", scaled), found)


def test_a_weaker_regularization_only_helps_kim2006(base, optimum):
    data, found = base("kim2006")
    assert optimum("kim2006", {**data, "lam": data["lam"] / 3}).upper >= found.lower


@pytest.mark.parametrize("s", [1e-2, 30.0])
@pytest.mark.parametrize("id", ["lanckriet2004-sm1", "lanckriet2004-sm2"])
def test_kernels_and_C_together_by_the_margin(id, s, base, optimum, meet):
    # α → α/s: the value of (sK, C/s) is 1/s times that of (K, C).
    data, found = base(id)
    scaled = {**data, "kernels": s * data["kernels"], "C": data["C"] / s}
    assert meet(optimum(id, scaled), found, 1 / s)


@pytest.mark.parametrize("id", MARGIN)
def test_a_kernel_twice_by_the_margin(id, base, optimum, meet):
    # The budget grows from c to κc, and α → α/κ: value(C) with it is value(κC)/κ without.
    data, _ = base(id)
    twice = {**data, "kernels": data["kernels"][[0, 1, 2, 1]]}
    r = np.trace(data["kernels"], axis1=1, axis2=2)
    c = r.sum() + (12 if id == "lanckriet2004-sm2c" else 0)
    kappa = (c + r[1]) / c
    without = optimum(id, {**data, "C": kappa * data["C"]})
    assert meet(optimum(id, twice), without, 1 / kappa)


@pytest.mark.parametrize("id", MARGIN)
def test_the_scale_of_one_kernel_by_the_margin(id, base, optimum, meet):
    # G(Kᵢ)/rᵢ stays, c becomes κc.
    data, _ = base(id)
    scaled = {**data, "kernels": data["kernels"] * np.array([1.0, 4.0, 1.0])[:, None, None]}
    r = np.trace(data["kernels"], axis1=1, axis2=2)
    c = r.sum() + (12 if id == "lanckriet2004-sm2c" else 0)
    kappa = (c + 3 * r[1]) / c
    without = optimum(id, {**data, "C": kappa * data["C"]})
    assert meet(optimum(id, scaled), without, 1 / kappa)


@pytest.mark.parametrize("id", EVERY)
def test_a_zero_kernel_is_refused_not_dropped(id, base):
    data, _ = base(id)
    more = np.concatenate([data["kernels"], np.zeros((1, 12, 12))])
    with pytest.raises(ZeroTraceError, match=r"kernels\[3\]"):
        CATALOGUE[id].make({**data, "kernels": more})
