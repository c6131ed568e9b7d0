"""The faults of the paper, cause by cause; a snippet beside each shows it without this package."""

from __future__ import annotations

from cvxkernel.validation.ledger.claim import Erratum

ERRATA: tuple[Erratum, ...] = (
    Erratum(
        "tang2009-eq8",
        "(8)",
        "Gᵢᵗ on the right, which nothing defines",
        "Gᵢ, a base kernel, as in (4) and (12)",
        transcribed="whether the matrix on the right of (8) is Gᵢ or Gᵢᵗ",
    ),
    Erratum(
        "tang2009-step2",
        "Section 4, step 2, first display",
        "θᵢᵗD(αⱼᵗ, Gᵢ) ≤ gᵗ",
        "Σᵢ θᵢᵗD(αⱼᵗ, Gᵢ) ≤ gᵗ, as in (12) and in the display below",
        transcribed="whether the first display of step 2 has a sum over i",
    ),
    Erratum(
        "tang2009-appA-limits",
        "Appendix A, second display, second and third line",
        "Σᵢ ζᵢ maxₜ Gᵢᵗ, and c₁ maxₜ Σᵢ Gᵢᵗ",
        "Σᵢ ζᵢ Σₜ Gᵢᵗ, and c₁ maxᵢ Σₜ Gᵢᵗ, as the fourth line has it",
        transcribed="max or Σ over t in the second line, max over t or i in the third",
    ),
    Erratum(
        "tang2009-variables",
        "After Theorem 3.1",
        "nk + 2 variables",
        "nk + k + 2: α, s, s₀ and s₁, …, s_k",
        transcribed="whether it says nk + 2 or nk + k + 2",
    ),
)
