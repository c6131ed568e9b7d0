"""Pages as notebooks: the page's own cells, and they run from an empty folder."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest

from cvxkernel.validation import notebooks

PAGES = notebooks.pages()
START = "from cvxkernel.validation.cli import main; main()"


def code(page):
    return [c["source"] for c in page["cells"] if c["cell_type"] == "code"]


@pytest.mark.parametrize("name", PAGES)
def test_a_notebook_has_the_cells_that_the_page_runs(name):
    read = pytest.importorskip("myst_nb.core.read", reason="myst-nb reads the pages for Sphinx")
    nb_format = pytest.importorskip("nbformat")
    text = PAGES[name].read_text("utf-8")
    theirs = read.read_myst_markdown_notebook(text)
    ours = notebooks.notebook(text)
    nb_format.validate(nb_format.from_dict(ours))
    assert code(ours) == [c.source for c in theirs.cells if c.cell_type == "code"]
    tags = [c["metadata"].get("tags", []) for c in ours["cells"] if c["cell_type"] == "code"]
    assert tags == [c.metadata.get("tags", []) for c in theirs.cells if c.cell_type == "code"]


@pytest.mark.parametrize("name", PAGES)
def test_nothing_that_only_sphinx_reads_is_left(name):
    cells = notebooks.notebook(PAGES[name].read_text("utf-8"))["cells"]
    text = "\n".join(c["source"] for c in cells if c["cell_type"] == "markdown")
    assert not re.search(r"\{[\w:]+\}`|^```\{|^:::", text, re.M)
    for target in re.findall(r"\]\(([\w-]+)\.ipynb\)", text):
        assert target in PAGES or target in notebooks.TEXT


@pytest.mark.parametrize("name", PAGES)
def test_no_page_reads_what_stands_beside_it(name):
    lines = "\n".join(code(notebooks.notebook(PAGES[name].read_text("utf-8"))))
    beside = {path.stem for path in notebooks.DOCS.glob("*.py")}
    assert not beside & set(re.findall(r"^(?:from|import) (\w+)", lines, re.M))


def test_a_caption_follows_its_figure():
    page = notebooks.notebook(PAGES["ye2008"].read_text("utf-8"))
    at = next(i for i, c in enumerate(page["cells"]) if "ax.plot(w, curve" in c["source"])
    assert page["cells"][at + 1]["source"].startswith("Two kernels. The curve is $v(\\theta)$")


def test_citations_and_pages_become_words():
    text = "{cite:t}`ye2008` in {doc}`the ledger <ledger>`, {ref}`the picture <fig-gap>`\n"
    (cell,) = notebooks.notebook(text)["cells"]
    assert cell["source"] == "Ye, Ji and Chen (2008) in [the ledger](ledger.ipynb), the picture"


def test_works_are_linked_by_their_doi_where_their_publisher_gives_any():
    bibliography = (notebooks.DOCS / "refs.bib").read_text("utf-8")
    entries = re.findall(r"^@(\w+)\{(\w+),(.*?)^\}", bibliography, re.M | re.S)
    without = "Machine Learning Research|Joint Conference on Artificial|Neural Information"
    for kind, key, fields in entries:
        doi = re.search(r"^ +doi += \{10\.\d{4,}/\S+\},$", fields, re.M)
        assert doi or kind == "techreport" or re.search(without, fields), key
    assert len(entries) > 9


def test_cards_are_links_and_words_stand_in_bold():
    (index,) = notebooks.notebook(
        "::::{grid} 1 2\n:gutter: 3\n\n:::{grid-item-card} A way in\n:link: way-in\n"
        ":link-type: doc\n\nFor readers.\n:::\n::::\n\n```{toctree}\n:hidden:\n\nway-in\n```\n"
    )["cells"]
    assert index["source"].split("\n\n") == ["**[A way in](way-in.ipynb)**", "For readers."]
    (words,) = notebooks.notebook("```{glossary}\ncone\n  It holds.\n\ncut\n  One.\n```\n")["cells"]
    assert re.split(r"\s*\n\s*", words["source"]) == ["**cone**", "It holds.", "**cut**", "One."]


@pytest.mark.parametrize("name", ["reading-an-answer", "estimators"])
def test_a_notebook_runs_from_an_empty_folder(tmp_path, name):
    client = pytest.importorskip("nbclient")
    nb_format = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    page = nb_format.from_dict(notebooks.notebook(PAGES[name].read_text("utf-8")))
    where = {"metadata": {"path": str(tmp_path)}}
    client.NotebookClient(page, timeout=600, kernel_name="python3", resources=where).execute()
    assert any(cell.get("outputs") for cell in page.cells)


def test_the_command_writes_them(tmp_path, run):
    done = run("notebooks", str(tmp_path / "course"))
    assert done.returncode == 0, done.stderr
    written = sorted(path.stem for path in (tmp_path / "course").iterdir())
    assert written == sorted(PAGES)
    assert json.loads((tmp_path / "course" / "ye2008.ipynb").read_text("utf-8"))["nbformat"] == 4
    taken = tmp_path / "file"
    taken.write_text("")
    refused = run("notebooks", str(taken))
    assert refused.returncode == 2
    assert "folder that can be made" in refused.stderr


@pytest.fixture
def run():
    def command(*arguments):
        call = [
            sys.executable,
            "-c",
            "from cvxkernel.validation.cli import main; main()",
            *arguments,
        ]
        return subprocess.run(call, capture_output=True, text=True, check=False)

    return command
