"""Naive implementations, as somebody writes them with the paper beside a modelling language.

Each is written from the printed formula, by numpy, CVXPY's atoms and Clarabel's answer alone; what
an implementer gets wrong is an argument. None shares code with the package.
"""

from __future__ import annotations

import warnings

import cvxpy as cp
import numpy as np


def gram(seed, kind):
    """Noisy labels of unequal classes, and kernels of one kind, with unequal traces."""
    rng = np.random.default_rng([seed, len(kind)])
    n = int(rng.integers(17, 24))
    y = np.where(np.arange(n) % 5 < 2, 1.0, -1.0)
    X = rng.normal(size=(n, 4)) + 0.9 * y[:, None] * rng.random(4)
    y = np.where(rng.random(n) < 0.15, -y, y)
    squared = ((X[:, None] - X) ** 2).sum(-1)
    if kind == "gauss":
        K = [np.exp(-squared / w) for w in (0.3, 1.5, 6.0, 30.0)]
    elif kind == "features":  # one linear kernel each: of rank one
        K = [np.outer(x, x) for x in X.T] + [X @ X.T / 2]
    elif kind == "poly":
        K = [X @ X.T, (1 + X @ X.T / 4) ** 2, (1 + X @ X.T / 8) ** 3]
    else:  # "counts": of words, as strings have
        words = rng.poisson(0.6, size=(n, 3, 12)) + (y[:, None, None] > 0) * rng.poisson(0.3, 12)
        K = [
            w @ w.T * s for w, s in zip(words.transpose(1, 0, 2) * 1.0, (0.3, 1, 0.1), strict=True)
        ]
    return rng, n, X, y, np.stack(K)


def instance(seed, kind):
    """A problem for every formulation; `kernels`, `S`, `Y` are what an id takes of it."""
    rng, n, X, y, K = gram(seed, kind)
    C, lam, rho = (float(np.exp(rng.uniform(*np.log(ends)))) for ends in ((0.3, 4), (0.02, 0.8), (0.2, 2)))  # fmt: skip  # noqa: E501
    small = slice(0, 11)
    noise = rng.normal(size=(2, n, n))
    near = K[:2] / np.trace(K[:2], axis1=1, axis2=2)[:, None, None] * n
    S = near + 0.25 * (noise + noise.transpose(0, 2, 1))
    Y = np.stack([y, np.where(rng.random(n) < 0.3, -y, y)])
    return {
        "kernels": K, "y": y, "C": C, "lam": lam, "rho": rho, "eta": 1 / (2 * C * n),
        "gamma": 0.02 * rho, "K": K[1] / np.mean(np.diag(K[1])), "Y": Y, "beta": 0.3 * rho / 2,
        "X": X, "V": 0.4 * rng.normal(size=(len(K), 4)), "v0": 0.4 * rng.normal(size=len(K)),
        "S": S[0][small, small], "similarities": S[:, small, small], "y_small": y[small],
        "three": np.arange(n) % 3 + (rng.random(n) < 0.2) * (np.arange(n) % 3 == 0) * 1.0,
    }  # fmt: skip


def root(K):
    """F with FᵀF = K."""
    w, V = np.linalg.eigh((K + K.T) / 2)
    return np.sqrt(np.clip(w, 0, None))[:, None] * V.T


def best(objective, constraints):
    problem = cp.Problem(objective, list(constraints))
    with warnings.catch_warnings():  # who reads them?
        warnings.simplefilter("ignore")
        problem.solve(solver=cp.CLARABEL)
    return float(problem.value)


def number(dual):
    return float(np.ravel(dual)[0])


def centred(K):
    P = np.eye(len(K[0])) - 1 / len(K[0])
    return P @ K @ P


def traced(kernels):
    return kernels / np.trace(kernels, axis1=1, axis2=2)[:, None, None]


def cosine(kernels):
    root = np.sqrt(np.diagonal(kernels, axis1=1, axis2=2))
    return kernels / root[:, :, None] / root[:, None, :]


def modified(S, how):
    w, V = np.linalg.eigh(S)
    return (V * {"clip": np.clip(w, 0, None), "flip": np.abs(w)}[how]) @ V.T


