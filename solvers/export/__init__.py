"""The literal program as a file for a solver elsewhere, with a map to the paper's symbols beside.

SDPA-sparse (.dat-s)    csdp, SDPA, DSDP, …
CBF (.cbf), PTF (.ptf)  MOSEK and others
MPS (.mps)              what has no semidefinite cone
SCS (.mat)              data and cone, as scs of MATLAB, Octave, Python or Julia takes them
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from cvxkernel.formulations.catalogue import EQUAL, formulation
from cvxkernel.formulations.errors import InputError
from cvxkernel.formulations.formulation import Formulation
from cvxkernel.solvers.export import sdpa
from cvxkernel.solvers.export.conic_form import ConicForm, SymbolMap, conic_form, told

ENDINGS = {"sdpa": ".dat-s", "cbf": ".cbf", "ptf": ".ptf", "mps": ".mps", "scs": ".mat"}
COMMENT = {"cbf": "#", "ptf": "    #", "mps": "*"}  # how a line of comment begins
MAP = ".map.json"


def map_beside(file: Path) -> Path:
    """The map beside an exported file, or beside the solution of one."""
    return file.with_suffix(MAP)


class Exported(NamedTuple):
    """The files, and how many numbers of the program are 0 there, too small for the writer."""

    file: Path
    map: Path
    dropped: int


def export(id: str, problem: Any, format: str, file: Path) -> Exported:
    """Write the program of this problem, and beside it its map."""
    form = formulation(id)
    if format not in ENDINGS:
        raise InputError("--format", f"one of {', '.join(ENDINGS)}", repr(format))
    if file.suffix != ENDINGS[format]:
        raise InputError("--out", f"a file that ends in {ENDINGS[format]}", file.name)
    _require_conic(form)
    form.require(problem)
    made = conic_form(form, problem)
    if format == "mps" and made.map.cones.semidefinite:
        others = ", ".join(name for name in ENDINGS if name != "mps")
        raise InputError("--format", f"one of {others}: {id} has a semidefinite cone", "mps")
    try:
        file.open("wb").close()  # MOSEK would not say why it cannot be
        dropped = _write(made, format, file)
        about = {"format": format, "file": file.name, "dropped": dropped}
        text = json.dumps({**about, **told(made.map)})
        map_beside(file).write_text(text + "\n", encoding="ascii")
    except OSError as error:
        raise InputError("--out", "a file that can be written", error.strerror or "none") from None
    return Exported(file, map_beside(file), dropped)


def _require_conic(form: Formulation) -> None:
    if form.kind == "nonconvex":
        raise InputError("ID", "a convex program", f"{form.id}, which is not")
    if form.kind == "SILP":
        equals = next((ids for ids in EQUAL if form.id in ids), ())
        finite = [id for id in equals if formulation(id).kind != "SILP"]
        hint = f", such as {' or '.join(finite)} of the same optimum" if finite else ""
        raise InputError("ID", f"a finite program{hint}", f"{form.id}, a semi-infinite one")


def comments(map: SymbolMap, beside: str, format: str, dropped: int = 0) -> list[str]:
    """What a reader of the file is told: whose program it is, and its variables in order."""
    cones = map.cones
    optimum = "the objective"
    if format == "sdpa":  # always minimizes, and has no constant
        optimum = f"{'-' if map.sign < 0 else ''}c'x" + f" + {map.offset!r}" * bool(map.offset)
    return [
        f"{map.formulation} of cvxkernel, as printed; {beside} has this for programs",
        f"the value of the paper's program is {optimum}",
        f"rows: {cones.zero} equalities, {cones.nonnegative} inequalities, "
        f"{len(cones.second_order)} second-order and {len(cones.semidefinite)} semidefinite cones",
        *([f"{dropped} numbers of at most 1e-12 are 0 here"] if dropped else []),
        *(f"x[{j + 1}] = {name}" for j, name in enumerate(map.names())),
    ]


def _write(form: ConicForm, format: str, file: Path) -> int:
    """How many numbers were dropped."""
    dropped, beside = 0, map_beside(file).name
    if format == "sdpa":
        sdpa.write(form, file, comments(form.map, beside, format))
    elif format == "scs":
        _write_scs(form, file)
    else:
        from cvxkernel.solvers.export import task  # MOSEK is slow to import

        dropped = task.write(form, file)
        lines = comments(form.map, beside, format, dropped)
        written = file.read_text(encoding="ascii").splitlines(keepends=True)
        first = 1 if format == "ptf" else 0  # its first line is no comment
        written[first:first] = [f"{COMMENT[format]} {line}\n" for line in lines]
        file.write_text("".join(written), encoding="ascii")
    return dropped


def _write_scs(form: ConicForm, file: Path) -> None:
    """MATLAB's `scs(data, cone, settings)`; names is the map in words."""
    from scipy.io import savemat

    cones = form.map.cones
    with file.open("wb") as stream:
        savemat(
            stream,
            {
                "data": {"A": form.A, "b": form.b, "c": form.c},
                "cone": {
                    "z": float(cones.zero),
                    "l": float(cones.nonnegative),
                    "q": [float(d) for d in cones.second_order],
                    "s": [float(d) for d in cones.semidefinite],
                },
                "names": form.map.names(),
            },
            oned_as="column",
        )
