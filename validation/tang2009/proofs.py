r"""tang2009 in balls. At any α with αᵗ in S(t), A = maxᵢ Σₜ Gᵢᵗ(α) and B = Σₜ maxᵢ Gᵢᵗ(α):

    Σₜ αᵗᵀe - ½ max(A, B - kλ)             a lower end of (3) and of Theorem 3.1
    Σₜ αᵗᵀe - ½((1 - c)A + cB),  c = 2β/k  a lower end of (11)

and at any weights λΩ plus k support vector machines is an upper one. θ is repaired exactly: its
rows are divided by their sums and, where Ω exceeds β, drawn to their mean until it does not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from flint import arb, arb_mat

from cvxkernel.formulations.arithmetic import balls
from cvxkernel.formulations.arithmetic.balls import (
    Proof,
    clipped,
    column,
    excess,
    inner,
    numbers,
    simplex,
)
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.tang2009 import Regularized, Separate, Shared
from cvxkernel.formulations.tang2009.data import MultiLabelled
from cvxkernel.validation.proofs import svm
from cvxkernel.validation.proofs.proof import Examination, Point
from cvxkernel.validation.proofs.saddle import Saddle, State

Rows = list[list[arb]]
WEIGHTS = ("theta", "zeta", "gamma")
NEARLY_SAME = 1e-4  # of Ω/k: what a solver leaves of γ where the labels share one kernel
NEAR = 0.1  # a relative gap from which Newton's method is tried more than once


class Machines:
    """The labels and the box, which all programs of the paper have."""

    def __init__(self, problem: MultiLabelled) -> None:
        self.problem, self.Y, self.C = problem, problem.Y, problem.C
        self.k, self.n, self.p = problem.k, problem.n, problem.p
        self.K = balls.kernels(problem.kernels)

    def feasible(self, alpha: Any) -> Rows:
        """Each αᵗ in S(t)."""
        rows = zip(_rows(alpha, self.k), self.Y, strict=True)
        return [svm.feasible(a, y, self.C) for a, y in rows]

    def upper_at(self, Q: Sequence[arb_mat], alpha: Rows) -> arb:
        """The sum of the machines' upper bounds."""
        rows = zip(Q, self.Y, alpha, strict=True)
        return balls.total(svm.upper(Q_t, y, self.C, a) for Q_t, y, a in rows).upper()

    def polished(self, Q: Sequence[arb_mat], alpha: Array) -> Rows:
        """Each machine's α at a given matrix, by Newton's method; as it is where that fails."""
        out = []
        for Q_t, y, a in zip(Q, self.Y, alpha, strict=True):
            found = None
            if a.max() > 0:
                found = svm.polished([Q_t], [arb(1)], y, self.C, a, np.ones(1))
            out.append([arb(float(x)) for x in a] if found is None else found[0])
        return out

    def off_box(self, alpha: Any) -> dict[str, arb]:
        """The worst violations over the labels."""
        rows = zip(_rows(alpha, self.k), self.Y, strict=True)
        each = [svm.off_box(a, y, self.C) for a, y in rows]
        return {label: balls.largest([wrong[label] for wrong in each]) for label in each[0]}


class SeparateBalls(Machines):
    """(2): k machines, each with a kernel of its own."""

    def __init__(self, problem: Separate) -> None:
        super().__init__(problem)
        self.Q = [svm.signed(y, K) for y, K in zip(self.Y, self.K, strict=True)]

    def value(self, alpha: Rows) -> arb:
        """Σₜ D(αᵗ, 𝒢ᵗ)"""
        return balls.total(svm.value(Q, a) for Q, a in zip(self.Q, alpha, strict=True))

    def lower(self, point: Point) -> arb:
        """The objective at α."""
        if "alpha" not in point:
            return arb.neg_inf()
        return self.value(self.feasible(point["alpha"])).lower()

    def upper(self, point: Point) -> arb:
        """The machines' bounds at v = α."""
        if "alpha" not in point:
            return arb.pos_inf()
        return self.upper_at(self.Q, self.feasible(point["alpha"]))

    def better(self, point: Point) -> Iterator[Point]:
        """What Newton's method makes of α, or of libsvm's where there is none."""
        if "alpha" in point:
            alpha = _doubles(self.feasible(point["alpha"]))
        else:
            rows = zip(self.Q, self.Y, strict=True)
            alpha = np.array([svm.machine(balls.doubles(Q), y, self.C) for Q, y in rows])
        yield {"alpha": self.polished(self.Q, alpha)}

    def examine(self, point: Point) -> Examination:
        """α clipped and balanced."""
        found = Examination()
        if "alpha" in point:
            found.violations.update(self.off_box(point["alpha"]))
            alpha = self.feasible(point["alpha"])
            found.repaired["alpha"] = arb_mat(alpha)
            found.objectives["lower"] = Proof.of(self.value(alpha))
        return found


