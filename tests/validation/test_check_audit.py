"""check over every id: nonsense is never within, what `solve` prints is, and nothing is vacuous."""

from __future__ import annotations

import importlib
import json
from dataclasses import fields
from itertools import combinations

import numpy as np
import pytest

from cvxkernel.formulations import CATALOGUE, InputError
from cvxkernel.solvers import promise, solve
from cvxkernel.validation import check, rigorous
from cvxkernel.validation.instances import sample

MODULE = importlib.import_module("cvxkernel.validation.check")
N, P = 6, 2
ALG1 = "gonen2008-alg1"


@pytest.fixture
def quick(monkeypatch):
    """The optimum of a problem is found once, and who belongs to whom is not asked."""
    optimum, known = rigorous.optimum, {}

    def cached(form, problem, point, *rest):
        # A judge may make the problem anew, with the eigenbasis of the answer.
        data = [getattr(problem, field.name) for field in fields(problem)]
        data += [point[s] for s in form.fixed if s in point]
        at = form.id, *(x.tobytes() if isinstance(x, np.ndarray) else x for x in data)
        if at not in known:
            known[at] = optimum(form, problem, point, *rest)
        return known[at]

    monkeypatch.setattr(rigorous, "optimum", cached)
    monkeypatch.setattr(MODULE, "_companions", lambda *given: "another symbol")


def nonsense(id, problem, shapes, seed):
    """Numbers from nowhere by symbol: as they come, and made feasible."""
    rng = np.random.default_rng(seed)
    raw = {symbol: rng.normal(size=shape) for symbol, shape in shapes.items()}
    positive = {symbol: np.abs(x) for symbol, x in raw.items()}
    return raw, dict(check(id, problem, why=False, **positive).repaired)


def verdict(id, problem, **symbols):
    try:
        return check(id, problem, why=False, **symbols).verdict()
    except InputError:
        return "refused"


# The algorithms of kundu2010 have the judges of their programs.
@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("id", [id for id in CATALOGUE if not id.startswith("kundu2010-alg")])
def test_nonsense_is_never_within(id):
    """Any one or two of the symbols, or all but one, of an answer that is none."""
    problem = CATALOGUE[id].make(sample(id, N, P, kind="random"))
    solution = solve(id, problem)
    shapes = {symbol: x.shape for symbol, x in solution.variables.items()}
    shapes.pop("U", None)  # the eigenbasis is the problem's
    names = list(shapes)
    few = [names[i : i + 1] for i in range(len(names))] + list(map(list, combinations(names, 2)))
    for made in nonsense(id, problem, shapes, 5):
        for some in (*few, names[1:], names):
            point = {symbol: made[symbol] for symbol in some if symbol in made}
            assert not point or verdict(id, problem, **point) != "within", some
        # One wrong symbol beside the right ones; of a gating both count.
        for symbol in made:
            wrong = {**solution.variables, symbol: made[symbol]}
            assert verdict(id, problem, **wrong) != "within", symbol


@pytest.mark.parametrize("id", CATALOGUE)
def test_what_solve_prints_is_an_answer_and_within_what_it_promises(id, tmp_path, run):
    problem, answer = tmp_path / "problem.npz", tmp_path / "answer.json"
    np.savez(problem, **sample(id, N, P, kind="low rank"))
    printed = run("solve", id, problem, "--json", "--history")
    assert printed.status == 0, printed.err
    answer.write_text(printed.out)
    done = run("check", id, problem, answer, "--json")
    told, solution = done.json, printed.json
    assert told["tol"] == (promise(id) or 1e-6)
    assert told["optimum"][0] <= solution["upper"]
    assert told["optimum"][1] >= solution["lower"]
    if promise(id) is None:
        # Nothing is promised of what is printed: it is judged by the optimum, and falls short.
        assert (done.status, told["verdict"]) == (1, "not within")
    elif id.startswith(ALG1) and told["verdict"] == "undecided":
        assert told["violations"]["stationarity"][0] <= told["tol"]  # hard gates: not to be seen
    else:
        assert (done.status, told["verdict"]) == (0, "within"), told


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("id", [id for id in CATALOGUE if promise(id)])
@pytest.mark.parametrize("kind", ["random", "low rank"])
def test_a_right_answer_is_not_rejected_for_what_it_leaves_out(id, kind):
    """Whatever is missing is made from the rest, asked for, or leaves the verdict open."""
    problem = CATALOGUE[id].make(sample(id, N, P, kind=kind))
    solution = solve(id, problem).variables
    told = {}
    for symbol in solution:
        rest = {other: x for other, x in solution.items() if other != symbol}
        told[f"without {symbol}"] = verdict(id, problem, **rest)
        told[f"{symbol} alone"] = verdict(id, problem, **{symbol: solution[symbol]})
    assert "not within" not in told.values(), told


