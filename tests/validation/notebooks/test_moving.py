"""Pictures that move: one text for page and notebook, and moved in a real browser."""

from __future__ import annotations

import json
import re
from html import unescape
from xml.etree import ElementTree

import numpy as np
import pytest

from cvxkernel.validation import notebooks
from cvxkernel.validation.notebooks import browse
from cvxkernel.validation.notebooks.moving import Frame, between, html, panel

PAPERS = ("ye2008", "tang2009", "chen2009", "kundu2010", "gonen2008")
PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Moving</title>
<meta name="viewport" content="width=device-width"><style>
@media (prefers-color-scheme: dark) {{ body {{ background: #131416; color: #ced0d6; }} }}
</style></head><body><main><h1>Moving</h1>{}</main></body></html>"""


def picture(name="name", start=1):
    left, axis = panel()
    right, heat = panel()
    axis.plot([0, 1], [0, 1], color="#222222", label=r"$v(\theta)$")
    axis.legend()
    frames = []
    for i in range(4):
        drawn = [
            axis.plot(i / 4, i / 4, "o"),
            axis.bar([0.2], [0.1 * i], 0.1, hatch="///"),
            axis.contour(np.eye(3), levels=[0.1 + i / 8]),
            heat.imshow(np.eye(3) * (i + 1) / 4, interpolation="none", vmin=0, vmax=1),
        ]
        frames.append(Frame(f"λ = {i}", f'"{i}" < {i + 1} & more', drawn))
    return html(name, [left, right], frames, label="the price λ", alt='a "line"', start=start)


def test_every_frame_is_there_and_one_is_seen():
    shown = picture()
    for svg in re.findall(r"<svg.*?</svg>", shown, re.S):
        tree = ElementTree.fromstring(svg)
        frames = [one for one in tree.iter() if "frame" in one.get("class", "").split()]
        assert {one.get("data-frame") for one in frames} == set("0123")
        seen = {one.get("data-frame") for one in frames if "on" in one.get("class").split()}
        assert seen == {"1"}
    words = json.loads(unescape(re.search(r'data-words="(.*?)"', shown)[1]))
    assert words[2] == ["λ = 2", '"2" < 3 & more']
    assert "λ = 1: &quot;1&quot; &lt; 2 &amp; more</output>" in shown  # without a script, too


def test_it_needs_nothing_and_touches_nothing_else():
    shown = picture("one") + picture("two")
    assert len(shown) < 120_000
    links = set(re.findall(r'(?:href|src)="([^"]*)"', shown))
    assert all(link.startswith(("#", "data:")) for link in links)
    assert not re.search(r"@import|url\([^#]", shown)
    names = re.findall(r'\bid="([^"]+)"', shown)
    assert sorted(names) == sorted(set(names))
    assert {link[1:] for link in links if link.startswith("#")} <= set(names)
    assert set(re.findall(r"url\(#([^)]+)\)", shown)) <= set(names)
    for svg in re.findall(r"<svg.*?</svg>", shown, re.S):
        assert "<style" not in svg  # matplotlib's would be for the whole page
        assert "#222222" not in svg
        assert "currentColor" in svg


def test_the_same_picture_is_the_same_text():
    assert picture() == picture()


@pytest.mark.parametrize(
    ("lower", "upper", "told"),
    [
        (28.55095912, 28.55096012, "between 28.550959 and 28.550961"),
        (-3.0, 5.0, "between -3 and 5"),
        (1.0, 1.0, "between 1 and 1"),
    ],
)
def test_ends_are_rounded_outwards(lower, upper, told):
    assert between(lower, upper) == told


def test_ends_that_are_told_hold_those_that_are_proved():
    rng = np.random.default_rng(0)
    for _ in range(200):
        lower = rng.normal() * 10 ** rng.uniform(-9, 9)
        upper = lower + abs(lower) * 10 ** rng.uniform(-15, 1)
        low, high = map(float, between(lower, upper).split()[1::2])
        assert low <= lower <= upper <= high
        assert high - low <= 4 * (upper - lower) + 1e-15 * abs(lower)


@pytest.mark.parametrize("paper", PAPERS)
def test_every_paper_has_one(paper):
    text = notebooks.pages()[paper].read_text("utf-8")
    assert re.search(rf'^moving\(\n    "{paper}",', text, re.M)


@pytest.mark.skipif(browse.at_hand() is not None, reason=str(browse.at_hand()))
def test_it_moves_in_a_browser(tmp_path):
    page = tmp_path / "page.html"
    page.write_text(PAGE.format(picture()), encoding="utf-8")
    with browse.browser() as driver:
        for width in browse.WIDTHS:
            browse.resize(driver, width)
            assert browse.faults(driver, page, width) == []
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
        slider = driver.find_element("css selector", ".moving-slider")
        assert not slider.is_displayed()
        assert driver.find_element("css selector", "output").is_displayed()


@pytest.mark.skipif(browse.at_hand() is not None, reason=str(browse.at_hand()))
def test_what_is_wrong_is_seen(tmp_path):
    still = picture().replace('addEventListener("input"', 'addEventListener("no"')
    wide = '<div style="width:2000px">wide</div><img src="data:," ><script>no.such</script>'
    pale = '<p style="color:#ccc;background:#fff">pale</p>'
    page = tmp_path / "page.html"
    page.write_text(PAGE.format(still + wide + pale), encoding="utf-8")
    with browse.browser() as driver:
        told = "\n".join(browse.faults(driver, page, browse.WIDTHS[0]))
    for fault in ("moving-name shows", "wider than", "image-alt", "color-contrast", "no is not"):
        assert fault in told
