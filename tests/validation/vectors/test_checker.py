"""The one file that has to be believed: what it shows, and what it does not let pass."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from copy import deepcopy
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from cvxkernel.formulations.catalogue import CATALOGUE
from cvxkernel.validation import rigorous
from cvxkernel.validation.vectors import checker, shipped
from cvxkernel.validation.vectors.witnesses import WITNESSES

FILE = Path(checker.__file__)
STANDARD = {"json", "re", "sys", "fractions", "functools", "math", "operator"}


def run(*files):
    """The checker as anybody runs it: no site, no environment, nothing of this package."""
    command = [sys.executable, "-I", "-S", str(FILE), *map(str, files)]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)


def written(tmp_path, claim, name="certificate.json"):
    path = tmp_path / name
    path.write_text(json.dumps(claim), encoding="utf-8")
    return path


def claim(id, number=0):
    test = shipped.tests(id)[number]
    keys = ("problem", "optimum", "certificate")
    return {"formulation": id, **{key: deepcopy(test[key]) for key in keys}}


def refused(made):
    read = json.loads(json.dumps(made), parse_float=str, parse_int=str)
    try:
        checker.check(read)
    except Exception:
        return True
    return False


def test_is_one_file_of_at_most_600_lines_of_the_standard_library():
    text = FILE.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 600
    tree = ast.walk(ast.parse(text))
    imported = {a.name for node in tree if isinstance(node, ast.Import) for a in node.names}
    tree = ast.walk(ast.parse(text))
    imported |= {node.module for node in tree if isinstance(node, ast.ImportFrom)}
    assert imported <= STANDARD


def test_knows_every_convex_formulation_and_a_theorem_for_each():
    convex = {id for id, form in CATALOGUE.items() if form.kind != "nonconvex"}
    assert set(checker.PROGRAMS) == set(WITNESSES) == convex == set(shipped.ids())
    for show, _ in checker.PROGRAMS.values():
        assert show.func.__doc__


def test_every_claim_of_every_vector_is_shown():
    files = [shipped.HERE / "data" / f"{id}.json" for id in shipped.ids()]
    found = run(*files)
    lines = found.stdout.splitlines()
    tests = [test for id in shipped.ids() for test in shipped.tests(id)]
    assert found.returncode == 0
    assert not found.stderr
    assert len(lines) == sum(1 + len(test["slips"]) for test in tests)
    assert all(line.startswith("shown") for line in lines)


@pytest.mark.parametrize("id", shipped.ids())
def test_agrees_with_the_proofs_in_ball_arithmetic(id):
    test = shipped.tests(id)[0]
    problem = CATALOGUE[id].make(test["problem"])
    proved = rigorous.enclose(id, problem, **test["answer"]["variables"])
    lower, upper = map(Fraction, test["optimum"])
    assert Fraction(proved.lower) <= upper
    assert lower <= Fraction(proved.upper)


# -- Corrupted -------------------------------------------------------------------------------------


def moved(optimum, end):
    """The end moved past the optimum, by a millionth of it."""
    lower, upper = map(Fraction, optimum)
    off = max(abs(lower), abs(upper)) / 10**6
    return [str(float(upper + off)), optimum[1]] if end else [optimum[0], str(float(lower - off))]


def largest(points):
    """Where the largest number of nested lists is."""
    if isinstance(points, str):
        return abs(Fraction(points)), ()
    inner = [(largest(p), i) for i, p in enumerate(points)]
    (size, path), i = max(inner, key=lambda pair: pair[0][0])
    return size, (i, *path)


def changed(points, path, new):
    if not path:
        return new(points)
    return [changed(p, path[1:], new) if i == path[0] else p for i, p in enumerate(points)]


def corruptions():
    """Ends past the optimum; the largest number of each point changed; other problems' data."""
    for id in shipped.ids():
        own = claim(id)
        for end in (0, 1):
            yield f"{id} end {end}", {**own, "optimum": moved(own["optimum"], end)}
        for symbol, points in own["certificate"].items():
            size, path = largest(points)
            if size == 0:
                continue
            new = changed(points, path, lambda text: str(float(Fraction(text) * Fraction(5, 4))))
            made = {**own["certificate"], symbol: new}
            yield f"{id} {symbol} changed", {**own, "certificate": made}
        yield f"{id} another problem", {**own, "problem": claim(id, 1)["problem"]}
        missing = dict(list(own["certificate"].items())[1:])
        yield f"{id} a point missing", {**own, "certificate": missing}


CORRUPTIONS = dict(corruptions())


