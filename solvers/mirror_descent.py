r"""Mirror descent for the three problems of Kundu et al. (2010), with both ends at every iteration.

One idea: a mirror map, a subgradient oracle, a step rule.

    mirror map   ψ = Σⱼ xⱼ log xⱼ on the simplex {x ≥ 0, Σⱼ xⱼ = τ} (Algorithm 3), the same of the
                 eigenvalues on {K ⪰ 0, trace K = τ} (Algorithm 1), and products of m of them
    the step     log x ← log x - ηf′(x), then normalized: with matrices
                 K ← τ exp(log K - ηf′)/trace(·). H = log K + const is what is kept, so that no
                 eigenvalue underflows.
    oracle       one support vector machine (Algorithm 1) or multiple kernel problem (10): α, γ, and
                 with a = Yα and Wᵢ ∈ ∂(ρL)(Kᵢ - Sᵢ)
                 f′ = Σᵢ Wᵢ - ½aaᵀ;  Wᵢ - aaᵀ/(2γᵢ);  wᵢⱼ - (vᵢⱼᵀa)²/(2γᵢ)

The averages of the α, γ and Wᵢ that the oracle gave are feasible for the dual, and
`kundu2010.bounds` makes of them the lower end: no conic program is solved. An α that is not quite
optimal is no harm: the upper end bounds ω or Ω from above at that α, the lower end takes any α.

# Paper's Algorithms 1 and 2 put the eigenvalues of K⁽ᵗ⁾ into the eigenbasis of the gradient, which
# is the mirror step only where the two commute; its Algorithms 2 and 3 leave out the ρ before the
# subgradient of the loss. They are run line by line under the ids that end in -printed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from time import perf_counter
from typing import Any, Literal

import numpy as np

from cvxkernel.formulations import svm
from cvxkernel.formulations.catalogue import formulation
from cvxkernel.formulations.errors import InputError, SolverError
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kundu2010 import Similarities, Spectra, bounds
from cvxkernel.solvers.mkl import mkl
from cvxkernel.solvers.solution import Progress, Solution, Step

Dual = tuple[Array, Array, Array]  # α, γ and the Wᵢ (or wᵢ)
Rule = Literal["paper", "proof", "horizon", "accelerated"]

# -- Mirror maps ----------------------------------------------------------------------------------


def mirror(H: Array, tau: float) -> tuple[Array, Array]:
    """τ exp(H)/trace exp(H) for each row or matrix of a stack, and log trace exp(H)."""
    if H.ndim == 2:
        top = H.max(axis=1, keepdims=True)
        weights = np.exp(H - top)
        total = weights.sum(axis=1, keepdims=True)
        return tau * weights / total, (top + np.log(total))[:, 0]
    h, V = np.linalg.eigh(H)
    lam, log_total = mirror(h, tau)
    K = bounds.composed(lam, V)
    return (K + K.transpose(0, 2, 1)) / 2, log_total


def logarithm(x: Array) -> Array:
    """The H of a point of the simplex, or of the spectahedron."""
    if x.ndim == 2:
        return np.log(np.maximum(x, np.finfo(np.float64).tiny))
    lam, V = np.linalg.eigh(x)
    return bounds.composed(logarithm(lam), V)


def printed_step(lam: Array, g: Array, eta: float, tau: float) -> tuple[Array, Array]:
    """The last three lines of Algorithms 1 and 2: new eigenvalues, and the K made of them."""
    d, V = np.linalg.eigh(g)  # f′(K⁽ᵗ⁾) = V diag(d) Vᵀ
    # λⱼ := τλⱼ exp(-ηdⱼ) / Σₗ λₗ exp(-ηdₗ), by its logarithm
    lam, _ = mirror(logarithm(lam) - eta * d, tau)
    return lam, bounds.composed(lam, V)  # K⁽ᵗ⁺¹⁾ := V diag(λ) Vᵀ


# -- Oracles --------------------------------------------------------------------------------------


@dataclass
class Answer:
    """What the oracle says of a point x: f(x) from below at α, γ; W, and the subgradient."""

    dual: Dual
    gradient: Array
    value: float


@dataclass(frozen=True)
class Oracle:
    """Problem (4), (6) or (7): points are stacks (1, n, n), (m, n, n) and (m, n)."""

    number: int
    problem: Spectra

    @property
    def blocks(self) -> int:
        """How many simplices or spectahedra x has."""
        return 1 if self.number == 1 else self.problem.m

    def origin(self) -> Array:
        """log of (τ/n)I or (τ/n)1, up to a constant."""
        n = self.problem.n
        return np.zeros((self.blocks, n) if self.number == 3 else (self.blocks, n, n))

    def kernels(self, x: Array) -> Array:
        """K, or K₁, …, K_m"""
        return bounds.combine(self.problem, x) if self.number == 3 else x

    def differences(self, x: Array) -> Array:
        """K - Sᵢ, Kᵢ - Sᵢ or μᵢ - λᵢ"""
        return x - (self.problem.lam if self.number == 3 else self.problem.S)

    def ask(self, x: Array, start: Dual | None = None, blur: float = 0.0) -> Answer:
        """One support vector machine or multiple kernel problem; L smoothed where blur > 0."""
        p, X = self.problem, self.differences(x)
        K = self.kernels(x)
        alpha, gamma = mkl(K, p.y, p.C, start=None if start is None else start[:2])
        W = bounds.subgradients(p, X, blur)
        value = bounds.omega_value(bounds.signed(p.y, K), alpha)[0] + smoothed(p, X, blur)
        return Answer((alpha, gamma, W), self.gradient(alpha, gamma, W), value)

    def gradient(self, alpha: Array, gamma: Array, W: Array) -> Array:
        """(8), (12) or the g′ of Algorithm 3."""
        a = self.problem.y * alpha
        if self.number == 1:
            g: Array = (W.sum(axis=0) - np.outer(a, a) / 2)[None]
        elif self.number == 2:
            g = W - np.outer(a, a) / (2 * gamma)[:, None, None]
        else:
            g = W - np.einsum("ijk,j->ik", self.problem.V, a) ** 2 / (2 * gamma)[:, None]
        return g

    def sizes(self, g: Array) -> Array:
        """‖gᵢ‖_F, in Algorithm 3 maxⱼ|gᵢⱼ|: the norms of Propositions 3.1, 3.2, Theorem 3.2."""
        sizes: Array = np.abs(g).max(axis=1) if g.ndim == 2 else np.sqrt((g * g).sum(axis=(1, 2)))
        return sizes

    def upper(self, x: Array, alpha: Array) -> float:
        """f(x) from above."""
        p = self.problem
        if self.number == 3:
            return sum(bounds.eq7_value(p, x, alpha))
        assert isinstance(p, Similarities)
        if self.number == 2:
            return sum(bounds.eq6_value(p, x, alpha))
        # By the hinge alone: K may be singular, and half of the work is saved.
        margin = svm.hinge_bound(svm.signed(p.y, x[0]), p.y, p.C, alpha)
        return sum(margin) + sum(bounds.loss(p, x))

    def lower(self, dual: Dual, answer: Array | None = None) -> tuple[float, Dual]:
        """The optimum from below, and the dual point: W as given, or at the x that answers α."""
        p, (alpha, gamma, W) = self.problem, dual
        if answer is not None:
            W = bounds.subgradients(p, self.differences(answer))
        ball = bounds.dual_ball(p, W)
        if self.number == 3:
            low, down = bounds.eq7_bound(p, alpha, gamma, ball)
        else:
            assert isinstance(p, Similarities)
            if self.number == 2:
                low, down = bounds.eq6_bound(p, alpha, gamma, ball)
            else:
                low, down = bounds.eq4_bound(p, alpha, ball)
        return low - down, (alpha, gamma, ball)

    def response(self, dual: Dual, x: Array) -> Array | None:
        """The x that is best for α and γ, near x, where that has a closed form: not with L1."""
        p, (alpha, gamma, _) = self.problem, dual
        if self.number == 3:
            return bounds.eq7_response(p, alpha, gamma, x)
        assert isinstance(p, Similarities)
        if self.number == 2:
            return bounds.eq6_response(p, alpha, gamma, x)
        K = bounds.eq4_response(p, alpha, x[0])
        return None if K is None else K[None]

    def point(self, x: Array, alpha: Array, dual: Dual) -> dict[str, Array]:
        """Under the paper's symbols, as `Formulation.enclose` takes it."""
        names = ("alpha", "gamma", "w" if self.number == 3 else "W")
        point = {**dict(zip(names, dual, strict=True)), "x": alpha}
        return {**point, "mu" if self.number == 3 else "K": x[0] if self.number == 1 else x}

    def known_lip(self) -> float:
        """A bound on every ‖f′(K)‖_F of (4): ½nC² + ρmn (L1), ρm (L2), 2ρΣᵢ(τ + ‖Sᵢ‖_F) (L3).

        For (6) and (7) there is none: 1/γᵢ has no bound, and Ω no Lipschitz constant.
        """
        p = self.problem
        if self.number != 1 or not isinstance(p, Similarities):
            raise InputError("lip", "the norms seen so far for (6) and (7)", "known")
        sizes = np.sqrt((p.S * p.S).sum(axis=(1, 2)))
        slope = {"L1": p.m * p.n, "L2": p.m, "L3": 2 * float((p.tau + sizes).sum())}[p.loss]
        return p.n * p.C**2 / 2 + p.rho * slope


