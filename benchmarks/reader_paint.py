"""Measure when the reader's pages are first painted and how fast they react, in Chromium, and write results/reader_paint.md.

    python benchmarks/reader_paint.py

The pages are those of the newspapers of tests/browser, on loopback. Each page is loaded ten times in a window of 1440 and
of 390 pixels; the medians are given. A reaction is the time from a key or click until the page shows its result.
"""

import os
import statistics
import sys
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from browser.conftest import launch  # noqa: E402
from browser.reader_news import PAPERS, make_site  # noqa: E402
from browser.reader_server import allow, fill, serve  # noqa: E402
from loopback.server import Web  # noqa: E402

RESULTS = ROOT / "results" / "reader_paint.md"
TIMES = 10
PAGES = {
    "front page": "/",
    "article": "/article/2",
    "subscriptions": "/feeds",
    "saved": "/saved",
    "you": "/you",
}
PAINT = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0"
# Of commit 6d03c31, by this script on the same machine in the same hour.
BEFORE: dict[tuple[str, int], float] = {
    ("front page", 1440): 250, ("article", 1440): 196, ("subscriptions", 1440): 146, ("saved", 1440): 146,
    ("you", 1440): 184, ("front page", 390): 172, ("article", 390): 166, ("subscriptions", 390): 292,
    ("saved", 390): 352, ("you", 390): 276, ("j: the next card", 0): 4, ("like a card", 0): 42,
    ("open the menu Aa", 0): 1,
}  # fmt: skip


def measure_paint(page: Page, address: str) -> float:
    """Return the median of the first paints of a page, in milliseconds."""
    times = []
    for _ in range(TIMES):
        page.goto(address)
        page.wait_for_function(f"() => ({PAINT}) > 0")
        times.append(float(page.evaluate(PAINT)))
    return statistics.median(times)


def measure_reaction(page: Page, address: str, act: str, is_done: str) -> float:
    """Return the median time from an action until a condition holds, in milliseconds."""
    times = []
    for _ in range(TIMES):
        page.goto(address)
        page.wait_for_load_state("networkidle")
        times.append(
            float(
                page.evaluate(
                    f"""new Promise((done) => {{
                        const start = performance.now();
                        const look = () => ({is_done}) ? done(performance.now() - start) : requestAnimationFrame(look);
                        {act};
                        look();
                    }})"""
                )
            )
        )
    return statistics.median(times)


def press(key: str) -> str:
    """Return a script that presses a key."""
    return f"document.dispatchEvent(new KeyboardEvent('keydown', {{key: '{key}', bubbles: true}}))"


REACTIONS = {
    "j: the next card": (press("j").replace("document.", "document.body."), "document.activeElement.closest('.card')"),
    "like a card": (
        "window.button = document.querySelector('.mark[data-key=l]'); window.was = button.ariaPressed; button.click()",
        "button.ariaPressed !== was",
    ),
    "open the menu Aa": ("document.querySelector('.look summary').click()", "document.querySelector('.look').open"),
}  # fmt: skip


def main() -> None:
    """Measure, and write the results."""
    lines = [
        "# How fast the reader's pages are",
        "",
        f"`python benchmarks/reader_paint.py`, {datetime.now(UTC):%d %B %Y}. Chromium on loopback; medians of",
        f"{TIMES}, in milliseconds,",
        f"with a load of {os.getloadavg()[0]:.0f} on {os.cpu_count()} cores: differences of less than half say nothing. Before is",
        "commit 6d03c31, measured in the same hour under a load of 17.",
        "",
        "| first paint | width | before | now |",
        "|---|---:|---:|---:|",
    ]
    show: Callable[[float | None], str] = lambda value: "" if value is None else f"{value:.0f}"  # noqa: E731
    with (
        tempfile.TemporaryDirectory() as folder,
        Web([make_site(paper) for paper in PAPERS]) as web,
        sync_playwright() as playwright,
    ):
        path = Path(folder) / "reader.sqlite"
        fill(path, web)
        with serve(path, allow(web)) as reader:
            browser = launch(playwright)
            for width in (1440, 390):
                page = browser.new_page(viewport={"width": width, "height": 900})
                for name, place in PAGES.items():
                    now = measure_paint(page, reader.address + place)
                    lines.append(
                        f"| {name} | {width} | {show(BEFORE.get((name, width)))} | {now:.0f} |"
                    )
                page.close()
            lines += ["", "| reaction | before | now |", "|---|---:|---:|"]
            page = browser.new_page(viewport={"width": 1440, "height": 900})
            for name, (act, is_done) in REACTIONS.items():
                now = measure_reaction(page, reader.address + "/", act, is_done)
                lines.append(f"| {name} | {show(BEFORE.get((name, 0)))} | {now:.0f} |")
            browser.close()
    print("\n".join(lines))
    RESULTS.write_text("\n".join(lines) + "\n", "utf-8")


if __name__ == "__main__":
    main()
