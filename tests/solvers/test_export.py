"""The literal program for a solver elsewhere: each format holds it, and its map is CVXPY's."""

from __future__ import annotations

import json

import cvxpy as cp
import mosek
import numpy as np
import pytest
import scs
from scipy.io import loadmat
from scipy.sparse import coo_array

from cvxkernel.formulations import CATALOGUE, InputError
from cvxkernel.formulations.kundu2010.losses import Own
from cvxkernel.solvers import solve
from cvxkernel.solvers.export import ENDINGS, export, map_beside
from cvxkernel.solvers.export.conic_form import Cones, conic_form, told
from cvxkernel.solvers.export.sdpa import multiplier
from cvxkernel.validation.instances import sample

CONIC = [id for id, form in CATALOGUE.items() if form.kind not in ("SILP", "nonconvex")]
# linear rows alone beside cones of each kind, equalities, several blocks, maximization, a norm
FEW = [
    "ye2008-thm2.1",
    "ye2008-thm2.2",
    "ye2008-eq29",
    "chen2009-eq7",
    "chen2009-eq12",
    "kundu2010-eq4",
    "lanckriet2004-sm1",
    "rakotomamonjy2008",
]


def a_problem(id, n=6):
    # λ = 1: SCS, which is asked for the optimum as it is written, is slow where it is small
    return CATALOGUE[id].make({**sample(id, n, 2), "lam": 1.0})


def written(id, format, folder, n=6):
    file = folder / f"{id}{ENDINGS[format]}"
    export(id, a_problem(id, n), format, file)
    return file


def parsed(file):
    """c, the sizes of the blocks, and the matrices F₀, F₁, … of a .dat-s file, all dense."""
    lines = [line for line in file.read_text().splitlines() if not line.startswith("*")]
    sizes = [abs(int(size)) for size in lines[2].split()]
    assert (int(lines[0]), int(lines[1])) == (len(lines[3].split()), len(sizes))
    F = [[np.zeros((d, d)) for d in sizes] for _ in range(int(lines[0]) + 1)]
    for line in lines[4:]:
        matrix, block, i, j = map(int, line.split()[:4])
        assert i <= j
        F[matrix][block - 1][i - 1, j - 1] = F[matrix][block - 1][j - 1, i - 1] = line.split()[4]
    return np.array(lines[3].split(), dtype=float), F


def blocks_of(cones, s):
    """The matrices that are semidefinite exactly where the rows s are in their cones."""
    zero, nonnegative = np.split(s[: cones.zero + cones.nonnegative], [cones.zero])
    if len(zero) + len(nonnegative):
        yield np.diag([*zero, *-zero, *nonnegative])
    for rows in cones.second_order_rows():
        t, z = s[rows][0], s[rows][1:]
        yield np.block([[np.array([[t]]), z[None]], [z[:, None], t * np.eye(len(z))]])
    for d, rows in zip(cones.semidefinite, cones.semidefinite_rows(), strict=True):
        X, rest = np.zeros((d, d)), list(s[rows])
        for j in range(d):
            for i in range(j, d):
                X[i, j] = X[j, i] = rest.pop(0) / (1 if i == j else np.sqrt(2))
        yield X


@pytest.mark.parametrize("id", CONIC)
def test_the_map_is_what_cvxpy_makes_of_an_answer(id):
    form, problem = CATALOGUE[id], a_problem(id)
    made, program, other = conic_form(form, problem), form.program(problem), form.program(problem)
    _, chain, inverse = program.problem.get_problem_data("SCS", solver_opts={"use_quad_obj": False})
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=made.A.shape[1]), rng.normal(size=made.A.shape[0])
    info = {"status_val": 1, "solve_time": 0, "setup_time": 0, "iter": 0, "pobj": float(made.c @ x)}
    solution = chain.invert({"x": x, "y": y, "info": info}, inverse)
    program.problem.unpack(solution)
    made.map.put(other, x, y)
    for symbol in program.variables:
        np.testing.assert_array_equal(program.value(symbol), other.value(symbol))
    for one, two in zip(program.problem.constraints, other.problem.constraints, strict=True):
        for dual, mapped in zip(one.dual_variables, two.dual_variables, strict=True):
            np.testing.assert_allclose(dual.value, mapped.value, rtol=1e-14, atol=1e-14)
    value = made.map.sign * float(made.c @ x) + made.map.offset
    assert solution.opt_val == pytest.approx(value, rel=1e-13, abs=1e-13)


