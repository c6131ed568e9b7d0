r"""A linear matrix inequality, solved in numbers of many bits by a barrier method.

    minimize    cᵀx                                       over x ∈ Rᵈ
    subject to  Fⱼ(x) = Fⱼ₀ + Σᵢ xᵢFⱼᵢ ⪰ 0,  j = 1, …, J

Newton's method follows the minimizers of T·cᵀx - Σⱼ log det Fⱼ(x) while T grows. With the Newton
step Δ at x, Zⱼ = (Fⱼ⁻¹ - Fⱼ⁻¹ (ΣΔᵢFⱼᵢ) Fⱼ⁻¹)/T satisfies Σⱼ ⟨Fⱼᵢ, Zⱼ⟩ = cᵢ to the last bit, since
that is Newton's equation; where all Zⱼ ⪰ 0 weak duality has

    -Σⱼ ⟨Fⱼ₀, Zⱼ⟩ ≤ optimum ≤ cᵀx
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from flint import arb, arb_mat, ctx

BITS = 448
GAP = 2.0**-80  # relative: doubles have 2⁻⁵³
FASTER = 1000  # how much T grows from one centre to the next
STEPS = 220

Numbers = list[arb]
Ends = tuple[arb, arb]


class NoReference(Exception):  # noqa: N818 - not an error: the reference has no answer
    """The reference has no answer to this."""


@contextmanager
def precision(bits: int = BITS) -> Iterator[None]:
    """Numbers of so many bits inside."""
    before, ctx.prec = ctx.prec, bits
    try:
        yield
    finally:
        ctx.prec = before


def dot(c: Sequence[arb], x: Sequence[arb]) -> arb:
    """cᵀx"""
    return sum((a * b for a, b in zip(c, x, strict=True)), arb(0)).mid()


class Matrix:
    """A matrix F₀ + Σᵢ xᵢFᵢ ⪰ 0; F₀ comes last."""

    def __init__(self, F: Sequence[arb_mat]) -> None:
        self.constant, self.s = F[-1], F[0].nrows()
        zero = arb_mat(self.s, self.s)
        self.used = [i for i, F_i in enumerate(F[:-1]) if F_i != zero]
        self.F = [F[i] for i in self.used]

    def linear(self, x: Numbers) -> arb_mat:
        """Σᵢ xᵢFᵢ"""
        M = arb_mat(self.s, self.s)
        for i, F_i in zip(self.used, self.F, strict=True):
            M += F_i * x[i]
        return M.mid()

    def at(self, x: Numbers) -> arb_mat:
        """F(x)"""
        return (self.linear(x) + self.constant).mid()

    @staticmethod
    def log_det(M: arb_mat) -> arb | None:
        """By a Cholesky factorization; None where M is not definite."""
        A = [list(row) for row in M.tolist()]
        total = arb(1)
        for k in range(len(A)):
            pivot = A[k][k].mid()
            if not pivot > 0:
                return None
            total *= pivot
            for i in range(k + 1, len(A)):
                ratio = A[i][k] / pivot
                for j in range(i, len(A)):
                    A[j][i] = (A[j][i] - ratio * A[j][k]).mid()
        return total.log().mid()

    def inverse(self, M: arb_mat) -> arb_mat:
        """M⁻¹"""
        return M.inv().mid()

    def derivatives(self, inverse: arb_mat) -> tuple[Numbers, arb_mat]:
        """Of -log det F: the gradient -⟨F⁻¹, Fᵢ⟩ and the Hessian ⟨F⁻¹FᵢF⁻¹, Fₖ⟩."""
        products = [(inverse * F_i).mid() for F_i in self.F]
        d, s = len(products), self.s
        rows = arb_mat(d, s * s, [e for P in products for e in P.entries()])
        columns = arb_mat(d, s * s, [e for P in products for e in P.transpose().entries()])
        return [-P.trace() for P in products], (rows * columns.transpose()).mid()

    def dual(self, inverse: arb_mat, step: Numbers) -> arb | None:
        """⟨F₀, TZ⟩, or None where Z is not definite."""
        Z = (inverse - inverse * self.linear(step) * inverse).mid()
        return None if self.log_det(Z) is None else (self.constant * Z).trace()


class Rows:
    """Numbers f₀ + Σᵢ xᵢfᵢ ≥ 0, one in each row; f₀ comes last."""

    def __init__(self, f: Sequence[Sequence[arb]]) -> None:
        self.f = arb_mat([list(row[:-1]) for row in f])
        self.constant, self.s = [row[-1] for row in f], len(f)
        self.used = range(self.f.ncols())

    def linear(self, x: Numbers) -> Numbers:
        """Σᵢ xᵢfᵢ"""
        return (self.f * arb_mat(len(x), 1, x)).mid().entries()

    def at(self, x: Numbers) -> Numbers:
        """f(x)"""
        return [(a + b).mid() for a, b in zip(self.linear(x), self.constant, strict=True)]

    @staticmethod
    def log_det(f: Numbers) -> arb | None:
        """Σ log f; None where one is not positive."""
        total = arb(1)
        for v in f:
            if not v > 0:
                return None
            total *= v
        return total.log().mid()

    def inverse(self, f: Numbers) -> Numbers:
        """1/f"""
        return [(1 / v).mid() for v in f]

    def derivatives(self, inverse: Numbers) -> tuple[Numbers, arb_mat]:
        """Of -Σ log f."""
        d = self.f.ncols()
        entries = self.f.entries()
        over = arb_mat(self.s, d, [e * inverse[k // d] for k, e in enumerate(entries)]).mid()
        gradient = -(over.transpose() * arb_mat(self.s, 1, [arb(1)] * self.s))
        return gradient.entries(), (over.transpose() * over).mid()

    def dual(self, inverse: Numbers, step: Numbers) -> arb | None:
        """⟨f₀, Tz⟩, or None where one z is not positive."""
        z = [(v - v * m * v).mid() for v, m in zip(inverse, self.linear(step), strict=True)]
        return None if self.log_det(z) is None else dot(self.constant, z)


def solve(c: Numbers, blocks: Sequence[Matrix | Rows], x: Numbers, constant: arb | int = 0) -> Ends:
    """Both ends of the optimum of cᵀx + constant, from a strictly feasible x."""
    if not c:  # nothing to choose
        return arb(constant), arb(constant)
    x, lower = [arb(v).mid() for v in x], None
    T = (1 / (abs(dot(c, x)) + arb(2) ** -300)).mid()
    for _ in range(STEPS):
        values = [block.at(x) for block in blocks]
        step, decrement, inverses = _newton(c, blocks, values, T)
        if decrement < 0.5:
            found = _dual(blocks, inverses, step, T)
            lower = found if lower is None or (found is not None and found > lower) else lower
            upper = dot(c, x)
            if lower is not None and lower > upper:
                raise NoReference("too few bits for both ends")
            if lower is not None and (upper - lower).mid() <= GAP * abs(upper + constant):
                return lower + constant, upper + constant
            T = (T * FASTER).mid()
            if arb(2) ** (BITS * 2) < T:
                break
            continue
        x = _line_search(c, blocks, x, values, step, decrement, T)
    raise NoReference("the barrier method did not end")


def _newton(c: Numbers, blocks: Any, values: Any, T: arb) -> tuple[Numbers, arb, list[Any]]:
    """Newton's step for T·cᵀx - Σ log det F, its decrement, and the inverses of F."""
    d = len(c)
    gradient, hessian = [T * v for v in c], [[arb(0)] * d for _ in range(d)]
    try:
        inverses = [block.inverse(M) for block, M in zip(blocks, values, strict=True)]
        for block, inverse in zip(blocks, inverses, strict=True):
            g, H = block.derivatives(inverse)
            for i, g_i, row in zip(block.used, g, H.tolist(), strict=True):
                gradient[i] += g_i
                for j, h in zip(block.used, row, strict=True):
                    hessian[i][j] += h
        step = linear_solve(hessian, [-v for v in gradient])
    except ZeroDivisionError:
        raise NoReference("singular to the last bit") from None
    decrement = (-dot(gradient, step)).sqrt().mid()
    if not decrement.is_finite():
        raise NoReference("the decrement is not a number")
    return step, decrement, inverses