@pytest.mark.parametrize("id", ["ye2008-thm3.1", "ye2008-eq45"])
def test_the_best_Z_is_made_for_a_given_beta(id):
    problem = CATALOGUE[id].make(sample(id, 8, 2))
    found = solve(id, problem, tol=1e-8).variables
    full = check(id, problem, beta=found["beta"], Z=found["Z"], why=False).sides["lower"]
    bare = check(id, problem, beta=found["beta"], why=False)
    assert bare.sides["lower"].objective.lower >= full.objective.lower - 1e-15
    assert bare.within(1e-6)
    assert check(id, problem, beta=1.1 * found["beta"], why=False).verdict() == "not within"


@pytest.mark.parametrize("id", ["tang2009-thm3.1", "tang2009-eq3-sdp", "tang2009-eq11"])
def test_the_parts_of_weights_say_nothing_one_without_the_other(id):
    problem = CATALOGUE[id].make(sample(id, 8, 2, kind="random"))
    found = solve(id, problem).variables
    for symbol in set(found) & {"zeta", "gamma"}:
        with pytest.raises(InputError, match=rf"^{symbol}: .* beside it"):
            check(id, problem, **{symbol: found[symbol]})


@pytest.mark.parametrize("id", CATALOGUE)
def test_a_symbol_of_another_shape_is_refused(id):
    problem = CATALOGUE[id].make(sample(id, N, P))
    own = dict(CATALOGUE[id].enclose(problem, {}).variables)
    for symbol, x in own.items():
        shape = np.shape(x)
        stacked = symbol in CATALOGUE[id].stacked
        for wrong in ((2, *shape), (*shape, 2), (3, *shape), (2, 2, *shape), (N + 1,), (0,)):
            if stacked and wrong == (P, N):
                continue
            with pytest.raises(InputError, match=rf"^{symbol}: .*shape"):
                check(id, problem, why=False, **{**own, symbol: np.ones(wrong)})
    if stacked := CATALOGUE[id].stacked:
        for shape in ((N,), (P, N)):
            assert CATALOGUE[id].read(problem, {stacked[0]: np.ones(shape)})


def test_a_gating_alone_is_measured_by_its_slope(solved):
    """The violation against differences of J, and against a gating that is known to be no end."""
    problem, solution = solved(ALG1, "random")
    V, v0 = solution.variables["V"], solution.variables["v0"]
    found = check(ALG1, problem, V=V, v0=v0)
    assert found.verdict() != "not within"
    assert found.violations["stationarity"].lower <= 1e-6
    assert not found.sides
    rng = np.random.default_rng(0)
    V, v0 = rng.normal(size=V.shape), rng.normal(size=v0.shape)
    wrong = check(ALG1, problem, V=V, v0=v0, why=False)
    assert wrong.verdict() == "not within"
    assert wrong.rigorous
    # slope² = n Σ_m ‖Pρ_m‖², by central differences of J in an orthonormal basis of [X 1].
    A = np.column_stack([problem.X, np.ones(problem.n)])
    R = np.linalg.qr(A, mode="r")
    square, h = 0.0, 1e-4

    def J(m, step):
        moved = np.linalg.solve(R, step)
        W, w0 = V.copy(), v0.copy()
        W[m], w0[m] = W[m] + moved[:-1], w0[m] + moved[-1]
        return solve("gonen2008-eq7", problem.at(W, w0), tol=1e-9).value

    for m in range(problem.p):
        for e in np.eye(A.shape[1]):
            square += ((J(m, h * e) - J(m, -h * e)) / (2 * h)) ** 2
    expected = problem.n * square / (2 * solve("gonen2008-eq7", problem.at(V, v0)).value ** 2)
    assert wrong.violations["stationarity"].lower == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("kind", ["gaussian", "random", "low rank"])
def test_on_a_plateau_of_the_gating_nothing_is_called_within(kind, solved):
    """Hard gates: every slope is about zero, however far J is from its least."""
    problem, solution = solved(ALG1, kind)
    least = solve("gonen2008-eq7", problem.at(*(solution.variables[s] for s in ("V", "v0"))))
    far = 0
    for size in (10.0, 30.0, 300.0):
        for turn in range(problem.p):
            V = size * np.roll(np.eye(problem.p, 2), turn, axis=0)
            found = check(ALG1, problem, V=V, v0=np.zeros(problem.p), why=False)
            if found.optimum.lower > 1.01 * least.upper:
                far += 1
                assert found.verdict() != "within"
    assert far


