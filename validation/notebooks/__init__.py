"""The pages of the documentation as notebooks, which run wherever the package is installed.

`write` makes them of the pages' own text: code cells are the page's, character by character; of the
text between them only what Sphinx alone understands (roles and directives) is put into plain words.
"""

from __future__ import annotations

import json
import re
from hashlib import sha256
from pathlib import Path
from typing import Any

import cvxkernel

DOCS = Path(next(iter(cvxkernel.__path__))) / "docs"
TEXT = ("reference", "bibliography")  # made by Sphinx alone: nothing in them runs

_CELL = re.compile(r"^```\{code-cell\}[^\n]*\n(.*?)^```$\n?", re.M | re.S)
_FRONT = re.compile(r"\A---\n.*?\n---\n", re.S)
_DIRECTIVE = re.compile(r"^```\{(\w[\w-]*)\}[^\n]*\n(.*?)^```$\n?", re.M | re.S)
_CARD = re.compile(r"^:::+\{grid-item-card\} *(.*)\n((?::[\w-]+:.*\n)*)", re.M)
_COLONS = re.compile(r"^:::+(?:\{.*)?\n(?::[\w-]+:.*\n)*", re.M)
_ROLE = re.compile(r"\{([\w:]+)\}`([^`]+)`")
_TITLED = re.compile(r"(.*?)\s*<([^>]+)>", re.S)


def pages() -> dict[str, Path]:
    """Every page that has cells, by its name."""
    return {path.stem: path for path in sorted(DOCS.glob("*.md")) if path.stem not in TEXT}


def notebook(text: str) -> dict[str, Any]:
    """A page's text as a notebook, without outputs."""
    text = _FRONT.sub("", text)
    cells, end = [], 0
    for found in _CELL.finditer(text):
        cells += _written(text[end : found.start()])
        source, tags, caption = _options(found[1])
        cells.append(_cell("code", source, tags))
        cells += _written(caption)
        end = found.end()
    cells += _written(text[end:])
    for number, cell in enumerate(cells):  # an id is asked for, and the same page has the same
        cell["id"] = sha256(f"{number} {cell['source']}".encode()).hexdigest()[:8]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return {
        "cells": cells,
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def write(folder: Path) -> list[Path]:
    """Every page as `<page>.ipynb` in this folder."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, path in pages().items():
        made = folder / f"{name}.ipynb"
        text = json.dumps(notebook(path.read_text("utf-8")), ensure_ascii=False, indent=1)
        made.write_text(text + "\n", encoding="utf-8")
        written.append(made)
    return written


def _cell(kind: str, source: str, tags: tuple[str, ...] = ()) -> dict[str, Any]:
    metadata: dict[str, Any] = {"tags": list(tags)} if tags else {}
    if {"hide-input", "remove-input", "remove-cell"} & set(tags):
        metadata["jupyter"] = {"source_hidden": True}
    cell: dict[str, Any] = {"cell_type": kind, "metadata": metadata, "source": source}
    return cell | ({"execution_count": None, "outputs": []} if kind == "code" else {})


def _options(body: str) -> tuple[str, tuple[str, ...], str]:
    """The code of a cell, its tags, and the caption of its figure."""
    head, code = "", body
    if body.startswith("---\n"):
        _, head, code = body.split("---\n", 2)
    else:
        lines = body.split("\n")
        count = next((i for i, line in enumerate(lines) if not line.startswith(":")), 0)
        head, code = "\n".join(lines[:count]), "\n".join(lines[count:])
    tags = re.search(r"tags: \[(.*?)\]", head)
    caption = re.search(r"^( *)caption: \|?(.*(?:\n\1 .*)*)", head, re.M)
    told = " ".join(caption[2].split()) if caption else ""
    return code.strip("\n"), tuple(re.findall(r"[\w-]+", tags[1])) if tags else (), told


def _written(text: str) -> list[dict[str, Any]]:
    """The text between two cells, as a cell; none where there is none."""
    text = _COLONS.sub("", _CARD.sub(_card, _DIRECTIVE.sub(_directive, text)))
    text = _ROLE.sub(_role, text).strip("\n")
    return [_cell("markdown", text)] if text else []


def _card(found: re.Match[str]) -> str:
    """Its title, which leads where the card does."""
    link = re.search(r"^:link: *(\S+)$", found[2], re.M)
    return f"\n**[{found[1]}]({link[1]}.ipynb)**\n" if link else f"\n**{found[1]}**\n"


def _directive(found: re.Match[str]) -> str:
    """Links of a table of contents that is shown, the words of a glossary; of others the text."""
    lines = [line for line in found[2].splitlines() if line and not line.startswith(":")]
    if found[1] == "glossary":
        return "".join(f"\n{line}\n" if line[0] == " " else f"\n**{line}**" for line in lines)
    if found[1] == "toctree" and ":hidden:" in found[2]:
        return ""
    if found[1] == "toctree":
        return "".join(f"- [{line}]({line}.ipynb)\n" for line in lines if line not in TEXT)
    return "" if found[1] in ("bibliography", "eval-rst") else "\n".join(lines) + "\n"


def _role(found: re.Match[str]) -> str:
    """A page is a link to its notebook, a citation its names, a reference its words."""
    role, told = found[1], found[2]
    titled = _TITLED.fullmatch(told)
    words, target = (titled[1], titled[2]) if titled else (told, told)
    if role == "doc":
        return f"[{words}]({target}.ipynb)"
    if role.startswith("cite"):
        return ", ".join(_cited(key.strip()) for key in told.split(","))
    return words


def _cited(key: str) -> str:
    """As Ye, Ji and Chen (2008), from the bibliography."""
    entry = re.search(rf"@\w+{{{key},(.*?)^}}", (DOCS / "refs.bib").read_text("utf-8"), re.M | re.S)
    if entry is None:
        return key
    authors, year = (
        re.search(rf"{field}\s*=\s*{{(.*)}}", entry[1]) for field in ("author", "year")
    )
    if authors is None or year is None:
        return key
    names = [name.split(",")[0] for name in authors[1].split(" and ")]
    together = " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
    return f"{together} ({year[1]})"