def smoothed(problem: Spectra, X: Array, blur: float) -> float:
    """ρ Σᵢ L(Xᵢ), with |x| (L1) and ‖X‖ (L2) replaced by x²/(2h) + h/2 below h = blur.

    Not below L, by at most h/2 for each |x| or ‖X‖, and less for a smaller h.
    """
    kind = problem.loss if isinstance(problem, Similarities) else "L2"
    if kind == "L3":
        return problem.rho * float((X * X).sum())
    sizes = np.abs(X) if kind == "L1" else np.sqrt((X * X).sum(axis=tuple(range(1, X.ndim))))
    if blur > 0:
        sizes = np.where(sizes < blur, sizes**2 / (2 * blur) + blur / 2, sizes)
    return problem.rho * float(sizes.sum())


# -- The methods ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class MirrorStep(Step):
    """An iteration: f there, the step, and by how much the bounds say that the best f may miss.

    `theorem` is the bound of Proposition 3.1, Theorem 3.2 or Proposition 3.2, with the largest
    subgradient so far for Lip. `proven` is what the steps taken prove: for T steps ηₜ
    (mτ log n + ½τΣₜηₜ²Σᵢ‖gᵢₜ‖²)/Σₜηₜ plus what the inner problems were inexact by.
    """

    value: float
    eta: float
    lip: float
    theorem: float
    proven: float


