"""Proved enclosures: they hold the optimum at whatever point, and are as narrow as asked."""

from __future__ import annotations

import os

import numpy as np
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from cvxkernel.formulations import CATALOGUE, SolverError, kernels
from cvxkernel.formulations.arithmetic import balls
from cvxkernel.solvers import promise, solve
from cvxkernel.validation import enclose, rigorous
from cvxkernel.validation.instances import blobs, sample
from cvxkernel.validation.proofs import JUDGES

KINDS = ("gaussian", "random", "low rank")
POLISHED = [id for id in JUDGES if not id.startswith("kundu2010-alg")]


def fixed(id, point):
    """What says which convex program is proved, where the whole one is not convex."""
    return {symbol: point[symbol] for symbol in CATALOGUE[id].fixed}


@pytest.mark.parametrize(
    ("id", "kind"),
    [(id, kind) for id in JUDGES for kind in (KINDS if promise(id) == 1e-6 else ("random",))],
)
def test_the_proved_interval_is_narrow_and_agrees_with_the_doubles(id, kind, solved):
    problem, solution = solved(id, kind)
    found = enclose(id, problem, **solution.variables)
    assert found.lower <= found.value <= found.upper
    assert found.meets(solution.enclosure)
    # An algorithm that promises less, or as printed nothing, is proved to be as far as it is.
    promised = 1e-6 if promise(id) == 1e-6 else solution.width
    assert found.width <= max(1e-6, 1.01 * promised)
    if id in POLISHED:
        assert found.width <= 1e-8


@pytest.mark.parametrize("id", JUDGES)
def test_a_moved_solution_never_excludes_the_optimum(id, solved):
    problem, solution = solved(id, "random")
    rng = np.random.default_rng(1)
    best = enclose(id, problem, **solution.variables)
    kept = fixed(id, solution.variables)
    for size in (1e-3, 1.0):
        moved = {
            k: v + size * np.abs(v).max(initial=0.0) * rng.normal(size=np.shape(v))
            for k, v in solution.variables.items()
        }
        assert enclose(id, problem, **{**moved, **kept}).meets(best)
    for symbol, v in solution.variables.items():
        assert enclose(id, problem, **{symbol: v, **kept}).meets(best)
    for change in (np.zeros_like, np.negative, lambda v: 1e30 * np.ones_like(v)):
        garbage = {k: change(np.asarray(v)) for k, v in solution.variables.items()}
        assert enclose(id, problem, **{**garbage, **kept}).meets(best)
    assert enclose(id, problem, **kept).meets(best)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("id", POLISHED)
def test_a_polished_point_is_examined_beside_what_was_not_polished(id, kind, solved):
    problem, solution = solved(id, kind)
    point = solution.variables
    with balls.precision():
        examiner = JUDGES[id](problem)
        for better in examiner.better(point):
            made = {**point, **{symbol: balls.doubles(x) for symbol, x in better.items()}}
            for side, objective in examiner.examine(made).objectives.items():
                if side == "lower":
                    assert objective.lower <= solution.upper
                else:
                    assert objective.upper >= solution.lower
            assert CATALOGUE[id].enclose(problem, made).meets(solution.enclosure)


@pytest.mark.parametrize("id", [id for id in POLISHED if not CATALOGUE[id].fixed])
def test_twenty_digits(id, solved):
    problem, solution = solved(id, "gaussian")
    found = rigorous.solve(id, problem, digits=20)
    assert found.rigorous
    assert found.digits is not None
    number = found.digits.lstrip("-0.").replace(".", "").partition("e")[0]
    assert len(number) == 20
    # The digits are right to one unit in the last place: more of them, proved apart, agree.
    more = rigorous.solve(id, problem, digits=30).digits
    with balls.precision(256):
        assert abs(arb(found.digits) - arb(more)) <= abs(arb(more)) * arb(10) ** -19
    assert solution.lower <= float(more) <= solution.upper


