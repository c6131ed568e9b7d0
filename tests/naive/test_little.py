"""What tells little: one kernel chosen, a kernel alone, weights near the optimum."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import cvxkernel
from cvxkernel.formulations import CATALOGUE
from cvxkernel.validation.instances import sample

ROBUST, FREE, GIVEN, SM1 = "luss2007", "chen2009-eq7", "kundu2010-eq5", "lanckriet2004-sm1"


@cache
def data(id):
    """A small instance; of several kernels the first is far the best."""
    made = dict(sample(id, 10, 3, seed=5))
    if "kernels" in made:
        made["kernels"] = made["kernels"] * np.array([1.0, 1e-3, 1e-3])[:, None, None]
    return made | {"C": 0.5, "tau": 3.0, "rho": 0.4}


def answer(id, *names, **changes):
    """What another problem's solution tells under these names."""
    form = CATALOGUE[id]
    found = cvxkernel.solve(id, form.make(data(id) | changes), tol=1e-9)
    return {name: found.value if name == "value" else found.variables[name] for name in names}


def slips(id, told, **options):
    return cvxkernel.check(id, CATALOGUE[id].make(data(id)), told, **options).slips


def test_a_form_without_its_half_is_told_from_half_the_weight_of_the_norm():
    """max 1ᵀα - αᵀYKYα + ρ‖K-S‖², α ≤ C, is half of (2) at 2α with 2C and 2ρ."""
    half = answer(ROBUST, "alpha", C=1.0, rho=0.8)["alpha"] / 2
    assert slips(ROBUST, {"alpha": half})[0].kind == "½ of the form"
    less = slips(ROBUST, answer(ROBUST, "alpha", rho=0.2))
    assert {slip.kind for slip in less} == {"½ρ"}
    S, y = (np.asarray(data(ROBUST)[name]) for name in "Sy")
    q = np.outer(y * half, y * half)
    K = S + q / (2 * 0.4)
    w, U = np.linalg.eigh(K)
    K = (U * w.clip(0)) @ U.T
    value = half.sum() - (q * K).sum() + 0.4 * ((K - S) ** 2).sum()
    twice = answer(ROBUST, "value", C=1.0, rho=0.8)["value"]
    assert value == pytest.approx(twice / 2, rel=1e-6)


def test_no_number_is_fitted_to_a_value_beside_one_kernel_chosen():
    id = "rakotomamonjy2008"
    told = answer(id, "d", "value", C=0.5 * 0.37)
    assert np.sum(told["d"] > 1e-6) == 1
    assert {slip.kind for slip in slips(id, told)} <= {"another value"}


@pytest.mark.parametrize(("id", "symbol"), [(GIVEN, "beta"), (SM1, "mu")])
def test_a_budget_is_read_off_the_weights_beside_a_value(id, symbol):
    """c is the sum of the traces, τ is told; a value of 4/3 of either belongs to it."""
    kernels = np.asarray(data(id)["kernels"])
    tau = 4.0 if id == GIVEN else 4 / 3 * float(np.trace(kernels, axis1=1, axis2=2).sum())
    found = answer(GIVEN, "beta", "value", tau=tau, kernels=kernels)
    value = found["value"] * (1 if id == GIVEN else 2)
    first = slips(id, {symbol: found["beta"], "value": value})[0]
    assert first.kind == "another budget"
    assert f"{'τ' if id == GIVEN else 'c'} = {tau:.6g}" in first.statement
    alone = slips(id, {symbol: found["beta"]})
    assert "μ" not in alone[0].statement or id == SM1


def test_a_learned_kernel_alone_is_explained_by_what_is_very_near():
    assert not slips(FREE, answer(FREE, "K", eta=30 * data(FREE)["eta"]))


def test_weights_near_the_optimum_may_be_those_of_another_problem():
    """The objective is as near as programs stop at, the gap is more."""
    id = "ye2008-thm2.2"
    best = answer(id, "theta")["theta"]
    problem = CATALOGUE[id].make(data(id))
    other = np.ones(3) / problem.r / 3
    for part in 2.0 ** -np.arange(4, 14):
        found = cvxkernel.check(id, problem, {"theta": (1 - part) * best + part * other})
        if found.sides["upper"].relative.upper <= 1e-2:
            break
    assert found.slips[0].kind == "stopped early"
    assert "weights alone" in found.slips[0].statement


def test_coefficients_without_a_kernel_are_an_alpha():
    told = answer(ROBUST, "alpha")["alpha"] * data(ROBUST)["y"]
    found = cvxkernel.check(ROBUST, CATALOGUE[ROBUST].make(data(ROBUST)), {"dual_coef": told})
    assert found.within()


def test_signed_coefficients_of_many_labels_are_asked_for_as_alpha():
    id = "tang2009-eq2"
    given = dict(sample(id, 8, 2, seed=5))
    with pytest.raises(cvxkernel.errors.InputError, match=r"expected alpha of shape"):
        cvxkernel.check(id, CATALOGUE[id].make(given), {"dual_coef": np.asarray(given["Y"])})