@dataclass
class Iterate:
    """A point x with an α for its upper end, the oracle's dual point and the weight of it."""

    x: Array
    alpha: Array
    dual: Dual
    weight: float
    eta: float
    gradient: Array
    value: float  # f(x) from above
    proven: float
    fresh: bool = False  # whether the averages begin anew


@dataclass
class Averages:
    """Of dual points, by weight: over all, and over about the last half."""

    total: list[tuple[Dual | None, float, int]] = field(default_factory=list)
    count: int = 0

    def add(self, dual: Dual, weight: float, *, fresh: bool) -> list[Dual]:
        """The averages with one more dual point."""
        if fresh:
            self.total, self.count = [], 0
        self.count += 1
        if not self.total:
            self.total.append((None, 0.0, 0))  # over all
        if len(self.total) == 1 or self.count >= 2 * self.total[-1][2]:
            self.total = [self.total[0], *self.total[1:][-1:], (None, 0.0, self.count)]
        self.total = [_more(part, dual, weight) for part in self.total]
        return [part[0] for part in self.total[:2] if part[0] is not None]


def _more(
    part: tuple[Dual | None, float, int], dual: Dual, weight: float
) -> tuple[Dual, float, int]:
    mean, total, since = part
    if mean is None or total == 0:
        return dual, weight, since
    share = weight / (total + weight)
    moved = tuple(a + share * (b - a) for a, b in zip(mean, dual, strict=True))
    return (moved[0], moved[1], moved[2]), total + weight, since


