"""chen2009's proofs where a kernel, a spectrum or a column is learned."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import hadamard

from cvxkernel.formulations import SolverError
from cvxkernel.formulations.chen2009 import (
    AugmentedSample,
    KernelMachine,
    NewSample,
    RegularizedMachine,
    RobustMachine,
    SpectrumMachine,
    spectrum,
)
from cvxkernel.validation import check, enclose, rigorous
from cvxkernel.validation.chen2009.samples import similarity

S, Y = similarity(16, kind="random", seed=2)


def test_a_column_whose_optimum_is_five():
    # K = I, s = (2, 2), ψ = 1: μ = 2 gives k = s/2 and r = 2, 2·2 + 1.
    K, s = np.eye(2), np.array([2.0, 2.0])
    found = enclose("chen2009-eq8-qcqp", NewSample(K, s, 1.0))
    assert found.lower <= 5 <= found.upper
    assert found.width <= 1e-15
    found = enclose("chen2009-eq8", AugmentedSample(K, s, 1.0, K), k=s / 2, r=2.0)
    assert found.lower <= np.sqrt(5.0) <= found.upper
    assert found.width <= 1e-15


def test_a_column_that_is_consistent_stays_as_it_is():
    K = spectrum.flip(S)
    problem = NewSample(K, K @ np.ones(16) / 16, float(K.sum()) / 100)
    found = enclose("chen2009-eq8-qcqp", problem)
    assert (found.lower, found.upper) == (0.0, 0.0)


@pytest.mark.parametrize("psi", [-1.0, 0.3, 50.0])
def test_the_column_of_a_singular_kernel(psi):
    """s leaves the range of K, but for eigenvalues near 1e-16 that rounding has left above zero."""
    K, s = spectrum.clip(S), S[:, 3] + 0.1
    found = rigorous.solve("chen2009-eq8-qcqp", NewSample(K, s, psi), tol=1e-4)
    off = s - K @ np.linalg.pinv(K, rcond=1e-9, hermitian=True) @ s
    assert found.upper >= 2 * float(off @ off) * (1 - 1e-5)


def test_where_nothing_is_learned_it_is_the_machine():
    """(12) with h = clip or flip at a large γ, and (7) with S ⪰ 0, are (3).

    S = UDUᵀ and h(S) are doubles without rounding, which enclosures as narrow as these would tell.
    """
    eta, far = 0.05, 1e3
    rng = np.random.default_rng(0)
    U, y = hadamard(16) / 4, np.where(rng.permutation(16) < 7, 1.0, -1.0)
    d = rng.permutation(np.r_[-6.0:0.0, 1.0:11.0])
    for h, kept in (("clip", np.maximum(d, 0)), ("flip", np.abs(d))):
        machine = RegularizedMachine((U * kept) @ U.T, y, eta)
        fixed = rigorous.solve("chen2009-eq3", machine)
        learned = rigorous.solve("chen2009-eq12", SpectrumMachine((U * d) @ U.T, y, eta, far, h))
        assert learned.enclosure.meets(fixed.enclosure)
        assert learned.upper - learned.lower <= 1e-6 * learned.upper
    K = spectrum.flip(S)
    learned = rigorous.solve("chen2009-eq7", KernelMachine(K, Y, eta, far))
    assert learned.enclosure.meets(
        rigorous.solve("chen2009-eq3", RegularizedMachine(K, Y, eta)).enclosure
    )


def test_no_proof_where_the_eigenvectors_are_not_unique():
    """Samples 0 and 1 are alike: nothing tells their eigenvectors apart, unless U is given."""
    data = np.diag([1.0, 1.0, -1.0, 2.0]), [1, 1, -1, -1], 0.1, 0.1, "clip"
    with pytest.raises(SolverError, match="repeats"):
        rigorous.solve("chen2009-eq12", SpectrumMachine(*data))
    found = rigorous.answer("chen2009-eq12", SpectrumMachine(*data))
    assert not found.rigorous
    assert "repeats" in found.open
    given = SpectrumMachine(*data, U=found.variables["U"])
    proved = rigorous.solve("chen2009-eq12", given)
    assert proved.rigorous
    assert proved.enclosure.meets(found.enclosure)


def test_an_answer_that_is_not_feasible_is_told_so():
    problem = RobustMachine(S, Y, 1.0, 0.5)
    found = check("luss2007", problem, K=S, why=False)  # S is indefinite
    assert found.violations["lmi"].lower > 0.01
    assert np.linalg.eigvalsh(found.repaired["K"])[0] > -1e-12
    assert found.sides["upper"].distance.lower > 0
    kernel = KernelMachine(S, Y, 0.05, 0.1)
    best = rigorous.solve("chen2009-eq7-dual", kernel)
    W = 2 * best.variables["W"]
    found = check("chen2009-eq7-dual", kernel, alpha=best.variables["alpha"], W=W, why=False)
    assert found.violations["W ball"].lower > 0.99
    assert np.linalg.norm(found.repaired["W"]) <= 0.1 * (1 + 1e-12)
    assert found.sides["lower"].objective.upper <= best.upper


def test_a_kernel_alone_is_worth_its_machine():
    problem = KernelMachine(S, Y, 0.05, 0.1)
    found = check("chen2009-eq7", problem, K=spectrum.clip(S), why=False).sides["upper"]
    fixed = rigorous.solve("chen2009-eq3", RegularizedMachine(spectrum.clip(S), Y, 0.05))
    expected = fixed.value + 0.1 * np.linalg.norm(spectrum.clip(S) - S)
    assert found.objective.lower - 1e-9 <= expected <= found.objective.upper + 1e-9
    assert found.distance.lower > 0
