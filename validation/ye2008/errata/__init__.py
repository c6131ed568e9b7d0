"""The faults of the paper, cause by cause; a snippet beside each shows it without this package."""

from __future__ import annotations

from cvxkernel.validation.ledger.claim import Erratum

ERRATA: tuple[Erratum, ...] = (
    Erratum(
        "ye2008-J",
        "Section 2, J below (3): α* above it and (4)",
        "the blocks of J are scaled by 1/√m₊ and 1/√m₋",
        "both by 1/√m; as printed, (4) is the maximum of Kim's ratio, with S⁺ + S⁻ + λI below",
    ),
    Erratum(
        "ye2008-sense",
        "Theorem 2.3",
        'the kernel "maximizes" F₃ of (12)',
        "it minimizes F₃",
    ),
    Erratum(
        "ye2008-minimizing",
        "Section 3.2, after (33)",
        'the kernel "minimizing" F₅ of (26) is the minimizer of F₆',
        "the kernel maximizing F₅: F₅* + F₆* = trace HᵀH",
    ),
    Erratum(
        "ye2008-kim-lam",
        "Section 5.1, and SDP_Kim in Table 5",
        "λ is fixed to 10⁻⁸",
        "Table 5 has 5.0e-4: one of the two",
        transcribed="the λ of SDP_Kim in Table 5, which its neighbours have too",
    ),
    Erratum(
        "ye2008-eq24",
        "(24)",
        "√(n/n_j) − √(n_j/n) and −√(n_j/n), j the sample",
        "nᵢ, the size of class i, for n_j, as in the display of hᵢ above (29)",
        transcribed="whether the index of n in (24) is i or j",
    ),
    Erratum(
        "ye2008-F9",
        "Section 4.2.2, F₉",
        "‖φ(X)Pᵀwᵢ − hᵢ‖²",
        "‖(φ(X)P)ᵀwᵢ − hᵢ‖², as in (33)",
        transcribed="whether F₉ has the parentheses of (33), (φ(X)P)ᵀwᵢ",
    ),
    Erratum(
        "ye2008-sigma",
        "Caption of Table 2",
        "the sixth width is 4.46",
        "presumably 4.64 = 10^(2/3): the other nine are even in the logarithm",
        transcribed="the digits of the sixth width, 4.46 or 4.64",
    ),
)