@dataclass
class Ends:
    """The best ends so far, and where they were found."""

    lower: float = -np.inf
    upper: float = np.inf
    best: tuple[Array, Array] = field(init=False)  # x and an α for its upper end
    dual: Dual = field(init=False)

    @property
    def gap(self) -> float:
        """upper - lower, or all of the upper end while there is no lower one above zero."""
        return self.upper - max(self.lower, 0.0)

    def offer(self, value: float, x: Array, alpha: Array) -> None:
        """A feasible point."""
        if value < self.upper or not np.isfinite(self.upper):
            self.upper, self.best = value, (x, alpha)

    def bound(self, value: float, dual: Dual) -> None:
        """A dual point."""
        if value > self.lower or not np.isfinite(self.lower):
            self.lower, self.dual = value, dual


@dataclass
class Splitting:
    """L1 has no closed response to α: the saddle point itself, by steps of alternating directions.

    min over K, D, max over α, γ of 1ᵀα - ½Σᵢ aᵀKᵢa/γᵢ + ρΣ|D|, D = K - S, with the multiplier W and
    the penalty β: D by soft thresholds, W + β(K - S - D) = clip(W + β(K - S), ±ρ); then K, which is
    a projection for every α and γ, by one step of ascent in each of these two, each short enough to
    ascend. From where the last iteration ended. W stays in the domain of (ρL)* and α in A, so that
    they make a lower end, and K is feasible.
    """

    oracle: Oracle
    K: Array | None = None
    dual: Dual = field(init=False)
    size: float = field(init=False)  # of the step in α
    share: float = 0.5  # of the way from γ to the best γ for K

    def kernels(self) -> Array:
        """The K of the last step, as a stack like x."""
        assert self.K is not None
        return np.array(self.K[: self.oracle.blocks])

    def steps(self, dual: Dual, x: Array) -> Dual:
        """A few of them; the first ones of all start at x and the dual point given."""
        p = self.oracle.problem
        if self.K is None:
            self.K, self.dual, self.size = np.broadcast_to(x, p.S.shape), dual, 1 / p.tau
        distance = float(np.abs(x - p.S).mean())
        beta = PENALTY * p.rho / max(distance, TINIEST * p.tau)
        for _ in range(SPLITS):
            self.step(beta)
        return self.dual

    def step(self, beta: float) -> None:
        """D and W, then γ, α and K."""
        p, (alpha, gamma, W) = self.oracle.problem, self.dual
        assert self.K is not None
        moved = np.clip(W + beta * (self.K - p.S), -p.rho, p.rho)
        D = (W - moved) / beta + self.K - p.S
        centre, weight = p.S + D - moved / beta, beta
        if self.oracle.number == 1:  # one K for all
            centre, weight = centre.mean(axis=0, keepdims=True), beta * p.m
        now = Inner(p.y, p.tau, centre, weight, alpha, gamma)
        if len(gamma) > 1:
            mixed = (1 - self.share) * gamma + self.share * bounds.balanced(now.forms)
            mixed = np.maximum(mixed, SMALLEST_SHARE)
            then = replace(now, gamma=mixed / mixed.sum())
            better = then.value >= now.value
            self.share = min(1.0, 1.2 * self.share) if better else self.share / 2
            now = then if better else now
        slope = 1 - p.y * (np.einsum("i,ijk->jk", 1 / now.gamma, now.K) @ (p.y * alpha))
        for _ in range(HALVINGS):
            then = replace(now, alpha=nearest(alpha + self.size * slope, p.y, p.C))
            way = then.alpha - alpha
            least = float(slope @ way - way @ way / (2 * self.size))
            if then.value >= now.value + least - 1e-12 * abs(now.value):
                now = then
                break
            self.size /= 2
        self.size *= GROWTH
        self.K, self.dual = np.broadcast_to(now.K, p.S.shape), (now.alpha, now.gamma, moved)


