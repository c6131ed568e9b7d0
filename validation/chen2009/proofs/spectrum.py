r"""(12) judged, in the eigenvectors of S, which are part of it (`formulations.eigenbasis`)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from flint import arb

from cvxkernel.formulations.arithmetic import BALLS
from cvxkernel.formulations.arithmetic.balls import Proof, Tensor, exact, excess, numbers
from cvxkernel.formulations.chen2009 import SpectrumMachine, bounds
from cvxkernel.formulations.chen2009 import spectrum as modifications
from cvxkernel.validation.chen2009.proofs import newton
from cvxkernel.validation.chen2009.proofs.machine import margins
from cvxkernel.validation.proofs import svm
from cvxkernel.validation.proofs.machine import Machine
from cvxkernel.validation.proofs.proof import Examination, Point


class SpectrumJudge:
    """z, b, ξ, a, u and v from above; α from below, to which a gives the shares of two norms."""

    def __init__(self, problem: SpectrumMachine) -> None:
        self.problem, self.y, self.bounds = problem, problem.y, bounds.Spectrum(BALLS, problem)
        self.known = problem.basis.decided

    def machine(self, a: Tensor) -> Any:
        """Q of the machine at K_a in which C = 1."""
        return BALLS.signed(self.y, self.bounds.kernel(a) * self.bounds.top)

    def better(self, point: Point) -> Iterator[Point]:
        """α and a by Newton's method, or those of the machine with a at the centre of h.

        Without an α it begins at that of the machine at K_a.
        """
        if not self.known:
            return
        at = self.bounds
        a = at.modified(point.get("a", modifications.a_clip(self.problem.Lam)))
        if "alpha" in point:
            alpha = at.box(point["alpha"])
        else:
            t = Machine(self.machine(a), self.y, 1.0).start()
            alpha = at.box(exact(t) * at.top)
            yield {"alpha": alpha.point(), "a": a}
        if len(self.y) > newton.MOST:
            return
        made = newton.spectrum_point(at, alpha.mid, a.mid)
        if made is not None:
            yield made
        elif at.centres:  # where γ is large; of the two of `both` it is a_flip
            centre = at.modified(at.centres[-1])
            *_, shares = Machine(self.machine(centre), self.y, 1.0).better({})
            yield {"alpha": shares["alpha"] * at.top, "a": centre}

    def examine(self, point: Point) -> Examination:
        """a made Λa ≥ 0, z zero where λa is, and ξ, u, v raised to what they have to be."""
        found, at = Examination(), self.bounds
        if "U" in point:
            found.repaired["U"] = point["U"]  # the problem has been given it
        if not self.known:
            found.repaired.update(point)
            return found
        if "a" in point:
            self.examine_spectrum(point, found)
        if "alpha" in point:
            shares = exact(point["alpha"]) / at.top
            found.violations.update(svm.off_box(shares, self.y, 1.0))
            a = exact(point.get("a", np.full(self.problem.n, 0.5)))
            low, found.repaired["alpha"] = at.spectrum_bound(at.box(point["alpha"]), a)
            found.objectives["lower"] = Proof.of(low.number)
            if self.problem.h == "both" and "a" not in point:  # another a may be better for α
                found.objectives["lower"] = Proof(low.number.lower(), arb.pos_inf())
        return found

    def examine_spectrum(self, point: Point, found: Examination) -> None:
        """The upper side: at z, or at the best there is for a."""
        at = self.bounds
        own = at.lam * exact(point["a"])
        a = found.repaired["a"] = at.modified(point["a"])
        k = at.k(a)
        found.violations["cone"] = excess((-own).max().number, abs(own).max().number)
        h = at.h(a)
        size = BALLS.maximum(h, abs(exact(numbers(point.get("v", 0.0))[0])))
        h = found.raised(point, "v", "ball", h, size)
        if "z" not in point:
            half = svm.optimum(self.machine(a), self.y, 1.0)
            ends = [(at.loss * exact(x) + at.gamma * h).number for x in (half.lower, half.upper)]
            found.objectives["upper"] = Proof.of(*ends)
            return
        claimed, kept = exact(point["z"]), k > 0
        z = found.repaired["z"] = BALLS.where(kept, claimed, 0.0)
        lost, size = BALLS.norm(claimed - z), BALLS.norm(claimed)
        found.violations["cones"] = excess(lost.number, size.number)
        u = BALLS.where(kept, z * z / BALLS.where(kept, k, 1.0), 0.0)
        if "u" in point:
            found.violations["nonneg"] = excess((-exact(point["u"])).max().number, u.max().number)
        u = found.raised(point, "u", "cones", u)
        xi = margins(point, at.U @ z, self.y, found, own=at.U @ claimed)
        value = at.loss * xi.sum() + at.ridge * u.sum() + at.gamma * h
        found.objectives["upper"] = Proof.of(value.number)
