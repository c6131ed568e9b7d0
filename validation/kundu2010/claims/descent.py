"""Section 3: the mirror maps, the three algorithms, each fault alone, and the rates."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kundu2010 import Similarities
from cvxkernel.solvers.mirror_descent import ESKL, logarithm, mirror, printed_step
from cvxkernel.validation.kundu2010.claims.points import (
    PLAIN,
    apart,
    clipped,
    descend,
    entropy_gap,
    kept,
    mildest,
    oracles,
    promised,
    signs,
    some_point,
    true_runs,
)
from cvxkernel.validation.ledger.claim import (
    Claim,
    Evidence,
    Finding,
    Remark,
    about,
    at_most,
    identity,
    worst,
)
from cvxkernel.validation.ledger.shared import KINDS

T_STEP, T_RHO, T_SIZE = 6000, 400, 60
MANY = 100  # similarities, of one spectrum, so that √m is seen in the step


def sigma(seed: int) -> Evidence:
    """B(K, K′) ≥ ½σ‖K - K′‖² and B(K, (τ/n)I) ≤ τ log n, one block and m of them."""
    found, rng = [], np.random.default_rng(seed)
    for number in (1, 2, 3):
        for kind, oracle in oracles(number, seed):
            p, m = oracle.problem, oracle.blocks
            centre = mirror(oracle.origin(), p.tau)[0]
            for sharp in (0.1, 1.0, 3.0):
                x, z = (
                    mirror(sharp * logarithm(some_point(oracle, rng)), p.tau)[0] for _ in range(2)
                )
                B = entropy_gap(x, z)
                size = (
                    np.abs(x - z).sum(axis=1)
                    if x.ndim == 2
                    else np.sqrt(((x - z) ** 2).sum(axis=(1, 2)))
                )
                least = float(size.sum()) ** 2 / (2 * m * p.tau)
                far, most = entropy_gap(x, centre), m * p.tau * np.log(p.n)
                told = about(kind, {"B": B, "½σ‖·‖²": least, "B to the centre": far, "Θ": most})
                # The logarithms of eigenvalues down to 1e-9 make up B.
                made_of = 40 * m * p.tau
                found.append(at_most(least, B, n=p.n**2, magnitude=made_of, **told))
                found.append(at_most(far, most, n=p.n**2, magnitude=made_of, **told))
    return Evidence(worst(found))


# -- One step -------------------------------------------------------------------------------------


def in_basis(x: Array, g: Array, eta: float, tau: float) -> float:
    """The least η⟨g, K⟩ + B(K, x) over all K = V diag(·)Vᵀ of trace τ, g = V diag(d)Vᵀ.

    By Gibbs -τ log(Σⱼ exp(hⱼ - ηdⱼ)/τ), h the diagonal of Vᵀ(log x)V: no order of the eigenvalues,
    and no other eigenvalues, make the printed step better than this.
    """
    d, V = np.linalg.eigh(g)
    h = np.einsum("ijk,ijl,ilk->ik", V, logarithm(x), V)
    return -tau * float((mirror(h - eta * d, tau)[1] - np.log(tau)).sum())


def one_step(number: int, seed: int) -> Evidence:
    """η⟨f′, K⟩ + B(K, K⁽ᵗ⁾): the least in the eigenbasis of f′, and at exp(log K⁽ᵗ⁾ - ηf′).

    The least of all is -τ log(trace exp(log K⁽ᵗ⁾ - ηf′)/τ), by Gibbs.
    """
    printed, corrected, rng = [], [], np.random.default_rng(seed)
    for kind, oracle in oracles(number, seed):
        p = oracle.problem
        x = some_point(oracle, rng)
        g = oracle.ask(x).gradient
        eta = 1.0 / float(oracle.sizes(g).max())
        H = logarithm(x) - eta * g
        true, total = mirror(H, p.tau)
        least = -p.tau * float((total - np.log(p.tau)).sum())
        if number == 3:  # as it is printed: a product, then normalized
            y = x * np.exp(-eta * g)
            step = p.tau * y / y.sum(axis=1, keepdims=True)
            reached = eta * float(np.vdot(g, step)) + entropy_gap(step, x)
        else:
            reached = in_basis(x, g, eta, p.tau)
        at_true = eta * float(np.vdot(g, true)) + entropy_gap(true, x)
        told = about(kind, {"printed, at best": reached, "true": at_true, "least": least})
        made_of = 40 * oracle.blocks * p.tau
        printed.append(identity(reached, least, n=p.n**2, magnitude=made_of, **told))
        corrected.append(identity(at_true, least, n=p.n**2, magnitude=made_of, **told))
        other = mirror(H + 0.1 * logarithm(some_point(oracle, rng)), p.tau)[0]
        value = eta * float(np.vdot(g, other)) + entropy_gap(other, x)
        corrected.append(at_most(least, value, n=p.n**2, magnitude=made_of, **told))
    return Evidence(mildest(printed), worst(corrected))


def alg1(seed: int) -> Evidence:
    """Algorithm 1's step."""
    return one_step(1, seed)


