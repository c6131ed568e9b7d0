"""Slides of an hour from the package and what the pages share; they need no network.

sphinx-build -b revealjs docs/lecture docs/_build/lecture
"""

from pathlib import Path
from runpy import run_path

from sphinx.application import Sphinx

_pages = run_path(str(Path(__file__).parents[1] / "conf.py"))
author = project_copyright = _pages["author"]
project = html_title = "How to know that an optimizer is right"
version = release = _pages["version"]

extensions = ["myst_nb", "sphinx.ext.mathjax", "sphinx_revealjs"]
myst_enable_extensions = _pages["myst_enable_extensions"]
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 300
nb_execution_in_temp = True
nb_merge_streams = True
nb_output_stderr = "error"
nb_render_markdown_format = "myst"
_kinds = ("text/html", "image/svg+xml", "image/png", "text/markdown", "text/plain")
nb_mime_priority_overrides = [("revealjs", kind, 10 * i) for i, kind in enumerate(_kinds, 1)]

mathjax_path = _pages["mathjax_path"]
revealjs_static_path = ["_static", _pages["html_static_path"][1]]
html_static_path = revealjs_static_path
revealjs_style_theme = "white"
revealjs_css_files = ["slides.css"]
revealjs_script_conf = {
    "width": 1280,
    "height": 720,
    "margin": 0.03,
    "center": False,
    "hash": True,
    "slideNumber": "c/t",
    "transition": "none",
}
revealjs_script_plugins = [{"name": "RevealNotes", "src": "revealjs/plugin/notes/notes.js"}]


def magnified(app: Sphinx, failed: Exception | None) -> None:
    """Slides may be made larger with two fingers: the theme forbids it."""
    slides = Path(app.outdir, "index.html")
    if failed is None and slides.exists():
        text = slides.read_text("utf-8")
        slides.write_text(text.replace(", maximum-scale=1.0, user-scalable=no", ""), "utf-8")


def setup(app: Sphinx) -> None:
    app.connect("build-finished", magnified)
