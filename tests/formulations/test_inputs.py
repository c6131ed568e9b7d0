"""Each bad input is a typed exception that names its key; rounded data are not bad input."""

from __future__ import annotations

import numpy as np
import pytest

from cvxkernel.formulations import (
    CATALOGUE,
    CvxkernelError,
    InputError,
    SolverError,
    inputs,
    semidefinite,
)
from cvxkernel.formulations import errors as e
from cvxkernel.solvers import solve
from cvxkernel.validation import instance
from cvxkernel.validation.instances import sample

GOOD = instance(8, 2, 2, kind="random")
K, y = GOOD["kernels"], GOOD["y"]
ORTHOGONAL, _ = np.linalg.qr(np.random.default_rng(0).normal(size=(8, 8)))


def with_entry(array, index, value):
    out = np.array(array, dtype=float)
    out[index] = value
    return out


def with_spectrum(*eigenvalues):
    S = ORTHOGONAL * np.resize(eigenvalues, 8) @ ORTHOGONAL.T
    return np.stack([K[0], (S + S.T) / 2])


STACKED = ("ye2008", "kim2006", "lanckriet2004")  # a stack of kernels, y, λ, C
EVERY = tuple(id for id, form in CATALOGUE.items() if form.paper in STACKED)
YE = tuple(id for id in EVERY if id.startswith("ye2008"))
BINARY = tuple(id for id in YE if CATALOGUE[id].binary)
WITH_LAM = tuple(id for id in EVERY if "lam" in CATALOGUE[id].keys)
WITH_C = tuple(id for id in EVERY if "C" in CATALOGUE[id].keys)

