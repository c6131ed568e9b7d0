r"""(4), (6) and (7) polished: Newton's method on the optimality conditions, from active sets.

With Kᵢ = RᵢRᵢᵀ of as many columns as its rank, a = Yα and Wᵢ = ρL′(Kᵢ - Sᵢ),

    (Wᵢ - aaᵀ/(2γᵢ) - νᵢI)Rᵢ = 0,  trace RᵢᵀRᵢ = τ
    1 - YΣᵢ Kᵢa/γᵢ - by = 0 on the samples with 0 < α < C,  yᵀα = 0
    aᵀKᵢa = κγᵢ²,  Σᵢ γᵢ = 1

In (4) there is one K, the sum of the Wᵢ, and no γ; in (7) the first line is, where μᵢⱼ > 0,
wᵢⱼ - (vᵢⱼᵀa)²/(2γᵢ) = νᵢ. Where Kᵢ - Sᵢ has an entry that is zero the subgradient of L1 is not
known: there it is an unknown, and the entry another equation.

The equations are written once, for numbers of any kind: doubles with an imaginary step make the
Jacobian, balls the residual. Rᵢ is determined up to a rotation, so that a step is the shortest one
that solves the linear equations, in doubles: each adds as many digits as the Jacobian has. No proof
rests on the result.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from flint import ctx
from numpy.typing import NDArray

from cvxkernel.formulations.arithmetic.balls import Tensor, exact
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kundu2010 import Spectra
from cvxkernel.formulations.kundu2010.bounds import Bounds

ROUNDS = 8  # of active sets
STEPS = 20  # in doubles, for one of them
SLOW = 0.1  # a step of more than this part of the last one asks for another Jacobian
FAR = 1e3  # relative: a step that long leads nowhere
SETTLED = 1e-12  # relative: as near as doubles come
MOST = 2500  # unknowns
NEGATIVE = 1e-9  # relative: what is below zero by more is not there by rounding
SMALL = 1e-3  # of τ: the eigenvalue that a direction is tried with
STEP = 1e-30  # imaginary
SINGULAR = 1e-11  # of the largest singular value: what turns Rᵢ, and what cannot be told from it
UNTOLD = 1e-7  # the same where a multiplier is zero but for the error of a solver: K is not unique
Numbers = NDArray[Any]  # doubles, complex numbers or balls


@dataclass(frozen=True)
class Sets:
    """The rank of each Kᵢ, or which μᵢⱼ are not zero; the samples that are at no border, at C."""

    learned: tuple[Any, ...]
    free: NDArray[np.bool_]
    top: NDArray[np.bool_]
    signs: tuple[Array, ...] = ()  # of Kᵢ - Sᵢ, for L1

    @cached_property
    def zeros(self) -> list[NDArray[np.bool_]]:
        """Where Kᵢ - Sᵢ is zero, on and above the diagonal."""
        return [np.triu(sign == 0) for sign in self.signs]


@dataclass(frozen=True)
class State:
    """The unknowns, by name."""

    R: tuple[Numbers, ...]  # or the μᵢⱼ that are not zero
    nu: Numbers
    alpha: Numbers  # of the free samples
    b: Numbers
    gamma: Numbers
    kappa: Numbers
    W: Numbers  # where Kᵢ - Sᵢ is zero

    @property
    def parts(self) -> tuple[Numbers, ...]:
        """One after the other."""
        return (*self.R, self.nu, self.alpha, self.b, self.gamma, self.kappa, self.W)

    def vector(self) -> Numbers:
        """All of them."""
        return np.concatenate([np.ravel(part) for part in self.parts])

    def taken(self, x: Numbers) -> State:
        """The same with other numbers."""
        parts: list[Numbers] = []
        for part in self.parts:
            parts.append(x[: part.size].reshape(part.shape))
            x = x[part.size :]
        return State(tuple(parts[: len(self.R)]), *parts[len(self.R) :])


class Conditions:
    """The equations of a problem."""

    def __init__(self, bounds: Bounds) -> None:
        self.bounds, self.problem = bounds, bounds.problem
        self.y, self.C, self.tau = self.problem.y, self.problem.C, self.problem.tau
        self.one, self.spectra = not bounds.weighed, isinstance(self.problem, Spectra)
        self.weighed = bounds.weighed and self.problem.m > 1
        # λᵢ and vᵢⱼ are not doubles.
        self.targets = [_Constant(S) for S in bounds.S]
        self.V = [_Constant(V) for V in getattr(bounds, "V", ())]

    def alpha(self, at: State, sets: Sets) -> Numbers:
        """α of all samples."""
        alpha = _like(np.where(sets.top, self.C, 0.0), at.nu)
        alpha[sets.free] = at.alpha
        return alpha

    def learned(self, at: State, sets: Sets) -> list[Numbers]:
        """Kᵢ or μᵢ"""
        if not self.spectra:
            return [R @ R.T for R in at.R]
        every = []
        for part, where in zip(at.R, sets.learned, strict=True):
            mu = _like(np.zeros(len(where)), at.nu)
            mu[where] = part
            every.append(mu)
        return every

    def gradients(self, at: State, sets: Sets, learned: list[Numbers]) -> list[Numbers]:
        """ρL′(Kᵢ - Sᵢ)"""
        rho, out, rest = self.problem.rho, [], at.W
        for i, X in enumerate(self.differences(learned)):
            if sets.signs:  # L1, but for ρ = 0
                W = _like(rho * sets.signs[i], at.nu)
                where = np.nonzero(sets.zeros[i])
                W[where] = W.T[where] = rest[: len(where[0])]
                rest = rest[len(where[0]) :]
                out.append(W)
            elif self.problem.loss == "L2":
                out.append(X * (rho / (X * X).sum() ** 0.5))
            else:
                out.append(X * (2 * rho))
        return out

    def differences(self, learned: list[Numbers]) -> list[Numbers]:
        """Kᵢ - Sᵢ or μᵢ - λᵢ"""
        every = learned * (self.problem.m // len(learned))
        return [x - S.like(x) for x, S in zip(every, self.targets, strict=True)]

    def residual(self, at: State, sets: Sets) -> Numbers:
        """What is left of the equations."""
        a = self.y * self.alpha(at, sets)
        learned = self.learned(at, sets)
        W = self.gradients(at, sets, learned)
        W = [sum(W[1:], W[0])] if self.one else W
        V = [v.like(a) for v in self.V]
        rest, images = [], []
        for i, R in enumerate(at.R):
            share = at.gamma[i] if self.weighed else 1.0
            if self.spectra:
                along = V[i].T @ a
                rest.append((W[i] - along * along / (share * 2))[sets.learned[i]] - at.nu[i])
                rest.append(np.array([R.sum() - self.tau]))
                images.append(V[i] @ (learned[i] * along))
            else:
                along = R.T @ a
                left = W[i] @ R - np.outer(a, along) / (share * 2) - at.nu[i] * R
                rest += [left.ravel(), np.array([(R * R).sum() - self.tau])]
                images.append(R @ along)
        pulled = [w / at.gamma[i] if self.weighed else w for i, w in enumerate(images)]
        image = self.y * sum(pulled[1:], pulled[0])
        if sets.free.any():
            rest.append((1 - image - at.b[0] * self.y)[sets.free])
            rest.append(np.array([(a * 1.0).sum()]))
        if self.weighed:
            forms = [(a * w).sum() - at.kappa[0] * g * g
                     for w, g in zip(images, at.gamma, strict=True)]  # fmt: skip
            rest.append(np.array([*forms, at.gamma.sum() - 1]))
        if sets.signs:
            pairs = zip(self.differences(learned), sets.zeros, strict=True)
            rest += [X[zero] for X, zero in pairs]
        return np.concatenate(rest)

    # -- From doubles -------------------------------------------------------------------------

    def start(self, point: dict[str, Array]) -> tuple[State, Sets]:
        """The active sets by complementarity: of two numbers one is zero, the smaller one."""
        problem, y, C = self.problem, self.y, self.C
        learned = np.reshape(point[self.bounds.symbol], self.bounds.shape)
        alpha = point["alpha"]
        gamma = point["gamma"] if self.weighed else np.ones(len(learned))
        a, W = y * alpha, self.bounds.subgradients(learned)
        signs, zeros = self.kinks(point, learned)
        W = point["W"] if signs else W
        unknown = [w[zero] for w, zero in zip(W, zeros, strict=False)]
        W = W.sum(axis=0, keepdims=True) if self.one else W
        R, nu, sets, image, forms = [], [], [], np.zeros(problem.n), []
        for i, (x, w) in enumerate(zip(learned, W, strict=True)):
            if self.spectra:
                V = self.V[i].near
                left = w - (V.T @ a) ** 2 / (2 * gamma[i])
                nu.append(left.min())
                size = float(np.abs(w).max() + (a @ a) / (2 * gamma[i]))
                some = x / self.tau > (left - nu[-1]) / size
                R.append(x[some])
                sets.append(some)
                moved = V @ (x * (V.T @ a))
            else:
                left = np.linalg.eigvalsh((w + w.T) / 2 - np.outer(a, a) / (2 * gamma[i]))
                size = float(np.linalg.norm(w) + (a @ a) / (2 * gamma[i]))
                nu.append(left[0])
                lam, V = np.linalg.eigh(x)
                lam, V = lam[::-1], V[:, ::-1]
                rank = int((lam / self.tau > (left - left[0]) / size).sum())
                R.append(V[:, :rank] * np.sqrt(lam[:rank]))
                sets.append(rank)
                moved = x @ a
            image += y * moved / gamma[i]
            forms.append(float(a @ moved))
        inside = (alpha > 1e-3 * C) & (alpha < (1 - 1e-3) * C)
        gap = y * (1 - image)
        b = float(np.median(gap[inside])) if inside.any() else float(np.median(gap))
        slack = 1 - image - b * y
        free = (alpha / C > -slack) & (1 - alpha / C > slack)
        made = Sets(tuple(sets), free, ~free & (alpha > C / 2), signs)
        kappa = np.array([np.mean(forms / gamma**2)]) if self.weighed else np.zeros(0)
        b_ = np.array([b]) if free.any() else np.zeros(0)
        shares = gamma if self.weighed else np.zeros(0)
        last = np.concatenate([*unknown, np.zeros(0)])
        return State(tuple(R), np.array(nu), alpha[free], b_, shares, kappa, last), made

    def kinks(
        self, point: dict[str, Array], learned: Array
    ) -> tuple[tuple[Array, ...], list[NDArray[np.bool_]]]:
        """The signs of Kᵢ - Sᵢ for L1, zero where |W| is further from ρ than that from zero."""
        if self.problem.loss != "L1" or not self.problem.rho > 0:
            return (), []
        signs = []
        for X, W in zip(self.bounds.differences(learned), point["W"], strict=True):
            away = 1 - np.abs(W) / self.problem.rho
            zero = np.abs(X) / float(np.abs(X).max() or 1.0) < away
            zero |= zero.T
            signs.append(np.where(zero, 0.0, np.sign(X + X.T)))
        made = tuple(signs)
        return made, Sets((), np.zeros(0, bool), np.zeros(0, bool), made).zeros

    def jacobian(self, at: State, sets: Sets) -> Array:
        """By imaginary steps: exact to rounding."""
        x = at.vector().astype(complex)
        columns = []
        for j in range(len(x)):
            moved = x.copy()
            moved[j] += 1j * STEP
            columns.append(self.residual(at.taken(moved), sets).imag / STEP)
        return np.stack(columns, axis=1)

    def step(self, at: State, sets: Sets, singular: float = SINGULAR) -> Array:
        """What takes a residual to the shortest step."""
        J = self.jacobian(at, sets)
        # νᵢ and what is unknown of Wᵢ may be zero, but for an error of the size of Wᵢ.
        rho = float(self.problem.rho)
        least = [rho if part is at.nu or part is at.W else 1e-300 for part in at.parts]
        size = np.concatenate([
            np.full(part.size, np.abs(part).max(initial=x))
            for part, x in zip(at.parts, least, strict=True)
        ])  # fmt: skip
        scaled = J * size
        rows = np.maximum(np.abs(scaled).max(axis=1), 1e-300)
        inverse = np.linalg.pinv(scaled / rows[:, None], rcond=singular)
        out: Array = size[:, None] * inverse / rows
        return out

    def polished(self, point: dict[str, Array]) -> tuple[State, Sets, Array] | None:
        """Newton's method in doubles, and on other active sets where these do not hold."""
        at, sets = self.start(point)
        for _ in range(ROUNDS):
            if len(at.vector()) > MOST:
                return None
            tried = (self.settled(at, sets, singular) for singular in (SINGULAR, UNTOLD))
            settled = next((one for one in tried if one is not None), None)
            if settled is None:
                return None
            other = self.corrected(settled, sets)
            if other is None:
                return settled, sets, self.step(settled, sets)
            at, sets = other
        return None

    def settled(self, at: State, sets: Sets, singular: float) -> State | None:
        """Newton's method; None where it does not come to rest."""
        if not all(R.size for R in at.R):
            return None
        back, last, far = (
            self.step(at, sets, singular),
            np.inf,
            FAR * float(np.abs(at.vector()).max()),
        )
        for _ in range(STEPS):
            move = back @ self.residual(at, sets)
            size = float(np.abs(move).max())
            if not size <= far:
                return None
            at = at.taken(at.vector() - move)
            if size <= SETTLED * float(np.abs(at.vector()).max()):
                return at
            if size > SLOW * last:
                back = self.step(at, sets, singular)
            last = size
        return None

    def corrected(self, at: State, sets: Sets) -> tuple[State, Sets] | None:
        """Without what left its range, else with what the conditions ask for; None where all is."""
        alpha, learned = self.alpha(at, sets), self.learned(at, sets)
        a, W = self.y * alpha, self.gradients(at, sets, learned)
        inside = (alpha > 0) & (alpha < self.C)
        signs = tuple(
            np.where(
                (sign * X < 0),
                0.0,
                np.where((sign == 0) & (abs(w) > self.problem.rho), np.sign(w), sign),
            )
            for sign, X, w in zip(sets.signs, self.differences(learned), W, strict=False)
        )
        every = [sum(W[1:], W[0])] if self.one else W
        R, kinds, image = list(at.R), list(sets.learned), np.zeros(len(a))
        for i, (x, w) in enumerate(zip(learned, every, strict=True)):
            share = at.gamma[i] if self.weighed else 1.0
            size = float(np.abs(w).max() + a @ a / share)
            if self.spectra:
                V = self.V[i].near
                left = w - (V.T @ a) ** 2 / (2 * share) - at.nu[i]
                kinds[i] = np.where(sets.learned[i], x > 0, left < -NEGATIVE * size)
                R[i] = np.maximum(x, SMALL * self.tau)[kinds[i]]
                image += self.y * (V @ (x * (V.T @ a))) / share
            else:
                U, d, _ = np.linalg.svd(R[i], full_matrices=False)
                kept = d**2 > NEGATIVE * self.tau
                left, V = np.linalg.eigh((w + w.T) / 2 - np.outer(a, a) / (2 * share))
                more = V[:, left - at.nu[i] < -NEGATIVE * size] * np.sqrt(SMALL * self.tau)
                kinds[i] = int(kept.sum()) + more.shape[1]
                if not kept.all() or more.size:
                    R[i] = np.hstack([(U * d)[:, kept], more])
                image += self.y * (x @ a) / share
        free, top = sets.free & inside, sets.top | (sets.free & (alpha >= self.C))
        if at.b.size:
            slack = 1 - image - at.b[0] * self.y
            wrong = ~sets.free & np.where(sets.top, slack < -NEGATIVE, slack > NEGATIVE)
            free, top = free | wrong, top & ~wrong
        same = [np.array_equal(x, z) for x, z in zip(kinds, sets.learned, strict=True)]
        same += [np.array_equal(x, z) for x, z in zip(signs, sets.signs, strict=True)]
        if all(same) and np.array_equal(free, sets.free):
            return None
        made = Sets(tuple(kinds), free, top, signs)
        rest = np.concatenate(
            [*(w[zero] for w, zero in zip(W, made.zeros, strict=False)), np.zeros(0)]
        )
        b = at.b if free.any() else np.zeros(0)
        return replace(at, R=tuple(R), alpha=alpha[free], b=b, W=rest), made


