"""What the notebooks have shown, for the pages: the cells are the same, and nothing is run twice.

`bash .ci/notebooks` has run them; the documentation, built of the same package, then finds each
page executed. A page whose cells are not those of its notebook is refused.
"""

from __future__ import annotations

from pathlib import Path
from runpy import run_path

import nbformat
from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn
from myst_nb.core.read import read_myst_markdown_notebook

from cvxkernel.validation import notebooks

DOCS = Path(__file__).parents[1] / "docs"


def main() -> None:
    """Into the cache that docs/conf.py names."""
    cache = get_cache(run_path(str(DOCS / "conf.py"))["nb_execution_cache_path"])
    for name in notebooks.pages():
        page = read_myst_markdown_notebook((DOCS / f"{name}.md").read_text("utf-8"))
        ran = nbformat.read(DOCS / "_build" / "notebooks" / f"{name}.ipynb", 4)
        ours, theirs = ([c for c in one.cells if c.cell_type == "code"] for one in (page, ran))
        for cell, run in zip(ours, theirs, strict=True):
            if cell.source != run.source:
                raise SystemExit(f"{name}: the notebook is of another text")
            cell.update(outputs=run.outputs, execution_count=run.execution_count)
        page.metadata["language_info"] = ran.metadata["language_info"]  # how cells are coloured
        cache.cache_notebook_bundle(CacheBundleIn(page, str(DOCS / f"{name}.md")), overwrite=True)


if __name__ == "__main__":
    main()
