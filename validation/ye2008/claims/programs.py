"""Each program of the paper, and of those it compares with, as written: against other code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cvxkernel.formulations.catalogue import formulation
from cvxkernel.formulations.enclosure import Enclosure
from cvxkernel.solvers import METHODS, solve
from cvxkernel.solvers.units.ye2008 import Scaled
from cvxkernel.validation.instances import sample
from cvxkernel.validation.ledger.claim import Evidence, Finding, worst
from cvxkernel.validation.ledger.shared import KINDS, as_written, problem
from cvxkernel.validation.ledger.shared import same as same_optimum


def written(id: str, at: Any, instance: str) -> Finding:
    """The program as it stands against the enclosure of Newton's method, which reads no program.

    A semi-infinite program is given the one β that is best: by duality it is enough, since
    max over θ of ΣθᵢSᵢ(β) = maxᵢ Sᵢ(β)/rᵢ is least there. Where Newton's method has no answer, the
    enclosure is that of a cone's solution, whose ends are computed without the program.
    """
    form, newton = formulation(id), id in METHODS["newton"].answers
    found = solve(id, at, solver="newton" if newton else None).enclosure
    beta = np.asarray(found.variables.get("beta", 0.0))
    if form.paper != "lanckriet2004":
        # A cone's tolerances are absolute: a and H such that the optimum, quadratic in them, is 1.
        scale = 1 / float(np.sqrt(abs(found.value)))
        at, beta = Scaled(at, scale), scale * beta
        value, lower, upper = (scale**2 * x for x in (found.value, found.lower, found.upper))
        found = Enclosure(value, lower, upper, {})
    cuts = ([beta.reshape(at.n, -1)],) if form.kind == "SILP" else ()
    return as_written(id, at, found, *cuts, instance=instance)


def all_written(seed: int, *ids: str) -> list[Finding]:
    """The programs as written on every kind of kernels, and on six, some without weight."""
    found = [written(id, problem(id, kind, seed), kind) for id in ids for kind in KINDS]
    for id in ids:
        six = formulation(id).make(sample(id, 13, 6, seed=seed))
        found.append(written(id, six, "six Gaussian kernels"))
    return found


def same(*ids: str) -> Callable[[int], Evidence]:
    """The programs have the same optimum, and each as written has it."""
    equal = same_optimum(*ids)

    def test(seed: int) -> Evidence:
        return Evidence(worst([equal(seed).printed, *all_written(seed, *ids)]))

    return test
