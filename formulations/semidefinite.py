r"""What a kernel means that is not quite positive semidefinite: the nearest matrix that is.

A Gram matrix that was written with nine digits, or in single precision, has eigenvalues somewhat
below zero, and it may differ from its transpose in the last digits. The programs are of kernels:
where K has an eigenvalue below zero a primal is unbounded and a dual not concave. So in every
formulation a kernel K that came stands for

    K₊,  the matrix ⪰ 0 nearest to (K + Kᵀ)/2 in the Frobenius norm:  U max(Λ, 0) Uᵀ

which is K itself where K is a kernel. Both ends of every enclosure are of the program with K₊.

A problem holds doubles near K₊, and `slack` is how near: ‖K - K₊‖₂ ≤ slack. They are K as it came
where one Cholesky factorization shows it semidefinite to rounding, and else they are composed
from its eigenvectors. For K = VDVᵀ + R, D diagonal, and ω = ‖VᵀV - I‖_F < 1,

    ‖VD₊Vᵀ - K₊‖_F ≤ ‖R‖_F + 2(2 + ω)/(2 - ω)·‖(VᵀV - I)D‖_F

since projecting is nonexpansive in the Frobenius norm, and for the orthonormal U with V = UH,
H = (VᵀV)^½, H - I = (H + I)⁻¹(VᵀV - I): VDVᵀ - UDUᵀ is HDH - D = (H - I)DH + D(H - I) in U, and
so it is with D₊; and (UDUᵀ)₊ = UD₊Uᵀ.

Each norm is charged for its rounding: an inner product of n terms is off by at most γₙ = nu/(1-nu)
times that of the absolute values, but for the residuals, whose leading bits are exact. A Cholesky
factorization of A that runs to its end shows A ⪰ -γₙ₊₁/(1-γₙ₊₁)·trace(A)·I (Rump 2006), and with
its residual E = A - LLᵀ known A ⪰ -‖E‖·I.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any, NamedTuple
from weakref import ref

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cholesky, eigh

from cvxkernel.formulations.memory import per_array
from cvxkernel.formulations.rounding import UNIT, few, gamma, residual

Array = NDArray[np.float64]

INDEFINITE = 2.0**-24  # relative to the largest eigenvalue: as much as single precision leaves
MIDDLE = 512  # up to this n the residual of a factor is worth three products


class Nearest(NamedTuple):
    """Doubles K with ‖K - K₊‖₂ ≤ slack; `least` is the eigenvalue below zero that had to go."""

    K: Array
    slack: float
    least: float = 0.0  # relative to the largest; zero where K is held as it came


class NotNearError(ValueError):
    """No rounding of a kernel: the smallest and the largest eigenvalue."""

    def __init__(self, least: float, largest: float) -> None:
        super().__init__(f"smallest eigenvalue {least:.3g}, largest {largest:.3g}")
        self.least = least


def nearest(came: Array) -> Nearest:
    """Doubles near K₊, for one matrix as it came; NotNearError where that would be far away."""
    n = len(came)
    symmetric = bool((came == came.T).all())
    K: Array = came if symmetric else (came + came.T) / 2
    halved = 0.0 if symmetric else 2 * UNIT * float(np.linalg.norm(K))
    open_ = 2 * gamma(n + 2) * max(float(np.trace(K)), 0.0)  # what a factorization leaves open
    if factor(K, -open_) is not None:
        return Nearest(K, halved)
    if factor(K, open_) is not None:
        return Nearest(K, min(2 * open_, _below(K) if n <= MIDDLE else np.inf) + halved)
    d, V = eigh(K, check_finite=False)
    if d[0] < -INDEFINITE * max(float(d[-1]), 0.0):
        raise NotNearError(float(d[0]), float(d[-1]))
    plus, slack = _composed(K, d, V)
    least = float(d[0]) / float(d[-1]) if d[-1] > 0 else 0.0
    return Nearest(plus, slack + halved, min(least, 0.0))


def _composed(K: Array, d: Array, V: Array) -> tuple[Array, float]:
    """VD₊Vᵀ in doubles, and how far it may be from K₊."""
    n, above = len(d), np.maximum(d, 0.0)
    gram, made = residual(V.T, V, np.eye(n))
    omega, defect = _norm(gram) + made, _norm(gram * d) + made * float(np.abs(d).max())
    plus = (V * above) @ V.T
    plus = (plus + plus.T) / 2
    slack = 2 * (2 + omega) / (2 - omega) * defect if omega < 1 else np.inf
    for lam, of in ((d, K), (above, plus)):
        rest, off = residual(V * lam, V.T, of)
        slack += _norm(rest) + off + UNIT * (1 + omega) * _norm(V * lam)
    return plus, slack * (1 + few(n))


def _norm(A: Array) -> float:
    """‖A‖_F, to a rounding of sums of n terms, twice."""
    return float(np.sqrt((A * A).sum(axis=1).sum()))


def _below(K: Array) -> float:
    """How far below zero an eigenvalue may be: K + δI = LLᵀ + E with a small δ shows δ + ‖E‖."""
    for shift in (x * UNIT * float(np.trace(K)) for x in (4, 64)):
        L = factor(K, shift)
        if L is not None:
            moved = K + shift * np.eye(len(K))
            E, off = residual(L, L.T, moved)
            off += 2 * UNIT * float(moved.diagonal().max())
            return (shift + float(np.linalg.norm(E)) + off) * (1 + few(len(K)))
    return float(np.inf)


def factor(K: Array, shift: float) -> Array | None:
    """A Cholesky factor of K + shift·I in doubles, where there is one."""
    moved = K.copy()
    moved.flat[:: len(K) + 1] += shift
    try:
        L: Array = cholesky(moved, lower=True, overwrite_a=True, check_finite=False)
    except LinAlgError:
        return None
    return L if np.isfinite(L.diagonal()).all() else None  # not every LAPACK stops at a NaN


@per_array
def exactly(S: Array) -> bool:
    """Whether S ⪰ 0, to the last bit: by elimination in integers where doubles cannot tell.

    Bareiss' elimination keeps the pivots integers, the leading minors of S. S ⪰ 0 where every pivot
    is positive, or zero with nothing but zeros in its row.
    """
    if not (S == S.T).all() or (S.diagonal() < 0).any():
        return False
    if factor(S, -2 * gamma(len(S) + 2) * float(np.trace(S))) is not None:
        return True
    v = eigh(S, subset_by_index=[0, 0], check_finite=False)[1][:, 0]
    if float(v @ S @ v) < -gamma(2 * len(S) + 2) * float(np.abs(v) @ np.abs(S) @ np.abs(v)):
        return False
    A, before = _integers(S), 1
    while A:
        (pivot, *row), A = A[0], [line[1:] for line in A[1:]]
        if pivot < 0 or (pivot == 0 and any(row)):
            return False
        if pivot:
            A = [
                [
                    (pivot * entry - left * right) // before
                    for entry, right in zip(line, row, strict=True)
                ]
                for line, left in zip(A, row, strict=True)
            ]
            before = pivot
    return True


def _integers(S: Array) -> list[list[int]]:
    """S times the power of two that makes every double in it an integer."""
    ratios = [[entry.as_integer_ratio() for entry in row] for row in S.tolist()]
    common = max(bottom for row in ratios for _, bottom in row)
    return [[top * (common // bottom) for top, bottom in row] for row in ratios]


# -- The matrices that problems hold ---------------------------------------------------------------


class Held(NamedTuple):
    """What is known of a matrix, or of a stack of them, that a problem holds."""

    came: Array  # as it came
    slack: Array  # of each matrix: ‖K - K₊‖₂ ≤ slack
    least: Array  # of each matrix: the eigenvalue that had to go, relative; zero if as it came


# By id, for as long as the array lives: what it was before, where that is another array.
_HELD: dict[int, tuple[ref[Array], Array | None, Array, Array]] = {}


def hold(came: Array) -> Array:
    """A matrix (n, n) or a stack (p, n, n) as problems hold it, read-only: doubles near the Kᵢ₊.

    What is held already is returned as it is. NotNearError has the index of the matrix in `args`.
    """
    if held(came) is not None:
        return came
    out = came  # copied once a matrix of it is held as another
    slack, least = np.empty(came.shape[:-2]), np.empty(came.shape[:-2])
    for i in np.ndindex(came.shape[:-2]):
        try:
            K, slack[i], least[i] = nearest(came[i])
        except NotNearError as error:
            error.args = (*error.args, *i)
            raise
        if not np.array_equal(K, came[i]):
            out = came.copy() if out is came else out
            out[i] = K
    out.flags.writeable = came.flags.writeable = False
    key, every = id(out), _HELD  # a global is gone when the interpreter ends
    before = None if out is came else came
    _HELD[key] = ref(out, lambda _: every.pop(key, None)), before, slack, least
    return out


def held(K: Array) -> Held | None:
    """What is known of an array that `hold` returned; None of any other."""
    known = _HELD.get(id(K))
    if known is None or known[0]() is not K:
        return None
    _, before, slack, least = known
    return Held(K if before is None else before, slack, least)


def notes(problem: Any) -> tuple[str, ...]:
    """What had to go from the kernels of a problem, a line for each; empty where nothing had."""
    told = []
    for field in fields(problem):
        K = getattr(problem, field.name)
        known = held(K) if isinstance(K, np.ndarray) else None
        for i in np.argwhere(known.least < 0) if known is not None else ():
            name = field.name + "".join(f"[{x}]" for x in i)
            least = f"smallest eigenvalue {known.least[tuple(i)]:.1e} (relative)"  # type: ignore[union-attr]
            told.append(f"{name}: {least}; the nearest positive semidefinite matrix is meant")
    return tuple(told)


def slack(K: Array) -> Array:
    """‖K - K₊‖₂ at most, for each matrix; of an array that no problem holds, as it stands."""
    known = held(K)
    return _slack(K) if known is None else known.slack


@per_array
def _slack(K: Array) -> Array:
    return np.array([_distance(K[i]) for i in np.ndindex(K.shape[:-2])]).reshape(K.shape[:-2])


def _distance(K: Array) -> float:
    """‖K - K₊‖₂ at most: that of the doubles near K₊, and theirs from K."""
    near, off, _ = nearest(K)
    return off if near is K else off + _norm(near - K) * (1 + 4 * len(K) ** 2 * UNIT)
