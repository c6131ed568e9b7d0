"""The picture of the README: an optimum between two computed ends, and somebody's answer above.

`python docs/picture.py` draws docs/_static/enclosure.svg anew.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import cvxkernel
from cvxkernel.formulations.kernels import gaussian

BLUE, ORANGE, INK = "#0072B2", "#D55E00", "#222222"
ID, LAM = "ye2008-thm2.2", 5e-4


def draw(path: Path) -> None:
    """Of the problem that the README has."""
    rng = np.random.default_rng(0)
    y = np.repeat([-1.0, 1.0], 20)
    X = rng.normal(size=(40, 3)) + y[:, None]
    kernels = np.stack([gaussian(X, sigma) for sigma in (0.1, 0.5, 1.0, 5.0)])
    problem = {"kernels": kernels, "y": y, "lam": LAM}
    steps = cvxkernel.solve("ye2008-thm2.3", problem).history  # minus the same optimum
    slip = cvxkernel.solve(ID, kernels=kernels, y=y, lam=40 * LAM).variables["theta"]
    judged = cvxkernel.check(ID, problem, theta=slip)
    far, above = judged.sides["upper"].relative.lower, judged.sides["upper"].objective.lower
    at = [step.iteration for step in steps]
    scale = 1e4
    with plt.rc_context({"svg.fonttype": "none", "svg.hashsalt": "cvxkernel", "font.size": 10}):
        figure, axis = plt.subplots(figsize=(7.2, 2.9), layout="constrained", facecolor="white")
        upper, lower = [-scale * s.lower for s in steps], [-scale * s.upper for s in steps]
        axis.fill_between(at, lower, upper, color=BLUE, alpha=0.18, lw=0)
        axis.plot(at, upper, color=BLUE, marker="o", ms=3.5)
        axis.plot(at, lower, color=BLUE, marker="o", ms=3.5)
        axis.plot(at[-1], scale * above, "x", color=ORANGE, ms=9, mew=2.5)
        axis.annotate(
            f"somebody's answer: {100 * far:.1f} % above the optimum, proved\n"
            f"explained by: {judged.slips[0].statement}",
            (at[-1], scale * above), (-10, 0), textcoords="offset points", color=ORANGE,
            ha="right", va="center",
        )  # fmt: skip
        for name, end, off in (("upper end", upper, 6), ("lower end", lower, -14)):
            axis.annotate(name, (at[1], end[1]), (0, off), textcoords="offset points", color=BLUE)
        proved = f"the optimum, proved: {judged.optimum.lower:.17g}\nto {judged.optimum.upper:.17g}"
        axis.annotate(proved, (at[-1], lower[-1]), (0, -12), textcoords="offset points", color=INK,
                      ha="right", va="top")  # fmt: skip
        axis.set(xlabel="iterations of column generation", ylabel="Theorem 2.2, in 10⁻⁴")
        axis.spines[["top", "right"]].set_visible(False)
        axis.margins(y=0.12)
        figure.savefig(path, metadata={"Date": None})


if __name__ == "__main__":
    draw(Path(__file__).parent / "_static" / "enclosure.svg")
