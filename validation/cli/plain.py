"""A terminal without θ, ≥ or ½ reads theta, >= and 1/2."""

from __future__ import annotations

import codecs
import unicodedata

NAME = "cvxkernel.spelt"
WRITTEN = {
    "≥": ">=", "≤": "<=", "≠": "!=", "⪰": ">=", "⪯": "<=", "≈": "~", "±": "+-", "∞": "inf",
    "−": "-", "–": "-", "×": "x", "·": "*", "∘": "o", "∈": "in", "∑": "sum", "√": "sqrt",
    "‖": "||", "⟨": "<", "⟩": ">", "†": "+", "…": "...", "“": '"', "”": '"', "’": "'", "→": "->",
    "←": "<-", "⇒": "=>", "′": "'", "∗": "*", "∝": "~",
    "ℓ": "l", "∇": "grad", "∂": "d", "ı": "i", "•": "*", "ᵀ": "'", "λ": "lambda", "Λ": "Lambda",
}  # fmt: skip

RAISED = {"<sub>": "_", "<super>": "^"}


def spelt(error: UnicodeError) -> tuple[str, int]:
    """What cannot be encoded, in letters that can; a question mark where there are none."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(map(letters, error.object[error.start : error.end])), error.end


def letters(c: str) -> str:
    """theta for θ, Sigma for Σ, _i for ᵢ, ^2 for ², 1/2 for ½, o for ö."""
    if c in WRITTEN:
        return WRITTEN[c]
    name = unicodedata.name(c, "")
    if name.startswith(("GREEK SMALL LETTER", "GREEK CAPITAL LETTER")):
        word = name.split()[3].lower()
        return word if "SMALL" in name else word.capitalize()
    if name.startswith("COMBINING"):
        return "~" if name == "COMBINING TILDE" else ""
    plain = unicodedata.normalize("NFKD", c).replace("⁄", "/")
    if plain == c:
        return "?"
    mark = RAISED.get(unicodedata.decomposition(c).split()[0], "")
    return mark + "".join(part if part.isascii() else letters(part) for part in plain)


codecs.register_error(NAME, spelt)