@dataclass(frozen=True)
class Inner:
    """min over Kᵢ in the spectahedron of 1ᵀα - ½Σᵢ aᵀKᵢa/γᵢ + ½βΣᵢ‖Kᵢ - Cᵢ‖², concave in (α, γ)."""

    y: Array
    tau: float
    centre: Array
    beta: float
    alpha: Array
    gamma: Array

    @cached_property
    def K(self) -> Array:
        """The minimizer, the projection of Cᵢ + aaᵀ/(2βγᵢ)."""
        a = self.y * self.alpha
        pull = np.outer(a, a) / (2 * self.beta * self.gamma[:, None, None])
        return bounds.spectahedron(self.centre + pull, self.tau)

    @cached_property
    def forms(self) -> Array:
        """aᵀKᵢa"""
        a = self.y * self.alpha
        q: Array = np.einsum("ijk,j,k->i", self.K, a, a)
        return q

    @cached_property
    def value(self) -> float:
        """The minimum."""
        away = float(((self.K - self.centre) ** 2).sum())
        return float(self.alpha.sum() - (self.forms / self.gamma).sum() / 2) + self.beta * away / 2


def nearest(alpha: Array, y: Array, C: float) -> Array:
    """The point of A nearest to α: clip(α - by, 0, C) at the b where that is orthogonal to y."""
    # yᵀclip(α - by, 0, C) falls with b, from C·n₊ to -C·n₋, and is linear between these.
    breaks = np.sort(np.concatenate([y * alpha, y * (alpha - C)]))[::-1]
    heights = np.clip(alpha - breaks[:, None] * y, 0.0, C) @ y
    b = float(np.interp(0.0, heights, breaks))
    return svm.repair(alpha - b * y, y, C)


