"""ye2008 judged: polished by Newton's method on the active set, and answers examined."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from flint import arb, arb_mat, ctx
from numpy.linalg import LinAlgError

from cvxkernel.formulations.arithmetic import BALLS, Arithmetic, Tensor, balls
from cvxkernel.formulations.arithmetic.balls import (
    Proof,
    asymmetry,
    exact,
    excess,
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
from cvxkernel.validation.proofs import simplex as weights
from cvxkernel.validation.proofs.proof import Examination, Judge, Negated, Point
from cvxkernel.validation.proofs.simplex import Hessian

F: Arithmetic = BALLS
SMALL = 2.0**-60  # of the value: what a residual may cost
STEPS = 30
FAR = 1e3  # a step that long leads nowhere
SETTLED = 1e-12  # relative: what is left of equations that hold


class DiscriminantJudge:
    """The bounds in balls."""

    def __init__(self, problem: Scatter, *, binary: bool, kind: str = "SDP") -> None:
        self.bounds: Bounds = Bounds(F, problem, binary=binary)
        self.kind = kind

    def better(self, point: Point) -> Iterator[Point]:
        """The weights polished."""
        try:
            yield {"theta": polished(self.bounds, next(self.bounds.weights(point)))}
        except LinAlgError:
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
            best = found.raised(point, "t", "lmi", S.diagonal() + rest, abs(value)).sum()
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
        if self.kind == "QCQP":
            top = found.raised(point, "t", "quad", top)
        q = top if self.bounds.joint else square + top / self.bounds.lam
        found.objectives["lower"] = Proof.of((b - q / 4).number)


class RestrictedJudge(DiscriminantJudge):
    """The same for (32) and (45): diag(t) ⪰ S(θ), and Z = RRᵀ of unit diagonal."""

    def __init__(self, problem: Scatter) -> None:
        super().__init__(problem, binary=False)
        self.bounds: Restricted = Restricted(F, problem)

    def better(self, point: Point) -> Iterator[Point]:
        """The weights, t and Z polished together."""
        try:
            yield polished_together(self.bounds, point)
        except LinAlgError:
            return  # singular at the weights given, or no Z was found

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


class Together:
    r"""The conditions of (32) and (45) in w, t and R, Z = RRᵀ of a given rank, some w not zero.

        (diag(t) - S(w))R = 0,  the rows of R of norm one,  ⟨R, XᵀAᵢXR⟩ = κ,  Σᵢ wᵢ = 1

    S has the derivatives -XᵀAᵢX. R is determined up to a rotation RΩ: steps are at right angles to
    those, and what the equations do not need is left free along them.
    """

    def __init__(
        self,
        bounds: Restricted,
        w: list[arb],
        t: Array,
        R: Array,
        size: float,
        solve: Callable[[arb_mat, arb_mat], list[arb]],
    ) -> None:
        self.solve = solve
        self.bounds, self.t, self.R, self.size = bounds, exact(t), exact(R), size
        self.k, self.rank = R.shape
        self.w = [x if x > weights.UNUSED else arb(0) for x in w]
        self.active = [i for i in range(len(w)) if self.w[i] > 0]
        self.kappa = arb(0)  # until the first step

    def settled(self) -> bool:
        """Newton's method; whether it came to rest at a Z that is optimal for these w."""
        for _ in range(STEPS):
            moved = self.step()
            if not (self.active and moved < FAR):
                return False
            if moved <= 2.0 ** (20 - ctx.prec):
                left = np.diag(self.t.mid) - self.S.mid
                return bool(np.linalg.eigvalsh(left)[0] > -SETTLED)
        return False

    def step(self) -> float:
        """One step, and the largest change, relative."""
        bounds, R, t, k, rank, A = self.bounds, self.R, self.t, self.k, self.rank, self.active
        at = At(bounds, exact(self.w))
        images = [((at.X.T @ image) @ R / self.size).point() for image in at.images]  # BᵢR
        turned = [(image @ R).point() for image in at.images]
        self.S = (bounds.H.T @ at.X / self.size).point()
        self.prices = [_inner(R, image) for image in images]
        mean = balls.total(self.prices[i] for i in A) / len(A)
        kappa = self.kappa = mean.mid() if self.kappa.is_zero() else self.kappa
        left = BALLS.shifted(0.0 * self.S, 0.0) - self.S
        left = left + BALLS.stack([t[i] * np.eye(k)[i] for i in range(k)])
        pairs = [(a, c) for a in range(rank) for c in range(a)]
        n = len(A)
        own, rows, last = n + k * rank, n + k * rank + k, n + k * rank + k + 1
        J = np.full((last + len(pairs), last + len(pairs)), arb(0), dtype=object)
        hessian = at.hessian(turned, A)
        for i, row in enumerate(hessian):
            J[i, :n] = [x / self.size for x in row]
            J[i, n:own] = (-2.0 * images[A[i]]).x.ravel()
            J[n:own, i] = images[A[i]].x.ravel()
            J[i, rows] = J[rows, i] = arb(1)
        for i in range(k):
            for c in range(rank):
                J[n + i * rank + c, n + c : own : rank] = left.x[i]
                J[n + i * rank + c, own + i] = J[own + i, n + i * rank + c] = R.x[i, c]
        for m, (a, c) in enumerate(pairs):
            turn = np.full((k, rank), arb(0), dtype=object)
            turn[:, a], turn[:, c] = R.x[:, c], -R.x[:, a]
            J[n:own, last + m] = J[last + m, n:own] = turn.ravel()
        rest = [
            *(kappa - self.prices[i] for i in A),
            *(left @ R).x.ravel(),
            *((R.square().sum(axis=1) - 1.0) / 2.0).x,
            balls.total(self.w) - 1,
            *(arb(0) for _ in pairs),
        ]
        d = self.solve(exact(J).matrix.mid(), -balls.column(rest).mid())
        length = weights.moved(self.w, A, d[:n])
        d = [(length * x).mid() for x in d]
        moved = exact(d[n:own]).reshape(k, rank)
        self.R, self.t = (R + moved).point(), (t + exact(d[own:rows])).point()
        self.kappa = (kappa + d[rows]).mid()
        return 1.0 if length < 1 else max(abs(float(x)) for x in d[:rows])

    def more(self) -> bool:
        """Another weight for the active ones, if these are not those of the optimum."""
        gain = [float((price - self.kappa) / self.kappa) for price in self.prices]
        idle = [i for i in range(len(self.w)) if i not in self.active]
        best = max(idle, key=lambda i: gain[i], default=None)
        if best is None or not gain[best] > SETTLED:
            return False
        self.active.append(best)
        return True


