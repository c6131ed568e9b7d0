"""Support vector machines: α with yᵀα = 0 and 0 ≤ α ≤ C; one kernel, several, several labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from flint import arb

from attack.reference.cone import Ends
from attack.reference.model import Affine, Model
from attack.reference.spectrum import mid, nearest, number, root

Data = dict[str, Any]
ONE = arb(1)


def feasible(y: np.ndarray, most: arb) -> np.ndarray:
    """α > 0 with yᵀα = 0 and no entry above `most`."""
    size = {s: int((y == s).sum()) for s in (-1.0, 1.0)}
    return np.array([most * min(size.values()) / size[float(v)] for v in y], dtype=object)


def alpha_of(model: Model, name: str, y: np.ndarray, C: arb | None) -> Affine:
    """α, its last entry from the balance; 0 ≤ α, and α ≤ C unless C is None."""
    free = model[name]
    last = -(number(y[:-1] * y[-1]) @ free) if len(y) > 1 else model.constant(arb(0))
    alpha = np.concatenate([free, last[None]])
    model.nonnegative(alpha)
    if C is not None:
        model.nonnegative(model.constant(np.array([C] * len(y), dtype=object)) - alpha)
    return alpha


def _form(R: np.ndarray, y: np.ndarray, alpha: np.ndarray) -> arb:
    """αᵀYRᵀRYα at a given α."""
    z = R @ (number(y) * alpha)
    return sum((v * v for v in z), arb(0)).mid() if len(R) else arb(0)


def _image(R: np.ndarray, y: np.ndarray, alpha: Affine) -> Affine:
    """RYα"""
    return R @ (number(y)[:, None] * alpha)


def _machine(R: np.ndarray, y: np.ndarray, C: arb, q: np.ndarray | None = None) -> Ends:
    """max qᵀα - ½‖RYα‖², q being 1 unless it is given"""
    a = feasible(y, C / 2)
    model = Model(a=a[:-1], t=[_form(R, y, a) + C])
    alpha = alpha_of(model, "a", y, C)
    if not len(R):
        return C * 2 * min((y > 0).sum(), (y < 0).sum()), C * 2 * min((y > 0).sum(), (y < 0).sum())
    model.square(_image(R, y, alpha), model["t"][0])
    linear = alpha.sum(axis=0) if q is None else q @ alpha
    return model.maximize(linear - model["t"][0] / 2)


def eq1(data: Data) -> Ends:
    return _machine(root(data["K"]), data["y"], arb(data["C"]))


def eq3(data: Data) -> Ends:
    eta = arb(data["eta"])
    low, high = _machine(root(data["K"]), data["y"], 1 / (2 * eta * len(data["y"])))
    return 2 * eta * low, 2 * eta * high


def _gated(data: Data) -> np.ndarray:
    """R with RᵀR = K_η = Σ_m D_mK_mD_m: it stacks the R_mD_m."""
    X, V, v0 = number(data["X"]), number(data["V"]), number(data["v0"])
    scores = V @ X.T + v0[:, None]
    gates = np.vectorize(lambda v: v.exp(), otypes=[object])(scores)
    gates = mid(gates / gates.sum(axis=0))
    R = [root(K) * g for K, g in zip(data["kernels"], gates, strict=True)]
    return mid(np.concatenate(R))


def gonen(data: Data) -> Ends:
    """The machine with K_η."""
    return _machine(_gated(data), data["y"], arb(data["C"]))


def regression(data: Data) -> Ends:
    """The same of (α⁺, α⁻), with the linear term (y - ε, -y - ε)."""
    R, y, epsilon = _gated(data), number(data["y"]), arb(data["epsilon"])
    signs = np.repeat([1.0, -1.0], len(y))
    q = np.concatenate([y, -y]) - epsilon
    return _machine(np.hstack([R, R]), signs, arb(data["C"]), mid(q))


def one_class(data: Data) -> Ends:
    """max -½‖Rα‖², 1ᵀα = 1, 0 ≤ α ≤ 1/(νn)"""
    R, n = _gated(data), len(data["X"])
    a = np.array([arb(1) / n] * n, dtype=object)
    form = sum((v * v for v in R @ a), arb(0)).mid()
    if data["nu"] == 1:
        return -form / 2, -form / 2
    model = Model(a=[x.mid() for x in a[:-1]], t=[form + 1])
    last = model.constant(arb(1)) - model["a"].sum(axis=0)
    alpha = np.concatenate([model["a"], last[None]])
    model.nonnegative(alpha)
    top = 1 / (arb(data["nu"]) * n)
    model.nonnegative(model.constant(np.array([top] * n, dtype=object)) - alpha)
    model.square(R @ alpha, model["t"][0])
    return model.maximize(-model["t"][0] / 2)


def budgeted(data: Data) -> Ends:
    """min over β of max 1ᵀα - ½αᵀYΣβᵢKᵢYα: half of the 1-norm margin with c = τ"""
    low, high = margin(data, box=True, budget=arb(data["tau"]))
    return low / 2, high / 2


def margin(
    data: Data,
    *,
    box: bool = False,
    squared: bool = False,
    joint: bool = False,
    budget: arb | None = None,
) -> Ends:
    """max 2·1ᵀα - αᵀα/C - ct, t ≥ αᵀG(Kᵢ)α/rᵢ"""
    y, K = data["y"], [nearest(K) for K in data["kernels"]]
    r = [sum(K_i.diagonal(), arb(0)) for K_i in K]
    roots = [
        mid(root_of / r_i.sqrt())
        for root_of, r_i in zip(map(root, data["kernels"]), r, strict=True)
    ]
    n = len(y)
    c = sum(r, arb(0)) if budget is None else budget
    if joint:
        c += n
        roots.append(mid(number(np.eye(n)) / arb(n).sqrt()))
    C = arb(data["C"]) if "C" in data else None
    a = feasible(y, C / 2 if C is not None else 1 / c)
    forms = [_form(R, y, a) for R in roots]
    model = Model(
        a=a[:-1],
        t=[2 * max(forms) + a[0]],
        q=[2 * sum((v * v for v in a), arb(0))] if squared else [],
    )
    alpha, t = alpha_of(model, "a", y, C if box else None), model["t"][0]
    for R in roots:
        model.square(_image(R, y, alpha), t)
    objective = 2 * alpha.sum(axis=0) - c * t
    if squared:
        model.square(alpha, model["q"][0])
        objective = objective - model["q"][0] / C
    return model.maximize(objective)


def tang(data: Data, objective: str) -> Ends:
    """k machines that share kernels; `shared` and `own` are s₀ ≥ ΣₜGᵢᵗ and s_t ≥ Gᵢᵗ."""
    Y, C = data["Y"], arb(data["C"])
    k = len(Y)
    roots = [root(K) for K in data["kernels"]]
    start = [feasible(y, C / 2) for y in Y]
    forms = np.array([[_form(R, y, a) for R in roots] for y, a in zip(Y, start, strict=True)])
    own = [2 * max(row) + C for row in forms]
    both = sum(own, arb(0))
    names = {f"a{t}": start[t][:-1] for t in range(k)}
    w = min(ONE, 2 * arb(data["beta"]) / k) if objective == "eq11" else None
    model = Model(
        **names,
        own=own if w != 0 else [],
        s0=[2 * both] if w != 1 else [],
        s=[4 * both] if w is None else [],
    )
    alpha = [alpha_of(model, f"a{t}", Y[t], C) for t in range(k)]
    images = [[_image(R, Y[t], alpha[t]) for R in roots] for t in range(k)]
    if w != 0:
        for t in range(k):
            for z in images[t]:
                model.square(z, model["own"][t]) if len(z) else model.nonnegative(model["own"][t])
    if w != 1:
        for i in range(len(roots)):
            z = np.concatenate([images[t][i] for t in range(k)])
            model.square(z, model["s0"][0]) if len(z) else model.nonnegative(model["s0"][0])
    total = sum(a.sum(axis=0) for a in alpha)
    if w is None:
        lam = arb(data["lam"])
        s, every = model["s"][0], model["own"].sum(axis=0)
        model.nonnegative(s - model["s0"][0])
        model.nonnegative(s - every + model.constant(k * lam))
        return model.maximize(total - s / 2)
    if w != 1:
        total = total - (1 - w) * model["s0"][0] / 2
    if w != 0:
        total = total - w * model["own"].sum(axis=0) / 2
    return model.maximize(total)


def simple(data: Data) -> Ends:
    """One label, whose weights are shared with nobody."""
    return tang({**data, "Y": data["y"][None], "beta": 0.0}, "eq11")


def tang_eq2(data: Data) -> Ends:
    every = [
        _machine(root(K), y, arb(data["C"]))
        for K, y in zip(data["kernels"], data["Y"], strict=True)
    ]
    return sum((e[0] for e in every), arb(0)), sum((e[1] for e in every), arb(0))


def eq10(data: Data) -> Ends:
    """max 1ᵀα - ½Σᵢ qᵢ, qᵢ ≥ ‖RᵢYα‖²/γᵢ, γ in the simplex"""
    y, C, roots = data["y"], arb(data["C"]), [root(K) for K in data["kernels"]]
    roots = [R for R in roots if len(R)]
    m, a = len(roots), feasible(y, C / 2)
    q = [2 * (m + 1) * _form(R, y, a) + C for R in roots]
    model = Model(a=a[:-1], q=q, g=[ONE / (m + 1)] * m)
    alpha = alpha_of(model, "a", y, C)
    model.nonnegative(model.constant(ONE) - model["g"].sum(axis=0))
    for i, R in enumerate(roots):
        model.over(_image(R, y, alpha), model["g"][i], model["q"][i])
    return model.maximize(alpha.sum(axis=0) - model["q"].sum(axis=0) / 2)
