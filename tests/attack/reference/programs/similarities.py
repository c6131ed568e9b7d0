"""Kernels from one similarity and from several: chen2009, luss2007, kundu2010."""

from __future__ import annotations

from typing import Any

import numpy as np
from flint import arb

from attack.reference.cone import Ends
from attack.reference.model import Affine, Model
from attack.reference.programs.machines import alpha_of, feasible
from attack.reference.spectrum import distinct, mid, nearest, number, plus, symmetric

Data = dict[str, Any]
ONE = arb(1)


def pairs(n: int) -> list[tuple[int, int]]:
    return [(i, j) for i in range(n) for j in range(i + 1)]


def matrix(model: Model, entries: Affine, n: int) -> Affine:
    """The symmetric matrix of these entries, as (n, n, d + 1)."""
    M = number(np.zeros((n, n, model.d + 1)))
    for (i, j), e in zip(pairs(n), entries, strict=True):
        M[i, j] = M[j, i] = e
    return M


def _flat(M: Affine) -> Affine:
    """The entries under the Frobenius norm: those beside the diagonal times √2."""
    return np.array([M[i, j] * (arb(2).sqrt() if i != j else ONE) for i, j in pairs(len(M))])


def bordered(M: Affine, v: Affine, corner: Affine) -> Affine:
    """[M v; vᵀ corner]"""
    top = np.concatenate([M, v[:, None]], axis=1)
    return np.concatenate([top, np.concatenate([v, corner[None]])[None]])


def _inner(W: Affine, S: np.ndarray) -> Affine:
    return (W * S[:, :, None]).sum(axis=(0, 1))


def _start(v: np.ndarray, shift: arb) -> list[arb]:
    """The entries of vvᵀ + shift·I."""
    return [(v[i] * v[j] + (shift if i == j else 0)).mid() for i, j in pairs(len(v))]


def _size(entries: list[arb], n: int) -> arb:
    return sum(
        (e * e * (1 if i == j else 2) for e, (i, j) in zip(entries, pairs(n), strict=True)), arb(0)
    )


def robust(data: Data) -> Ends:
    """max 1ᵀα - ⟨W, S⟩ - ‖W‖²/(4ρ), W ⪰ ½Yα(Yα)ᵀ"""
    y, S, C, rho = data["y"], symmetric(data["S"]), arb(data["C"]), arb(data["rho"])
    n, a = len(y), feasible(data["y"], C / 2)
    W0 = _start(number(y) * a, C * C)
    model = Model(a=a[:-1], W=W0, q=[2 * _size(W0, n)])
    alpha, W = alpha_of(model, "a", y, C), matrix(model, model["W"], n)
    model.psd(bordered(W, number(y)[:, None] * alpha, model.constant(arb(2))))
    model.square(_flat(W), model["q"][0])
    return model.maximize(alpha.sum(axis=0) - _inner(W, S) - model["q"][0] / (4 * rho))


def learned(data: Data) -> Ends:
    """max 2η1ᵀα - ⟨W, S⟩, W ⪰ ηYα(Yα)ᵀ, ‖W‖ ≤ γ"""
    y, S, eta, gamma = data["y"], symmetric(data["S"]), arb(data["eta"]), arb(data["gamma"])
    n = len(y)
    C = 1 / (2 * eta * n)
    a = feasible(y, min(C / 2, (gamma / (16 * eta * n * n)).sqrt()))
    W0 = _start(number(y) * 0, gamma / (2 * arb(n).sqrt()))
    model = Model(a=a[:-1], W=W0)
    alpha, W = alpha_of(model, "a", y, C), matrix(model, model["W"], n)
    v = (number(y) * eta.sqrt())[:, None] * alpha
    model.psd(bordered(W, v, model.constant(ONE)))
    model.norm(_flat(W), model.constant(gamma))
    return model.maximize(2 * eta * alpha.sum(axis=0) - _inner(W, S))


