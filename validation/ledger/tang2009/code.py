"""The errata of tang2009 in ten lines of numpy each, without this package.

Every snippet ends by printing two numbers: what the paper prints, and what is true.
"""

from __future__ import annotations

from textwrap import dedent

_SNIPPETS = {
    "tang2009-eq7": """
        import numpy as np
        theta = np.array([[0.6, 0.4], [0.5, 0.5]])  # two labels, two kernels
        splits = [np.zeros(2), theta.min(axis=0)]  # two ζ with θ = ζ + γ, γ ≥ 0
        Omega = [(theta - zeta).sum() / 2 for zeta in splits]
        print(Omega[0], Omega[1])  # the same kernels, two values of (7)
    """,
    "tang2009-eq8": """
        import numpy as np
        rng = np.random.default_rng(0)
        X, y, a = rng.normal(size=(6, 3)), np.repeat([1, -1], 3), rng.random(6)
        G, yy = X @ X.T, np.outer(y, y)
        print(a @ (G * yy * yy) @ a, a @ (G * yy) @ a)  # (8) with Gᵢᵗ = Gᵢ ∘ yᵗyᵗᵀ, with Gᵢ
    """,
    "tang2009-thm3.1-recovery": """
        import numpy as np  # one label, one kernel G = I, y = (1, -1): α = (a, a), and ζ = 1
        a = np.linspace(0, 2, 200001)
        def optimum(eps):  # max 2a - s/2 with s = s₀ ≥ G(α) - eps
            return np.max(2 * a - (2 * a**2 - eps) / 2)
        multiplier = (optimum(1e-3) - optimum(0.0)) / 1e-3
        print(multiplier, 1.0)  # the dual variable, the weight
    """,
    "tang2009-thm3.1-variables": """
        import numpy as np
        n, k = 5, 3
        alpha, s, s0, s_t = np.zeros((k, n)), np.zeros(1), np.zeros(1), np.zeros(k)
        print(n * k + 2, sum(v.size for v in (alpha, s, s0, s_t)))  # as printed, counted
    """,
    "tang2009-appA-line2": """
        import numpy as np
        G = np.array([[1.0, 4.0], [3.0, 2.0]])  # Gᵢᵗ(α), a row for each label t
        zeta = np.linspace(0, 1, 101)  # (ζ₁, 1 - ζ₁), c₁ = 1
        left = max(z * G[:, 0].sum() + (1 - z) * G[:, 1].sum() for z in zeta)
        print(max(z * G[:, 0].max() + (1 - z) * G[:, 1].max() for z in zeta), left)
    """,
    "tang2009-appA-line3": """
        import numpy as np
        G = np.array([[1.0, 4.0], [3.0, 0.5]])  # Gᵢᵗ(α), a row for each label t
        zeta = np.linspace(0, 1, 101)  # (ζ₁, 1 - ζ₁), c₁ = 1
        left = max(z * G[:, 0].sum() + (1 - z) * G[:, 1].sum() for z in zeta)
        print(G.sum(axis=1).max(), left)  # maxₜ Σᵢ, the maximum (which is maxᵢ Σₜ)
    """,
    "tang2009-eq10": """
        import numpy as np
        theta = np.eye(3)  # three labels, each with a kernel of its own: ζ = 0, γ = θ
        Omega = theta.sum() / 2  # (7), the least β that allows it
        pairs = [np.abs(s - t).sum() / 2 for s in theta for t in theta]
        print(Omega, max(pairs))  # β, the maximum difference
    """,
    "tang2009-share": """
        import numpy as np  # two labels, both y = (1, -1); kernels I and 3I; α = (a, a), C = 2
        w, a = np.linspace(0, 1, 101), np.linspace(0, 2, 2001)
        machine = [np.max(2 * a - a**2 * ((1 - x) + 3 * x)) for x in w]
        x = w[np.argmin(machine)]  # the optimum of either label, whatever β is
        theta, beta, k = np.array([[1 - x, x]] * 2), 1.0, 2
        print(1 - 2 * beta / k, theta.min(axis=0).sum())  # the portion by β, what is shared
    """,
    "tang2009-step2": """
        import numpy as np
        D = np.array([2.0, 3.0])  # D(α, G₁), D(α, G₂) at one α
        w = np.linspace(0, 1, 100001)
        printed = np.max([(1 - w) * D[0], w * D[1]], axis=0).min()  # θᵢD(α, Gᵢ) ≤ g, each i
        print(printed, ((1 - w) * D[0] + w * D[1]).min())  # the least g: as printed, with Σᵢ
    """,
    "tang2009-average": """
        import numpy as np  # one label, y = (1, -1); kernels I and 3I; α = (a, a), C = 2
        w, a = np.linspace(0, 1, 101), np.linspace(0, 2, 2001)
        machine = [np.max(2 * a - a**2 * ((1 - x) + 3 * x)) for x in w]
        print(machine[50], min(machine))  # the average kernel, the Same model
    """,
}
CODE = {id: dedent(text).strip() for id, text in _SNIPPETS.items()}
