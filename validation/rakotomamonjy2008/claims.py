"""What the paper's abstract says of the problem; beside it, whose problem it is as well."""

from __future__ import annotations

import warnings

import cvxpy as cp
import numpy as np

from cvxkernel.formulations.chen2009 import Machine
from cvxkernel.formulations.lanckriet2004 import SoftMargin
from cvxkernel.formulations.rakotomamonjy2008 import MultipleKernels
from cvxkernel.formulations.tang2009 import Regularized
from cvxkernel.solvers import solve
from cvxkernel.validation.ledger.claim import (
    Claim,
    Evidence,
    Finding,
    about,
    equal,
    not_above,
    worst,
)
from cvxkernel.validation.ledger.shared import (
    KINDS,
    PROMISE,
    TIGHT,
    as_written,
    optimum,
    optimum_of,
    problem,
)

ID = "rakotomamonjy2008"
SIZES = np.array([1.0, 2.0, 0.5])  # of three kernels: traces that differ
PRICES = (0.0, 0.3, 10.0)


def machine(seed: int) -> Evidence:
    """The program as written; the machine at its d, and at others, which are no better."""
    found: list[Finding] = []
    rng = np.random.default_rng(seed)
    for kind in KINDS:
        at, best = problem(ID, kind, seed), optimum(ID, kind, seed)
        found.append(as_written(ID, at, best, instance=kind))
        others = rng.dirichlet(np.ones(at.m), size=3)
        for i, d in enumerate([best.variables["d"], *others]):
            K = np.einsum("m,mij->ij", d, at.kernels)
            there = solve("chen2009-eq1", Machine(K, at.y, at.C)).enclosure
            told = about(kind, {"J(d)": there.value, "optimum": best.value})
            found.append(not_above(best, there, **told))
            if i == 0:
                found.append(equal(best, there, **told))
    return Evidence(worst(found))


def mixed_norm(seed: int) -> Evidence:
    """½(Σ_m ‖f_m‖)² in place of ½Σ_m ‖f_m‖²/d_m, no d: by a cone as it stands."""
    found: list[Finding] = []
    for kind in KINDS:
        at, best = problem(ID, kind, seed), optimum(ID, kind, seed)
        u = [cp.Variable(len(R)) for R in at.R]
        b, xi = cp.Variable(), cp.Variable(at.n)
        f = sum(R.T @ x for R, x in zip(at.R, u, strict=True)) + b
        norm = sum(cp.norm(x, 2) for x in u)
        mixed = cp.Problem(
            cp.Minimize(cp.square(norm) / 2 + at.C * cp.sum(xi)),
            [cp.multiply(at.y, f) >= 1 - xi, xi >= 0],
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it may call itself inaccurate: the value tells
            mixed.solve(solver="CLARABEL", **TIGHT)
        told = about(kind, {"mixed norm": mixed.value, "weighted": best.value})
        found.append(Finding(abs(mixed.value - best.value) / best.value, PROMISE, **told))
    return Evidence(worst(found))


def sm1(seed: int) -> Evidence:
    """Half of lanckriet2004-sm1, which counts kernels by their traces."""
    found: list[Finding] = []
    for kind in KINDS:
        at = problem(ID, kind, seed)
        K = at.kernels * SIZES[:, None, None]
        r = np.trace(K, axis1=1, axis2=2)
        ours = optimum_of(ID, MultipleKernels(K * (r.sum() / r)[:, None, None], at.y, at.C))
        other = solve("lanckriet2004-sm1", SoftMargin(K, at.y, at.C)).enclosure
        found.append(equal(ours, other, factor=0.5, instance=kind))
    return Evidence(worst(found))


def thm3_1(seed: int) -> Evidence:
    """tang2009's Theorem 3.1 with one label: whatever λ, Ω = 0 costs nothing."""
    found: list[Finding] = []
    for kind in KINDS:
        at, best = problem(ID, kind, seed), optimum(ID, kind, seed)
        for lam in PRICES:
            other = solve("tang2009-thm3.1", Regularized(at.kernels, at.y[None], at.C, lam))
            found.append(equal(best, other.enclosure, instance=f"{kind}, λ = {lam:g}"))
    return Evidence(worst(found))


EQUIVALENT = "showing that the two approaches are equivalent"

# fmt: off
CLAIMS = (
    Claim("rakotomamonjy2008-machine", "Abstract",
        "the least ½Σ_m ‖f_m‖²/d_m + C·1ᵀξ is the least J(d), a standard support vector machine "
        "with the kernel Σ_m d_mK_m", "the program as written; the machine at its d, and at others",
        machine, programs=(ID,), quote="we solve a standard SVM optimization problem, where the "
        "kernel is defined as a linear combination of multiple kernels"),
    Claim("rakotomamonjy2008-mixed-norm", "Abstract",
        "min ½Σ_m ‖f_m‖²/d_m + C·1ᵀξ over d on the simplex = min ½(Σ_m ‖f_m‖)² + C·1ᵀξ",
        "both by a cone", mixed_norm, programs=(ID,), quote=EQUIVALENT),
    Claim("rakotomamonjy2008-sm1", "Abstract, of lanckriet2004",
        "with the kernels (c/r_m)K_m it is half of lanckriet2004-sm1 with the K_m",
        "kernels of different traces, both solved", sm1, programs=(ID, "lanckriet2004-sm1"),
        quote=EQUIVALENT, remark="The approach by mixed norms is the dual of the program of "
        "Lanckriet et al. (2004), whose traces are a choice of its own."),
    Claim("rakotomamonjy2008-thm3.1", "Abstract, of tang2009",
        "it is tang2009's Theorem 3.1 with one label, for every λ ≥ 0",
        "λ from 0 on, both solved", thm3_1, programs=(ID, "tang2009-thm3.1"), quote=EQUIVALENT,
        remark="One label shares its kernel with nobody: ζ = d and Ω = 0."),
)
