"""What people have, in the paper's symbols: other names, support vectors, decision values, an SVC.

Nothing is guessed in silence: whatever was read under another name is told, one note each.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from cvxkernel.formulations import inputs
from cvxkernel.formulations.errors import InputError, ShapeError
from cvxkernel.formulations.formulation import Formulation
from cvxkernel.formulations.inputs import Array

WEIGHTS = ("theta", "mu", "d")  # what the papers call the weights of the kernels
# Other names, by what they stand for: "weights" is whichever of the three a formulation has.
NAMES = {
    "weights": ("weights", "kernel_weights", "d", "mu", "theta", "eta", "beta", "Sigma"),
    "alpha": ("alphas", "lagrange_multipliers"),
    "b": ("bias", "intercept", "intercept_", "bsvm"),
    "value": ("obj", "objective", "fval"),
    "support": ("support_", "alphaindex", "sv_indices", "posw"),
    "dual_coef": ("dual_coef_", "sv_coef"),
    "coef": ("coefficients",),
    "decision": ("decision_function", "decision_values"),
}
MACHINE = ("support", "dual_coef", "coef", "decision")  # a machine, but not by its α
SINGULAR = 1e-9  # a kernel of a smaller reciprocal condition number does not tell α from Kα


class Translation(NamedTuple):
    """An answer in the paper's symbols, its value, and what was read how."""

    variables: dict[str, Any]
    value: Any
    notes: tuple[str, ...]


def translated(
    form: Formulation, problem: Any, answer: Mapping[str, Any], value: Any
) -> Translation:
    """The same answer, in the symbols of the formulation."""
    known, notes = form.shapes(problem), list[str]()
    weights = next((s for s in WEIGHTS if s in known and len(known[s]) == 1), None)
    others = {
        alias: weights if name == "weights" else name
        for name, aliases in NAMES.items()
        for alias in aliases
        if name in known or name in ("value", *MACHINE) or (name == "weights" and weights)
        or (name == "b" and "alpha" in known)
    }  # fmt: skip
    found: dict[str, Any] = {} if value is None else {"value": value}
    for name, x in answer.items():
        symbol = name if name in known else others.get(name) or name
        if symbol in found:
            raise InputError(symbol, f"{symbol} once", f"{name} beside it")
        if symbol != name:
            notes.append(f"{name} read as {symbol}")
        found[symbol] = x
    if any(name in found and name not in known for name in MACHINE):
        _require_machine(form, known, problem)
        found = _machine(form, problem, found, weights, notes)
    if {"alpha", "b"} <= set(found) and "c" in known and "c" not in found and "K" not in known:
        found["c"] = inputs.weights("alpha", found["alpha"], (problem.n,)) * problem.y
        notes.append("c made of alpha, to judge b with: cᵢ = αᵢyᵢ")
    return Translation(found, found.pop("value", None), tuple(notes))


def fitted(machine: Any) -> dict[str, Any] | None:
    """What a fitted support vector machine of scikit-learn holds; None where it is none."""
    if not hasattr(machine, "get_params") or not hasattr(type(machine), "decision_function"):
        return None
    if not hasattr(machine, "dual_coef_"):
        raise InputError("answer", "a fitted machine with dual_coef_", type(machine).__name__)
    if len(getattr(machine, "classes_", ())) > 2:
        raise InputError("answer", "a machine of two classes", f"{len(machine.classes_)} classes")
    held = {"support": machine.support_, "dual_coef": machine.dual_coef_, "base": 0}
    return held | {"b": np.asarray(machine.intercept_).ravel()}


def _require_machine(form: Formulation, known: Mapping[str, Any], problem: Any) -> None:
    """One machine, with labels -1 and +1."""
    y, shape = getattr(problem, "y", None), known.get("alpha", ())
    if y is None and len(shape) == 2 and hasattr(problem, "Y"):
        told = "αᵗᵢ ≥ 0, the signed coefficients times their labels"
        raise InputError("ANSWER", f"alpha of shape {shape} for {form.id}: {told}", "a machine")
    if y is None or known.get("alpha") != (problem.n,):
        raise InputError("ANSWER", f"symbols of {form.id}: {', '.join(known)}", "a machine")