@pytest.mark.parametrize(("n", "kind", "equal"), [(5, "low rank", False), (6, "gaussian", True)])
def test_twenty_digits_where_no_kernel_is_the_only_one(n, kind, equal):
    """L1 between equal similarities, or of low rank: multipliers are zero, K is one of many."""
    given = sample("kundu2010-eq4", n, 3, kind=kind)
    given["loss"] = "L1"
    if equal:
        given["S"][1] = given["S"][0]
    problem = CATALOGUE["kundu2010-eq4"].make(given)
    found = rigorous.solve("kundu2010-eq4", problem, digits=20)
    assert found.digits is not None
    plain = solve("kundu2010-eq4", problem)
    assert plain.lower <= float(found.digits) <= plain.upper


@pytest.mark.parametrize("number", [1, 2, 3])
def test_an_algorithm_has_the_digits_of_its_program_without_being_run(number, monkeypatch):
    id, program = f"kundu2010-alg{number}", f"kundu2010-eq{(4, 6, 7)[number - 1]}"
    problem = CATALOGUE[id].make(sample(id, 6, 2))
    asked = []

    def counted(id, *args, **kwargs):
        asked.append(id)
        return solve(id, *args, **kwargs)

    monkeypatch.setattr(rigorous.solvers, "solve", counted)
    found = rigorous.solve(id, problem, digits=20)
    assert set(asked) == {program}
    assert found.formulation == id
    assert found.digits == rigorous.solve(program, problem, digits=20).digits
    # What was asked for by name is run, and what is printed and promises nothing.
    asked.clear()
    named = rigorous.solve(id, problem, digits=20, solver="mirror_descent")
    assert set(asked) == {id}
    assert named.digits == found.digits
    asked.clear()
    with pytest.raises(SolverError, match="proved relative width"):
        rigorous.solve(f"{id}-printed", problem, digits=20)
    assert set(asked) == {f"{id}-printed"}


@given(
    seed=st.integers(0, 10**6),
    n=st.integers(4, 9),
    p=st.integers(1, 3),
    kind=st.sampled_from(KINDS),
    id=st.sampled_from(sorted(JUDGES)),
    lam=st.sampled_from([1e-6, 1e-2, 1.0, 1e3]),
    C=st.sampled_from([1e-3, 0.5, 1e3]),
)
@settings(max_examples=int(os.environ.get("CVXKERNEL_EXAMPLES", "80")))
def test_enclosures_at_any_points_meet(seed, n, p, kind, id, lam, C):
    form = CATALOGUE[id]
    rng = np.random.default_rng(seed)
    p = max(p, 2) if form.fixed else p  # a gating chooses between kernels
    data = sample(id, n, p, kind=kind, seed=seed) | {"lam": lam, "C": C}
    problem = form.make(data)
    at = form.enclose(problem, {})
    found = [enclose(id, problem), enclose(id, problem, **at.variables)]
    for _ in range(2):
        moved = {k: v * rng.exponential(size=np.shape(v)) for k, v in at.variables.items()}
        found.append(enclose(id, problem, **{**moved, **fixed(id, at.variables)}))
    for one in (*found, at):
        for other in found:
            assert one.meets(other)


@pytest.mark.parametrize("id", ["ye2008-thm2.1", "ye2008-thm2.3", "ye2008-eq29"])
@pytest.mark.parametrize("sigma", [0.1, 3.0, 1e4])
def test_one_kernel_against_exact_arithmetic(id, sigma, exact):
    X, y = blobs(10, 2, seed=1)
    K = kernels.gaussian(X, sigma)[None]
    form = CATALOGUE[id]
    problem = form.make({"kernels": K, "y": y, "lam": 1e-3})
    value = exact.value(K, y, 1e-3, [1.0], binary=form.binary)
    with balls.precision(256):
        found = rigorous.proof(id, problem, {}, bits=256)
        low, high = (
            (-found.upper, -found.lower) if form.kind == "SILP" else (found.lower, found.upper)
        )
        assert not low > value
        assert not high < value
        assert found.width <= 1e-30


