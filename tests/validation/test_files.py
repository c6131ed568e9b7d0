"""Problem files: npz, mat and json give the same problem; a bad file is told in one line."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy.io import savemat

from cvxkernel.formulations import CATALOGUE, InputError
from cvxkernel.formulations import errors as e
from cvxkernel.solvers import Solution, Step
from cvxkernel.validation import answer, instance, load, read
from cvxkernel.validation.instances import sample

DATA = instance(9, 2, 2, kind="random", seed=1)
LIST = {k: np.asarray(v).tolist() for k, v in DATA.items()}


def write(path, data=DATA):
    if path.suffix == ".npz":
        np.savez(path, **data)
    elif path.suffix == ".mat":
        savemat(path, data)
    else:
        path.write_text(json.dumps({k: np.asarray(v).tolist() for k, v in data.items()}))
    return path


@pytest.mark.parametrize("suffix", [".npz", ".mat", ".json", ".NPZ"])
@pytest.mark.parametrize("id", CATALOGUE)
def test_every_kind_of_file_gives_the_same_problem(id, suffix, tmp_path):
    data = sample(id, 9, 3, kind="random")
    path = write(tmp_path / f"problem{suffix.lower()}", data).rename(tmp_path / f"again{suffix}")
    problem = load(id, path)
    expected = CATALOGUE[id].make(data)
    assert type(problem) is type(expected)
    for key in CATALOGUE[id].keys:
        assert np.array_equal(getattr(problem, key), getattr(expected, key)), key


@pytest.mark.parametrize("shape", [(9,), (9, 1), (1, 9)])
def test_labels_in_a_mat_file_may_be_a_row_or_a_column(shape, tmp_path):
    path = tmp_path / "problem.mat"
    savemat(path, {**DATA, "y": DATA["y"].reshape(shape)}, oned_as="row")
    assert np.array_equal(load("ye2008-thm2.1", path).y, DATA["y"])


def test_integers_from_matlab_are_labels_too(tmp_path):
    path = tmp_path / "problem.mat"
    savemat(path, {**DATA, "y": DATA["y"].astype(np.int8)})
    assert np.array_equal(load("lanckriet2004-sm1", path).y, DATA["y"])


def test_one_kernel_in_a_mat_file(tmp_path):
    # MATLAB drops trailing dimensions, not leading ones: (1, n, n) survives.
    path = write(tmp_path / "one.mat", {**DATA, "kernels": DATA["kernels"][:1]})
    assert load("ye2008-thm2.1", path).p == 1


def test_keys_that_are_not_needed_are_left_alone(tmp_path):
    path = write(tmp_path / "more.npz", {**DATA, "notes": np.arange(3)})
    assert load("ye2008-eq41", path).n == 9
    assert set(read(path)) == {*DATA, "notes"}


def empty(path):
    path.write_bytes(b"")


def truncated(path):
    np.savez(path, **DATA)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def truncated_late(path):
    np.savez(path, **DATA)
    path.write_bytes(path.read_bytes()[:-30])


def damaged(path):
    np.savez(path, **DATA)
    raw = bytearray(path.read_bytes())
    raw[len(raw) // 3] ^= 0xFF
    path.write_bytes(bytes(raw))


def damaged_and_packed(path):
    np.savez_compressed(path, **DATA)
    raw = bytearray(path.read_bytes())
    raw[100:160] = b"\x00" * 60
    path.write_bytes(bytes(raw))


def a_bare_npy(path):
    with path.open("wb") as file:
        np.save(file, DATA["kernels"])


def pickled(path):
    np.savez(path, **{**DATA, "y": np.array([{"a": 1}, None], dtype=object)})


def text(content):
    return lambda path: path.write_text(content)


def raw(content):
    return lambda path: path.write_bytes(content)


def with_data(**changes):
    def make(path):
        write(path, {k: v for k, v in {**DATA, **changes}.items() if v is not None})

    return make


def nan_in_json(path):
    kernels = json.loads(json.dumps(LIST["kernels"]))
    kernels[1][2][3] = float("nan")
    path.write_text(json.dumps({**LIST, "kernels": kernels}))


def v73(path):
    path.write_bytes(
        b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(124) + b"\x00\x02IM" + b"\x89HDF" * 200
    )


def truncated_mat(path):
    savemat(path, DATA)
    path.write_bytes(path.read_bytes()[:700])


def compressed_garbage(path):
    savemat(path, DATA, do_compression=True)
    body = bytearray(path.read_bytes())
    body[200:240] = b"\x00" * 40
    path.write_bytes(bytes(body))


# name of the file: what is in it, the error, the key
BAD = {
    "empty.npz": (empty, e.FileError, "empty.npz"),
    "empty.mat": (empty, e.FileError, "empty.mat"),
    "empty.json": (empty, e.FileError, "empty.json"),
    "half.npz": (truncated, e.FileError, "half.npz"),
    "late.npz": (truncated_late, e.FileError, "late.npz"),
    "damaged.npz": (damaged, InputError, None),
    "packed.npz": (damaged_and_packed, e.FileError, "packed.npz"),
    "text.npz": (text("kernels, y, lam\n1, 2, 3\n"), e.FileError, "text.npz"),
    "bare.npz": (a_bare_npy, e.FileError, "bare.npz"),
    "object.npz": (pickled, e.ShapeError, "y"),
    "misspelt.npz": (with_data(lam=None, lambda_=np.array(1.0)), e.MissingKeyError, "lam"),
    "missing.npz": (with_data(kernels=None), e.MissingKeyError, "kernels"),
    "missing.mat": (with_data(y=None), e.MissingKeyError, "y"),
    "missing.json": (text("{}"), e.MissingKeyError, "kernels"),
    "short.npz": (with_data(y=DATA["y"][:5]), e.ShapeError, "y"),
    "one.npz": (with_data(y=np.ones(9)), e.LabelError, "y"),
    "negative.npz": (with_data(lam=np.array(-1.0)), e.ParameterError, "lam"),
    "nan.npz": (with_data(lam=np.array(np.nan)), e.NotFiniteError, "lam"),
    "list.json": (text("[1, 2]"), e.FileError, "list.json"),
    "number.json": (text("3"), e.FileError, "number.json"),
    "broken.json": (text('{"kernels": [['), e.FileError, "broken.json"),
    "nan.json": (nan_in_json, e.NotFiniteError, "kernels"),
    "binary.json": (raw(b"\xff\xfe\x00\x01"), e.FileError, "binary.json"),
    "deep.json": (text("[" * 100_000), e.FileError, "deep.json"),
    "text.json": (text(json.dumps({**LIST, "y": "abc"})), e.ShapeError, "y"),
    "object.json": (text(json.dumps({**LIST, "y": {"a": 1}})), e.ShapeError, "y"),
    "null.json": (text(json.dumps({**LIST, "lam": None})), e.ShapeError, "lam"),
    "huge.json": (text(json.dumps({**LIST, "lam": 10**400})), InputError, "lam"),
    "ragged.json": (text(json.dumps({**LIST, "y": [1, [2]]})), e.ShapeError, "y"),
    "garbage.mat": (raw(b"not a mat file" * 40), e.FileError, "garbage.mat"),
    "short.mat": (raw(b"abc"), e.FileError, "short.mat"),
    "half.mat": (truncated_mat, e.FileError, "half.mat"),
    "packed.mat": (compressed_garbage, e.FileError, "packed.mat"),
    "v73.mat": (v73, e.FileError, "v73.mat"),
    "cell.mat": (
        lambda path: savemat(path, {**DATA, "y": np.array([1, "a"], dtype=object)}),
        e.ShapeError,
        "y",
    ),
    "data.csv": (text("1,2,3"), e.FileError, "data.csv"),
    "data": (text("1,2,3"), e.FileError, "data"),
    "folder.npz": (lambda path: path.mkdir(), e.FileError, "folder.npz"),
    "nowhere.npz": (lambda path: None, e.FileError, "nowhere.npz"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_is_a_typed_error(name, tmp_path):
    make, error, key = BAD[name]
    make(tmp_path / name)
    with pytest.raises(error) as caught:
        load("ye2008-thm2.1", tmp_path / name)
    assert key is None or caught.value.key == key
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_is_one_line_and_exit_2(name, tmp_path, run):
    make, _, key = BAD[name]
    make(tmp_path / name)
    status, out, err = run("solve", "ye2008-thm2.1", tmp_path / name, "--json")
    assert status == 2
    assert out == ""
    assert err.count("\n") == 1
    assert err.endswith("\n")
    assert err.startswith(f"cvxkernel: {key or ''}")
    assert "expected" in err
    assert "came" in err
    assert "Traceback" not in err


def test_a_misspelt_key_is_pointed_at(tmp_path):
    path = write(tmp_path / "problem.npz", {**DATA, "Lam": DATA["lam"]} | {"y": DATA["y"]})
    with np.load(path) as file:
        data = {k: file[k] for k in file.files if k != "lam"}
    with pytest.raises(e.MissingKeyError, match="'Lam' in place of 'lam'"):
        load("ye2008-thm2.1", write(tmp_path / "again.npz", data))


# -- Answers ------------------------------------------------------------------------------------


def test_numbers_are_printed_to_17_digits_and_come_back_exactly(contract):
    rng = np.random.default_rng(0)
    numbers = np.concatenate(
        [rng.normal(size=50) * 10.0 ** rng.integers(-300, 300, size=50), [0.1, 0.0, -0.0]]
    )
    solution = Solution(
        formulation="ye2008-thm2.1",
        value=0.1,
        lower=np.nextafter(0.1, 0),
        upper=np.nextafter(0.1, 1),
        variables={"theta": numbers, "t": np.array(1 / 3), "T": numbers[:4].reshape(2, 2)},
        solver="CLARABEL",
        iterations=None,
        seconds=1e-3,
        history=(Step(1, 0.1, 0.2, 0.3),),
    )
    back = json.loads(answer(solution))
    assert tuple(back) == contract
    assert np.array_equal(back["variables"]["theta"], numbers)
    assert back["variables"]["t"] == 1 / 3
    assert np.array_equal(back["variables"]["T"], numbers[:4].reshape(2, 2))
    assert back["lower"] == np.nextafter(0.1, 0)
    assert back["upper"] == np.nextafter(0.1, 1)
    assert back["rigorous"] is True
    assert back["iterations"] is None
    assert "0.10000000000000001" in answer(solution)
    assert json.loads(answer(solution, history=True))["history"] == [
        {"iteration": 1, "lower": 0.1, "upper": 0.2, "seconds": 0.3}
    ]
