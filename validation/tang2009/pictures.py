"""From Independent to Same: the optimum and the kernel difference along λ."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from cvxkernel.formulations.arithmetic import DOUBLES
from cvxkernel.formulations.tang2009 import bounds
from cvxkernel.validation.ledger.claim import Picture
from cvxkernel.validation.tang2009.claims.instances import at_beta, at_lam, priced

BLUE, ORANGE, GREY = "#0072B2", "#D55E00", "#8A8A8A"


def along_lam(seed: int) -> Figure:
    """The optimum of (3), and Ω, as λ varies."""
    at = priced("random", seed, 0.0)
    shared, each = at_beta("random", seed, 0.0), at_beta("random", seed, at.k / 2)
    A, B = bounds.Bounds(DOUBLES, at).extremes(shared.variables["alpha"])
    last = float((B - A).mid) / at.k
    grid = np.linspace(0.0, 1.4 * last, 15)
    found = [at_lam("random", seed, float(lam)) for lam in grid]
    figure, (left, right) = plt.subplots(1, 2, figsize=(7.6, 3.0), layout="constrained")
    left.plot(grid, [x.value for x in found], "o-", color=BLUE, ms=4, label="optimum of (3)")
    for end, name in ((each, "Independent"), (shared, "Same")):
        left.axhline(end.value, color=GREY, lw=1, ls=":")
        left.annotate(name, (grid[5], end.value), xytext=(0, 3), textcoords="offset points")
    left.set(xlabel="λ", ylabel="optimal value")
    Omega = [float(x.variables["gamma"].sum()) / 2 for x in found]
    right.plot(grid, Omega, "s-", color=ORANGE, ms=4)
    for ax in (left, right):
        ax.axvline(last, color=GREY, lw=1, ls="--")
    right.set(xlabel="λ", ylabel="Ω", ylim=(-0.05, 1.1 * max(Omega)))
    return figure


PICTURES = (
    Picture(
        "tang2009-picture-lam",
        "Theorem 3.1 along λ: the optimum rises and Ω falls until, at the finite λ = (B − A)/k of "
        "the Same model's α (dashed), all labels have one kernel.",
        along_lam,
        ("tang2009-lam", "tang2009-large-lam", "tang2009-lam0"),
    ),
)
