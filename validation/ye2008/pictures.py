"""The pictures that matter: an upper bound, a rule of stopping, what learning λ means."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from cvxkernel.formulations.arithmetic import DOUBLES
from cvxkernel.formulations.catalogue import formulation
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.ye2008 import Discriminant, bounds
from cvxkernel.solvers import ColumnGeneration
from cvxkernel.validation.instances import instance
from cvxkernel.validation.ledger.claim import Picture
from cvxkernel.validation.ledger.shared import optimum_of
from cvxkernel.validation.ye2008.claims.space import solve, space
from cvxkernel.validation.ye2008.claims.two_classes import EPSILON

BLUE, ORANGE, GREEN, GREY = "#0072B2", "#D55E00", "#009E73", "#8A8A8A"


def restricted(seed: int) -> Figure:
    """(29) and (32) as λ varies, three equal classes."""
    data, k = instance(12, 3, 3, seed=seed), 3
    grid = np.logspace(-4, 2, 7)
    problems = [Discriminant(data["kernels"], data["y"], lam) for lam in grid]
    exact, above = (
        np.array([optimum_of(id, at).value for at in problems])
        for id in ("ye2008-eq29-single", "ye2008-thm3.1")
    )
    figure, (left, right) = plt.subplots(1, 2, figsize=(7.6, 3.0), layout="constrained")
    left.loglog(grid, above, "o-", color=ORANGE, ms=4, label="(32)")
    left.loglog(grid, exact, "s-", color=BLUE, ms=4, label="(29) = (34)")
    left.set(xlabel="λ", ylabel="optimal value")
    left.legend(frameon=False)
    right.semilogx(grid, above / exact, "o-", color=ORANGE, ms=4)
    for level, name in ((k, "k"), (k / (k - 1), "k/(k − 1)")):
        right.axhline(level, color=GREY, lw=1, ls=":")
        right.annotate(name, (grid[0], level), xytext=(0, -12), textcoords="offset points")
    right.set(xlabel="λ", ylabel="(32) / (29)", ylim=(1, k + 0.3))
    return figure


def rule_22(seed: int) -> Figure:
    """What rule (22) compares with ε at every iteration, and the true gap of the same weights."""
    data = instance(24, 10, 2, seed=seed)
    at = Discriminant(data["kernels"], data["y"], data["lam"])
    best = optimum_of("ye2008-thm2.2", at)
    form, method = formulation("ye2008-thm2.3"), ColumnGeneration(stop="paper")
    state = method.init(form, at, None)
    rule: list[float] = []
    gap: list[float] = []
    while len(rule) < 60 and (not rule or rule[-1] > 1e-7):
        value = float(bounds.value(DOUBLES, at, state.w / at.r, binary=True).mid)
        gap.append(max(value / best.lower - 1, 1e-16))
        method.step(state)
        rule.append(state.violated)
    steps = np.arange(1, len(rule) + 1)
    figure, ax = plt.subplots(figsize=(7.6, 3.0), layout="constrained")
    ax.semilogy(steps[1:], rule[1:], "o-", color=ORANGE, ms=4, label="rule (22)")
    ax.semilogy(steps, gap, "s-", color=BLUE, ms=4, label="true gap of the same weights")
    ax.axhline(EPSILON, color=GREY, lw=1, ls=":")
    ax.annotate("ε of the paper", (1, EPSILON), xytext=(0, 4), textcoords="offset points")
    ax.set(xlabel="iteration", ylabel="relative to the optimum")
    ax.legend(frameon=False)
    return figure


def learned(seed: int) -> Figure:
    """(42) and F₈ over the share of the identity, one kernel."""
    s = space((5, 4, 4), seed, 2)
    two, share = space((9, 5), seed), np.linspace(0.01, 0.99, 99)
    left_side, right_side, F8, F9 = (np.empty(len(share)) for _ in range(4))
    for i, w in enumerate(share):
        left_side[i] = _form(two.a, w / two.n, 1.0, two.centred)
        right_side[i] = _form(two.a, w / two.n, 1 - w, two.centred)
        F9[i] = _form(s.H, w / s.n, 1 - w, s.centred)
        F8[i] = w / s.n * (np.sum(s.H**2) - w / s.n * F9[i])
    figure, (left, right) = plt.subplots(1, 2, figsize=(7.6, 3.0), layout="constrained")
    left.plot(share, left_side, color=ORANGE, label="budget θᵀr = 1, as printed")
    left.plot(share, right_side, color=BLUE, label="budget θᵀr = 1 − mθ₀")
    left.plot(share[right_side.argmin()], right_side.min(), "o", color=BLUE)
    left.set(xlabel="mθ₀", ylabel="value of (42)", ylim=(0, 3 * right_side.min()))
    left.legend(frameon=False)
    right.plot(share, F8 / F8.max(), color=ORANGE, label="max of F₈ over W")
    right.plot(share, F9.min() / F9, color=BLUE, label="1 / (min of F₉ over W)")
    right.plot(share[F8.argmax()], 1.0, "o", color=ORANGE)
    right.plot(share[F9.argmin()], 1.0, "o", color=BLUE)
    right.set(xlabel="mθ₀", ylabel="relative to its largest", ylim=(0, 1.1))
    right.legend(frameon=False, loc="lower center")
    return figure


def _form(h: Array, first: float, second: float, G: Array) -> float:
    M = first * np.eye(len(G)) + second * G / np.trace(G)
    return float(np.sum(h * solve(M, h)))


# fmt: off
PICTURES = (
    Picture("ye2008-picture-restricted",
        "Theorem 3.1 against (29) as λ varies, three equal classes: an upper bound, between "
        "k/(k − 1) and k times the exact value.",
        restricted, ("ye2008-thm3.1-close", "ye2008-thm3.1", "ye2008-eq45")),
    Picture("ye2008-picture-rule22",
        "Column generation for Theorem 2.3: what rule (22) compares with ε is never below the true "
        "gap of the same weights, so that stopping by it is safe.",
        rule_22, ("ye2008-eq22", "ye2008-thm2.3")),
    Picture("ye2008-picture-learned",
        "Left, the two sides of (42) over the share mθ₀ of the identity: with the printed budget "
        "the left side is another number at the learned θ₀ (dot). "
        "Right, what (46) and (47) make small is F₉; F₈ is largest elsewhere (dots).",
        learned, ("ye2008-eq42", "ye2008-F8")),
)
# fmt: on