def test_refuses_hundreds_of_corrupted_certificates():
    assert len(CORRUPTIONS) >= 100
    shown = [name for name, made in CORRUPTIONS.items() if not refused(made)]
    assert not shown


def test_refuses_a_number_of_the_problem_changed():
    for id in shipped.ids():
        own = claim(id)
        key = next(k for k in ("kernels", "K", "S") if k in own["problem"])
        first = np.array(own["problem"][key])
        first[..., 0, 0] += 0.25
        assert refused({**own, "problem": {**own["problem"], key: first.tolist()}}), id


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("alpha", []),
        ("alpha", ["1"]),
        ("b", "nan"),
        ("b", "1e9999"),
        ("c", None),
        ("c", [["1"] * 7]),
    ],
)
def test_refuses_points_of_another_shape_or_no_numbers(key, value):
    own = claim("chen2009-eq1")
    assert not refused(own)
    assert refused({**own, "certificate": {**own["certificate"], key: value}})


def test_refuses_an_indefinite_kernel_and_false_evidence():
    own = claim("chen2009-eq1")
    K = np.array(own["problem"]["K"])
    indefinite = {**own["problem"], "K": (K - 4 * np.eye(len(K))).tolist()}
    assert refused({**own, "problem": indefinite})
    factor = (2 * np.eye(len(K))).astype(str).tolist()
    assert refused({**own, "certificate": {**own["certificate"], "K": factor}})
    zero = [["0"]] * len(K)
    parts = {"positive": zero, "negative": zero}  # a distance so large that nothing is left
    assert refused({**own, "certificate": {**own["certificate"], "K": parts}})


def test_refuses_what_is_no_certificate(tmp_path):
    own = claim("chen2009-eq1")
    good = written(tmp_path, own)
    assert run(good).returncode == 0
    text = good.read_text(encoding="utf-8")
    for name, bad in {
        "truncated": text[:-9],
        "twice": text.replace('"formulation"', '"formulation": "chen2009-eq1", "formulation"', 1),
        "nan": text.replace('"C": 1', '"C": NaN', 1),
        "unknown": text.replace("chen2009-eq1", "chen2009-eq99"),
        "nonconvex": text.replace("chen2009-eq1", "gonen2008-alg1"),
        "list": "[1, 2]",
        "nothing": "",
        "no claim": '{"formulation": "chen2009-eq1", "groups": []}',
    }.items():
        path = tmp_path / "bad.json"
        path.write_text(bad, encoding="utf-8")
        found = run(good, path)
        assert found.returncode == 1, name
        first, second = found.stdout.splitlines()
        assert first.startswith("shown"), name
        assert second.startswith("REFUSED"), name
        assert not found.stderr, name
    assert run(tmp_path / "not there").returncode == 1
    assert run().returncode == 1


def test_elimination_and_factors_decide_semidefiniteness():
    def exact(rows):
        return checker.Matrix([Fraction(x) for x in row] for row in rows)

    singular = exact([[1, 1], [1, 1]])
    assert checker.semidefinite(singular)
    tiny = Fraction(1, 2**1000)
    assert not checker.semidefinite(exact([[1, 1], [1, 1 - tiny]]))
    assert checker.semidefinite(exact([[0, 0], [0, 1]]))
    assert not checker.semidefinite(exact([[0, tiny], [tiny, 1]]))
    assert not checker.semidefinite(exact([[1, 0], [1, 1]]))
    assert checker.semidefinite(singular, exact([[1, 0], [1, 0]]))
    assert not checker.semidefinite(singular, exact([[1, 0], [0, 1]]))


def test_roots_and_gates_are_enclosed():
    from flint import arb, ctx

    for x in (Fraction(0), Fraction(2), Fraction(1, 3), Fraction(10**80), Fraction(1, 10**80)):
        root = checker.root(x)
        assert x <= root * root <= x * (1 + 3 * checker.TINY)
    ctx.prec, before = 400, ctx.prec
    try:
        for x in ([Fraction(1), Fraction(-2), Fraction(3, 7)], [Fraction(0), Fraction(-1500)]):
            below, off = checker.gates(x)
            each = [(arb(t.numerator) / t.denominator).exp() for t in x]
            for g, e in zip(below, each, strict=True):
                true = e / sum(each, arb(0))
                low = arb(g.numerator) / g.denominator
                assert not low > true
                assert not true > low + arb(off.numerator) / off.denominator
            assert off < Fraction(1, 2**250)
    finally:
        ctx.prec = before


