"""Files from strangers: what they claim is read before it is unpacked, and told in one line."""

from __future__ import annotations

import json
import pickle
import struct
import subprocess
import zlib
from shutil import which
from zipfile import ZIP_DEFLATED, ZIP_LZMA, ZipFile

import numpy as np
import pytest
from scipy.io import savemat
from scipy.sparse import eye_array

from cvxkernel.formulations import errors as e
from cvxkernel.validation import instance, load, read
from cvxkernel.validation.files import read_answer
from cvxkernel.validation.instances import sample
from cvxkernel.validation.readers import budget, mat, npz

DATA = instance(9, 2, 2, kind="random", seed=1)
LIST = {key: np.asarray(value).tolist() for key, value in DATA.items()}


@pytest.fixture
def nothing_unpacked(monkeypatch):
    def fail(*arguments, **options):
        raise AssertionError("unpacked before it was refused")

    monkeypatch.setattr(npz.npy, "read_array", fail)
    monkeypatch.setattr(mat, "loadmat", fail)


def header(shape, descr="<f8"):
    """Of an .npy file of version 1."""
    text = f"{{'descr': {descr!r}, 'fortran_order': False, 'shape': {shape}, }}"
    text = text.ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode()


def archive(path, members, how=ZIP_DEFLATED):
    with ZipFile(path, "w", how) as out:
        for name, content in members:
            out.writestr(name, content)
    return path


# -- Archives -------------------------------------------------------------------------------------


def test_a_small_archive_that_claims_a_million_by_a_million(tmp_path, run, nothing_unpacked):
    path = archive(tmp_path / "claim.npz", [("kernels.npy", header((1, 10**6, 10**6)))])
    assert path.stat().st_size < 700
    done = run("solve", "ye2008-thm2.1", path)
    assert done.status == 2
    assert done.err.startswith("cvxkernel: claim.npz: expected a whole .npz archive; came 0 bytes")
    assert "8000000000000 bytes" in done.err


@pytest.mark.parametrize("how", [ZIP_DEFLATED, ZIP_LZMA])
def test_an_archive_that_unpacks_to_more_than_the_memory(
    how, tmp_path, run, monkeypatch, nothing_unpacked
):
    content = header((1, 1000, 1000)) + bytes(8 * 1000 * 1000)
    path = archive(tmp_path / "bomb.npz", [("kernels.npy", content)], how)
    assert path.stat().st_size < 10**5
    monkeypatch.setenv(budget.MEMORY, "0.01")
    done = run("solve", "ye2008-thm2.1", path)
    assert done.status == 2
    assert done.err.count("\n") == 1
    assert "at most 0.0025 GB" in done.err
    assert "CVXKERNEL_MEMORY" in done.err
    assert "came kernels of shape (1, 1000, 1000): 8 MB" in done.err


def test_the_memory_is_adjustable_and_counts_all_the_arrays(tmp_path, monkeypatch):
    path = tmp_path / "problem.npz"
    np.savez(path, a=np.zeros(1000, dtype=np.int8), b=np.zeros(1000))
    needed = budget.COPIES * 16_000 / budget.GIGA  # as doubles
    monkeypatch.setenv(budget.MEMORY, str(1.001 * needed))
    assert set(read(path)) == {"a", "b"}
    monkeypatch.setenv(budget.MEMORY, str(0.999 * needed))
    with pytest.raises(e.FileError, match="16 kB"):
        read(path)


@pytest.mark.parametrize("memory", ["0", "-1", "nan", "much", ""])
def test_a_memory_that_is_none(memory, tmp_path, monkeypatch):
    path = tmp_path / "problem.npz"
    np.savez(path, **DATA)
    monkeypatch.setenv(budget.MEMORY, memory)
    with pytest.raises(e.InputError, match=r"CVXKERNEL_MEMORY: expected .* gigabytes; came"):
        read(path)


def test_the_memory_at_hand_is_that_of_the_system():
    assert 1e6 < budget.at_hand() < 1e16


def test_more_in_the_archive_than_its_header_says(tmp_path, nothing_unpacked):
    path = archive(tmp_path / "more.npz", [("y.npy", header((3,)) + bytes(10**7))])
    with pytest.raises(e.FileError, match=r"10000000 bytes of y, whose header says .* 24 bytes"):
        read(path)


def test_a_directory_that_says_less_than_there_is(tmp_path):
    path = archive(tmp_path / "lie.npz", [("y.npy", header((3,)) + bytes(10**6))])
    raw = path.read_bytes()
    true = struct.pack("<I", len(header((3,))) + 10**6)
    path.write_bytes(raw.replace(true, struct.pack("<I", len(header((3,))) + 24)))
    with pytest.raises(e.FileError, match=r"a whole .npz archive"):  # its checksum is another's
        read(path)


