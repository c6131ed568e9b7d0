"""An answer with the points that show its optimum: what `cvxkernel certify` writes.

The points come from a solve; believed is none of them. Both ends are what `checker` makes of the
decimals that are written, so that a certificate is shown as soon as it is made.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cholesky, eigh

from cvxkernel import solvers
from cvxkernel.formulations import semidefinite
from cvxkernel.formulations.catalogue import CATALOGUE, formulation
from cvxkernel.formulations.enclosure import Enclosure
from cvxkernel.formulations.errors import ContradictionError, InputError, SolverError
from cvxkernel.formulations.formulation import Formulation
from cvxkernel.formulations.inputs import Array
from cvxkernel.solvers.method import Progress, Solution
from cvxkernel.validation.files import dump
from cvxkernel.validation.vectors import checker
from cvxkernel.validation.vectors.decimals import outwards, texts
from cvxkernel.validation.vectors.witnesses import WITNESSES

SCHEMA, VERSION = "certificate", 1
ELIMINATED = 16  # samples: up to so many no factor is needed
FINE = 1e-9  # what the solvers are asked for: a certificate is no better than its points


def data(problem: Any) -> dict[str, Any]:
    """The numbers of a problem as they came, for a file."""
    out: dict[str, Any] = {}
    for field in fields(problem):
        value = getattr(problem, field.name)
        if isinstance(value, np.ndarray):
            known = semidefinite.held(value)
            value = (value if known is None else known.came).tolist()
        if value is not None:
            out[field.name] = value
    return out


def solution(id: str, problem: Any, tol: float = FINE, **options: Any) -> Solution | Enclosure:
    """A solution, or the best that was found where the solvers were not content."""
    form = formulation(id)
    same = next(f.id for f in CATALOGUE.values() if f.program is form.program)
    try:
        return solvers.solve(same, problem, tol=tol, **options)
    except SolverError as error:
        if error.best is None:
            raise
        return error.best


def certify(
    id: str,
    problem: Any,
    *,
    tol: float = 1e-6,
    progress: Progress | None = None,
    limit: float | None = None,
) -> dict[str, Any]:
    """The certificate of a problem, as its file holds it.

    Raises SolverError where the relative width of what is shown is above `tol`, and InputError
    where a certificate cannot be had.
    """
    form = formulation(id)
    form.require(problem)
    if form.id not in WITNESSES:
        raise InputError("ID", "a convex formulation that the checker knows", _why_not(form))
    found = solution(form.id, problem, min(tol, FINE), progress=progress, limit=limit)
    made = {**WITNESSES[form.id](problem, found.variables), **_evidence(problem)}
    claim = {"formulation": form.id, "problem": data(problem), "certificate": made}
    lower, upper = shown(claim)
    if lower > upper:
        raise ContradictionError(float(lower), float(upper))
    width = float((upper - lower) / max(abs(upper), abs(lower), Fraction(1, 10**300)))
    if not width <= tol:
        why = f"certified relative width {width:.1e} above {tol:.1e}"
        best = Enclosure(found.value, float(lower), float(upper), found.variables)
        raise SolverError(form.id, {"certificate": why}, best)
    return {
        "schema": SCHEMA,
        "version": VERSION,
        "formulation": form.id,
        "sense": form.sense,
        "optimum": optimum(lower, upper),
        "answer": {"value": found.value, "variables": _plain(found.variables)},
        "problem": claim["problem"],
        "certificate": made,
    }


def optimum(lower: Fraction, upper: Fraction) -> list[str]:
    """Both ends as decimals, rounded outwards."""
    return [outwards(lower, up=False), outwards(upper, up=True)]


def _plain(variables: Mapping[str, Any]) -> dict[str, Any]:
    return {symbol: np.asarray(x).tolist() for symbol, x in variables.items()}


def shown(claim: Mapping[str, Any]) -> tuple[Fraction, Fraction]:
    """Both ends that the checker makes of a claim, as it will read it."""
    read = json.loads(dump(dict(claim)), parse_float=str, parse_int=str)
    try:
        made: tuple[Fraction, Fraction] = checker.ends(  # type: ignore[no-untyped-call]
            read["formulation"], read["problem"], read["certificate"]
        )
    except checker.RefusedError as error:
        came = f"a point without it ({claim['formulation']})"
        raise InputError("certificate", str(error), came) from None
    return made


def _evidence(problem: Any) -> dict[str, Any]:
    """What shows that the kernels are semidefinite, or how far they are from it."""
    out: dict[str, Any] = {}
    for field in fields(problem):
        value = getattr(problem, field.name)
        known = semidefinite.held(value) if isinstance(value, np.ndarray) else None
        if known is None:
            continue
        each = [_of(K) for K in known.came.reshape(-1, *known.came.shape[-2:])]
        if any(e is not None for e in each):
            out[field.name] = each if known.came.ndim == 3 else each[0]
    return out


def _of(K: Array) -> Any:
    """A factor; None where elimination shows it, which is quick for few samples; else two parts."""
    S, n = (K + K.T) / 2, len(K)
    if n > ELIMINATED and (K == K.T).all():
        room = 8 * n * n * float(np.finfo(float).eps) * float(K.diagonal().max())
        try:
            L = cholesky(K - room * np.eye(n), lower=True)
        except LinAlgError:
            pass
        else:
            return texts(np.where(np.abs(L) > 1e-18 * np.abs(L).max(), L, 0.0), 17)
    if (K == K.T).all() and semidefinite.exactly(K):
        return None
    d, V = eigh(S)
    positive, negative = (V[:, s * d > 0] * np.sqrt(s * d[s * d > 0]) for s in (1, -1))
    zero = np.zeros((len(K), 1))
    parts = {"positive": positive, "negative": negative}
    return {key: texts(part if part.size else zero, 20) for key, part in parts.items()}


def _why_not(form: Formulation) -> str:
    if form.kind == "nonconvex":
        return f"{form.id}, which is not convex: only its optimum at given gates can be shown"
    return f"{form.id}, of which the checker knows nothing"
