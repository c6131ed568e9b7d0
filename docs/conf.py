"""Sphinx set-up: executed text notebooks, one bibliography, mathematics without a network."""

import re
from hashlib import sha256
from importlib.metadata import version as installed_version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

import cvxkernel
from cvxkernel.formulations.catalogue import PAPERS
from cvxkernel.validation import notebooks
from cvxkernel.validation.notebooks import words


def digest() -> str:
    """Of the package as installed, and of what the notebooks share."""
    package = Path(next(iter(cvxkernel.__path__)))
    folders = [package / room for room in ("formulations", "solvers", "validation")]
    files = [p for f in folders for p in f.rglob("*.py")]
    files += [p for p in Path(__file__).parent.rglob("*.json") if "_build" not in p.parts]
    found = sha256()
    for path in sorted(files):
        found.update(path.read_bytes())
    return found.hexdigest()[:16]


project = "cvxkernel"
author = "The cvxkernel authors"
project_copyright = author
version = release = installed_version("cvxkernel")

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "sphinx_design",
    "sphinxcontrib.bibtex",
]
exclude_patterns = ["_build", "lecture"]  # slides have a set-up of their own
templates_path = ["_templates"]
default_role = "code"  # `x` in a docstring is code

# Notebooks are text, hold no output, and run at the build; one that fails, fails the build. What
# one has shown is kept while neither it nor anything that it could import or read has changed.
nb_execution_mode = "cache"
nb_execution_cache_path = str(Path(__file__).parent / "_build" / "executed" / digest())
nb_execution_raise_on_error = True
nb_execution_timeout = 600
nb_execution_in_temp = True  # from an empty folder, as a notebook that was downloaded
nb_merge_streams = True
nb_output_stderr = "error"  # nor does one that warns pass
nb_code_prompt_show, nb_code_prompt_hide = "Show the code", "Hide the code"
nb_render_markdown_format = "myst"  # tables and mathematics in what a cell displays
myst_enable_extensions = ["amsmath", "colon_fence", "dollarmath"]
myst_heading_anchors = 3

bibtex_bibfiles = ["refs.bib"]
bibtex_reference_style = "author_year"

autosummary_generate = True
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
python_maximum_signature_line_length = 88

html_theme = "furo"
# muted text is read on panels, too: the theme's own grey has a contrast of 4.4 there
html_theme_options = {"dark_css_variables": {"color-foreground-muted": "#9aa0a6"}}
html_title = f"cvxkernel {release}"
html_copy_source = False

# MathJax comes from a package, used for its files only, and is served from _static. The SVG
# build is one self-contained file: it fetches no fonts, so pages also render opened from disk.
_mathjax = find_spec("sphinx-mathjax-offline")
if _mathjax is None or not _mathjax.submodule_search_locations:
    raise ModuleNotFoundError("sphinx-mathjax-offline")
mathjax_path = "tex-svg-full.js"
html_static_path = [
    "_static",
    str(Path(_mathjax.submodule_search_locations[0], "static", "mathjax", mathjax_path)),
]
html_css_files = ["cvxkernel.css"]


# A line that gives what stands indented below it a meaning of its own: a list item or a field,
# whose text goes on there, or a directive or literal block.
_CONTINUED = re.compile(r"^(:\w|[-*+•] |\d+\. )")
_VERBATIM = re.compile(r"^(\.\. |>>> )|::\s*$")


def plain(line: str) -> str:
    """Keep |x|, K_ and a leading (29) what they are in mathematics; leave `code` alone."""
    parts = re.split(r"(``.+?``|:[\w:]+:`[^`]+`|`[^`]+`)", line)
    parts[::2] = [re.sub(r"(?<!\\)(^\(|\||(?<=\w)_(?!\w))", r"\\\1", part) for part in parts[::2]]
    return "".join(parts)


def as_printed(
    app: Sphinx, what: str, name: str, obj: object, options: Any, lines: list[str]
) -> None:
    """Show what stands indented under a plain line of a docstring as it is printed there.

    That is how programs are written; reStructuredText would reflow them.
    """
    shown: list[str] = []
    owner = ""  # the last line at the margin
    displayed = False
    for line in lines:
        if not line.strip():
            shown.append(line)
        elif not line[0].isspace():
            shown += [""] * displayed
            shown.append(line if _VERBATIM.search(line) else plain(line))
            owner, displayed = line, False
        elif _VERBATIM.search(owner):
            shown.append(line)
        elif _CONTINUED.search(owner):
            shown.append(plain(line))
        else:
            if not displayed:
                shown += ["", ".. code-block:: none", ""]
            shown.append(line)
            displayed = True
    lines[:] = shown


