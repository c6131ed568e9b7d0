"""Two pictures: where J has a kink, and what the printed step does."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from cvxkernel.validation.gonen2008.claims.descent import kink, path
from cvxkernel.validation.gonen2008.claims.machine import solved
from cvxkernel.validation.ledger.claim import Picture

BLUE, ORANGE, GREY = "#0072B2", "#D55E00", "#8A8A8A"


def descent(seed: int) -> Figure:
    """J at a kink, and J by iteration."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(7.6, 3.0), layout="constrained")
    v = np.linspace(-1, 1, 41)
    left.plot(v, [solved(kink(x)).value for x in v], color=BLUE, label="J")
    for alpha, style in (((2.0, 0.0, 2.0), "-"), ((0.0, 2.0, 2.0), "--")):
        slope = kink(0.0).gradient(np.array(alpha))[0][0, 0]
        ends = np.array([-0.4, 0.4])
        named = f"printed, α = ({alpha[0]:g}, {alpha[1]:g}, {alpha[2]:g})"
        left.plot(ends, 2 + slope * ends, style, color=ORANGE, lw=1, label=named)
    left.set(xlabel="v₁ − v₂", ylabel="J", ylim=(1.5, 3.4))
    left.legend(frameon=False)
    for search, colour, named in ((False, ORANGE, "μ = 0.01"), (True, BLUE, "line search")):
        ends = np.array([iterate.J.value for iterate in path(search=search)])
        right.semilogy(ends, "o-", color=colour, ms=4, label=named)
    right.set(xlabel="iteration", ylabel="J")
    right.legend(frameon=False)
    return figure


# fmt: off
PICTURES = (
    Picture("gonen2008-picture-descent",
        "Left, three points where two α solve (7) at v₁ = v₂: the printed gradient is a slope of J "
        "on one side only, which one depends on the α at hand. Right, Algorithm 1 on two points, "
        "kernels of unit trace, C = 100: with the printed step J rises.",
        descent, ("gonen2008-gradient-v0", "gonen2008-monotone")),
)
# fmt: on
