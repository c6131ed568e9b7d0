r"""chen2009 in balls where the kernel is learned freely: (2), (7) and its dual.

(2) and (7) share everything but what the distance from S costs. With v = Yα, α in the box,

    (2)   ≥ 1ᵀα - ⟨W, S⟩ - ‖W‖²/(4ρ)       W ⪰ ½vvᵀ
    (7)   ≥ 2η·1ᵀα - ⟨W, S⟩                W ⪰ ηvvᵀ, ‖W‖ ≤ γ: otherwise αx and Wx² with x² = γ/‖W‖

and from above the printed objective at K ⪰ 0, z = Kc and the best b. K and W are doubles plus the
multiple of the identity with which λ_min proves them feasible.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy as np
from flint import arb, arb_mat

from cvxkernel.formulations.arithmetic import balls
from cvxkernel.formulations.arithmetic.balls import (
    Proof,
    asymmetry,
    column,
    excess,
    inner,
    matrix,
    numbers,
)
from cvxkernel.formulations.chen2009 import KernelMachine, RobustMachine, spectrum
from cvxkernel.formulations.chen2009 import bounds as in_doubles
from cvxkernel.formulations.inputs import Array
from cvxkernel.validation.proofs import svm
from cvxkernel.validation.proofs.proof import Examination, Point


def least(values: list[arb]) -> arb:
    """A ball that holds the smallest."""
    return -balls.largest([-x for x in values])


def raised(A: Any) -> arb_mat:
    """A symmetric plus the multiple of the identity with which it is proved semidefinite."""
    whole = balls.symmetric(matrix(A))
    shift = (-balls.lambda_min(whole)).max(arb(0))
    return whole if shift.is_zero() else whole + balls.identity(whole.nrows()) * shift.upper()


def short_of(A: arb_mat) -> arb:
    """How far A is from A ⪰ 0, relative to its norm."""
    return excess(-balls.least_eigenvalue(A), balls.norm(A))


def margins(
    point: Point, z: list[arb], y: Array, found: Examination, *, given: list[arb] | None = None
) -> list[arb]:
    """ξ raised to what the margins at z ask for; b the best where there is none.

    What the answer violates is measured at its own z, if that is another one.
    """
    signed = [x * int(s) for x, s in zip(z, y, strict=True)]
    b = numbers(point.get("b", svm.offset(column(signed), y)))[0]
    xi = [(1 - m - b * int(s)).nonnegative_part() for m, s in zip(signed, y, strict=True)]
    if "b" in point:
        found.repaired["b"] = b
    if "xi" in point:
        claimed = numbers(point["xi"])
        rows = zip(z if given is None else given, claimed, y, strict=True)
        short = balls.largest([1 - x - (m + b) * int(s) for m, x, s in rows])
        size = balls.largest([abs(x) for x in (*claimed, *z, b, arb(1))])
        found.violations["margin"] = excess(short, size)
        found.violations["slack"] = excess(balls.largest([-x for x in claimed]), size)
        xi = found.repaired["xi"] = [x.max(low) for x, low in zip(claimed, xi, strict=True)]
    return xi


class Free(ABC):
    """A kernel matrix that is learned freely: loss·1ᵀξ + ridge·cᵀKc + what the distance costs."""

    loss: arb
    ridge: arb

    def __init__(self, problem: Any) -> None:
        self.problem, self.y, self.n = problem, problem.y, problem.n
        self.S = balls.symmetric(matrix(problem.S))

    # -- Which (2) and (7) do not share -------------------------------------------------------

    @abstractmethod
    def cost(self, distance: arb) -> arb:
        """ρ‖K - S‖² or γ‖K - S‖"""

    @abstractmethod
    def paid(self, W: arb_mat) -> arb:
        """What W in the dual takes beside ⟨W, S⟩."""

    @abstractmethod
    def inside(self, alpha: list[arb], W: arb_mat) -> tuple[list[arb], arb_mat]:
        """α and W scaled into the ball, if there is one."""

    @abstractmethod
    def best(self, alpha: Array, point: Point) -> in_doubles.Dual:
        """W and K that belong to α, in doubles; the point's K may tell where they are."""

    # -- Which they do ------------------------------------------------------------------------

    def box(self, alpha: Any) -> list[arb]:
        """α in the box with αᵀy = 0 exactly: loss = 2·ridge·C in the units of α."""
        top = self.loss / (2 * self.ridge)
        shares = svm.feasible([x / top for x in numbers(alpha)], self.y, 1.0)
        return [x * top for x in shares]

    def vector(self, alpha: list[arb]) -> arb_mat:
        """v = Yα"""
        return column(x * int(s) for x, s in zip(alpha, self.y, strict=True))

    def dual(self, alpha: list[arb], W: Any) -> tuple[arb, list[arb], arb_mat]:
        """The dual at α and W, and both as they had to be changed."""
        v = self.vector(alpha)
        rank_one = v * v.transpose() * self.ridge
        W = rank_one + raised(matrix(W) - rank_one)
        alpha, W = self.inside(alpha, W)
        value = 2 * self.ridge * balls.total(alpha) - inner(W, self.S) - self.paid(W)
        return value, alpha, W

    def inner(
        self, alpha: list[arb], point: Point
    ) -> tuple[tuple[arb, list[arb], arb_mat], arb_mat]:
        """The dual at α and the W that belongs to it, and the K that does."""
        made = self.best(balls.doubles(column(alpha))[:, 0], point)  # its α may be shorter
        return self.dual(self.box(made.alpha), made.W), raised(made.K)

    def primal(self, K: arb_mat, c: arb_mat) -> arb:
        """The printed objective at K ⪰ 0, z = Kc and a good b."""
        z = K * c
        xi = margins({}, numbers(z), self.y, Examination())
        machine = self.loss * balls.total(xi) + self.ridge * inner(c, z)
        return machine + self.cost(balls.norm(K - self.S))

    def coefficients(self, K: arb_mat, point: Point) -> Iterator[arb_mat]:
        """c, as given, or from z, or from α."""
        if "c" in point:
            yield column(numbers(point["c"]))
        if "z" in point:
            yield matrix(in_doubles.coefficients(balls.doubles(K), np.asarray(point["z"], float)))
        if "alpha" in point:
            yield self.vector(self.box(point["alpha"]))

    def machine(self, K: arb_mat) -> tuple[arb_mat, arb]:
        """Q and C of the machine at K, in which C = 1."""
        top = self.loss / (2 * self.ridge)
        return svm.signed(self.y, K) * top, top

    # -- As a judge ---------------------------------------------------------------------------

    def lower(self, point: Point) -> arb:
        """The dual at α, and at W or the best W there is."""
        if "alpha" not in point:
            return arb.neg_inf()
        alpha = self.box(point["alpha"])
        low = (self.dual(alpha, point["W"]) if "W" in point else self.inner(alpha, point)[0])[0]
        return low.lower() if low.is_finite() else arb.neg_inf()

    def upper(self, point: Point) -> arb:
        """The primal at K and at any c that is given."""
        if "K" not in point:
            return arb.pos_inf()
        K = raised(point["K"])
        ends = [self.primal(K, c).upper() for c in self.coefficients(K, point)]
        return least([arb.pos_inf(), *(x for x in ends if x.is_finite())]).upper()

    def better(self, point: Point) -> Iterator[Point]:
        """α with the K and W that belong to it; without an α, that of the machine at K or at S₊."""
        if "alpha" in point:
            alpha = balls.doubles(column(self.box(point["alpha"])))[:, 0]
        else:
            K = raised(point["K"] if "K" in point else spectrum.clip(self.problem.S))
            Q, top = self.machine(K)
            alpha = svm.machine(balls.doubles(Q), self.y, 1.0) * float(top)
            yield {"alpha": alpha, "K": K}
        made = self.best(alpha, point)
        yield {"alpha": made.alpha, "W": made.W, "K": made.K}

    def examine(self, point: Point) -> Examination:
        """K and W raised, z = Kc, and ξ, u, v raised to what they have to be."""
        found = Examination()
        if "K" in point:
            self.examine_kernel(point, found)
        if "alpha" in point:
            self.examine_dual(point, found)
        return found

    def examine_kernel(self, point: Point, found: Examination) -> None:
        """The upper side: at c or z, or at the best there is for K."""
        given, K = balls.symmetric(matrix(point["K"])), raised(point["K"])
        found.repaired["K"] = K
        found.violations["lmi"] = short_of(given)
        found.violations["symmetry"] = asymmetry(matrix(point["K"]))
        distance = balls.norm(K - self.S)
        if "v" in point:
            v, own = numbers(point["v"])[0], balls.norm(given - self.S)
            found.violations["ball"] = excess(own - v, own)
            distance = found.repaired["v"] = distance.max(v)
        alone = {key: x for key, x in point.items() if key in ("c", "z")}
        if not alone:
            half = svm.optimum(self.machine(K)[0], self.y, 1.0)
            at = [self.loss * x + self.cost(distance) for x in (half.lower, half.upper)]
            found.objectives["upper"] = Proof.of(*at)
            return
        c = next(self.coefficients(K, alone))
        z, form = K * c, inner(c, K * c)
        if "c" in point:
            found.repaired["c"] = c
        if "z" in point:
            found.repaired["z"] = z
            off = balls.norm(column(numbers(point["z"])) - z)
            found.violations["z = Kc"] = excess(off, balls.norm(z))
        if "u" in point:
            u = numbers(point["u"])[0]
            found.violations["lmi"] = found.violations["lmi"].max(excess(form - u, form))
            form = found.repaired["u"] = form.max(u)
        xi = margins(point, numbers(z), self.y, found, given=numbers(point.get("z", z)))
        value = self.loss * balls.total(xi) + self.ridge * form + self.cost(distance)
        found.objectives["upper"] = Proof.of(value)

    def examine_dual(self, point: Point, found: Examination) -> None:
        """The lower side: at W, or at the best there is for α."""
        found.violations.update(self.off_box(point["alpha"]))
        alpha = self.box(point["alpha"])
        if "W" in point:
            v, W = self.vector(alpha), balls.symmetric(matrix(point["W"]))
            found.violations["W lmi"] = short_of(W - v * v.transpose() * self.ridge)
            found.violations["W ball"] = self.outside(W)
            found.violations["W symmetry"] = asymmetry(matrix(point["W"]))
            value, alpha, found.repaired["W"] = self.dual(alpha, W)
            found.objectives["lower"] = Proof.of(value)
        else:  # the minimum over K ⪰ 0 is at most its objective at K*
            (low, alpha, _), K = self.inner(alpha, point)
            w = self.vector(alpha)
            machine = 2 * self.ridge * balls.total(alpha) - self.ridge * inner(w, K * w)
            found.objectives["lower"] = Proof.of(low, machine + self.cost(balls.norm(K - self.S)))
        found.repaired["alpha"] = alpha

    def off_box(self, alpha: Any) -> dict[str, arb]:
        """The violations of α."""
        top = self.loss / (2 * self.ridge)
        return svm.off_box([x / top for x in numbers(alpha)], self.y, 1.0)

    @abstractmethod
    def outside(self, W: arb_mat) -> arb:
        """How far W is outside the ball, relative."""


