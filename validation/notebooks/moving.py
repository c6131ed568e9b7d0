"""Pictures that move: a slider over frames that a cell has computed.

    figure, axis = panel()
    axis.plot(x, curve)                                          # what stays
    frames = [Frame(f"λ = {lam:g}", "what was computed there", axis.plot(at, value, "o"))
              for …]
    moving("price", [figure], frames, label="the price λ", alt="what is seen, in a sentence")

What comes out is HTML that needs nothing else, in a page as in a notebook: the figures as inline
SVG in which every frame is a group, a native slider, and the words of the frame in view. Without a
script, and on paper, it is the picture of one frame. Text and axes have the colour of the text
around them, so the dark page needs no card.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from html import escape
from typing import Any

import matplotlib.pyplot as plt
from IPython.display import HTML, display
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

_NAMED = re.compile(r'(?:url\(|href=")#([\w-]+)')
INK = "#222222"  # and black: what takes the colour of the text around it

STYLE = """
.moving { margin: 1rem 0; overflow: visible; }
.moving-panels { display: flex; flex-wrap: wrap; gap: 0.5rem; }
.moving-panels svg { flex: 1 1 17rem; min-width: 0; max-width: 32rem; height: auto;
  fill: currentColor; stroke-linejoin: round; }
.moving .frame { display: none; } .moving .frame.on { display: inline; }
.moving label { display: block; font-size: 0.9em; }
.moving input { width: 100%; max-width: 32rem; height: 2.75rem; margin: 0; cursor: pointer; }
.moving output { display: block; min-height: 3em; font-size: 0.9em;
  font-variant-numeric: tabular-nums; }
@media print { .moving-slider { display: none; } }
"""
SCRIPT = """
document.querySelectorAll("figure.moving:not([data-live])").forEach((figure) => {
  figure.dataset.live = "";
  const slider = figure.querySelector("input"), words = JSON.parse(figure.dataset.words);
  const show = () => {
    figure.querySelectorAll(".frame").forEach((group) => {
      group.classList.toggle("on", group.dataset.frame === slider.value);
    });
    const [at, told] = words[slider.value];
    slider.setAttribute("aria-valuetext", at);
    figure.querySelector("output").textContent = at + ": " + told;
  };
  figure.querySelector(".moving-slider").hidden = false;
  slider.addEventListener("input", show);
  show();
});
"""


@dataclass(frozen=True)
class Frame:
    """What one position of the slider shows: where it is, what is told there, what is drawn."""

    at: str
    told: str
    drawn: Sequence[Any] = field(default=(), repr=False)  # artists, or sequences of them


def panel(width: float = 3.6, height: float = 2.9, **settings: Any) -> tuple[Figure, Axes]:
    """A figure that can be read at the width of a phone; wide pages have two side by side."""
    return plt.subplots(figsize=(width, height), **settings)


def moving(
    name: str,
    figures: Sequence[Figure],
    frames: Sequence[Frame],
    *,
    label: str,
    alt: str,
    start: int = 0,
) -> None:
    """Show the figures with a slider over the frames; `start` is the frame that a still has."""
    display(HTML(html(name, figures, frames, label=label, alt=alt, start=start)))


def html(
    name: str,
    figures: Sequence[Figure],
    frames: Sequence[Frame],
    *,
    label: str,
    alt: str,
    start: int = 0,
) -> str:
    """The same as text; the figures are closed."""
    for number, frame in enumerate(frames):
        for artist in _artists(frame.drawn):
            artist.set_gid(f"frame-{number}")
    pictures = "".join(_svg(figure, f"{name}-{i}", start) for i, figure in enumerate(figures))
    words = escape(json.dumps([(f.at, f.told) for f in frames], ensure_ascii=False))
    id, still = f"moving-{name}", frames[start]
    return (
        f'<figure class="moving" data-words="{words}"><style>{STYLE}</style>'
        f'<div class="moving-panels" role="img" aria-label="{escape(alt)}">{pictures}</div>'
        f'<div class="moving-slider" hidden><label for="{id}">{escape(label)}</label>'
        f'<input id="{id}" type="range" min="0" max="{len(frames) - 1}" step="1" value="{start}"'
        f' autocomplete="off" aria-valuetext="{escape(still.at)}"></div>'
        f'<output for="{id}">{escape(still.at)}: {escape(still.told)}</output>'
        f"<script>{SCRIPT}</script></figure>"
    )


def between(lower: float, upper: float) -> str:
    """Both ends in as few digits as tell them apart, rounded outwards: what is told is proved."""
    for digits in range(4, 18):
        low, high = (
            Context(prec=digits, rounding=way).create_decimal_from_float(end)
            for end, way in ((lower, ROUND_FLOOR), (upper, ROUND_CEILING))
        )
        if float(high) - float(low) <= 4 * (upper - lower):
            break
    return f"between {low} and {high}"


def _artists(drawn: Iterable[Any]) -> Iterable[Artist]:
    for one in drawn:
        if isinstance(one, Artist):
            yield one
        else:
            yield from _artists(one)


def _svg(figure: Figure, name: str, start: int) -> str:
    """The figure as an element of a page, its frames as classes; nothing is named twice."""
    told = io.StringIO()
    options: dict[Any, Any] = {
        "svg.fonttype": "path",
        "svg.hashsalt": name,
        "image.composite_image": False,
    }
    with plt.rc_context(options):
        figure.savefig(told, format="svg", transparent=True, metadata={"Date": None})
    plt.close(figure)
    svg = told.getvalue()
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<!--.*?-->|<metadata>.*?</metadata>|<style.*?</style>", "", svg, flags=re.S)
    svg = re.sub(
        r'(<svg[^>]*?) width="[^"]*"', r"\1", re.sub(r' height="[\d.]+pt"', "", svg, count=1)
    )
    svg = re.sub(rf"#000000|{INK}", "currentColor", svg)
    svg = re.sub(r'\b(d|x|y)="[^"]*"', lambda found: _rounded(found[0]), svg)

    def frame(found: re.Match[str]) -> str:
        shown = " on" if int(found[1]) == start else ""
        return f'class="frame{shown}" data-frame="{found[1]}"'

    svg = re.sub(r'\bid="frame-(\d+)"', frame, svg)
    used = set(_NAMED.findall(svg))  # glyphs have the same names in every figure
    svg = re.sub(r' id="([\w.-]+)"', lambda one: one[0] if one[1] in used else "", svg)
    svg = re.sub(
        r' id="', f' id="{name}-', _NAMED.sub(lambda one: one[0].replace("#", f"#{name}-"), svg)
    )
    return re.sub(r"\s*\n\s*", "\n", svg)


def _rounded(text: str) -> str:
    return re.sub(
        r"-?\d+\.\d{3,}", lambda found: f"{float(found[0]):.2f}".rstrip("0").rstrip("."), text
    )
