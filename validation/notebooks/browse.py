"""The built pages in a real browser: wide and narrow, light and dark, moved by keyboard.

    python -m cvxkernel.validation.notebooks.browse docs/_build/html [PAGE …] [--shots FOLDER]
    python -m cvxkernel.validation.notebooks.browse docs/_build/lecture

Of every page: no line in the browser's console, nothing wider than the window, no serious or
critical violation of what axe-core checks (WCAG 2, level AA), and every picture that moves is
moved by the arrow key and by a script. Of slides: each fits its screen. Asks for Debian's chromium
and chromedriver, and for selenium and axe-core-python, which the extra `test` has.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from base64 import b64decode
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

WIDTHS = (1280, 390)
SCHEMES = ("light", "dark")
NARROW = ["color-contrast", "label", "image-alt", "scrollable-region-focusable", "link-name"]
SERIOUS = ("serious", "critical")
MADE = ("genindex", "py-modindex", "search")  # by Sphinx alone
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--allow-file-access-from-files",
    "--force-prefers-reduced-motion",
)

# What a page is asked. The mathematics is set first: it is what is wide.
TYPESET = """
const done = arguments[arguments.length - 1];
Promise.resolve(window.MathJax && MathJax.startup && MathJax.startup.promise)
  .then(() => document.fonts.ready).then(() => done(), () => done());
"""
WIDER = """
const room = document.documentElement.clientWidth;
if (document.documentElement.scrollWidth <= room) return [];
return Array.from(document.body.querySelectorAll("*"))
  .filter((one) => one.getBoundingClientRect().right > room + 1)
  .slice(0, 5).map((one) => one.tagName + "." + one.className);
"""
# Of thousands of equal things the first is judged: of words of code those of each colour, and of
# mathematics, whose words have the colour of the text, the element itself.
THIN = """
document.querySelectorAll("mjx-container").forEach((one) => {
  one.querySelectorAll("svg > *, math > *").forEach((part) => part.remove());
});
const seen = new Set();
document.querySelectorAll(".highlight span").forEach((one) => {
  seen.has(one.className) ? one.replaceWith(one.textContent) : seen.add(one.className);
});
document.querySelectorAll(".moving-panels svg").forEach((one) => one.replaceChildren());
"""
AXE = """
const [rules, done] = arguments;
const asked = rules ? {runOnly: {type: "rule", values: rules}} : {};
axe.run(document, {...asked, resultTypes: ["violations"]}).then((found) => done(
  found.violations.map((v) => [v.id, v.impact, v.nodes.map((n) => n.target.join(" "))])));
"""
SEEN = """
return Array.from(arguments[0].querySelectorAll(".frame.on"))
  .filter((one) => getComputedStyle(one).display !== "none")
  .map((one) => one.dataset.frame).join();
"""
SLIDE = """
const {width, height} = Reveal.getConfig(), slide = Reveal.getCurrentSlide();
return [slide.scrollWidth - width, slide.scrollHeight - height];
"""
MOVE = """
arguments[0].value = arguments[1];
arguments[0].dispatchEvent(new Event("input", {bubbles: true}));
"""


def at_hand() -> str | None:
    """What is missing for a browser, if anything."""
    wanted = {name: shutil.which(name) for name in ("chromium", "chromedriver")}
    missing = [name for name, where in wanted.items() if where is None]
    missing += [name for name in ("selenium", "axe_core_python") if find_spec(name) is None]
    return f"{', '.join(missing)} not at hand" if missing else None


@contextmanager
def browser(width: int = WIDTHS[0]) -> Iterator[Any]:
    """A browser with a profile of its own, which asks nobody for anything."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    with TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium") or ""
        for flag in (*FLAGS, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        service = Service(shutil.which("chromedriver") or "")
        driver: Any = webdriver.Chrome(options=options, service=service)
        try:
            driver.set_script_timeout(300)
            driver.command_executor.client_config.timeout = 300
            resize(driver, width)
            yield driver
        finally:
            driver.quit()


def resize(driver: Any, width: int) -> None:
    """Also below the least width that a window has."""
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)


def scheme(driver: Any, name: str) -> None:
    """What the reader's system prefers: light or dark."""
    told = {"features": [{"name": "prefers-color-scheme", "value": name}]}
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", told)


def opened(driver: Any, path: Path) -> None:
    """The page, its mathematics set."""
    driver.get(path.resolve().as_uri())
    driver.execute_async_script(TYPESET)


def violations(driver: Any, rules: Sequence[str] | None = None) -> list[str]:
    """The serious and critical ones of the page, with where they are; of these rules or of all."""
    if not driver.execute_script("return Boolean(window.axe)"):
        found = find_spec("axe_core_python")
        assert found is not None
        assert found.origin is not None
        driver.execute_script(Path(found.origin).with_name("axe.min.js").read_text("utf-8"))
    driver.execute_script(THIN)
    told = driver.execute_async_script(AXE, rules)
    return [
        f"{id} ({len(at)}): {'; '.join(at[:3])}" for id, impact, at in told if impact in SERIOUS
    ]


