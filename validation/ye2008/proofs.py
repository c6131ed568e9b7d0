"""ye2008 judged: polished by Newton's method on the active set, and answers examined."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from flint import arb, ctx

from cvxkernel.formulations.arithmetic import BALLS, Arithmetic, Tensor, balls
from cvxkernel.formulations.arithmetic.balls import (
    Proof,
    asymmetry,
    exact,
    excess,
    newton,
    off_simplex,
)
from cvxkernel.formulations.catalogue import CATALOGUE
from cvxkernel.formulations.formulation import Formulation, given
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.weights import simplex
from cvxkernel.formulations.ye2008.bounds import (
    Bounds,
    Restricted,
    Solved,
    rows_of_norm_one,
    unit_diagonal_root,
)
from cvxkernel.formulations.ye2008.data import Scatter
from cvxkernel.validation.proofs.proof import Examination, Judge, Negated, Point

F: Arithmetic = BALLS
SMALL = 2.0**-60  # of the value: what a residual may cost


class DiscriminantJudge:
    """The bounds in balls."""

    def __init__(self, problem: Scatter, *, binary: bool, kind: str = "SDP") -> None:
        self.bounds: Bounds = Bounds(F, problem, binary=binary)
        self.kind = kind

    def better(self, point: Point) -> Iterator[Point]:
        """The weights polished."""
        try:
            yield {"theta": polished(self.bounds, next(self.bounds.weights(point)))}
        except np.linalg.LinAlgError:
            return  # singular at the weights given

    def examine(self, point: Point) -> Examination:
        """θ clipped and scaled, t, T, γ moved until they are feasible; β as it is, unscaled."""
        found = Examination()
        if "theta" in point:
            found.violations.update(off_simplex(point["theta"], list(self.bounds.r.x)))
            tried = list(self.bounds.tried(point))
            known = (at for at in tried if at.rest.upper <= SMALL * at.value.lower)
            at = next(known, tried[-1])  # as little identity as will do
            found.repaired["theta"] = at.theta
            self.attained(point, at, found)
        if "beta" in point:
            found.repaired["beta"] = beta = self.beta(point)
            self.dual(point, beta, self.bounds.H, found)
        return found

    def beta(self, point: Point) -> Tensor:
        """β as n × 1 or n × k."""
        return given(F, point, "beta", np.zeros(self.bounds.H.shape))

    def attained(self, point: Point, at: Solved, found: Examination) -> None:
        """The objective of the SDPs and SILPs at θ and at t, T or γ, if they are given."""
        value, S = at.value, at.schur
        rest, size, best = F.between(0.0, at.rest), abs(value).number, value
        if self.kind == "SILP" and "gamma" in point:
            gamma = exact(point["gamma"]).reshape()
            found.violations["cuts"] = excess((value + gamma).number, size)
            best = F.maximum(value, -gamma)
            found.repaired["gamma"] = -best
        elif self.kind == "SDP" and "t" in point:
            each, t = S.diagonal() + rest, exact(point["t"]).reshape(len(S))
            found.violations["lmi"] = excess((each - t).max().number, size)
            found.repaired["t"] = raised = F.maximum(each, t)
            best = raised.sum()
        elif self.kind == "SDP" and "T" in point:
            T = exact(point["T"])
            shift = (rest - _least((T - S).matrix)).positive()
            found.violations["lmi"] = excess(shift.number, size)
            found.violations["symmetry"] = asymmetry(T.matrix)
            raised = F.shifted((T + T.T) / 2, exact(shift.upper))
            found.repaired["T"] = raised
            best = raised.trace()
        found.objectives["upper"] = Proof.of(best.number)

    def dual(self, point: Point, beta: Tensor, H: Tensor, found: Examination) -> None:
        """The objective of the QCQPs at β, and at t if it is given: no multiple of β is taken."""
        b, square, top = self.bounds.terms(beta, H)
        if self.kind == "QCQP" and "t" in point:
            t = exact(point["t"]).reshape()
            found.violations["quad"] = excess((top - t).number, top.number)
            found.repaired["t"] = top = F.maximum(top, t)
        q = top if self.bounds.joint else square + top / self.bounds.lam
        found.objectives["lower"] = Proof.of((b - q / 4).number)


class RestrictedJudge(DiscriminantJudge):
    """The same for (32) and (45): diag(t) ⪰ S(θ), and Z = RRᵀ of unit diagonal."""

    def __init__(self, problem: Scatter) -> None:
        super().__init__(problem, binary=False)
        self.bounds: Restricted = Restricted(F, problem)

    def better(self, point: Point) -> Iterator[Point]:
        """None."""
        return iter(())

    def attained(self, point: Point, at: Solved, found: Examination) -> None:
        """Σⱼ tⱼ with t moved to diag(t) ⪰ S(θ); without a t, the least there is."""
        S, rest = at.schur, F.between(0.0, at.rest)
        least, Z = least_diagonal(S.mid)
        t = exact(point.get("t", least)).reshape(len(S))
        found.repaired["t"] = raised = self.bounds.feasible(at, self.bounds.raised(at, {"t": t}))
        total = raised.sum().number
        if "t" in point:
            short = rest - _least((np.eye(len(S)) * t - S).matrix)
            found.violations["lmi"] = excess(short.number, S.trace().number)
            found.objectives["upper"] = Proof.of(total)
        else:  # ⟨S, Z⟩ ≤ Σⱼ tⱼ for every feasible t
            R = rows_of_norm_one(F, unit_diagonal_root(Z))
            found.objectives["upper"] = Proof.of(F.inner(S, R @ R.T).number, total)

    def dual(self, point: Point, beta: Tensor, H: Tensor, found: Examination) -> None:
        """The bound at β, with HR for H."""
        R = self.bounds.root(point)
        super().dual(point, beta, H @ R, found)
        if "Z" in point:
            Z = exact(point["Z"])
            found.violations["Z unit diagonal"] = abs(Z.diagonal() - 1.0).max().number
            found.violations["Z semidefinite"] = (-_least(Z.matrix)).positive().number
            found.violations["Z symmetry"] = asymmetry(Z.matrix)
            found.repaired["Z"] = R @ R.T


def _least(A: Any) -> Tensor:
    """A ball that holds the smallest eigenvalue of the symmetric part."""
    return exact(balls.least_eigenvalue(balls.symmetric(A)))


def least_diagonal(S: Array) -> tuple[Array, Array]:
    """t and Z near the optima of min Σⱼ tⱼ, diag(t) ⪰ S and of max ⟨S, Z⟩, Z ⪰ 0, diag Z = 1.

    One row of V at a time, Z = VVᵀ: vᵢ along gᵢ = Σ_{j≠i} Sᵢⱼvⱼ; and tᵢ = Sᵢᵢ + ‖gᵢ‖ at the end.
    """
    k = len(S)
    V = np.linalg.qr(np.random.default_rng(0).normal(size=(k, k)))[0]
    off = S - np.diag(S.diagonal())
    for _ in range(500):
        before = V.copy()
        for i in range(k):
            g = off[i] @ V
            V[i] = g / (np.linalg.norm(g) or 1.0) if g.any() else V[i]
        if np.abs(V - before).max() < 1e-14:
            break
    t: Array = S.diagonal() + np.linalg.norm(off @ V, axis=1)
    return t, V @ V.T


def polished(bounds: Bounds, theta: Tensor) -> Tensor:
    r"""Weights nearer to the optimum: Newton's method on the active set, to the working precision.

    With wᵢ = θᵢrᵢ on the unit simplex, M = M₀ + ΣwᵢAᵢ and X = M⁻¹H, the value has the gradient
    -⟨X, AᵢX⟩ and the Hessian 2⟨AᵢX, M⁻¹AⱼX⟩. Both are computed to the working precision: kernels
    that nearly coincide make the Hessian singular in doubles.
    """
    p = len(bounds.r)
    w = list((theta * bounds.r).point().x)
    w = [x if x > 1e-7 else arb(0) for x in w]  # an interior point leaves small weights everywhere
    active = [i for i in range(p) if w[i] > 0]
    target = arb(2) ** (20 - ctx.prec)
    for _ in range(60):
        solve, images, gradient = _derivatives(bounds, exact(w))
        mean = balls.total(w[i] * gradient[i] for i in active) / balls.total(w)
        excess = [(gradient[i] - mean).mid() for i in active]
        if not any(abs(x) > target * abs(mean) for x in excess):
            off = [i for i in range(p) if i not in active]
            worst = min(off, key=lambda i: float(gradient[i] - mean), default=None)
            if worst is None or not gradient[worst] - mean < -target * abs(mean):
                break
            active.append(worst)
            continue
        inverse = [solve(images[i]) for i in active]
        hessian = [[2 * _inner(images[i], Z) for Z in inverse] for i in active]
        step = newton(hessian, excess)
        # as far as no weight becomes negative; one that reaches zero leaves the active set
        ratios = {i: -w[i] / d for i, d in zip(active, step, strict=True) if w[i] + d < 0}
        length = min(ratios.values(), key=float, default=arb(1))
        for i, d in zip(active, step, strict=True):
            w[i] = (w[i] + length * d).mid()
        for i in [i for i, x in ratios.items() if float(x) <= float(length)]:
            w[i] = arb(0)
            active.remove(i)
    return simplex(F, exact(w) / bounds.r, bounds.r)


def _derivatives(
    bounds: Bounds, w: Tensor
) -> tuple[Callable[[Tensor], Tensor], list[Tensor], list[arb]]:
    """B ↦ M⁻¹B, the AᵢX and the gradient."""
    theta = simplex(F, w / bounds.r, bounds.r)
    solve = bounds.inverse(bounds.system(theta), theta, ctx.prec // 30)
    X = solve(bounds.H)
    centred = [C / bounds.lam for C in bounds.forms(X)[1]]
    scaled = [X, *centred] if bounds.joint else centred
    images = [(C / r).point() for C, r in zip(scaled, bounds.r, strict=True)]
    return solve, images, [-_inner(X, C) for C in images]


def _inner(A: Tensor, B: Tensor) -> arb:
    """⟨A, B⟩, the radius dropped."""
    middle: arb = F.inner(A, B).number.mid()
    return middle


def semi_infinite(problem: Scatter, *, binary: bool) -> Negated:
    """A judge of max γ, γ ≤ -value(θ, β): minus the program of the others."""
    return Negated(DiscriminantJudge(problem, binary=binary, kind="SILP"))


def _judge(form: Formulation) -> Callable[[Any], Judge]:
    if form.kind == "SILP":
        return partial(semi_infinite, binary=form.binary)
    return partial(DiscriminantJudge, binary=form.binary, kind=form.kind)


JUDGES: dict[str, Callable[[Any], Judge]] = {
    **{id: _judge(form) for id, form in CATALOGUE.items() if form.paper == "ye2008"},
    "ye2008-thm3.1": RestrictedJudge,
    "ye2008-eq45": RestrictedJudge,
}
