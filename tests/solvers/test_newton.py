"""Newton on the simplex: the same optimum as every other route, in a few factorizations."""

from __future__ import annotations

import numpy as np
import pytest

from cvxkernel.formulations import CATALOGUE, InputError, SolverError
from cvxkernel.formulations.ye2008 import JointDiscriminant
from cvxkernel.solvers import conic, solve
from cvxkernel.solvers.newton import DISCRIMINANT, DiscriminantFunction, Newton
from cvxkernel.solvers.weights import SIMPLEX
from cvxkernel.validation.instances import blobs, gaussian_kernels, sample

KINDS = ("gaussian", "random", "low rank")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("id", sorted(DISCRIMINANT))
def test_it_agrees_with_the_default_route(id, kind, solved):
    problem, expected = solved(id, kind)
    found = solve(id, problem, solver="newton", tol=1e-9)
    assert found.width <= 1e-9
    assert found.enclosure.meets(expected.enclosure)
    assert found.solver == "newton"
    assert found.iterations <= 15
    for step in found.history:
        assert step.lower <= step.upper
        assert step.lower <= found.upper * (1 + 1e-12 * np.sign(found.upper))
        assert step.upper >= found.lower * (1 - 1e-12 * np.sign(found.lower))


@pytest.mark.parametrize("lam", [1e-8, 1e-2, 1e4])
@pytest.mark.parametrize("id", ["ye2008-thm2.2", "ye2008-thm3.3"])
def test_over_the_range_of_lambda(id, lam):
    for kind in KINDS:
        data = sample(id, 20, 6, kind=kind, seed=3) | {"lam": lam}
        problem = CATALOGUE[id].make(data)
        assert Newton(tol=1e-8).solve(id, problem).width <= 1e-8


@pytest.mark.parametrize("id", ["ye2008-thm2.2", "ye2008-thm3.2", "ye2008-eq46"])
def test_the_derivatives_are_those_of_the_value(id):
    form = CATALOGUE[id]
    phi = DiscriminantFunction(
        form.make(sample(id, 12, 4, kind="random") | {"lam": 0.1}), binary=form.binary
    )
    rng = np.random.default_rng(0)
    w = rng.dirichlet(np.ones(phi.p))
    at = phi.at(w)
    H = at.hessian()
    step = 1e-5
    for i in range(phi.p):
        e = step * np.eye(phi.p)[i]
        plus, minus = phi.at(w + e), phi.at(w - e)
        # second and fourth order in the step: 1e-10 of third derivatives, and cancellation
        assert (plus.value - minus.value) / (2 * step) == pytest.approx(at.gradient[i], rel=1e-6)
        slope = (plus.gradient - minus.gradient) / (2 * step)
        assert slope == pytest.approx(H[i], rel=1e-5, abs=1e-6 * np.abs(H).max())
    assert at.bound <= at.value


@pytest.mark.parametrize("seed", range(20))
def test_the_model_is_minimized_over_the_simplex(seed):
    rng = np.random.default_rng(seed)
    p = int(rng.integers(1, 8))
    B = rng.normal(size=(p, max(1, p - seed % 3)))
    H, g, w = B @ B.T, rng.normal(size=p) * 10.0 ** rng.integers(-3, 2), rng.dirichlet(np.ones(p))
    v = SIMPLEX.minimum(H, g, w)
    assert v.min() >= 0
    assert v.sum() == pytest.approx(1)
    slopes = H @ (v - w) + g  # equal on the support, larger elsewhere
    assert slopes @ v == pytest.approx(slopes.min(), abs=1e-9 * (1 + np.abs(slopes).max()))


def test_equal_kernels_and_one_kernel():
    data = sample("ye2008-thm2.2", 12, 3)
    K = data["kernels"]
    one = Newton(tol=1e-9).solve("ye2008-thm2.2", CATALOGUE["ye2008-thm2.2"].make(data))
    twice = CATALOGUE["ye2008-thm2.2"].make({**data, "kernels": np.concatenate([K, K])})
    assert Newton(tol=1e-9).solve("ye2008-thm2.2", twice).enclosure.meets(one.enclosure)
    single = CATALOGUE["ye2008-thm2.2"].make({**data, "kernels": K[:1]})
    assert Newton(tol=1e-9).solve("ye2008-thm2.2", single).iterations == 1


def test_what_it_does_not_answer_and_what_it_cannot_reach(solved):
    problem, _ = solved("ye2008-thm3.1")
    with pytest.raises(InputError, match=r"a conic solver for ye2008-thm3\.1"):
        solve("ye2008-thm3.1", problem, solver="newton")
    problem, expected = solved("ye2008-thm3.2")
    with pytest.raises(SolverError, match="relative width") as caught:
        Newton(tol=1e-9, max_iterations=2).solve("ye2008-thm3.2", problem)
    assert caught.value.best.meets(expected.enclosure)


@pytest.mark.parametrize("classes", [2, 3])
def test_equal_samples_are_no_matter_where_lam_is_learned(classes):
    X, y = blobs(24, classes, d=3, seed=0)
    X, y = np.concatenate([X, X]), np.concatenate([y, y])
    problem = JointDiscriminant(gaussian_kernels(X, 6), y)
    id = "ye2008-eq43" if classes == 2 else "ye2008-eq46"
    found = Newton(tol=1e-6).solve(id, problem)  # λ is zero: M is as singular as the kernels
    assert found.width <= 1e-6
    assert found.iterations <= 10
    assert found.enclosure.meets(conic(id, problem).enclosure)