def polish(bounds: Bounds, point: dict[str, Array]) -> dict[str, Tensor] | None:
    """K or μ, α, γ and the Wᵢ to the working precision; None where that does not come about."""
    conditions = Conditions(bounds)
    with np.errstate(all="ignore"), suppress(np.linalg.LinAlgError):
        found = conditions.polished(point)
        return None if found is None else _refined(conditions, *found)
    return None  # no such decomposition


def _refined(conditions: Conditions, at: State, sets: Sets, back: Array) -> dict[str, Tensor]:
    """The residual in balls, the step in doubles: each adds the digits that the Jacobian has."""
    at = at.taken(exact(at.vector()).x)
    size = float(np.abs(Tensor(at.vector()).mid).max())
    last = np.inf
    for _ in range(4 + ctx.prec // 16):
        rest = Tensor(conditions.residual(at, sets)).point()
        largest = max(abs(x) for x in rest.x)
        if not (largest.is_finite() and largest < last):
            break
        last = largest
        if not largest > 0:
            break
        move = exact(back @ (rest / exact(largest)).mid) * exact(largest)
        at = at.taken((Tensor(at.vector()) - move).point().x)
        if float(abs(move).max().mid) <= size * 2.0 ** (8 - ctx.prec):
            break
    bounds = conditions.bounds
    learned = conditions.learned(at, sets)
    W = conditions.gradients(at, sets, learned)
    alpha = Tensor(conditions.alpha(at, sets))
    out = {
        bounds.symbol: Tensor(np.stack(learned)).point(),
        "alpha": exact(list(alpha.x)),
        bounds.dual: Tensor(np.stack(W)).point(),
    }
    if bounds.weighed:
        out["gamma"] = exact(list(at.gamma)) if conditions.weighed else exact(np.ones(1))
    return out


class _Constant:
    """A number of the problem that need not be a double."""

    def __init__(self, x: Tensor) -> None:
        self.exact, self.near = x.point().x, x.mid

    def like(self, other: Numbers) -> Numbers:
        """Of the kind that is computed with."""
        return self.exact if other.dtype == object else self.near


def _like(x: Array, other: Numbers) -> Numbers:
    """Doubles as numbers of another kind."""
    return exact(x).x if other.dtype == object else x.astype(other.dtype)