# -- ye2008, kim2006 ------------------------------------------------------------------------------


def classes(y, how="paper"):
    """a of two classes, or H of more."""
    names = np.unique(y)
    Z = (y[:, None] == names).astype(float)
    n, sizes = len(y), Z.sum(0)
    if len(names) == 2:
        if how == "signs":
            return np.where(Z[:, 1] > 0, 1.0, -1.0)[:, None]
        if how == "plain":
            return (2 / n) * np.where(Z[:, 1] > 0, 1.0, -1.0)[:, None]
        return (Z[:, 1] / sizes[1] - Z[:, 0] / sizes[0])[:, None]
    H = Z * np.sqrt(n / sizes) - np.sqrt(sizes / n)
    return {
        "paper": H,
        "not centred": Z * np.sqrt(n / sizes),
        "plain": Z - Z.mean(0),
        "signs": 2 * Z - 1,
        "indicators": Z,
    }[how]


def fisher(kernels, y, lam=None, *, centre=True, traces="centred", how="paper", quarters=(0.25, 0.25), first=None):  # fmt: skip  # noqa: E501
    """(13), (34), and without λ (43), (46): θ off the multipliers."""
    G, n = centred(kernels) if centre else kernels, len(y)
    r = np.trace({"centred": centred(kernels), "given": kernels}.get(traces, G), axis1=1, axis2=2)
    r = np.ones(len(G)) if traces == "one" else r
    if lam is None:
        G, r = np.concatenate([np.eye(n)[None], G]), np.append(n if first is None else first, r)
    H = classes(y, how)
    B, t = cp.Variable(H.shape), cp.Variable()
    forms = [t >= cp.sum_squares(root(G_i) @ B) / r_i for G_i, r_i in zip(G, r, strict=True)]
    own, other = quarters
    cost = other * t if lam is None else own * cp.sum_squares(B) + other / lam * t
    value = best(cp.Maximize(cp.sum(cp.multiply(B, H)) - cost), forms)
    scale = 1 / other if lam is None else lam / other
    theta = np.array([number(c.dual_value) for c in forms]) * scale / r
    beta = B.value[:, 0] if H.shape[1] == 1 else B.value
    return {"beta": beta, "theta": theta, "value": value, "t": number(t.value), "gamma": -value}


def fisher_sdp(kernels, y, lam, *, centre=True, traces=True, budget=1.0):
    """Theorem 2.1 as the linear matrix inequality."""
    G, n = centred(kernels) if centre else kernels, len(y)
    r = np.trace(G, axis1=1, axis2=2) if traces else np.ones(len(G))
    theta, t, a = cp.Variable(len(G), nonneg=True), cp.Variable((1, 1)), classes(y)
    M = np.eye(n) + sum(theta[i] * G[i] for i in range(len(G))) / lam
    value = best(cp.Minimize(t[0, 0]), [cp.bmat([[M, a], [a.T, t]]) >> 0, theta @ r == budget])
    return {"theta": theta.value, "value": value}


def kim(kernels, y, lam, *, blocks="own", r=None, how="paper"):
    """The epigraph form of the maximum; θ off the multipliers."""
    n, a = len(y), classes(y, how)[:, 0]
    J = np.zeros((n, n))
    for side in (y > 0, y < 0):
        m = side.sum()
        by = {"own": np.sqrt(m), "all": np.sqrt(n), "none": 1.0}[blocks]
        J[np.ix_(side, side)] = (np.eye(m) - 1 / m) / by
    u, t = cp.Variable(n), cp.Variable()
    r = np.ones(len(kernels)) if r is None else r
    forms = [
        t >= cp.sum_squares(root(K / s) @ (a - J @ u)) for K, s in zip(kernels, r, strict=True)
    ]
    value = best(cp.Minimize(cp.sum_squares(u) + t / lam), forms)
    theta = np.array([number(c.dual_value) for c in forms]) * lam / r
    return {"u": u.value, "theta": theta, "value": value}


# -- Machines and several kernels -----------------------------------------------------------------


