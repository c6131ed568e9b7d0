"""The errata of ye2008 in ten lines of numpy or scipy each, without this package.

Every snippet ends by printing two numbers: what the paper prints, and what is true.
"""

from __future__ import annotations

from textwrap import dedent

_SNIPPETS = {
    "ye2008-eq4": """
        import numpy as np
        X, y = np.random.default_rng(0).normal(size=(14, 3)), np.repeat([1, -1], [9, 5])
        X[y > 0] += 0.7; G, lam, I = X @ X.T, 0.3, np.eye(14)
        a = np.where(y > 0, 1 / 9, -1 / 5); d = X.T @ a; m = np.where(y > 0, 9, 5)
        J = (I - (y[:, None] == y) / m) / np.sqrt(m)[:, None]  # below (3)
        four = a @ G @ (a - J @ np.linalg.solve(lam * I + J @ G @ J, J @ G @ a)) / lam
        S = [np.cov(X[y == s].T, bias=True) for s in (1, -1)]
        true = d @ np.linalg.solve(9 / 14 * S[0] + 5 / 14 * S[1] + lam * np.eye(3), d)
        print(four, true)  # (4) as printed, the maximum of (1)
    """,
    "ye2008-eq4-alpha": """
        import numpy as np
        X, y = np.random.default_rng(0).normal(size=(14, 3)), np.repeat([1, -1], [9, 5])
        X[y > 0] += 0.7; G, lam, I = X @ X.T, 0.3, np.eye(14)
        a = np.where(y > 0, 1 / 9, -1 / 5); m = np.where(y > 0, 9, 5)
        J = (I - (y[:, None] == y) / m) / np.sqrt(m)[:, None]  # below (3)
        alpha = (a - J @ np.linalg.solve(lam * I + J @ G @ J, J @ G @ a)) / lam
        S = [np.cov(X[y == s].T, bias=True) for s in (1, -1)]
        w = np.linalg.solve(9 / 14 * S[0] + 5 / 14 * S[1] + lam * np.eye(3), X.T @ a)
        print((X.T @ alpha)[0], w[0])  # the first entries of φα* and of w*
    """,
    "ye2008-eq6": """
        import numpy as np
        rng, y = np.random.default_rng(0), np.repeat([1, -1], [9, 5])
        X = rng.normal(size=(14, 3)) * [1, 0.4, 2]; X[y > 0] += 0.7
        d = X[y > 0].mean(axis=0) - X[y < 0].mean(axis=0); lam, I = 0.3, np.eye(3)
        S = [np.cov(X[y == s].T, bias=True) for s in (1, -1)]
        w1 = np.linalg.solve(9 / 14 * S[0] + 5 / 14 * S[1] + lam * I, d)  # of (1)
        w6 = [np.linalg.solve(14 * np.cov(X.T, bias=True) + c * lam * I, d) for c in (1, 14)]
        cosine = [w @ w1 / np.linalg.norm(w) / np.linalg.norm(w1) for w in w6]
        print(cosine[0], cosine[1])  # (6) at λ as printed, at mλ
    """,
    "ye2008-convex": """
        import numpy as np
        rng, P = np.random.default_rng(1), np.eye(8) - 1 / 8
        G = [c * P @ x @ x.T @ P for c, x in zip((1.0, 9.0), rng.normal(size=(2, 8, 3)))]
        a, lam, w = np.repeat([0.25, -0.25], 4), 0.5, np.linspace(0, 1, 1001)
        def F3(s, t):
            return a @ np.linalg.solve(np.eye(8) + (s * G[0] + t * G[1]) / lam, a)
        r = [np.trace(g) for g in G]
        convex = w[np.argmin([F3(1 - x, x) for x in w])]  # Σθᵢ = 1
        x = w[np.argmin([F3((1 - x) / r[0], x / r[1]) for x in w])]  # θᵀr = 1, as in (13)
        print(convex, x / r[1] / ((1 - x) / r[0] + x / r[1]))  # the second kernel's part of Σθᵢ
    """,
    "ye2008-thm2.2-recovery": """
        import numpy as np  # one kernel: t ≥ βᵀG̃β/r has the multiplier μ, and (13) is explicit
        P, x = np.eye(8) - 1 / 8, np.random.default_rng(0).normal(size=(8, 3))
        G = P @ x @ x.T @ P; r, lam = np.trace(G), 0.1
        a = np.repeat([1 / 3, -1 / 5], [3, 5])
        b = np.linalg.solve(np.eye(8) / 2 + G / (2 * lam * r), a)  # the optimal β, θ = 1/r
        # stationarity of -¼βᵀβ + βᵀa - t/(4λ) + μ(t - βᵀG̃β/r) in β: a - β/2 = 2μG̃β/r
        mu = (a - b / 2) @ (G @ b) / (2 * (G @ b) @ (G @ b) / r)
        print(mu, 1 / r)  # the dual variable, the weight θ = 4λμ/r
    """,
    "ye2008-eq43-recovery": """
        import numpy as np  # two kernels, the identity and G̃, both in use; μ from stationarity
        P, x = np.eye(8) - 1 / 8, np.random.default_rng(0).normal(size=(8, 3))
        G = P @ x @ x.T @ P; r = np.array([8.0, np.trace(G)])
        a, w = np.repeat([1 / 3, -1 / 5], [3, 5]), np.linspace(1e-3, 0.999, 10001)
        e, V = np.linalg.eigh(G); c = (V.T @ a) ** 2  # aᵀ(θ₀I + θ₁G̃)⁻¹a = Σ c/(θ₀ + θ₁e)
        w = w[np.argmin([np.sum(c / (u / r[0] + (1 - u) * e / r[1])) for u in w])]
        theta = np.array([w, 1 - w]) / r
        b = 2 * np.linalg.solve(theta[0] * np.eye(8) + theta[1] * G, a)
        mu = np.linalg.lstsq(np.c_[2 * b / r[0], 2 * G @ b / r[1]], a, rcond=None)[0]
        print(mu[1], theta[1])  # the dual variable, the weight θ₁ = 4μ₁/r₁
    """,
    "ye2008-thm2.3-sense": """
        import numpy as np
        rng, P = np.random.default_rng(0), np.eye(8) - 1 / 8
        G = [P @ x @ x.T @ P for x in rng.normal(size=(2, 8, 3))]
        a, lam, w = np.repeat([0.25, -0.25], 4), 0.5, np.linspace(0, 1, 101)
        M = [np.eye(8) + sum(u * g / np.trace(g) for u, g in zip((1 - x, x), G)) / lam for x in w]
        b = [2 * np.linalg.solve(m, a) for m in M]  # (21): the most violated cut of (16)
        gamma = [0.25 * v @ m @ v - v @ a for m, v in zip(M, b)]  # min over β of ΣθᵢSᵢ(β)
        F3 = [a @ np.linalg.solve(m, a) for m in M]  # min over w of (12)
        print(F3[np.argmax(gamma)], max(F3))  # F₃* at the kernel of (16), its maximum
    """,
    "ye2008-table1-sdp": """
        n, p, k = 100, 10, 5  # (32): unknown are θ₁, …, θ_p and t₁, …, t_k, and nothing else
        print(p + n, p + k)  # variables in O((p + n)²(k + n)^2.5), variables of (32)
    """,
    "ye2008-eq24": """
        import numpy as np
        y = np.repeat([0, 1, 2], [7, 5, 3]); n = len(y); size = np.bincount(y)
        X = np.random.default_rng(0).normal(size=(n, 2)) + y[:, None]
        inside = y[:, None] == np.arange(3)
        n_j = size[y][:, None]  # (24) as printed: j is the sample
        H = np.where(inside, np.sqrt(n / n_j), 0) - np.sqrt(n_j / n)
        D = [X[y == i].mean(axis=0) - X.mean(axis=0) for i in range(3)]
        B = sum(n * m * np.outer(d, d) for m, d in zip(size, D))  # between the classes
        print(np.trace(X.T @ H @ H.T @ X), np.trace(B))
    """,
    "ye2008-eq25-order": """
        import numpy as np
        from scipy.linalg import eigh
        rng, y = np.random.default_rng(0), np.repeat([0, 1, 2], [6, 4, 3]); n = 13
        X = rng.normal(size=(n, n)); G, P = X @ X.T, np.eye(n) - 1 / n
        H = np.stack([np.sqrt(n / np.sum(y == i)) * P @ (y == i) for i in range(3)], axis=1)
        S_t, S_b = G @ P @ G + 0.3 * G, G @ H @ H.T @ G
        values, Z = eigh(S_b, S_t)  # ZᵀS_tZ = I, ZᵀS_bZ = Σ_b in non-decreasing order
        A = Z[:, :2]  # the first q = rank S_b columns
        print(np.trace(A.T @ S_b @ A), np.trace(np.linalg.solve(S_t, S_b)))  # F₄ there, F₄*
    """,
    "ye2008-sec6-W": """
        import numpy as np
        rng, y = np.random.default_rng(0), np.repeat([0, 1, 2], [7, 5, 3]); n = 15
        X = (rng.normal(size=(n, 4)) + y[:, None]).T; P = np.eye(n) - 1 / n
        H = np.stack([np.sqrt(n / np.sum(y == i)) * P @ (y == i) for i in range(3)], axis=1)
        M = X @ P @ X.T + 0.3 * np.eye(4)  # Σ_K + λI
        W = np.linalg.solve(M, X @ H)  # maximizes (26), one column per class
        gram = W.T @ M @ W
        cosine = gram[0, 1] / np.sqrt(gram[0, 0] * gram[1, 1])
        print(cosine, 0.0)  # in the W that maximizes (23), eigenvectors, it is 0
    """,
    "ye2008-thm3.1-close": """
        import numpy as np  # one kernel, k = 3 equal classes: θ = 1/r, and both are explicit
        y = np.repeat([0, 1, 2], 4); n, P = 12, np.eye(12) - 1 / 12
        X = np.random.default_rng(0).normal(size=(n, 2)) + y[:, None]
        G = P @ X @ X.T @ P; M = np.eye(n) + G / np.trace(G) / 0.05
        H = np.stack([np.sqrt(n / 4) * P @ (y == i) for i in range(3)], axis=1)
        S = H.T @ np.linalg.solve(M, H)
        exact = np.trace(S)  # (29): tⱼ = Sⱼⱼ
        Z = 1.5 * (np.eye(3) - 1 / 3)  # diag(t) ⪰ S, Z ⪰ 0, diag Z = 1: Σtⱼ ≥ trace(SZ)
        print(np.trace(S @ Z), exact)  # (32) is at least the first
    """,
    "ye2008-two-restricted": """
        import numpy as np
        from scipy.optimize import minimize_scalar
        y = np.repeat([1, -1], [9, 5]); n, P = 14, np.eye(14) - 1 / 14
        X = np.random.default_rng(0).normal(size=(n, 2)) + y[:, None]
        G = P @ X @ X.T @ P; M = np.eye(n) + G / np.trace(G) / 0.05
        H = np.stack([np.sqrt(n / np.sum(y == s)) * P @ (y == s) for s in (1, -1)], axis=1)
        S = H.T @ np.linalg.solve(M, H); a = np.where(y > 0, 1 / 9, -1 / 5)
        # (32): t₁ + t₂ with (t₁ - S₁₁)(t₂ - S₂₂) = S₁₂²; u = t₁ - S₁₁
        best = minimize_scalar(lambda u: np.exp(u) + S[0, 1] ** 2 / np.exp(u)).fun
        print(np.trace(S) + best, 9 * 5 * a @ np.linalg.solve(M, a))  # (32), n₁n₂ times (8)
    """,
    "ye2008-eq33": """
        import numpy as np
        rng, y = np.random.default_rng(0), np.repeat([0, 1, 2], 4); n, P = 12, np.eye(12) - 1 / 12
        X = rng.normal(size=(n, 3)), y[:, None] + rng.normal(size=(n, 1))
        G = [P @ x @ x.T @ P for x in X]
        H = np.stack([np.sqrt(n / 4) * P @ (y == i) for i in range(3)], axis=1)
        w, r, lam = np.linspace(0, 1, 101), [np.trace(g) for g in G], 0.5
        K = [(1 - x) * G[0] / r[0] + x * G[1] / r[1] for x in w]
        F6 = [lam * np.trace(H.T @ np.linalg.solve(k + lam * np.eye(n), H)) for k in K]  # of (33)
        F5 = [np.trace(H.T @ k @ np.linalg.solve(k + lam * np.eye(n), H)) for k in K]  # of (26)
        print(F5[np.argmin(F6)], min(F5))  # F₅* at the minimizer of F₆, its minimum
    """,
    "ye2008-r0": """
        import numpy as np
        n = 8
        P = np.eye(n) - 1 / n
        print(np.trace(P @ np.eye(n) @ P), np.trace(np.eye(n)))  # centred as G̃ᵢ = PGᵢP is, G̃₀ = I
    """,
    "ye2008-eq42": """
        import numpy as np  # one kernel: θ̃ = (θ₀, θ₁) with mθ₀ + rθ₁ = 1
        P, x = np.eye(8) - 1 / 8, np.random.default_rng(0).normal(size=(8, 3))
        G = P @ x @ x.T @ P; r, a = np.trace(G), np.repeat([1 / 3, -1 / 5], [3, 5])
        def F7(first, second):  # max over β of -¼βᵀ(θ₀I + θ₁G̃)β + βᵀa
            return a @ np.linalg.solve(first * np.eye(8) + second * G, a)
        shares = np.linspace(0.001, 0.999, 9999)
        right = min((F7(w / 8, (1 - w) / r), w / 8) for w in shares)
        print(F7(right[1], 1 / r), right[0])  # the left side of (42) at τ = 1/θ₀, the right side
    """,
    "ye2008-F8": """
        import numpy as np  # one kernel; for fixed K and τ = 1/λ, max over W of F₈ is explicit
        rng, y = np.random.default_rng(0), np.repeat([0, 1, 2], 4); n, P = 12, np.eye(12) - 1 / 12
        X = rng.normal(size=(n, 2)) + y[:, None]; G = P @ X @ X.T @ P; G = G / np.trace(G)
        H = np.stack([np.sqrt(n / 4) * P @ (y == i) for i in range(3)], axis=1)
        w = np.linspace(0.001, 0.999, 999)  # θ₀ = w/n, θ₁ = 1 - w: the budget of (45)
        inverse = [np.linalg.solve(u / n * np.eye(n) + (1 - u) * G, H) for u in w]
        F9 = [np.trace(H.T @ X) for X in inverse]  # what (45), (46) and (47) make small
        F8 = [u / n * np.trace(H.T @ ((1 - u) * G @ X)) for u, X in zip(w, inverse)]
        print(F8[np.argmin(F9)], max(F8))  # F₈ at the joint optimum, its maximum
    """,
    "ye2008-F9": """
        import numpy as np
        rng, n, tau = np.random.default_rng(0), 8, 2.0
        phi, h = rng.normal(size=(n, n)), np.repeat([0.25, -0.25], 4); P = np.eye(n) - 1 / n
        def least(A):  # min over w of τ‖Aw - h‖² + ‖w‖²
            w = np.linalg.solve(A.T @ A + np.eye(n) / tau, A.T @ h)
            return tau * np.sum((A @ w - h) ** 2) + w @ w
        G = P @ phi.T @ phi @ P
        print(least(phi @ P.T), h @ np.linalg.solve(np.eye(n) / tau + G, h))  # F₉*, and (40)
    """,
    "ye2008-eq45": """
        import numpy as np  # k = 3 equal classes: at every θ̃ the LMI costs 3/2 at least
        y = np.repeat([0, 1, 2], 4); n, P = 12, np.eye(12) - 1 / 12
        X = np.random.default_rng(0).normal(size=(n, 2)) + y[:, None]; G = P @ X @ X.T @ P
        H = np.stack([np.sqrt(n / 4) * P @ (y == i) for i in range(3)], axis=1)
        Z, both = 1.5 * (np.eye(3) - 1 / 3), []  # Z ⪰ 0, diag Z = 1: Σtⱼ ≥ trace(SZ)
        for w in np.linspace(0.001, 0.999, 999):  # θ₀ = w/n, θ₁ = (1 - w)/r
            S = H.T @ np.linalg.solve(w / n * np.eye(n) + (1 - w) * G / np.trace(G), H)
            both.append((np.trace(S @ Z), np.trace(S)))
        print(*np.min(both, axis=0))  # (45) is at least the first; (46) is the second
    """,
}

CODE = {id: dedent(snippet).strip() for id, snippet in _SNIPPETS.items()}