def spectrum(data: Data) -> Ends:
    """min 1ᵀξ/n + η1ᵀu + γh(a), Y(Uz + b1) ≥ 1 - ξ, zᵢ² ≤ uᵢλᵢaᵢ; zᵢ = 0 where λᵢ = 0"""
    y, eta, gamma, h = data["y"], arb(data["eta"]), arb(data["gamma"]), data["h"]
    lam, U = distinct(data["S"])
    n = len(y)
    kept = [i for i in range(n) if lam[i] != 0]
    signs = [ONE if v >= 0 else -ONE for v in lam]
    clip = np.array([ONE if v >= 0 else arb(0) for v in lam], dtype=object)
    flip = np.array([ONE if v > 0 else -ONE if v < 0 else arb(0) for v in lam], dtype=object)
    free = list(range(n)) if h == "both" else kept
    far = 10 * n * (1 + max(abs(v) for v in lam))
    model = Model(
        z=[arb(0)] * len(kept), b=[arb(0)], xi=[arb(2)] * n, a=[signs[i] for i in free],
        u=[ONE] * len(kept), v=[far] * (2 if h == "both" else 1 if free else 0),
    )  # fmt: skip
    a, u, z = model["a"], model["u"], model["z"]
    f = (U[:, kept] @ z if kept else model.constant(np.zeros(n))) + model["b"]
    model.nonnegative(number(y)[:, None] * f - model.constant(np.ones(n)) + model["xi"])
    model.nonnegative(model["xi"])
    for j, i in enumerate(kept):
        model.over(z[j : j + 1], lam[i] * a[free.index(i)], u[j])
    centres = {"clip": [clip], "flip": [flip], "both": [clip, flip], "spectrum": [signs]}[h]
    for v, centre in zip(model["v"], centres, strict=False):
        difference = a - model.constant(np.array([centre[i] for i in free], dtype=object))
        if h == "spectrum":
            ones = model.constant(np.array([ONE for _ in free], dtype=object))
            difference = (a - ones) * np.array([lam[i] for i in free])[:, None]
        model.norm(difference, v)
    cost = model["xi"].sum(axis=0) / n + eta * u.sum(axis=0) + gamma * model["v"].sum(axis=0)
    return model.minimize(cost)


def _column(data: Data) -> arb:
    """min 2‖k - s‖² + (r - ψ)², kᵀK†k ≤ r: bisection for the multiplier μ, r = ψ + μ/2"""
    d, V = plus(data["K"])
    sigma, psi = mid(V.T @ number(data["s"])), arb(data["psi"])
    kept = [i for i in range(len(d)) if d[i] > 0]

    def k(mu: arb) -> list[arb]:
        return [2 * d[i] * sigma[i] / (2 * d[i] + mu) for i in kept]

    def excess(mu: arb) -> arb:
        forms = (v * v / d[i] for v, i in zip(k(mu), kept, strict=True))
        return (sum(forms, arb(0)) - psi - mu / 2).mid()

    low, high = arb(0), ONE
    while excess(high) > 0:
        high = high * 2
    if excess(low) <= 0:
        high = low
    for _ in range(700 if high > 0 else 0):
        middle = ((low + high) / 2).mid()
        low, high = (middle, high) if excess(middle) > 0 else (low, middle)
    total = (high / 2) ** 2 + sum(
        (2 * (v - sigma[i]) ** 2 for v, i in zip(k(high), kept, strict=True)), arb(0)
    )
    return total + sum((2 * sigma[i] ** 2 for i in range(len(d)) if i not in kept), arb(0))


def _around(value: arb, scale: arb) -> Ends:
    """A value that is off by rounding, in 448 bits, of terms of size `scale`."""
    spread = abs(value) * 2.0**-90 + scale * 2.0**-400
    return (value - spread).mid(), (value + spread).mid()


def _terms(data: Data) -> arb:
    return sum((v * v for v in (*number(data["s"]), arb(data["psi"]))), arb(0))


def eq8_qcqp(data: Data) -> Ends:
    """(8) squared and without its constant."""
    return _around(_column(data), _terms(data))


def eq8(data: Data) -> Ends:
    """(8), the distance of K₊ and S under the norm with it."""
    D = nearest(data["K"]) - symmetric(data["S"])
    low, high = _around(sum((v * v for v in D.flat), arb(0)) + _column(data), _terms(data))
    return max(low, arb(0)).sqrt().mid(), high.sqrt().mid()


# -- Kernels from several similarities -------------------------------------------------------------


class _Primal:
    """½s + C·1ᵀδ and w = 1 + ν - δ + by: the dual of a maximum over α, as kundu2010 needs it."""

    def __init__(self, data: Data, **more: Any) -> None:
        self.y, self.tau, self.rho = data["y"], arb(data["tau"]), arb(data["rho"])
        n = len(self.y)
        far = 4 * n * n / self.tau
        self.model = Model(s=[far], b=[arb(0)], nu=[ONE] * n, delta=[ONE] * n, **more)
        m = self.model
        m.nonnegative(m["nu"])
        m.nonnegative(m["delta"])
        self.w = m.constant(np.ones(n)) + m["nu"] - m["delta"] + number(self.y)[:, None] * m["b"]
        self.cost = m["s"][0] / 2 + arb(data["C"]) * m["delta"].sum(axis=0)

    def kernel(self, name: str) -> Affine:
        """K of trace τ from all its entries but the last."""
        n = len(self.y)
        free = self.model[name]
        diagonal = [k for k, (i, j) in enumerate(pairs(n)) if i == j][:-1]
        last = self.model.constant(self.tau) - sum(
            (free[k] for k in diagonal), self.model.constant(arb(0))
        )
        return matrix(self.model, np.concatenate([free, last[None]]), n)

    def lmi(self, K: Affine, w: Affine) -> None:
        """[YKY w; wᵀ s] ⪰ 0"""
        YKY = K * number(np.outer(self.y, self.y))[:, :, None]
        self.model.psd(bordered(YKY, w, self.model["s"][0]))

    def loss(self, D: Affine, which: str, t: Affine) -> None:
        """L(D) ≤ t, for L1 the sum of t, an entry for each of the lower triangle."""
        if which == "L1":
            entries = np.array([D[i, j] for i, j in pairs(len(D))])
            self.model.nonnegative(t - entries)
            self.model.nonnegative(t + entries)
        elif which == "L2":
            self.model.norm(_flat(D), t[0])
        else:
            self.model.square(_flat(D), t[0])


