"""Discriminants: ye2008 and kim2006."""

from __future__ import annotations

from typing import Any

import numpy as np
from flint import arb

from attack.reference.cone import Ends, NoReference
from attack.reference.model import Affine, Model
from attack.reference.programs.similarities import bordered, matrix, scaled_identity
from attack.reference.spectrum import mid, nearest, number

Data = dict[str, Any]
ONE = arb(1)


def _difference(y: np.ndarray) -> np.ndarray:
    """a: 1/m₊ in the class of the larger label, -1/m₋ in the other; a column."""
    plus, minus = int((y == y.max()).sum()), int((y != y.max()).sum())
    return np.array([[ONE / plus if v == y.max() else -ONE / minus] for v in y], dtype=object)


def _classes(y: np.ndarray) -> np.ndarray:
    """H: √(n/nⱼ) - √(nⱼ/n) within class j, -√(nⱼ/n) outside."""
    n, columns = len(y), []
    for label in np.unique(y):
        share = (arb(int((y == label).sum())) / n).sqrt()
        columns.append([1 / share - share if v == label else -share for v in y])
    return np.array(columns, dtype=object).T


def _simplex(model: Model, name: str) -> Affine:
    """Weights ≥ 0 that add up to one, from all but the last."""
    free = model[name]
    weights = (
        np.concatenate([free, (model.constant(ONE) - free.sum(axis=0))[None]])
        if len(free)
        else model.constant([ONE])
    )
    model.nonnegative(weights)
    return weights


def discriminant(data: Data, *, binary: bool, diagonal: bool = False, joint: bool = False) -> Ends:
    """min trace T, [M H; Hᵀ T] ⪰ 0, M = I + Σwᵢ(G̃ᵢ/rᵢ)/λ, or I is a kernel too; or T diagonal"""
    y = data["y"]
    n = len(y)
    P = mid(number(np.eye(n)) - ONE / n)
    G = []
    for K in data["kernels"]:
        centred = mid(P @ nearest(K) @ P)
        trace = sum(centred.diagonal(), arb(0))
        if not trace > 0:
            raise NoReference("a kernel without a trace")
        G.append(mid(centred / trace))
    eye = number(np.eye(n))
    if joint:
        G.append(mid(eye / n))
    H = _difference(y) if binary else _classes(y)
    k = H.shape[1]
    far = 2 * sum((v * v for v in H.flat), arb(0)) * (n * len(G) if joint else 1)
    T0 = [far] * k if diagonal else scaled_identity(k, far)
    model = Model(w=[ONE / len(G)] * (len(G) - 1), T=T0)
    w = _simplex(model, "w")
    scale = ONE if joint else 1 / arb(data["lam"])
    M = sum((G_i[:, :, None] * (scale * w_i) for G_i, w_i in zip(G, w, strict=True)))
    if not joint:
        M = M + model.constant(eye)
    if diagonal:
        T = number(np.zeros((k, k, model.d + 1)))
        for j in range(k):
            T[j, j] = model["T"][j]
    else:
        T = matrix(model, model["T"], k)
    off = model.constant(H)
    model.psd(
        np.concatenate(
            [np.concatenate([M, off], axis=1), np.concatenate([off.swapaxes(0, 1), T], axis=1)]
        )
    )
    return model.minimize(sum(T[j, j] for j in range(k)))


def kim(data: Data) -> Ends:
    """max (aᵀGa - t)/λ, [λI + JGJ, JGa; ·, t] ⪰ 0, G = ΣθᵢKᵢ, θ in the simplex"""
    y, lam, K = data["y"], arb(data["lam"]), [nearest(K) for K in data["kernels"]]
    n, a = len(y), _difference(y)[:, 0]
    J = number(np.zeros((n, n)))
    for label in np.unique(y):
        rows = np.flatnonzero(y == label)
        for i in rows:
            for j in rows:
                J[i, j] = ((ONE if i == j else arb(0)) - ONE / len(rows)) / arb(len(rows)).sqrt()
    JKa = [mid(J @ K_i @ a) for K_i in K]
    far = 2 * sum((v * v for row in JKa for v in row), arb(0)) / lam + 1
    model = Model(theta=[ONE / len(K)] * (len(K) - 1), t=[far])
    theta, t = _simplex(model, "theta"), model["t"][0]
    JGJ = sum(mid(J @ K_i @ J)[:, :, None] * w for K_i, w in zip(K, theta, strict=True))
    JGa = sum(v[:, None] * w for v, w in zip(JKa, theta, strict=True))
    aGa = sum((a @ K_i @ a) * w for K_i, w in zip(K, theta, strict=True))
    model.psd(bordered(JGJ + model.constant(number(np.eye(n)) * lam), JGa, t))
    return model.maximize((aGa - t) / lam)
