"""The small pictures of the index: each is computed, from what its page is about.

`python docs/cards.py` draws docs/_static/cards/*.svg anew.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from sklearn.svm import SVC

import cvxkernel
from cvxkernel.formulations import chen2009, gonen2008, kundu2010, tang2009, ye2008
from cvxkernel.formulations.chen2009 import spectrum
from cvxkernel.solvers import MirrorDescent, solve
from cvxkernel.solvers.mirror_descent import ALGORITHMS
from cvxkernel.validation.chen2009.samples import similarity
from cvxkernel.validation.exercises.tang2009 import problem as labels
from cvxkernel.validation.exercises.ye2008 import problem as classes
from cvxkernel.validation.gauss4 import bank
from cvxkernel.validation.gonen2008.samples import gauss4
from cvxkernel.validation.kundu2010.samples import alternating
from cvxkernel.validation.ledger import LEDGER

BLUE, ORANGE, GREEN, YELLOW = "#0072B2", "#D55E00", "#009E73", "#E69F00"
GREY, INK = "#8A8A8A", "#222222"
DOCS = Path(__file__).parent


def way_in(ax: Axes) -> None:
    """A disc, and a polygon of its tangents."""
    angles = np.linspace(0.2, 2 * np.pi + 0.2, 7)
    corners = np.array([[np.cos(a), np.sin(a)] for a in angles + np.pi / 6]) / np.cos(np.pi / 6)
    turn = np.linspace(0, 2 * np.pi, 60)
    ax.plot(*corners.T, color=ORANGE)
    ax.fill(np.cos(turn), np.sin(turn), color=BLUE, alpha=0.25)
    ax.set(aspect="equal")


def reading(ax: Axes) -> None:
    """Both ends, by iteration of column generation."""
    at = classes()
    steps = solve("ye2008-thm2.3", at).history
    ends = [-s.lower for s in steps][:9], [-s.upper for s in steps][:9]
    ax.fill_between(range(len(ends[0])), *ends, color=BLUE, alpha=0.2)
    for end in ends:
        ax.plot(end, "o-", color=BLUE, ms=3)


def check(ax: Axes) -> None:
    """An optimum, and answers above it."""
    at = ye2008.Discriminant(classes().kernels, classes().y, 0.01)
    best = solve("ye2008-thm2.2", at).value
    told = []
    for i in range(at.p):
        theta = np.eye(at.p)[i] / at.r
        told.append(
            cvxkernel.check("ye2008-thm2.2", at, theta=theta).sides["upper"].objective.lower
        )
    ax.bar(range(at.p), np.sort(told)[::-1] - best, color=ORANGE, width=0.6)
    ax.axhline(0, color=BLUE, lw=2.5)


def ye(ax: Axes) -> None:
    """v along weights of two kernels, and two of its tangents."""
    at = classes()
    two = ye2008.Discriminant(at.kernels[[1, 3]], at.y, 0.01)
    a = np.ravel(two.a)
    share = np.linspace(0, 1, 41)

    def v(s: float) -> tuple[float, float]:
        theta = np.array([s, 1 - s]) / two.r
        solved = np.linalg.solve(np.eye(two.n) + np.tensordot(theta, two.G, 1) / two.lam, a)
        pull = [solved @ G @ solved / r for G, r in zip(two.G, two.r, strict=True)]
        return float(a @ solved), float(pull[1] - pull[0]) / two.lam

    curve = np.array([v(s)[0] for s in share])
    ax.plot(share, curve, color=BLUE)
    for s in (0.15, 0.85):
        value, slope = v(s)
        ax.plot(share, value + slope * (share - s), color=ORANGE, lw=1)
    ax.set(ylim=(curve.min() - 0.25 * np.ptp(curve), curve.max()))


def tang(ax: Axes) -> None:
    """The weights of one kernel in each label, as difference gets a price."""
    at = labels()
    path = []
    for lam in (0.0, *np.geomspace(0.05, 8, 11)):
        found = solve(
            "tang2009-thm3.1", tang2009.Regularized(at.kernels, at.Y, at.C, lam)
        ).variables
        path.append((found["zeta"] + found["gamma"])[:, 0])
    for line, colour in zip(np.array(path).T, (BLUE, ORANGE, GREEN), strict=True):
        ax.plot(line, color=colour)


def chen(ax: Axes) -> None:
    """The spectrum of a similarity, and that of the kernel learned."""
    S, y = similarity(24, kind="random", seed=1)
    K = solve("chen2009-eq7", chen2009.KernelMachine(S, y, 0.02, 0.005)).variables["K"]
    lam = spectrum.eigen(S)[0][:-1]
    ax.bar(range(len(lam)), lam, color=[ORANGE if x < 0 else GREY for x in lam])
    ax.plot(np.linalg.eigvalsh(K)[:-1], "o", color=BLUE, ms=3)
    ax.axhline(0, color=INK, lw=0.8)


def kundu(ax: Axes) -> None:
    """The printed step stalls, the true one goes on."""
    at = kundu2010.Similarities(*alternating(12, 2), C=1.0, rho=0.3, tau=12.0, loss="L3")
    best, oracle = solve("kundu2010-alg1", at).lower, ALGORITHMS[1](at)
    for printed, colour in ((True, ORANGE), (False, BLUE)):
        steps = MirrorDescent(step="paper").iterates(oracle, printed=printed)
        values = [step.value for step, _ in zip(steps, range(100), strict=False)]
        ax.loglog(np.minimum.accumulate(values) - best, color=colour)


def gonen(ax: Axes) -> None:
    """Two classes, and where which kernel has the larger gate."""
    X, y = gauss4(60, seed=0)
    toy = gonen2008.Localized(bank("LP", "n").stack_of_fit(X), y, X, 10.0)
    at = solve("gonen2008-alg1", toy).variables
    grid = np.stack(np.meshgrid(np.linspace(-6, 6, 40), np.linspace(-8, 5, 40)), axis=-1)
    gates = gonen2008.gates(grid.reshape(-1, 2), at["V"], at["v0"])[0].reshape(40, 40)
    ax.contourf(grid[..., 0], grid[..., 1], gates, levels=[0.5, 1.01], colors=["#DDDDDD"])
    for label, colour in ((1, BLUE), (-1, ORANGE)):
        ax.plot(*X[y == label].T, ".", color=colour, ms=4)


def studies(ax: Axes) -> None:
    """Cells of the papers' tables, printed against redone."""
    cells = [
        cell
        for path in sorted((DOCS / "studies").glob("*.json"))
        for cell in json.loads(path.read_text("utf-8"))["cells"]
        if cell["measure"] in ("accuracy", "error") and None not in (cell["printed"], cell["mean"])
    ]
    ax.plot([c["printed"] for c in cells], [c["mean"] for c in cells], ".", color=BLUE, ms=3)
    ax.axline((0, 0), slope=1, color=GREY, lw=1)