class Balls(Machines):
    """(3), Theorem 3.1 and (11): the weights are found too."""

    def __init__(self, problem: Regularized | Shared) -> None:
        super().__init__(problem)
        self.G = [[svm.signed(y, K) for K in self.K] for y in self.Y]
        self.lam = arb(problem.lam) if isinstance(problem, Regularized) else arb(0)
        half = arb(self.k) / 2
        self.beta = arb(problem.beta) if isinstance(problem, Shared) else half
        self.share = self.beta / half  # c of (11)
        self.saddle = self.conditions(isinstance(problem, Shared))

    def conditions(self, shared: bool) -> Saddle:
        """ζ, then γ¹, …, γᵏ where they may differ from zero, then what is left of β."""
        k, p = self.k, self.p
        terms: list[dict[int, arb_mat]] = [{t: self.G[t][i] for t in range(k)} for i in range(p)]
        owner = [-1] * p
        if self.beta > 0:
            terms += [{t: self.G[t][i]} for t in range(k) for i in range(p)]
            owner += [t for t in range(k) for _ in range(p)]
        E = [[arb(o in (-1, t)) for o in owner] for t in range(k)]
        f, cost = [arb(1)] * k, [self.lam / 2 if o >= 0 else arb(0) for o in owner]
        if shared and 0 < self.beta < arb(k) / 2:
            E = [*([*row, arb(0)] for row in E), [*(arb(o >= 0) / 2 for o in owner), arb(1)]]
            terms, f, cost = [*terms, {}], [*f, self.beta], [*cost, arb(0)]
        return Saddle(self.Y, self.C, terms, cost, E, f)

    # -- Weights ------------------------------------------------------------------------------

    def weights(self, point: Point) -> Rows:
        """θ of a point, or ζ + γ: nonnegative, every row with sum 1, Ω not above β."""
        if "theta" in point:
            theta = [clipped(row) for row in _rows(point["theta"], self.k)]
        else:
            zeta = clipped(numbers(point["zeta"])) if "zeta" in point else [arb(0)] * self.p
            gamma = _rows(point["gamma"], self.k) if "gamma" in point else [[arb(0)] * self.p]
            gamma = [clipped(row) for row in gamma] * (1 if "gamma" in point else self.k)
            theta = [[z + g for z, g in zip(zeta, row, strict=True)] for row in gamma]
        theta = [simplex(row, [arb(1)] * self.p) for row in theta]
        return self.drawn(theta, self.beta)

    def drawn(self, theta: Rows, beta: arb) -> Rows:
        """θ, or its rows drawn to their mean until Ω ≤ β: Ω shrinks as they do."""
        Omega = balls.total(x for row in parts(theta)[1] for x in row) / 2
        if Omega <= beta or not beta < arb(self.k) / 2:
            return theta
        keep = (beta / Omega).lower().min(arb(1)) if Omega > 0 else arb(0)
        mean = [balls.total(column_) / self.k for column_ in zip(*theta, strict=True)]
        return [[m + (x - m) * keep for x, m in zip(row, mean, strict=True)] for row in theta]

    def combined(self, theta: Rows) -> list[arb_mat]:
        """(Σᵢ θᵢᵗGᵢ) ∘ yᵗyᵗᵀ"""
        return [balls.combination(row, G) for row, G in zip(theta, self.G, strict=True)]

    # -- As a judge ---------------------------------------------------------------------------

    def forms(self, alpha: Rows) -> Rows:
        """Gᵢᵗ(α)"""
        return [
            [inner(a, G * a) for G in row]
            for a, row in zip(map(column, alpha), self.G, strict=True)
        ]

    def spread(self, s0: arb, s_t: Sequence[arb]) -> arb:
        """s: the larger of s₀ and Σₜ s_t - kλ; for (11), where λ is 0, their mixture."""
        total = balls.total(s_t)
        if isinstance(self.problem, Regularized):
            return s0.max(total - self.k * self.lam)
        return (1 - self.share) * s0 + self.share * total

    def value(self, alpha: Rows) -> arb:
        """The lower end at α in S(t)."""
        forms = self.forms(alpha)
        s = self.spread(*_largest(forms))
        return balls.total(x for row in alpha for x in row) - s / 2

    def lower(self, point: Point) -> arb:
        """At α, or at the machines' α."""
        given = [self.value(self.feasible(point[s])) for s in ("alpha", "machines") if s in point]
        return balls.largest([x.lower() for x in given]).lower() if given else arb.neg_inf()

    def upper(self, point: Point) -> arb:
        """λΩ and the machines' bounds at the weights; α helps to find them."""
        if not any(symbol in point for symbol in WEIGHTS):
            return arb.pos_inf()
        theta = self.weights(point)
        given = point.get("machines", point.get("alpha", np.full((self.k, self.n), self.C)))
        ends = self.upper_at(self.combined(theta), self.feasible(given))
        return (ends + self.lam * _omega(theta)).upper()

    def better(self, point: Point) -> Iterator[Point]:
        """Newton's method from the point; where it fails, the machines at the weights."""
        theta = self.weights(point)
        if _omega(theta) < NEARLY_SAME * self.k:
            theta = self.drawn(theta, arb(0))
        Q = self.combined(theta)
        rows = zip(Q, self.Y, strict=True)
        machines = [svm.machine(balls.doubles(Q_t), y, self.C) for Q_t, y in rows]
        given = point.get("alpha", machines)
        yield {"alpha": given, "theta": theta}
        starts = [(machines, 1e-7)]
        if self.upper(point) - self.lower(point) < NEAR * abs(self.upper(point)):
            starts = [(given, 1e-7), *starts, (given, 1e-4)]
        for alpha, border in starts:
            start = _doubles(self.feasible(alpha))
            if (start.max(axis=1) > 0).all():
                found = self.saddle.polished(start, self.start(theta), border)
                if all(x.is_finite() for x in found.unknowns()):
                    yield self.point(found)
                if found.done:
                    return
        exact = self.polished(Q, np.array(machines))
        yield {"alpha": exact, "theta": theta}
        yield {"alpha": exact, "theta": self.corner(exact)}

    def start(self, theta: Rows) -> Array:
        """The weights of `saddle` in doubles."""
        zeta, gamma = (_doubles(x) for x in ([parts(theta)[0]], parts(theta)[1]))
        w = np.concatenate([zeta.ravel(), gamma.ravel()])[: len(self.saddle.terms)]
        left = np.maximum(float(self.beta) - gamma.sum() / 2, 0.0)
        return np.append(w, left) if len(w) < len(self.saddle.terms) else w

    def point(self, found: State) -> Point:
        """θ and α where Newton's method ended."""
        k, p = self.k, self.p
        zeta, gamma = found.w[:p], found.w[p : p + k * p]
        rows = [gamma[t * p : (t + 1) * p] or [arb(0)] * p for t in range(k)]
        theta = [[z + g for z, g in zip(zeta, row, strict=True)] for row in rows]
        return {"alpha": found.alpha, "theta": theta}

    def corner(self, alpha: Rows) -> Rows:
        """The weights at which the lower end at α is attained: one kernel shared, one each."""
        forms = [[float(x) for x in row] for row in self.forms(self.feasible(alpha))]
        i0 = int(np.argmax(np.sum(forms, axis=0)))
        c = self.share
        if isinstance(self.problem, Regularized):
            s0, s_t = np.sum(forms, axis=0).max(), np.max(forms, axis=1)
            c = arb(bool(s_t.sum() - self.k * self.problem.lam > s0))
        return [
            [(1 - c) * int(i == i0) + c * int(i == int(np.argmax(row))) for i in range(self.p)]
            for row in forms
        ]

    # -- Answers as they stand ----------------------------------------------------------------

    def examine(self, point: Point) -> Examination:
        """α clipped and balanced, its epigraph raised; the weights clipped, scaled and drawn."""
        found = Examination()
        if "alpha" in point:
            found.violations.update(self.off_box(point["alpha"]))
            alpha = self.feasible(point["alpha"])
            found.repaired["alpha"] = arb_mat(alpha)
            found.objectives["lower"] = Proof.of(self.value(alpha))
            self.epigraph(point, alpha, found)
        if "theta" in point or ("zeta" in point and "gamma" in point):
            self.priced(point, found)  # ζ says nothing without γ, or γ without ζ
        return found

    def epigraph(self, point: Point, alpha: Rows, found: Examination) -> None:
        """s₀, s_t and s, raised to what α asks for."""
        given = {s: numbers(point[s]) for s in ("s", "s0", "s_t") if s in point}
        if not given:
            return
        s0, s_t = _largest(self.forms(alpha))
        size = s0.max(balls.total(s_t))
        if "s0" in given:
            found.violations["quad0"] = excess(s0 - given["s0"][0], size)
            found.repaired["s0"] = s0 = s0.max(given["s0"][0])
        if "s_t" in given:
            pairs = list(zip(s_t, given["s_t"], strict=True))
            found.violations["quad"] = balls.largest([excess(q - x, size) for q, x in pairs])
            found.repaired["s_t"] = s_t = [q.max(x) for q, x in pairs]
        s = self.spread(s0, s_t)
        if "s" in given:
            found.violations["shared and specific"] = excess(s - given["s"][0], size)
            found.repaired["s"] = s = s.max(given["s"][0])
        total = balls.total(x for row in alpha for x in row)
        found.objectives["lower"] = Proof.of(total - s / 2)

    def priced(self, point: Point, found: Examination) -> None:
        """λΩ + Σₜ max D at the repaired weights, with the answer's own γ; g raised."""
        one, k, p = arb(1), self.k, self.p
        given = {s: _rows(point[s], 1 if s == "zeta" else k) for s in WEIGHTS if s in point}
        for symbol, rows in given.items():
            size = balls.largest([abs(x) for row in rows for x in row])
            lowest = balls.largest([-x for row in rows for x in row])
            found.violations[f"{symbol} nonneg"] = excess(lowest, size)
        gamma = given.get("gamma", [[arb(0)] * p] * k)
        if "zeta" in given:
            zeta = given["zeta"][0]
        else:  # what θ leaves to it
            rest = [[x - g for x, g in zip(*rows, strict=True)]
                    for rows in zip(given["theta"], gamma, strict=True)]  # fmt: skip
            zeta = [-balls.largest([-x for x in column_]) for column_ in zip(*rest, strict=True)]
        both = [[z + g for z, g in zip(zeta, row, strict=True)] for row in gamma]
        theta = given.get("theta", both)
        sums = [balls.total(row) for row in theta]
        found.violations["budget"] = balls.largest([abs(x - one) for x in sums])
        if "theta" in given and "gamma" in given:
            pairs = [xy for x, y in zip(theta, both, strict=True) for xy in zip(x, y, strict=True)]
            found.violations["parts"] = balls.largest([abs(x - y) for x, y in pairs])
        theta = self.weights(point)
        zeta_, gamma_ = parts(theta)
        if isinstance(self.problem, Shared):
            own = gamma if "gamma" in given else parts(given.get("theta", both))[1]
            Omega = balls.total(x for row in own for x in row) / 2
            found.violations["difference"] = excess(Omega - self.beta, Omega.max(self.beta))
        elif "gamma" in given:
            zeta_, gamma_ = self.own_parts(zeta, gamma, theta)
            theta = [[z + g for z, g in zip(zeta_, row, strict=True)] for row in gamma_]
        repaired = {"theta": arb_mat(theta), "zeta": zeta_, "gamma": arb_mat(gamma_)}
        found.repaired.update({symbol: repaired[symbol] for symbol in given})
        price = self.lam * balls.total(x for row in gamma_ for x in row) / 2
        each = [
            svm.optimum(Q, y, self.C) for Q, y in zip(self.combined(theta), self.Y, strict=True)
        ]
        lows, highs = [x.lower for x in each], [x.upper for x in each]
        if "machines" in point:
            self.solved(point, theta, each, found)
        if "g" in point:
            g = numbers(point["g"])
            size = balls.total(highs)
            short = [high - x for high, x in zip(lows, g, strict=True)]
            found.violations["cuts"] = excess(balls.largest(short), size)
            lows = [a.max(x) for a, x in zip(lows, g, strict=True)]
            highs = [a.max(x) for a, x in zip(highs, g, strict=True)]
            found.repaired["g"] = highs
        found.objectives["upper"] = Proof.of(price + balls.total(lows), price + balls.total(highs))

    def solved(self, point: Point, theta: Rows, each: Sequence[Proof], found: Examination) -> None:
        """What the machines lack of the optima at the weights, relative to their sum."""
        wrong = self.off_box(point["machines"])
        found.violations.update({f"machines {label}": x for label, x in wrong.items()})
        alpha = self.feasible(point["machines"])
        found.repaired["machines"] = arb_mat(alpha)
        value = balls.total(
            svm.value(Q, a) for Q, a in zip(self.combined(theta), alpha, strict=True)
        )
        best = balls.total(x.lower.union(x.upper) for x in each)
        found.violations["machines optimal"] = excess(best - value, best)

    def own_parts(self, zeta: list[arb], gamma: Rows, theta: Rows) -> tuple[list[arb], Rows]:
        """ζ and γ as they are, clipped and scaled together, γᵗ then to what ζ leaves of 1."""
        zeta, gamma = clipped(zeta), [clipped(row) for row in gamma]
        mean = balls.total(zeta) + balls.total(x for row in gamma for x in row) / self.k
        left = 1 - balls.total(zeta) / mean if mean > 0 else arb(0)
        if not (left > 0 and all(balls.total(row) > 0 for row in gamma)):
            return parts(theta)
        ones = [arb(1)] * self.p
        return [z / mean for z in zeta], [simplex(row, ones, left) for row in gamma]


