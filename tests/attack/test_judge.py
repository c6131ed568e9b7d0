"""The judge condemns what was answered once, and the reference knows the true optima."""

from __future__ import annotations

import numpy as np
import pytest

from attack.judge import Case, Evidence, attack
from attack.kinds import kinds, permuted
from attack.reference import NoReference, reference
from attack.reference.programs import PROGRAMS
from cvxkernel.formulations import CATALOGUE, Enclosure
from cvxkernel.formulations.errors import ContradictionError, SolverError

SIGNS = np.array([1.0, -1.0, 1.0, -1.0, 1.0])


def complaints(**intervals):
    evidence = Evidence()
    evidence.intervals.update(intervals)
    return list(evidence.complaints())


def test_ends_the_wrong_way_round_are_condemned():
    # chen2009-eq3 on a kernel that was written with nine digits
    assert complaints(solve=(0.80104482762, 0.80104482756))
    assert not complaints(solve=(0.80104482756, 0.80104482762))


def test_the_rank_decision_of_eq12_is_condemned():
    S = np.diag([1.0, -1.0, 1e-15, -1e-15, 0.5])
    data = {"S": S, "y": SIGNS, "eta": 0.01, "gamma": 0.1, "h": "spectrum"}
    low, high = reference("chen2009-eq12", data)
    assert abs(float(low) - 0.2435655) < 1e-7
    assert complaints(proof=(0.58357104169, 0.58357104178), reference=(low, high))
    assert not complaints(proof=(0.24356, 0.24357), reference=(low, high))


@pytest.mark.parametrize("id", ["chen2009-eq8", "chen2009-eq8-qcqp"])
def test_the_rank_decision_of_eq8_is_condemned(id):
    K = np.diag([1.0, 0.3, 1e-15])
    data = {"K": K, "s": np.array([0.2, -0.4, 1.0]), "psi": 1e6, "S": K}
    low, high = reference(id, data)
    if id == "chen2009-eq8-qcqp":
        assert abs(float(low) - 1.9998735) < 1e-7
    answered = np.array([2.0 - 4e-15, 2.0 + 4e-15])
    answered = np.sqrt(answered) if id == "chen2009-eq8" else answered
    assert complaints(solve=tuple(answered), reference=(low, high))


def test_an_answer_that_depends_on_the_order_is_condemned():
    # kundu2010-eq7 at repeated eigenvalues, the samples permuted
    assert complaints(solve=(2.82559, 2.82561), permuted=(2.74079, 2.74081))
    assert not complaints(solve=(2.82559, 2.82561), permuted=(2.8256, 2.8257))


def test_what_is_raised_is_told_apart():
    evidence = Evidence()

    def foreign():
        return 1 / 0

    def wrong():
        return Enclosure(1.0, 2.0, 1.0, {})

    def honest():
        raise SolverError("an id", {}, Enclosure(1.0, 0.0, 1.0, {}))

    for name, claim in (("foreign", foreign), ("wrong", wrong), ("honest", honest)):
        evidence.ask(name, claim)
    assert evidence.intervals == {"honest": (0.0, 1.0)}
    assert set(evidence.foreign) == {"foreign", "wrong"}
    assert evidence.foreign["wrong"].startswith(ContradictionError.__name__)
    assert len(list(evidence.complaints())) == 2


# -- The reference ---------------------------------------------------------------------------------


def test_every_id_has_a_reference_and_kinds():
    assert set(PROGRAMS) == set(CATALOGUE)
    assert all(kinds(id) for id in CATALOGUE)


def contains(id, value, **data):
    """Whether the reference is narrow and has this value in it, given as a fraction of integers."""
    low, high = reference(id, {"y": np.array([1.0, -1.0]), **data})
    return low <= value <= high and float(high - low) <= 1e-20 * abs(float(high))


def test_optima_that_are_known():
    # K = I, y = ±1: max 2α - α² at α = C ≤ 1, and at α = 1 beyond
    I = np.eye(2)
    assert contains("chen2009-eq1", 0.75, K=I, C=0.5)
    assert contains("chen2009-eq1", 1, K=I, C=8.0)
    assert contains("chen2009-eq1", 1, K=np.array([[1.0, -1.0], [-1.0, 1.0]]) * 0.5, C=8.0)
    # 2η times it with C = 1/(2ηn): η = ½, C = ½
    assert contains("chen2009-eq3", 0.75, K=I, eta=0.5)
    # trace 2: 4α - 2α² with r = 2, c = 2
    assert contains("lanckriet2004-sm1", 1.5, kernels=I[None], C=0.5)
    # aᵀ(I + G̃/λr)⁻¹a = 2/(1 + 1/λ)
    assert contains("ye2008-thm2.1", 1, kernels=I[None], lam=1.0)
    # and minus it
    assert contains("ye2008-thm2.3", -1, kernels=I[None], lam=1.0)


def test_a_kernel_stands_for_the_nearest_one():
    # eigenvalues 3 and -1e-9: K₊ has 3 and 0, and 1ᵀα - ½αᵀYKYα sees the second alone
    tiny = 2.0**-30
    K = np.array([[1.5 - tiny, 1.5 + tiny], [1.5 + tiny, 1.5 - tiny]])
    low, high = reference("chen2009-eq1", {"K": K, "y": np.array([1.0, -1.0]), "C": 4.0})
    assert low <= 8 <= high


def test_a_choice_of_eigenvectors_has_no_reference():
    data = {"S": np.eye(3), "y": SIGNS[:3], "eta": 0.1, "gamma": 0.1, "h": "clip"}
    with pytest.raises(NoReference):
        reference("chen2009-eq12", data)


def test_an_instance_is_made_again_from_its_numbers():
    for id in CATALOGUE:
        case = Case(id, kinds(id)[0], 4, 7)
        one, two = case.data(), case.data()
        assert all(np.array_equal(one[key], two[key]) for key in one)
        back = permuted(permuted(one, np.array([2, 0, 3, 1])), np.array([1, 3, 0, 2]))
        assert all(np.array_equal(one[key], back[key]) for key in one)


def test_both_ends_of_the_reference_are_in_order_where_the_hessian_is_badly_scaled():
    low, high = reference("kundu2010-alg2", Case("kundu2010-alg2", "random", 2, 0).data())
    assert low <= high


@pytest.mark.filterwarnings("error")
def test_a_step_of_a_proof_that_overflows_warns_of_nothing():
    case = Case("kundu2010-alg3-printed", "repeated eigenvalues", 3, 130)
    assert not list(attack(case, panel=False).complaints())