def test_a_soft_margin_whose_optimum_is_rational():
    # K = I, y balanced, C = 1: sm1 is max 2αᵀ1 - n·αᵀα/n with α = C: optimum n for C ≤ 1.
    n = 6
    y = np.array([1.0, -1.0] * 3)
    problem = CATALOGUE["lanckriet2004-sm1"].make({"kernels": np.eye(n)[None], "y": y, "C": 1.0})
    found = rigorous.solve("lanckriet2004-sm1", problem, digits=25)
    assert found.lower <= n <= found.upper
    assert found.digits.startswith(("6.000000000000000000", "5.99999999999999999"))


def test_every_formulation_has_a_judge():
    assert JUDGES.keys() == CATALOGUE.keys()


@pytest.mark.parametrize("id", ["ye2008-thm3.1", "ye2008-eq45", "kim2006"])
@pytest.mark.parametrize(
    "case", ["no kernel but I", "one", "equal", "nearly equal", "a class of two"]
)
def test_twenty_digits_of_what_is_degenerate(id, case):
    k = 5 if "ye2008" in id else 2
    X, y = blobs(14, k, seed=3)
    K = np.stack([kernels.gaussian(X, 1.0), kernels.linear(X)])
    made = {
        "no kernel but I": [np.eye(14)],
        "one": K[:1],
        "equal": K[[0, 0, 1]],
        "nearly equal": [K[0], (1 - 1e-9) * K[0] + 1e-9 * K[1]],
        "a class of two": K,
    }
    if case == "a class of two":
        y = np.maximum(np.sort(y), 2)
        y[:2] = 1
    y = y if k > 2 else np.where(y == y.max(), 1.0, -1.0)
    # Of a large λ all but the last digits are the same for every Z that is optimal for M = I.
    for lam in (5e-4, 1e4):
        problem = CATALOGUE[id].make({"kernels": np.stack(made[case]), "y": y, "lam": lam})
        assert rigorous.solve(id, problem, digits=20).digits is not None


# With kernels of low rank λ is learned as next to nothing: 34 digits are proved, and no more.
OUT_OF_REACH = ("ye2008-eq43", 40)


def test_digits_out_of_reach_are_refused_with_what_was_proved(solved):
    id, digits = OUT_OF_REACH
    problem, solution = solved(id, "low rank")
    with pytest.raises(SolverError, match="proved relative width") as caught:
        rigorous.solve(id, problem, digits=digits)
    assert caught.value.best.meets(solution.enclosure)


def test_the_command_line_proves(run, tmp_path):
    path = tmp_path / "problem.npz"
    np.savez(path, **sample("ye2008-thm2.2", 12, 3))
    answer = run("solve", "ye2008-thm2.2", path, "--rigorous", "--json").json
    assert answer["rigorous"] is True
    assert "digits" not in answer
    answer = run("solve", "ye2008-thm2.2", path, "--digits", "20", "--json").json
    assert answer["rigorous"] is True
    assert answer["lower"] <= float(answer["digits"]) <= answer["upper"]
    table = run("solve", "ye2008-thm2.2", path, "--digits", "20")
    assert answer["digits"] in table.out
    assert "proved" in table.out
    id, digits = OUT_OF_REACH
    np.savez(path, **sample(id, kind="low rank"))
    refused = run("solve", id, path, "--digits", digits)
    assert refused.status == 3
    assert run("solve", id, path, "--digits", "0").status == 2


@pytest.mark.parametrize("loss", ["L1", "L2", "L3"])
def test_a_loss_without_a_price_is_proved(loss):
    data = {"S": np.eye(3)[None], "y": np.array([1.0, -1.0, 1.0]), "C": 10.0, "rho": 0.0}
    form = CATALOGUE["kundu2010-eq4"]
    problem = form.make({**data, "tau": 1.0, "loss": loss})
    found = rigorous.enclose(form.id, problem, **solve(form.id, problem).variables)
    assert found.width < 1e-12
