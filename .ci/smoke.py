"""What an installed wheel has to do: answer, prove, judge, show; run outside of the repository."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import cvxkernel
from cvxkernel.formulations.kernels import gaussian

ID = "ye2008-thm2.2"


def command(*words: str, status: int = 0) -> str:
    """What the installed command prints."""
    done = subprocess.run(["cvxkernel", *words], capture_output=True, text=True, check=False)
    assert done.returncode == status, (words, done.returncode, done.stderr)
    return done.stdout


def main() -> None:
    """In a folder of its own."""
    package = Path(next(iter(cvxkernel.__path__)))
    assert package.is_relative_to(sys.prefix), f"not the installed package but {package}"
    y = np.repeat([-1.0, 1.0], 8)
    X = np.random.default_rng(0).normal(size=(16, 2)) + y[:, None]
    data = {"kernels": np.stack([gaussian(X, s) for s in (0.5, 2.0)]), "y": y, "lam": 1e-2}
    solution = cvxkernel.solve(ID, data, digits=20)
    assert solution.rigorous
    assert cvxkernel.check(ID, data, solution).within(1e-6)
    assert cvxkernel.solve("ye2008-thm2.1", data, solver="conic").width <= 1e-6
    assert "<table>" in solution._repr_html_()
    with TemporaryDirectory() as folder:
        problem, answer = Path(folder, "problem.npz"), Path(folder, "answer.json")
        np.savez(problem, **data)
        answer.write_text(command("solve", ID, str(problem), "--json"))
        command("check", ID, str(problem), str(answer))
        answer.write_text(json.dumps({"theta": [1.0, 1.0]}))
        assert "not within" in command("check", ID, str(problem), str(answer), status=1)
    assert cvxkernel.__version__ in command("--version")
    listed = json.loads(command("list", "--json"))["formulations"]
    assert [form["id"] for form in listed] == list(cvxkernel.catalogue())
    assert "maximize" in command("show", ID)
    assert "CLARABEL" in command("solvers")
    assert "verdicts as recorded" in " ".join(command("verify", "--paper", "gonen2008").split())


if __name__ == "__main__":
    main()
