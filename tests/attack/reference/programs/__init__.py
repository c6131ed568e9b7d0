"""Every program of the catalogue once more, for `model`; the optimum of an id's data.

Each says what is solved in a line; where a program has a dual that is easier to start, it is the
dual, by strong duality: all of these have strictly feasible points.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attack.reference.cone import Ends, NoReference, precision
from attack.reference.programs import discriminants, machines, similarities

Data = dict[str, Any]


def reference(id: str, data: Data) -> Ends:
    """Both ends of the optimum; NoReference where it would take too long, or there is none."""
    program, largest, sign = PROGRAMS[id]
    one_each = (
        data["Y"].T if key == "Y" else data[key] for key in ("y", "Y", "s", "X") if key in data
    )
    if len(next(one_each)) > largest:
        raise NoReference("too many samples")
    with precision():
        low, high = program(data)
        return (low, high) if sign > 0 else (-high, -low)


def _fixed(**how: bool) -> Callable[[Data], Ends]:
    return lambda data: discriminants.discriminant(data, **how)


# By id: the program, up to how many samples, and the sign of its value.
PROGRAMS: dict[str, tuple[Callable[[Data], Ends], int, int]] = {
    "ye2008-thm2.1": (_fixed(binary=True), 5, 1),
    "ye2008-thm2.2": (_fixed(binary=True), 5, 1),
    "ye2008-thm2.3": (_fixed(binary=True), 5, -1),
    "ye2008-eq29": (_fixed(binary=False), 5, 1),
    "ye2008-eq29-single": (_fixed(binary=False), 5, 1),
    "ye2008-thm3.1": (_fixed(binary=False, diagonal=True), 5, 1),
    "ye2008-thm3.2": (_fixed(binary=False), 5, 1),
    "ye2008-thm3.3": (_fixed(binary=False), 5, -1),
    "ye2008-eq41": (_fixed(binary=True, joint=True), 5, 1),
    "ye2008-eq43": (_fixed(binary=True, joint=True), 5, 1),
    "ye2008-eq44": (_fixed(binary=True, joint=True), 5, -1),
    "ye2008-eq45": (_fixed(binary=False, diagonal=True, joint=True), 5, 1),
    "ye2008-eq45-single": (_fixed(binary=False, joint=True), 5, 1),
    "ye2008-eq46": (_fixed(binary=False, joint=True), 5, 1),
    "ye2008-eq47": (_fixed(binary=False, joint=True), 5, -1),
    "tang2009-eq2": (machines.tang_eq2, 5, 1),
    "tang2009-thm3.1": (lambda data: machines.tang(data, "thm3.1"), 4, 1),
    "tang2009-eq3-sdp": (lambda data: machines.tang(data, "thm3.1"), 4, 1),
    "tang2009-eq11": (lambda data: machines.tang(data, "eq11"), 4, 1),
    "chen2009-eq1": (machines.eq1, 5, 1),
    "chen2009-eq3": (machines.eq3, 5, 1),
    "luss2007": (similarities.robust, 3, 1),
    "luss2007-maxmin": (similarities.robust, 3, 1),
    "chen2009-eq7": (similarities.learned, 3, 1),
    "chen2009-eq7-dual": (similarities.learned, 3, 1),
    "chen2009-eq8": (similarities.eq8, 5, 1),
    "chen2009-eq8-qcqp": (similarities.eq8_qcqp, 5, 1),
    "chen2009-eq12": (similarities.spectrum, 5, 1),
    "kundu2010-eq5": (machines.budgeted, 5, 1),
    "kundu2010-eq10": (machines.eq10, 5, 1),
    "gonen2008-eq5": (machines.gonen, 5, 1),
    "gonen2008-eq7": (machines.gonen, 5, 1),
    "gonen2008-alg1": (machines.gonen, 5, 1),
    "gonen2008-alg1-regression": (machines.regression, 3, 1),
    "gonen2008-alg1-oneclass": (machines.one_class, 5, 1),
    "kim2006": (discriminants.kim, 5, 1),
    "kim2006-epigraph": (discriminants.kim, 5, 1),
    "rakotomamonjy2008": (machines.simple, 5, 1),
    "lanckriet2004-sm1": (lambda data: machines.margin(data, box=True), 5, 1),
    "lanckriet2004-sm2": (lambda data: machines.margin(data, squared=True), 5, 1),
    "lanckriet2004-sm2c": (lambda data: machines.margin(data, joint=True), 5, 1),
    **{
        f"kundu2010-{label}": program
        for labels, program in (
            (
                ("eq4", "alg1", "alg1-printed"),
                (lambda data: similarities.several(data, one=True), 3, 1),
            ),
            (
                ("eq6", "alg2", "alg2-printed"),
                (lambda data: similarities.several(data, one=False), 3, 1),
            ),
            (("eq7", "alg3", "alg3-printed"), (similarities.spectra, 4, 1)),
        )
        for label in labels
    },
}
