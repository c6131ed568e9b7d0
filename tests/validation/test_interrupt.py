"""One Ctrl-C ends everything, children too; so does the end of the process that was started.

Real processes, since a signal is for a whole process. Nothing is timed: who does not end within the
patience has failed.
"""

from __future__ import annotations

import ctypes
import faulthandler
import os
import signal
import subprocess
import sys
import time
import warnings
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest

from cvxkernel.solvers.child import die_with_parent
from cvxkernel.validation import cli
from cvxkernel.validation.cli.supervisor import supervised
from cvxkernel.validation.instances import sample

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")

COMMAND = [sys.executable, "-c", "from cvxkernel.validation.cli import main; main()"]
PATIENCE = 120.0  # seconds until there is a sign of work: others are at work on the same cores
PROMPT = 15.0  # seconds to end in
GONE = os.WEXITED | os.WNOHANG | os.WNOWAIT if hasattr(os, "WNOWAIT") else 0


@pytest.fixture(autouse=True)
def _heard():
    """A test run in the background ignores these signals, and so would all that it starts."""
    usual = {signal.SIGINT: signal.default_int_handler, signal.SIGHUP: signal.SIG_DFL}
    before = {number: signal.signal(number, handler) for number, handler in usual.items()}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def living():
    """The parent of every process that has not ended, as /proc has them now."""
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent = stat.read_text().rpartition(")")[2].split()[:2]
        except OSError:  # it has ended meanwhile
            continue
        if state != "Z":
            parents[int(stat.parent.name)] = int(parent)
    return parents


def descendants(pid):
    """Of a process, those that have not ended."""
    parents = living()
    found, new = set(), {pid}
    while new:
        new = {child for child, parent in parents.items() if parent in new} - found
        found |= new
    return found


def wait_until(happened, seconds):
    end = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < end, "not in time"
        time.sleep(0.02)


def interrupted(pid, signals, working):
    """Send the signals once it works; its status; nothing that it has started is left."""
    try:
        wait_until(lambda: working(descendants(pid)), PATIENCE)
        started = descendants(pid)
        for number in signals:
            os.kill(pid, number)
        wait_until(lambda: os.waitid(os.P_PID, pid, GONE) is not None, PROMPT)
        wait_until(lambda: not started & living().keys(), PROMPT)
    finally:
        os.kill(pid, signal.SIGKILL)
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return status


# -- The commands ---------------------------------------------------------------------------------


def test_verify_ends_with_its_processes_also_when_asked_twice(tmp_path):
    with (tmp_path / "err").open("w") as err:
        process = subprocess.Popen([*COMMAND, "verify", "--paper", "ye2008"], stderr=err)
    # the work, two processes of it, and the tracker that Python has for them
    assert interrupted(process.pid, [signal.SIGINT] * 2, lambda found: len(found) >= 4) == 130
    *_, last = (tmp_path / "err").read_text().splitlines()
    assert last == "cvxkernel: interrupted by SIGINT"
    assert "Traceback" not in (tmp_path / "err").read_text()
    process.returncode = 130  # waited for already


def test_race_ends_with_its_routes(tmp_path):
    np.savez(tmp_path / "problem.npz", **sample("ye2008-thm3.1", 90, 5))
    arguments = ["race", "ye2008-thm3.1", str(tmp_path / "problem.npz")]
    with (tmp_path / "err").open("w") as err:
        process = subprocess.Popen([*COMMAND, *arguments], stderr=err)
    # the work, the tracker that Python has, the fork server
    assert interrupted(process.pid, [signal.SIGINT], lambda found: len(found) >= 3) == 130
    *_, last = (tmp_path / "err").read_text().splitlines()
    assert last == "cvxkernel: interrupted by SIGINT"
    assert "Traceback" not in (tmp_path / "err").read_text()
    process.returncode = 130


def test_the_workers_of_a_study_end_with_it_however_it_ends(tmp_path):
    store = tmp_path / "store.jsonl"
    arguments = ["study", "ye2008-table9", "--splits", "30", "--jobs", "2", "--store", str(store)]
    process = subprocess.Popen([*COMMAND, *arguments], stdout=subprocess.DEVNULL)
    # it has stored a fit: there are two workers, and the tracker of theirs
    asked = [signal.SIGKILL]
    status = interrupted(process.pid, asked, lambda found: len(found) >= 3 and store.exists())
    process.returncode = status
    assert status == -signal.SIGKILL