def polished_together(bounds: Restricted, point: Point) -> Point:
    """θ, t and R nearer to the optimum of (32) or (45), by Newton's method; from t and Z if given.

    R is k × k, as HR is then of the shape of every β: what its rank spares are columns of zeros.

    Of an eigenvalue of Z and the one of diag(t) - S that belongs to it one is zero; what rounding
    hides is tried.
    """
    theta = next(bounds.weights(point))
    S = (bounds.H.T @ At(bounds, theta * bounds.r).X).mid
    k, size = len(S), float(np.trace(S))
    if "t" in point and "Z" in point:
        t, Z = exact(point["t"]).reshape(k).mid, exact(point["Z"]).mid
    else:
        t, Z = least_diagonal(S)
    lam, V = np.linalg.eigh((Z + Z.T) / 2)
    left = np.linalg.eigvalsh(np.diag(t) - S) / size
    near = int((lam[::-1] / k > left).sum())
    ranks = sorted(range(1, k + 1), key=lambda rank: abs(rank - near))
    # Where more than one Z is optimal the shortest steps lead to one.
    for solve, rank in product((balls.solution, balls.shortest), ranks):
        R = V[:, ::-1][:, :rank] * np.sqrt(np.maximum(lam[::-1][:rank], 0.0))
        at = Together(bounds, _shares(bounds, theta), t / size, R, size, solve)
        for _ in range(STEPS):
            if not at.settled():
                break
            if not at.more():
                square = at.R @ np.eye(rank, k)
                return {"theta": _budget(bounds, at.w), "t": at.t * size, "R": square}
    raise LinAlgError("Newton's method did not come to rest")


def polished(bounds: Bounds, theta: Tensor) -> Tensor:
    r"""Weights nearer to the optimum, by Newton's method on the active set.

    With wᵢ = θᵢrᵢ on the unit simplex, M = M₀ + ΣwᵢAᵢ and X = M⁻¹H, the value has the gradient
    -⟨X, AᵢX⟩ and the Hessian 2⟨AᵢX, M⁻¹AⱼX⟩. Both are computed to the working precision: kernels
    that nearly coincide make the Hessian singular in doubles.
    """

    def derivatives(w: list[arb]) -> tuple[list[arb], Hessian]:
        at = At(bounds, exact(w))
        return [-_inner(at.X, image) for image in at.images], partial(at.hessian, at.images)

    return _budget(bounds, weights.polished(derivatives, _shares(bounds, theta)))


def _shares(bounds: Bounds, theta: Tensor) -> list[arb]:
    """wᵢ = θᵢrᵢ"""
    return list((theta * bounds.r).point().x)


def _budget(bounds: Bounds, w: Any) -> Tensor:
    """θ"""
    return simplex(F, exact(w) / bounds.r, bounds.r)


class At:
    """X = M⁻¹H and the AᵢX at some w; `solve` is B ↦ M⁻¹B."""

    def __init__(self, bounds: Bounds, w: Tensor) -> None:
        theta = _budget(bounds, w)
        self.solve = bounds.inverse(bounds.system(theta), theta, ctx.prec // 30)
        self.X = self.solve(bounds.H)
        centred = [C / bounds.lam for C in bounds.forms(self.X)[1]]
        scaled = [self.X, *centred] if bounds.joint else centred
        self.images = [(C / r).point() for C, r in zip(scaled, bounds.r, strict=True)]

    def hessian(self, images: list[Tensor], active: list[int]) -> list[list[arb]]:
        """2⟨Bᵢ, M⁻¹Bⱼ⟩"""
        inverse = [self.solve(images[i]) for i in active]
        return [[2 * _inner(images[i], Z) for Z in inverse] for i in active]


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