def test_hard_gates_that_have_nothing_to_win_are_within():
    problem = CATALOGUE[ALG1].make(sample(ALG1, 8, 2))
    found = solve(ALG1, problem).variables
    eta = problem.at(found["V"], found["v0"]).eta
    assert eta.max(axis=0).min() > 0.99
    assert check(ALG1, problem, V=found["V"], v0=found["v0"]).within(1e-6)


def test_a_gating_is_judged_in_any_units_of_its_points(solved):
    problem, _ = solved(ALG1, "random")
    rng = np.random.default_rng(1)
    V, v0 = rng.normal(size=(problem.p, 2)), rng.normal(size=problem.p)
    T = np.array([[2.0, 0.5], [0.0, 4.0]])
    shift = np.array([1.0, -2.0])
    data = {key: getattr(problem, key) for key in ("kernels", "y", "C")}
    other = CATALOGUE[ALG1].make({**data, "X": problem.X @ T.T + shift})
    W = V @ np.linalg.inv(T)
    one = check(ALG1, problem, V=V, v0=v0, why=False).violations["stationarity"]
    two = check(ALG1, other, V=W, v0=v0 - W @ shift, why=False).violations["stationarity"]
    assert two.lower == pytest.approx(one.lower, rel=1e-9)


def test_columns_that_repeat_are_told_not_to_be_proved(solved):
    problem, solution = solved(ALG1, "random")
    data = {key: getattr(problem, key) for key in ("kernels", "y", "C")}
    doubled = CATALOGUE[ALG1].make({**data, "X": np.column_stack([problem.X, problem.X])})
    V = np.column_stack([solution.variables["V"], 0 * solution.variables["V"]])
    found = check(ALG1, doubled, V=V, v0=solution.variables["v0"])
    assert found.violations["stationarity"].lower <= 1e-6
    assert not found.rigorous


@pytest.mark.parametrize(
    ("id", "symbol", "told"),
    [
        ("ye2008-thm2.2", "t", "expected beta beside it; came t"),
        ("kundu2010-eq4", "alpha", "expected K or W beside it; came alpha"),
        ("kundu2010-eq6", "x", "expected K beside it; came x"),
        ("tang2009-eq11", "machines", "expected theta beside it; came machines"),
        (ALG1, "alpha", "expected V of the answer"),
    ],
)
def test_what_says_nothing_alone_is_refused_with_what_it_needs(id, symbol, told, solved):
    problem, solution = solved(id)
    with pytest.raises(InputError, match=told):
        check(id, problem, **{symbol: solution.variables[symbol]})


def test_nothing_measured_is_no_verdict():
    nothing = MODULE.Interval(0.0, 0.0)
    empty = MODULE.Judgement("ye2008-thm2.2", 1.0, nothing, {}, {}, {})
    assert empty.verdict() == "undecided"
    assert not empty.within(1.0)
    # Violations alone do not tell the optimum from another feasible point.
    feasible = MODULE.Judgement("ye2008-thm2.2", 1.0, nothing, {"box": nothing}, {}, {})
    assert not feasible.within(1.0)


@pytest.mark.parametrize("wrong", ["NaN", "Infinity", '"one"', "[]", "{}", "null"])
@pytest.mark.parametrize("symbol", ["theta", "value"])
def test_what_is_no_number_is_refused_in_one_line(symbol, wrong, tmp_path, run):
    problem, answer = tmp_path / "problem.npz", tmp_path / "answer.json"
    np.savez(problem, **sample("ye2008-thm2.2", N, P))
    answer.write_text(f'{{"{symbol}": {wrong}}}')
    done = run("check", "ye2008-thm2.2", problem, answer)
    assert done.status == 2, done.out
    assert done.err.count("\n") == 1


def test_an_optimum_of_zero(tmp_path, run):
    """k = s and r = ψ where they are feasible: relative distances are of zero."""
    data = {"K": np.eye(2).tolist(), "s": [0.5, 0.0], "psi": 1.0}
    problem, answer = tmp_path / "problem.json", tmp_path / "answer.json"
    problem.write_text(json.dumps(data))
    answer.write_text(run("solve", "chen2009-eq8-qcqp", problem, "--json").out)
    done = run("check", "chen2009-eq8-qcqp", problem, answer, "--json")
    assert done.json["verdict"] == "within"
    answer.write_text(json.dumps({"k": [0.4, 0.0], "r": 1.0}))
    assert run("check", "chen2009-eq8-qcqp", problem, answer).status == 1