def test_a_command_that_is_still_being_imported(tmp_path):
    script = tmp_path / "cvxkernel"
    ready = tmp_path / "ready"  # the room has been entered, and the command is still on its way
    script.write_text(
        f"import cvxkernel.validation, time\nopen({str(ready)!r}, 'w')\ntime.sleep(60)\n"
    )
    with (tmp_path / "err").open("w") as err:
        process = subprocess.Popen([sys.executable, script, "list"], stderr=err)
    wait_until(ready.exists, PATIENCE)
    process.send_signal(signal.SIGINT)
    assert process.wait(PROMPT) == 130
    assert (tmp_path / "err").read_text() == "cvxkernel: interrupted by SIGINT\n"


# -- The supervisor, in a fork of this process: nothing is imported again --------------------------


def _redirect(out, err):
    """Standard output and error, as Python and as anybody else sees them."""
    for number, path in ((1, out), (2, err)):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT), number)
    sys.stdout, sys.stderr = os.fdopen(1, "w", closefd=False), os.fdopen(2, "w", closefd=False)


@pytest.fixture
def forked(tmp_path):
    """`forked(work)`: the process in which `work` is done, its output in out and err."""

    def start(work, out=tmp_path / "out"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of threads
            pid = os.fork()
        if pid:
            return pid
        status = 99
        try:
            faulthandler.disable()  # pytest's
            _redirect(out, tmp_path / "err")
            status = work()
        except SystemExit as stop:
            status = stop.code
        finally:
            os._exit(status)

    return start


def ended(pid):
    wait_until(lambda: os.waitid(os.P_PID, pid, GONE) is not None, PATIENCE)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def stubborn():
    """Never looks at a signal, and has a child of its own."""
    subprocess.Popen(["sleep", "1000"])
    ctypes.PyDLL(None).sleep(1000)  # with the lock of the interpreter


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_work_that_never_looks_at_signals_ends_too(number, status, forked, tmp_path):
    pid = forked(lambda: supervised(stubborn))
    assert interrupted(pid, [number], lambda found: len(found) >= 2) == status
    assert (tmp_path / "err").read_text() == f"cvxkernel: interrupted by {number.name}\n"


def test_the_work_does_not_outlive_a_supervisor_that_is_killed(forked):
    pid = forked(lambda: supervised(lambda: time.sleep(1000)))
    assert interrupted(pid, [signal.SIGKILL], lambda found: len(found) >= 1) == -signal.SIGKILL


def orphan():
    """A process of multiprocessing that would outlive its parent."""
    process = get_context("fork").Process(target=lambda: (die_with_parent(), time.sleep(1000)))
    process.start()
    process.join()


def test_a_child_does_not_outlive_its_parent(forked):
    assert interrupted(forked(orphan), [signal.SIGKILL], lambda found: len(found) >= 1) < 0


@pytest.mark.parametrize(
    ("work", "status", "said"),
    [
        (lambda: 3, 3, ""),
        (lambda: os.kill(os.getpid(), 11), 70, "ended by SIGSEGV, a crash in a library"),
        (lambda: os.kill(os.getpid(), 9), 70, "ended by SIGKILL, as the system does when"),
    ],
)
def test_the_status_of_the_work_is_handed_on(work, status, said, forked, tmp_path):
    assert ended(forked(lambda: supervised(work))) == status
    err = (tmp_path / "err").read_text()
    assert said in err
    assert err.count("\n") == bool(said)


def test_a_disk_that_is_full(forked, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["cvxkernel", "list"])
    assert ended(forked(cli.main, Path("/dev/full"))) == 74
    err = (tmp_path / "err").read_text()
    assert err.startswith("cvxkernel: output: expected a place that can be written to; came ")
    assert err.count("\n") == 1


@pytest.mark.parametrize("how", [[], ["--json"]])
def test_a_reader_that_has_gone_away(how, forked, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["cvxkernel", "list", *how])
    reading, writing = os.pipe()
    os.close(reading)
    pid = forked(cli.main, Path(f"/dev/fd/{writing}"))
    os.close(writing)
    assert ended(pid) == 74
    assert (tmp_path / "err").read_text() == ""
