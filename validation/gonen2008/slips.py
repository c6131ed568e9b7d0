"""Slips in gonen2008: those of a support vector machine, of its gates, and of section 3.2.

An answer to Algorithm 1 is one to (7) at the gating it names; one to (5) by the α of its w_m.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit, softmax

from cvxkernel.formulations import svm
from cvxkernel.formulations.arithmetic import DOUBLES
from cvxkernel.formulations.formulation import Formulation
from cvxkernel.formulations.gonen2008 import (
    Gated,
    GatedOneClass,
    GatedRegression,
    LocalizedOneClass,
    LocalizedRegression,
    gates,
)
from cvxkernel.formulations.gonen2008.data import Gating
from cvxkernel.formulations.gonen2008.extension import Extension, OneClass, Regression
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.problem import with_numbers
from cvxkernel.solvers.extension import coefficients
from cvxkernel.validation.slips import machine
from cvxkernel.validation.slips.data import widths
from cvxkernel.validation.slips.numbers import FACTORS, costs, values
from cvxkernel.validation.slips.slip import Variant, fixed


@dataclass(frozen=True)
class Answer(machine.Answer):
    """An answer, and the gating it was made at."""

    at: Gated | None = None


@dataclass(frozen=True)
class ExtendedAnswer:
    """An answer to a machine of section 3.2, and every choice that a slip may change."""

    at: GatedRegression | GatedOneClass
    kernels: Array
    gates: Array
    beta: Array | None  # α of one class
    b: float | None
    claims: Mapping[str, float]
    C: float = 1.0
    epsilon: float = 0.0
    nu: float = 1.0
    form: float = 1.0  # times ½βᵀKβ

    def distance(self) -> float:
        """How far β is from optimal, (β, b) and the values from J, and what β violates."""
        eta, at = self.gates, self.at
        pairs = zip(eta, self.kernels, strict=True)
        K = svm.nearest(self.form * sum(e[:, None] * K * e for e, K in pairs))
        made: Extension
        if isinstance(at, GatedRegression):
            made = Regression(DOUBLES, K, at.y, self.C, self.epsilon)
        else:
            made = OneClass(DOUBLES, K, self.nu)
        off, parts, beta = 0.0, [], self.beta
        if beta is None:
            changed = {"kernels": self.form * self.kernels, **self.numbers()}
            slipped = with_numbers(at, **changed)
            slipped.__dict__["eta"] = eta
            beta = coefficients(slipped)
        else:
            size, high, low = float(np.abs(beta).sum()), float(made.high.mid), float(made.low.mid)
            off += abs(float(beta.sum()) - made.total) / size if size else made.total
            off += max(0.0, float((beta - high).max()), float((low - beta).max())) / high
        low_end, high_end, repaired, _ = made.ends(beta)
        best = float(high_end.mid)
        parts.append(float(low_end.mid))
        if self.b is not None:
            f = made.K @ repaired
            loss = made.losses(f, DOUBLES.exact(self.b))
            parts.append(float((DOUBLES.inner(repaired, f) / 2 + loss).mid))
        parts += self.claims.values()
        return off + max(abs(part - best) for part in parts) / abs(best)

    def numbers(self) -> dict[str, float]:
        """The parameters that its problem has."""
        own = {"C": self.C, "epsilon": self.epsilon, "nu": self.nu}
        return {key: x for key, x in own.items() if hasattr(self.at, key)}


def measure(
    form: Formulation, problem: Any, point: Mapping[str, Array], value: float | None
) -> Answer | ExtendedAnswer:
    """The answer as it stands, to the problem as it stands."""
    claims = {} if value is None else {"value": value}
    if isinstance(problem, LocalizedRegression | LocalizedOneClass):
        there: Any = problem.at(point["V"], point["v0"])
        own = {key: getattr(there, key) for key in ("C", "epsilon", "nu") if hasattr(there, key)}
        beta = point.get("beta", point.get("alpha"))
        b = float(point["b"]) if "b" in point else -float(point["rho"]) if "rho" in point else None
        b = None if beta is None else b
        return ExtendedAnswer(there, there.kernels, there.eta, beta, b, claims, **own)
    at: Gated = problem if isinstance(problem, Gated) else problem.at(point["V"], point["v0"])
    return Answer(
        kernels=at.kernels,
        y=at.y,
        C=at.C,
        alpha=point["alpha"] if "alpha" in point else machine_of(at, point.get("c")),
        b=float(point["b"]) if "b" in point and "alpha" in point else None,
        claims=claims,
        gates=gates(at.X, at.V, at.v0),
        at=at,
    )


def machine_of(at: Gated, c: Array | None) -> Array | None:
    """The α that comes nearest to (6), c_mj = αⱼyⱼη_m(xⱼ)."""
    if c is None:
        return None
    alpha: Array = at.y * (c * at.eta).sum(axis=0) / (at.eta**2).sum(axis=0)
    return alpha


def variants(answer: Answer | ExtendedAnswer) -> Iterator[Variant]:
    """The slips of these programs."""
    at = answer.at
    assert at is not None
    yield from gatings(at)
    if isinstance(answer, ExtendedAnswer):
        yield from extended(answer)
        return
    for kind, sentence, C in costs(answer.C, at.n):
        yield fixed(kind, sentence, C=C)
    yield from machine.variants(answer)


def gatings(at: Gating) -> Iterator[Variant]:
    """Other gates."""
    eta, z = at.eta, at.V @ at.X.T + at.v0[:, None]  # (p, n)
    told = "√η_m(xᵢ)√η_m(xⱼ) in place of η_m(xᵢ)η_m(xⱼ): the gates not squared"
    yield fixed("gates not squared", told, gates=np.sqrt(eta))
    yield fixed("gates left out", "ΣK_m in place of K_η", gates=np.ones_like(eta))
    told = "ΣK_m/p in place of K_η"
    yield fixed("gates left out", told, gates=np.full_like(eta, at.p**-0.5))
    yield fixed("equal gates", "the gates 1/p everywhere", gates=np.full_like(eta, 1 / at.p))
    with np.errstate(over="ignore"):
        yield fixed("no softmax", "exp(⟨v_m, x⟩ + v_m0) not divided by their sum", gates=np.exp(z))
    yield fixed("no softmax", "a logistic function for every gate", gates=expit(z))
    told = "softmax over the samples in place of the kernels"
    yield fixed("softmax over samples", told, gates=softmax(z, axis=1))
    yield fixed("v0 left out", "the gates without v_m0", gates=gates(at.X, at.V, 0 * at.v0))
    told = "the gates of -V and -v0: the last kernel first"
    yield fixed("sign of the gating", told, gates=gates(at.X, -at.V, -at.v0))
    crisp = (eta == eta.max(axis=0)).astype(float)
    yield fixed("crisp gates", "one kernel for each sample, that of the largest gate", gates=crisp)


def extended(answer: ExtendedAnswer) -> Iterator[Variant]:
    """The slips of section 3.2."""
    at, n = answer.at, answer.at.n
    told = "βᵀKβ where ½βᵀKβ was meant"
    yield fixed("½ of the form", told, form=2.0 * answer.form)
    if isinstance(at, GatedRegression):
        for kind, sentence, C in costs(answer.C, n):
            yield fixed(kind, sentence, C=C)
        yield fixed("ε", "no ε: the loss |y - f|", epsilon=0.0)
        yield fixed("ε", "ε/2 in place of ε: a tube that is ε wide", epsilon=answer.epsilon / 2)
        yield fixed("ε", "2ε in place of ε", epsilon=2 * answer.epsilon)
        # As libsvm has it unless it is told otherwise.
        yield fixed("ε", "ε = 0.1, which libraries take unless told", epsilon=0.1)
    else:
        yield fixed("ν", "1 - ν in place of ν", nu=1 - answer.nu)
        yield fixed("ν", "ν/n in place of ν: C = 1/ν", nu=answer.nu / n)
        yield fixed("ν", "ν = ½, which libraries take unless told", nu=0.5)
    traces = np.trace(answer.kernels, axis1=1, axis2=2)
    if traces.min() > 0:
        K = answer.kernels / traces[:, None, None]
        yield fixed("trace normalization", "kernels divided by their trace", kernels=K)
        yield fixed("trace normalization", "kernels with trace n", kernels=n * K)
    yield from widths(answer.kernels)
    yield from answers(answer)


def answers(answer: Answer | ExtendedAnswer) -> Iterator[Variant]:
    """The right machine, told in another scale or sign."""
    if isinstance(answer, Answer):
        yield from machine.answers(answer)
        return
    if answer.beta is not None:
        for name, f in FACTORS.items():
            yield fixed("factor of α", f"coefficients multiplied by {name}", beta=answer.beta / f)
        yield fixed("sign of α", "coefficients with the other sign", beta=-answer.beta)
        told = "α of sum νn, as libsvm has it"
        yield fixed("factor of α", told, beta=answer.beta / (answer.nu * answer.at.n))
    if answer.b is not None:
        yield fixed("sign of b", "b, or ρ, with the other sign", b=-answer.b)
    yield from values(answer.claims, answer.at.n)
