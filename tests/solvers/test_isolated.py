"""Whatever a solver does, it is a failed attempt: it crashes, exits, hangs, lies, eats, prints."""

from __future__ import annotations

import ctypes
import os
import signal
import time
from dataclasses import replace
from multiprocessing import get_context

import cvxpy as cp
import numpy as np
import pytest

from cvxkernel.formulations import CATALOGUE, SolverError
from cvxkernel.solvers import conic, isolated, solve
from cvxkernel.solvers.isolated import Isolated
from cvxkernel.solvers.panel import PANEL
from cvxkernel.validation import instance
from cvxkernel.validation.instances import sample

ID = "ye2008-thm2.2"
CONIC = ("QP", "QCQP", "SOCP", "SDP")
SHORT = 4.0  # seconds for one that hangs and the next, which needs a fraction of one


@pytest.fixture(scope="module")
def problem():
    return CATALOGUE[ID].make(instance(8, 2, 2, kind="gaussian"))


@pytest.fixture
def during(monkeypatch):
    """`during(act)`: `act(problem, solve)` in place of Clarabel."""
    original = cp.Problem.solve

    def install(act):
        def patched(self, *args, **kwargs):
            if kwargs.get("solver") != "CLARABEL":
                return original(self, *args, **kwargs)
            return act(self, lambda: original(self, *args, **kwargs))

        monkeypatch.setattr(cp.Problem, "solve", patched)

    return install


def segfault(self, answer):
    os.kill(os.getpid(), signal.SIGSEGV)


def read_nowhere(self, answer):
    ctypes.string_at(0)


def abort(self, answer):
    os.abort()


def leave(self, answer):
    os._exit(0)


def leave_badly(self, answer):
    os._exit(7)


def exit_politely(self, answer):
    raise SystemExit("licence")


def run_out_of_memory(self, answer):
    raise MemoryError


