r"""(12) in balls.

The program is about the eigenvectors of S, which are part of it (`formulations.eigenbasis`).
`eigen` encloses them, and the eigenvalues with their signs; where a sign could not be decided
nothing is proved but what holds for all. With k = λ∘a ≥ 0 and w = Uᵀc everything is a sum over
the eigenvectors:

    (12)  ≤ (1/n)·1ᵀξ + ηΣkᵢwᵢ² + γh(a),  z = k∘w
    (12)  ≥ 2η·1ᵀα - Σⱼ pⱼᵀaⱼ             as in `spectrum_bound` of the doubles
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from flint import arb, arb_mat, ctx

from cvxkernel.formulations.arithmetic import balls
from cvxkernel.formulations.arithmetic.balls import Proof, column, excess, matrix, numbers
from cvxkernel.formulations.chen2009 import SpectrumMachine, prediction
from cvxkernel.formulations.chen2009 import bounds as in_doubles
from cvxkernel.formulations.chen2009 import spectrum as modifications
from cvxkernel.formulations.enclosure import EPS
from cvxkernel.validation.chen2009.proofs.kernel import least, margins
from cvxkernel.validation.proofs import svm
from cvxkernel.validation.proofs.proof import Examination, Point


class Eigen(NamedTuple):
    """λ in the order of the problem, with exact zeros, and U."""

    lam: list[arb]
    U: arb_mat


def eigen(problem: SpectrumMachine) -> Eigen | None:
    """The eigenvectors of S enclosed; None where signs are not known."""
    found = problem.basis.enclosed(ctx.prec)
    return None if found is None else Eigen(*found)


class Spectrum:
    """z, b, ξ, a, u and v from above; α from below, to which a gives the shares of two norms."""

    def __init__(self, problem: SpectrumMachine) -> None:
        self.problem, self.y, self.n = problem, problem.y, problem.n
        self.loss, self.eta, self.gamma = arb(1) / self.n, arb(problem.eta), arb(problem.gamma)
        self.top = self.loss / (2 * self.eta)
        self.clip = [arb(x) for x in modifications.a_clip(problem.Lam)]
        self.flip = [arb(x) for x in modifications.a_flip(problem.Lam)]

    @cached_property
    def eigen(self) -> Eigen | None:
        """Λ and U in balls, if they can be told."""
        return eigen(self.problem)

    def box(self, alpha: Any) -> list[arb]:
        """α in the box with αᵀy = 0 exactly."""
        shares = svm.feasible([x / self.top for x in numbers(alpha)], self.y, 1.0)
        return [x * self.top for x in shares]

    def spectrum(self, at: Eigen, a: Any) -> tuple[list[arb], list[arb]]:
        """a with Λa ≥ 0, and λ∘a."""
        kept = [x if lam * x >= 0 else arb(0) for lam, x in zip(at.lam, numbers(a), strict=True)]
        return kept, [lam * x for lam, x in zip(at.lam, kept, strict=True)]

    def h(self, at: Eigen, a: list[arb]) -> arb:
        """h(a)"""
        if self.problem.h == "spectrum":
            return balls.norm(column(lam * (x - 1) for lam, x in zip(at.lam, a, strict=True)))
        centres = {"clip": [self.clip], "flip": [self.flip], "both": [self.clip, self.flip]}
        return balls.total(self.off(a, centre) for centre in centres[self.problem.h])

    @staticmethod
    def off(a: list[arb], centre: list[arb]) -> arb:
        """‖a - a₀‖"""
        return balls.norm(column(x - x0 for x, x0 in zip(a, centre, strict=True)))

    def primal(self, at: Eigen, a: list[arb], k: list[arb], c: arb_mat) -> arb:
        """The objective at a, z = k∘Uᵀc and a good b."""
        w = (at.U.transpose() * c).entries()
        z = [x * d for x, d in zip(w, k, strict=True)]
        xi = margins({}, numbers(at.U * column(z)), self.y, Examination())
        form = balls.total(x * x * d for x, d in zip(w, k, strict=True))
        return self.loss * balls.total(xi) + self.eta * form + self.gamma * self.h(at, a)

    def dual(self, at: Eigen, alpha: list[arb], a: Any) -> tuple[arb, list[arb]]:
        """The dual at α, and α scaled where it had to be."""
        v = column(x * int(s) for x, s in zip(alpha, self.y, strict=True))
        w2 = [x * x for x in (at.U.transpose() * v).entries()]
        q = [self.eta * lam * x for lam, x in zip(at.lam, w2, strict=True)]
        if self.problem.h == "both":
            r1, r2 = (self.off(a, centre).mid().max(arb(EPS)) for centre in (self.clip, self.flip))
            p1 = [
                (self.gamma * (f - c) + r2 * x) / (r1 + r2)
                for f, c, x in zip(self.flip, self.clip, q, strict=True)
            ]
            p2 = [x - p for x, p in zip(q, p1, strict=True)]
            terms = [(p1, self.clip), (p2, self.flip)]
        elif self.problem.h == "spectrum":
            low = [arb(0) if lam.is_zero() else self.eta * x
                   for lam, x in zip(at.lam, w2, strict=True)]  # fmt: skip
            guess = in_doubles.diagonal(
                self.problem.Lam, balls.doubles(column(low))[:, 0], self.problem.gamma
            )
            pi = [
                x.max(arb(g)) if lam < 0 else x
                for lam, x, g in zip(at.lam, low, guess, strict=True)
            ]
            terms = [(pi, at.lam)]
        else:
            terms = [(q, self.clip if self.problem.h == "clip" else self.flip)]
        norm = balls.largest([balls.norm(column(p)) for p, _ in terms])
        square = arb(1) if norm <= self.gamma else (self.gamma / norm.upper()).lower()
        root = square.sqrt().lower()
        cost = balls.total(p * a0 for ps, a0s in terms for p, a0 in zip(ps, a0s, strict=True))
        alpha = [x * root for x in alpha]
        return 2 * self.eta * balls.total(alpha) - square * cost, alpha

    # -- As a judge ---------------------------------------------------------------------------

    def lower(self, point: Point) -> arb:
        """The dual at α; zero at least, as no term of the objective is negative."""
        if "alpha" not in point or self.eigen is None:
            return arb(0)
        a = numbers(point.get("a", self.problem.Lam * 0 + 0.5))
        low, _ = self.dual(self.eigen, self.box(point["alpha"]), a)
        return low.lower() if low.is_finite() and low > 0 else arb(0)

    def upper(self, point: Point) -> arb:
        """The objective at a, and at z or the c that belongs to α."""
        if "a" not in point or self.eigen is None:
            return arb.pos_inf()
        a, k = self.spectrum(self.eigen, point["a"])
        candidates = []
        if "alpha" in point:
            alpha = self.box(point["alpha"])
            candidates.append(column(x * int(s) for x, s in zip(alpha, self.y, strict=True)))
        if "z" in point:
            rounded = balls.doubles(column(a))[:, 0]
            z = np.asarray(point["z"], dtype=float)
            candidates.append(matrix(prediction.from_spectrum(self.problem, rounded, z).c))
        ends = [self.primal(self.eigen, a, k, c).upper() for c in candidates]
        return least([arb.pos_inf(), *(x for x in ends if x.is_finite())]).upper()

    def better(self, point: Point) -> Iterator[Point]:
        """α with a and with the centres of h; without an α, that of the machine at K_a."""
        if self.eigen is None:
            return
        given = numbers(point.get("a", modifications.a_clip(self.problem.Lam)))
        alpha = point.get("alpha")
        if alpha is None:
            _, k = self.spectrum(self.eigen, given)
            scaled = arb_mat([[x * d for x, d in zip(row, k, strict=True)]
                              for row in self.eigen.U.tolist()])  # fmt: skip
            K = balls.symmetric(scaled * self.eigen.U.transpose()) * self.top
            t = svm.machine(balls.doubles(svm.signed(self.y, K)), self.y, 1.0)
            alpha = [arb(x) * self.top for x in t]
        yield {"alpha": alpha, "a": given}
        for h, centre in (("clip", self.clip), ("flip", self.flip)):
            if self.problem.h == h:
                _, short = self.dual(self.eigen, self.box(alpha), given)
                yield {"alpha": short, "a": centre}

    def examine(self, point: Point) -> Examination:
        """a made Λa ≥ 0, z zero where λa is, and ξ, u, v raised to what they have to be."""
        found = Examination()
        at = self.eigen
        if "U" in point:
            found.repaired["U"] = point["U"]  # the problem has been given it
        if at is None:
            found.repaired.update(point)
            return found
        if "a" in point:
            self.examine_spectrum(at, point, found)
        if "alpha" in point:
            shares = [x / self.top for x in numbers(point["alpha"])]
            found.violations.update(svm.off_box(shares, self.y, 1.0))
            a = numbers(point.get("a", self.problem.Lam * 0 + 0.5))
            low, alpha = self.dual(at, self.box(point["alpha"]), a)
            found.repaired["alpha"], found.objectives["lower"] = alpha, Proof.of(low)
            if self.problem.h == "both" and "a" not in point:  # another a may be better for α
                least_ = low.lower() if low.is_finite() else arb.neg_inf()
                found.objectives["lower"] = Proof(least_, arb.pos_inf())
        return found

    def examine_spectrum(self, at: Eigen, point: Point, found: Examination) -> None:
        """The upper side: at z, or at the best there is for a."""
        given = [lam * x for lam, x in zip(at.lam, numbers(point["a"]), strict=True)]
        a, k = self.spectrum(at, point["a"])
        found.repaired["a"] = a
        size = balls.largest([abs(x) for x in given])
        found.violations["cone"] = excess(balls.largest([-x for x in given]), size)
        h = self.h(at, a)
        if "v" in point:
            v = numbers(point["v"])[0]
            found.violations["ball"] = excess(h - v, h.max(abs(v)))
            h = found.repaired["v"] = h.max(v)
        if "z" not in point:
            scaled = arb_mat([[x * d for x, d in zip(row, k, strict=True)]
                              for row in at.U.tolist()])  # fmt: skip
            K = balls.symmetric(scaled * at.U.transpose()) * self.top
            half = svm.optimum(svm.signed(self.y, K), self.y, 1.0)
            ends = [self.loss * x + self.gamma * h for x in (half.lower, half.upper)]
            found.objectives["upper"] = Proof.of(*ends)
            return
        own = numbers(point["z"])
        z = found.repaired["z"] = [x if d > 0 else arb(0) for x, d in zip(own, k, strict=True)]
        lost = balls.norm(column(x - x0 for x, x0 in zip(own, z, strict=True)))
        found.violations["cones"] = excess(lost, balls.norm(column(own)))
        u = [x * x / d if d > 0 else arb(0) for x, d in zip(z, k, strict=True)]
        if "u" in point:
            claimed, most = numbers(point["u"]), balls.largest(u)
            short = balls.largest([x - x0 for x, x0 in zip(u, claimed, strict=True)])
            found.violations["cones"] = found.violations["cones"].max(excess(short, most))
            found.violations["nonneg"] = excess(balls.largest([-x for x in claimed]), most)
            u = found.repaired["u"] = [x.max(x0) for x, x0 in zip(u, claimed, strict=True)]
        image = numbers(at.U * column(z))
        xi = margins(point, image, self.y, found, given=numbers(at.U * column(own)))
        value = self.loss * balls.total(xi) + self.eta * balls.total(u) + self.gamma * h
        found.objectives["upper"] = Proof.of(value)
