"""Chen, Gupta and Recht (2009). ICML 26: learning kernels from indefinite similarities.

`Machine(K, y, C)` and `RegularizedMachine(K, y, eta)` hold the support vector machine, (1) and (3);
`RobustMachine(S, y, C, rho)` the machine (2) of Luss and d'Aspremont (2007);
`KernelMachine(S, y, eta, gamma)` and `SpectrumMachine(S, y, eta, gamma, h)` learn the kernel, (7)
and (12); `NewSample(K, s, psi)` and `AugmentedSample(K, s, psi, S)` treat a test sample, (8).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from cvxkernel.formulations import inputs, semidefinite, svm
from cvxkernel.formulations.chen2009 import bounds, prediction, spectrum
from cvxkernel.formulations.chen2009.frame import framed
from cvxkernel.formulations.chen2009.programs import (
    REGULARIZERS,
    AugmentedSample,
    KernelMachine,
    Machine,
    NewSample,
    RegularizedMachine,
    RobustMachine,
    Similarity,
    SpectrumMachine,
)
from cvxkernel.formulations.enclosure import EPS, Enclosure, rounding
from cvxkernel.formulations.formulation import Formulation, Point
from cvxkernel.formulations.formulation import Machine as Canonical
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.problem import with_numbers
from cvxkernel.formulations.program import Program


def _vector(problem: Any, point: Point, symbol: str, missing: Array | None = None) -> Array:
    n = problem.n
    default = np.zeros(n) if missing is None else missing
    return inputs.weights(symbol, point[symbol], (n,)) if symbol in point else default


def _alpha(problem: Any, point: Point) -> Array:
    """α in the box with αᵀy = 0."""
    return svm.repair(_vector(problem, point, "alpha"), problem.y, problem.C)


# -- (1) and (3) -----------------------------------------------------------------------------------


def _enclose_eq1(problem: Machine, point: Point) -> Enclosure:
    alpha, Q = _alpha(problem, point), svm.signed(problem.y, problem.K)
    slack = float(semidefinite.slack(problem.K))
    low, down = svm.value(Q, alpha, slack)
    high, up = svm.upper(Q, problem.y, problem.C, alpha, slack)
    return Enclosure(low, low - down, high + up, {"alpha": alpha})


def _enclose_eq3(problem: RegularizedMachine, point: Point) -> Enclosure:
    alpha, y, eta, C = _alpha(problem, point), problem.y, problem.eta, problem.C
    Q, slack = svm.signed(y, problem.K), float(semidefinite.slack(problem.K))
    low, down = svm.value(Q, alpha, slack)
    # (3) at c = yv is 2η times the primal of (1) at v
    given = [y * _vector(problem, point, "c"), alpha]
    given += [svm.on_margin(Q, y, C, alpha, small) for small in svm.FREE]
    ends = [(svm.hinge_bound(Q, y, C, v, slack), v) for v in given]
    (high, up), v = min(ends, key=lambda end: sum(end[0]))
    found = bounds.primal(problem.K, y, y * v).point
    variables = {**{symbol: found[symbol] for symbol in ("c", "b", "xi")}, "alpha": alpha}
    return Enclosure(
        2 * eta * high, 2 * eta * (low - down), 2 * eta * (high + up) * (1 + 4 * EPS), variables
    )


def _unit_eq1(problem: Machine) -> Machine:
    """K/σ and Cσ, where σ takes 1ᵀα - ½αᵀQα to σ times itself at σα."""
    sigma = _scale(problem.K)
    return with_numbers(problem, K=problem.K / sigma, C=problem.C * sigma)


def _unit_eq3(problem: RegularizedMachine) -> RegularizedMachine:
    """K/σ and η/σ: σc has the same z = Kc and the same objective."""
    sigma = _scale(problem.K)
    return with_numbers(problem, K=problem.K / sigma, eta=problem.eta / sigma)


def _scale(S: Array) -> float:
    """A power of two near the largest |entry|: dividing by it rounds nothing."""
    return _power(float(np.abs(S).max()) or 1.0)


def _power(size: float) -> float:
    """The power of two that is nearest."""
    return float(2.0 ** np.round(np.log2(size)))


def _restore(symbols: dict[str, int]) -> Any:
    """Each symbol times σ to the power given, σ being the scale of the data."""

    def restore(problem: Any, unit: Any, point: Point) -> Point:
        if isinstance(problem, RobustMachine):
            sigma = _robust_scale(problem)
        else:
            sigma = _scale(problem.S if isinstance(problem, Similarity) else problem.K)
        return {key: value * sigma ** symbols.get(key, 0) for key, value in point.items()}

    return restore


# -- (2) and (7) -----------------------------------------------------------------------------------


def _candidates(
    problem: Similarity, point: Point, dual: bounds.Dual
) -> Iterator[tuple[Array, Array]]:
    """K and c: those given and those that belong to α, in all combinations."""
    n = problem.n
    kernels = [bounds.semidefinite(dual.K)]
    if semidefinite.exactly(problem.S):  # at no distance, however much a distance costs
        kernels.append(problem.S)
    if "K" in point:
        kernels.append(bounds.semidefinite(inputs.weights("K", point["K"], (n, n))))
    for K in kernels:
        yield K, problem.y * dual.alpha
        if "z" in point:
            yield K, bounds.coefficients(K, _vector(problem, point, "z"))


def _enclose_robust(problem: RobustMachine, point: Point) -> Enclosure:
    dual = bounds.robust_value(problem, _alpha(problem, point))
    ends = [(bounds.robust_bound(problem, K, c), K) for K, c in _candidates(problem, point, dual)]
    ((high, up), found), K = min(ends, key=lambda end: sum(end[0][0]))
    low, down = dual.value
    variables = {"alpha": dual.alpha, "K": K, **found}
    return Enclosure(low, low - down, high + up, variables)


def _enclose_kernel(problem: KernelMachine, point: Point) -> tuple[bounds.Dual, Any]:
    tau = None
    if "K" in point:  # its distance from S is where to look for τ
        K = inputs.weights("K", point["K"], (problem.n, problem.n))
        size = float(np.linalg.norm(problem.S))
        tau = float(np.clip(np.linalg.norm(K - problem.S), 1e-12 * size, 1e12 * size))
    dual = bounds.kernel_bound(problem, _alpha(problem, point), tau)
    ends = [(bounds.kernel_value(problem, K, c), K) for K, c in _candidates(problem, point, dual)]
    return dual, min(ends, key=lambda end: sum(end[0][0]))


def _enclose_eq7(problem: KernelMachine, point: Point) -> Enclosure:
    dual, (((high, up), found), K) = _enclose_kernel(problem, point)
    low, down = dual.value
    return Enclosure(high, low - down, high + up, {**found, "K": K, "alpha": dual.alpha})


def _enclose_eq7_dual(problem: KernelMachine, point: Point) -> Enclosure:
    dual, (((high, up), found), K) = _enclose_kernel(problem, point)
    low, down = dual.value
    variables = {"alpha": dual.alpha, "W": dual.W, "K": K, "z": found["z"]}
    return Enclosure(low, low - down, high + up, variables)


def _unit_robust(problem: RobustMachine) -> RobustMachine:
    """S/σ, Cσ and ρσ³: (2) is 1/σ times itself at σα and K/σ."""
    sigma = _robust_scale(problem)
    return with_numbers(
        problem, S=problem.S / sigma, C=problem.C * sigma, rho=problem.rho * sigma**3
    )


def _robust_scale(problem: RobustMachine) -> float:
    """A power of two near the largest |entry| of S, or of vvᵀ/(4ρ) where that is larger.

    K* = (S + vvᵀ/(4ρ))₊, and without S the largest of 1ᵀα - |v|⁴/(16ρ) over the box is at
    αᵢ = min(C, (4ρ/n)^⅓).
    """
    alpha = min(problem.C, (4 * problem.rho / problem.n) ** (1 / 3))
    pull = alpha * (alpha / (4 * problem.rho))
    return _power(max(float(np.abs(problem.S).max()), pull))


def _unit_kernel(problem: KernelMachine) -> KernelMachine:
    """S/σ, η/σ and γσ: the same objective at K/σ and the same z. In (12) γ weighs a, not λa."""
    sigma = _scale(problem.S)
    power = 0 if isinstance(problem, SpectrumMachine) and problem.h != "spectrum" else 1
    unit = with_numbers(
        problem,
        S=problem.S / sigma,
        eta=problem.eta / sigma,
        gamma=problem.gamma * sigma**power,
    )
    if isinstance(problem, SpectrumMachine) and isinstance(unit, SpectrumMachine):
        vars(unit)["basis"] = problem.basis.scaled(1 / sigma)
        if problem.h == "spectrum":  # in k = λ∘a alone: any weights will do, and tiny ones will not
            lam = unit.Lam
            vars(unit)["weights"] = np.where(np.abs(lam) < TINY_WEIGHT, np.sign(lam), lam)
    return unit


TINY_WEIGHT = 1e-6  # of the largest


def _restore_spectrum(problem: SpectrumMachine, unit: SpectrumMachine, point: Point) -> Point:
    """α by 1/σ, and a from the weights of the unit."""
    point = dict(_restore({"alpha": -1})(problem, unit, point))
    if "a" in point:
        ratio = np.divide(unit.weights, unit.Lam, out=np.ones(unit.n), where=unit.Lam != 0)
        point["a"] = point["a"] * ratio
    return point


def _from_margin(problem: Any, program: Program) -> Point:
    """α from the multipliers of the margins, which are α in (6), 2ηα in (3), (7) and (12)."""
    ratio = 1.0 if isinstance(problem, RobustMachine) else 2 * problem.eta
    point = {"alpha": program.dual("margin") / ratio}
    point.update({s: program.value(s) for s in ("K", "z", "c", "a") if s in program.variables})
    return point


def _from_eq7_dual(problem: KernelMachine, program: Program) -> Point:
    """α, and K from the multiplier P of the matrix inequality.

    ∂L/∂W = -S + P₁₁ - νW/‖W‖ = 0: its first block is S + νW/‖W‖, the K of (7).
    """
    n = problem.n
    return {"alpha": program.value("alpha"), "K": program.dual("lmi")[:n, :n]}


# -- (12) ------------------------------------------------------------------------------------------


def _enclose_eq12(problem: SpectrumMachine, point: Point) -> Enclosure:
    alpha, lam = _alpha(problem, point), problem.Lam
    if not problem.basis.decided:
        return _undecided(problem, alpha)
    # Λa ≥ 0; where λᵢ = 0 any aᵢ will do
    given = _vector(problem, point, "a", spectrum.a_clip(lam))
    a = np.where(np.sign(lam) * given >= 0, given, 0.0)
    (low, down), alpha = bounds.spectrum_bound(problem, alpha, a)
    ends = [bounds.spectrum_value(problem, a, problem.y * alpha)]
    if problem.h == "spectrum":
        for response in bounds.spectrum_responses(problem, alpha, a):
            ends.append(bounds.spectrum_value(problem, response, problem.y * alpha))
    if "z" in point:
        c = prediction.from_spectrum(problem, a, _vector(problem, point, "z")).c
        ends.append(bounds.spectrum_value(problem, a, c))
    if problem.h in ("clip", "flip"):  # where γ is large a differs from this by a solver's error
        centre = spectrum.a_clip(lam) if problem.h == "clip" else spectrum.a_flip(lam)
        ends.append(bounds.spectrum_value(problem, centre, problem.y * alpha))
    (high, up), found = min(ends, key=lambda end: sum(end[0]))
    del found["c"]
    variables = {**found, "alpha": alpha, "U": problem.basis.U}
    return Enclosure(high, low - down, high + up, variables, problem.open)


def _undecided(problem: SpectrumMachine, alpha: Array) -> Enclosure:
    """What holds whatever the signs of the eigenvalues: no term is negative, and a = 0 is there."""
    n, zero = problem.n, np.zeros(problem.n)
    machine = bounds.primal(np.zeros((n, n)), problem.y, zero)
    largest = float(np.linalg.norm(problem.Lam)) if problem.h == "spectrum" else np.sqrt(n)
    h = largest * (2.0 if problem.h == "both" else 1.0)
    total, up = machine.value(1 / n, problem.eta)
    up += rounding(n, problem.gamma * h) + problem.gamma * problem.basis.off * n
    found = {symbol: machine.point[symbol] for symbol in ("z", "b", "xi")}
    point = {**found, "a": zero, "u": zero, "v": np.array(h), "alpha": alpha, "U": problem.basis.U}
    total += problem.gamma * h
    return Enclosure(total, 0.0, total + up, point, problem.open)


# -- (8) -------------------------------------------------------------------------------------------


def _column(problem: NewSample, point: Point) -> tuple[Any, Any]:
    """(8) without the constant and the square root, at the best μ and at 2(r - ψ) of an r given."""
    every = {0.0, bounds.multiplier(problem)}
    if "r" in point:  # where ψ is large r = ψ + μ/2 has no digit of μ left
        r = inputs.weights("r", point["r"], (1,)).item()
        every.add(max(2 * (r - problem.psi), 0.0))
    low = max((bounds.column_bound(problem, mu) for mu in every), key=lambda end: end[0] - end[1])
    high = min((bounds.column_value(problem, mu) for mu in every), key=lambda end: sum(end[0]))
    return low, high


def _enclose_qcqp(problem: NewSample, point: Point) -> Enclosure:
    (low, down), ((high, up), k, r) = _column(problem, point)
    return Enclosure(high, max(low - down, 0.0), high + up, {"k": k, "r": np.array(r)})


def _enclose_eq8(problem: AugmentedSample, point: Point) -> Enclosure:
    (low, down), ((high, up), k, r) = _column(problem, point)
    d, slack = bounds.distance(problem.K, problem.S)
    slack += float(semidefinite.slack(problem.K)) * np.sqrt(problem.n)  # K stands for K₊
    value = float(np.sqrt(d * d + high))
    lower = float(np.sqrt(max(d - slack, 0.0) ** 2 + max(low - down, 0.0)))
    upper = float(np.sqrt((d + slack) ** 2 + high + up))
    return Enclosure(value, min(lower, value), max(upper, value), {"k": k, "r": np.array(r)})


def _unit_column(problem: Any) -> Any:
    """Everything over σ, the scale of K and s."""
    sigma = _scale(problem.K)
    rest = {"S": problem.S / sigma} if isinstance(problem, AugmentedSample) else {}
    unit = with_numbers(
        problem, K=problem.K / sigma, s=problem.s / sigma, psi=problem.psi / sigma, **rest
    )
    vars(unit)["eigen"] = problem.eigen.scaled(1 / sigma)
    return unit


def _from_column(problem: NewSample, program: Program) -> Point:
    return {"k": program.value("k"), "r": program.value("r").reshape(())}


FORMULATIONS = (
    Formulation(
        id="chen2009-eq1",
        where="(1)",
        kind="QP",
        sense="maximize",
        statement="max 1ᵀα - ½αᵀYKYα, yᵀα = 0, 0 ≤ α ≤ C",
        problem=Machine,
        keys=("K", "y", "C"),
        program=Machine.eq1,
        recover=lambda problem, program: {"alpha": program.value("alpha")},
        enclose=_enclose_eq1,
        unit=_unit_eq1,
        restore=_restore({"alpha": -1}),
        machine=lambda problem: Canonical(problem.K, problem.y, problem.C),
    ),
    Formulation(
        id="luss2007",
        where="chen2009 (2)",
        kind="SDP",
        ask=("MOSEK", "SCS"),
        sense="maximize",
        statement="max over α of min over K ⪰ 0 of 1ᵀα - ½αᵀYKYα + ρ‖K-S‖², yᵀα = 0, 0 ≤ α ≤ C",
        problem=RobustMachine,
        keys=("S", "y", "C", "rho"),
        program=RobustMachine.eq6,
        recover=_from_margin,
        enclose=_enclose_robust,
        unit=_unit_robust,
        restore=_restore({"alpha": -1, "K": 1}),
    ),
    Formulation(
        id="chen2009-eq3",
        where="(3)",
        kind="QP",
        sense="minimize",
        statement="min 1ᵀξ/n + ηcᵀKc, Y(Kc + b1) ≥ 1 - ξ, ξ ≥ 0",
        problem=RegularizedMachine,
        keys=("K", "y", "eta"),
        program=RegularizedMachine.eq3,
        recover=_from_margin,
        enclose=_enclose_eq3,
        unit=_unit_eq3,
        restore=_restore({"alpha": -1, "c": -1}),
        machine=lambda problem: Canonical(problem.K, problem.y, problem.C),
    ),
    Formulation(
        id="chen2009-eq7",
        where="(7)",
        kind="SDP",
        ask=("MOSEK", "SCS"),
        sense="minimize",
        statement="min 1ᵀξ/n + ηu + γv, Y(z + b1) ≥ 1 - ξ, ξ ≥ 0, [K z; zᵀ u] ⪰ 0, ‖K-S‖ ≤ v",
        problem=KernelMachine,
        keys=("S", "y", "eta", "gamma"),
        program=KernelMachine.eq7,
        recover=_from_margin,
        enclose=_enclose_eq7,
        unit=_unit_kernel,
        restore=_restore({"alpha": -1, "K": 1}),
    ),
    Formulation(
        id="chen2009-eq7-dual",
        where="dual of (7), ours",
        kind="SDP",
        ask=("MOSEK", "SCS"),
        sense="maximize",
        statement="max 2η1ᵀα - ⟨W,S⟩, W ⪰ ηYα(Yα)ᵀ, ‖W‖ ≤ γ, yᵀα = 0, 0 ≤ α ≤ 1/(2ηn)",
        problem=KernelMachine,
        keys=("S", "y", "eta", "gamma"),
        program=KernelMachine.eq7_dual,
        recover=_from_eq7_dual,
        enclose=_enclose_eq7_dual,
        unit=_unit_kernel,
        restore=_restore({"alpha": -1, "K": 1}),
    ),
    Formulation(
        id="chen2009-eq8",
        where="(8)",
        kind="SDP",
        ask=("MOSEK", "SCS"),
        sense="minimize",
        statement="min ‖[K k; kᵀ r] - [S s; sᵀ ψ]‖, [K k; kᵀ r] ⪰ 0",
        problem=AugmentedSample,
        keys=("K", "s", "psi", "S"),
        program=AugmentedSample.eq8,
        recover=_from_column,
        enclose=_enclose_eq8,
        unit=_unit_column,
        restore=_restore({"k": 1, "r": 1}),
    ),
    Formulation(
        id="chen2009-eq8-qcqp",
        where="below (9)",
        kind="QCQP",
        sense="minimize",
        statement="min 2‖k-s‖² + (r-ψ)², kᵀK†k ≤ r, (I-KK†)k = 0",
        problem=NewSample,
        keys=("K", "s", "psi"),
        program=NewSample.eq8_qcqp,
        recover=_from_column,
        enclose=_enclose_qcqp,
        unit=_unit_column,
        restore=_restore({"k": 1, "r": 1}),
    ),
    Formulation(
        id="chen2009-eq12",
        where="(12)",
        kind="SOCP",
        sense="minimize",
        statement="min 1ᵀξ/n + η1ᵀu + γv, Y(Uz + b1) ≥ 1-ξ, ξ ≥ 0, Λa ≥ 0, h(a) ≤ v, zᵢ² ≤ uᵢλᵢaᵢ",
        problem=SpectrumMachine,
        keys=("S", "y", "eta", "gamma", "h"),
        optional=("U",),
        program=SpectrumMachine.eq12,
        recover=_from_margin,
        enclose=_enclose_eq12,
        unit=_unit_kernel,
        restore=_restore_spectrum,
        frame=framed,
    ),
)

__all__ = [
    "FORMULATIONS",
    "REGULARIZERS",
    "AugmentedSample",
    "KernelMachine",
    "Machine",
    "NewSample",
    "RegularizedMachine",
    "RobustMachine",
    "SpectrumMachine",
    "prediction",
    "spectrum",
]
