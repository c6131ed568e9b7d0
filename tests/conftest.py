"""What the tests share: tolerances, solved instances, exact arithmetic, the command line.

Tests cannot import each other (import mode importlib): helpers are fixtures that return functions.
"""

from __future__ import annotations

import fcntl
import json
import os
import pickle
import sys
from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import mpmath as mp
import numpy as np
import pytest
from flint import arb, arb_mat, ctx
from hypothesis import HealthCheck, settings

from cvxkernel.formulations import CATALOGUE, Enclosure
from cvxkernel.solvers import METHODS, Solution, solve
from cvxkernel.validation import cli, rigorous
from cvxkernel.validation.instances import sample

settings.register_profile(
    "cvxkernel",
    max_examples=20,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("cvxkernel")


class Tolerances(NamedTuple):
    """Every tolerance that more than one test uses, with its reason."""

    # What `solve` promises: relative width of an accepted enclosure.
    width: float = 1e-6
    # Two formulas that agree in exact arithmetic, evaluated in doubles on well-conditioned data.
    rounding: float = 1e-11
    # A closed form belongs to ideal kernels; those passed in are rounded to doubles.
    data: float = 1e-11
    # A second model of the same program is solved by another solver, to this relative accuracy.
    second_model: float = 2e-6
    # The optimal value is flat around the optimal point: a gap of 1e-10 leaves 1e-5 in the point.
    stationarity: float = 1e-4


@pytest.fixture(scope="session")
def tolerances() -> Tolerances:
    return Tolerances()


@pytest.fixture(scope="session")
def contract() -> tuple[str, ...]:
    """The keys of an answer, in their order."""
    ends = ("value", "lower", "upper", "rigorous")
    return ("formulation", "status", *ends, "variables", "solver", "iterations", "seconds")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data, which are not part of the package."""
    folder = os.environ.get("CVXKERNEL_DATA")
    if folder is None:
        pytest.skip("CVXKERNEL_DATA names no folder with the real data")
    return Path(folder)


# -- Instances and their solutions -----------------------------------------------------------


@cache
def _solved(
    id: str, kind: str, n: int, p: int, seed: int, tol: float | None
) -> tuple[Any, Solution]:
    problem = CATALOGUE[id].make(sample(id, n, p, kind=kind, seed=seed))
    return problem, solve(id, problem, tol=tol, solver=_literally(id))


def _literally(id: str) -> str | None:
    """Newton's method does not read the programs as they are written: the panel does."""
    by_newton = id in METHODS["newton"].answers and CATALOGUE[id].kind != "SILP"
    return "conic" if by_newton else None


@pytest.fixture(scope="session")
def solved() -> Callable[..., tuple[Any, Solution]]:
    """`solved(id, kind=…, n=…)`: a seeded problem and its solution, solved once a session."""

    def get(
        id: str,
        kind: str = "gaussian",
        *,
        n: int = 14,
        p: int = 3,
        seed: int = 0,
        tol: float | None = None,
    ) -> tuple[Any, Solution]:
        return _solved(id, kind, n, p, seed, tol)

    return get


@pytest.fixture(scope="session")
def once(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, Callable[[], Any]], Any]:
    """`once(name, compute)`: what one worker of a run computed, the others read."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent  # of all workers

    def get(name: str, compute: Callable[[], Any]) -> Any:
        path = folder / f"{name}.pickle"
        with path.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # let go when the file is closed
            if not path.exists():
                path.write_bytes(pickle.dumps(compute()))
            return pickle.loads(path.read_bytes())

    return get


@pytest.fixture
def proved_once(once: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """An optimum that a check has had proved is not proved again for the same data."""
    prove = rigorous.solve

    def shared(id: str, problem: Any, **options: Any) -> Any:
        data = {field.name: getattr(problem, field.name) for field in fields(problem)}
        digest = sha256(pickle.dumps((data, options))).hexdigest()
        return once(f"proved-{id}-{digest}", lambda: prove(id, problem, **options))

    monkeypatch.setattr(rigorous, "solve", shared)


@pytest.fixture(scope="session")
def made() -> Callable[[str, Mapping[str, Any]], Any]:
    """`made(id, data)`: the problem, from a mapping that may hold more keys than it needs."""
    return lambda id, data: CATALOGUE[id].make(data)


@pytest.fixture(scope="session")
def optimum() -> Callable[..., Enclosure]:
    """`optimum(id, data)`: the enclosure, of minus the optimum for a semi-infinite program."""

    def get(id: str, data: Mapping[str, Any], **options: Any) -> Enclosure:
        options.setdefault("solver", _literally(id))
        found = solve(id, CATALOGUE[id].make(data), **options)
        assert found.lower <= found.value <= found.upper
        assert found.width <= options.get("tol", Tolerances().width)
        return -found.enclosure if CATALOGUE[id].kind == "SILP" else found.enclosure

    return get


@pytest.fixture(scope="session")
def contains() -> Callable[[Enclosure, float], bool]:
    """Whether an enclosure holds the number of a closed form, up to the rounding of the data."""

    def check(enclosure: Enclosure, number: float) -> bool:
        slack = Tolerances().data * abs(number)
        return enclosure.lower - slack <= number <= enclosure.upper + slack

    return check


@pytest.fixture(scope="session")
def meet() -> Callable[..., bool]:
    """Whether two enclosures meet once the second is multiplied by a (rounded) factor."""

    def check(one: Enclosure, other: Enclosure, factor: float = 1.0) -> bool:
        slack = Tolerances().data * abs(one.upper)
        return (
            one.lower - slack <= factor * other.upper and factor * other.lower <= one.upper + slack
        )

    return check


# -- Exact arithmetic ---------------------------------------------------------------------------


@cache
def clipped(entries: bytes, n: int) -> arb_mat:
    """U max(Λ, 0) Uᵀ of (K + Kᵀ)/2 to 120 digits, by mpmath: what a kernel stands for."""
    K = np.frombuffer(entries).reshape(n, n)
    with mp.workdps(140):
        S = mp.matrix(K.tolist())
        e, U = mp.eigsy((S + S.T) / 2)
        plus = U * mp.diag([max(x, 0) for x in e]) * U.T
        return arb_mat([[arb(mp.nstr(plus[i, j], 120)) for j in range(n)] for i in range(n)])


class Exact:
    """hᵀM⁻¹h for given doubles in ball arithmetic of 400 bits: no rounding that could matter."""

    bits = 400

    def centred(self, K: np.ndarray) -> arb_mat:
        """P K₊ P"""
        n = len(K)
        P = arb_mat(
            [[(arb(1) if i == j else arb(0)) - arb(1) / n for j in range(n)] for i in range(n)]
        )
        S = arb_mat([[(arb(K[i, j]) + arb(K[j, i])) / 2 for j in range(n)] for i in range(n)])
        e = np.linalg.eigvalsh((K + K.T) / 2)
        if e[0] < 1e-12 * e[-1]:  # not definite for certain
            S = clipped(np.ascontiguousarray(K, dtype=float).tobytes(), n)
        return P * S * P

    def class_vectors(self, y: np.ndarray, *, binary: bool) -> arb_mat:
        """a of (3), or H of (24)."""
        n, labels = len(y), np.unique(y)
        size = {c: arb(int((y == c).sum())) for c in labels}
        if binary:
            minus, plus = labels
            return arb_mat([[1 / size[plus] if c == plus else -1 / size[minus]] for c in y])
        low = {c: (size[c] / n).sqrt() for c in labels}
        return arb_mat([[1 / low[c] - low[c] if v == c else -low[c] for c in labels] for v in y])

    def value(
        self, kernels: np.ndarray, y: np.ndarray, lam: float, shares: list[float], *, binary: bool
    ) -> arb:
        """Σⱼ hⱼᵀ(I + (1/λ) Σᵢ (wᵢ/rᵢ) G̃ᵢ)⁻¹hⱼ with the shares wᵢ = θᵢrᵢ."""
        before, ctx.prec = ctx.prec, self.bits
        try:
            n = len(y)
            M = arb_mat([[arb(i == j) for j in range(n)] for i in range(n)])
            for w, K in zip(shares, kernels, strict=True):
                G = self.centred(K)
                M += G * (arb(w) / arb(lam) / sum((G[i, i] for i in range(n)), arb(0)))
            H = self.class_vectors(y, binary=binary)
            S = H.transpose() * M.solve(H)
            return sum((S[j, j] for j in range(S.nrows())), arb(0))
        finally:
            ctx.prec = before


@pytest.fixture(scope="session")
def exact() -> Exact:
    return Exact()


# -- The command line ---------------------------------------------------------------------------


class Run(NamedTuple):
    """What a command left behind."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Its standard output, which has to be JSON without NaN or infinity."""

        def refuse(constant: str) -> None:
            raise AssertionError(f"{constant} is not JSON")

        return json.loads(self.out, parse_constant=refuse)


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Run]:
    """`run("solve", id, path, "--json")`: the command line, inside this process."""

    def command(*arguments: Any) -> Run:
        monkeypatch.setattr(sys, "argv", ["cvxkernel", *map(str, arguments)])
        capsys.readouterr()
        status = cli.command()
        out, err = capsys.readouterr()
        return Run(status, out, err)

    return command