@pytest.mark.parametrize(
    "content",
    [
        header((-1,)),
        header("(" * 60),
        header((10**30, 0)),
        header((3,), "<q9"),
        header((3,), "|V2147483647") + bytes(3),
        b"\x93NUMPY\x09\x00" + bytes(100),
        b"\x93NUMPY\x01\x00\xff\xff" + bytes(10),
        b"not an array at all",
        b"",
    ],
)
def test_headers_that_make_no_sense(content, tmp_path):
    path = archive(tmp_path / "header.npz", [("y.npy", content)])
    with pytest.raises(e.FileError, match=r"header.npz: expected"):
        read(path)


def test_pickles_are_refused_unread(tmp_path, nothing_unpacked):
    path = tmp_path / "objects.npz"
    np.savez(path, y=np.array([{}, None], dtype=object))
    with pytest.raises(e.ShapeError, match=r"y: .* pickle"):
        read(path)


def test_too_many_arrays_and_one_of_them_twice(tmp_path):
    one = header((1,)) + bytes(8)
    many = archive(tmp_path / "many.npz", [(f"a{i}.npy", one) for i in range(1001)])
    with pytest.raises(e.FileError, match="at most 1000 arrays; came 1001"):
        read(many)
    with pytest.warns(UserWarning, match="Duplicate name"):
        twice = archive(tmp_path / "twice.npz", [("y.npy", one), ("y.npy", one)])
    with pytest.raises(e.FileError, match="y: expected a key once; came twice"):
        read(twice)


def test_what_is_no_array_in_an_archive_is_left_alone(tmp_path):
    path = archive(tmp_path / "more.npz", [("y.npy", header((1,)) + bytes(8)), ("README", b"hi")])
    assert set(read(path)) == {"y"}


# -- MATLAB ---------------------------------------------------------------------------------------


def test_a_mat_file_that_unpacks_to_more_than_the_memory(
    tmp_path, run, monkeypatch, nothing_unpacked
):
    path = tmp_path / "bomb.mat"
    savemat(path, {"kernels": np.zeros((1, 1000, 1000))}, do_compression=True)
    assert path.stat().st_size < 10**5
    monkeypatch.setenv(budget.MEMORY, "0.01")
    done = run("solve", "ye2008-thm2.1", path)
    assert done.status == 2
    assert "came kernels of shape (1, 1000, 1000): 8 MB" in done.err


def test_what_is_hidden_in_a_cell_counts(tmp_path, monkeypatch, nothing_unpacked):
    cell = np.empty((1, 1), dtype=object)
    cell[0, 0] = np.zeros((1000, 1000))
    savemat(tmp_path / "cell.mat", {"y": cell}, do_compression=True)
    monkeypatch.setenv(budget.MEMORY, "0.01")
    with pytest.raises(e.FileError, match="what it unpacks to: 8 MB"):
        read(tmp_path / "cell.mat")


def test_mat_files_that_claim_a_million_by_a_million(tmp_path, nothing_unpacked):
    four = tmp_path / "four.mat"  # version 4: type, rows, columns, imaginary, length of the name
    four.write_bytes(struct.pack("<5i", 0, 10**6, 10**6, 0, 2) + b"y\0" + bytes(80))
    five = tmp_path / "five.mat"
    savemat(five, {"y": np.zeros((3, 4))})
    raw = five.read_bytes()
    five.write_bytes(raw.replace(struct.pack("<2i", 3, 4), struct.pack("<2i", 10**6, 10**6)))
    for path in (four, five):
        with pytest.raises(e.FileError, match=r"y of shape \(1000000, 1000000\): 8e\+03 GB"):
            read(path)


