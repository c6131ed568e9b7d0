"""The errata of kundu2010 in ten lines of numpy or scipy each, without this package.

Every snippet ends by printing two numbers: what the paper prints, and what is true.
"""

from __future__ import annotations

from textwrap import dedent

_SNIPPETS = {
    "kundu2010-eq7-index": """
        import numpy as np  # m = 2 similarities of n = 5 samples
        B = np.random.default_rng(0).normal(size=(5, 5))
        V, tau, m = np.linalg.eigh(B + B.T)[1], 1.0, 2
        mu = np.array([0.3, 0.7, 2.0, 4.0, 8.0])  # the first m add up to τ, as (7) prints
        print(np.trace((V * mu) @ V.T), tau)  # the trace of K as (7) prints it, τ
    """,
    "kundu2010-chen12": """
        import numpy as np  # C near zero: the loss is all, and chen2009's (12) takes μ = max(λ, 0)
        lam, tau = np.array([-1.0, 0.5, 1.0, 2.0]), 4.0
        chen = np.linalg.norm(np.maximum(lam, 0) - lam)
        x = np.linspace(-9, 9, 180001)  # μ = max(λ - x, 0) with Σμ = τ, the nearest in (7)
        total = np.maximum(lam[:, None] - x, 0).sum(axis=0)
        mu = np.maximum(lam - x[np.argmin(np.abs(total - tau))], 0)
        print(np.linalg.norm(mu - lam), chen)  # (7), the program said to be a case of it
    """,
    "kundu2010-omega": """
        import numpy as np  # K₁ = K₂ = I, n = 2, y = (1, -1): α = (a, a), αᵀYKᵢYα = 2a²
        a, w = np.linspace(0, 1, 100001), np.linspace(1e-3, 1, 1000)
        five = (2 * a - (2 * a**2) / 2).max()  # every βK₁ + (1 - β)K₂ is I
        gamma = np.stack([w, 1 - w + 1e-12])
        ten = (2 * a - (2 * a**2) * (1 / gamma).sum(axis=0).min() / 2).max()
        print(five, ten)  # (5), (10)
    """,
    "kundu2010-eq6-convex": """
        import numpy as np  # n = 2, y = (1, -1), α = (a, a): αᵀYKYα = 2a²q, q = K's at y/√2
        a, b = np.linspace(0, 1, 1001), np.linspace(0, 1, 1001)
        d = np.outer([1, -1], [1, -1]) / 2
        A, B = 2 * d, 0.4 * d + 0.8 * np.ones((2, 2))  # both of trace 2
        def five(K, L):  # the least over β of the largest over a
            q = [np.array([1, -1]) @ M @ [1, -1] for M in (K, L)]
            return (2 * a - np.outer(b * q[0] + (1 - b) * q[1], a**2) / 2).max(axis=1).min()
        print((five(A, B) + five(B, A)) / 2, five((A + B) / 2, (A + B) / 2))  # convex: ≥
    """,
    "kundu2010-lipschitz": """
        import numpy as np  # y = (1, -1), K₁ = I, K₂ = 2((1 - ε)vvᵀ + εddᵀ), d = y/√2, C = 1
        def omega(eps):  # α = (a, a): Σ√qᵢ = a(√2 + 2√ε)
            bend = (np.sqrt(2) + 2 * np.sqrt(eps)) ** 2
            a = min(1.0, 2 / bend)
            return 2 * a - a**2 * bend / 2
        # ‖K₂(ε) - K₂(0)‖ = ε√8: a constant would bound both quotients
        print(*((omega(0) - omega(e)) / (np.sqrt(8) * e) for e in (1e-2, 1e-8)))
    """,
    "kundu2010-lem3.1": """
        import numpy as np  # C near zero: F(K) = ρ‖K - S‖_F but for C; m = 1
        rho, S = 5.0, np.diag([2.0, 0.0])
        K, other = np.eye(2), np.diag([0.5, 1.5])
        F = lambda K: rho * np.linalg.norm(K - S)
        g = (K - S) / np.linalg.norm(K - S)  # (12) as printed
        slope = (F(K + 1e-6 * (other - K)) - F(K)) / 1e-6
        print((g * (other - K)).sum(), slope)  # ⟨F′, K′ - K⟩, the derivative of F towards K′
    """,
    "kundu2010-alg3-subgradient": """
        import numpy as np  # C near zero: g(μ) = ρ‖μ - λ‖ but for C; m = 1
        rho, lam = 5.0, np.array([2.0, 0.0])
        mu, other = np.ones(2), np.array([0.5, 1.5])
        g = lambda mu: rho * np.linalg.norm(mu - lam)
        printed = (mu - lam) / np.linalg.norm(mu - lam)  # g′ of Algorithm 3
        print(printed @ (other - mu), (g(mu + 1e-6 * (other - mu)) - g(mu)) / 1e-6)
    """,
    "kundu2010-alg1": """
        import numpy as np
        from scipy.linalg import expm, logm
        rng, n = np.random.default_rng(0), 4; B, g = rng.normal(size=(2, n, n))
        K, g = expm((B + B.T) / 2), g + g.T; K *= n / np.trace(K)
        d, V = np.linalg.eigh(g); lam = np.linalg.eigvalsh(K) * np.exp(-0.1 * d)
        printed = (V * (n * lam / lam.sum())) @ V.T  # Algorithm 1, η = 0.1
        true = expm(logm(K) - 0.1 * g); true *= n / np.trace(true)
        def step(X):  # what the step minimizes: η⟨f′, X⟩ + B(X, K)
            return 0.1 * (g * X).sum() + (X * (logm(X) - logm(K))).sum()
        print(step(printed), step(true))
    """,
    "kundu2010-prop3.1": """
        import numpy as np  # C near zero: f = ‖K - S‖_F but for C, Lip = 1, optimum 0
        S, K, lam, f = np.diag([0.5, 1.0, 1.5]), np.eye(3), np.ones(3), []
        for t in range(1, 201):
            f.append(np.linalg.norm(K - S))
            d, V = np.linalg.eigh((K - S) / f[-1])
            lam = lam * np.exp(-np.sqrt(2 * np.log(3) / t) * d)
            lam *= 3 / lam.sum()
            K = (V * lam) @ V.T
        print(3 * np.sqrt(2 * np.log(3) / 200), min(f))  # the bound, what Algorithm 1 reaches
    """,
    "kundu2010-eq15": """
        import numpy as np  # Lip = σ = Θ = 1: T steps prove (1 + ½Ση²)/Ση
        T = 1000
        eta = np.sqrt(2 / np.arange(1, T + 1))  # the steps of (15)
        print(np.sqrt(2 / T), (1 + (eta**2).sum() / 2) / eta.sum())  # (15), what they prove
    """,
    "kundu2010-alg2": """
        import numpy as np  # as η → 0 a step should stay where it is; Algorithm 2 for one i
        rng, n = np.random.default_rng(0), 4
        B, g = rng.normal(size=(2, n, n))
        K, g = B @ B.T, g + g.T
        K *= n / np.trace(K)
        d, V = np.linalg.eigh(g)
        lam = np.linalg.eigvalsh(K) * np.exp(-1e-9 * d)  # η = 1e-9
        moved = (V * (n * lam / lam.sum())) @ V.T
        print(np.linalg.norm(moved - K), 0.0)  # how far the printed step goes, the true one
    """,
    "kundu2010-thm3.2": """
        import numpy as np  # C near zero: F = ρΣ‖Kᵢ - Sᵢ‖_F but for C, m = 2, Lip = ρ, optimum 0
        rho, tau, T = 100.0, 3.0, 60
        x, S, F = np.ones((2, 3)), tau * np.eye(3)[:2], []  # diagonals: here all commute
        for t in range(1, T + 1):
            X = x - S; size = np.linalg.norm(X, axis=1, keepdims=True); F.append(rho * size.sum())
            eta = np.sqrt(2 * np.log(3) / (2 * t)) / rho
            x = x * np.exp(-eta * X / size)  # no ρ, as printed
            x *= tau / x.sum(axis=1, keepdims=True)
        print(2 * tau * rho * np.sqrt(2 * np.log(3) / T), min(F))  # the bound, what is reached
    """,
    "kundu2010-thm3.2-step": """
        import numpy as np
        m, n, tau, t = 3, 50, 2.0, 1
        sigma, B = 1 / (m * tau), m * tau * np.log(n)
        print(np.sqrt(2 * np.log(n) / (m * t)), np.sqrt(2 * sigma * B / t))  # times 1/Lip
    """,
    "kundu2010-complexity": """
        import numpy as np  # f = ω(K) + ‖K - S‖_F: Lip ≤ ½nC² + 1, and τ = n, C = 1, ε = 0.1
        T = lambda n: 2 * np.log(n) * (n * (n / 2 + 1) / 0.1) ** 2  # by Proposition 3.1
        print(np.log(100) / np.log(10), T(100) / T(10))  # growth as stated, by the bound
    """,
}  # fmt: skip
_SNIPPETS["kundu2010-prop3.2"] = _SNIPPETS["kundu2010-thm3.2"].replace("Kᵢ - Sᵢ‖_F", "μᵢ - λᵢ‖")

CODE = {id: dedent(text).strip() for id, text in _SNIPPETS.items()}