def speed(ax: Axes) -> None:
    """Seconds by the size of the problem, for each solver."""
    rows = json.loads((DOCS / "bench" / "n.json").read_text("utf-8"))["rows"]
    rows = [row for row in rows if row["measurement"]["id"] == "ye2008-thm3.2"]
    for solver, colour in (("newton", BLUE), ("CLARABEL", ORANGE), ("SCS", GREY)):
        mine = [row for row in rows if row["measurement"]["solver"] == solver]
        done = [row for row in mine if row["measurement"]["failure"] is None]
        seconds = [row["measurement"]["seconds"] for row in done]
        ax.loglog([row["n"] for row in done], seconds, "o-", color=colour, ms=3)


def estimators(ax: Axes) -> None:
    """The boundary that a machine draws around a class."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 2))
    y = np.where((X**2).sum(axis=1) > 1.4, 1, -1)
    grid = np.stack(np.meshgrid(np.linspace(-3, 3, 50), np.linspace(-2.6, 2.6, 50)), axis=-1)
    model = SVC(C=10.0).fit(X, y)
    heights = model.decision_function(grid.reshape(-1, 2)).reshape(50, 50)
    ax.contour(grid[..., 0], grid[..., 1], heights, levels=[0], colors=[INK])
    for label, colour in ((1, BLUE), (-1, ORANGE)):
        ax.plot(*X[y == label].T, ".", color=colour, ms=4)


def ledger(ax: Axes) -> None:
    """How many claims hold as printed, are imprecise, or fail."""
    counts = Counter(claim.printed for claim in LEDGER.values())
    left = 0
    for name, colour in (("holds", GREEN), ("imprecise", YELLOW), ("fails", ORANGE)):
        ax.barh([0], counts[name], left=left, color=colour, height=0.5)
        left += counts[name]
    ax.set(ylim=(-1, 1))


CARDS = {
    "way-in": way_in,
    "reading-an-answer": reading,
    "check": check,
    "ye2008": ye,
    "tang2009": tang,
    "chen2009": chen,
    "kundu2010": kundu,
    "gonen2008": gonen,
    "ledger": ledger,
    "estimators": estimators,
    "studies": studies,
    "speed": speed,
}


if __name__ == "__main__":
    folder = DOCS / "_static" / "cards"
    folder.mkdir(exist_ok=True)
    bare = {f"axes.spines.{side}": False for side in ("left", "right", "top", "bottom")}
    for name, draw in CARDS.items():
        with plt.rc_context({"svg.hashsalt": "cvxkernel", **bare}):
            figure, axes = plt.subplots(figsize=(3.2, 1.5), layout="constrained", facecolor="white")
            draw(axes)
            axes.set(xticks=[], yticks=[])
            axes.minorticks_off()
            figure.savefig(folder / f"{name}.svg", metadata={"Date": None})
            plt.close(figure)
