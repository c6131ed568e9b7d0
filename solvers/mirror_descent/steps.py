"""The points: Algorithms 1, 2 and 3 by the true step and as printed, and with momentum."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from cvxkernel.formulations.inputs import Array
from cvxkernel.solvers.mirror_descent.algorithms import Algorithm, Dual
from cvxkernel.solvers.mirror_descent.interval import Interval
from cvxkernel.solvers.mirror_descent.maps import Order, logarithm, mirror, printed_step

Rule = Literal["paper", "proof", "horizon", "accelerated"]
Lip = Literal["seen", "known"]

GROWTH = 1.5  # of η before each line search
HALVINGS = 20  # of η in it at most
TINIEST = 1e-12  # the smoothing ends there, relative to the optimum


@dataclass
class Iterate:
    """A point x with an α for its upper end, the oracle's dual point and the weight of it."""

    x: Array
    alpha: Array
    dual: Dual
    weight: float
    eta: float
    gradient: Array
    value: float  # f(x) from above
    proven: float
    fresh: bool = False  # whether the averages begin anew


def descent(
    algorithm: Algorithm,
    rule: Rule,
    lip_is: Lip,
    horizon: int,
    *,
    printed: bool = False,
    order: Order = "ascending",
) -> Iterator[Iterate]:
    """Algorithms 1, 2 and 3, by the true step or as they are printed."""
    p, m = algorithm.problem, algorithm.blocks
    H = algorithm.origin()
    x, _ = mirror(H, p.tau)  # x⁽¹⁾ = (τ/n)I or (τ/n)1
    lam = np.full((m, p.n), p.tau / p.n)
    dual, t = None, 0
    lip = algorithm.known_lip() if lip_is == "known" else 0.0
    steps = squares = errors = 0.0
    while True:
        t += 1
        # Obtain α*, γ* for K⁽ᵗ⁾, and the subgradient
        at_x = algorithm.ask(x, dual)
        dual = at_x.dual
        g = algorithm.printed_gradient(dual) if printed else at_x.gradient
        sizes = algorithm.sizes(g)
        if lip_is == "seen":
            lip = max(lip, float(sizes.max()))
        # Choose suitable step-size ηₜ
        eta = size(rule, t, m, p.n, horizon) / max(lip, np.finfo(np.float64).tiny)
        value = algorithm.upper(x, dual[0])
        steps, squares = steps + eta, squares + eta**2 * float((sizes**2).sum())
        errors += eta * (value - at_x.value)
        proven = (m * p.tau * np.log(p.n) + p.tau * squares / 2 + errors) / steps
        yield Iterate(x, dual[0], dual, eta, eta, g, value, float(proven))
        if printed and not algorithm.commutes:
            lam, x = printed_step(lam, g, eta, p.tau, order=order)
        else:
            H = H - eta * g
            x, _ = mirror(H, p.tau)


def size(rule: Rule, t: int, m: int, n: int, horizon: int) -> float:
    """ηₜ·Lip"""
    over = {"paper": m * t, "proof": t, "horizon": horizon}
    return float(np.sqrt(2 * np.log(n) / over.get(rule, m * t)))


def accelerated(algorithm: Algorithm, interval: Interval) -> Iterator[Iterate]:
    r"""Mirror descent with momentum: Aₜ₊₁ = Aₜ + a, a²/Aₜ₊₁ = η, θ = a/Aₜ₊₁,

        y = (1 - θ)x + θz,  log z ← log z - a f′(y),  x ← (1 - θ)x + θz,

    η halved until f(x) ≤ f(y) + ⟨f′(y), x - y⟩ + B(z⁺, z)/Aₜ₊₁. Then
    A f(x) ≤ Σₜ aₜ(f(yₜ) + ⟨f′(yₜ), · - yₜ⟩) + B(·, z₁) everywhere: the average of the oracle's
    duals with the weights aₜ is within B/A of x. f is smoothed, by less and less; with Ω, which
    is steepest at the beginning, momentum starts anew whenever the gap has been halved.
    """
    p, m = algorithm.problem, algorithm.blocks
    H = algorithm.origin()
    z, log_total = mirror(H, p.tau)
    first = algorithm.ask(z)
    value = algorithm.upper(z, first.dual[0])
    # How many |x| or ‖X‖ are smoothed.
    many = sum(L.rough(first.gradient[0].size) for L in p.losses) * p.rho
    eta = 1.0 / max(float(algorithm.sizes(first.gradient).max()), np.finfo(np.float64).tiny)
    yield Iterate(z, first.dual[0], first.dual, eta, eta, first.gradient, value, value)
    x, at_x = z, first.dual
    A, blur, milestone, fresh = 0.0, np.inf if many else 0.0, interval.gap, True
    spread = charged = 0.0
    while True:
        if many:
            blur = min(blur, max(interval.gap, TINIEST * abs(interval.upper)) / many)
        eta = start = GROWTH * eta
        for _ in range(HALVINGS):
            a = (eta + np.sqrt(eta**2 + 4 * eta * A)) / 2
            theta = a / (A + a)
            y = (1 - theta) * x + theta * z
            at_y = algorithm.ask(y, at_x, blur)
            g = at_y.gradient
            H_next = H - a * g
            z_next, log_next = mirror(H_next, p.tau)
            x_next = (1 - theta) * x + theta * z_next
            then = algorithm.ask(x_next, at_y.dual, blur)
            # B(z⁺, z) = ⟨log z⁺ - log z, z⁺⟩
            B = float(np.vdot(H_next - H, z_next) - p.tau * (log_next - log_total).sum())
            model = at_y.value + float(np.vdot(g, x_next - y)) + B / (A + a)
            over = then.value - model
            if over <= 1e-10 * abs(model):
                break
            eta /= 2
        else:
            # The oracle was too inexact to tell: the step is taken, and charged.
            charged, eta = charged + (A + a) * over, start / GROWTH
        A, H, z, log_total, x, at_x = A + a, H_next, z_next, log_next, x_next, then.dual
        spread += theta * (blur - spread)  # the mean of h by the weights a
        proven = (m * p.tau * np.log(p.n) + charged) / A + many * spread / 2
        value = algorithm.upper(x, at_x[0])
        yield Iterate(x, at_x[0], at_y.dual, a, eta, g, value, float(proven), fresh)
        fresh = m > 1 and interval.gap <= milestone / 2
        if fresh:
            H = logarithm(x)
            z, log_total = mirror(H, p.tau)
            x, A, milestone, spread, charged = z, 0.0, interval.gap, 0.0, 0.0
