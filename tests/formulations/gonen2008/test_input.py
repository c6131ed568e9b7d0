"""What is wrong with a problem is said in one line."""

from __future__ import annotations

import numpy as np
import pytest

from cvxkernel.formulations import CATALOGUE
from cvxkernel.formulations import errors as e
from cvxkernel.solvers import solve
from cvxkernel.validation.instances import sample


@pytest.mark.parametrize(
    ("id", "change", "key", "error"),
    [
        ("eq7", {"X": np.ones((13, 2))}, "X", e.ShapeError),
        ("eq7", {"X": np.ones(14)}, "X", e.ShapeError),
        ("eq7", {"X": np.ones((14, 0))}, "X", e.ShapeError),
        ("eq7", {"X": np.full((14, 2), np.nan)}, "X", e.NotFiniteError),
        ("eq7", {"V": np.ones((2, 3))}, "V", e.ShapeError),
        ("eq7", {"V": np.ones((3, 3))}, "V", e.ShapeError),
        ("eq7", {"v0": np.ones(2)}, "v0", e.ShapeError),
        ("eq7", {"v0": np.array([0, np.inf, 0])}, "v0", e.NotFiniteError),
        ("eq7", {"V": np.full((3, 2), 1e200)}, "V", e.ParameterError),
        ("eq7", {"C": 0.0}, "C", e.ParameterError),
        ("eq7", {"y": np.arange(14) % 2}, "y", e.LabelError),
        ("alg1", {"kernels": np.eye(14)[None]}, "kernels", e.ShapeError),
        ("alg1", {"X": np.ones((15, 2))}, "X", e.ShapeError),
        ("alg1", {"kernels": -np.ones((2, 14, 14))}, "kernels[0]", e.NotPositiveSemidefiniteError),
    ],
)
def test_bad_input_exits_2_with_one_line(id, change, key, error, tmp_path, run):
    data = {**sample("gonen2008-eq7", 14, 3), **change}
    with pytest.raises(error) as caught:
        CATALOGUE[f"gonen2008-{id}"].make(data)
    assert caught.value.key == key
    np.savez(tmp_path / "bad.npz", **data)
    status, out, err = run("solve", f"gonen2008-{id}", tmp_path / "bad.npz")
    assert (status, out) == (2, "")
    assert err.startswith(f"cvxkernel: {key}: expected")
    assert err.count("\n") == 1


def test_one_problem_is_not_the_other(gated, on_a_line):
    with pytest.raises(e.InputError, match="a Localized for gonen2008-alg1; came a Gated"):
        solve("gonen2008-alg1", gated())
    with pytest.raises(e.InputError, match="a Gated for gonen2008-eq7; came a Localized"):
        solve("gonen2008-eq7", on_a_line(0)[0])
