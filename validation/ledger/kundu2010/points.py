"""Points of the spectahedron, objectives there with both ends, and small problems for a rate."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import numpy as np

from cvxkernel.formulations.enclosure import Enclosure, rounding
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kundu2010 import Similarities, Spectra, bounds
from cvxkernel.solvers import MirrorDescent
from cvxkernel.solvers.mirror_descent import Answer, Iterate, Oracle, logarithm, mirror
from cvxkernel.validation.ledger.claim import Finding, not_above
from cvxkernel.validation.ledger.shared import KINDS, problem

IDS = {1: "kundu2010-eq4", 2: "kundu2010-eq6", 3: "kundu2010-eq7"}


def oracles(number: int, seed: int) -> Iterator[tuple[str, Oracle]]:
    """(4), (6) or (7) of every kind; the kind changes the loss."""
    for kind in KINDS:
        yield kind, Oracle(number, problem(IDS[number], kind, seed))


def some_point(oracle: Oracle, rng: np.random.Generator) -> Array:
    """A point inside 𝒦, 𝒦ᵐ or 𝒳ᵐ."""
    H = 0.2 * rng.normal(size=oracle.origin().shape)
    H = H if H.ndim == 2 else H + H.transpose(0, 2, 1)
    return mirror(H, oracle.problem.tau)[0]


def ends(oracle: Oracle, x: Array) -> tuple[Enclosure, Answer]:
    """f, F or g at x between two numbers, and what the oracle says there."""
    found = oracle.ask(x)
    p, alpha = oracle.problem, found.dual[0]
    M = bounds.signed(p.y, oracle.kernels(x))
    low, down = bounds.omega_value(M, alpha)
    if isinstance(p, Similarities):
        rest = bounds.loss(p, x)[0]
    else:
        rest = p.rho * float(np.sqrt(((x - p.lam) ** 2).sum(axis=1)).sum())
    slack = down + rounding(p.n**2, 2 * rest)
    high = min(sum(bounds.omega_upper(M, p.y, p.C, alpha)) + rest, oracle.upper(x, alpha))
    return Enclosure(low + rest, low + rest - slack, high + slack, {}), found


def below(at: Enclosure, g: Array, x: Array, other: Enclosure, z: Array, told: str) -> Finding:
    """f(x) + ⟨g, z - x⟩ ≤ f(z)"""
    rise = float(np.vdot(g, z - x))
    slack = rounding(x.size, float(np.vdot(np.abs(g), np.abs(z - x))))
    moved = Enclosure(at.value + rise, at.lower + rise - slack, at.upper + rise + slack, {})
    numbers = {"f(x) + ⟨g, z - x⟩": moved.value, "f(z)": other.value}
    return not_above(moved, other, instance=told, numbers=numbers)


def entropy_gap(K: Array, other: Array) -> float:
    """B(K, K′) = trace K(log K - log K′), summed over a stack of equal traces."""
    if K.ndim == 2:
        return float((K * (np.log(K) - np.log(other))).sum())
    lam = np.maximum(np.linalg.eigvalsh(K), np.finfo(float).tiny)
    return float((lam * np.log(lam)).sum() - (K * logarithm(other)).sum())


# -- Small problems whose optimum is nearly explicit ----------------------------------------------


def small(number: int) -> Oracle:
    """C = 1/1000, so that the loss is nearly all; L2, n = τ = 3.

    Algorithm 1: S = diag(½, 1, 3/2), a kernel of trace τ, and ρ = 1: the optimum is below nC. The
    others: two similarities τe₁e₁ᵀ and τe₂e₂ᵀ with ρ = 100.
    """
    y = np.array([1, -1, 1])
    if number == 1:
        return Oracle(1, Similarities(np.diag([0.5, 1.0, 1.5])[None], y, 1e-3, 1.0, 3.0, "L2"))
    S = np.stack([np.diag([3.0, 0.0, 0.0]), np.diag([0.0, 3.0, 0.0])])
    if number == 2:
        return Oracle(2, Similarities(S, y, 1e-3, 100.0, 3.0, "L2"))
    return Oracle(3, Spectra(S, y, 1e-3, 100.0, 3.0))


class Stated(Oracle):
    """Sizes of subgradients for a run of (12) without its ρ: Lip(F) is about ρ times the size.

    Theorem 3.2 and Proposition 3.2 ask for a Lipschitz constant of F, not for the size of what is
    printed for its subgradient.
    """

    def sizes(self, g: Array) -> Array:
        """ρ‖gᵢ‖"""
        return self.problem.rho * super().sizes(g)


def run(oracle: Oracle, T: int, *, printed: bool) -> tuple[list[Iterate], Array]:
    """T iterations of the algorithm with the paper's steps; and mτLip√(2 log n/T) at each T.

    For Lip the largest subgradient so far is taken.
    """
    p = oracle.problem
    if printed and oracle.number > 1:
        oracle = Stated(oracle.number, p)
    its = list(islice(MirrorDescent(step="paper").iterates(oracle, printed=printed), T))
    lip = np.maximum.accumulate([oracle.sizes(it.gradient).max() for it in its])
    bound: Array = oracle.blocks * p.tau * lip
    return its, bound * np.sqrt(2 * np.log(p.n) / np.arange(1, T + 1))
