"""CBF, PTF and MPS by MOSEK, which needs no licence to write a file.

MOSEK takes numbers of a matrix that are at most 1e-12 for 0: how many these are is told. The rows
are affine conic constraints. MPS has none: there a second-order cone takes variables of
its own, s = b - Ax, and no file holds a semidefinite one.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mosek
import numpy as np

from cvxkernel.formulations.errors import CvxkernelError
from cvxkernel.solvers.export.conic_form import ConicForm


def write(form: ConicForm, path: Path) -> int:
    """The file, in the format that its ending names; how many numbers were too small for it."""
    with mosek.Env() as env, env.Task() as task:
        task.puttaskname(form.map.formulation)
        task.putobjname("objective")
        task.putintparam(mosek.iparam.write_generic_names, mosek.onoffkey.off)
        task.appendvars(form.map.length)
        for j, name in enumerate(form.map.names()):
            task.putvarname(j, name)
        task.putvarboundsliceconst(0, form.map.length, mosek.boundkey.fr, 0.0, 0.0)
        # the paper's sense: the optimum is the paper's
        senses = {1.0: mosek.objsense.minimize, -1.0: mosek.objsense.maximize}
        task.putobjsense(senses[form.map.sign])
        task.putclist(range(form.map.length), form.map.sign * form.c)
        task.putcfix(form.map.offset)
        (_by_variables if path.suffix == ".mps" else _by_rows)(task, form)
        try:
            task.writedata(str(path))
        except mosek.Error as error:
            raise CvxkernelError(f"{path.name}: MOSEK cannot write it ({error.msg})") from None
        slacks = task.getnumvar() - form.map.length
        kept = int(task.getafefnumnz() or task.getnumanz() - slacks)
        return int(np.count_nonzero(form.A.data)) - kept


def _by_rows(task: Any, form: ConicForm) -> None:
    """b - Ax ∈ cone, one affine conic constraint for each."""
    cones, A = form.map.cones, form.A.tocoo()
    task.appendafes(cones.rows)
    task.putafefentrylist(A.row.astype(np.int64), A.col.astype(np.int32), -A.data)
    task.putafegslice(0, cones.rows, form.b)
    equalities, linear = slice(0, cones.zero), slice(cones.zero, cones.zero + cones.nonnegative)
    domains = [
        *((task.appendrzerodomain, rows) for rows in [equalities] if cones.zero),
        *((task.appendrplusdomain, rows) for rows in [linear] if cones.nonnegative),
        *((task.appendquadraticconedomain, rows) for rows in cones.second_order_rows()),
        *((task.appendsvecpsdconedomain, rows) for rows in cones.semidefinite_rows()),
    ]
    for domain, rows in domains:
        size = rows.stop - rows.start
        task.appendaccseq(domain(size), rows.start, [0.0] * size)


def _by_variables(task: Any, form: ConicForm) -> None:
    """Ax = b, Ax ≤ b, Ax + s = b with s in the second-order cones."""
    cones, A = form.map.cones, form.A.tocoo()
    linear, rows = cones.zero + cones.nonnegative, cones.rows
    task.appendcons(rows)
    task.appendvars(rows - linear)
    task.putaijlist(A.row.astype(np.int32), A.col.astype(np.int32), A.data)
    slack = form.map.length - linear  # the variable of a row, less the row
    for row in range(rows):
        below = cones.zero <= row < linear
        kind = mosek.boundkey.up if below else mosek.boundkey.fx
        task.putconname(row, f"row{row}")
        task.putconbound(row, kind, form.b[row], form.b[row])
        if row >= linear:
            task.putvarname(slack + row, f"s{row}")
            task.putvarbound(slack + row, mosek.boundkey.fr, 0.0, 0.0)
            task.putaij(row, slack + row, 1.0)
    for k, cone in enumerate(cones.second_order_rows()):
        members = [slack + row for row in range(cone.start, cone.stop)]
        task.appendcone(mosek.conetype.quad, 0.0, members)
        task.putconename(k, f"cone{k}")