# what is changed, the error, the key it names, a part of the message, the ids it concerns
BAD = {
    "kernels flat": ({"kernels": K[0]}, e.ShapeError, "kernels", "(p, n, n)", EVERY),
    "kernels not square": ({"kernels": K[:, :, :5]}, e.ShapeError, "kernels", "(2, 8, 5)", EVERY),
    "no kernels": ({"kernels": K[:0]}, e.ShapeError, "kernels", "(0, 8, 8)", EVERY),
    "kernels of no points": (
        {"kernels": K[:, :0, :0]},
        e.ShapeError,
        "kernels",
        "(2, 0, 0)",
        EVERY,
    ),
    "kernels of text": ({"kernels": [[["a"]]]}, e.ShapeError, "kernels", "real numbers", EVERY),
    "kernels complex": ({"kernels": K + 0j}, e.ShapeError, "kernels", "complex", EVERY),
    "kernels ragged": (
        {"kernels": [[[1.0, 2.0], [1.0]]]},
        e.ShapeError,
        "kernels",
        "length",
        EVERY,
    ),
    "kernels None": ({"kernels": None}, e.ShapeError, "kernels", "object", EVERY),
    "NaN": (
        {"kernels": with_entry(K, (1, 2, 3), np.nan)},
        e.NotFiniteError,
        "kernels",
        "nan at [1, 2, 3]",
        EVERY,
    ),
    "infinity": (
        {"kernels": with_entry(K, (0, 1, 1), np.inf)},
        e.NotFiniteError,
        "kernels",
        "inf at [0, 1, 1]",
        EVERY,
    ),
    "asymmetric": (
        {"kernels": with_entry(K, (1, 0, 1), K[1, 0, 1] + 1e-9)},
        e.NotSymmetricError,
        "kernels[1]",
        "asymmetry",
        EVERY,
    ),
    "indefinite": (
        {"kernels": with_spectrum(-1e-7, 1.0)},
        e.NotPositiveSemidefiniteError,
        "kernels[1]",
        "-1e-07",
        EVERY,
    ),
    "negative definite": (
        {"kernels": np.stack([K[0], -np.eye(8)])},
        e.NotPositiveSemidefiniteError,
        "kernels[1]",
        "eigenvalue",
        EVERY,
    ),
    "zero kernel": (
        {"kernels": np.stack([K[0], 0 * K[0]])},
        e.ZeroTraceError,
        "kernels[1]",
        "trace",
        EVERY,
    ),
    "constant kernel": (
        {"kernels": np.stack([K[0], 0 * K[0] + 0.3])},
        e.ZeroTraceError,
        "kernels[1]",
        "centred trace",
        YE,  # kim2006 does not centre
    ),
    "y too short": ({"y": y[:-1]}, e.ShapeError, "y", "(7,)", EVERY),
    "y a column": ({"y": y[:, None]}, e.ShapeError, "y", "(8, 1)", EVERY),
    "y with NaN": ({"y": with_entry(y, 0, np.nan)}, e.NotFiniteError, "y", "nan", EVERY),
    "y text": ({"y": ["a"] * 8}, e.ShapeError, "y", "real numbers", EVERY),
    "one class": ({"y": np.ones(8)}, e.LabelError, "y", "one class", EVERY),
    "three classes": (
        {"y": np.arange(8.0) % 3},
        e.LabelError,
        "y",
        "3 classes",
        (*BINARY, "kim2006"),
    ),
    "labels 0 and 1": (
        {"y": (y + 1) / 2},
        e.LabelError,
        "y",
        "labels 0, 1",
        (*WITH_C, "lanckriet2004-sm2c"),
    ),
    "labels -1, 0, 1": (
        {"y": with_entry(y, 0, 0.0)},
        e.LabelError,
        "y",
        "-1, 0, 1",
        (*WITH_C, "lanckriet2004-sm2c"),
    ),
    "lam zero": ({"lam": 0.0}, e.ParameterError, "lam", "a positive number", WITH_LAM),
    "lam negative": ({"lam": -1e-3}, e.ParameterError, "lam", "-0.001", WITH_LAM),
    "lam NaN": ({"lam": np.nan}, e.NotFiniteError, "lam", "nan", WITH_LAM),
    "lam two numbers": ({"lam": [1.0, 2.0]}, e.ShapeError, "lam", "one number", WITH_LAM),
    "lam text": ({"lam": "small"}, e.ShapeError, "lam", "real numbers", WITH_LAM),
    "lam too small": ({"lam": 1e-320}, e.ParameterError, "lam", "between 1e-100", WITH_LAM),
    "kernel too large": ({"kernels": K * 1e120}, e.ParameterError, "kernels[0]", "1e+100", EVERY),
    "kernel too small": ({"kernels": K * 1e-120}, e.ParameterError, "kernels[0]", "1e-100", EVERY),
    "C zero": ({"C": 0.0}, e.ParameterError, "C", "a positive number", WITH_C),
    "C negative": ({"C": -1.0}, e.ParameterError, "C", "-1", WITH_C),
    "C infinite": ({"C": np.inf}, e.NotFiniteError, "C", "inf", WITH_C),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_raises_its_own_error_and_names_the_key(case):
    changed, error, key, told, ids = BAD[case]
    assert ids
    for id in ids:
        with pytest.raises(error) as caught:
            CATALOGUE[id].make({**GOOD, **changed})
        assert caught.value.key == key, id
        assert told in str(caught.value), id
        assert str(caught.value).startswith(f"{key}: expected "), id
        assert "; came " in str(caught.value), id
        assert "\n" not in str(caught.value), id


@pytest.mark.parametrize("id", EVERY)
def test_a_missing_key_is_named_and_a_misspelt_one_pointed_at(id):
    for key in CATALOGUE[id].keys:
        data = {k: v for k, v in GOOD.items() if k != key}
        with pytest.raises(e.MissingKeyError) as caught:
            CATALOGUE[id].make(data)
        assert caught.value.key == key
        misspelt = {"kernels": "kernel", "y": "Y", "lam": "lambda", "C": "c"}[key]
        with pytest.raises(e.MissingKeyError, match=f"{misspelt!r} in place of {key!r}") as caught:
            CATALOGUE[id].make({**data, misspelt: GOOD[key]})
        assert caught.value.key == key


def test_the_family_of_errors():
    kinds = [v for v in vars(e).values() if isinstance(v, type) and issubclass(v, Exception)]
    assert all(issubclass(kind, CvxkernelError) for kind in kinds)
    assert issubclass(InputError, ValueError)
    assert not issubclass(SolverError, InputError)
    told = SolverError("ye2008-thm2.1", {"SCS": "slow", "CLARABEL": "absent"})
    assert str(told) == "ye2008-thm2.1: no solver could answer (SCS: slow; CLARABEL: absent)"


# -- What is data, not an error -------------------------------------------------------------------

ROUNDED = {
    "an eigenvalue of -1e-16": with_spectrum(-1e-16, 0.4, 1.0),
    "an eigenvalue of -5e-9, relative": with_spectrum(-5e-9, 0.4, 1.0),
    "the same, scaled": 1e8 * with_spectrum(-5e-9, 0.4, 1.0),
    "an asymmetry of 1e-16": with_entry(K, (1, 0, 1), np.nextafter(K[1, 0, 1], 1)),
    "an asymmetry of 5e-11, relative": with_entry(K, (0, 0, 1), K[0, 0, 1] + 5e-11 * K[0].max()),
    "rank one": np.stack([K[0], np.outer(y, y)]),
    "a tiny kernel": np.stack([K[0], 1e-30 * K[1]]),
    "one kernel": K[:1],
}  # fmt: skip


@pytest.mark.parametrize("case", ROUNDED)
@pytest.mark.parametrize("id", ["ye2008-thm2.2", "ye2008-eq43", "kim2006", "lanckriet2004-sm1"])
def test_rounded_and_degenerate_kernels_are_accepted(case, id):
    problem = CATALOGUE[id].make({**GOOD, "kernels": ROUNDED[case]})
    held = semidefinite.held(problem.kernels)
    assert np.array_equal(held.came, ROUNDED[case])
    for K, came, slack in zip(problem.kernels, ROUNDED[case], held.slack, strict=True):
        lam, U = np.linalg.eigh((came + came.T) / 2)
        assert np.linalg.norm(K - (U * np.maximum(lam, 0)) @ U.T, 2) <= slack + 1e-14 * lam[-1]


@pytest.mark.parametrize("case", ["an eigenvalue of -1e-16", "an asymmetry of 1e-16"])
@pytest.mark.parametrize("id", EVERY)
def test_rounded_kernels_are_answered(case, id, optimum):
    optimum(id, {**GOOD, "kernels": ROUNDED[case]})


@pytest.mark.parametrize("id", EVERY)
def test_integers_booleans_and_lists_are_numbers(id):
    problem = CATALOGUE[id].make(
        {**GOOD, "kernels": K.tolist(), "y": y.astype(int), "lam": 1, "C": 2}
    )
    assert problem.kernels.dtype == problem.y.dtype == np.float64
    if "lam" in CATALOGUE[id].keys:
        assert problem.lam == 1.0


@pytest.mark.parametrize("id", EVERY)
def test_a_program_takes_no_problem_of_another_kind(id):
    others = {type(CATALOGUE[other].make(GOOD)) for other in EVERY} - {CATALOGUE[id].problem}
    for other in EVERY:
        problem = CATALOGUE[other].make(GOOD)
        if type(problem) in others:
            with pytest.raises(e.InputError, match=f"for {id}"):
                solve(id, problem)


def test_masked_entries_are_no_numbers():
    y = np.ma.masked_array([1.0, -1.0, 1.0], mask=[False, True, False])
    with pytest.raises(e.NotFiniteError, match=r"^y: .* masked"):
        inputs.array("y", y)
    assert inputs.array("y", np.ma.masked_array([1.0, -1.0])).tolist() == [1.0, -1.0]


@pytest.mark.parametrize(("id", "key"), [("ye2008-thm2.1", "kernels"), ("kundu2010-eq7", "S")])
def test_stacks_of_matlab_are_to_be_permuted(id, key):
    data = sample(id, 9, 2)
    told = rf"permute\({key}, \[3 1 2\]\); came shape \(9, 9, 2\)"
    with pytest.raises(e.ShapeError, match=told):
        CATALOGUE[id].make({**data, key: np.moveaxis(data[key], 0, 2)})


@pytest.mark.parametrize("digits", [4, 5])
def test_a_kernel_of_four_decimals_is_told_of_toJSON(digits):
    X = np.random.default_rng(0).normal(size=(30, 2))
    K = np.exp(-((X[:, None] - X) ** 2).sum(-1) / 8)
    with pytest.raises(e.NotPositiveSemidefiniteError) as caught:
        CATALOGUE["ye2008-thm2.1"].make({**instance(30, 1, 2), "kernels": [np.round(K, digits)]})
    assert ("written with 4 digits?" in str(caught.value)) == (digits == 4)
    far = np.array([[1.0, 2.0001], [2.0001, 1.0]])  # no rounding did this
    with pytest.raises(e.NotPositiveSemidefiniteError, match=r"largest 3$"):
        CATALOGUE["chen2009-eq1"].make({"K": far, "y": [1, -1], "C": 1.0})