def machine(K, y, C, *, offset=True, half=0.5, labels=True):
    """(1) of chen2009, of gonen2008 and of every other paper: the dual."""
    F = root(K) * y if labels else root(K)
    a = cp.Variable(len(y))
    box = [a >= 0, a <= C, *((y @ a == 0,) if offset else ())]
    value = best(cp.Maximize(cp.sum(a) - half * cp.sum_squares(F @ a)), box)
    alpha = np.clip(a.value, 0, C)
    c = alpha * y
    free = (alpha > 1e-4 * C) & (alpha < C * (1 - 1e-4))
    b = float(np.mean(y[free] - 2 * half * (K @ c)[free])) if free.any() else 0.0
    return {"alpha": alpha, "value": value, "c": c, "b": b if offset else 0.0}


def primal(K, y, eta, *, total=False, offset=True, half=1.0, kernel=True, squares=False):
    """(3): α off the multipliers of the margins."""
    n, F = len(y), root(K)
    c, b, xi = cp.Variable(n), cp.Variable(), cp.Variable(n, nonneg=True)
    margin = cp.multiply(y, K @ c + (b if offset else 0)) >= 1 - xi
    loss = (cp.sum_squares(xi) if squares else cp.sum(xi)) / (1 if total else n)
    norm = cp.sum_squares(F @ c if kernel else c)
    value = best(cp.Minimize(loss + half * eta * norm), [margin])
    multipliers = np.asarray(margin.dual_value)
    b = number(b.value) if offset else 0.0
    alpha = multipliers / (2 * eta)
    return {"c": c.value, "b": b, "alpha": alpha, "value": value, "multipliers": multipliers}


def group(kernels, y, C, *, offset=True, squares=None, norm=1):
    """MKL in the primal: ½(Σ‖f_m‖)² + CΣξ, d_m the share of ‖f_m‖."""
    p, n = len(kernels), len(y)
    F = [root(K) for K in kernels]
    v, b, xi = cp.Variable((p, n)), cp.Variable(), cp.Variable(n, nonneg=True)
    f = sum(F[m].T @ v[m] for m in range(p)) + (b if offset else 0)
    margin = cp.multiply(y, f) >= 1 - xi
    norms = cp.hstack([cp.norm(v[m]) for m in range(p)])
    loss = C * cp.sum(xi) if squares is None else squares * C * cp.sum_squares(xi)
    value = best(cp.Minimize(cp.square(cp.norm(norms, norm)) / 2 + loss), [margin])
    d = np.linalg.norm(v.value, axis=1) ** (2 - norm)  # norm 2q/(q + 1), for weights of q-norm one
    alpha = np.clip(margin.dual_value, 0, None)
    return {"d": d / np.linalg.norm(d, norm / (2 - norm)), "alpha": alpha, "value": value}


def soft_margin(kernels, y, C=None, *, norm=1, offset=True, budget="sum", r="given", scale=1.0, ridge=None, both=False):  # fmt: skip  # noqa: E501
    """lanckriet2004's three soft margins; μ off the multipliers of the quadratic constraints."""
    n, K = len(y), kernels
    rs = np.trace({"given": K, "centred": centred(K)}.get(r, K), axis1=1, axis2=2)
    rs = np.ones(len(K)) if r == "one" else rs
    if C is None:
        K, rs = np.concatenate([np.eye(n)[None], K]), np.append(float(n), rs)
    c = {"sum": rs.sum(), "one": 1.0, "n": float(n), "p": float(len(K))}[budget]
    a, t = cp.Variable(n), cp.Variable()
    forms = [t >= cp.sum_squares((root(K_i) * y) @ a) / r_i for K_i, r_i in zip(K, rs, strict=True)]
    cost = c * t
    if norm == 2 and C is not None:
        cost = cost + (1 / C if ridge is None else ridge) * cp.sum_squares(a)
    box = [a >= 0, *((a <= C,) if (norm == 1 or both) and C is not None else ()), *((y @ a == 0,) if offset else ())]  # fmt: skip  # noqa: E501
    value = best(cp.Maximize(scale * (2 * cp.sum(a) - cost)), [*forms, *box])
    mu = np.array([number(f.dual_value) for f in forms]) / rs
    return {"alpha": np.clip(a.value, 0, None), "mu": mu, "value": value, "t": number(t.value)}


