"""Slips in tang2009: each is committed by solving the slipped problem, and has to be named."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from cvxkernel.formulations import CATALOGUE, tang2009
from cvxkernel.formulations.tang2009 import Separate
from cvxkernel.solvers import solve
from cvxkernel.validation import check
from cvxkernel.validation.slips import explain
from cvxkernel.validation.slips.slip import fixed
from cvxkernel.validation.tang2009.samples import multi_label
from cvxkernel.validation.tang2009.slips import measure

QP, QCQP, SILP = "tang2009-eq2", "tang2009-thm3.1", "tang2009-eq11"
BOTH = (QCQP, SILP)
EVERY = (QP, QCQP, SILP)
n, k = 14, 2


@cache
def data(id, kind, seed):
    given = multi_label(n, 3, 3, kind="gaussian" if kind == "gaussian" else "random", seed=seed)
    given = {**given, "Y": given["Y"][:k]}
    if kind == "scaled":
        scale = np.array([1.0, 2.0, 0.5])[:, None, None]
        given = {**given, "kernels": given["kernels"] * scale}
    if id == QP:  # one kernel for each label
        given = {**given, "kernels": given["kernels"][:k]}
    return {**given, "C": 0.7, "lam": 0.1, "beta": 0.2}


def of(id, given, **changes):
    """The right program of other data."""
    slipped = {**given, **changes}
    found = solve(id, CATALOGUE[id].make(slipped), tol=1e-8)
    return dict(found.variables), found.value


def told(id, given, **changes):
    """The right answer, told wrongly."""
    variables, value = of(id, given)
    point = {"value": value, **variables}
    point |= {k: f(point[k]) for k, f in changes.items() if k in point}
    if "theta" in changes and "theta" not in point:
        point["gamma"] = changes["theta"](point["gamma"])
        point["zeta"] = changes["theta"](point["zeta"])
    return {k: v for k, v in point.items() if k != "value"}, point["value"]


def mean_kernel(id, given):
    problem = CATALOGUE[id].make(given)
    found = solve(QP, tang2009.average(problem), tol=1e-8)
    assert isinstance(tang2009.average(problem), Separate)
    zeta, gamma = np.full(3, 1 / 3), np.zeros((k, 3))
    variables = {"alpha": found.variables["alpha"], "zeta": zeta, "gamma": gamma}
    return variables | ({"theta": zeta + gamma} if id == SILP else {}), found.value


COMMITTED = [
    ("C/n", EVERY, lambda id, d: of(id, d, C=d["C"] / n)),
    ("nC", EVERY, lambda id, d: of(id, d, C=d["C"] * n)),
    ("2C", EVERY, lambda id, d: of(id, d, C=d["C"] * 2)),
    ("½C", EVERY, lambda id, d: of(id, d, C=d["C"] / 2)),
    ("1/C", EVERY, lambda id, d: of(id, d, C=1 / d["C"])),
    ("½ of (1)", EVERY, lambda id, d: of(id, d, kernels=2 * d["kernels"])),
    ("½ of Ω", (QCQP,), lambda id, d: of(id, d, lam=2 * d["lam"])),
    ("½ of Ω", (SILP,), lambda id, d: of(id, d, beta=d["beta"] / 2)),
    ("k of kλ", (QCQP,), lambda id, d: of(id, d, lam=d["lam"] / k)),
    ("nλ", (QCQP,), lambda id, d: of(id, d, lam=d["lam"] * n)),
    ("Independent", (QCQP,), lambda id, d: of(id, d, lam=0.0)),
    ("Independent", (SILP,), lambda id, d: of(id, d, beta=k / 2)),
    ("Same", (QCQP,), lambda id, d: of(id, d, lam=1e4)),
    ("Same", (SILP,), lambda id, d: of(id, d, beta=0.0)),
    ("share", (SILP,), lambda id, d: of(id, d, beta=k / 2 * (1 - d["beta"]))),
    ("2β", (SILP,), lambda id, d: of(id, d, beta=2 * d["beta"])),
    ("average kernel", BOTH, mean_kernel),
    ("ridge", EVERY, lambda id, d: of(id, d, kernels=d["kernels"] + 0.05 * np.eye(n))),
    ("trace normalization", BOTH, lambda id, d: of(
        id, d, kernels=d["kernels"] / np.trace(d["kernels"], axis1=1, axis2=2)[:, None, None])),
    ("2σ²", EVERY, lambda id, d: of(id, d, kernels=d["kernels"] ** 2)),
    ("factor of the value", EVERY, lambda id, d: told(id, d, value=lambda v: 2 * v)),
    ("sign of the value", EVERY, lambda id, d: told(id, d, value=lambda v: -v)),
    ("factor of α", EVERY, lambda id, d: told(id, d, alpha=lambda a: a / 2)),
    ("sign of α", EVERY, lambda id, d: told(id, d, alpha=lambda a: a * d["Y"])),
    ("weights rescaled", BOTH, lambda id, d: told(id, d, theta=lambda w: w / 2)),
    ("order of the labels", BOTH, lambda id, d: told(
        id, d, alpha=lambda a: a[::-1], theta=lambda w: w[::-1] if w.ndim == 2 else w)),
]  # fmt: skip
KERNELS = {"2σ²": "gaussian", "C/n": "gaussian", "trace normalization": "scaled"}


def parts(variables, value, turn):
    """The whole answer; of every other one also its weights alone or, in turn, its dual point."""
    yield "whole", variables, value
    part = (("theta", "zeta", "gamma"), (), ("alpha",), ())[turn % 4]
    if only := {s: v for s, v in variables.items() if s in part}:
        yield "part", only, None


def diagnosed(row):
    """For each answer in which the slip changes more than 1e-4: what was named."""
    kind, ids, commit = COMMITTED[row]
    id, out = ids[row % len(ids)], []
    given = data(id, KERNELS.get(kind, "random"), row)
    form, problem = CATALOGUE[id], CATALOGUE[id].make(given)
    for part, point, value in parts(*commit(id, given), row):
        if fixed("", "").at(measure(form, problem, point, value), 1.0) > 1e-4:
            named = [slip.kind for slip in explain(form, problem, point, value)]
            out.append((id, part, named))
    return out


ROWS = [pytest.param(i, id=f"{kind} {i}") for i, (kind, *_) in enumerate(COMMITTED)]


@pytest.mark.parametrize("row", ROWS)
def test_a_committed_slip_is_named(row, once):
    kind = COMMITTED[row][0]
    found = once(f"tang2009-slip-{row}", lambda: diagnosed(row))
    whole = [(id, named) for id, part, named in found if part == "whole"]
    assert whole
    assert all(kind in named for *_, named in whole), whole


def test_nine_of_ten_slips_are_named(once):
    hits = [
        COMMITTED[row][0] in named
        for row in range(len(COMMITTED))
        for *_, named in once(f"tang2009-slip-{row}", lambda row=row: diagnosed(row))
    ]
    assert len(hits) >= 35
    assert np.mean(hits) >= 0.9


@pytest.mark.parametrize("id", EVERY)
def test_an_optimal_answer_has_no_slip(id):
    given = data(id, "random", 5)
    variables, value = of(id, given)
    told = check(id, CATALOGUE[id].make(given), tol=1e-6, value=value, **variables)
    assert told.verdict() == "within"
    assert told.slips == ()
    form, problem = CATALOGUE[id], CATALOGUE[id].make(given)
    for point in ({}, variables):
        assert explain(form, problem, point, value) == []


def test_a_slip_is_told_by_check():
    given = data(QCQP, "random", 7)
    variables, value = of(QCQP, given, C=2 * given["C"])
    judged = check(QCQP, CATALOGUE[QCQP].make(given), value=value, **variables)
    assert judged.verdict() == "not within"
    assert judged.slips[0].kind == "2C"