def nested(levels, kind, name=b"variables"):
    """A version 5 file with one variable in another, so many times: cells (1) or structs (2)."""

    def part(what, content):
        return struct.pack("<II", what, len(content)) + content + bytes(-len(content) % 8)

    def matrix(how, called, rest):
        flags, shape = struct.pack("<II", how, 0), struct.pack("<ii", 1, 1)
        return part(14, part(6, flags) + part(5, shape) + part(1, called) + rest)

    made = matrix(6, b"", part(9, struct.pack("<d", 1.0)))
    fields = part(5, struct.pack("<i", 8)) + part(1, b"theta".ljust(8, b"\0"))
    for level in range(levels):
        called = name if level == levels - 1 else b""
        made = matrix(kind, called, (fields if kind == 2 else b"") + made)
    return b"MATLAB 5.0 MAT-file".ljust(124) + struct.pack("<H", 0x0100) + b"IM" + made


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("kind", [1, 2])
@pytest.mark.parametrize("levels", [2, 20_000])
def test_variables_in_variables_are_not_gone_into(levels, kind, packed, tmp_path, run):
    path, content = tmp_path / "deep.mat", nested(levels, kind)
    if packed:
        made = zlib.compress(content[128:])
        content = content[:128] + struct.pack("<II", 15, len(made)) + made
    path.write_bytes(content)
    with pytest.raises(e.FileError, match=r"^variables: expected a struct of arrays"):
        read_answer(path)
    path.write_bytes(nested(levels, kind, b"y"))  # beside what is asked for, or in place of it
    with pytest.raises(e.ShapeError, match=r"^y: expected real numbers"):
        load("ye2008-thm2.1", path, **{k: v for k, v in DATA.items() if k in ("kernels", "lam")})


@pytest.mark.parametrize("packed", [False, True])
def test_a_struct_of_arrays_is_read(packed, tmp_path):
    path = tmp_path / "answer.mat"
    theta, many = np.array([0.25, 0.75]), np.random.default_rng(0).normal(size=(90, 90))
    held = {"variables": {"theta": theta, "beta": many}, "value": 2.0, "names": {"a": {"b": 1.0}}}
    savemat(path, held, do_compression=packed)
    found = read_answer(path)
    assert np.array_equal(np.ravel(found.variables["theta"]), theta)
    assert np.array_equal(found.variables["beta"], many)
    path.write_bytes(nested(1, 2))
    assert read_answer(path).variables["theta"].item() == 1.0


def test_a_mat_file_shorter_than_its_tags_say(tmp_path):
    path = tmp_path / "tag.mat"
    savemat(path, {"y": np.zeros(3)})
    raw = bytearray(path.read_bytes())
    raw[132:136] = struct.pack("<I", 10**9)
    path.write_bytes(bytes(raw))
    with pytest.raises(e.FileError, match=r"tag.mat: expected a whole .mat file; came"):
        read(path)


def test_garbage_within_a_compressed_element(tmp_path):
    path = tmp_path / "garbage.mat"
    savemat(path, {"y": np.zeros(3)})
    inner = zlib.compress(b"\xff" * 64)
    element = struct.pack("<II", 15, len(inner)) + inner
    path.write_bytes(path.read_bytes()[:128] + element)
    with pytest.raises(e.FileError, match=r"garbage.mat"):
        read(path)


def test_a_sparse_matrix_is_named_as_such(tmp_path):
    savemat(tmp_path / "sparse.mat", {"K": eye_array(3, format="csc")})
    with pytest.raises(e.ShapeError, match="K: expected a full array; came a sparse one"):
        read(tmp_path / "sparse.mat")


# -- JSON -----------------------------------------------------------------------------------------


def test_a_key_that_comes_twice(tmp_path, run):
    path = tmp_path / "problem.json"
    path.write_text(json.dumps(LIST)[:-1] + ', "lam": 2.0}')
    done = run("solve", "ye2008-thm2.1", path)
    assert (done.status, done.err) == (2, "cvxkernel: lam: expected a key once; came twice\n")
    answer = tmp_path / "answer.json"
    for text in ('{"theta": [1], "theta": [2]}', '{"variables": {"theta": [1], "theta": [2]}}'):
        answer.write_text(text)
        with pytest.raises(e.FileError, match="theta: expected a key once; came twice"):
            read_answer(answer)


@pytest.mark.parametrize(
    "text", ["100000000000000000000", "1e20", "9007199254740993", "-" + "9" * 30]
)
def test_long_integers_are_doubles(text, tmp_path):
    path = tmp_path / "problem.json"
    path.write_text(json.dumps(LIST).replace('"lam": ', f'"x": [{text}, -1], "lam": '))
    assert np.array_equal(np.asarray(read(path)["x"], dtype=float), [float(text), -1.0])
    assert load("ye2008-thm2.1", path).lam == DATA["lam"]


@pytest.mark.parametrize("text", ["1" + "0" * 400, "1e400", "-1" + "0" * 5000])
def test_a_number_that_is_no_double_is_named(text, tmp_path):
    path = tmp_path / "problem.json"
    path.write_text(json.dumps(LIST).replace('"y": [', f'"y": [{text}, '))
    with pytest.raises(e.ParameterError, match=r"y: expected numbers up to 1\.8e308; came -?1"):
        read(path)


