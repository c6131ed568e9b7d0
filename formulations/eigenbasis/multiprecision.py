"""The eigenbasis in as many bits as it takes to decide what has to be decided."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from flint import arb, arb_mat, ctx

from cvxkernel.formulations.eigenbasis.choice import Part, by_samples, chosen
from cvxkernel.formulations.eigenbasis.decomposition import (
    SPARE,
    Proved,
    columns,
    doubles,
    exact,
    orthonormal,
    proved,
    size,
)
from cvxkernel.formulations.eigenbasis.integers import Exact
from cvxkernel.formulations.errors import InputError
from cvxkernel.formulations.inputs import Array

ALWAYS = 60  # samples: beyond, doubles are asked first
MOST = 300  # samples
RESOLVED = 64  # bits by which eigenvalues are apart beyond what is proved: U to the last digit
MOST_BITS = 6144
ROUNDED = 16 * float(np.finfo(np.float64).eps)  # times n and |λ|: what rounding S may tear apart
OFF = 1e-6  # how far a column of a given U may be from its eigenspace
UNTOLD = "are not told apart"
SMALLEST = float(np.finfo(np.float64).tiny)


@dataclass(frozen=True)
class Found:
    """λ in balls, and U: each column of X within its `near` of the exact one."""

    lam: list[arb]
    X: arb_mat
    near: list[arb]
    open: str | None
    decided: bool
    bits: int

    @cached_property
    def U(self) -> arb_mat:
        """In balls."""
        radii = [arb(0, r) for r in self.near]
        with ctx.workprec(self.bits + SPARE):
            return arb_mat([[x + r for x, r in zip(row, radii, strict=True)]
                            for row in self.X.tolist()])  # fmt: skip

    def doubles(self) -> tuple[Array, Array, float, Array, float]:
        """λ, U, how far U may be from the exact one, the signs, and how far λ beyond rounding."""
        lam = np.array([float(x.mid()) for x in self.lam])
        sign = np.array([_sign(x) for x in self.lam])
        lam = np.where(np.abs(sign) == 1, sign * np.maximum(np.abs(lam), SMALLEST), lam)
        U = doubles(self.X)
        near = float(np.sqrt(sum(float(r) ** 2 for r in self.near))) * (1 + 1e-9)
        off = max(float(x.rad()) for x in self.lam) * (1 + 1e-9)
        return lam, U, near + float(np.finfo(float).eps) * float(np.sqrt(len(lam))), sign, off


def _sign(x: arb) -> float:
    return 0.0 if x.is_zero() else 1.0 if x > 0 else -1.0 if x < 0 else np.nan


class Spectrum:
    """What is proved of the eigenvalues of S with so many bits."""

    def __init__(self, S: Array, exactly: Exact, bits: int) -> None:
        self.exactly, self.bits = exactly, bits
        A = exact(S)
        self.A = (A + A.transpose()) / 2
        self.proved: Proved = proved(self.A, orthonormal(self.A.mid()))

    @cached_property
    def runs(self) -> list[list[int]]:
        """Eigenvalues that are not told apart, or not by enough, are in one run."""
        return self.proved.runs(RESOLVED)

    @cached_property
    def rounded(self) -> list[list[int]]:
        """The runs, those of one sign made one where rounding may have taken them apart."""
        D, apart = self.proved.D, ROUNDED * self.exactly.n * max(abs(D) for D in self.proved.D)
        out = [list(self.runs[0])]
        for J in self.runs[1:]:
            I, small = out[-1], set(self.small)
            sign = D[I[-1]] * D[J[0]] > 0 and not small & {*I, *J}
            if sign and D[J[0]] - D[I[-1]] <= apart:
                I += J
            else:
                out.append(list(J))
        return out

    @cached_property
    def small(self) -> list[int]:
        """Those that are not proved to be positive or negative."""
        return [i for i, D in enumerate(self.proved.D) if not abs(D) > self.proved.phi]

    @cached_property
    def signed(self) -> bool:
        """Whether every sign is known: as many are small as are zero."""
        return not self.small or self.exactly.zeros == len(self.small)

    @cached_property
    def parted(self) -> bool:
        """Whether no run has eigenvalues of two signs, zero being one."""
        return self.signed and all(len({_sign(self.lam[j]) for j in J}) == 1 for J in self.runs)

    def zero(self, J: list[int]) -> bool:
        """Whether all of a run are zero."""
        return self.signed and set(J) <= set(self.small)

    def equal(self, J: list[int]) -> bool:
        """Whether all of a run are one eigenvalue, proved."""
        D, phi = self.proved.D, self.proved.phi
        if len(J) == 1 or self.zero(J):
            return True
        if not D[J[-1]] - D[J[0]] <= 2 * phi:
            return False
        k = _nearest(D[J[0]] * arb(2) ** -self.exactly.e)
        here = abs(D[J[0]] - arb(k) * arb(2) ** self.exactly.e) <= phi
        if here and self.exactly.multiplicity(k) == len(J):
            return True
        return self.exactly.distinct == len(self.runs)

    @cached_property
    def told(self) -> bool:
        """Whether every run is one eigenvalue."""
        return all(self.equal(J) for J in self.runs)

    @property
    def lam(self) -> list[arb]:
        """In balls, zeros exact."""
        zeros = set(self.small) if self.signed else set()
        radius = arb(0, self.proved.phi)
        return [arb(0) if i in zeros else D + radius for i, D in enumerate(self.proved.D)]


def _nearest(x: arb) -> int:
    return int((x.mid() + arb(0.5)).floor().unique_fmpz() or 0)


def found(
    S: Array, y: Array, U: Array | None, others: tuple[Array, ...], matter: str, *, bits: int
) -> Found:
    """The eigenbasis of S, to `bits` bits at least."""
    exactly = Exact(S)
    while True:
        with ctx.workprec(bits + SPARE):
            spectrum = Spectrum(S, exactly, bits)
            enough = spectrum.parted if matter == "none" else spectrum.signed and spectrum.told
            if enough or 2 * bits > _most(spectrum):
                if U is not None:
                    return _given(U, spectrum)
                return _own(S, y, others, matter, spectrum)
        bits *= 2


def _most(spectrum: Spectrum) -> int:
    """More bits are no use where nothing exact is known to compare with, and cost much."""
    n = spectrum.exactly.n
    return MOST_BITS if n <= 40 else 1536 if n <= 100 else 384


def _own(S: Array, y: Array, others: tuple[Array, ...], matter: str, spectrum: Spectrum) -> Found:
    """U chosen, in every run of more than one."""
    at, parts, open_, lam = spectrum.proved, [], None, spectrum.lam
    for J in spectrum.runs:
        whole = Part(columns(at.X, J), at.near(J))
        if len(J) == 1 or matter == "none" or (matter == "nonzero" and spectrum.zero(J)):
            parts.append([whole])
            if not spectrum.zero(J):  # any vectors of the run may belong to any of its eigenvalues
                lam[J[0] : J[-1] + 1] = [_hull(lam, J)] * len(J)
            continue
        if not spectrum.equal(J):
            open_ = f"{len(J)} eigenvalues near {float(at.D[J[0]]):.6g} {UNTOLD}"
        parts.append(chosen(S, y, list(others), whole))
        left = max(part.X.ncols() for part in parts[-1])
        if left > 1 and open_ is None:
            open_ = (
                f"the eigenvalue {float(at.D[J[0]]):.6g} repeats and the data do not tell {left} "
                "of its eigenvectors apart: U was chosen"
            )
    if not spectrum.signed and matter != "none":
        open_ = f"the signs of {len(spectrum.small)} tiny eigenvalues are not known"
    if open_ is not None:
        U = np.hstack([_alone(y, part.X) for run in parts for part in run])
        return _taken(U, spectrum, lam, open_)
    X = [row for run in parts for part in run for row in part.X.transpose().tolist()]
    near = [part.near for run in parts for part in run for _ in range(part.X.ncols())]
    return Found(lam, arb_mat(X).transpose(), near, None, spectrum.signed, spectrum.bits)


def _hull(lam: list[arb], J: list[int]) -> arb:
    out = lam[J[0]]
    for j in J[1:]:
        out = out.union(lam[j])
    return out


def _alone(y: Array, X: arb_mat) -> Array:
    return doubles(X) if X.ncols() == 1 else by_samples(y, doubles(X))


def _given(U: Array, spectrum: Spectrum) -> Found:
    r"""The eigenbasis nearest to U: a column decides nothing that the spectrum has decided.

    Each column lies in one eigenspace but for `OFF` at most, and each eigenspace has as many as its
    multiplicity, proved; what is meant is the orthonormal basis nearest to them inside it. With B
    an orthonormal basis of it, ‖X - B‖₂ ≤ ν for the columns X of a run and W those of U, it is BP,
    P the orthonormal factor of BᵀW. M = XᵀW is within ε = ν‖W‖_F of BᵀW, and where no singular
    value of either is below 0.89 their factors are within 1.2ε (Li 1995).
    """
    at, W, own = spectrum.proved, exact(U), spectrum.lam
    lam, X, near = [arb(0)] * len(U), [[arb(0)]] * len(U), [arb(0)] * len(U)
    try:
        belonging = _belonging(W, spectrum, spectrum.runs)
    except InputError:
        return _mixed(U, spectrum)
    for J, mine in zip(spectrum.runs, belonging, strict=True):
        B, nu, part = columns(at.X, J), at.near(J), columns(W, mine)
        product = B.transpose() * part
        M = product.mid()
        epsilon = (nu * size(part) + size(product - M)).upper()
        if not (size(M.transpose() * M - _identity(len(J))) < 0.1 and epsilon < 0.05):
            raise _refused("columns that are not told apart")
        P, off = _orthonormal_factor(M, spectrum.bits)
        BP = B * P
        turned = (nu + (1 + nu) * (off + 1.2 * epsilon) + size(BP - BP.mid())).upper()
        for i, vector in zip(mine, BP.mid().transpose().tolist(), strict=True):
            lam[i], X[i], near[i] = _hull(own, J), vector, turned
    return Found(lam, arb_mat(X).transpose(), near, _untold(spectrum), spectrum.signed,
                 spectrum.bits)  # fmt: skip


def _mixed(U: Array, spectrum: Spectrum) -> Found:
    """U as it is, where its columns mix only eigenvectors that the rounding of S has told apart.

    Four equal eigenvalues of a matrix that is then rounded to doubles are four, 1e-16 from each
    other, with eigenvectors that mean nothing. Nothing is proved of a U that is others.
    """
    own, lam = spectrum.lam, [arb(0)] * len(U)
    near = spectrum.rounded
    widest = arb(0)
    for J, mine in zip(near, _belonging(exact(U), spectrum, near), strict=True):
        hull = _hull(own, J)
        widest = widest.max(hull.rad())
        for i in mine:
            lam[i] = hull
    what = f"U mixes eigenvectors of eigenvalues {float(2 * widest):.1e} apart, as by rounding"
    return _taken(U, spectrum, lam, what)


def _belonging(W: arb_mat, spectrum: Spectrum, runs: list[list[int]]) -> list[list[int]]:
    """The columns of W that lie in the invariant subspace of each run."""
    at = spectrum.proved
    parts = [(columns(at.X, J), at.near(J)) for J in runs]
    found: list[list[int]] = [[] for _ in parts]
    along = [(X.transpose() * W).transpose().tolist() for X, _ in parts]
    for i in range(W.ncols()):
        w = columns(W, [i])
        best = max(range(len(parts)), key=lambda r: sum(float(x.mid()) ** 2 for x in along[r][i]))
        X, near = parts[best]
        rest = size(w - X * arb_mat([along[best][i]]).transpose()) + 2.2 * near * size(w)
        if not rest < OFF:
            far = float(rest.mid()) if rest.is_finite() else 1.0
            raise _refused(f"column {i} of it outside every eigenspace by {far:.1e}")
        found[best].append(i)
    for J, mine in zip(runs, found, strict=True):
        if len(mine) != len(J):
            where = f"{float(at.D[J[0]]):.6g}, {len(J)} times an eigenvalue"
            raise _refused(f"{len(mine)} for {where}")
    return found


def _refused(came: str) -> InputError:
    return InputError("U", f"eigenvectors of S in its columns, to {OFF:g}", came)


def _untold(spectrum: Spectrum) -> str | None:
    """What is not known of the eigenvalues, in words."""
    if not spectrum.signed:
        return f"the signs of {len(spectrum.small)} tiny eigenvalues are not known"
    for J in spectrum.runs:
        if not spectrum.equal(J):
            return f"{len(J)} eigenvalues near {float(spectrum.proved.D[J[0]]):.6g} {UNTOLD}"
    return None


def _taken(U: Array, spectrum: Spectrum, lam: list[arb], open_: str | None) -> Found:
    """The orthonormal matrix nearest to U."""
    X, near = _orthonormal_factor(exact(U), spectrum.bits)
    return Found(lam, X, [near] * len(U), open_, spectrum.signed, spectrum.bits)


def _orthonormal_factor(given: arb_mat, bits: int) -> tuple[arb_mat, arb]:
    r"""An X, and how far it is at most from the orthonormal matrix Q nearest to the one given.

    X ← X(3I - XᵀX)/2 tends to it. For any X with ‖XᵀX - I‖_F ≤ ω ≤ 0.1 and H the symmetric part of
    XᵀU, X's own nearest Q' is that of Q'H, and with ‖U - XH‖_F ≤ τ it is within 1.2(τ + 1.2ω) of Q.
    """
    X, identity = given, _identity(given.ncols())
    for _ in range(8 + bits.bit_length()):
        R = X.transpose() * X
        if not size(R - identity).mid() > arb(2) ** -bits:
            break
        X = (X * (3 * identity - R) / 2).mid()
    omega = size(X.transpose() * X - identity)
    H = X.transpose() * given
    tau = size(given - X * ((H + H.transpose()) / 2))
    return X, (1.2 * (tau + 1.2 * omega) + omega).upper()


def _identity(n: int) -> arb_mat:
    return arb_mat([[int(i == j) for j in range(n)] for i in range(n)])