@pytest.mark.parametrize("id", FEW)
def test_an_sdpa_file_parsed_back_is_the_program(id, tmp_path):
    c, F = parsed(written(id, "sdpa", tmp_path))
    made = conic_form(CATALOGUE[id], a_problem(id))
    np.testing.assert_array_equal(c, made.c)
    for x in (np.zeros(len(c)), np.random.default_rng(0).normal(size=len(c))):
        expected = list(blocks_of(made.map.cones, made.b - made.A @ x))
        for k, block in enumerate(expected):
            total = sum(x[i] * F[i + 1][k] for i in range(len(c))) - F[0][k]
            np.testing.assert_allclose(total, block, rtol=1e-13, atol=1e-13 * np.abs(block).max())


def test_the_multiplier_of_blocks_is_the_adjoint_of_writing_them():
    cones = Cones(2, 3, (4, 1), (3, 2))
    rng = np.random.default_rng(0)
    s = rng.normal(size=cones.rows)
    blocks = list(blocks_of(cones, s))
    X = [m + m.T for m in (rng.normal(size=block.shape) for block in blocks)]
    entries = {
        (k + 1, i + 1, j + 1): m[i, j] for k, m in enumerate(X) for i, j in np.ndindex(m.shape)
    }
    inner = sum(np.sum(m * block) for m, block in zip(X, blocks, strict=True))
    assert multiplier(cones, entries) @ s == pytest.approx(inner, rel=1e-12)


@pytest.mark.parametrize("id", FEW)
def test_the_optimum_of_the_exported_data_is_enclosed(id, tmp_path, tolerances):
    found = loadmat(written(id, "scs", tmp_path), simplify_cells=True)
    data, cone = found["data"], found["cone"]
    cone = {key: np.atleast_1d(value).astype(int).tolist() for key, value in cone.items()}
    cone |= {"z": cone["z"][0], "l": cone["l"][0]}
    answer = scs.solve(
        {"A": data["A"].tocsc(), "b": data["b"], "c": np.atleast_1d(data["c"])},
        cone, eps_abs=1e-10, eps_rel=1e-10, max_iters=100_000, verbose=False,
    )  # fmt: skip
    map = json.loads((tmp_path / f"{id}.map.json").read_text())
    value = map["optimum"]["sign"] * answer["info"]["pobj"] + map["optimum"]["offset"]
    optimum = solve(id, a_problem(id)).enclosure
    room = tolerances.second_model * abs(optimum.upper)
    assert optimum.lower - room <= value <= optimum.upper + room


@pytest.mark.parametrize("id", FEW)
@pytest.mark.parametrize("format", ["cbf", "ptf", "mps"])
def test_mosek_reads_back_the_program(id, format, tmp_path):
    made = conic_form(CATALOGUE[id], a_problem(id))
    cones = made.map.cones
    if format == "mps" and cones.semidefinite:
        with pytest.raises(InputError, match=r"--format: .* semidefinite cone; came mps"):
            written(id, format, tmp_path)
        assert not list(tmp_path.iterdir())
        return
    file = written(id, format, tmp_path)
    dense = made.A.toarray()
    kept = np.where(abs(dense) > 1e-12, dense, 0.0)
    dropped = np.count_nonzero(dense) - np.count_nonzero(kept)
    assert json.loads(map_beside(file).read_text())["dropped"] == dropped
    assert (f"{dropped} numbers of at most 1e-12 are 0 here" in file.read_text()) == (dropped > 0)
    with mosek.Env() as env, env.Task() as task:
        task.readdata(str(file))
        n, rows = made.map.length, cones.rows
        assert (task.getobjsense() == mosek.objsense.maximize) == (made.map.sign < 0)
        np.testing.assert_array_equal(np.array(task.getc())[:n] * made.map.sign, made.c)
        names = [task.getvarname(j) for j in range(n)]
        if format == "mps":
            i, j, v = task.getatrip()
            A = coo_array((v, (i, j)), shape=(rows, task.getnumvar())).toarray()
            np.testing.assert_array_equal(A[:, :n], kept)
            below = [task.getconbound(i)[2] for i in range(rows)]
            np.testing.assert_array_equal(below, made.b)
            sizes = [task.getconeinfo(k)[2] for k in range(task.getnumcone())]
            assert sizes == list(cones.second_order)
        else:
            # The rows may have been reordered by the kind of the cone.
            i, j, v = task.getafeftrip()
            F = coo_array((v, (i, j)), shape=(task.getnumafe(), n)).toarray()
            g = np.array([task.getafeg(i) for i in range(task.getnumafe())])
            order = [
                np.array(task.getaccafeidxlist(k))
                for kind in ("rzero", "rplus", "quadratic_cone", "svec_psd_cone")
                for k in range(task.getnumacc())
                if task.getdomaintype(task.getaccdomain(k)) == getattr(mosek.domaintype, kind)
            ]
            every = np.concatenate(order)
            assert len(every) == rows
            np.testing.assert_allclose(F[every], -kept, rtol=1e-15)
            np.testing.assert_allclose(g[every], made.b, rtol=1e-15)
    if format == "cbf":  # has no names: they are in its comments
        text = file.read_text()
        assert all(f"# x[{j + 1}] = {name}\n" in text for j, name in enumerate(made.map.names()))
    else:
        assert names == made.map.names()


