"""MOSEK up to its licence, and what the panel says of itself."""

from __future__ import annotations

import cvxpy as cp
import numpy as np
import pytest

from cvxkernel.formulations import CATALOGUE, SolverError
from cvxkernel.solvers import PANEL, conic, units
from cvxkernel.solvers.panel import mosek_licence
from cvxkernel.validation import instance

WITHOUT_LICENCE = mosek_licence()
STACKED = ("ye2008", "kim2006", "lanckriet2004")  # a stack of kernels, y, λ, C
CONIC = [id for id, form in CATALOGUE.items() if form.kind != "SILP" and form.paper in STACKED]


def problem_of(id):
    k = 3 if id.startswith("ye2008") and not CATALOGUE[id].binary else 2
    return CATALOGUE[id].make(instance(8, 2, k, kind="random"))


def test_the_core_of_the_panel_is_there():
    assert {"MOSEK", "CLARABEL", "SCS", "CVXOPT", "SDPA"} <= set(PANEL)
    for name in ("CLARABEL", "SCS"):
        assert PANEL[name].version is not None
        assert PANEL[name].unavailable() is None


@pytest.mark.parametrize("id", CONIC)
def test_every_program_compiles_for_mosek(id):
    # As far as a machine without a licence goes: cvxpy's data, with the cones MOSEK takes.
    form = CATALOGUE[id]
    program = form.program(units.of(form).scaled(problem_of(id)))
    data, _, _ = program.problem.get_problem_data(cp.MOSEK)
    dims = data["K_dir"] if "K_dir" in data else data["dims"]
    assert dims is not None
    matrices = [v for v in data.values() if hasattr(v, "shape") and v.shape]
    assert matrices
    for matrix in matrices:
        entries = matrix.data if hasattr(matrix, "nnz") else matrix
        assert np.isfinite(np.asarray(entries, dtype=float)).all()


@pytest.mark.parametrize("id", ["ye2008-thm2.1", "ye2008-thm2.2"])
def test_mosek_builds_the_task_and_stops_only_at_the_licence(id, tmp_path):
    import mosek

    form = CATALOGUE[id]
    program = form.program(units.of(form).scaled(problem_of(id)))
    path = tmp_path / "task.ptf"
    options = {**PANEL["MOSEK"].options[0], "save_file": str(path)}
    try:
        program.problem.solve(solver=cp.MOSEK, **options)
    except (mosek.Error, cp.error.SolverError) as error:
        if WITHOUT_LICENCE is None:
            raise
        assert "licen" in str(error).lower()  # noqa: PT017
    assert path.stat().st_size > 0


@pytest.mark.skipif(WITHOUT_LICENCE is None, reason="MOSEK has a licence here")
def test_without_a_licence_the_panel_says_so():
    assert PANEL["MOSEK"].unavailable() == WITHOUT_LICENCE
    assert "licence" in WITHOUT_LICENCE
    with pytest.raises(SolverError, match="MOSEK: no licence"):
        conic("ye2008-thm2.2", problem_of("ye2008-thm2.2"), solvers=["MOSEK"])


@pytest.mark.skipif(WITHOUT_LICENCE is not None, reason=f"MOSEK: {WITHOUT_LICENCE}")
@pytest.mark.parametrize("id", CONIC)
def test_with_a_licence_mosek_answers(id):
    solution = conic(id, problem_of(id), solvers=["MOSEK"])
    other = conic(id, problem_of(id), solvers=["CLARABEL", "SCS"])
    assert solution.enclosure.meets(other.enclosure)
