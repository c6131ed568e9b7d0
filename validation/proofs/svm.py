r"""The support vector machine in balls: feasible points and the bounds of `formulations.svm`.

    maximize 1ᵀα - ½αᵀQα  subject to  0 ≤ α ≤ C, αᵀy = 0

A Q that is not proved semidefinite is charged: with Q + εI ⪰ 0 the primal gains ½εnC².
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from flint import arb, arb_mat, ctx

from cvxkernel.formulations.inputs import Array
from cvxkernel.solvers.svm import svm as solvers_svm
from cvxkernel.validation import balls
from cvxkernel.validation.balls import column, inner
from cvxkernel.validation.proofs.proof import (
    Proof,
    clipped,
    excess,
    numbers,
    simplex,
    solution,
)


def signed(y: Array, Q: arb_mat) -> arb_mat:
    """diag(y) Q diag(y), exactly."""
    rows = [[x if s == t else -x for x, t in zip(row, y, strict=True)]
            for row, s in zip(Q.tolist(), y, strict=True)]  # fmt: skip
    return arb_mat(rows)


def feasible(alpha: Iterable[Any], y: Array, C: float) -> list[arb]:
    """α clipped to the box, then the heavier class scaled down until αᵀy = 0."""
    top = arb(C) if np.isfinite(C) else arb.pos_inf()
    alpha = [x if x < top else top for x in clipped(alpha)]
    plus = balls.total(x for x, s in zip(alpha, y, strict=True) if s > 0)
    minus = balls.total(x for x, s in zip(alpha, y, strict=True) if s < 0)
    if not (plus > 0 and minus > 0 and (plus + minus).is_finite()):
        return [arb(0)] * len(y)
    # Where it is not clear which class is heavier, neither keeps its weight.
    least = plus.lower() if plus < minus else minus.lower() if minus < plus else None
    if least is None:
        least = plus.lower().min(minus.lower()).lower()
    return [x * least / (plus if s > 0 else minus) for x, s in zip(alpha, y, strict=True)]


def value(Q: arb_mat, alpha: list[arb]) -> arb:
    """1ᵀα - ½αᵀQα"""
    a = column(alpha)
    return balls.total(alpha) - inner(a, Q * a) / 2


def upper(Q: arb_mat, y: Array, C: float, v: list[arb]) -> arb:
    """The better of the primal and of the Lagrangian, each where it is defined."""
    least = balls.lambda_min(Q)
    ends = []
    if np.isfinite(C):
        ends.append(_hinge(Q, y, C, v, least))
    if least > 0:
        ends.append(_lagrangian(Q, y, C, v, least))
    ends = [end.upper() for end in ends if end.is_finite()]
    return -balls.largest([-end for end in ends]).lower() if ends else arb.pos_inf()


def _hinge(Q: arb_mat, y: Array, C: float, v: list[arb], least: arb) -> arb:
    """½vᵀQv + C Σᵢ max(0, 1 - (Qv)ᵢ - byᵢ), with Q made semidefinite."""
    shift = arb(0) if least >= 0 else -least
    w = column(v)
    image = Q * w + w * shift
    b = offset(image, y)
    hinges = [
        (1 - m - b * int(s)).nonnegative_part() for m, s in zip(image.entries(), y, strict=True)
    ]
    total = inner(w, image) / 2 + arb(C) * balls.total(hinges)
    return total + shift * len(y) * arb(C) ** 2 / 2


def _lagrangian(Q: arb_mat, y: Array, C: float, alpha: list[arb], least: arb) -> arb:
    """½wᵀQ⁻¹w + C·1ᵀζ, w = 1 + η - ζ - by = Qα + δ, and δᵀQ⁻¹δ ≤ ‖δ‖²/λ_min."""
    a = column(alpha)
    image = Q * a
    b = _free_offset(image, y, C, alpha)
    best = arb.pos_inf()
    # η takes the excess where it is positive, ζ where it is negative; or the rest is left to δ
    # where α has room to move.
    for room in (0.0, 1.0):
        delta, zeta = [], arb(0)
        for x, m, s, diagonal in zip(alpha, image.entries(), y, _diagonal(Q), strict=True):
            excess = m - 1 + b * int(s)
            rest = -excess
            if excess > x * diagonal * room:
                rest = arb(0)
            elif np.isfinite(C) and -excess > (C - x) * diagonal * room:
                zeta, rest = zeta - excess, arb(0)
            delta.append(rest)
        d = column(delta)
        total = inner(a, image) / 2 + inner(a, d) + inner(d, d) / least / 2
        total += arb(C) * zeta if np.isfinite(C) else arb(0)
        best = best.min(total) if best.is_finite() else total
    return best


def off_box(alpha: Any, y: Array, C: float) -> dict[str, arb]:
    """How far α is from αᵀy = 0, relative to Σ|αᵢ|, from α ≥ 0 and from α ≤ C."""
    a = numbers(alpha)
    size = balls.largest([abs(x) for x in a])
    balance = abs(balls.total(x * int(s) for x, s in zip(a, y, strict=True)))
    out = {
        "balance": excess(balance, balls.total(abs(x) for x in a)),
        "nonneg": excess(balls.largest([-x for x in a]), size),
    }
    if np.isfinite(C):
        out["box"] = excess(balls.largest(a) - arb(C), arb(C))
    return out


def machine(Q: Array, y: Array, C: float) -> Array:
    """α in doubles near the optimum at a given matrix; C may be infinite."""
    K = Q * np.outer(y, y)
    if np.isfinite(C):
        return solvers_svm(K, y, C)
    # libsvm wants a box: one that nothing touches, and not much larger.
    scale = 1.0 / max(float(np.abs(Q).max()), 1e-300)
    for power in range(12):
        alpha = solvers_svm(K, y, scale * 10.0**power)
        if alpha.max() < 0.9 * scale * 10.0**power:
            break
    return alpha


def optimum(Q: arb_mat, y: Array, C: float) -> Proof:
    """The optimum of the machine at a given matrix: α from libsvm, polished; both ends there."""
    alpha = machine(balls.doubles(Q), y, C)
    found = [[arb(x) for x in alpha]]
    if alpha.max() > 0:
        better = polished([Q], [arb(1)], y, C, alpha, np.ones(1))
        found += [better[0]] if better is not None else []
    points = [feasible(a, y, C) for a in found]
    lower = balls.largest([value(Q, a).lower() for a in points])
    upper_ = -balls.largest([-upper(Q, y, C, a) for a in points])
    return Proof(lower.lower(), upper_.upper())


def offset(image: arb_mat, y: Array) -> arb:
    """A b near the best one: any will do for a bound."""
    kinks = [(1 - m).mid() * int(s) for m, s in zip(image.entries(), y, strict=True)]
    return sorted(kinks, key=float)[int((y > 0).sum()) - 1]


def _free_offset(image: arb_mat, y: Array, C: float, alpha: list[arb]) -> arb:
    """The mean of y(1 - Qα) over the samples inside the box, weighted by α."""
    rows = list(zip(alpha, image.entries(), y, strict=True))
    big = max(float(x) for x in alpha)
    free = [(x, m, s) for x, m, s in rows if 1e-6 * big < float(x) < (1 - 1e-6) * C]
    if not free:
        return offset(image, y)
    weight = balls.total(x for x, _, _ in free)
    return (balls.total(x * (1 - m) * int(s) for x, m, s in free) / weight).mid()


def _diagonal(Q: arb_mat) -> list[arb]:
    return [Q[i, i] for i in range(Q.nrows())]


# -- Polishing ------------------------------------------------------------------------------------


def polished(
    G: Sequence[arb_mat],
    r: Sequence[arb],
    y: Array,
    C: float,
    alpha: Array,
    mu: Array,
    *,
    ridge: arb | None = None,
) -> tuple[list[arb], list[arb]] | None:
    r"""α and μ from the KKT conditions, by Newton's method on active sets.

        maximize  2·1ᵀα - αᵀα·ridge - c·maxᵢ αᵀGᵢα/rᵢ  over the box, αᵀy = 0,   c = Σᵢ rᵢ

    With F the free samples, A the kernels of positive weight and Q = Σμᵢ Gᵢ + ridge·I:

        (Qα)_F + b·y_F = 1,   yᵀα = 0,   αᵀGᵢα/rᵢ = t  (i ∈ A),   Σ_A μᵢrᵢ = c

    One matrix with weight one is the support vector machine itself. No proof rests on the result;
    None where it is not finite.
    """
    big = float(np.max(alpha))
    state = _State(
        free={j for j in range(len(y)) if 1e-7 * big < alpha[j] < (1 - 1e-7) * C},
        top={j for j in range(len(y)) if alpha[j] >= (1 - 1e-7) * C},
        active={i for i in range(len(r)) if mu[i] * float(r[i]) > 1e-7 * float(np.max(mu))},
        alpha=[arb(float(x)) for x in alpha],
        mu=[arb(float(x)) for x in mu],
    )
    problem = _Kkt(list(G), list(r), [int(s) for s in y], arb(C), ridge or arb(0))
    for _ in range(12):
        if not problem.solve(state):
            return None
        if not problem.correct(state):
            break
    return state.alpha, state.mu


@dataclass
class _State:
    free: set[int]
    top: set[int]
    active: set[int]
    alpha: list[arb]
    mu: list[arb]
    b: arb = field(default_factory=lambda: arb(0))
    t: arb = field(default_factory=lambda: arb(0))


@dataclass(frozen=True)
class _Kkt:
    G: list[arb_mat]
    r: list[arb]
    y: list[int]
    C: arb
    ridge: arb

    def combined(self, mu: list[arb]) -> arb_mat:
        return balls.combination(mu, self.G) + balls.identity(len(self.y)) * self.ridge

    def solve(self, at: _State) -> bool:
        """Newton on the active sets; whether that ended in finite numbers."""
        F, A = sorted(at.free), sorted(at.active)
        f, m = len(F), len(A)
        c = balls.total(self.r)
        fixed = [self.C if j in at.top else arb(0) for j in range(len(self.y))]
        at.alpha = [x if j in at.free else fixed[j] for j, x in enumerate(at.alpha)]
        given = [x if i in at.active else 0 for i, x in enumerate(at.mu)]
        at.mu = [x.mid() for x in simplex(given, self.r, c)]
        if not F:  # every α at a border: the weight goes to the largest form
            a = column(at.alpha)
            forms = [float(inner(a, G * a) / r) for G, r in zip(self.G, self.r, strict=True)]
            best = int(np.argmax(forms))
            at.mu = [c / r if i == best else arb(0) for i, r in enumerate(self.r)]
            at.b = offset(self.combined(at.mu) * a, np.array(self.y))
            return True
        for step in range(2 + ctx.prec // 25):
            a, Q = column(at.alpha), self.combined(at.mu)
            images = [self.G[i] * a for i in A]
            forms_A = [inner(a, g) / self.r[i] for g, i in zip(images, A, strict=True)]
            Qa = Q * a
            if step == 0:
                at.t, at.b = balls.largest(forms_A), offset(Qa, np.array(self.y))
            J = [
                *(
                    [Q[j, h] for h in F] + [arb(self.y[j])] + [g[j, 0] for g in images] + [arb(0)]
                    for j in F
                ),
                [arb(self.y[h]) for h in F] + [arb(0)] * (m + 2),
                *(
                    [2 * g[h, 0] / self.r[i] for h in F] + [arb(0)] * (m + 1) + [arb(-1)]
                    for g, i in zip(images, A, strict=True)
                ),
                [arb(0)] * (f + 1) + [self.r[i] for i in A] + [arb(0)],
            ]
            residual = [
                *(Qa[j, 0] + at.b * self.y[j] - 1 for j in F),
                balls.total(x * s for x, s in zip(at.alpha, self.y, strict=True)),
                *(form - at.t for form in forms_A),
                balls.total(at.mu[i] * self.r[i] for i in A) - c,
            ]
            d = solution(arb_mat(J).mid(), column(residual).mid())
            for j, x in zip(F, d[:f], strict=True):
                at.alpha[j] = (at.alpha[j] - x).mid()
            for i, x in zip(A, d[f + 1 : f + 1 + m], strict=True):
                at.mu[i] = (at.mu[i] - x).mid()
            at.b, at.t = (at.b - d[f]).mid(), (at.t - d[f + 1 + m]).mid()
        return all(x.is_finite() for x in (*at.alpha, *at.mu))

    def correct(self, at: _State) -> bool:
        """Move what left its range to the border, else free what the KKT conditions ask for."""
        a = column(at.alpha)
        below = {j for j in at.free if at.alpha[j] < 0}
        over = {j for j in at.free if at.alpha[j] > self.C}
        unused = {i for i in at.active if at.mu[i] < 0}
        if below or over or unused:
            at.free -= below | over
            at.top |= over
            at.active -= unused
            return bool(at.active)
        small = arb(2) ** (-ctx.prec // 2)
        image = self.combined(at.mu) * a
        gap = [1 - m - at.b * s for m, s in zip(image.entries(), self.y, strict=True)]
        wrong = {j for j, x in enumerate(gap) if j not in at.free | at.top and x > small}
        wrong |= {j for j in at.top if gap[j] < -small}
        forms = [inner(a, G * a) / r for G, r in zip(self.G, self.r, strict=True)]
        more = {i for i, x in enumerate(forms) if i not in at.active and x > at.t + small * at.t}
        if not at.free:
            more = set()
        at.free |= wrong
        at.top -= wrong
        at.active |= more
        return bool(wrong or more)