def parts(theta: Rows) -> tuple[list[arb], Rows]:
    """ζᵢ = minₜ θᵢᵗ and γ = θ - ζ, nonnegative: the parts of the least Ω."""
    zeta = [-balls.largest([-x for x in column_]) for column_ in zip(*theta, strict=True)]
    return zeta, [[(x - z).nonnegative_part() for x, z in zip(r, zeta, strict=True)] for r in theta]


def _omega(theta: Rows) -> arb:
    """The least Ω that θ allows."""
    return balls.total(x for row in parts(theta)[1] for x in row) / 2


def _largest(forms: Rows) -> tuple[arb, list[arb]]:
    """maxᵢ Σₜ Gᵢᵗ and the maxᵢ Gᵢᵗ."""
    sums = [balls.total(column_) for column_ in zip(*forms, strict=True)]
    return balls.largest(sums), [balls.largest(row) for row in forms]


def _rows(values: Any, k: int) -> Rows:
    """A (k, m) array, or rows of balls, as k rows."""
    flat = numbers(values)
    m = len(flat) // k
    return [flat[t * m : (t + 1) * m] for t in range(k)]


def _doubles(rows: Rows) -> Array:
    return np.array([[float(x.mid()) for x in row] for row in rows])


JUDGES = {
    "tang2009-eq2": SeparateBalls,
    "tang2009-thm3.1": Balls,
    "tang2009-eq3-sdp": Balls,
    "tang2009-eq11": Balls,
}
