"""Estimators that combine kernels: the programs they solve, and how scikit-learn meets them."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from cvxkernel.formulations import kernels, lanckriet2004, tang2009, ye2008
from cvxkernel.formulations.errors import InputError, SolverError
from cvxkernel.solvers import solve
from cvxkernel.solvers.estimators import (
    DiscriminantMKL,
    KernelBank,
    LocalizedMKL,
    MarginMKL,
    SharedMKL,
    gaussians,
)
from cvxkernel.validation.instances import blobs

BANK = ["linear", ("gaussian", {"sigma": 2.0}), ("polynomial", {"q": 2}, [0, 1])]


@pytest.fixture(scope="module")
def two():
    X, y = blobs(40, 2, d=3, seed=1)
    return X, np.where(y == y.min(), "mine", "rock")


@pytest.fixture(scope="module")
def three():
    X, y = blobs(45, 3, d=3, seed=2)
    return X, y.astype(int)


def stack(X, Z=None):
    Z = X if Z is None else Z
    first = kernels.polynomial(X[:, :2], 2, Z[:, :2])
    return np.stack([kernels.linear(X, Z), kernels.gaussian(X, 2.0, Z), first])


def test_a_bank_is_its_kernels_and_remembers_the_training_scale(two):
    X, _ = two
    bank = KernelBank(BANK).fit(X[:30])
    assert np.allclose(bank.transform(X[30:]), np.moveaxis(stack(X[30:], X[:30]), 0, -1))
    unit = KernelBank(BANK, trace="unit")
    assert np.array_equal(
        unit.fit_transform(X[:30]), KernelBank(BANK, trace=1.0).fit_transform(X[:30])
    )
    assert np.trace(unit.fit_transform(X[:30])) == pytest.approx(np.ones(3))
    r = np.trace(stack(X[:30]), axis1=1, axis2=2)
    assert np.allclose(unit.transform(X[30:]), np.moveaxis(stack(X[30:], X[:30]), 0, -1) / r)
    scaled = KernelBank(BANK, scale="z-scores", centre=True)
    train = scaled.fit_transform(X[:30])
    assert np.abs(train.sum(axis=1)).max() < 1e-9  # centred: rows add up to nothing
    assert np.allclose(scaled.transform(X[:30]), train)


@pytest.mark.parametrize(("share", "id"), [("same", "tang2009-eq11"), ("average", "tang2009-eq2")])
def test_shared_is_its_program(three, share, id):
    X, y = three
    model = SharedMKL(BANK, C=2.0, share=share).fit(X, y)
    Y = tang2009.one_against_rest(y)
    problem = tang2009.Shared(stack(X), Y, 2.0, 0.0)
    problem = tang2009.average(problem) if share == "average" else problem
    assert model.solution_.enclosure.meets(solve(id, problem).enclosure)
    assert model.weights_.shape == (3, 3)
    assert model.score(X, y) > 0.8
    assert model.decision_function(X).shape == (45, 3)


@pytest.mark.parametrize("lam", [1e-2, "learned"])
@pytest.mark.parametrize("data", ["two", "three"])
def test_discriminant_is_its_program(lam, data, request):
    X, y = request.getfixturevalue(data)
    model = DiscriminantMKL(BANK, lam=lam).fit(X, y)
    index = np.unique(y, return_inverse=True)[1].astype(float)
    K, joint = stack(X), lam == "learned"
    problem = ye2008.JointDiscriminant(K, index) if joint else ye2008.Discriminant(K, index, lam)
    theta = solve(model.solution_.formulation, problem).variables["theta"]
    assert model.lower_ <= solve(model.solution_.formulation, problem).upper
    assert model.weights_ == pytest.approx(theta[1:] if joint else theta, rel=1e-3, abs=1e-9)
    own = ye2008.RKDA.fit(problem, model.weights_, model.lam_)
    assert np.array_equal(np.unique(y)[own.predict(K).astype(int)], model.predict(X))
    assert model.transform(X).shape == (len(X), len(set(y)) - 1)
    assert model.score(X, y) > 0.8


def test_every_program_of_the_paper_can_be_asked_for(two):
    X, y = two
    ends = []
    for program in ("ye2008-thm2.1", "ye2008-thm2.2", "ye2008-thm2.3"):
        model = DiscriminantMKL(BANK, lam=0.1, program=program).fit(X, y)
        ends.append(sorted(abs(end) for end in (model.lower_, model.upper_)))
    assert max(low for low, _ in ends) <= min(high for _, high in ends)
    with pytest.raises(InputError, match=r"program: .* 2 classes and λ given.*ye2008-eq44"):
        DiscriminantMKL(BANK, lam=0.1, program="ye2008-eq44").fit(X, y)


@pytest.mark.parametrize(("C", "norm"), [(2.0, 1), (2.0, 2), ("learned", 2)])
def test_margin_is_its_program(two, C, norm):
    X, y = two
    model = MarginMKL(BANK, C=C, norm=norm).fit(X, y)
    signs = np.where(y == "rock", 1.0, -1.0)
    K = stack(X)
    made = (
        lanckriet2004.JointMargin(K, signs)
        if C == "learned"
        else lanckriet2004.SoftMargin(K, signs, C)
    )
    assert model.solution_.enclosure.meets(solve(model.solution_.formulation, made).enclosure)
    r = np.trace(K, axis1=1, axis2=2)
    if C == "learned":
        assert model.weights_ @ r + len(X) / model.C_ == pytest.approx(r.sum() + len(X))
    else:
        assert model.weights_ @ r == pytest.approx(r.sum())
    assert model.score(X, y) > 0.8
    assert 0 < len(model.support_) <= len(X)


def test_with_one_kernel_the_margin_machine_is_libsvms(two):
    X, y = two
    model = MarginMKL([("gaussian", {"sigma": 1.0})], C=3.0).fit(X, y)
    theirs = SVC(C=3.0, gamma=1.0, tol=1e-8).fit(X, y)
    away = blobs(30, 2, d=3, seed=7)[0]
    assert model.decision_function(away) == pytest.approx(theirs.decision_function(away), abs=1e-4)
    shared = SharedMKL([("gaussian", {"sigma": 1.0})], C=3.0).fit(X, y)
    assert shared.decision_function(away) == pytest.approx(theirs.decision_function(away), abs=1e-4)


def test_sm2_puts_its_support_on_the_margin_less_the_slack(two):
    X, y = two
    model = MarginMKL(BANK, C=0.5, norm=2, tol=1e-9).fit(X, y)
    alpha, signs = model.solution_.variables["alpha"], np.where(y == "rock", 1.0, -1.0)
    margins = signs * model.decision_function(X)
    on = model.support_
    assert margins[on] == pytest.approx(1 - alpha[on] / 0.5, abs=1e-3)


def test_labels_may_overlap(three):
    X, y = three
    Y = np.column_stack([y == 1, y >= 2, X[:, 0] > 0]).astype(int)
    model = SharedMKL(BANK, C=5.0, share=0.5).fit(X, Y)
    assert model.predict(X).shape == Y.shape
    assert (model.predict(X) == Y).mean() > 0.8
    assert model.solution_.variables["zeta"].sum() >= 0.5 - 1e-6


def test_localized_gates_are_on_the_simplex(two):
    X, y = two
    model = LocalizedMKL(KernelBank(BANK, trace="n", scale="z-scores"), C=1.0).fit(X, y)
    assert model.gates(X).sum(axis=1) == pytest.approx(np.ones(len(X)))
    assert model.weights_ == pytest.approx(model.gates(X).mean(axis=0))
    assert model.score(X, y) > 0.8
    with pytest.raises(InputError, match="kernels"):
        LocalizedMKL("precomputed").fit(np.eye(4)[:, :, None], [0, 1, 0, 1])


@pytest.mark.parametrize(
    "model",
    [
        DiscriminantMKL(lam=1e-2),
        MarginMKL(),
        SharedMKL(share="independent"),
        SharedMKL(share="average"),
    ],
    ids=lambda model: type(model).__name__ + str(getattr(model, "share", "")),
)
def test_a_bank_in_a_pipeline_inside_and_precomputed_are_one(two, model):
    X, y = two
    inside = clone(model).set_params(kernels=BANK)
    piped = make_pipeline(KernelBank(BANK), clone(model).set_params(kernels="precomputed"))
    given = clone(model).set_params(kernels="precomputed")
    K = np.moveaxis(stack(X), 0, -1)
    scores = [
        cross_val_score(inside, X, y, cv=4),
        cross_val_score(piped, X, y, cv=4),
        cross_val_score(given, K, y, cv=4, n_jobs=2),
    ]
    assert np.array_equal(scores[0], scores[1])
    assert np.array_equal(scores[0], scores[2])


def test_grid_search_reaches_the_bank_and_the_parameter(two):
    X, y = two
    search = GridSearchCV(
        make_pipeline(StandardScaler(), DiscriminantMKL(KernelBank(BANK))),
        {"discriminantmkl__lam": [1e-3, 1.0], "discriminantmkl__kernels__trace": [None, 1.0]},
        cv=3,
    ).fit(X, y)
    assert search.best_score_ > 0.8
    assert search.best_estimator_[-1].lower_ <= search.best_estimator_[-1].upper_


def test_a_warm_start_along_lam_proves_the_same_optima(two):
    X, y = two
    warm = DiscriminantMKL(gaussians(), warm_start=True)
    for lam in (1.0, 0.5, 0.25):
        warm.set_params(lam=lam).fit(X, y)
        cold = DiscriminantMKL(gaussians(), lam=lam).fit(X, y)
        assert warm.solution_.enclosure.meets(cold.solution_.enclosure)
    warm.fit(X[:20], y[:20])  # another size: from the beginning


@pytest.mark.parametrize(
    ("model", "names"),
    [
        (DiscriminantMKL(lam=-1.0), "lam: expected a positive number"),
        (DiscriminantMKL(lam="learnt"), "lam"),
        (DiscriminantMKL(["linear", "radial"]), r"kernels\[1\]: expected a function, or one of"),
        (DiscriminantMKL([("gaussian", {"sigma": 0.0})]), r"kernels\[0\].sigma"),
        (DiscriminantMKL([("linear", {}, [9])]), r"kernels\[0\]: expected a list of columns of X"),
        (DiscriminantMKL([("gaussian", 2.0)]), r"kernels\[0\]"),
        (DiscriminantMKL(("gaussian", {"sigma": 2.0})), r"kernels\[1\]: expected a function, or"),
        (DiscriminantMKL([("linear", {}, 0)]), r"kernels\[0\]: expected a list of columns"),
        (DiscriminantMKL(program="eq43"), "program: expected an id of ye2008"),
        (DiscriminantMKL([("gaussian", {"width": 2.0})]), r"kernels\[0\].*width"),
        (DiscriminantMKL([lambda X, Z: X]), r"kernels\[0\]: expected a finite kernel of shape"),
        (DiscriminantMKL([]), "kernels: expected one kernel or more"),
        (DiscriminantMKL("gaussian"), "kernels: expected a list"),
        (DiscriminantMKL([lambda X, Z: -X @ Z.T]), "kernels"),
        (DiscriminantMKL(KernelBank(scale="log")), "scale"),
        (DiscriminantMKL(KernelBank(trace=0.0)), "trace"),
        (MarginMKL(C=0.0), "C: expected a positive number"),
        (MarginMKL(C="learned"), "C"),
        (MarginMKL(norm=3), "norm: expected 1 or 2"),
        (SharedMKL(share=1.5), "share: expected a number from 0 to 1"),
        (SharedMKL(share="mine"), "share"),
        (SharedMKL(share=None), "share"),
        (SharedMKL(beta=-1.0), "beta"),
        (LocalizedMKL(starts=0), "starts"),
        (LocalizedMKL(step=-1.0), "step"),
        (DiscriminantMKL(tol=-1.0), "tol"),
        (DiscriminantMKL(solver="simplex"), "solver"),
    ],
)  # fmt: skip
def test_an_error_at_fit_names_the_parameter(two, model, names):
    with pytest.raises(InputError, match=names):
        model.fit(*two)


def test_what_cannot_be_proved_is_not_fitted(two):
    with pytest.raises(SolverError):
        DiscriminantMKL(tol=1e-30, solver="newton").fit(*two)


def test_a_precomputed_stack_of_the_wrong_way_round_is_refused():
    with pytest.raises(InputError, match="precomputed kernels of shape"):
        DiscriminantMKL("precomputed").fit(np.ones((3, 8, 8)), np.arange(3) % 2)