def _machine(
    form: Formulation, problem: Any, found: dict[str, Any], weights: str | None, notes: list[str]
) -> dict[str, Any]:
    """α, and c and b where the formulation has them, from whatever holds them."""
    known, rest = form.shapes(problem), dict(found)
    came = {name: rest.pop(name) for name in MACHINE if name in rest and name not in known}
    offset = rest.pop("b", None)
    base = rest.pop("base", None)
    if "alpha" in rest:
        raise InputError("alpha", f"alpha or {', '.join(came)}, not both", ", ".join(found))
    b = None if offset is None else float(inputs.weights("b", offset, ()))
    if "decision" in came:
        if len(came) > 1:
            raise InputError("decision", "decision values alone", ", ".join(came))
        coefficients, b = _from_decision(problem, came["decision"], rest, weights)
        notes.append("alpha solved from the decision values f = Kc + b, Σc = 0")
        readings = [("", coefficients * problem.y, 1)]
    else:
        readings = list(_readings(problem, came, base))
    text, alpha, sign = min(readings, key=lambda reading: _badness(form, problem, reading[1]))
    if text:
        notes.append(text)
    made = rest | {"alpha": alpha}
    if "c" in known and ("K" in rest or "K" not in known):  # a c beside no K says nothing
        made["c"] = alpha * problem.y
    if b is not None and "b" in known:
        made["b"] = sign * b
    elif offset is not None:
        notes.append(f"b is no symbol of {form.id}: not judged")
    return made


def _readings(problem: Any, came: Mapping[str, Any], base: Any) -> Iterable[tuple[str, Array, int]]:
    """Every α that support vectors and coefficients may mean, with the sign of the labels."""
    key = "dual_coef" if "dual_coef" in came else "coef"
    if key not in came:
        raise InputError("dual_coef", "dual_coef beside support", ", ".join(came))
    coefficients = inputs.array(key, came[key]).ravel()
    n, y = problem.n, problem.y
    if "support" in came:
        indices = inputs.array("support", came["support"]).ravel()
        if indices.shape != coefficients.shape:
            expected = f"an index for each of the {len(coefficients)} coefficients"
            raise ShapeError("support", expected, f"{len(indices)}")
        bases = [0, 1] if base is None else [int(inputs.weights("base", base, ()))]
        fits = [k for k in bases if len(indices) and k <= indices.min() and indices.max() < n + k]
        whole = (indices == indices.astype(int)).all() and len(set(indices)) == len(indices)
        if not (fits and whole):
            raise InputError("support", f"different indices of {n} samples", f"{indices[:8]}")
    elif coefficients.shape == (n,):
        indices, fits = np.arange(n), [0]
    else:
        raise ShapeError(key, f"shape ({n},), or support beside it", f"{coefficients.shape}")
    signs = (1, -1) if (coefficients < 0).any() else (0,)
    for first, sign in product(fits, signs):
        rows = indices.astype(int) - first
        alpha = np.zeros(n)
        alpha[rows] = coefficients * (sign * y[rows] if sign else 1.0)
        how = "unsigned" if sign == 0 else "signed" if sign > 0 else "signed for the other class"
        numbered = f", {first}-based" if "support" in came else ""
        yield f"alpha read from {' and '.join(came)}: {how}{numbered}", alpha, sign or 1


def _badness(form: Formulation, problem: Any, alpha: Array) -> tuple[float, float]:
    """What an α violates, roughly, and the width of the enclosure at it."""
    total = float(np.abs(alpha).sum()) or 1.0
    off = (abs(float(alpha @ problem.y)) - 2 * float(np.minimum(alpha, 0).sum())) / total
    return round(off, 2), form.enclose(problem, {"alpha": alpha}).width


def _from_decision(
    problem: Any, values: Any, rest: Mapping[str, Any], weights: str | None
) -> tuple[Array, float]:
    """c and b of f = Kc + b, Σc = 0."""
    n = problem.n
    f = inputs.weights("decision", values, (n,))
    if hasattr(problem, "K"):
        K = problem.K
    elif hasattr(problem, "K_eta"):
        K = problem.K_eta
    elif weights is not None and weights in rest:
        shape = (len(problem.kernels),)
        K = np.tensordot(inputs.weights(weights, rest[weights], shape), problem.kernels, axes=1)
    else:
        expected = f"{weights} beside it" if weights else "alpha: the kernel is not given"
        raise InputError("decision", expected, "decision values")
    system = np.block([[K, np.ones((n, 1))], [np.ones((1, n)), np.zeros((1, 1))]])
    size = np.linalg.svd(K, compute_uv=False)
    if not size[-1] > SINGULAR * size[0]:
        came = f"a kernel that is nearly singular ({size[-1] / size[0]:.0e})"
        raise InputError("decision", "alpha, which decision values do not tell here", came)
    solution = np.linalg.solve(system, np.append(f, 0.0))
    return solution[:n], float(solution[n])