def linear_solve(H: list[list[arb]], b: Numbers) -> Numbers:
    """The x of Hx = b, H ≻ 0, to the last bits: with a unit diagonal, and twice refined.

    Near the end the entries of H are of sizes T² and 1: without that half of the bits are lost.
    """
    d = len(b)
    units = [(1 / H[i][i].sqrt()).mid() for i in range(d)]
    scaled = arb_mat([[H[i][j] * units[i] * units[j] for j in range(d)] for i in range(d)]).mid()
    right = arb_mat(d, 1, [v * u for v, u in zip(b, units, strict=True)]).mid()
    x = scaled.solve(right).mid()
    for _ in range(2):
        x = (x + scaled.solve((right - scaled * x).mid())).mid()
    return [(v * u).mid() for v, u in zip(x.entries(), units, strict=True)]


def _line_search(c, blocks, x, values, step, decrement, T):  # type: ignore[no-untyped-def]
    """The x that a step as long as possible leads down to."""
    logs = [block.log_det(M) for block, M in zip(blocks, values, strict=True)]
    if any(v is None for v in logs):
        raise NoReference("the start is not strictly feasible")
    before, length = T * dot(c, x) - sum(logs, arb(0)), arb(1)
    while length > arb(2) ** -200:
        moved = [(a + length * b).mid() for a, b in zip(x, step, strict=True)]
        logs = [block.log_det(block.at(moved)) for block in blocks]
        if all(v is not None for v in logs):
            after = T * dot(c, moved) - sum(logs, arb(0))
            if after <= before - decrement**2 * length / 100:
                return moved
        length = length / 2
    raise NoReference("no step goes down")


def _dual(blocks: Any, inverses: Any, step: Numbers, T: arb) -> arb | None:
    """-Σⱼ ⟨Fⱼ₀, Zⱼ⟩, or None where some Zⱼ is not definite."""
    parts = [b.dual(inverse, step) for b, inverse in zip(blocks, inverses, strict=True)]
    return None if any(v is None for v in parts) else (-sum(parts, arb(0)) / T).mid()
