"""The faults of the paper, cause by cause; a snippet beside each shows it without this package."""

from __future__ import annotations

from cvxkernel.validation.ledger.claim import Erratum

ERRATA: tuple[Erratum, ...] = (
    Erratum(
        "kundu2010-mirror-step",
        "Algorithms 1 and 2, last two lines; so Proposition 3.1 and Theorem 3.2",
        "the eigenvalues of K⁽ᵗ⁾ are re-used in the eigenbasis of the gradient",
        "K⁽ᵗ⁺¹⁾ = τ exp(log K⁽ᵗ⁾ − ηf′)/trace(·): the same only where K⁽ᵗ⁾ and f′ commute; else "
        "it can stall above the bounds, whatever the order of the eigenvalues",
    ),
    Erratum(
        "kundu2010-rho",
        "Lemma 3.1 and (12), Algorithms 2 and 3; so Theorem 3.2 and Proposition 3.2",
        "L′ᵢ(Kᵢ − Sᵢ) and ∂ℓᵢ without ρ",
        "ρL′ᵢ(Kᵢ − Sᵢ) and ρ∂ℓᵢ, as in (11)",
    ),
    Erratum(
        "kundu2010-step-size",
        "Theorem 3.2 and Proposition 3.2, step size",
        "ηₜ = √(2 log n/(mt))/Lip",
        "√(2 log n/t)/Lip, as (15) gives it with σ = 1/(mτ) and B = mτ log n",
    ),
    Erratum(
        "kundu2010-eq7-index",
        "(7), last line",
        "Σⱼ μᵢⱼ = τ with j = 1, …, m",
        "j = 1, …, n, as in the definition of 𝒳: trace Kᵢ = τ",
        transcribed="whether the sum in the last line of (7) ends at m or at n",
    ),
    Erratum(
        "kundu2010-alg1-index",
        "Algorithm 1, the subgradient",
        "ρΣⱼL′ᵢ(K⁽ᵗ⁾ − Sᵢ)",
        "ρΣᵢL′ᵢ(K⁽ᵗ⁾ − Sᵢ), as in (8)",
        transcribed="whether the sum in the subgradient of Algorithm 1 is over j or over i",
    ),
    Erratum(
        "kundu2010-omega-mu-index",
        "Section 3.3, the display of Ω′",
        "Ω′ ends at ∂Ω/∂μₙₙ",
        "it ends at ∂Ω/∂μₘₙ",
        transcribed="whether the last index of Ω′ is nn or mn",
    ),
)