def unmoved(driver: Any, figures: str = "figure.moving") -> list[str]:
    """The pictures of the page that a key or a script does not move, or whose words stay."""
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys

    wrong = []
    for figure in driver.find_elements(By.CSS_SELECTOR, figures):
        slider = figure.find_element(By.CSS_SELECTOR, "input")
        output = figure.find_element(By.CSS_SELECTOR, "output")
        states = []
        for press in (None, Keys.HOME, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_LEFT, "2"):
            if press == "2":
                driver.execute_script(MOVE, slider, press)
            elif press:
                slider.send_keys(press)
            words = output.text, slider.get_attribute("aria-valuetext")
            states.append((set(driver.execute_script(SEEN, figure).split(",")), *words))
        expected = [{"0"}, {"1"}, {"2"}, {"1"}, {"2"}]
        name = slider.get_attribute("id")
        if [state[0] for state in states[1:]] != expected:
            wrong.append(f"{name} shows {[state[0] for state in states]}")
        if states[1] == states[2] or states[2] != states[4] or states[3] != states[5]:
            wrong.append(f"{name} tells {[state[1:] for state in states]}")
        if any(at not in told for _, told, at in states):
            wrong.append(f"{name}: a screen reader is told something else")
    return wrong


def faults(
    driver: Any, page: Path, width: int, shots: Path | None = None, *, moves: bool = False
) -> list[str]:
    """What is wrong with a page at this width, in both schemes; or only what does not move."""
    opened(driver, page)
    wrong = [f"wider than the window: {one}" for one in driver.execute_script(WIDER)]
    wrong += unmoved(driver)
    if shots is not None:
        for name in SCHEMES:
            scheme(driver, name)
            photograph(driver, shots / f"{page.stem}-{width}-{name}.png")
    for name in () if moves else SCHEMES:
        scheme(driver, name)
        rules = ["color-contrast"] if name != SCHEMES[0] else NARROW if width < 600 else None
        wrong += [f"{name}: {one}" for one in violations(driver, rules)]
    wrong += [line["message"] for line in driver.get_log("browser") if line["level"] == "SEVERE"]
    return [f"{page.name} at {width}: {one}" for one in wrong]


def slide_faults(
    driver: Any, page: Path, shots: Path | None = None, *, moves: bool = False
) -> list[str]:
    """What is wrong with slides: each is turned to, and has to fit the height of the screen."""
    resize(driver, WIDTHS[0])
    opened(driver, page)
    wrong = []
    for number in range(driver.execute_script("return Reveal.getTotalSlides()")):
        driver.execute_script("Reveal.slide(arguments[0])", number)
        wide, high = driver.execute_script(SLIDE)
        if wide > 1 or high > 1:
            wrong.append(f"slide {number + 1} is too large by {wide} and {high}")
        wrong += unmoved(driver, "section.present figure.moving")
        if shots is not None:
            photograph(driver, shots / f"slide-{number + 1:02}.png")
    wrong += [] if moves else violations(driver)
    wrong += [line["message"] for line in driver.get_log("browser") if line["level"] == "SEVERE"]
    return wrong


def photograph(driver: Any, path: Path) -> None:
    """The whole page as a picture."""
    shot = driver.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True})
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b64decode(shot["data"]))


def browse(pages: Sequence[Path], shots: Path | None = None, *, moves: bool = False) -> list[str]:
    """The faults of all these pages; one browser for each width, side by side."""

    def at(width: int) -> list[str]:
        with browser(width) as driver:
            if any("revealjs" in page.read_text("utf-8") for page in pages):
                first = width == WIDTHS[0]
                return slide_faults(driver, pages[0], shots, moves=moves) if first else []
            return [
                fault for page in pages for fault in faults(driver, page, width, shots, moves=moves)
            ]

    with ThreadPoolExecutor(len(WIDTHS)) as pool:
        return [fault for found in pool.map(at, WIDTHS) for fault in found]


def main() -> int:
    """Every page of a folder, or those that are named."""
    asked = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    asked.add_argument("folder", type=Path)
    asked.add_argument("names", nargs="*")
    asked.add_argument("--shots", type=Path, help="where pictures of the pages are put")
    asked.add_argument("--moves", action="store_true", help="only widths, consoles and what moves")
    told = asked.parse_args()
    missing = at_hand()
    if missing:
        print(f"not browsed: {missing}")
        return 0
    pages = sorted(path for path in told.folder.glob("*.html") if path.stem not in MADE)
    pages = [path for path in pages if not told.names or path.stem in told.names]
    found = browse(pages, told.shots, moves=told.moves)
    for fault in found:
        print(fault)
    kinds = f"{' and '.join(map(str, WIDTHS))} pixels, {' and '.join(SCHEMES)}"
    print(f"{len(pages)} pages at {kinds}: {len(found)} faults")
    return 1 if found or not pages else 0


if __name__ == "__main__":
    sys.exit(main())
