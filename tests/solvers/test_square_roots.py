"""kundu2010-eq10 by Newton in γ: the optimum of the cone, and derivatives by two ways."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import null_space

from cvxkernel.formulations import CATALOGUE
from cvxkernel.solvers import Newton, conic, solve
from cvxkernel.solvers.square_roots import SquareRootsFunction
from cvxkernel.validation.instances import random_kernels
from cvxkernel.validation.tang2009.samples import multi_label

ID = "kundu2010-eq10"
KINDS = ("gaussian", "random", "low rank")


def made(n=24, m=4, *, kind="random", C=1.0, seed=3, **changes):
    data = multi_label(n, m, 1, kind=kind, seed=seed)
    data = {"kernels": data["kernels"], "y": data["Y"][0], "C": C}
    return CATALOGUE[ID].make({**data, **changes})


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("C", [1e-4, 1.0, 1e3])
def test_it_agrees_with_the_cone(C, kind):
    problem = made(kind=kind, C=C)
    found = solve(ID, problem)
    assert found.solver == "newton"
    assert found.width <= 1e-6
    assert found.enclosure.meets(conic(ID, problem).enclosure)


@pytest.mark.parametrize("kind", KINDS)
def test_the_derivatives_are_those_of_the_value(kind):
    phi = SquareRootsFunction(made(30, 3, kind=kind))
    gamma = np.random.default_rng(0).dirichlet(5 * np.ones(3))
    first = phi.at(gamma)
    at = phi.at(gamma, first)
    H, step = at.hessian(), 1e-6
    size = np.abs(H).max()
    for i in range(3):
        e = step * np.eye(3)[i]
        plus, minus = phi.at(gamma + e, at), phi.at(gamma - e, at)
        assert np.array_equal(plus.machine.free, minus.machine.free)
        # second order in the step, and cancellation
        assert (plus.value - minus.value) / (2 * step) == pytest.approx(at.gradient[i], rel=1e-6)
        slope = (plus.gradient - minus.gradient) / (2 * step)
        assert slope == pytest.approx(H[i], rel=1e-5, abs=1e-6 * size)
    # The Schur complement in α of the second derivatives of 1ᵀα - ½Σᵢ αᵀAᵢα/γᵢ
    F = at.machine.free
    Z = null_space(at.machine.y[F][None])
    cross = Z.T @ at.machine.images[:, F].T / gamma**2
    schur = np.diag(at.q / gamma**3) - cross.T @ np.linalg.solve(Z.T @ at.machine.Q @ Z, cross)
    assert pytest.approx(schur, abs=1e-7 * size) == H
    assert at.bound <= at.value <= at.upper + 1e-12 or at.bound <= at.upper <= at.value + 1e-12


def test_degenerate_data():
    n = 24
    one = made(m=1)
    assert Newton().solve(ID, one).iterations == 1
    equal = made(kernels=np.repeat(one.kernels, 3, axis=0))
    zero = made(kernels=np.concatenate([made().kernels, np.zeros((1, n, n))]))
    apart = made(kernels=made().kernels * np.logspace(-3, 3, 4)[:, None, None])
    flat = made(kernels=n * random_kernels(n, 3, rank=2))
    digits = made(kernels=np.round(made(kind="gaussian").kernels, 9))
    for problem in (equal, zero, apart, flat, digits):
        found = solve(ID, problem)
        assert found.width <= 1e-6
        assert found.enclosure.meets(conic(ID, problem, tol=1e-3).enclosure)
