"""Points of the spectahedron, objectives there with both ends, and descents with one fault each."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, product

import numpy as np

from cvxkernel.formulations import svm
from cvxkernel.formulations.arithmetic import DOUBLES
from cvxkernel.formulations.enclosure import Enclosure
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kundu2010.bounds import composed
from cvxkernel.solvers import MirrorDescent
from cvxkernel.solvers.mirror_descent import (
    ALGORITHMS,
    Algorithm,
    Linearization,
    logarithm,
    mirror,
    printed_step,
)
from cvxkernel.validation.chen2009.samples import similarity
from cvxkernel.validation.ledger.claim import Finding, about, at_most, not_above
from cvxkernel.validation.ledger.shared import KINDS, optimum, problem

IDS = {1: "kundu2010-eq4", 2: "kundu2010-eq6", 3: "kundu2010-eq7"}


def oracles(number: int, seed: int) -> Iterator[tuple[str, Algorithm]]:
    """(4), (6) or (7) of every kind; the kind changes the loss."""
    for kind in KINDS:
        yield kind, ALGORITHMS[number](problem(IDS[number], kind, seed))


def some_point(oracle: Algorithm, rng: np.random.Generator) -> Array:
    """A point inside 𝒦, 𝒦ᵐ or 𝒳ᵐ."""
    H = 0.2 * rng.normal(size=oracle.origin().shape)
    H = H if H.ndim == 2 else H + H.transpose(0, 2, 1)
    return mirror(H, oracle.problem.tau)[0]


def ends(oracle: Algorithm, x: Array) -> tuple[Enclosure, Linearization]:
    """f, F or g at x between two numbers, and what the oracle says there."""
    found = oracle.ask(x)
    bounds, alpha = oracle.bounds, found.dual[0]
    made = bounds.repaired(DOUBLES.exact(x))
    feasible = [one.feasible for one in made]
    low = bounds.omega(feasible).value(svm.feasible(DOUBLES, alpha, bounds.y, bounds.C))
    low += bounds.cost(feasible)
    high = bounds.values(made, [DOUBLES.exact(alpha)])[0]
    return DOUBLES.enclosure(low, low, high, {}), found


def below(at: Enclosure, g: Array, x: Array, other: Enclosure, z: Array, told: str) -> Finding:
    """f(x) + ⟨g, z - x⟩ ≤ f(z)"""
    rise = DOUBLES.inner(DOUBLES.exact(g), DOUBLES.exact(z) - x)
    low, high = rise + at.lower, rise + at.upper
    moved = DOUBLES.enclosure(rise + at.value, low, high, {})
    numbers = {"f(x) + ⟨g, z - x⟩": moved.value, "f(z)": other.value}
    return not_above(moved, other, instance=told, numbers=numbers)


def entropy_gap(K: Array, other: Array) -> float:
    """B(K, K′) = trace K(log K - log K′), summed over a stack of equal traces."""
    if K.ndim == 2:
        return float((K * (np.log(K) - np.log(other))).sum())
    lam = np.maximum(np.linalg.eigvalsh(K), np.finfo(float).tiny)
    return float((lam * np.log(lam)).sum() - (K * logarithm(other)).sum())


def mildest(findings: list[Finding]) -> Finding:
    """The one nearest to holding: where it fails, all do."""
    return min(findings, key=lambda found: found.margin)


# -- Rates ----------------------------------------------------------------------------------------


def promised(m: int, n: int, tau: float, lip: float, T: int) -> Array:
    """mτLip√(2 log n/t) for t = 1, …, T"""
    promise: Array = m * tau * lip * np.sqrt(2 * np.log(n) / np.arange(1, T + 1))
    return promise


def kept(values: Array, best: float, promise: Array, instance: str) -> Finding:
    """Whether the best of t iterations is within the bound at every t."""
    gap = np.minimum.accumulate(values) - best
    t = int(np.argmax(gap / promise))
    numbers = {"T": t + 1, "best f - f*": gap[t], "bound": promise[t]}
    return at_most(gap[t], promise[t], n=9, **about(instance, numbers))


def true_runs(number: int, seed: int, T: int = 25) -> Iterator[Finding]:
    """Algorithm 1, 2 or 3 with ρ, the mirror step and the step of (15): every kind.

    For Lip the largest subgradient so far is taken, as the bounds ask.
    """
    for kind, oracle in oracles(number, seed):
        p = oracle.problem
        its = list(islice(MirrorDescent(step="proof").iterates(oracle), T))
        lip = np.maximum.accumulate([oracle.sizes(it.gradient).max() for it in its])
        promise = promised(oracle.blocks, p.n, p.tau, 1.0, T) * lip
        best = optimum(IDS[number], kind, seed)
        yield kept(np.array([it.value for it in its]), best.lower, promise, kind)


def clipped(n: int, kind: str) -> Array:
    """A similarity with its negative eigenvalues cut, of trace n: with τ = n its own best kernel.

    Its eigenvectors are not those of I, and the loss alone has the optimum zero.
    """
    S, _ = similarity(n, kind=kind, seed=0)
    lam, V = np.linalg.eigh(S)
    lam = np.maximum(lam, 0.0)
    K: Array = composed(lam * (n / lam.sum()), V)
    return K


def descend(
    S: Array,
    tau: float,
    T: int,
    *,
    loss: str = "L2",
    rho: float = 1.0,
    with_rho: bool = True,
    over: int = 1,
    printed: bool = False,
) -> Array:
    """ρL(Kᵢ⁽ᵗ⁾ - Sᵢ), t = 1, …, T, for each block: what (4), (6) and (7) are as C → 0.

    Ω ≤ nC, and its subgradient is of the size of C²: with C = 1e-9 neither is seen in the digits.
    Blocks are (k, n, n), or (k, n) in the eigenbasis of Sᵢ, where all commutes. with_rho: whether
    ρ multiplies L′ᵢ; over: the m in ηₜ = √(2 log n/(mt))/Lip; printed: the last two lines of
    Algorithms 1 and 2. sign 0 = 1 in the subgradient of L1.
    """
    n, axes = S.shape[-1], tuple(range(1, S.ndim))
    lip = rho * (n if loss == "L1" else 1)
    H, lam, x = np.zeros_like(S), np.full(S.shape[:2], tau / n), mirror(np.zeros_like(S), tau)[0]
    values = np.empty((T, len(S)))
    for t in range(1, T + 1):
        X = x - S
        if loss == "L1":
            size, g = np.abs(X).sum(axis=axes), np.where(X >= 0, 1.0, -1.0)
        else:
            size = np.sqrt((X * X).sum(axis=axes))
            g = X / np.maximum(size, np.finfo(float).tiny).reshape(-1, *[1] * len(axes))
        values[t - 1] = rho * size
        eta = np.sqrt(2 * np.log(n) / (over * t)) / lip * (rho if with_rho else 1.0)
        if printed:
            lam, x = printed_step(lam, g, eta, tau)
        else:
            H = H - eta * g
            x = mirror(H, tau)[0]
    return values


# -- What commutes with a subgradient -------------------------------------------------------------

# As in `clipped`: a kernel of trace 3, without a zero.
PLAIN = np.array([[1.0, 0.6, 0.2], [0.6, 0.8, -0.3], [0.2, -0.3, 1.2]])


def signs(n: int) -> Array:
    """All symmetric matrices of ±1: the subgradients of ΣΣ|Kⱼₖ - Sⱼₖ|."""
    upper = np.triu_indices(n)
    entries = np.array(list(product((-1.0, 1.0), repeat=len(upper[0]))))
    G = np.zeros((len(entries), n, n))
    G[:, upper[0], upper[1]] = G[:, upper[1], upper[0]] = entries
    return G


def apart(S: Array, G: Array) -> float:
    """The least ‖K - S‖_F over all K that commute with one of the G.

    Those are the K = V diag(·)Vᵀ in any eigenbasis V of G, with any eigenvalues in any order; the
    nearest to S keeps what VᵀSV has within the eigenspaces of G.
    """
    d, V = np.linalg.eigh(G)
    rest = V.transpose(0, 2, 1) @ S @ V
    rest[np.abs(d[:, :, None] - d[:, None, :]) < 1e-9] = 0.0
    return float(np.sqrt((rest**2).sum(axis=(1, 2))).min())
