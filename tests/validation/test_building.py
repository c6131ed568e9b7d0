"""Making, compiling and solving a program are timed apart, by the solver that answers it."""

from __future__ import annotations

from time import time

import pytest

from cvxkernel.formulations import CATALOGUE
from cvxkernel.solvers.conic import conic
from cvxkernel.validation.bench import building
from cvxkernel.validation.bench.building import conic_ids, programs, row
from cvxkernel.validation.bench.process import Limits, alone
from cvxkernel.validation.instances import sample


def test_every_program_with_a_conic_solver_is_measured_once():
    ids = conic_ids()
    measured = [CATALOGUE[id].program for id in ids]
    assert len(set(measured)) == len(measured)
    for form in CATALOGUE.values():
        assert (form.program in measured) == (form.kind in ("QP", "QCQP", "SOCP", "SDP"))


def test_the_stages_are_those_of_the_solver_that_answers():
    id = "chen2009-eq1"
    (found,) = programs(14, 3, ["random"], Limits(seconds=60), ids=[id])
    answer = conic(id, CATALOGUE[id].make(sample(id, 14, 3, kind="random")))
    assert found.failure is None
    assert not found.cut
    assert (found.solver, found.width) == (answer.solver, answer.width)
    assert min(found.floor, found.make, found.compile, found.solve, found.rest, found.ends) > 0
    assert 0 < found.share < found.build / (found.build + found.solve)
    assert found.build == found.make + found.compile
    assert found.ratio == pytest.approx(found.build / found.solve)


def test_a_solver_that_is_ended_has_taken_at_least_so_long(monkeypatch):
    before = {"solver": "SCS", "floor": 0.5, "make": 1.0, "compile": 2.0, "since": time() - 30.0}
    ended = {**before, "failure": "not within 40 s"}
    monkeypatch.setattr(building, "alone", lambda *_: dict(ended))
    found = row("kundu2010-eq6", 120, 10, "random", Limits(seconds=40))
    assert found.cut
    assert found.width is None
    assert found.solve >= 30.0
    assert found.ratio <= 3.0 / 30.0
    assert found.excess <= 2.5 / 30.0


def test_what_a_process_says_is_put_together():
    said = [{"solver": "SCS"}, {"make": 1.0}, {"solver": "CLARABEL"}]
    assert alone(Limits(seconds=60), iter, said) == {"solver": "CLARABEL", "make": 1.0}
