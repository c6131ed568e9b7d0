"""(12): the kernel is a modification of the spectrum of S, K_a = U diag(a)ΛUᵀ."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import brentq

from cvxkernel.formulations import svm
from cvxkernel.formulations.arithmetic import Arithmetic, Tensor
from cvxkernel.formulations.chen2009 import spectrum
from cvxkernel.formulations.chen2009.bounds.kernel import Kernel, Value
from cvxkernel.formulations.chen2009.bounds.machine import best_primal
from cvxkernel.formulations.chen2009.frame import framed
from cvxkernel.formulations.chen2009.programs import SpectrumMachine
from cvxkernel.formulations.formulation import Point, encloses, given
from cvxkernel.formulations.inputs import Array

NEAR = 1e-6  # relative: what doubles find to be worse by more need not be enclosed


class Spectrum(Kernel):
    """The machine of (7), with λ and U as the arithmetic knows them, and the centres of h."""

    problem: SpectrumMachine

    def __init__(self, F: Arithmetic, problem: SpectrumMachine) -> None:
        super().__init__(F, problem)
        self.lam, self.U = F.basis(problem.basis)
        clip, flip = spectrum.a_clip(problem.Lam), spectrum.a_flip(problem.Lam)
        own = {"clip": [clip], "flip": [flip], "both": [clip, flip], "spectrum": []}
        self.centres: list[Array] = own[problem.h]

    def modified(self, a: Any) -> Tensor:
        """a with Λa ≥ 0, an exact point; where λᵢ = 0 any aᵢ will do."""
        a, signs = self.F.exact(a).point(), np.sign(self.problem.Lam)
        return self.F.where((signs == 0) | (signs * a >= 0), a, 0.0)

    def k(self, a: Tensor) -> Tensor:
        """λ∘a ≥ 0"""
        return self.F.where(self.problem.Lam != 0, (self.lam * a).positive(), 0.0)

    def kernel(self, a: Tensor) -> Tensor:
        """K_a"""
        return self.F.composed(self.U, self.k(a))

    def of_kernel(self, k: Array) -> tuple[Tensor, Tensor, Tensor]:
        """a = k/λ in doubles, k ≥ 0 as an exact point, and ‖k - λ‖, h(k/λ) for h = spectrum.

        What is not known of λ is charged to the distance alone, not to K: a λ near zero has a
        large a, which would make much of it.
        """
        F, lam = self.F, self.problem.Lam
        a = np.divide(k, lam, out=np.ones_like(lam), where=lam != 0)
        kept = F.exact(np.where(lam != 0, k, 0.0))
        return F.exact(a), kept, F.norm(kept - self.lam)

    def h(self, a: Tensor) -> Tensor:
        """h(a)"""
        if not self.centres:
            return self.F.norm(self.lam * (a - 1))
        norms = [self.F.norm(a - centre) for centre in self.centres]
        return sum(norms[1:], norms[0])

    def spectrum_value(self, a: Tensor, c: Any) -> Value:
        """(1/n)·1ᵀξ + ηcᵀK_ac + γh(a) at any a with Λa ≥ 0 and any c."""
        return self.kernel_value(a, self.k(a), self.h(a), c)

    def kernel_value(self, a: Tensor, k: Tensor, h: Tensor, c: Any) -> Value:
        """The same where λ∘a and h(a) are known."""
        K = self.F.composed(self.U, k)
        machine = best_primal(self.F, K, self.y, c, self.loss, self.ridge)
        w = self.U.T @ machine.point.pop("c")
        # In the paper's (12) z = diag(a)ΛUᵀc, and the least uᵢ is zᵢ²/kᵢ.
        point = {**machine.point, "z": k * w, "a": a, "u": k * (w * w), "v": h}
        return Value(machine.value + self.gamma * h, point)

    def about(self, centre: Array, c: Array) -> float:
        """The same in doubles at the centre of h, or of a multiple of c."""
        w, k = self.problem.basis.U.T @ c, np.maximum(self.problem.Lam * centre, 0.0)
        image, eta = self.y * (self.problem.basis.U @ (k * w)), self.problem.eta
        return 2 * eta * svm.shortened(image, float(k @ w**2), self.y, self.problem.C)

    def spectrum_bound(self, alpha: Tensor, a: Tensor) -> tuple[Tensor, Tensor]:
        r"""The dual of (12) at α; and α, scaled where it had to be.

        With w = Uᵀv and q = ηλ∘w² it is

            maximize    2η·1ᵀα - Σⱼ pⱼᵀaⱼ
            subject to  α ∈ A,  ‖pⱼ‖₂ ≤ γ
                        Σⱼ pⱼ ≥ q where λᵢ > 0,  ≤ q where λᵢ < 0,  = 0 where λᵢ = 0

        with one pⱼ for each norm ‖a - aⱼ‖ in h: γ‖a - aⱼ‖ = max pⱼᵀ(a - aⱼ), and what then
        multiplies each aᵢ must not be negative along the ray that Λa ≥ 0 leaves it. For clip and
        for flip p = q is best: α is bound to ‖q‖ ≤ γ. For both p₁ + p₂ = q, shared out by the
        distances of `a` from a_clip and from a_flip. For spectrum the norm is ‖λ∘(a - 1)‖, and with
        p = λ∘π it is π ≥ ηw², ‖π‖ ≤ γ where λᵢ ≠ 0: the diagonal of (7)'s W, made the same way.
        Where a pⱼ is outside its ball all of them are multiplied by x² and α by x.
        """
        F, lam = self.F, self.lam
        w = self.U.T @ (self.y * alpha)
        square = self.ridge * (w * w)
        q = lam * square
        if self.problem.h == "both":
            # At the distances r₁ and r₂, p₁/γ = (a - a_clip)/r₁ and p₂/γ = (a - a_flip)/r₂ add up
            # to q/γ at one a. These are p₁ and p₂ there, whatever r₁, r₂ > 0: only the ball may be
            # missed.
            clip, flip = self.centres
            floor = 2.0 ** (1 - F.bits)
            r1, r2 = (F.maximum(F.norm(a - centre), floor).point() for centre in self.centres)
            p1 = (self.gamma * F.exact(flip - clip) + r2 * q) / (r1 + r2)
            terms = [(p1, clip), (q - p1, flip)]
        elif self.centres:
            terms = [(q, self.centres[0])]
        else:
            terms = [(self.diagonal(F.where(self.problem.Lam != 0, square, 0.0)), lam)]
        norms = F.stack([F.norm(p) for p, _ in terms])
        square, root = self.inside(norms.max())
        costs = F.stack([F.inner(p, centre) for p, centre in terms])
        return 2 * self.ridge * root * alpha.sum() - square * costs.sum(), root * alpha

    def diagonal(self, least: Tensor) -> Tensor:
        """The π ≥ `least` of the smallest πᵀλ with ‖π‖ ≤ γ, nearly: max(least, -tλ), t = γ/τ.

        The doubles know where -tλ is the larger, and then t²Σλ² over there is what the rest of
        `least` leaves of γ². Where `least` is itself outside the ball it is returned.
        """
        F, lam = self.F, self.problem.Lam
        larger = diagonal(lam, least.mid, self.problem.gamma) > least.mid
        if not larger.any():
            return least
        left = self.gamma.square() - F.where(larger, 0.0, least).square().sum()
        t = (left.positive() / self.lam[larger].square().sum()).sqrt().point()
        return F.maximum(least, F.where(larger, -t * self.lam, least))


@encloses("chen2009-eq12", frame=framed)
def eq12(F: Arithmetic, problem: SpectrumMachine, point: Point) -> Any:
    """(12) at a and the best of a few c from above; from below its dual at α."""
    at, lam, y = Spectrum(F, problem), problem.Lam, problem.y
    alpha = at.box(given(F, point, "alpha", np.zeros(problem.n)))
    if not problem.basis.decided:
        return _undecided(at, alpha)
    a = at.modified(given(F, point, "a", spectrum.a_clip(lam)))
    low, alpha = at.spectrum_bound(alpha, a)
    tried = [(a, y * alpha)]
    if "z" in point:
        z = given(F, point, "z", np.zeros(problem.n))
        tried.append((a, spectrum.solution(lam * a.mid, problem.basis.U, z.mid)[0]))
    values = [at.spectrum_value(a, c) for a, c in tried]
    if problem.h in ("clip", "flip"):  # where γ is large a differs from this by a solver's error
        centre, found = at.centres[0], min(float(one.value.mid) for one in values)
        close = np.linalg.norm(a.mid - centre) <= np.sqrt(NEAR) * np.linalg.norm(centre)
        if close or at.about(centre, y * alpha.mid) <= found * (1 + NEAR):
            values.append(at.spectrum_value(at.modified(centre), y * alpha))
    if problem.h == "spectrum":
        for k in spectrum_responses(problem, alpha.mid, a.mid):
            made = at.of_kernel(k)
            if made[0].is_finite():
                values.append(at.kernel_value(*made, y * alpha))
    high, best = min(values, key=lambda one: one.value.upper)
    variables = {**best, "alpha": alpha, "U": problem.basis.U}
    return F.enclosure(high, F.maximum(low, 0.0), high, variables, problem.open)


def _undecided(at: Spectrum, alpha: Tensor) -> Any:
    """What holds whatever the signs of the eigenvalues: no term is negative, and a = 0 is there."""
    F, n, problem, zero = at.F, at.n, at.problem, np.zeros(at.n)
    machine = best_primal(F, F.exact(np.zeros((n, n))), at.y, zero, at.loss, at.ridge)
    root = F.exact(float(n)).sqrt()
    h = F.norm(at.S) if problem.h == "spectrum" else len(at.centres) * root
    high = machine.value + at.gamma * h
    best = {symbol: machine.point[symbol] for symbol in ("z", "b", "xi")}
    point = {**best, "a": zero, "u": zero, "v": h, "alpha": alpha, "U": problem.basis.U}
    return F.enclosure(high, F.exact(0.0), high, point, problem.open)


def spectrum_responses(problem: SpectrumMachine, alpha: Array, a: Array) -> list[Array]:
    """The λ∘a that belong to α for h = spectrum: max(λ + (τ/γ)ηw², 0), τ = ‖λ∘a - λ‖.

    τ is that of `a`, and of the dual's π = max(ηw², -γλ/τ) where λ < 0 decides it.
    """
    lam, gamma = problem.Lam, problem.gamma
    least = problem.eta * (problem.basis.U.T @ (problem.y * alpha)) ** 2
    least = np.where(lam != 0, least, 0.0)
    taus = [float(np.linalg.norm(lam * (a - 1)))]
    negative = lam < 0
    if negative.any():
        pi = diagonal(lam, least, gamma)
        first = int(np.argmax(np.where(negative, pi - least, -np.inf)))
        if pi[first] > least[first]:
            taus.append(float(-gamma * lam[first] / pi[first]))
    out = [np.maximum(lam + tau / gamma * least, 0.0) for tau in taus]
    return out


def diagonal(lam: Array, least: Array, gamma: float) -> Array:
    """The π ≥ `least` of the smallest πᵀλ with ‖π‖ ≤ γ, in doubles: max(least, -γλ/τ).

    Where `least` is itself outside the ball it is returned, and the caller's factor serves.
    """
    if float(np.linalg.norm(least)) >= gamma or not (lam < 0).any():
        return least

    def excess(x: float) -> float:
        return float(np.linalg.norm(np.maximum(least, -lam * np.exp(x)))) - gamma

    # x = log(γ/τ): at the upper end the part of the negative λ alone is outside the ball
    top = float(np.log(2 * gamma / np.linalg.norm(np.minimum(lam, 0.0))))
    x = float(brentq(excess, top - 80.0, top, xtol=1e-14)) if excess(top - 80.0) < 0 else top - 80.0
    pi: Array = np.maximum(least, -lam * np.exp(x))
    return pi