def labelled(kernels, Y, C, lam=None, beta=None, *, half=0.5, omega=1.0):
    """tang2009: (2), Theorem 3.1 as printed, and (11) by its multiplier λ."""
    (k, n), p = Y.shape, len(kernels)
    a = cp.Variable((k, n))
    G = [[cp.sum_squares((root(K) * y) @ a[t]) for t, y in enumerate(Y)] for K in kernels]
    box = [a >= 0, a <= C, *(Y[t] @ a[t] == 0 for t in range(k))]
    if lam is None and beta is None:  # one kernel each
        value = best(cp.Maximize(cp.sum(a) - half * sum(G[t][t] for t in range(k))), box)
        return {"alpha": np.clip(a.value, 0, C), "value": value}
    s, s0, st = cp.Variable(), cp.Variable(), cp.Variable(k)
    price = cp.Variable(nonneg=True) if lam is None else lam
    shared = [s0 >= sum(G[i]) for i in range(p)]
    own = [[st[t] >= G[i][t] for i in range(p)] for t in range(k)]
    objective = cp.sum(a) - half * s - (price * beta if lam is None else 0)
    value = best(cp.Maximize(objective), [*box, s >= s0, s >= cp.sum(st) - omega * k * price, *shared, *(c for row in own for c in row)])  # fmt: skip  # noqa: E501
    zeta = np.array([number(c.dual_value) for c in shared]) / half
    gamma = np.array([[number(c.dual_value) for c in row] for row in own]) / half
    return {"alpha": np.clip(a.value, 0, C), "zeta": zeta, "gamma": gamma, "theta": zeta + gamma, "value": value}  # fmt: skip  # noqa: E501


def gates(X, V, v0, how="softmax"):
    z = X @ V.T + v0
    e = np.exp(z)
    if how == "logistic":
        return (1 / (1 + np.exp(-z))).T
    if how == "exp":
        return e.T
    return (e / e.sum(1 if how == "softmax" else 0, keepdims=True)).T


def localized(kernels, X, V, v0, *, how="softmax", power=1.0):
    eta = gates(X, V, v0, how) ** power
    return sum(np.outer(e, e) * K for e, K in zip(eta, kernels, strict=True))


# -- Similarities that are no kernels -------------------------------------------------------------


def learned(S, y, loss, ridge, weight, *, term="norm", offset=True, alpha_over=None):
    """min loss·Σξ + ridge·zᵀK⁻¹z + weight·‖K - S‖ or its square, the K free: (6) and (7)."""
    n = len(y)
    z, b, xi = cp.Variable((n, 1)), cp.Variable(), cp.Variable(n, nonneg=True)
    K, u = cp.Variable((n, n), symmetric=True), cp.Variable((1, 1))
    margin = cp.multiply(y, z[:, 0] + (b if offset else 0)) >= 1 - xi
    far = cp.norm(K - S, "fro") if term == "norm" else cp.sum_squares(K - S)
    objective = loss * cp.sum(xi) + ridge * u[0, 0] + weight * far
    value = best(cp.Minimize(objective), [margin, cp.bmat([[K, z], [z.T, u]]) >> 0])
    over = 2 * ridge if alpha_over is None else alpha_over
    alpha = np.clip(margin.dual_value, 0, None) / over
    b = number(b.value) if offset else 0.0
    return {"alpha": alpha, "K": K.value, "z": z.value[:, 0], "b": b, "value": value}