def alg2(seed: int) -> Evidence:
    """Algorithm 2's step, with the ρ that (12) lacks."""
    return one_step(2, seed)


def eq16(seed: int) -> Evidence:
    """η⟨g′, μ⟩ + B(μ, μ⁽ᵗ⁾) at the printed step, and its least value."""
    found = one_step(3, seed)
    assert found.corrected is not None
    return Evidence(worst([found.printed, found.corrected]))


def commuting(seed: int) -> Finding:
    """L2 with the similarities of every kind, C → 0: K⁽¹⁾ = (τ/n)I commutes, and all that follow.

    The printed step in matching order, eigenvalues beside those of f′ in the basis of S, is then
    the true one.
    """
    found = []
    for kind in KINDS:
        S = clipped(13, kind)
        V = np.linalg.eigh(S)[1]
        g = np.eye(13) - S
        g /= np.linalg.norm(g)
        K = mirror(-0.3 * g[None], 13.0)[0][0]
        X = K - S
        X /= np.linalg.norm(X)
        d = np.einsum("jk,jl,lk->k", V, X, V)
        own = np.einsum("jk,jl,lk->k", V, K, V)  # of K, in the order of d
        new = own * np.exp(-0.2 * d)
        printed = (V * (13 * new / new.sum())) @ V.T
        true = mirror((logarithm(K[None])[0] - 0.2 * X)[None], 13.0)[0][0]
        found.append(identity(printed, true, n=13**2, magnitude=13.0 * 13, instance=kind))
    return worst(found)


# -- Rates, each fault alone ----------------------------------------------------------------------


def instances() -> dict[str, Array]:
    """Kernels of trace 3, which (4) with L1 has for its optimum as C → 0: zero."""
    return {"plain": PLAIN} | {kind: clipped(3, kind) for kind in ("gaussian", "random")}


@cache
def stalls() -> tuple[Array, Array, Array]:
    """Runs of Algorithm 1, as printed and true, on each instance; and how far all that commutes is.

    From t = 2 on K⁽ᵗ⁾ commutes with a subgradient of L1, a matrix of ±1.
    """
    S = np.stack(list(instances().values()))
    far = np.array([apart(one, signs(3)) for one in S])
    runs = [descend(S, 3.0, T_STEP if true else 500, loss="L1", printed=not true)
            for true in (False, True)]  # fmt: skip
    return runs[0], runs[1], far


def after_tie() -> float:
    """The least f(K⁽²⁾) of Algorithm 1 on PLAIN, for any subgradient at K⁽¹⁾ = I: K₁₁ = S₁₁.

    K⁽¹⁾ has one eigenvalue, so that no order matters.
    """
    g = np.where(np.eye(3) - PLAIN >= 0, 1.0, -1.0)
    G = np.stack([g] * 401)
    G[:, 0, 0] = np.linspace(-1, 1, 401)
    x = printed_step(np.ones((401, 3)), G, np.sqrt(2 * np.log(3)) / 3, 3.0)[1]
    return float(np.abs(x - PLAIN).sum(axis=(1, 2)).min())


