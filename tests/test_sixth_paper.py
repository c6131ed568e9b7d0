"""A toy paper, added by a folder in each room that has papers and one line that names it.

The package is copied, the folders and the line are added to the copy, and the copy is used as
anybody would use it: the toy is listed, solved, proved, checked, and documented as the others are.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import cvxkernel
from cvxkernel.formulations.catalogue import CATALOGUE

ROOMS = ("formulations", "solvers", "validation")

FORMULATIONS = {
    "__init__": '''"""Toy (2026): the nearest point of the simplex."""''',
    "data": '''
from dataclasses import dataclass
from cvxkernel.formulations import inputs
from cvxkernel.formulations.inputs import Array

@dataclass(frozen=True, eq=False)
class Given:
    """A point s (n,)."""
    s: Array
    def __post_init__(self) -> None:
        object.__setattr__(self, "s", inputs.array("s", self.s))
    @property
    def n(self) -> int:
        """How many coordinates."""
        return len(self.s)
''',
    "programs": '''
from dataclasses import dataclass
import cvxpy as cp
from cvxkernel.formulations.formulation import Point, printed
from cvxkernel.formulations.program import Program
from cvxkernel.formulations.toy2026.data import Given

def recovered(problem: Given, program: Program) -> Point:
    """x, and τ from the budget."""
    return {"x": program.value("x"), "tau": program.dual("budget") / 2}

@dataclass(frozen=True, eq=False)
class Nearest(Given):
    """The point of the simplex nearest to s."""
    @printed("toy2026-eq1", "(1)", "QP", "min |x - s|², x ≥ 0, Σxᵢ = 1",
             symbols={"x": "n", "tau": ""}, recover=recovered)
    def eq1(self) -> Program:
        """(1)"""
        x = cp.Variable(self.n, name="x")
        return Program(minimize=cp.sum_squares(x - self.s), nonneg=x >= 0, budget=cp.sum(x) == 1)
''',
    "bounds": '''
import numpy as np
from cvxkernel.formulations.formulation import encloses, given
from cvxkernel.formulations.toy2026.data import Given
from cvxkernel.formulations.weights import simplex

class Bounds:
    """Both ends in any arithmetic."""
    def __init__(self, F, problem):
        self.F, self.s, self.n = F, F.exact(problem.s), problem.n

    def value(self, x):
        """|x - s|² at x on the simplex: nearly, and then it is off by how far Σx is from 1."""
        off = self.F.norm(x) * abs(1 - 1 / x.sum())
        return (self.F.norm(x - self.s) + off).square()

    def bound(self, tau):
        """The Lagrangian at τ: its least is at x = max(s - τ, 0)."""
        at = (self.s - tau).positive()
        return self.F.inner(at - self.s, at - self.s) + 2 * tau * (at.sum() - 1)

@encloses("toy2026-eq1")
def eq1(F, problem: Given, point):
    """From above at x, repaired; from below at τ."""
    bounds = Bounds(F, problem)
    x = simplex(F, given(F, point, "x", np.ones(problem.n)), np.ones(problem.n))
    tau = given(F, point, "tau", 0.0).point()
    high = bounds.value(x)
    return F.enclosure(high, bounds.bound(tau), high, {"x": x, "tau": tau})
''',
    "prediction": '''"""No classifier."""''',
}

VALIDATION = {
    "__init__": '''"""Toy (2026)."""''',
    "samples": '''
import numpy as np

def sample(id, n, p, kind, seed):
    """A point."""
    return {"s": np.random.default_rng(seed).normal(size=n)}
''',
    "proofs": '''
import numpy as np
from cvxkernel.formulations.arithmetic import BALLS
from cvxkernel.formulations.arithmetic.balls import Proof, off_simplex
from cvxkernel.formulations.toy2026.bounds import Bounds
from cvxkernel.formulations.weights import simplex
from cvxkernel.validation.proofs.proof import Examination

class Judge:
    """The same bounds in balls."""
    def __init__(self, problem):
        self.bounds, self.one = Bounds(BALLS, problem), BALLS.exact(np.ones(problem.n))

    def better(self, point):
        return iter(())

    def examine(self, point):
        seen = Examination()
        if "x" in point:
            seen.violations.update(off_simplex(point["x"], list(self.one.x)))
            seen.repaired["x"] = x = simplex(BALLS, point["x"], self.one)
            seen.objectives["upper"] = Proof.of(self.bounds.value(x).number)
        if "tau" in point:
            seen.repaired["tau"] = tau = BALLS.exact(point["tau"])
            seen.objectives["lower"] = Proof.of(self.bounds.bound(tau).number)
        return seen

JUDGES = {"toy2026-eq1": Judge}
''',
    "slips": '''
"""None are known."""
from collections.abc import Mapping
from dataclasses import dataclass, field

@dataclass(frozen=True)
class Answer:
    """An answer that nothing explains."""
    claims: Mapping = field(default_factory=dict)
    def distance(self):
        return 1.0

def measure(form, problem, point, value):
    return Answer()

def variants(answer):
    return iter(())

answers = variants
''',
    "claims": """CLAIMS = ()""",
    "errata": """ERRATA = ()""",
    "pictures": """PICTURES = ()""",
}


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """The package with the toy paper, and an environment that finds it first."""
    top = tmp_path_factory.mktemp("sixth") / "cvxkernel"
    here = Path(next(iter(cvxkernel.__path__)))
    for room in ROOMS:
        shutil.copytree(here / room, top / room, ignore=shutil.ignore_patterns("__pycache__"))
    (top / "__init__.py").write_text('"""The copy."""\n')
    for room, files in (("formulations", FORMULATIONS), ("validation", VALIDATION)):
        folder = top / room / "toy2026"
        folder.mkdir()
        for name, text in files.items():
            (folder / f"{name}.py").write_text(f"{text.strip()}\n")
    line = top / "formulations" / "catalogue.py"
    text = line.read_text()
    assert text.count('PAPERS = ("ye2008", ') == 1
    line.write_text(text.replace('PAPERS = ("ye2008", ', 'PAPERS = ("toy2026", "ye2008", '))
    np.savez(top.parent / "problem.npz", s=np.array([0.9, 0.4, -0.2, 0.3]))
    return top.parent


@pytest.fixture(scope="module")
def command(copy):
    def run(*arguments):
        code = "from cvxkernel.validation.cli import main; main()"
        env = {**os.environ, "PYTHONPATH": str(copy)}
        return subprocess.run(
            [sys.executable, "-c", code, *map(str, arguments)],
            cwd=copy, env=env, capture_output=True, text=True, check=False,
        )  # fmt: skip

    return run


def test_it_is_listed(command):
    rows = json.loads(command("list", "--json").stdout)["formulations"]
    toy = next(row for row in rows if row["id"] == "toy2026-eq1")
    assert toy["keys"] == ["s"]
    assert toy["statement"].startswith("min |x - s|²")
    assert len(rows) == len(CATALOGUE) + 1


def test_it_is_solved_proved_and_checked(command, copy):
    done = command("solve", "toy2026-eq1", "problem.npz", "--rigorous", "--json")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["rigorous"]
    # s - τ clipped: τ = 0.2, x = (.7, .2, 0, .1), the distance 3·0.04 + 0.04
    assert answer["lower"] <= 0.16 <= answer["upper"]
    assert answer["upper"] - answer["lower"] <= 1e-6
    (copy / "answer.json").write_text(done.stdout)
    assert command("check", "toy2026-eq1", "problem.npz", "answer.json").returncode == 0
    (copy / "wrong.json").write_text(json.dumps({"variables": {"x": [1.0, 0.0, 0.0, 0.0]}}))
    assert command("check", "toy2026-eq1", "problem.npz", "wrong.json").returncode == 1


def test_it_has_the_shape_of_the_others_and_is_documented(copy):
    code = (
        "import inspect; from cvxkernel.formulations.catalogue import CATALOGUE;"
        "from cvxkernel.validation.instances import sample;"
        "form = CATALOGUE['toy2026-eq1']; problem = form.make(sample(form.id));"
        "enclosure = form.enclose(problem, {});"
        "assert {k: v.shape for k, v in enclosure.variables.items()} == form.shapes(problem);"
        "assert inspect.getdoc(form.program) and inspect.getdoc(form.problem)"
    )
    env = {**os.environ, "PYTHONPATH": str(copy)}
    subprocess.run([sys.executable, "-c", code], env=env, check=True)
