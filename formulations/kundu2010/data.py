"""The checked data of Kundu et al. (2010): several similarities, or several kernels."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import numpy as np

from cvxkernel.formulations import eigenbasis, inputs
from cvxkernel.formulations.errors import InputError
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kernels import factor
from cvxkernel.formulations.kundu2010 import losses
from cvxkernel.formulations.problem import Labelled, Problem


@dataclass(frozen=True, eq=False, repr=False)
class SimilarityData(Problem):
    """Similarities S (m, n, n), labels y (n,) of ±1, C > 0, ρ ≥ 0 and τ > 0."""

    S: Array
    y: Array
    C: float
    rho: float
    tau: float

    def __post_init__(self) -> None:
        S = inputs.similarities("S", self.S)
        object.__setattr__(self, "S", S)
        object.__setattr__(self, "y", inputs.labels("y", self.y, S.shape[1]))
        inputs.check_signs("y", self.y)
        object.__setattr__(self, "C", inputs.positive("C", self.C))
        object.__setattr__(self, "rho", inputs.nonnegative("rho", self.rho))
        object.__setattr__(self, "tau", inputs.positive("tau", self.tau))

    @property
    def m(self) -> int:
        """How many similarities."""
        return len(self.S)

    @property
    def n(self) -> int:
        """How many samples."""
        return int(self.S.shape[1])


@dataclass(frozen=True, eq=False, repr=False)
class LossData(SimilarityData):
    """The same, and a loss, or one for each similarity, as `kundu2010.losses` has them.

    loss : L1, L2 or L3 where that is the loss of all, otherwise a tuple of m
    """

    loss: str | tuple[losses.Loss, ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        loss = losses.losses(self.loss, self.m, self.n)
        if not isinstance(loss, str):
            sizes = np.linalg.norm(self.S, axis=(1, 2))
            pairs = zip(loss, sizes, strict=True)
            loss = tuple(
                L.within(self.tau + float(far)) if isinstance(L, losses.Own) else L
                for L, far in pairs
            )
        object.__setattr__(self, "loss", loss)

    @property
    def losses(self) -> tuple[losses.Loss, ...]:
        """L₁, …, L_m"""
        one = self.loss
        return (losses.LOSSES[one],) * self.m if isinstance(one, str) else one

    @property
    def open(self) -> str | None:
        """What is not proved of a loss, in words."""
        return next((L.open for L in self.losses if isinstance(L, losses.Own)), None)


@dataclass(frozen=True, eq=False, repr=False)
class EigenvectorData(SimilarityData):
    """The same, and eigenvectors of the similarities; the loss is the distance of the spectra.

    Where eigenvalues coincide the paper's vᵢⱼ are not determined by Sᵢ: they are part of the
    problem, which may carry them, U of shape (m, n, n), optional, vᵢⱼ = U[i, :, j].
    `formulations.eigenbasis` says what is meant, and which are chosen where none are given.
    """

    U: Array | None = field(default=None, kw_only=True)
    loss: ClassVar[str] = "L2"  # ‖μᵢ - λᵢ‖₂

    @property
    def losses(self) -> tuple[losses.Loss, ...]:
        """ℓ₁, …, ℓ_m"""
        return (losses.LOSSES[self.loss],) * self.m

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.U is not None:
            U = inputs.weights("U", self.U, self.S.shape)
            every = [eigenbasis.checked(U[i], self.S[i], f"U[{i}]") for i in range(self.m)]
            object.__setattr__(self, "U", inputs.frozen(np.stack(every)))

    @cached_property
    def bases(self) -> tuple[eigenbasis.Basis, ...]:
        """λᵢ and the vᵢⱼ, given or chosen, with what is known of them."""
        every = []
        for i in range(self.m):
            others = tuple(self.S[j] for j in range(self.m) if j != i)
            given = None if self.U is None else self.U[i]
            try:
                every.append(eigenbasis.basis(self.S[i], self.y, U=given, others=others))
            except InputError as error:
                raise InputError(f"U[{i}]", error.expected, error.came) from None
        return tuple(every)

    @cached_property
    def lam(self) -> Array:
        """λ₁, …, λ_m: the eigenvalues of each Sᵢ, in the order of the vᵢⱼ; (m, n)."""
        return np.stack([basis.lam for basis in self.bases])

    @cached_property
    def V(self) -> Array:
        """The eigenvectors: vᵢⱼ = V[i, :, j]."""
        return np.stack([basis.U for basis in self.bases])

    @property
    def open(self) -> str | None:
        """What is not determined or not proved of the vᵢⱼ, in words."""
        every = (f"S[{i}]: {b.open}" for i, b in enumerate(self.bases) if b.open is not None)
        return next(every, None)


@dataclass(frozen=True, eq=False, repr=False)
class KernelData(Labelled):
    """Kernels (m, n, n), labels y (n,) of ±1, and C > 0.

    An eigenvalue that rounding left below zero counts as zero: with it, (10) would be unbounded.
    """

    C: float

    def __post_init__(self) -> None:
        super().__post_init__()
        inputs.check_signs("y", self.y)
        object.__setattr__(self, "C", inputs.positive("C", self.C))

    @property
    def m(self) -> int:
        """How many kernels."""
        return self.p

    @cached_property
    def F(self) -> tuple[Array, ...]:
        """Fᵢ with YKᵢY = FᵢᵀFᵢ, of as many rows as Kᵢ has rank."""
        return tuple(factor(np.outer(self.y, self.y) * K) for K in self.kernels)