def prop3_1(seed: int) -> Evidence:
    """The least f of all that Algorithm 1 may reach against the bound at T; and true runs."""
    as_printed, true, far = stalls()
    promise = promised(1, 3, 3.0, 3.0, T_STEP)
    printed, corrected = [], []
    for i, name in enumerate(instances()):
        numbers = {"T": T_STEP, "least f of what commutes": far[i], "bound": promise[-1]}
        numbers["least f of a run"] = as_printed[:, i].min()
        told = about(f"{name}, L1, n = τ = 3, C → 0", numbers)
        printed.append(at_most(far[i], promise[-1], n=9, **told))
        corrected.append(at_most(far[i], float(as_printed[:, i].min()), n=9, **told))
        corrected.append(kept(true[:, i], 0.0, promise, f"{name}, true"))
    corrected.append(at_most(1.69, after_tie(), n=9, **about("plain, f(K⁽²⁾)")))
    return Evidence(mildest(printed), worst([*corrected, *true_runs(1, seed)]))


def spectra(kind: str) -> Array:
    """Eigenvalues of two similarities, kernels of trace 13: the blocks commute with (τ/n)I."""
    lam = np.maximum(np.linalg.eigvalsh(clipped(13, kind)), 0.0)
    lam *= 13 / lam.sum()
    return np.stack([lam, lam[::-1]])


@cache
def without_rho() -> dict[str, tuple[Array, Array]]:
    """F of Algorithms 2 and 3, m = 2, ρ = 100, the step of (15): without ρ before L′ᵢ, and with.

    Lip(F) = ρ; all commutes, so that nothing but the ρ is at fault.
    """
    found = {}
    for kind in KINDS:
        runs = [
            descend(spectra(kind), 13.0, T_RHO, rho=100.0, with_rho=told).sum(axis=1)
            for told in (False, True)
        ]
        found[kind] = (runs[0], runs[1])
    return found


def rate(number: int) -> Callable[[int], Evidence]:
    """Theorem 3.2 or Proposition 3.2 with the ρ left out, and with it."""

    def test(seed: int) -> Evidence:
        promise = promised(2, 13, 13.0, 100.0, T_RHO)
        printed, corrected = [], []
        for kind, (left_out, true) in without_rho().items():
            printed.append(kept(left_out, 0.0, promise, f"{kind}, ρ = 100, C → 0"))
            corrected.append(kept(true, 0.0, promise, f"{kind}, with ρ"))
        return Evidence(mildest(printed), worst([*corrected, *true_runs(number, seed)]))

    return test


@cache
def slow(n: int, over: int) -> Array:
    """L2 and m similarities 1000τvvᵀ, ρ = 1: a block's ‖K⁽ᵗ⁾ - S‖ less its least, 999τ.

    In the eigenbasis of S, where all commutes; `over` is the m of the step.
    """
    S = np.zeros((1, n))
    S[0, 0] = 1000.0 * n
    values: Array = descend(S, float(n), T_SIZE, over=over)[:, 0] - 999.0 * n
    return values


def estimate(eta: Array, lip: float, sigma: float, theta: float) -> float:
    """(Θ + Lip²Ση²/(2σ))/Ση, what T steps of mirror descent prove."""
    return float((theta + lip**2 / (2 * sigma) * (eta**2).sum()) / eta.sum())


def step_size(seed: int) -> Evidence:
    """σ and B put into (15), against the stated step; and runs of equal blocks, m = 100 and 3."""
    printed, corrected, lip = [], [], 1.7
    for n in (4, 13, 50):
        m, tau = MANY, float(n)
        by_15 = np.sqrt(2 / (m * tau) * m * tau * np.log(n)) / lip
        stated, true = np.sqrt(2 * np.log(n) / m) / lip, np.sqrt(2 * np.log(n)) / lip
        told = about(f"m = {m}, n = {n}", {"by (15)": by_15, "stated": stated})
        promise = promised(1, n, tau, 1.0, T_SIZE)  # of a block: m times it for all
        printed += [identity(stated, by_15, n=4, **told)]
        printed += [kept(slow(n, MANY), 0.0, promise, f"m = {m}, n = {n}, the stated step")]
        corrected += [identity(true, by_15, n=4, **told)]
        corrected += [kept(slow(n, 1), 0.0, promise, f"m = {m}, n = {n}, the step of (15)")]
        # with the paper's m the stated step keeps the bound on these
        corrected += [kept(slow(n, 3), 0.0, promise, f"m = 3, n = {n}, the stated step")]
    for m in (2, 3, MANY):  # what the stated step proves, constant as (15) needs it
        sigma, theta = 1 / (13.0 * m), 13.0 * m * np.log(13)
        bound = lip * np.sqrt(2 * theta / (sigma * 100))
        eta = np.full(100, np.sqrt(2 * np.log(13) / 100) / lip)
        told = about(f"m = {m}")
        corrected.append(identity(estimate(eta, lip, sigma, theta), bound, n=100, **told))
        worse = estimate(eta / np.sqrt(m), lip, sigma, theta) / bound
        corrected.append(identity(worse, (m + 1) / (2 * np.sqrt(m)), n=100, **told))
    return Evidence(mildest(printed), worst(corrected))


