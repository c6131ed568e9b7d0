"""Slips in support vector machines, committed: gonen2008 and chen2009 (1), (3).

Data are slipped and the package's solver asked; or a subclass in which a formula is wrong is given
to Clarabel; or the right answer is told wrongly.
"""

from __future__ import annotations

import warnings
from dataclasses import replace

import cvxpy as cp
import numpy as np
import pytest
from scipy.special import softmax

from cvxkernel.formulations import CATALOGUE, kernels
from cvxkernel.solvers import solve
from cvxkernel.validation import slips
from cvxkernel.validation.check import check
from cvxkernel.validation.instances import blobs, random_kernels, sample
from cvxkernel.validation.slips import explain
from cvxkernel.validation.slips.slip import fixed

EQ7, EQ1, EQ3 = "gonen2008-eq7", "chen2009-eq1", "chen2009-eq3"
EVERY, CS = (EQ7, EQ1, EQ3), (EQ7, EQ1)


def data(kind, seed, n=20):
    rng = np.random.default_rng(seed)
    X, y = blobs(n, 2, seed=seed)
    y = np.where(rng.random(n) < 0.2, 3 - y, y)
    y[:2] = 1, 2
    if kind == "gaussian":
        K = np.stack([kernels.gaussian(X, s) for s in (1.0, 2.0, 4.0)])
    else:
        K = (
            5
            * n
            * random_kernels(n, 3, rank=n // 2, seed=seed)
            * np.array([1, 2, 0.5])[:, None, None]
        )
    V, v0 = rng.normal(size=(3, X.shape[1])), 0.7 * rng.normal(size=3)
    told = {"kernels": K, "K": K[0] + K[1], "y": 2 * y - 3, "X": X, "V": V, "v0": v0}
    return told | {"C": 0.6, "eta": 1 / (2 * 0.6 * n)}


def other_data(**changes):
    def commit(id, given):
        slipped = {**given, **{k: f(given) for k, f in changes.items()}}
        solution = solve(id, CATALOGUE[id].make(slipped), solver="svm", tol=1e-8)
        return dict(solution.variables), solution.value

    return commit


def other_formula(**overrides):
    """(7) with K_η or y computed wrongly; only α is told."""

    def commit(id, given):
        form = CATALOGUE[id]
        made = {k: property(f) for k, f in overrides.items()}
        slipped = type("Slipped", (form.problem,), made)(**{k: given[k] for k in form.keys})
        return _alpha(form.program(slipped))

    return commit


def other_program(build):
    def commit(id, given):
        problem = CATALOGUE[id].make(given)
        K = problem.K_eta if id == EQ7 else problem.K
        alpha = cp.Variable(problem.n, name="alpha")
        objective, constraints = build(alpha, K, problem.y, problem.C)
        program = cp.Problem(cp.Maximize(objective), constraints)
        program.solve(solver=cp.CLARABEL)
        # The value of (3) is 2η times.
        factor = 2 * problem.eta if id == EQ3 else 1.0
        return {"alpha": np.clip(alpha.value, 0, None)}, factor * program.value

    return commit


def _alpha(program):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        program.problem.solve(solver="CLARABEL")
    return {"alpha": np.clip(program.value("alpha"), 0, None)}, float(program.problem.value)


def other_numbers(**changes):
    def commit(id, given):
        solution = solve(id, CATALOGUE[id].make(given), solver="svm", tol=1e-9)
        point = {"value": solution.value, **solution.variables}
        point |= {k: f(point[k], given) for k, f in changes.items() if k in point}
        point.pop("xi", None)
        return {k: v for k, v in point.items() if k != "value"}, point["value"]

    return commit


def combine(gates):
    """K_η of other gates."""

    def K_eta(p):
        return sum(e[:, None] * K * e for e, K in zip(gates(p), p.kernels, strict=True))

    return other_formula(K_eta=K_eta)


def quadratic(K, y, alpha):
    return cp.sum_squares(kernels.factor(np.outer(y, y) * K) @ alpha)


def z(p):
    return p.V @ p.X.T + p.v0[:, None]


def trace(K):
    return np.trace(K, axis1=-2, axis2=-1)[..., None, None]


def both(change):
    """The same change of the one kernel and of the stack."""
    return {"kernels": lambda d: change(d["kernels"]), "K": lambda d: change(d["K"])}


COMMITTED = [
    ("C/n", CS, other_data(C=lambda d: d["C"] / len(d["y"]))),
    ("nC", CS, other_data(C=lambda d: d["C"] * len(d["y"]))),
    ("2C", CS, other_data(C=lambda d: 2 * d["C"])),
    ("½C", CS, other_data(C=lambda d: d["C"] / 2)),
    ("1/C", CS, other_data(C=lambda d: 1 / d["C"])),
    ("½η", (EQ3,), other_data(eta=lambda d: d["eta"] / 2)),
    ("2η", (EQ3,), other_data(eta=lambda d: 2 * d["eta"])),
    ("nη", (EQ3,), other_data(eta=lambda d: d["eta"] * len(d["y"]))),
    ("η/n", (EQ3,), other_data(eta=lambda d: d["eta"] / len(d["y"]))),
    ("1/η", (EQ3,), other_data(eta=lambda d: 1 / d["eta"])),
    ("ridge", EVERY, other_data(**both(lambda K: K + 0.1 * np.eye(K.shape[-1])))),
    ("labels", EVERY, other_data(y=lambda d: np.sort(d["y"]))),
    ("labels", EVERY, other_program(lambda a, K, y, C: (
        cp.sum(a) - cp.sum_squares(kernels.factor(K) @ a) / 2, [a >= 0, a <= C, a @ y == 0]))),
    ("½ of the form", EVERY, other_program(lambda a, K, y, C: (
        cp.sum(a) - quadratic(K, y, a), [a >= 0, a <= C, a @ y == 0]))),
    ("other norm", EVERY, other_program(lambda a, K, y, C: (
        cp.sum(a) - quadratic(K, y, a) / 2 - cp.sum_squares(a) / (2 * C), [a >= 0, a @ y == 0]))),
    ("no offset", EVERY, other_program(lambda a, K, y, C: (
        cp.sum(a) - quadratic(K, y, a) / 2, [a >= 0, a <= C]))),
    ("trace normalization", EVERY, other_data(**both(lambda K: K / trace(K)))),
    ("trace normalization", EVERY, other_data(**both(lambda K: len(K[-1]) * K / trace(K)))),
    ("gates not squared", (EQ7,), combine(lambda p: np.sqrt(p.eta))),
    ("gates left out", (EQ7,), combine(lambda p: np.ones((p.p, p.n)))),
    ("equal gates", (EQ7,), combine(lambda p: np.full((p.p, p.n), 1 / p.p))),
    ("no softmax", (EQ7,), combine(lambda p: np.exp(z(p)))),
    ("no softmax", (EQ7,), combine(lambda p: 1 / (1 + np.exp(-z(p))))),
    ("softmax over samples", (EQ7,), combine(lambda p: softmax(z(p), axis=1))),
    ("v0 left out", (EQ7,), combine(lambda p: softmax(p.V @ p.X.T, axis=0))),
    ("sign of the gating", (EQ7,), other_data(V=lambda d: -d["V"], v0=lambda d: -d["v0"])),
    ("crisp gates", (EQ7,), combine(lambda p: (p.eta == p.eta.max(axis=0)) * 1.0)),
    ("sign of the value", EVERY, other_numbers(value=lambda v, d: -v)),
    ("factor of the value", EVERY, other_numbers(value=lambda v, d: 2 * v)),
    ("value of (1)", (EQ3,), other_numbers(value=lambda v, d: v / (2 * d["eta"]))),
    ("factor of α", EVERY, other_numbers(alpha=lambda v, d: v / 2)),
    ("factor of α", CS, other_numbers(alpha=lambda v, d: v / d["C"])),
    ("sign of α", CS, other_numbers(alpha=lambda v, d: v * d["y"])),
    ("sign of b", (EQ7, EQ3), other_numbers(b=lambda v, d: -v)),
    ("sign of c", (EQ3,), other_numbers(c=lambda v, d: -v)),
    ("α for c", (EQ3,), other_numbers(c=lambda v, d: v * d["y"])),
]  # fmt: skip
ROWS = [(i, id) for i, (_, ids, _) in enumerate(COMMITTED) for id in ids]


def diagnosed(row, id):
    """What is named for the whole answer and for α alone, where the slip changes 1e-4 and more."""
    kind, _, commit = COMMITTED[row]
    # Gaussian kernels have trace n already.
    sort = "random" if row % 2 == 0 or kind == "trace normalization" else "gaussian"
    given = data(sort, seed=row)
    form = CATALOGUE[id]
    problem = form.make(given)
    point, value = commit(id, given)
    out = []
    for part, told in ((point, value), ({k: v for k, v in point.items() if k == "alpha"}, None)):
        measure = slips.measure(form, problem, part, told)
        if part and fixed("", "").at(measure, 1.0) > 1e-4:
            out.append([slip.kind for slip in explain(form, problem, part, told)])
    return out


@pytest.fixture
def named(once):
    """`diagnosed`, once a run."""
    return lambda row, id: once(f"machine-slip-{row}-{id}", lambda: diagnosed(row, id))


@pytest.mark.parametrize(("row", "id"), ROWS, ids=lambda x: x if isinstance(x, str) else None)
def test_a_committed_slip_is_named(row, id, named):
    found = named(row, id)
    assert found, "the slip changes nothing here"
    assert COMMITTED[row][0] in found[0], found


def test_nine_of_ten_are_named_and_first(named):
    hits = [COMMITTED[row][0] in kinds for row, id in ROWS for kinds in named(row, id)]
    first = [COMMITTED[row][0] in kinds[:1] for row, id in ROWS for kinds in named(row, id)]
    assert len(hits) >= 100
    assert np.mean(hits) >= 0.9
    assert np.mean(first) >= 0.8


@pytest.mark.parametrize("kind", ["gaussian", "random"])
@pytest.mark.parametrize("id", EVERY)
def test_an_optimal_answer_has_none(id, kind):
    for seed in range(3):
        problem = CATALOGUE[id].make(data(kind, seed))
        solution = solve(id, problem, solver="svm", tol=1e-9)
        assert not explain(CATALOGUE[id], problem, solution.variables, solution.value)


def test_check_names_a_slip_at_a_gating():
    given = data("random", 5)
    problem = CATALOGUE["gonen2008-alg1"].make(given)
    gating = {k: given[k] for k in ("V", "v0")}
    other = solve(EQ7, CATALOGUE[EQ7].make({**given, "C": 12.0}), solver="svm")  # nC
    told = check("gonen2008-alg1", problem, alpha=other.variables["alpha"], **gating)
    assert told.slips[0].kind == "nC"


def test_a_program_whose_slips_are_not_known_has_none(solved):
    problem, solution = solved("chen2009-eq7")
    assert explain(CATALOGUE["chen2009-eq7"], problem, solution.variables, 1.0) == []


def test_an_alpha_outside_its_box_is_not_explained_by_it():
    form = CATALOGUE["chen2009-eq1"]
    problem = form.make(sample("chen2009-eq1", 10, 1))
    alpha = np.where(problem.y > 0, 1 / (problem.y > 0).sum(), 1 / (problem.y < 0).sum())
    held = slips.measure(form, problem, {"alpha": alpha}, None)
    assert replace(held, box=np.full(len(alpha), alpha.max() / 2)).distance() >= 1
