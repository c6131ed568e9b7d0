"""tang2009 judged: polished by Newton's method on active sets, and answers examined."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from flint import arb, arb_mat

from cvxkernel.formulations.arithmetic import BALLS, Tensor, balls
from cvxkernel.formulations.arithmetic.balls import Proof, exact, excess
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.tang2009 import Regularized, Separate, Shared, bounds
from cvxkernel.formulations.tang2009.data import MultiLabelled
from cvxkernel.validation.proofs import svm
from cvxkernel.validation.proofs.proof import Examination, Point
from cvxkernel.validation.proofs.saddle import Saddle, State

WEIGHTS = ("theta", "zeta", "gamma")
NEAR = 0.1  # a relative gap from which Newton's method is tried more than once


def polished(problem: MultiLabelled, Q: list[Tensor], alpha: Array) -> Tensor:
    """Each machine's α at a given matrix, by Newton's method; as it is where that fails."""
    out = []
    for Q_t, y, a in zip(Q, problem.Y, alpha, strict=True):
        found = svm.polished(Q_t, y, problem.C, a) if a.max() > 0 else None
        out.append(exact(a) if found is None else found)
    return BALLS.stack(out)


def machines(problem: MultiLabelled, Q: list[Tensor]) -> Array:
    """Each machine's α, libsvm's."""
    rows = zip(Q, problem.Y, strict=True)
    return np.array([svm.machine(Q_t.mid, y, problem.C) for Q_t, y in rows])


def off_box(problem: MultiLabelled, alpha: Any) -> dict[str, arb]:
    """The worst violations over the labels."""
    each = [svm.off_box(a, y, problem.C) for a, y in zip(exact(alpha).x, problem.Y, strict=True)]
    return {label: balls.largest([wrong[label] for wrong in each]) for label in each[0]}


class SeparateJudge:
    """(2): k machines, each with a kernel of its own."""

    def __init__(self, problem: Separate) -> None:
        self.problem, self.bounds = problem, bounds.Bounds(BALLS, problem)
        self.Q = self.bounds.own()

    def better(self, point: Point) -> Iterator[Point]:
        """What Newton's method makes of α, or of libsvm's where there is none."""
        if "alpha" in point:
            alpha = self.bounds.feasible(exact(point["alpha"])).mid
        else:
            alpha = machines(self.problem, self.Q)
        yield {"alpha": polished(self.problem, self.Q, alpha)}

    def examine(self, point: Point) -> Examination:
        """α clipped and balanced."""
        found = Examination()
        if "alpha" in point:
            found.violations.update(off_box(self.problem, point["alpha"]))
            alpha = found.repaired["alpha"] = self.bounds.feasible(exact(point["alpha"]))
            found.objectives["lower"] = Proof.of(self.bounds.values(self.Q, alpha).sum().number)
        return found


class SharedJudge:
    """(3), Theorem 3.1 and (11): the weights are found too."""

    def __init__(self, problem: Regularized | Shared) -> None:
        self.problem, self.bounds = problem, bounds.Bounds(BALLS, problem)
        self.k, self.p, self.shared = problem.k, problem.p, isinstance(problem, Shared)
        self.beta = problem.most if isinstance(problem, Shared) else self.k / 2
        self.lam = problem.lam if isinstance(problem, Regularized) else 0.0
        self.saddle = self.conditions()

    def conditions(self) -> Saddle:
        """ζ, then γ¹, …, γᵏ where they may differ from zero, then what is left of β."""
        k, p, Y = self.k, self.p, self.problem.Y
        G = [[BALLS.signed(y, K).matrix for K in self.bounds.kernels] for y in Y]
        terms: list[dict[int, arb_mat]] = [{t: G[t][i] for t in range(k)} for i in range(p)]
        owner = np.repeat(np.arange(-1, k if self.beta > 0 else 0), p)
        own = owner >= 0
        if self.beta > 0:
            terms += [{t: G[t][i]} for t in range(k) for i in range(p)]
        E, f, cost = 1.0 * (~own | (owner == np.arange(k)[:, None])), np.ones(k), own * self.lam / 2
        if self.shared and 0 < self.beta < k / 2:
            E = np.block([[E, np.zeros((k, 1))], [own / 2, np.ones(1)]])
            terms, f, cost = [*terms, {}], np.append(f, self.beta), np.append(cost, 0.0)
        return Saddle(Y, self.problem.C, terms, cost, E, exact(f))

    def weights(self, point: Point) -> Tensor:
        """θ of a point, Ω not above β."""
        return bounds.within(BALLS, bounds.weights(BALLS, self.problem, point), self.beta)

    # -- As a judge ---------------------------------------------------------------------------

    def better(self, point: Point) -> Iterator[Point]:
        """Newton's method from the point; where it fails, the machines at the weights."""
        theta = self.weights(point)
        if bounds.omega(theta.mid) < bounds.NEARLY_SAME * self.k:
            theta = bounds.within(BALLS, theta, 0.0)
        Q = self.bounds.combined(theta)
        solved = machines(self.problem, Q)
        given = point.get("alpha", solved)
        yield {"alpha": exact(given), "theta": theta}
        starts = [(solved, 1e-7)]
        enclose: Any = bounds.enclose_shared if self.shared else bounds.enclose_regularized
        if enclose(BALLS, self.problem, point).width < NEAR:
            starts = [(given, 1e-7), *starts, (given, 1e-4)]
        for alpha, border in starts:
            start = self.bounds.feasible(exact(alpha)).mid
            if (start.max(axis=1) > 0).all():
                found = self.saddle.polished(start, self.start(theta), border)
                if found.unknowns.is_finite():
                    yield self.point(found)
                if found.done:
                    return
        alpha = polished(self.problem, Q, solved)
        yield {"alpha": alpha, "theta": theta}
        yield {"alpha": alpha, "theta": self.corner(alpha)}

    def start(self, theta: Tensor) -> Array:
        """The weights of `saddle` in doubles."""
        zeta, gamma = (part.mid for part in bounds.parts(BALLS, theta))
        w = np.concatenate([zeta, gamma.ravel()])[: len(self.saddle.terms)]
        left = np.maximum(self.beta - gamma.sum() / 2, 0.0)
        return np.append(w, left) if len(w) < len(self.saddle.terms) else w

    def point(self, found: State) -> Point:
        """θ and α where Newton's method ended."""
        k, p = self.k, self.p
        theta = found.w[:p] + np.zeros((k, p))
        if len(found.w) > p:
            theta = theta + found.w[p : p + k * p].reshape(k, p)
        return {"alpha": found.alpha, "theta": theta}

    def corner(self, alpha: Tensor) -> Tensor:
        """The weights at which the lower end at α is attained: one kernel shared, one each."""
        forms = self.bounds.forms(self.bounds.feasible(alpha)).mid
        A, B = forms.sum(axis=0).max(), forms.max(axis=1).sum()
        c = self.bounds.share if self.shared else exact(float(B - self.k * self.lam > A))
        each = np.eye(self.p)
        return (1 - c) * each[forms.sum(axis=0).argmax()] + c * each[forms.argmax(axis=1)]

    # -- Answers as they stand ----------------------------------------------------------------

    def examine(self, point: Point) -> Examination:
        """α clipped and balanced, its epigraph raised; the weights clipped, scaled and drawn."""
        found = Examination()
        if "alpha" in point:
            found.violations.update(off_box(self.problem, point["alpha"]))
            alpha = found.repaired["alpha"] = self.bounds.feasible(exact(point["alpha"]))
            s = self.epigraph(point, alpha, found)
            found.objectives["lower"] = Proof.of((alpha.sum() - s / 2).number)
        if "theta" in point or ("zeta" in point and "gamma" in point):
            self.priced(point, found)  # ζ says nothing without γ, or γ without ζ
        return found

    def epigraph(self, point: Point, alpha: Tensor, found: Examination) -> Tensor:
        """s₀, s_t and s, raised to what α asks for; s."""
        s0, s_t = self.bounds.largest(alpha)
        size = BALLS.maximum(s0, s_t.sum())
        s0 = found.raised(point, "s0", "quad0", s0, size)
        s_t = found.raised(point, "s_t", "quad", s_t, size)
        spread = self.bounds.spread(s0, s_t.sum())
        return found.raised(point, "s", "shared and specific", spread, size)

    def priced(self, point: Point, found: Examination) -> None:
        """λΩ + Σₜ max D at the repaired weights, with the answer's own γ; g raised."""
        given = {symbol: exact(point[symbol]) for symbol in WEIGHTS if symbol in point}
        # a γ that is noise beside ζ is compared with it: they are parts of one weight
        size = balls.largest([abs(x).max().number for x in given.values()])
        for symbol, x in given.items():
            found.violations[f"{symbol} nonneg"] = excess((-x).max().number, size)
        gamma = given.get("gamma", exact(np.zeros((self.k, self.p))))
        # without ζ, what θ leaves to it
        zeta = given["zeta"] if "zeta" in given else bounds.parts(BALLS, given["theta"] - gamma)[0]
        both = zeta + gamma
        came = given.get("theta", both)
        found.violations["budget"] = abs(came.sum(axis=1) - 1).max().number
        if "theta" in given and "gamma" in given:
            found.violations["parts"] = abs(came - both).max().number
        theta = self.weights(point)
        parts = bounds.parts(BALLS, theta)
        if self.shared:
            own = gamma if "gamma" in given else bounds.parts(BALLS, came)[1]
            Omega = own.sum() / 2
            size = BALLS.maximum(Omega, self.beta).number
            found.violations["difference"] = excess((Omega - self.beta).number, size)
        elif "gamma" in given:
            parts = self.own_parts(zeta, gamma) or parts
            theta = parts[0] + parts[1]
        repaired = {"theta": theta, "zeta": parts[0], "gamma": parts[1]}
        found.repaired.update({symbol: repaired[symbol] for symbol in given})
        price, Q = (self.lam * parts[1].sum() / 2).number, self.bounds.combined(theta)
        rows = zip(Q, self.problem.Y, strict=True)
        each = [svm.optimum(Q_t, y, self.problem.C) for Q_t, y in rows]
        lows, highs = (exact([getattr(x, end) for x in each]) for end in ("lower", "upper"))
        if "machines" in point:
            self.solved(point, Q, each, found)
        if "g" in point:
            g = exact(point["g"])
            found.violations["cuts"] = excess((lows - g).max().number, highs.sum().number)
            lows, highs = BALLS.maximum(lows, g), BALLS.maximum(highs, g)
            found.repaired["g"] = highs
        ends = [price + x.sum().number for x in (lows, highs)]
        found.objectives["upper"] = Proof.of(*ends)

    def solved(self, point: Point, Q: list[Tensor], each: list[Proof], found: Examination) -> None:
        """What the machines lack of the optima at the weights, relative to their sum."""
        wrong = off_box(self.problem, point["machines"])
        found.violations.update({f"machines {label}": x for label, x in wrong.items()})
        alpha = found.repaired["machines"] = self.bounds.feasible(exact(point["machines"]))
        best = balls.total(x.lower.union(x.upper) for x in each)
        lacking = best - self.bounds.values(Q, alpha).sum().number
        found.violations["machines optimal"] = excess(lacking, best)

    def own_parts(self, zeta: Tensor, gamma: Tensor) -> tuple[Tensor, Tensor] | None:
        """ζ and γ as they are, clipped and scaled together, γᵗ then to what ζ leaves of 1."""
        zeta, gamma = BALLS.clipped(zeta), BALLS.clipped(gamma)
        mean, sums = zeta.sum() + gamma.sum() / self.k, gamma.sum(axis=1)
        left = 1 - zeta.sum() / mean if mean > 0 else exact(0.0)
        if not (left > 0 and (sums > 0).all()):
            return None
        return zeta / mean, gamma * (left / sums)[:, None]


JUDGES = {
    "tang2009-eq2": SeparateJudge,
    "tang2009-thm3.1": SharedJudge,
    "tang2009-eq3-sdp": SharedJudge,
    "tang2009-eq11": SharedJudge,
}
