r"""What is exact about the spectrum of doubles: ranks, multiplicities, how many are distinct.

S + Sᵀ = N·2ᵉ with an integer matrix N, without rounding. An (r+1)-minor of N is an integer, at most
the product of the r + 1 largest row norms (Hadamard): where the rank is at most r modulo so many
primes that their product is larger, every such minor is zero and the rank is at most r. It is at
least the rank modulo any of them.
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from math import frexp, log2

from flint import fmpz, fmpz_mat, nmod_mat

from cvxkernel.formulations.inputs import Array

MOST_FOR_POLYNOMIAL = 100  # samples: 0.4 s for a characteristic polynomial


class Exact:
    """(S + Sᵀ)/2 = N·2ᵉ⁻¹"""

    def __init__(self, S: Array) -> None:
        self.n = len(S)
        low = min((frexp(x)[1] for row in S.tolist() for x in row if x), default=53) - 53
        rows = [[_integer(x, low) for x in row] for row in S.tolist()]
        self.e = low - 1
        self.N = fmpz_mat([[rows[i][j] + rows[j][i] for j in range(self.n)] for i in range(self.n)])

    @cached_property
    def zeros(self) -> int:
        """How many eigenvalues are zero."""
        return nullity(self.N)

    def multiplicity(self, k: int) -> int:
        """How often k·2ᵉ is an eigenvalue; one that is rational has an integer k."""
        shifted = [
            [x - k if i == j else x for j, x in enumerate(row)]
            for i, row in enumerate(self.N.tolist())
        ]
        return nullity(fmpz_mat(shifted))

    @cached_property
    def distinct(self) -> int | None:
        """How many distinct eigenvalues: the degree of the squarefree part; None if n is large."""
        if self.n > MOST_FOR_POLYNOMIAL:
            return None
        p = self.N.charpoly()
        return int(self.n - p.gcd(p.derivative()).degree())


def _integer(x: float, low: int) -> int:
    """x·2⁻ˡᵒʷ"""
    mantissa, exponent = frexp(x)
    return int(mantissa * 2.0**53) << (exponent - 53 - low) if x else 0


@lru_cache
def _prime(i: int) -> int:
    """The i-th largest prime below 2⁶³."""
    p = _prime(i - 1) - 2 if i else 2**63 - 1
    while not fmpz(p).is_prime():
        p -= 2
    return p


def nullity(N: fmpz_mat) -> int:
    """n - rank N, proved."""
    n = N.nrows()
    squares = [sum(int(x) ** 2 for x in row) for row in N.tolist()]
    norms = sorted((log2(max(s, 1)) / 2 for s in squares), reverse=True)
    rank, bits, used = 0, 0.0, 0
    while rank < n and (not used or bits < 1.001 * sum(norms[: rank + 1]) + 1):
        p = _prime(used)
        rank = max(rank, int(nmod_mat(N, p).rank()))
        bits += log2(p) - 1e-9
        used += 1
    return n - rank


def likely_nullity(N: fmpz_mat) -> int:
    """n - rank N modulo one large prime: not less than the true one, and hardly ever more."""
    return int(N.nrows() - nmod_mat(N, _prime(0)).rank())