@dataclass(frozen=True)
class MirrorDescent:
    """The hyper-parameters.

    step : "paper", ηₜ = √(2 log n/(mt))/Lip (m = 1 in Algorithm 1); "proof", √(2 log n/t)/Lip, what
           its proof (15) uses; "horizon", √(2 log n/T)/Lip with T = max_iterations, for which (15)
           is a proof; "accelerated", the best in practice: steps from a line search, with momentum
    lip  : "seen", the largest subgradient so far; "known", a constant for all of (4)

    With "accelerated", L1 and L2 are smoothed by no more than the gap that is left.
    """

    tol: float = 1e-3
    step: Rule = "accelerated"
    lip: Literal["seen", "known"] = "seen"
    max_iterations: int = 3000
    printed_iterations: int = 100

    def solve(self, id: str, problem: Any, *, progress: Progress | None = None) -> Solution:
        """Algorithm 1, 2 or 3 on its problem; raises SolverError where the gap stays above `tol`.

        The printed algorithms stop after `printed_iterations` wherever they are, and say so.
        """
        form = formulation(id)
        number, printed = _algorithm(form.id)
        form.require(problem)
        start = perf_counter()
        oracle = Oracle(number, problem)
        limit = self.printed_iterations if printed else self.max_iterations
        ends, averages, history, lip = Ends(), Averages(), list[Step](), 0.0
        mean_x, weight = np.zeros(()), 0.0
        entrywise = number < 3 and problem.loss == "L1" and problem.rho > 0
        best_response = number < 3 and problem.loss == "L3" and problem.rho > 0
        own = self.step == "accelerated" and not printed
        splitting = Splitting(oracle) if entrywise and own else None
        for T, it in enumerate(self.iterates(oracle, ends, printed=printed), start=1):
            ends.offer(it.value, it.x, it.alpha)
            means = averages.add(it.dual, it.weight, fresh=it.fresh)
            answer = oracle.response(means[-1], ends.best[0])
            if answer is not None:
                ends.bound(*oracle.lower(means[-1], answer))
            if not best_response:
                for mean in means:
                    ends.bound(*oracle.lower(mean))
            if own and answer is not None:
                # What answers the last average is a feasible point too, and often the better one.
                alpha = oracle.ask(answer, it.dual).dual[0]
                ends.offer(oracle.upper(answer, alpha), answer, alpha)
            if not (own or printed):
                # The averaged iterate; with momentum x is an average already.
                weight += it.weight
                mean_x = mean_x + (it.x - mean_x) * (it.weight / weight)
                if T % EVERY == 0:
                    alpha = oracle.ask(mean_x, it.dual).dual[0]
                    ends.offer(oracle.upper(mean_x, alpha), mean_x, alpha)
            if splitting is not None:
                ends.bound(*oracle.lower(splitting.steps(means[-1], it.x)))
                if T % EVERY == 0:
                    # Its K is feasible, and sparser in K - S than an iterate.
                    found = splitting.kernels()
                    alpha = oracle.ask(found, it.dual).dual[0]
                    ends.offer(oracle.upper(found, alpha), found, alpha)
            lip = max(lip, float(oracle.sizes(it.gradient).max()))
            theorem = problem.tau * oracle.blocks * lip * np.sqrt(2 * np.log(problem.n) / T)
            told = (it.value, it.eta, lip, float(theorem), it.proven)
            history.append(MirrorStep(T, ends.lower, ends.upper, perf_counter() - start, *told))
            if progress is not None:
                progress(f"{id}: iteration {T}, relative gap {history[-1].width:.1e}")
            if history[-1].width <= self.tol or limit <= T:
                break
        enclosure = form.enclose(problem, oracle.point(*ends.best, ends.dual))
        status = "optimal" if enclosure.width <= self.tol else f"stopped after {T} iterations"
        if status != "optimal" and not printed:
            why = f"relative width {enclosure.width:.1e} above {self.tol:.1e}"
            raise SolverError(id, {"mirror_descent": f"{why} after {T} iterations"}, enclosure)
        return Solution.at(
            id,
            enclosure,
            "mirror_descent",
            iterations=T,
            seconds=perf_counter() - start,
            status=status,
            history=tuple(history),
        )

    def iterates(
        self, oracle: Oracle, ends: Ends | None = None, *, printed: bool = False
    ) -> Iterator[Iterate]:
        """The sequence of points, without end; `ends` is what is known of the optimum meanwhile."""
        if self.step == "accelerated" and not printed:
            return self.accelerated(oracle, Ends() if ends is None else ends)
        return self.descent(oracle, printed=printed)

    def descent(self, oracle: Oracle, *, printed: bool = False) -> Iterator[Iterate]:
        """Algorithms 1, 2 and 3, by the true step or as they are printed."""
        p, m = oracle.problem, oracle.blocks
        H = oracle.origin()
        x, _ = mirror(H, p.tau)  # x⁽¹⁾ = (τ/n)I or (τ/n)1
        lam = np.full((m, p.n), p.tau / p.n)
        dual, t = None, 0
        lip = oracle.known_lip() if self.lip == "known" else 0.0
        steps = squares = errors = 0.0
        while True:
            t += 1
            # Obtain α*, γ* for K⁽ᵗ⁾, and the subgradient
            answer = oracle.ask(x, dual)
            dual, g = answer.dual, answer.gradient
            if printed and oracle.number > 1 and p.rho > 0:
                # Paper prints L′ᵢ(Kᵢ - Sᵢ) where the subgradient of F has ρL′ᵢ(Kᵢ - Sᵢ).
                g = oracle.gradient(dual[0], dual[1], dual[2] / p.rho)
            sizes = oracle.sizes(g)
            if self.lip == "seen":
                lip = max(lip, float(sizes.max()))
            # Choose suitable step-size ηₜ
            eta = self.size(t, m, p.n) / max(lip, np.finfo(np.float64).tiny)
            value = oracle.upper(x, dual[0])
            steps, squares = steps + eta, squares + eta**2 * float((sizes**2).sum())
            errors += eta * (value - answer.value)
            proven = (m * p.tau * np.log(p.n) + p.tau * squares / 2 + errors) / steps
            yield Iterate(x, dual[0], dual, eta, eta, g, value, float(proven))
            if printed and oracle.number < 3:
                lam, x = printed_step(lam, g, eta, p.tau)
            else:
                H = H - eta * g
                x, _ = mirror(H, p.tau)

    def size(self, t: int, m: int, n: int) -> float:
        """ηₜ·Lip"""
        over = {"paper": m * t, "proof": t, "horizon": self.max_iterations}
        return float(np.sqrt(2 * np.log(n) / over.get(self.step, m * t)))

    def accelerated(self, oracle: Oracle, ends: Ends) -> Iterator[Iterate]:
        r"""Mirror descent with momentum: Aₜ₊₁ = Aₜ + a, a²/Aₜ₊₁ = η, θ = a/Aₜ₊₁,

            y = (1 - θ)x + θz,  log z ← log z - a f′(y),  x ← (1 - θ)x + θz,

        η halved until f(x) ≤ f(y) + ⟨f′(y), x - y⟩ + B(z⁺, z)/Aₜ₊₁. Then
        A f(x) ≤ Σₜ aₜ(f(yₜ) + ⟨f′(yₜ), · - yₜ⟩) + B(·, z₁) everywhere: the average of the oracle's
        duals with the weights aₜ is within B/A of x. f is smoothed, by less and less; with Ω, which
        is steepest at the beginning, momentum starts anew whenever the gap has been halved.
        """
        p, m = oracle.problem, oracle.blocks
        H = oracle.origin()
        z, log_total = mirror(H, p.tau)
        first = oracle.ask(z)
        value = oracle.upper(z, first.dual[0])
        # How many |x| or ‖X‖ are smoothed.
        kind = p.loss if isinstance(p, Similarities) else "L2"
        many = {"L1": p.m * p.n**2, "L2": p.m, "L3": 0}[kind] * p.rho
        eta = 1.0 / max(float(oracle.sizes(first.gradient).max()), np.finfo(np.float64).tiny)
        yield Iterate(z, first.dual[0], first.dual, eta, eta, first.gradient, value, value)
        x, at_x = z, first.dual
        A, blur, milestone, fresh, spread = 0.0, np.inf if many else 0.0, ends.gap, True, 0.0
        while True:
            if many:
                blur = min(blur, max(ends.gap, TINIEST * abs(ends.upper)) / many)
            eta *= GROWTH
            while True:
                a = (eta + np.sqrt(eta**2 + 4 * eta * A)) / 2
                theta = a / (A + a)
                y = (1 - theta) * x + theta * z
                answer = oracle.ask(y, at_x, blur)
                g = answer.gradient
                H_next = H - a * g
                z_next, log_next = mirror(H_next, p.tau)
                x_next = (1 - theta) * x + theta * z_next
                then = oracle.ask(x_next, answer.dual, blur)
                # B(z⁺, z) = ⟨log z⁺ - log z, z⁺⟩
                B = float(np.vdot(H_next - H, z_next) - p.tau * (log_next - log_total).sum())
                model = answer.value + float(np.vdot(g, x_next - y)) + B / (A + a)
                if then.value <= model + 1e-10 * abs(model) or eta < 1e-100:
                    break
                eta /= 2
            A, H, z, log_total, x, at_x = A + a, H_next, z_next, log_next, x_next, then.dual
            spread += theta * (blur - spread)  # the mean of h by the weights a
            proven = m * p.tau * np.log(p.n) / A + many * spread / 2
            value = oracle.upper(x, at_x[0])
            yield Iterate(x, at_x[0], answer.dual, a, eta, g, value, float(proven), fresh)
            fresh = m > 1 and ends.gap <= milestone / 2
            if fresh:
                H = logarithm(x)
                z, log_total = mirror(H, p.tau)
                x, A, milestone, spread = z, 0.0, ends.gap, 0.0


EVERY = 10  # iterations the averaged iterate is looked at, or the K of the splitting
SPLITS = 3  # steps of the splitting in an iteration
PENALTY = 0.3  # β in units of ρ/(mean of |K - S|)
GROWTH = 1.5  # of η before each line search, and of the step in α
HALVINGS = 60  # of a step in α at most
SMALLEST_SHARE = 1e-9  # γ is kept above it
TINIEST = 1e-12  # the smoothing ends there, relative to the optimum


def _algorithm(id: str) -> tuple[int, bool]:
    """The number of the algorithm, and whether it is run as printed."""
    name, _, printed = id.removeprefix("kundu2010-").partition("-")
    numbers = {"alg1": 1, "alg2": 2, "alg3": 3, "eq4": 1, "eq6": 2, "eq7": 3}
    if name not in numbers:
        raise InputError("solver", f"a conic solver for {id}", "mirror_descent")
    return numbers[name], bool(printed)