def eq15(seed: int) -> Evidence:
    """What the steps of (15) prove, against the bound of (15); and what constant ones do."""
    lip, printed, corrected = 2.0, [], []
    for theta, sigma in ((3 * np.log(13), 1 / 3.0), (39 * np.log(13), 1 / 39.0), (2.0, 1.0)):
        for many in (1, 10, 100, 1000):
            t = np.arange(1, many + 1)
            bound = lip * np.sqrt(2 * theta / (sigma * many))
            eta = np.sqrt(2 * sigma * theta) / lip
            falling = estimate(eta / np.sqrt(t), lip, sigma, theta)
            constant = estimate(np.full(many, eta / np.sqrt(many)), lip, sigma, theta)
            told = about(f"T = {many}", {"bound": bound, "1/√t": falling, "1/√T": constant})
            printed.append(at_most(falling, bound, n=many, **told))
            corrected.append(identity(constant, bound, n=many, **told))
            factor = (1 + (1 / t).sum()) * np.sqrt(many) / (2 * (1 / np.sqrt(t)).sum())
            corrected.append(identity(falling, factor * bound, n=many, **told))
    return Evidence(worst(printed), worst(corrected))


def complexity(seed: int) -> Evidence:
    """The first T at which the bounds are ≤ ε, looked for, against 2m² log n (τLip/ε)²."""
    found, tau, lip = [], 2.0, 1.5
    for m, n, eps in ((1, 10, 0.2), (1, 1000, 0.1), (3, 50, 0.5), (8, 200, 0.5)):
        asked = 2 * m**2 * np.log(n) * (tau * lip / eps) ** 2
        T = 1 + int(np.argmax(promised(m, n, tau, lip, 2 * int(asked)) <= eps))
        told = about(f"m = {m}, n = {n}, ε = {eps:g}", {"T": T, "2m² log n (τLip/ε)²": asked})
        found += [at_most(asked, T, n=4, **told), at_most(T - 1, asked, n=4, **told)]
    return Evidence(worst(found))


def growth(seed: int) -> Finding:
    """Lip = ½nC² + ρΣ‖L′ᵢ‖ of (4), and what Proposition 3.1 asks for, n = 10 and 100, τ = n."""
    asked = []
    for n in (10, 100):
        S, y = np.eye(n)[None], np.where(np.arange(n) % 2, 1, -1)
        lip = ESKL(Similarities(S, y, 1.0, 1.0, float(n), "L2")).known_lip()
        asked.append(2 * np.log(n) * (n * lip / 0.1) ** 2)
    told = about("C = ρ = m = 1, L2", {"T(10)": asked[0], "T(100)": asked[1]})
    return identity(asked[1] / asked[0], 2 * (10 * 51 / 6) ** 2, n=4, **told)