def hostile():
    """Text that no certificate is, by what it tries; all that follows a claim which is shown."""
    own, test = claim("chen2009-eq1"), deepcopy(shipped.tests("chen2009-eq1")[0])
    K = np.array(own["problem"]["K"])
    K[0, 1] += 0.01
    K[1, 0] -= 0.01  # the symmetric part is what it was
    yield "a kernel that is not symmetric", {**own, "problem": {**own["problem"], "K": K.tolist()}}
    yield "ends swapped", {**own, "optimum": own["optimum"][::-1]}
    yield "three ends", {**own, "optimum": [*own["optimum"], "1"]}
    yield "one class", {**own, "problem": {**own["problem"], "y": [1] * len(K)}}
    for text in (
        "NaN",
        "inf",
        "1e999",
        "-0",
        "",
        " 1",
        "１",
        "1_0",
        "0x1",
        "1" * 401,
        True,
        None,
        [],
    ):
        yield f"C = {text!r}", {**own, "problem": {**own["problem"], "C": text}}
        if text != "-0":
            yield f"b = {text!r}", {**own, "certificate": {**own["certificate"], "b": text}}
    for key in ("problem", "certificate", "optimum", "formulation"):
        for value in ([], {}, "x", None, [[]]):
            yield f"{key} = {value!r}", {**own, key: value}
    for other in checker.PROGRAMS:
        if other != own["formulation"]:
            yield f"the theorem of {other}", {**own, "formulation": other}
    for id in ("kundu2010-eq4", "kundu2010-eq6", "kundu2010-eq7", "kundu2010-eq10"):
        more = claim(id)
        for key in more["certificate"].keys() & {
            "c",
            "U",
            "lam",
            "shares",
            "pi",
            "W",
            "F",
            "g",
            "mu",
        }:
            twice = {**more["certificate"], key: 2 * more["certificate"][key]}
            yield f"{id}: {key} twice", {**more, "certificate": twice}
    vector = {"formulation": "chen2009-eq1", "groups": [{"tests": [{**test, "slips": []}]}]}
    for key, value in {"slips": None, "changes": [{"flag": "x", "changes": [1]}]}.items():
        made = {**test, "slips": value if key == "changes" else None}
        yield f"{key} = {value!r}", {**vector, "groups": [{"tests": [made]}]}
    yield "groups a string", {**vector, "groups": "abc"}
    yield "tests null", {**vector, "groups": [{"tests": None}]}
    elsewhere = {**test, "slips": [], "formulation": "chen2009-eq1"}
    other = {"formulation": "ye2008-thm2.1", "groups": [{"tests": [elsewhere]}]}
    yield "a test of another formulation than its file", other
    for name in ("x\nshown   y", "\x1b[2K\rshown", "\ud800", "\u2028shown"):
        named = {**test, "slips": [], "id": name, "optimum": ["0", "0"]}
        yield f"the name {name!r}", {**vector, "groups": [{"tests": [named]}]}


HOSTILE = dict(hostile())
TEXTS = {
    "deep": b"[" * 100000,
    "no UTF-8": b"\xff\xfe{",
    "two documents": json.dumps(claim("chen2009-eq1")).encode() * 2,
    "a key twice in the problem": json.dumps(claim("chen2009-eq1"))
    .replace('"C":', '"C": 9, "C":', 1).encode(),
    "ends that are NaN": json.dumps(
        {**claim("chen2009-eq1"), "optimum": [float("nan")] * 2}
    ).encode(),
    "infinite ends": json.dumps(
        {**claim("chen2009-eq1"), "optimum": [-float("inf"), float("inf")]}
    ).encode(),
}  # fmt: skip


def test_refuses_hostile_files_in_one_printable_line_each(tmp_path, capsys):
    files = []
    for number, made in enumerate([*HOSTILE.values(), *TEXTS.values()]):
        path = tmp_path / f"{number}.json"
        path.write_bytes(made if isinstance(made, bytes) else json.dumps(made).encode())
        files.append(str(path))
    assert not checker.main([*files, str(tmp_path)])
    lines = capsys.readouterr().out.splitlines()
    named = dict(zip([*HOSTILE, *TEXTS, "a folder"], lines, strict=True))
    assert [name for name, line in named.items() if not line.startswith("REFUSED")] == []
    assert all(line.isprintable() for line in lines)


def test_writes_what_a_terminal_of_another_alphabet_can(tmp_path):
    path = written(tmp_path, {**claim("chen2009-eq1"), "problem": {}})
    command = [sys.executable, str(FILE), str(path)]
    env = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    found = subprocess.run(command, capture_output=True, text=True, env=env, check=False)
    assert found.returncode == 1
    assert not found.stderr