def without_routing(
    app: Sphinx, what: str, name: str, obj: object, skip: bool, options: object
) -> bool | None:
    """Not what scikit-learn adds to every estimator for metadata: its labels are its own docs'."""
    return True if name.startswith("set_") and name.endswith("_request") else None


# Two rooms may have a class of one name: a type that is told is then not linked.
suppress_warnings = ["ref.python"]


# Text in these is no prose: it is code, mathematics, a title, or a link already.
_NO_PROSE = (nodes.Titular, nodes.literal, nodes.literal_block, nodes.math, nodes.math_block,
             nodes.raw, nodes.reference, nodes.term, addnodes.pending_xref)  # fmt: skip
_COURSE = ("way-in", "glossary", "comparisons", *PAPERS)


def link_words(app: Sphinx, doctree: nodes.document) -> None:
    """Lead from the first use of a word of the glossary on a page, or in an entry, to it."""
    if app.env.docname not in notebooks.pages():
        return
    everyday = set() if app.env.docname in _COURSE else set(words.EVERYDAY)
    entries = list(doctree.findall(nodes.definition_list_item)) if _is_glossary(app) else [doctree]
    for entry in entries:
        own = {term.astext() for term in entry.findall(nodes.term)} if _is_glossary(app) else set()
        met = own | everyday
        for text in list(entry.findall(nodes.Text)):
            above, parent = [], text.parent
            while parent is not None:
                above.append(parent)
                parent = parent.parent
            if not any(isinstance(node, _NO_PROSE) or _is_card(node) for node in above):
                _link(text, met, app.env.docname)


def _is_card(node: nodes.Node) -> bool:
    """It is a link as a whole."""
    return isinstance(node, nodes.Element) and "sd-card" in node.get("classes", [])


def _is_glossary(app: Sphinx) -> bool:
    return bool(app.env.docname == "glossary")


def _link(text: nodes.Text, met: set[str], page: str) -> None:
    pieces = words.parts(text.astext(), met)
    if not any(term for _, term in pieces):
        return
    made: list[nodes.Node] = []
    for piece, term in pieces:
        if term:
            options = {"refdomain": "std", "reftype": "term", "reftarget": term, "refdoc": page}
            shown = nodes.inline(piece, piece, classes=["xref", "std", "std-term"])
            made.append(
                addnodes.pending_xref(piece, shown, refexplicit=True, refwarn=True, **options)
            )
        else:
            made.append(nodes.Text(piece))
    text.parent.replace(text, made)


def with_items(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: object
) -> None:
    """What stands in a list is its item, for who hears the bibliography read, too."""
    if "body" in context:
        context["body"] = context["body"].replace('role="doc-biblioentry"', 'role="listitem"')


def with_notebook(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: object
) -> None:
    """Under the title of a page, the page as a notebook."""
    if page in notebooks.pages():
        link = f'<a href="notebooks/{page}.ipynb" download>This page as a notebook</a>'
        context["body"] = context["body"].replace(
            "</h1>", f'</h1><p class="notebook">{link}</p>', 1
        )


_SIDEBARS: dict[str, str] = {}


def with_sidebar(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: object
) -> None:
    """Two levels deep, and the same for all pages of a room's reference or of a folder of sources.

    Sphinx would go through every module anew for each of them, a fifth of a second every time.
    """
    made = context.get("toctree")
    folder, _, name = page.rpartition("/")
    room = ".".join(name.split(".")[:2]) if folder == "api" else ""

    def toctree(**options: Any) -> str:
        options["maxdepth"] = 2
        if not folder:
            return str(made(**options))
        if (key := f"{folder}/{room}") not in _SIDEBARS:
            _SIDEBARS[key] = str(made(**options))
        return _SIDEBARS[key]

    if made is not None:
        context["toctree"] = toctree


def write_notebooks(app: Sphinx, failed: Exception | None) -> None:
    """Beside the pages, of the text they were built from."""
    if failed is None and app.builder.format == "html":
        notebooks.write(Path(app.outdir) / "notebooks")


def setup(app: Sphinx) -> None:
    app.connect("html-page-context", with_items)
    app.connect("html-page-context", with_notebook)
    app.connect("html-page-context", with_sidebar, priority=400)  # the theme's is later
    app.connect("build-finished", write_notebooks)
    app.connect("doctree-read", link_words)
    app.connect("autodoc-skip-member", without_routing)
    # After napoleon, which has turned its indented sections into fields by then.
    app.connect("autodoc-process-docstring", as_printed, priority=900)