@pytest.mark.parametrize(
    ("act", "told"),
    [
        (segfault, r"crashed \(SIGSEGV\)"),
        (read_nowhere, r"crashed \(SIG(SEGV|BUS)\)"),
        (abort, r"crashed \(SIGABRT\)"),
        (leave, r"ended its process \(exit status 0\)"),
        (leave_badly, r"ended its process \(exit status 7\)"),
        (exit_politely, r"failed \(SystemExit: licence\)"),
        (run_out_of_memory, r"failed \(MemoryError\)"),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_a_solver_that_ends_is_survived_and_told(problem, during, act, told):
    during(act)
    solution = conic(ID, problem, solvers=["CLARABEL", "SCS"])
    assert solution.solver == "SCS"
    assert solution.width <= 1e-6
    with pytest.raises(SolverError, match=f"CLARABEL: {told}"):
        conic(ID, problem, solvers=["CLARABEL"])


def spin(self, answer):
    while True:
        pass


def sleep(self, answer):
    time.sleep(1000)


def hold_everything(self, answer):
    ctypes.PyDLL(None).sleep(1000)  # compiled code that holds Python's lock


def refuse_to_end(self, answer):
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    spin(self, answer)


@pytest.mark.parametrize("act", [spin, hold_everything, refuse_to_end])
def test_a_solver_that_hangs_is_ended_and_leaves_time_for_the_next(problem, during, act):
    during(act)
    solution = conic(ID, problem, solvers=["CLARABEL", "SCS"], limit=SHORT)
    assert solution.solver == "SCS"
    assert "not within" in solution.attempts["CLARABEL"]


def test_nobody_is_left_behind(during, monkeypatch):
    during(sleep)
    made, fork = [], os.fork

    def counted():
        made.append(fork())
        return made[-1]

    monkeypatch.setattr(os, "fork", counted)
    x = cp.Variable()
    with Isolated(cp.Problem(cp.Minimize(x), [x >= 1])) as process:
        for _ in range(2):
            assert process.solve("CLARABEL", {}, 0.1) == "not within 0.1 s"
        assert process.solve("SCS", {}, 60.0).status == "optimal"
    assert len(made) == 3
    for pid in made:
        with pytest.raises(ChildProcessError):
            os.waitpid(pid, os.WNOHANG)


def test_when_time_is_over_the_error_says_so_and_what_is_known(problem, during):
    during(sleep)
    optimum = conic(ID, problem, solvers=["SCS"]).enclosure
    with pytest.raises(SolverError, match=r"within the limit of 0\.5 s") as caught:
        conic(ID, problem, solvers=["CLARABEL"], limit=0.5)
    assert caught.value.limit == 0.5
    assert caught.value.best.meets(optimum)  # with no point from anybody
    assert f"the optimum lies in [{caught.value.best.lower:.17g}" in str(caught.value)


def test_the_best_of_the_others_is_in_the_error(problem, during, monkeypatch):
    loose = replace(PANEL["SCS"], options=({"max_iters": 20},))
    monkeypatch.setitem(PANEL, "SCS", loose)
    during(sleep)
    with pytest.raises(SolverError, match="within the limit of 2 s") as caught:
        solve(ID, problem, solver="conic", tol=1e-12, limit=2.0)
    assert "not within" in caught.value.attempts["CLARABEL"]
    assert np.isfinite(caught.value.best.width)
    assert caught.value.best.meets(conic(ID, problem, solvers=["CVXOPT"]).enclosure)


def test_what_ends_on_its_own_by_its_own_clock_leaves_a_point(problem, monkeypatch):
    endless = ({"eps_abs": 1e-30, "eps_rel": 1e-30, "max_iters": 10**9},)
    monkeypatch.setitem(PANEL, "SCS", replace(PANEL["SCS"], options=endless))
    with pytest.raises(SolverError, match="when its time was over") as caught:
        conic(ID, problem, solvers=["SCS"], tol=1e-30, limit=1.0)
    assert caught.value.best.width < 1e-4


def test_an_answer_larger_than_a_pipe_holds_comes_through():
    rng = np.random.default_rng(0)
    X = cp.Variable((300, 300))
    target = rng.normal(size=(300, 300))
    program = cp.Problem(cp.Minimize(cp.sum(X)), [target <= X])
    with Isolated(program) as process:
        left = process.solve("CLARABEL", {"max_threads": 1}, 60.0)
    assert left.status == "optimal"
    np.testing.assert_allclose(X.value, target, atol=1e-6)
    np.testing.assert_allclose(program.constraints[0].dual_value, 1.0, atol=1e-6)


def test_a_lie_about_the_value_is_not_believed(problem, during):
    def lie(self, answer):
        answer()
        self._value = float("nan")
        for variable in self.variables():
            variable.save_value(np.zeros(variable.shape))
        for constraint in self.constraints:
            for dual in constraint.dual_variables:
                dual.save_value(np.zeros(dual.shape))
        self._status = cp.OPTIMAL

    during(lie)
    solution = conic(ID, problem, solvers=["CLARABEL", "SCS"])
    assert solution.solver == "SCS"


@pytest.mark.parametrize(
    "id", [id for id, form in CATALOGUE.items() if form.kind in CONIC and "alg" not in id]
)
def test_numbers_out_of_the_air_do_no_harm(id, monkeypatch):
    lies = iter((1e308, -1e200, 1e100, -1.0))

    def put(self, *args, **kwargs):
        lie = next(lies)
        for variable in self.variables():
            variable.save_value(np.full(variable.shape, lie))
        for constraint in self.constraints:
            for dual in constraint.dual_variables:
                dual.save_value(np.full(dual.shape, lie))
        self._status, self._value = cp.OPTIMAL, 1.0

    problem = CATALOGUE[id].make(sample(id, 6, 2, kind="random"))
    optimum = solve(id, problem).enclosure
    monkeypatch.setattr(isolated, "FORK", False)  # to count, and for speed: nothing crashes here
    monkeypatch.setitem(PANEL, "SCS", replace(PANEL["SCS"], options=({}, {}, {}, {})))
    monkeypatch.setattr(cp.Problem, "solve", put)
    try:
        found = conic(id, problem, solvers=["SCS"], tol=1e-30).enclosure
    except SolverError as error:
        found = error.best
    assert found is None or found.meets(optimum)
    assert next(lies, None) is None


def test_nothing_that_is_printed_reaches_anybody(problem, during, capfd):
    def chatter(self, answer):
        print("from Python")
        os.write(1, b"from compiled code\n")
        os.write(2, b"panicked\n")
        return answer()

    during(chatter)
    assert conic(ID, problem, solvers=["CLARABEL"]).solver == "CLARABEL"
    assert capfd.readouterr() == ("", "")


def test_without_fork_the_same_answer(problem, monkeypatch):
    forked = conic(ID, problem, solvers=["CLARABEL"])
    monkeypatch.setattr(isolated, "FORK", False)
    here = conic(ID, problem, solvers=["CLARABEL"])
    assert (here.lower, here.upper, here.iterations) == (
        forked.lower,
        forked.upper,
        forked.iterations,
    )


def test_a_process_with_threads_of_clarabel_can_still_be_forked(problem):
    # Its pool does not come along with a fork: more than one thread would wait for ever.
    X = cp.Variable((30, 30), symmetric=True)
    cp.Problem(cp.Minimize(cp.trace(X)), [X >> np.eye(30)]).solve(
        solver="CLARABEL", max_threads=2, direct_solve_method="faer"
    )
    assert conic(ID, problem, solvers=["CLARABEL"], limit=60.0).solver == "CLARABEL"


def answer_of_a_daemon(pipe, problem):
    pipe.send(conic(ID, problem, solvers=["CLARABEL"]).value)


def test_a_daemonic_worker_may_ask_solvers_too(problem):
    context = get_context("fork")
    ours, theirs = context.Pipe()
    worker = context.Process(target=answer_of_a_daemon, args=(theirs, problem), daemon=True)
    worker.start()
    assert ours.poll(60)
    solution = conic(ID, problem, solvers=["CLARABEL"])
    assert solution.lower <= ours.recv() <= solution.upper
    worker.join(10)


def stuck(path, problem):
    def tell(self, *args, **kwargs):
        path.write_text(str(os.getpid()))
        time.sleep(1000)

    cp.Problem.solve = tell
    conic(ID, problem, solvers=["CLARABEL"])


@pytest.mark.skipif(isolated.LINUX is None, reason="only Linux tells a process of its parent's end")
def test_the_solver_does_not_outlive_who_asked(problem, tmp_path):
    path = tmp_path / "pid"
    worker = get_context("fork").Process(target=stuck, args=(path, problem))
    worker.start()
    for _ in range(600):
        if path.exists() and path.read_text():
            break
        time.sleep(0.05)
    pid = int(path.read_text())
    worker.kill()
    worker.join()
    for _ in range(600):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        with open(f"/proc/{pid}/stat", encoding="ascii") as stat:
            if stat.read().rpartition(")")[2].split()[0] == "Z":  # ended; init has to wait for it
                return
        time.sleep(0.05)
    os.kill(pid, signal.SIGKILL)
    pytest.fail("the solver's process outlived its parent")


def test_an_interrupt_ends_the_solver(problem, during, monkeypatch):
    during(sleep)
    ended = []

    def interrupted(self, *args):
        ended.append(self.pid)
        raise KeyboardInterrupt

    monkeypatch.setattr(Isolated, "_gone", interrupted)
    original = Isolated.end

    def end(self):
        monkeypatch.undo()
        return original(self)

    monkeypatch.setattr(Isolated, "end", end)
    with pytest.raises(KeyboardInterrupt):
        conic(ID, problem, solvers=["CLARABEL"])
    with pytest.raises(ProcessLookupError):
        os.kill(ended[0], 0)