# fmt: off
CLAIMS = (
    Claim("kundu2010-sigma", "Sections 3.1 to 3.3, (9), (14), (16) and the proofs",
        "ψ and Ψ are strongly convex with σ = 1/τ and 1/(mτ), and B(K, K⁽¹⁾) ≤ mτ log n",
        "points inside, some near the border", sigma,
        quote="The strong convexity constant of … norm is … denote the Bregman distance function",
        remark="n ≥ 3 is not needed, and 2/τ would do for ‖·‖_F."),
    Claim("kundu2010-alg1", "Section 3.1, (9) and Algorithm 1, last two lines",
        "K⁽ᵗ⁺¹⁾ = V diag(τλⱼe^(−ηdⱼ)/Σλₗe^(−ηdₗ)) Vᵀ, f′ = V diag(d) Vᵀ, is the mirror step of ψ",
        "what a mirror step minimizes: its least value in the basis V, for any eigenvalues in any "
        "order, against its least value", alg1,
        printed="fails", erratum="kundu2010-mirror-step",
        quote="With the above setup we derive an MD algorithm, named entropic single kernel "
        "learning (ESKL) algorithm",
        correction="K⁽ᵗ⁺¹⁾ ∝ exp(log K⁽ᵗ⁾ − ηf′): the λⱼ belong to the eigenvectors of K⁽ᵗ⁾, not "
        "to those of f′"),
    Claim("kundu2010-prop3.1", "Section 3.1, Proposition 3.1",
        "Algorithm 1 with ηₜ = √(2 log n/t)/Lip(f) has min f⁽ᵗ⁾ − f* ≤ τ Lip(f)√(2 log n/T)",
        "L1, m = 1, C → 0: from t = 2 on K⁽ᵗ⁾ commutes with a matrix of ±1; the least f of all "
        "that do, for any step and eigenvalues in any order, against the bound at T = 6000",
        prop3_1, printed="fails", erratum="kundu2010-mirror-step",
        quote="If the ESKL algorithm is initialized with … and the step-sizes are chosen as … then "
        "min 1≤t≤T f (t) − f∗ ≤ τ Lip(f)",
        correction="with K⁽ᵗ⁺¹⁾ ∝ exp(log K⁽ᵗ⁾ − ηf′); as (15) for the steps",
        remark="‖f′(K⁽ᵗ⁾)‖ ≤ Lip(F) is read as Lip(f). A tie is an entry of K⁽ᵗ⁾ that is that of "
        "S: the subgradient may have any number of [−1, 1] there. At t = 1 K₁₁ = S₁₁: whatever is "
        "taken there, f(K⁽²⁾) ≥ 1.69; later ties aside.",
        programs=("kundu2010-eq4", "kundu2010-alg1-printed")),
    Claim("kundu2010-eq15", "Section 3.2, (15), and the proof of Proposition 3.1",
        "ηₜ = √(2σB(K*, K⁽ᵗ⁾)/t)/Lip ⇒ min F⁽ᵗ⁾ − F* ≤ Lip√(2B(K*, K⁽ᵗ⁾)/(σT))",
        "(Θ + Lip²Ση²/(2σ))/Ση, which the steps prove, against the bound", eq15,
        printed="imprecise",
        quote="We apply the convergence result presented as Theorem 4.2 in [2]. This leads to the "
        "following",
        correction="with B(K*, K⁽¹⁾), and T in the place of t, constant steps: for ηₜ ∝ 1/√t the "
        "estimate behind it gives (1 + Σ1/t)√T/(2Σ1/√t), growing as (log T)/4, times the bound",
        remark="We know of no run that is above the bound by this alone."),
    Claim("kundu2010-alg2", "Section 3.2, (14) and Algorithm 2, last two lines",
        "Kᵢ⁽ᵗ⁺¹⁾ = Vᵢ diag(τλᵢⱼe^(−ηdᵢⱼ)/Σλᵢₗe^(−ηdᵢₗ)) Vᵢᵀ, ∂Fᵢ = Vᵢ diag(dᵢ) Vᵢᵀ, is the mirror "
        "step of Ψ",
        "as kundu2010-alg1, with ρ in ∂Fᵢ", alg2,
        printed="fails", erratum="kundu2010-mirror-step",
        quote="We develop a novel Mirror Descent procedure for problem (6) by defining a strongly "
        "convex and continuously differentiable function",
        correction="Kᵢ⁽ᵗ⁺¹⁾ ∝ exp(log Kᵢ⁽ᵗ⁾ − η ∂Fᵢ), for each i"),
    Claim("kundu2010-thm3.2", "Section 3.2, Theorem 3.2",
        "Algorithm 2 has min F⁽ᵗ⁾ − F* ≤ mτ Lip(F)√(2 log n/T)",
        "L2, m = 2, ρ = 100, C → 0, similarities for which K and ∂F commute, the step of (15): "
        "without ρ, the only fault left, and with it", rate(2),
        printed="fails", erratum="kundu2010-rho",
        quote="If the EMKL algorithm is initialized with … and the step-sizes are chosen as … then "
        "min 1≤t≤T F (t) − F ∗ ≤ τ m Lip(F )",
        correction="with ρ before L′ᵢ, the mirror step and √(2 log n/t)/Lip(F)",
        remark="The mirror step alone breaks it as in kundu2010-prop3.1 (m = 1), the step size "
        "alone in kundu2010-thm3.2-step.",
        programs=("kundu2010-eq6", "kundu2010-alg2-printed")),
    Claim("kundu2010-thm3.2-step", "Sections 3.2 and 3.3, Theorem 3.2 and Proposition 3.2",
        "σ = 1/(mτ) and B ≤ mτ log n in (15) give ηₜ = √(2 log n/(mt))/Lip and the bound "
        "mτ Lip√(2 log n/T)",
        "σ and B put into (15); runs with ρ = 1, all commuting, of m = 100 equal blocks by the "
        "stated step and by that of (15), and of m = 3 by the stated one, against the bound",
        step_size,
        printed="fails", erratum="kundu2010-step-size",
        quote="Substituting values for … and … in (15) we obtain the desired result",
        correction="√(2 log n/t)/Lip: with a stray 1/√m what is proven is (m + 1)/(2√m) times the "
        "bound, and at m = 100 runs reach 1.27, 1.42 and 1.56 times the bound for n = 4, 13, 50",
        remark="At the paper's m = 3 the proven factor is 1.155, and runs stay below the bound."),
    Claim("kundu2010-eq16", "Section 3.3, (16) and Algorithm 3",
        "μᵢⱼ ← τμᵢⱼe^(−ηg′ᵢⱼ)/Σₗμᵢₗe^(−ηg′ᵢₗ) is the mirror step of ψₑ",
        "what the step minimizes, there and at its least value", eq16,
        quote="We derive an MD algorithm, named restricted entropic kernel learning (REKL), by "
        "extending the entropic mirror descent scheme [2]"),
    Claim("kundu2010-prop3.2", "Section 3.3, Proposition 3.2",
        "Algorithm 3 has min g⁽ᵗ⁾ − g* ≤ mτ Lip(g)√(2 log n/T)",
        "m = 2, ρ = 100, C → 0, the step of (15): without ρ, the only fault left, and with it",
        rate(3), printed="fails", erratum="kundu2010-rho",
        quote="If the REKL algorithm is initialized with … and the step-sizes are chosen as … then "
        "min 1≤t≤T g(t) − g∗ ≤ τ m Lip(g)",
        correction="with ρ before ∂ℓᵢ, and √(2 log n/t)/Lip(g)",
        remark="The step size alone breaks it as in kundu2010-thm3.2-step.",
        programs=("kundu2010-eq7", "kundu2010-alg3-printed")),
    Claim("kundu2010-complexity", "Section 3.4",
        "ESKL needs O(log n/ε²) iterations, EMKL and REKL O(m² log n/ε²)",
        "the bounds of Proposition 3.1 and Theorem 3.2 from T = 1 on, until one is ≤ ε", complexity,
        quote="Both EMKL and REKL formulations require … iterations (see Theorem 3.2 and "
        "Proposition 3.2)",
        remark="From the bounds, so for the corrected algorithms; τ and Lip are held: "
        "T = 2m² log n (τLip/ε)²."),
)

REMARKS = (
    Remark("kundu2010-commuting", "Section 3.1, Algorithm 1",
        "Where K⁽ᵗ⁾ and f′ commute the printed step, with each eigenvalue of K⁽ᵗ⁾ beside that of "
        "f′ for the same eigenvector, is the mirror step: so for one S with L2 or L3 as C → 0.",
        commuting.__doc__ or "", commuting, about="kundu2010-alg1"),
    Remark("kundu2010-growth", "Section 3.4",
        "Where τ and Lip grow with n so does T, by more than log n: Lip is up to ½nC² + ρΣ‖L′ᵢ‖ in "
        "(4), and has 1/γ*ᵢ in (6) and (7).",
        growth.__doc__ or "", growth, about="kundu2010-complexity"),
)
# fmt: on
