"""The errata of gonen2008 in ten lines of numpy or scipy each, without this package.

Every snippet ends by printing two numbers: what the paper prints, and what is true.
"""

from __future__ import annotations

from textwrap import dedent

_SNIPPETS = {
    "gonen2008-nonnegative": """
        import numpy as np
        rng, tries, indefinite = np.random.default_rng(0), 500, 0
        for _ in range(tries):
            B = rng.normal(size=(3, 8, 4))
            eta = rng.normal(size=(3, 8))  # gates of both signs: excluded by the restriction
            K = sum(np.outer(e, e) * (b @ b.T) for e, b in zip(eta, B))
            d = np.linalg.eigvalsh(K)
            indefinite += d[0] < -1e-12 * d[-1]
        print(tries, indefinite)  # gatings that the restriction excludes, indefinite K_η among them
    """,
    "gonen2008-constant": """
        import numpy as np
        v0 = np.array([0.3, -1.0, 2.0])
        eta = np.exp(v0) / np.exp(v0).sum()  # constant gates, Σ η_m = 1
        K = np.stack([b @ b.T for b in np.random.default_rng(0).normal(size=(3, 6, 2))])
        K_eta = sum(e * k * e for e, k in zip(eta, K))
        weights = np.linalg.lstsq(K.reshape(3, -1).T, K_eta.ravel(), rcond=None)[0]
        print(1.0, weights.sum())  # the sum of the weights in MKL, in K_η
    """,
    "gonen2008-unweighted": """
        import numpy as np  # two points, y = ±1: (7) is max 2a - a²q/2 over 0 ≤ a ≤ C
        K = np.array([[[2.0, 1.0], [1.0, 2.0]], [[1.0, 0.0], [0.0, 3.0]]])
        def J(K, C):
            q = K[0, 0] + K[1, 1] - 2 * K[0, 1]
            a = min(C, 2 / q)
            return 2 * a - a * a * q / 2
        print(J(K.sum(axis=0), 10.0), J(K.sum(axis=0) / 4, 10.0))  # unweighted sum, equal gates
    """,
    "gonen2008-monotone": """
        import numpy as np  # two points, y = ±1, twice the same kernel of unit trace, C = 100
        K, X, y = np.array([[0.5, 0.499], [0.499, 0.5]]), np.array([1.0, 2.0]), np.array([1, -1])
        V, v0, J = np.array([0.01, -0.02]), np.array([0.0, 0.01]), []
        for step in range(3):
            eta = np.exp(np.outer(V, X) + v0[:, None]); eta /= eta.sum(axis=0); u = y * eta
            T = u[:, :, None] * K * u[:, None]; q = T.sum(); a = min(100.0, 2 / q)
            J.append(2 * a - a * a * q / 2); s = -a * a * T.sum(axis=2)
            g = s - eta * s.sum(axis=0); V, v0 = V - 0.01 * g @ X, v0 - 0.01 * g.sum(axis=1)
        print(J[1], J[2])  # what J may be after the second step of 0.01, at most; what it is
    """,
    "gonen2008-smooth": """
        import numpy as np  # y = (1, 1, -1), x = (1, -1, 0), K₁ = φφᵀ, yφ = 1, K₂ = 0, C = 10
        x, sigma = np.array([1.0, -1.0, 0.0]), lambda z: 1 / (1 + np.exp(-z))
        def J(v):  # α = (a, 0, a) or (0, a, a): at v = 0 both are optimal
            return max(2 * a - (a * (s + 0.5)) ** 2 / 2 for a in np.linspace(0, 10, 10001)
                       for s in (sigma(v), sigma(-v)))
        alpha = np.array([2.0, 0.0, 2.0])
        u, du = alpha @ sigma(0 * x), alpha @ (x / 4)
        print(-u * du, (J(1e-3) - J(0)) / 1e-3)  # the printed gradient, the slope to the right
    """,
    "gonen2008-testing": """
        import numpy as np
        rng = np.random.default_rng(0)
        X, Z, V = rng.normal(size=(50, 2)), rng.normal(size=(80, 2)), 5 * rng.normal(size=(3, 2))
        def gates(X):
            e = np.exp(X @ V.T); return e / e.sum(axis=1, keepdims=True)
        near = np.mean((gates(Z) > 0.01)[:, None] & (gates(X) > 0.01))
        print(near, np.mean((gates(Z) != 0)[:, None] & (gates(X) != 0)))  # above 1 %, not zero
    """,
    "gonen2008-accuracy": """
        import numpy as np
        from scipy.stats import norm
        x, y = np.arange(-9, 9, 0.05)[:, None], np.arange(-14, 12, 0.05)
        s = np.sqrt(0.8)
        one = (norm.pdf(x, -3, s) + norm.pdf(x, 1, s)) * norm.pdf(y, 1, np.sqrt(2)) / 4
        two = (norm.pdf(x, -1, s) + norm.pdf(x, 3, s)) * norm.pdf(y, -2.2, 2) / 4
        print(0.9200, np.maximum(one, two).sum() * 0.05**2)  # the paper's, the best there is
    """,
}
CODE = {id: dedent(text).strip() for id, text in _SNIPPETS.items()}
