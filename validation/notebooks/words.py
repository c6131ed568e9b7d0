"""The words of the glossary, and where a text uses one of them first."""

from __future__ import annotations

import re
from functools import cache

from cvxkernel.validation.notebooks import DOCS

# Elsewhere than on a paper's page these may have their everyday sense: a box that is drawn.
EVERYDAY = ("box", "claim", "cut", "identity", "machine", "slack", "status", "vertex", "width")
_ENTRY = re.compile(r"^(\w.*)\n  (.*)$", re.M)
_PLURALS = (("us", "i"), ("um", "a"), ("ex", "ices"), ("ix", "ices"), ("y", "ies"))


@cache
def glossary() -> dict[str, str]:
    """What each word means."""
    text = (DOCS / "glossary.md").read_text("utf-8")
    return dict(_ENTRY.findall(text.split("```{glossary}\n")[1]))


@cache
def _pattern() -> re.Pattern[str]:
    """Any of them, of two the longer, in the singular or plural, and not a part of another word."""
    longest = sorted(glossary(), key=len, reverse=True)
    return re.compile(
        r"(?<![\w-])(?:"
        + "|".join(f"(?P<w{i}>{_forms(term)})" for i, term in enumerate(longest))
        + r")(?![\w-])"
    )


def _forms(term: str) -> str:
    """An abbreviation as it is written; another word with a capital too; both in the plural."""
    end = next((e for e in _PLURALS if term.endswith(e[0])), None)
    stem, ends = (term.removesuffix(end[0]), "|".join(end)) if end else (term, "|s|es")
    plain = re.escape(stem).replace(r"\ ", r"\s+")
    return (plain if term[1:2].isupper() else f"(?i:{plain})") + f"(?:{ends})"


def parts(text: str, met: set[str]) -> list[tuple[str, str]]:
    """The text in pieces, each with the word that it uses for the first time, or with none.

    `met` holds the words that were used before; it grows.
    """
    longest = sorted(glossary(), key=len, reverse=True)
    pieces, end = [], 0
    for found in _pattern().finditer(text):
        term = longest[int((found.lastgroup or "w0")[1:])]
        if term not in met:
            met.add(term)
            pieces += [(text[end : found.start()], ""), (found[0], term)]
            end = found.end()
    return [piece for piece in [*pieces, (text[end:], "")] if piece[0]]
