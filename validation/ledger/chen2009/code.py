"""The errata of chen2009 in ten lines of numpy or scipy each, without this package.

Every snippet ends by printing two numbers: what the paper prints, and what is true.
"""

from __future__ import annotations

from textwrap import dedent

_SNIPPETS = {
    "chen2009-eq1-indefinite": """
        import numpy as np
        X = np.random.default_rng(0).normal(size=(9, 2))
        S = -np.sum((X[:, None] - X) ** 2, axis=2)  # indefinite: its diagonal is zero
        P = np.eye(9) - 1 / 9  # v = Yα with yᵀα = 0 is Pv
        print(np.linalg.eigvalsh(S)[0], np.linalg.eigvalsh(P @ S @ P)[0].round(9))  # λ_min
    """,
    "chen2009-eq1-dual": """
        import numpy as np
        from scipy.optimize import minimize_scalar
        eta, n = 0.3, 2  # K = I, y = (1, -1): by symmetry b = 0, c = (t, -t), α = (a, a)
        primal = minimize_scalar(lambda t: max(0, 1 - t) + 2 * eta * t * t).fun  # (3)
        def dual(C):  # (1): 2a - a²
            return -minimize_scalar(lambda a: a * a - 2 * a, bounds=(0, C), method="bounded").fun
        print(dual(1.0), primal, 2 * eta * dual(1 / (2 * eta * n)))
        print(dual(1.0), primal)  # the dual of (3) with C = 1; 2η times it with C = 1/(2ηn) is (3)
    """,
    "chen2009-eq2": """
        from scipy.optimize import minimize
        eta, gamma, s = 0.1, 0.2, -0.5  # K = κI, S = sI, n = 2, y = (1, -1): c = (t, -t), b = 0
        def four(x):  # κ ≥ 0 as x², and the loss made exact by its two pieces
            k, t = x[0] ** 2, x[1]
            return max(0, 1 - k * t) + 2 * eta * k * t * t + gamma * 2**0.5 * abs(k - s)
        def six(x, C=1 / (4 * eta), rho=gamma):  # (2), C = 1/(2ηn), ρ = γ
            k, t = x[0] ** 2, x[1]
            return 2 * C * max(0, 1 - k * t) + k * t * t + 2 * rho * (k - s) ** 2
        starts, how = [(1, t) for t in (0.5, 1, 2)], "Nelder-Mead"
        print(*(min(minimize(f, x, method=how).fun for x in starts) for f in (six, four)))
    """,
    "chen2009-eq4-convex": """
        f = lambda c, K: c * K * c  # n = 1
        print((f(2, 0) + f(0, 2)) / 2, f(1, 1))  # convex: the second is not above the first
    """,
    "chen2009-eq8": """
        import numpy as np
        S, s, psi = np.diag([1.0, -1.0]), np.array([1.0, 1.0]), 0.5
        K = np.diag([1.0, 0.0])  # S clipped: k = (t, 0) and t² ≤ r
        t, r = np.meshgrid(np.linspace(0, 1, 2001), np.linspace(0, 2, 2001))
        two = np.where(t * t <= r, 2 * ((t - 1) ** 2 + 1) + (r - psi) ** 2, np.inf).min()
        print(two, np.sqrt(np.sum((K - S) ** 2) + two))  # the program below (9), and (8)
    """,
    "chen2009-eq8-column": """
        import numpy as np
        S = np.array([[1.0, 2.0], [2.0, 1.0]])  # eigenvalues 3 and -1
        K = np.full((2, 2), 1.5)  # clipped
        s, psi = S[:, 0], S[0, 0]  # the first training sample: k = t(1, 1), t²·2/3 ≤ r
        t = np.linspace(0, 3, 30001); r = np.maximum(t * t * 2 / 3, psi)
        best = t[np.argmin(2 * ((t - s[0]) ** 2 + (t - s[1]) ** 2) + (r - psi) ** 2)]
        print(K[0, 0], best)  # its entry in K, and in the k of (8)
    """,
    "chen2009-eq12-basis": """
        import numpy as np
        a = np.array([2.0, 1.0])  # S = I, and these are two bases of eigenvectors
        one, two = np.eye(2), np.array([[1.0, 1.0], [1.0, -1.0]]) / np.sqrt(2)
        print(*(((U * a) @ U.T)[0, 0] for U in (one, two)))  # K₁₁ of K_a in the two
    """,
    "chen2009-zeros": """
        import numpy as np
        lam = np.array([0.0, 0.0, 1.0, 2.0])  # S ⪰ 0: clip and flip leave it alone
        clip, flip = (lam >= 0) * 1.0, np.sign(lam)
        print(0.0, np.linalg.norm(clip - flip))  # the least of ‖a-a_clip‖ + ‖a-a_flip‖
    """,
}
CODE = {id: dedent(text).strip() for id, text in _SNIPPETS.items()}