def scaled_identity(n: int, scale: arb) -> list[arb]:
    return [scale if i == j else arb(0) for i, j in pairs(n)]


def several(data: Data, *, one: bool) -> Ends:
    """min ω(K) + ρΣL(K - Sᵢ), or with a Kᵢ for every Sᵢ and the Ω of (10)"""
    S, which, tau, n = (
        [symmetric(S) for S in data["S"]],
        data["loss"],
        arb(data["tau"]),
        len(data["y"]),
    )
    m, count = len(S), 1 if one else len(S)
    far = 4 * (tau + max(abs(v) for S_i in S for v in S_i.flat)) * n
    t0 = [far] * len(pairs(n)) if which == "L1" else [far * far + far]
    # beside the diagonal every entry counts twice
    weights = [ONE if i == j else arb(2) for i, j in pairs(n)] if which == "L1" else [ONE]
    start = scaled_identity(n, tau / n)[:-1]
    more: dict[str, Any] = {f"K{i}": start for i in range(count)}
    more |= {f"t{i}": t0 for i in range(m)}
    more |= {f"w{i}": [ONE / count] * n for i in range(count - 1)}
    primal = _Primal(data, **more)
    model = primal.model
    K = [primal.kernel(f"K{i}") for i in range(count)]
    w = [model[f"w{i}"] for i in range(count - 1)]
    w.append(primal.w - sum(w, model.constant(np.zeros(n))))
    for K_i, w_i in zip(K, w, strict=True):
        primal.lmi(K_i, w_i)
    cost = primal.cost
    for i in range(m):
        primal.loss(K[0 if one else i] - model.constant(S[i]), which, model[f"t{i}"])
        cost = cost + primal.rho * (np.array(weights, dtype=object) @ model[f"t{i}"])
    return model.minimize(cost)


def spectra(data: Data) -> Ends:
    """min Ω + ρΣ‖μᵢ - λᵢ‖, Kᵢ = V diag(μᵢ)Vᵀ: πᵢⱼ² ≤ μᵢⱼuᵢⱼ, Σⱼuᵢⱼ ≤ s, Σᵢ YVᵢπᵢ = w"""
    bases = [distinct(S) for S in data["S"]]
    y, tau, n, m = data["y"], arb(data["tau"]), len(data["y"]), len(bases)
    far = 4 * n * (tau + max(abs(v) for lam, _ in bases for v in lam))
    YV = [mid(number(y)[:, None] * V) for _, V in bases]
    ones = number(np.ones(n))
    pi = [mid(M.T @ (ones / m)) for M in YV]
    more: dict[str, Any] = {f"mu{i}": [tau / n] * (n - 1) for i in range(m)}
    more |= {f"u{i}": [2 * n * (v * v + ONE / n) / tau for v in pi[i]] for i in range(m)}
    more |= {f"pi{i}": pi[i] for i in range(m - 1)} | {"t": [far] * m}
    primal = _Primal(data, **more)
    model = primal.model
    # Σⱼuᵢⱼ starts at 2n(‖πᵢ‖² + 1)/τ ≤ 4n²/τ, where s starts: move s up.
    model.start[0] = model.start[0] * 4
    rest = primal.w - sum(
        (YV[i] @ model[f"pi{i}"] for i in range(m - 1)), model.constant(np.zeros(n))
    )
    pis = [*(model[f"pi{i}"] for i in range(m - 1)), YV[-1].T @ rest]
    for i, (lam, _) in enumerate(bases):
        free = model[f"mu{i}"]
        last = model.constant(tau) - free.sum(axis=0) if n > 1 else model.constant(tau)
        mu = np.concatenate([free, last[None]])
        for j in range(n):
            model.over(pis[i][j : j + 1], mu[j], model[f"u{i}"][j])
        model.nonnegative(model["s"][0] - model[f"u{i}"].sum(axis=0))
        model.norm(mu - model.constant(lam), model["t"][i])
    return model.minimize(primal.cost + primal.rho * model["t"].sum(axis=0))
