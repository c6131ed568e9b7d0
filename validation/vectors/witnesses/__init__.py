"""From a solution to the points of a certificate, in decimals that are feasible exactly."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cvxkernel.formulations.formulation import Point
from cvxkernel.validation.vectors.witnesses import discriminants, learned, machines, spectra

Witness = Callable[[Any, Point], dict[str, Any]]


def _squared(problem: Any, point: Point) -> dict[str, Any]:
    return machines.margin(problem, {**point, "squared": point["alpha"]})


YE2008 = ("thm2.1", "thm2.2", "thm2.3", "eq29", "eq29-single", "thm3.2", "thm3.3",
          "eq41", "eq43", "eq44", "eq45-single", "eq46", "eq47")  # fmt: skip

WITNESSES: dict[str, Witness] = {
    **{f"ye2008-{name}": discriminants.scatter for name in YE2008},
    **{f"ye2008-{name}": discriminants.restricted for name in ("thm3.1", "eq45")},
    **dict.fromkeys(("kim2006", "kim2006-epigraph"), discriminants.fisher),
    "lanckriet2004-sm1": machines.margin,
    "lanckriet2004-sm2": _squared,
    "lanckriet2004-sm2c": _squared,
    **{f"tang2009-{name}": machines.labels for name in ("eq2", "thm3.1", "eq3-sdp", "eq11")},
    "rakotomamonjy2008": machines.one_label,
    **{f"chen2009-{name}": machines.machine for name in ("eq1", "eq3")},
    **{f"gonen2008-{name}": machines.gated for name in ("eq5", "eq7")},
    **dict.fromkeys(("luss2007", "luss2007-maxmin"), learned.robust),
    **{f"chen2009-{name}": learned.free for name in ("eq7", "eq7-dual")},
    **{f"chen2009-{name}": learned.sample for name in ("eq8", "eq8-qcqp")},
    "chen2009-eq12": spectra.modification,
    "kundu2010-eq5": machines.budgeted,
    "kundu2010-eq10": learned.combination,
    **{f"kundu2010-{n}": learned.kernels for n in ("eq4", "alg1", "alg1-printed")},
    **{f"kundu2010-{n}": learned.kernels for n in ("eq6", "alg2", "alg2-printed")},
    **{f"kundu2010-{n}": spectra.spectra for n in ("eq7", "alg3", "alg3-printed")},
}
