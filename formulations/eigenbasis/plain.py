r"""The eigenbasis in doubles alone, for many samples: what is proved of it without more bits.

As in `decomposition`, with every norm charged for its rounding. Signs of eigenvalues within φ of
zero are known only by the rank of S modulo a large prime, which is hardly ever wrong, and told.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from cvxkernel.formulations.eigenbasis import Basis
from cvxkernel.formulations.eigenbasis.integers import Exact, likely_nullity
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.rounding import UNIT, few, residual

NEAR, AT_ALL = 1e-9, 1e-6  # U is good enough to do without more bits; and where there are none
MANY = "too many samples for a proof of its eigenvectors"


def basis(S: Array, anyhow: bool) -> Basis | None:
    """U by LAPACK; None where it is not near the exact one, unless `anyhow`."""
    A: Array = (S + S.T) / 2
    lam, U = np.linalg.eigh(A)
    phi, omega = _proved(S, lam, U)
    error = omega + float(np.linalg.norm(_turned(lam, phi)))
    if error <= (AT_ALL if anyhow else NEAR) and (np.abs(lam) > phi).all():
        return Basis(lam, U, error, np.sign(lam), phi)
    return _decided(S, Basis(lam, U, omega, np.sign(lam), phi, MANY)) if anyhow else None


def given(S: Array, U: Array | None) -> Basis:
    """A given U: the eigenvectors, where its own Rayleigh quotients prove it near them; else open.

    Then U decides no more than their order; and where eigenvalues repeat, or are so near to each
    other that doubles cannot tell, nothing is proved of which column belongs to which.
    """
    assert U is not None  # else `basis` has found one
    A: Array = (S + S.T) / 2
    rayleigh = ((A @ U) * U).sum(axis=0)
    order = np.argsort(rayleigh, kind="stable")
    phi, omega = _proved(S, rayleigh, U)
    error = omega + float(np.linalg.norm(_turned(rayleigh[order], phi)))
    if error <= AT_ALL:
        return _decided(S, Basis(rayleigh, U, error, np.sign(rayleigh), phi))
    own, V = np.linalg.eigh(A)
    lam = np.empty_like(own)
    lam[order] = own
    phi, _ = _proved(S, own, V)
    return _decided(S, Basis(lam, U, omega, np.sign(lam), phi, MANY))


def _turned(lam: Array, phi: float) -> Array:
    """How far each vector may be from the exact one, the λ increasing."""
    gaps = np.diff(lam, prepend=-np.inf, append=np.inf)
    apart = np.minimum(gaps[:-1], gaps[1:]) - phi
    if not (apart > phi).all():
        return np.full(len(lam), 2.0)
    turned: Array = np.sqrt(2) * phi / np.maximum(apart, phi)
    return turned * (1 + few(len(lam)))


def _decided(S: Array, found: Basis) -> Basis:
    """Zeros by their number modulo a prime; undecided where that is not how many are small."""
    small = np.abs(found.lam) <= found.off
    if not small.any():
        return found
    if likely_nullity(Exact(S).N) == small.sum():
        why = f"{small.sum()} eigenvalues are zero by a rank modulo one prime"
        lam, sign = np.where(small, 0.0, found.lam), np.where(small, 0.0, found.sign)
        return replace(found, lam=lam, sign=sign, open=found.open or why)
    why = f"the signs of {small.sum()} tiny eigenvalues are not known"
    return replace(found, sign=np.where(small, np.nan, found.sign), open=why)


def _proved(S: Array, lam: Array, U: Array) -> tuple[float, float]:
    r"""φ and ω of A = (S + Sᵀ)/2: UᵀAU - D = Uᵀ(AU - UD) + (UᵀU - I)D and ‖U‖₂ ≤ 1 + ω."""
    n, A = len(lam), (S + S.T) / 2
    more = 1 + few(n)
    E, made = residual(U.T, U, np.eye(n))
    omega = more * (float(np.linalg.norm(E)) + made)
    R, off = residual(A, U, U * lam)
    off += UNIT * more * float(np.linalg.norm(U * lam))
    rest = (1 + omega) * more * (float(np.linalg.norm(R)) + off)
    rest += more * (float(np.linalg.norm(E * lam)) + made * float(np.abs(lam).max()))
    halved = 0.0 if (S == S.T).all() else UNIT  # what rounding (S + Sᵀ)/2 may have moved
    phi = rest + (3 * omega + halved) * more * float(np.linalg.norm(A))
    return (phi, omega) if np.isfinite(phi) and omega <= 0.1 else (np.inf, np.inf)
