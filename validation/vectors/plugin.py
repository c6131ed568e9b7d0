"""A plugin of pytest: the test vectors of a formulation as a fixture.

    @pytest.mark.cvxkernel("lanckriet2004-sm1")
    def test_mine(vector):
        vector.check(my_solver(**vector.problem))

runs once for each test vector. `vector.problem` holds numpy arrays by key; `check` takes a value, a
mapping of the paper's symbols, or keywords, and fails with the judgement of what is wrong.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pytest

MARKER = "cvxkernel(*ids): run with every test vector of these formulations, fixture `vector`"


class Vector:
    """One test vector: its problem, its proved optimum, and a judge of answers to it."""

    def __init__(self, id: str, test: Mapping[str, Any]) -> None:
        self.formulation, self.test = id, test
        self.id, self.flags, self.optimum = test["id"], test["flags"], test["optimum"]

    @property
    def problem(self) -> dict[str, Any]:
        """The problem, lists as arrays."""
        import numpy as np

        own = self.test["problem"].items()
        return {key: np.array(x, dtype=float) if isinstance(x, list) else x for key, x in own}

    def check(self, answer: Any = None, /, *, tol: float | None = None, **symbols: Any) -> None:
        """Fail, with the judgement, unless the answer is right."""
        __tracebackhide__ = True
        from cvxkernel.validation.vectors.verdict import TOLERANCE, verdict

        given = dict(answer) if isinstance(answer, Mapping) else {}
        value = given.pop("value", None) if given else answer
        value = symbols.pop("value", value)
        judged = verdict(self.formulation, self.test, {**given, **symbols}, value, tol or TOLERANCE)
        if not judged:
            raise AssertionError(str(judged))

    def __repr__(self) -> str:
        return f"Vector({self.id})"


def pytest_configure(config: pytest.Config) -> None:
    """The marker is known."""
    config.addinivalue_line("markers", MARKER)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A run for each test vector of the formulations that are marked."""
    marks = list(metafunc.definition.iter_markers("cvxkernel"))
    if not marks or "vector" not in metafunc.fixturenames:
        return
    from cvxkernel.validation.vectors import shipped

    ids = [id for mark in marks for id in mark.args]
    every = [Vector(id, test) for id in ids for test in shipped.tests(id)]
    metafunc.parametrize("vector", every, ids=[vector.id for vector in every])