def test_nothing_is_scaled(tmp_path):
    """The data in the file are the paper's: θᵀr = 1 with the traces, at whatever size."""
    id = "ye2008-thm2.1"
    data = sample(id, 6, 2)
    for size in (1.0, 1e6):
        problem = CATALOGUE[id].make({**data, "kernels": size * data["kernels"]})
        file = tmp_path / "program.dat-s"
        export(id, problem, "sdpa", file)
        names = json.loads(map_beside(file).read_text())["symbols"]
        c, F = parsed(file)
        np.testing.assert_array_equal(F[0][0].diagonal()[:2], [-1.0, 1.0])
        at = names["theta"]["at"]
        np.testing.assert_array_equal([-F[i + 1][0][0, 0] for i in at], problem.r)
        np.testing.assert_array_equal(c, np.arange(3) == names["t"]["at"][0][0])


def test_the_map_is_json_that_names_every_symbol(tmp_path):
    file = written("ye2008-eq29-single", "sdpa", tmp_path)
    made = conic_form(CATALOGUE["ye2008-eq29-single"], a_problem("ye2008-eq29-single"))
    map = json.loads(map_beside(file).read_text())
    assert map == {"format": "sdpa", "file": file.name, "dropped": 0, **told(made.map)}
    T = np.array(map["symbols"]["T"]["at"])
    np.testing.assert_array_equal(T, T.T)
    assert {"T[1,0]", "theta[0]"} <= set(made.map.names())
    assert file.read_text().startswith("* ye2008-eq29-single of cvxkernel")


@pytest.mark.parametrize(
    ("id", "format", "file", "line"),
    [
        ("ye2008-thm2.1", "opb", "a.dat-s", "--format: expected one of sdpa, .* came 'opb'"),
        ("ye2008-thm2.1", "sdpa", "a.txt", "--out: expected a file that ends in .dat-s; came a.tx"),
        ("ye2008-thm2.3", "sdpa", "a.dat-s", "ID: .* ye2008-thm2.1 or ye2008-thm2.2 .*infinite"),
        ("tang2009-eq11", "sdpa", "a.dat-s", "ID: expected a finite program; came tang2009-eq11"),
        ("gonen2008-alg1", "sdpa", "a.dat-s", "ID: expected a convex program; came gonen2008-alg1"),
        ("ye2008-thm2.1", "sdpa", "no/a.dat-s", "--out: .* written; came No such file"),
        ("ye2008-thm2.1", "ptf", "no/a.ptf", "--out: .* written; came No such file"),
        ("ye2008-thm2.1", "scs", "no/a.mat", "--out: .* written; came No such file"),
    ],
)
def test_what_cannot_be_exported_is_said_in_a_line(id, format, file, line, tmp_path):
    with pytest.raises(InputError, match=line):
        export(id, a_problem(id), format, tmp_path / file)


def test_a_cone_that_no_format_holds_is_said_in_a_line(tmp_path):
    """A loss of the caller's own may need an exponential cone."""
    loss = Own("softplus", np.sum, np.ones_like, lambda X: cp.sum(cp.logistic(X)))
    problem = CATALOGUE["kundu2010-eq4"].make({**sample("kundu2010-eq4", 4, 2), "loss": loss})
    with pytest.raises(InputError, match="problem: expected linear, second-order and semidef"):
        export("kundu2010-eq4", problem, "sdpa", tmp_path / "p.dat-s")
