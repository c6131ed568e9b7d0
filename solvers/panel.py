"""The panel: which conic solvers there are, installed and licensed, which cones they take.

The options ask each for as much as doubles give, and then for less where it may fail at that;
what it delivers is measured by the enclosure.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from math import isfinite
from typing import Any

import cvxpy as cp

from cvxkernel.formulations.formulation import Formulation

Options = Mapping[str, Any]


@dataclass(frozen=True)
class Member:
    """One conic solver as CVXPY knows it."""

    name: str
    package: str
    cones: str
    options: tuple[Options, ...] = ({},)  # tried in turn
    clock: tuple[str, ...] = ()  # the option, or the group of options and its key, for its seconds

    @property
    def version(self) -> str | None:
        """The installed version, or None."""
        try:
            return version(self.package)
        except PackageNotFoundError:
            return None

    def timed(self, options: Options, seconds: float) -> Options:
        """The options with its own limit on the seconds, if it has one: it ends with a point."""
        if not (self.clock and isfinite(seconds)):
            return options
        *group, key = self.clock
        if not group:
            return {**options, key: seconds}
        return {**options, group[0]: {**options.get(group[0], {}), key: seconds}}

    def unavailable(self) -> str | None:
        """Why it cannot be used here, or None."""
        if self.version is None:
            extra = "" if self.name in ("CLARABEL", "SCS", "MOSEK") else " (extra `panel`)"
            return f"not installed{extra}"
        if self.name not in cp.installed_solvers():
            return "installed, but CVXPY cannot load it"
        return mosek_licence() if self.name == "MOSEK" else None


@cache
def mosek_licence() -> str | None:
    """Why MOSEK has no licence, or None when one can be checked out."""
    import mosek

    try:
        with mosek.Env() as env:
            env.checkoutlicense(mosek.feature.pton)
    except mosek.Error as error:
        return f"no licence ({str(error.errno).removeprefix('rescode.')})"
    return None


PANEL = {
    member.name: member
    for member in (
        Member(
            "MOSEK",
            "Mosek",
            "second-order, semidefinite",
            (
                {
                    "mosek_params": {
                        "MSK_DPAR_INTPNT_CO_TOL_REL_GAP": 1e-10,
                        "MSK_DPAR_INTPNT_CO_TOL_PFEAS": 1e-10,
                        "MSK_DPAR_INTPNT_CO_TOL_DFEAS": 1e-10,
                    }
                },
                {},
            ),
            ("mosek_params", "MSK_DPAR_OPTIMIZER_MAX_TIME"),
        ),
        Member(
            "CLARABEL",
            "clarabel",
            "second-order, semidefinite",
            # At 1e-10 it may stop for want of progress, with no point; its own 1e-8 then succeeds.
            # Threads: a process made by fork has none of its parent's pool, and would wait for it.
            (
                {"tol_gap_abs": 1e-10, "tol_gap_rel": 1e-10, "tol_feas": 1e-10, "max_threads": 1},
                {"max_threads": 1},
            ),
            ("time_limit",),
        ),
        Member(
            "SCS",
            "scs",
            "second-order, semidefinite",
            # The scale it adapts may wander: on kundu2010-eq7 with C = 1e3 it is not at 1e-6 after
            # 100 000 iterations, and after 400 with the scale it starts from.
            (
                {"eps_abs": 1e-10, "eps_rel": 1e-10, "max_iters": 20_000},
                {"eps_abs": 1e-10, "eps_rel": 1e-10, "max_iters": 5_000, "adaptive_scale": False},
            ),
            ("time_limit_secs",),
        ),
        Member(
            "CVXOPT",
            "cvxopt",
            "second-order, semidefinite",
            # Below 1e-8 it often ends in "unknown", with no point; the default kktsolver fails on
            # LMIs.
            ({"abstol": 1e-8, "reltol": 1e-8, "feastol": 1e-8, "kktsolver": "robust"},),
        ),
        Member(
            "SDPA",
            "sdpa-python",
            "second-order, semidefinite",
            ({"epsilonStar": 1e-8, "epsilonDash": 1e-8},),
        ),
    )
}


# Where a variable is an n×n matrix SCS is ahead at every size (n = 50: 0.3 s, Clarabel 5 s).
MATRIX = ("MOSEK", "SCS")
# Measured: SCS is as fast as Clarabel, a thousand times tighter, and alone ends at n = 100; CVXOPT
# takes a hundred times as long.
KUNDU = ("MOSEK", "SCS", "CLARABEL", "SDPA", "CVXOPT")
FIRST: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(
        ("luss2007", "luss2007-maxmin", "chen2009-eq7", "chen2009-eq7-dual", "chen2009-eq8"), MATRIX
    ),
    **dict.fromkeys(("kundu2010-eq4", "kundu2010-eq6", "kundu2010-eq7"), KUNDU),
}


def order(form: Formulation, n: int) -> tuple[str, ...]:
    """Whom to ask first, by the formulation and the size of the problem.

    Measured: on the QCQPs Clarabel is fastest and tightest. On the LMIs from n = 30 on SDPA takes a
    second where the others take ten, and fails now and then, which the enclosure tells; SCS, whose
    work per iteration is one eigendecomposition, is next.
    """
    first = FIRST.get(form.id, ())
    if form.kind == "SDP" and n >= 30:
        rest = ("MOSEK", "SDPA", "SCS", "CVXOPT", "CLARABEL")
    else:
        rest = ("MOSEK", "CLARABEL", "CVXOPT", "SCS", "SDPA")
    return (*first, *(name for name in rest if name not in first))
