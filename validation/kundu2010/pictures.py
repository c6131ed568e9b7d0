"""Each fault alone under the bounds that the paper promises, and the midpoint of (5)."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from cvxkernel.validation.kundu2010.claims.descent import MANY, slow, stalls, without_rho
from cvxkernel.validation.kundu2010.claims.functions import midpoint, omega_5, omega_10
from cvxkernel.validation.kundu2010.claims.points import promised
from cvxkernel.validation.ledger.claim import Picture

BLUE, ORANGE, GREEN, GREY = "#0072B2", "#D55E00", "#009E73", "#8A8A8A"


def gaps(seed: int) -> Figure:
    """The best so far less the optimum under the bounds, one fault each and without it."""
    figure, axes = plt.subplots(1, 3, figsize=(7.6, 3.0), layout="constrained")
    left_out, with_rho = without_rho()["gaussian"]
    as_printed, true, _ = stalls()
    for ax, title, faulty, right, promise in (
        (axes[0], "the mirror step", as_printed[:, 0], true[:, 0], (1, 3, 3.0, 3.0)),
        (axes[1], "ρ left out", left_out, with_rho, (2, 13, 13.0, 100.0)),
        (axes[2], "√m in the step", slow(13, MANY), slow(13, 1), (1, 13, 13.0, 1.0)),
    ):
        for values, colour, name in ((faulty, ORANGE, "as printed"), (right, BLUE, "true")):
            best = np.minimum.accumulate(values)
            ax.loglog(np.arange(1, len(best) + 1), best, color=colour, label=name)
        bound = promised(*promise, len(right))
        ax.loglog(np.arange(1, len(bound) + 1), bound, color=GREY, ls=":", label="the bound")
        ax.set(xlabel="T", title=title)
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
        "Each of three faults alone, and without it, under the bounds of Proposition 3.1 and "
        "Theorem 3.2 as C → 0: the mirror step of Algorithms 1 and 2 (L1), ρ left out of "
        "Algorithms 2 and 3 (ρ = 100), the m in their step size (m = 100).",
        gaps, ("kundu2010-prop3.1", "kundu2010-thm3.2", "kundu2010-thm3.2-step")),
    Picture("kundu2010-picture-midpoint",
        "The two functions called Ω between (A, B) and (B, A): that of (5) is not convex and not "
        "that of (10).",
        on_the_segment, ("kundu2010-eq6-convex", "kundu2010-omega")),
)
# fmt: on
