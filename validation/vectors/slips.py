"""The mistakes inside the test vectors: each as another problem, whose optimum is proved too.

A slip is what somebody solves who makes it: the problem with a few `changes`, perhaps of another
formulation, and a `factor` on the value where the objective was written with another one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cvxkernel.formulations.catalogue import formulation

Problem = Mapping[str, Any]

NOTES = {
    "half_objective": "the objective multiplied by one half",
    "double_objective": "the objective multiplied by two",
    "other_sign": "the objective with the other sign",
    "lam_times_n": "nλ in place of λ",
    "lam_over_n": "λ/n in place of λ",
    "lam_inverse": "1/λ in place of λ",
    "lam_double": "2λ in place of λ",
    "lam_zero": "λΩ left out: every label with kernels of its own",
    "C_over_n": "C/n in place of C",
    "C_times_n": "nC in place of C",
    "C_double": "2C in place of C",
    "C_half": "½C in place of C",
    "losses_summed": "the losses summed, without their factor 1/n",
    "eta_half": "½η in place of η",
    "eta_double": "2η in place of η",
    "eta_times_n": "nη in place of η",
    "gamma_double": "2γ in place of γ",
    "rho_double": "2ρ in place of ρ",
    "rho_one": "ρ left out",
    "tau_one": "trace 1 in place of trace τ",
    "loss_squared": "the loss L3, squared, in place of L2",
    "loss_root": "the loss L2 in place of its square L3",
    "beta_double": "2β in place of β: Ω without its factor ½",
    "beta_zero": "one kernel for all labels: β = 0",
    "flip_for_clip": "a = sgn λ in place of [λ ≥ 0]",
    "clip_for_flip": "a = [λ ≥ 0] in place of sgn λ",
    "labels_sorted": "the labels sorted, the kernels or similarities not",
    "ridge": "1/4 added to the diagonal of every kernel",
    "weights_sum_to_one": "weights that sum to one, in place of μᵀr = c (SimpleMKL)",
    "weights_sum_to_the_traces": "μᵀr = c in place of weights that sum to one: lanckriet2004-sm1",
    "bound_for_exact": "the printed approximation, which is only above the optimum",
    "exact_for_bound": "the exact program in place of the printed approximation",
    "uniform_gates": "all gates equal: V = 0, v0 = 0",
    "square_for_root": "the square in place of the distance, ‖K - S‖ left out",
    "psi_double": "2ψ in place of ψ",
}


@dataclass(frozen=True)
class Slip:
    """What is solved in place of the problem."""

    flag: str
    changes: Problem = field(default_factory=dict)
    factor: float = 1.0
    formulation: str | None = None


OTHER = {  # one program taken for another: the flag, and which
    "ye2008-eq29": ("bound_for_exact", "ye2008-thm3.1"),
    "ye2008-eq29-single": ("bound_for_exact", "ye2008-thm3.1"),
    "ye2008-thm3.2": ("bound_for_exact", "ye2008-thm3.1"),
    "ye2008-thm3.1": ("exact_for_bound", "ye2008-eq29"),
    "ye2008-eq45-single": ("bound_for_exact", "ye2008-eq45"),
    "ye2008-eq46": ("bound_for_exact", "ye2008-eq45"),
    "ye2008-eq45": ("exact_for_bound", "ye2008-eq45-single"),
    "chen2009-eq8": ("square_for_root", "chen2009-eq8-qcqp"),
}


def slips(id: str, problem: Problem) -> Iterator[Slip]:
    """The mistakes that may be made with a problem; some may have its own optimum."""
    form = formulation(id)
    yield Slip("half_objective", factor=0.5)
    yield Slip("double_objective", factor=2.0)
    if form.kind == "SILP" and form.paper == "ye2008":
        yield Slip("other_sign", factor=-1.0)
    if id in OTHER:
        flag, other = OTHER[id]
        yield Slip(flag, formulation=other)
    n = len(problem["y"] if "y" in problem else problem["K"] if "K" in problem else problem["Y"][0])
    for key, makers in _NUMBERS.items():
        if key in problem:
            for flag, other in makers(problem[key], n, problem):
                yield Slip(flag, {key: other})
    yield from _of_the_data(id, problem, n)


def _C(C: float, n: int, _: Problem) -> Iterator[tuple[str, Any]]:
    yield from (("C_over_n", C / n), ("C_times_n", n * C), ("C_double", 2 * C), ("C_half", C / 2))


def _lam(lam: float, n: int, problem: Problem) -> Iterator[tuple[str, Any]]:
    yield from (("lam_double", 2 * lam), ("lam_times_n", n * lam), ("lam_over_n", lam / n))
    yield "lam_inverse", 1 / lam
    if "Y" in problem:
        yield "lam_zero", 0.0


def _eta(eta: float, n: int, _: Problem) -> Iterator[tuple[str, Any]]:
    yield from (("eta_half", eta / 2), ("eta_double", 2 * eta), ("eta_times_n", n * eta))


def _gamma(gamma: float, n: int, _: Problem) -> Iterator[tuple[str, Any]]:
    yield "gamma_double", 2 * gamma


def _rho(rho: float, n: int, problem: Problem) -> Iterator[tuple[str, Any]]:
    yield from (("rho_double", 2 * rho), ("rho_one", 1.0))


def _tau(tau: float, n: int, _: Problem) -> Iterator[tuple[str, Any]]:
    yield "tau_one", 1.0


def _beta(beta: float, n: int, problem: Problem) -> Iterator[tuple[str, Any]]:
    if 4 * beta <= len(problem["Y"]):
        yield "beta_double", 2 * beta
    yield "beta_zero", 0.0


def _loss(loss: str, n: int, _: Problem) -> Iterator[tuple[str, Any]]:
    if loss != "L1":
        yield ("loss_squared", "L3") if loss == "L2" else ("loss_root", "L2")


def _h(h: str, n: int, _: Problem) -> Iterator[tuple[str, Any]]:
    if h in ("clip", "flip"):
        yield ("flip_for_clip", "flip") if h == "clip" else ("clip_for_flip", "clip")


def _psi(psi: float, n: int, _: Problem) -> Iterator[tuple[str, Any]]:
    yield "psi_double", 2 * psi


_NUMBERS: dict[str, Callable[[Any, int, Problem], Iterator[tuple[str, Any]]]] = {
    "C": _C, "lam": _lam, "eta": _eta, "gamma": _gamma, "rho": _rho, "tau": _tau,
    "beta": _beta, "loss": _loss, "h": _h, "psi": _psi,
}  # fmt: skip


def _of_the_data(id: str, problem: Problem, n: int) -> Iterator[Slip]:
    """Kernels made otherwise, labels in another order, several numbers at once."""
    if "y" in problem:
        y = np.sort(problem["y"])
        if not np.array_equal(y, problem["y"]):
            yield Slip("labels_sorted", {"y": y})
    if "kernels" in problem:
        K = np.asarray(problem["kernels"])
        yield Slip("ridge", {"kernels": K + np.eye(n) / 4})
        if "V" in problem:
            flat = {key: np.zeros_like(problem[key]) for key in ("V", "v0")}
            yield Slip("uniform_gates", flat)
    if id == "lanckriet2004-sm1":
        yield Slip("weights_sum_to_one", {}, formulation="rakotomamonjy2008")
    if id == "rakotomamonjy2008":
        yield Slip("weights_sum_to_the_traces", {}, formulation="lanckriet2004-sm1")
    if "eta" in problem:
        summed = {key: problem[key] / n for key in ("eta", "gamma") if key in problem}
        yield Slip("losses_summed", summed, factor=float(n))