@pytest.mark.parametrize(
    "text", ["[" * 10**5, '{"a":' * 10**5, '{"a": ' + "[" * 5000 + "]" * 5000 + "}"]
)
def test_json_too_deep(text, tmp_path):
    path = tmp_path / "deep.json"
    path.write_text(text)
    with pytest.raises(e.FileError, match="brackets within each other") as caught:
        read(path)
    assert "recursion" not in str(caught.value)


def test_json_too_long(tmp_path, monkeypatch):
    path = tmp_path / "long.json"
    path.write_text(json.dumps({"x": [0] * 10**5}))
    monkeypatch.setenv(budget.MEMORY, "0.001")
    with pytest.raises(e.FileError, match="300007 bytes of JSON"):
        read(path)


# -- Names that mislead ---------------------------------------------------------------------------


def npy(path):
    with path.open("wb") as file:
        np.save(file, DATA["y"])


def npz_file(path):
    with path.open("wb") as file:
        np.savez(file, **DATA)


CONTENT = {
    "an .npz archive": npz_file,
    "a single array of np.save": npy,
    "a MATLAB file": lambda path: savemat(path, DATA, appendmat=False),
    "JSON text": lambda path: path.write_text(json.dumps(LIST)),
    "text": lambda path: path.write_text("kernels, y, lam"),
    "a pickle": lambda path: path.write_bytes(pickle.dumps(LIST)),
    "a gzip archive": lambda path: path.write_bytes(b"\x1f\x8b\x08\x00"),
    "an HDF5 file": lambda path: path.write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(600)),
    "Octave's text": lambda path: path.write_text("# Created by Octave 7.3.0\n# name: y\n"),
    "Octave's binary": lambda path: path.write_bytes(b"Octave-1-L\0\x07\0\0\0kernels"),
}
RIGHT = {".npz": "an .npz archive", ".mat": "a MATLAB file", ".json": "JSON text"}


@pytest.mark.parametrize("suffix", RIGHT)
@pytest.mark.parametrize("content", CONTENT)
def test_a_file_that_is_called_what_it_is_not(content, suffix, tmp_path):
    path = tmp_path / f"file{suffix}"
    CONTENT[content](path)
    if RIGHT[suffix] == content:
        assert set(read(path)) == set(DATA)
    elif suffix == ".json" and content == "text":
        with pytest.raises(e.FileError, match="expected JSON; came Expecting value"):
            read(path)
    else:
        with pytest.raises(e.FileError, match=rf"file{suffix}: .*; came {content}"):
            read(path)


@pytest.mark.skipif(which("octave") is None, reason="octave is not installed")
@pytest.mark.parametrize("option", ["-text", "-binary", "-hdf5"])
def test_octave_is_told_how_to_save(option, tmp_path):
    path = tmp_path / "file.mat"
    command = f"y = [1 2]; save('{option}', '{path}', 'y')"
    subprocess.run(["octave", "-qf", "--eval", command], check=True, capture_output=True)
    with pytest.raises(e.FileError, match=r"save -7\)"):
        read(path)


def test_an_empty_answer_is_no_empty_problem(tmp_path, run):
    np.savez(tmp_path / "problem.npz", **DATA)
    (tmp_path / "answer.json").write_bytes(b"")
    done = run("check", "ye2008-thm2.1", tmp_path / "problem.npz", tmp_path / "answer.json")
    assert done.status == 2
    assert done.err == "cvxkernel: answer.json: expected an answer; came an empty file\n"


@pytest.mark.parametrize("id", [[], ["a", "b"], [1, [2]], {}, 3, ["ye2008-thm2.1", "x"]])
def test_an_answer_to_one_formulation(id, tmp_path):
    (tmp_path / "answer.json").write_text(json.dumps({"formulation": id, "theta": [1]}))
    with pytest.raises(e.FileError, match="formulation: expected one id; came"):
        read_answer(tmp_path / "answer.json")


@pytest.mark.parametrize(
    ("id", "answer", "key"),
    [("chen2009-eq8", {"k": [], "r": 0.5}, "k"), ("ye2008-thm2.3", {"gamma": [1.0, 2.0]}, "gamma")],
)
def test_a_symbol_of_another_shape_in_an_answer(id, answer, key, tmp_path, run):
    np.savez(tmp_path / "problem.npz", **sample(id, 9, 2))
    (tmp_path / "answer.json").write_text(json.dumps(answer))
    done = run("check", id, tmp_path / "problem.npz", tmp_path / "answer.json")
    assert done.status == 2
    assert done.err.startswith(f"cvxkernel: {key}: expected shape")
