r"""The eigenbasis of a similarity: part of the problem, where a program is written in it.

The doubles of S, made (S + Sᵀ)/2, are exact numbers with exact eigenvalues λ₁ ≤ … ≤ λₙ. Which of
them are zero, negative or equal is proved (`integers`, `decomposition`) and never a matter of a
threshold; as many bits are taken as that needs. Where an eigenvalue repeats the basis is not
determined by S. Either the problem carries one, `U`, and what is meant is, inside each eigenspace,
the orthonormal basis nearest to the columns of U that lie there: where an eigenvalue is simple U
decides no more than the order. Or it is chosen so that it follows the samples (`choice`). Where
that is not possible, something could not be proved, or a given U mixes eigenvectors that only the
rounding of S tells apart, `open` says so, and then nothing that depends on the basis is called
proved: what is meant then is the orthonormal matrix nearest to the U that was chosen.

The signs of the columns never matter: a program sees uᵢuᵢᵀ, or uᵢzᵢ with zᵢ free in sign.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from cvxkernel.formulations.errors import InputError, ShapeError
from cvxkernel.formulations.inputs import Array, array

if TYPE_CHECKING:
    from flint import arb, arb_mat

    from cvxkernel.formulations.eigenbasis import multiprecision

BITS = 192
MATTER = ("all", "nonzero", "none")  # the eigenvalues whose vectors have to be chosen
SAME = 1e-6  # columns that agree to this are one eigenvector
ORTHONORMAL, EIGEN = 1e-8, 1e-8  # how far a given U may be from both, relative

Source = tuple[Array, Array, Array | None, tuple[Array, ...], str]  # S, y, U, others, matter


@dataclass(frozen=True)
class Basis:
    """S = U diag(λ)Uᵀ in doubles.

    lam    increasing, or in the order of a given U
    U      within `error` of the exact basis in the spectral norm
    sign   of every exact eigenvalue: 1, 0 or -1, nan where it is not known
    off    how far λ may be from the exact one, beyond its last digit; not at all where it is zero
    open   what is not determined or not proved, in words; None where everything is
    """

    lam: Array
    U: Array
    error: float
    sign: Array
    off: float = 0.0
    open: str | None = None
    source: Source | None = field(default=None, repr=False)

    @property
    def decided(self) -> bool:
        """Whether every sign is known."""
        return bool(np.isfinite(self.sign).all())

    def scaled(self, factor: float) -> Basis:
        """That of factor·S, a power of two."""
        return replace(self, lam=self.lam * factor, off=self.off * factor, source=None)

    def enclosed(self, bits: int) -> tuple[list[arb], arb_mat] | None:
        """λ and U in balls, zeros exact; None where n is too large for that."""
        from cvxkernel.formulations.eigenbasis import multiprecision

        if self.source is None or len(self.lam) > multiprecision.MOST:
            return None
        found = _exactly(self.source, max(bits, BITS))
        return (found.lam, found.U) if found.decided else None


def basis(
    S: Array,
    y: Array,
    *,
    U: Array | None = None,
    others: tuple[Array, ...] = (),
    matter: str = "all",
) -> Basis:
    """That of S, for samples with labels y: chosen for the eigenvalues that `matter`.

    Where those of zero do not, or none, their vectors are any orthonormal basis of the eigenspace.
    """
    return _basis(*_keys((S, y, U, others, matter)))


def checked(U: object, S: Array, key: str = "U") -> Array:
    """A given U: orthonormal and nearly an eigenbasis of S; read-only.

    Which column belongs to which eigenvalue is proved where the basis is made, or refused there.
    """
    given = array(key, U)
    n = len(S)
    if given.shape != (n, n):
        raise ShapeError(key, f"shape ({n}, {n}), that of S", f"shape {given.shape}")
    defect = float(np.abs(given.T @ given - np.eye(n)).max())
    if not defect <= ORTHONORMAL:
        raise InputError(key, "orthonormal columns", f"UᵀU off the identity by {defect:.1e}")
    size = float(np.abs(S).max()) or 1.0
    turned = given.T @ ((S + S.T) / (2 * size)) @ given
    rest = float(np.abs(turned - np.diag(turned.diagonal())).max())
    if not rest <= EIGEN:
        came = f"UᵀSU off a diagonal matrix by {rest:.1e} of its largest entry"
        raise InputError(key, "eigenvectors of S in its columns", came)
    given.flags.writeable = False
    return given


def matched(own: Array, other: Array) -> tuple[Array, Array]:
    """Order and signs with which the columns of another eigenbasis are those of `own`."""
    G = own.T @ other
    order = np.abs(G).argmax(axis=1)
    along = G[np.arange(len(G)), order]
    if not (np.abs(along) > 1 - SAME).all() or len(set(order.tolist())) < len(order):
        expected = "the eigenbasis of the problem, up to signs and order"
        raise InputError("U", expected, "another one: eigenvalues repeat")
    return order, np.sign(along)


# -- Made once for the same numbers ----------------------------------------------------------------

Keys = tuple[int, bytes, bytes, bytes | None, tuple[bytes, ...], str]


def _keys(source: Source) -> Keys:
    S, y, U, others, matter = source
    given = None if U is None else np.ascontiguousarray(U).tobytes()
    rest = tuple(np.ascontiguousarray(T).tobytes() for T in others)
    return len(S), np.ascontiguousarray(S).tobytes(), y.tobytes(), given, rest, matter


def _source(n: int, S: bytes, y: bytes, U: bytes | None, others: tuple[bytes, ...],
            matter: str) -> Source:  # fmt: skip
    def matrix(data: bytes) -> Array:
        return np.frombuffer(data).reshape(n, n)

    given = None if U is None else matrix(U)
    return matrix(S), np.frombuffer(y), given, tuple(map(matrix, others)), matter


@lru_cache(maxsize=32)
def _basis(*keys: object) -> Basis:
    from cvxkernel.formulations.eigenbasis import multiprecision, plain

    source = _source(*keys)  # type: ignore[arg-type]
    S, _, U, _, _ = source
    n = len(S)
    if n > multiprecision.ALWAYS and U is None:
        quick = plain.basis(S, n > multiprecision.MOST)
        if quick is not None:
            return replace(quick, source=source)
    if n > multiprecision.MOST:
        return replace(plain.given(S, U), source=source)
    found = _exactly(source, BITS)
    lam, U, error, sign, off = found.doubles()
    return Basis(lam, U, error, sign, off, found.open, source)


def _exactly(source: Source, bits: int) -> multiprecision.Found:
    return _found(bits, *_keys(source))


@lru_cache(maxsize=16)
def _found(bits: int, *keys: object) -> multiprecision.Found:
    from cvxkernel.formulations.eigenbasis import multiprecision

    return multiprecision.found(*_source(*keys), bits=bits)  # type: ignore[arg-type]


__all__ = ["Basis", "basis", "checked", "matched"]