class Robust(Free):
    """(2): C·1ᵀξ + ½cᵀKc + ρ‖K - S‖²"""

    def __init__(self, problem: RobustMachine) -> None:
        super().__init__(problem)
        self.loss, self.ridge, self.rho = arb(problem.C), arb(1) / 2, arb(problem.rho)

    def cost(self, distance: arb) -> arb:
        """ρ‖K - S‖²"""
        return self.rho * distance**2

    def paid(self, W: arb_mat) -> arb:
        """‖W‖²/(4ρ)"""
        return inner(W, W) / (4 * self.rho)

    def inside(self, alpha: list[arb], W: arb_mat) -> tuple[list[arb], arb_mat]:
        """There is no ball."""
        return alpha, W

    def outside(self, W: arb_mat) -> arb:
        """There is no ball."""
        return arb(0)

    def best(self, alpha: Array, point: Point) -> in_doubles.Dual:
        """W = ½vvᵀ + 2ρM₋, K = M₊"""
        return in_doubles.robust_value(self.problem, alpha)


class Kernel(Free):
    """(7) and its dual: (1/n)·1ᵀξ + ηcᵀKc + γ‖K - S‖"""

    def __init__(self, problem: KernelMachine) -> None:
        super().__init__(problem)
        self.loss, self.ridge = arb(1) / self.n, arb(problem.eta)
        self.gamma = arb(problem.gamma)

    def cost(self, distance: arb) -> arb:
        """γ‖K - S‖"""
        return self.gamma * distance

    def paid(self, W: arb_mat) -> arb:
        """Nothing: W is in the ball."""
        return arb(0)

    def inside(self, alpha: list[arb], W: arb_mat) -> tuple[list[arb], arb_mat]:
        """W·x² and α·x"""
        norm = balls.norm(W)
        if norm <= self.gamma:
            return alpha, W
        square = (self.gamma / norm.upper()).lower()
        root = square.sqrt().lower()  # x² ≥ root², and less of α leaves W ⪰ ηvvᵀ
        return [x * root for x in alpha], W * square

    def outside(self, W: arb_mat) -> arb:
        """‖W‖/γ - 1"""
        return excess(balls.norm(W) - self.gamma, self.gamma)

    def best(self, alpha: Array, point: Point) -> in_doubles.Dual:
        """W = ηvvᵀ + (γ/τ)M₋ in the ball, K = M₊, with τ near ‖K - S‖"""
        tau = None
        if "K" in point:
            size = float(np.linalg.norm(self.problem.S))
            tau = float(balls.norm(matrix(point["K"]) - self.S).mid())
            tau = float(np.clip(tau, 1e-12 * size, 1e12 * size))
        return in_doubles.kernel_bound(self.problem, alpha, tau)