def spectral(S, y, eta, gamma, *, h="clip", total=False, offset=True, alpha_over=None):
    """(12): the eigenvalues multiplied by a, h(a) = ‖a - a_h‖ with the a of clip or flip."""
    n = len(y)
    Lam, U = np.linalg.eigh(S)
    z, a, u, v = cp.Variable(n), cp.Variable(n), cp.Variable(n), cp.Variable()
    b, xi = cp.Variable(), cp.Variable(n, nonneg=True)
    margin = cp.multiply(y, U @ z + (b if offset else 0)) >= 1 - xi
    goal = (Lam >= 0) * 1.0 if h == "clip" else np.sign(Lam)
    kept = cp.multiply(Lam, a)
    cones = [cp.quad_over_lin(z[i], kept[i]) <= u[i] for i in range(n)]
    loss = cp.sum(xi) if total else cp.sum(xi) / n
    objective = loss + eta * cp.sum(u) + gamma * v
    value = best(cp.Minimize(objective), [margin, kept >= 0, cp.norm(a - goal) <= v, *cones])
    over = 2 * eta if alpha_over is None else alpha_over
    b = number(b.value) if offset else 0.0
    return {"alpha": np.clip(margin.dual_value, 0, None) / over, "a": a.value, "z": z.value, "U": U, "b": b, "value": value}  # fmt: skip  # noqa: E501


def robust(S, y, C, rho, tau, *, loss="L3", together=True, offset=True):
    """kundu2010's (4) (one K for all Sᵢ) and (6), with the dual of the machine inside."""
    m, n = len(S), len(y)
    s, b = cp.Variable(), cp.Variable()
    nu, delta = cp.Variable(n, nonneg=True), cp.Variable(n, nonneg=True)
    right = 1 + nu - delta + (b * y if offset else 0)
    K = [cp.Variable((n, n), symmetric=True) for _ in range(1 if together else m)]
    w = [right] if together else [cp.Variable(n) for _ in range(m)]
    YY = np.outer(y, y)
    lmi = []
    for K_i, w_i in zip(K, w, strict=True):
        column = cp.reshape(w_i, (n, 1), order="C")
        lmi.append(cp.bmat([[cp.multiply(YY, K_i), column], [column.T, cp.reshape(s, (1, 1), order="C")]]) >> 0)  # fmt: skip  # noqa: E501
    L = {"L1": lambda D: cp.sum(cp.abs(D)), "L2": lambda D: cp.norm(D, "fro"), "L3": cp.sum_squares}[loss]  # fmt: skip  # noqa: E501
    far = sum(L((K[0] if together else K[i]) - S[i]) for i in range(m))
    traces = [cp.trace(K_i) == tau for K_i in K]
    split = [] if together else [sum(w) == right]
    value = best(cp.Minimize(s / 2 + C * cp.sum(delta) + rho * far), [*lmi, *traces, *split])
    found = [K_i.value for K_i in K]
    Z = [c.dual_value for c in lmi]
    gamma = np.array([2 * Z_i[n, n] for Z_i in Z])
    alpha = np.average([-2 * Z_i[:n, n] for Z_i in Z], axis=0, weights=np.maximum(gamma, 1e-9))
    made = {"alpha": np.clip(alpha, 0, C), "value": value}
    return made | ({"K": found[0]} if together else {"K": np.stack(found), "gamma": gamma})


def shared_budget(kernels, y, C, *, offset=True, half=0.5, total=1.0, norm=1):
    """kundu2010's (10), its γ in the denominators."""
    m, n = len(kernels), len(y)
    a, g = cp.Variable(n), cp.Variable(m, nonneg=True)
    forms = sum(cp.quad_over_lin((root(K) * y) @ a, g[i]) for i, K in enumerate(kernels))
    box = [a >= 0, a <= C, cp.norm(g, norm) <= total, *((y @ a == 0,) if offset else ())]
    value = best(cp.Maximize(cp.sum(a) - half * forms), box)
    return {"alpha": np.clip(a.value, 0, C), "gamma": g.value, "value": value}


def budgeted(kernels, y, C, tau, *, r=None):
    """kundu2010's (5) at given kernels; β off the multipliers."""
    r = np.trace(kernels, axis1=1, axis2=2) if r is None else r
    a, t = cp.Variable(len(y)), cp.Variable()
    forms = [t >= cp.sum_squares((root(K) * y) @ a) / s for K, s in zip(kernels, r, strict=True)]
    value = best(cp.Maximize(cp.sum(a) - tau * t / 2), [*forms, a >= 0, a <= C, y @ a == 0])
    beta = 2 * np.array([number(f.dual_value) for f in forms]) / r
    return {"alpha": np.clip(a.value, 0, C), "beta": beta, "value": value}
