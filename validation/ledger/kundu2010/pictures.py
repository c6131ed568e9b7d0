"""The algorithms as printed and true under the bounds they promise, and the midpoint of (5)."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from cvxkernel.validation.ledger.claim import Picture
from cvxkernel.validation.ledger.kundu2010.descent import rates
from cvxkernel.validation.ledger.kundu2010.functions import midpoint, omega_5, omega_10

BLUE, ORANGE, GREEN, GREY = "#0072B2", "#D55E00", "#009E73", "#8A8A8A"


def gaps(seed: int) -> Figure:
    """The best f so far less the optimum, printed and true, and the bound, for each algorithm."""
    figure, axes = plt.subplots(1, 3, figsize=(7.6, 3.0), layout="constrained")
    for number, ax in enumerate(axes, start=1):
        best, runs = rates(number)
        for printed, colour, name in ((True, ORANGE, "as printed"), (False, BLUE, "true")):
            its, bound = runs[printed]
            gap = np.minimum.accumulate([it.value for it in its]) - best
            t = np.arange(1, len(its) + 1)
            ax.loglog(t, np.maximum(gap, 1e-6 * best), color=colour, label=name)
        ax.loglog(t, bound, color=GREY, ls=":", label="the bound")
        ax.set(xlabel="T", title=f"Algorithm {number}")
    axes[0].set_ylabel("best so far − optimum")
    axes[0].legend(frameon=False, fontsize=8)
    return figure


def on_the_segment(seed: int) -> Figure:
    """Ω of (5) and of (10) between (A, B) and (B, A)."""
    A, B, tau, y = midpoint(seed)
    share = np.linspace(0, 1, 17)
    five, ten = np.empty(len(share)), np.empty(len(share))
    for i, s in enumerate(share):
        K = np.stack([(1 - s) * A + s * B, s * A + (1 - s) * B])
        five[i], ten[i] = omega_5(K, y, 1.0, tau).value, omega_10(K, y, 1.0).value
    figure, ax = plt.subplots(figsize=(7.6, 3.0), layout="constrained")
    ax.plot(share, five, "o-", color=ORANGE, ms=4, label="Ω of (5)")
    ax.plot(share, ten, "s-", color=BLUE, ms=4, label="Ω of (10)")
    ax.set(xlabel="from (A, B) to (B, A)", ylabel="Ω", ylim=(0, None))
    ax.legend(frameon=False)
    return figure


# fmt: off
PICTURES = (
    Picture("kundu2010-picture-rates",
        "The three algorithms on small problems, as printed and true, under the bounds of "
        "Proposition 3.1, Theorem 3.2 and Proposition 3.2: what is printed ends above them.",
        gaps, ("kundu2010-prop3.1", "kundu2010-thm3.2", "kundu2010-prop3.2")),
    Picture("kundu2010-picture-midpoint",
        "The two functions called Ω between (A, B) and (B, A): that of (5) is not convex and not "
        "that of (10).",
        on_the_segment, ("kundu2010-eq6-convex", "kundu2010-omega")),
)
# fmt: on
