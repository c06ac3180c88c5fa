"""Measure how fast the tools are in Chromium, and write results/paint.md.

    python benchmarks/paint.py
    python benchmarks/paint.py --before CHECKOUT    another checkout beside this one, in turn

For each tool: when a page is first painted, when it is complete, and the time from a key or click until the page shows
its result. Each is measured some times, and the median counts. If the variable BODYTEXT_DATA names the folder of the
real pages, it also counts on how many of them the inspector's first view shows kept text. The native modules of the
other checkout must be built (`python setup.py build_ext --inplace`).
"""

import argparse
import gzip
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "results" / "paint.md"
TIMES = 3
WIDTHS = {1440: 900, 390: 844}
SETS = ("wcxb-dev", "articles-and-forums", "news-2000-2015", "news-multilingual", "unlabelled")
PAGES_OF_A_SET = 8
PARTS = ["pages", "reactions", "views"]
PATIENCE_MS = 60_000
LARGE_PARAGRAPHS = 4_000  # a page of 1 MB

# Notes when a condition first holds, since the navigation began.
WATCH = """
window.complete = 0;
(function look() {
  let holds = false;
  try { holds = %s; } catch {}
  if (holds) window.complete = performance.now();
  else requestAnimationFrame(look);
})();
"""
PAINT = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0"
# The time from an action until a condition holds. The tools' policy forbids to make functions of words.
REACT = """async () => {
  const next = () => new Promise((done) => requestAnimationFrame(done));
  await next();
  await next();
  const began = performance.now();
  %s;
  while (!(%s)) {
    if (performance.now() - began > 20_000) throw new Error("it does not react");
    await next();
  }
  return performance.now() - began;
}"""
# Whether the part of the frame that is visible shows text that is kept, and nothing lies over it.
SHOWS_KEPT = """() => {
  const frame = document.querySelector("iframe"), inner = frame.contentDocument;
  const kept = [...inner.querySelectorAll('[data-bt-s^="keep"]')].filter((one) => one.textContent.trim());
  const isSeen = (one) => [...one.getClientRects()].some((box) => {
    const top = Math.max(0, box.top), bottom = Math.min(frame.clientHeight, box.bottom);
    if (bottom - top < 4 || box.width < 4) return false;
    const at = inner.elementFromPoint(Math.min(box.left + box.width / 2, frame.clientWidth - 2), (top + bottom) / 2);
    return Boolean(at) && (one.contains(at) || at.contains(one));
  });
  return { kept: kept.length, seen: kept.some(isSeen), offered: document.getElementById("plain-offer")?.hidden === false };
}"""
COLOURED = """(() => {
  const inner = document.querySelector("iframe")?.contentDocument;
  return document.querySelector(".pageview:not(.loading)") && inner.querySelector("style[data-bt-own]")
    && !inner.querySelector("[data-bt-b]:not([data-bt-s])");
})()"""


@dataclass(frozen=True)
class Place:
    """A page of a tool, and when it is complete; without a path, the one that the command names."""

    tool: str
    name: str
    path: str
    complete: str = "document.readyState === 'complete'"


@dataclass(frozen=True)
class Reaction:
    """Something a user does at a place, and when its result is there."""

    place: Place
    name: str
    act: str
    holds: str


def press(key: str) -> str:
    """Return a script that presses a key."""
    return f"document.body.dispatchEvent(new KeyboardEvent('keydown', {{key: '{key}', bubbles: true}}))"


BLOCK_IN_FRAME = "document.querySelector('iframe').contentDocument.querySelector('[data-bt-s]')"
START = Place("inspect", "inspector, start", "/", "!document.getElementById('start').hidden")
PAGE = Place("inspect", "inspector, a page", "/pages/{newspaper}", COLOURED)
LARGE = Place("inspect", "inspector, a page of 1 MB", "/pages/{large}", BLOCK_IN_FRAME)
LABEL = Place("label", "labelling", "", COLOURED)
SERVICE = Place("serve", "service", "/", "document.querySelector('#options tr')")
FRONT = Place("reader", "reader, front page", "/")
PLACES = (
    START, PAGE, LARGE, LABEL, SERVICE, FRONT,
    Place("reader", "reader, article", "/article/2"),
    Place("reader", "reader, subscriptions", "/feeds"),
    Place("reader", "reader, saved", "/saved"),
    Place("reader", "reader, you", "/you"),
)  # fmt: skip
LOOK_OF_CHOSEN = (
    "document.querySelector('iframe').contentDocument.querySelector('[data-bt-here]').dataset.btS"
)
REACTIONS = (
    Reaction(PAGE, "select a block", press("j"), "document.querySelector('#panel-block h2')"),
    Reaction(PAGE, "its reasons", press("j"), "document.querySelector('#panel-block .reasons li')"),
    Reaction(PAGE, "move the threshold", press("-"), "document.getElementById('threshold-value').textContent === '0.45'"),
    Reaction(
        PAGE, "compare with another method",
        "const other = document.getElementById('other'); other.value = 'finn'; other.dispatchEvent(new Event('change'))",
        "document.querySelector('#view-b.pageview:not(.loading) iframe')",
    ),
    Reaction(
        PAGE, "show the result", "document.getElementById('tab-result').click()",
        "document.querySelector('.result-text')?.checkVisibility()",
    ),
    Reaction(
        LARGE, "move the threshold of the large page", press("-"),
        "document.getElementById('threshold-value').textContent === '0.45'",
    ),
    Reaction(
        LABEL, "label a block", f"{press('j')}; window.was = {LOOK_OF_CHOSEN}; {press(' ')}", f"{LOOK_OF_CHOSEN} !== was",
    ),
    Reaction(
        LABEL, "the next page", f"window.was = document.getElementById('page-name').textContent; {press('s')}",
        "document.getElementById('page-name').textContent !== was && document.querySelector('.pageview:not(.loading)')",
    ),
    Reaction(
        SERVICE, "extract a page",
        "const paragraph = '<p>The tide came in at ten past four, said the keeper of the lamp.</p>';"
        "document.getElementById('html').value = `<article>${paragraph.repeat(20)}</article>`;"
        "document.getElementById('try').requestSubmit()",
        "!document.getElementById('answer').hidden",
    ),
    Reaction(FRONT, "j: the next card", press("j"), "document.activeElement.closest('.card')"),
    Reaction(
        FRONT, "like a card",
        "window.button = document.querySelector('.mark[data-key=l]'); window.was = button.ariaPressed; button.click()",
        "button.ariaPressed !== was",
    ),
    Reaction(FRONT, "open the menu Aa", "document.querySelector('.look summary').click()", "document.querySelector('.look').open"),
)  # fmt: skip


def write_pages(folder: Path) -> None:
    """Write the pages that the inspector and the labelling tool show."""
    shutil.copy(ROOT / "examples" / "newspaper.html", folder)
    paragraph = "<p>Paragraph {}: the tide came in at ten past four, and the boats that had waited left the harbour, "
    paragraph += "one after the other, while the keeper wrote their names into the book, as he did every day.</p>"
    body = "".join(paragraph.format(number) for number in range(LARGE_PARAGRAPHS))
    (folder / "large.html").write_text(
        f"<title>Tides</title><article><h1>Tides</h1>{body}</article>"
    )
    for number in range(2 * TIMES):
        (folder / f"page{number:02d}.html").write_text(
            (folder / "newspaper.html").read_text("utf-8"), "utf-8"
        )


class Tools:
    """The tools of one checkout, running."""

    def __init__(self, checkout: Path, folder: Path) -> None:
        self.checkout = checkout
        self.folder = folder
        self.stack = ExitStack()
        self.addresses: dict[str, str] = {}
        self.keys: dict[str, str] = {}

    def start(self, browser: Browser) -> None:
        """Start all tools, and ask for the names of the inspector's pages."""
        pages = self.folder / "pages"
        pages.mkdir(parents=True)
        write_pages(pages)
        commands = {
            "inspect": ["-m", "bodytext", "inspect", str(pages), "--no-browser"],
            "label": ["-m", "bodytext", "label", str(pages), "--labels", str(self.folder / "labels"), "--no-browser"],
            "serve": ["-m", "bodytext", "serve", "--port", "0", "--workers", "1"],
            "reader": [__file__, "--reader", str(self.folder / "reader.sqlite")],
        }  # fmt: skip
        for name, command in commands.items():
            self.addresses[name] = self.stack.enter_context(self.running(name, command))
        self.keys = read_keys(browser, self.addresses["inspect"])

    @contextmanager
    def running(self, name: str, command: Sequence[str]) -> Iterator[str]:
        """Run a command with the packages of this checkout; yields the address that it prints."""
        path = os.pathsep.join(str(self.checkout / part) for part in ("src", "tests"))
        log = self.folder / f"{name}.log"
        with log.open("w") as output:
            process = subprocess.Popen(
                [sys.executable, "-u", *command], stdout=output, stderr=subprocess.STDOUT, cwd=self.folder,
                env=os.environ | {"PYTHONPATH": path},
            )  # fmt: skip
        try:
            while "http://" not in log.read_text():
                if process.poll() is not None:
                    raise SystemExit(f"{name} of {self.checkout} did not start: {log.read_text()}")
                time.sleep(0.05)
            time.sleep(0.1)  # the rest of the line
            address = log.read_text()[log.read_text().index("http://") :].split()[0]
            yield address
        finally:
            process.terminate()
            process.wait()

    def find(self, place: Place) -> str:
        """Return the address of a place."""
        address = self.addresses[place.tool]
        return find_origin(address) + place.path.format_map(self.keys) if place.path else address


def find_origin(address: str) -> str:
    """Return an address without its path."""
    return "/".join(address.split("/")[:3])


def read_keys(browser: Browser, address: str) -> dict[str, str]:
    """Return the keys of the inspector's pages by their names."""
    page = browser.new_page()
    page.goto(address)
    pages = page.evaluate("fetch('/api/pages').then((answer) => answer.json())")["pages"]
    page.close()
    return {one["name"].rpartition("/")[2].removesuffix(".html"): one["key"] for one in pages}


def measure_place(browser: Browser, address: str, place: Place, width: int) -> tuple[float, float]:
    """Return when a page was first painted, and when it was complete, in milliseconds."""
    with opened(browser, width) as page:
        page.add_init_script(WATCH % place.complete)
        page.goto(address)
        page.wait_for_function(f"() => window.complete > 0 && ({PAINT}) > 0")
        return float(page.evaluate(PAINT)), float(page.evaluate("window.complete"))


def measure_reaction(browser: Browser, address: str, reaction: Reaction) -> float:
    """Return the time from an action until its result is there, in milliseconds."""
    with opened(browser, 1440) as page:
        page.goto(address)
        page.wait_for_load_state("networkidle")
        page.wait_for_function(f"() => {reaction.place.complete}")
        return float(page.evaluate(REACT % (reaction.act, reaction.holds)))


@contextmanager
def opened(browser: Browser, width: int) -> Iterator[Page]:
    """Open a window of its own, so that nothing is in the cache."""
    context = browser.new_context(viewport={"width": width, "height": WIDTHS[width]})
    context.set_default_timeout(PATIENCE_MS)
    yield context.new_page()
    context.close()


def measure_places(browser: Browser, checkouts: Sequence[Tools]) -> Iterator[str]:
    """Measure when the pages of the checkouts are there, in turn; yields the lines of the table."""
    names = ("before", "now")[-len(checkouts) :]
    paints, ends = (
        " | ".join(f"{what}, {name}" for name in names) for what in ("first paint", "complete")
    )
    numbers = "|".join(["---:"] * (1 + 2 * len(names)))
    yield from (f"| page | width | {paints} | {ends} |", f"|---|{numbers}|")
    for width in WIDTHS:
        for place in PLACES:
            times = [
                [measure_place(browser, tools.find(place), place, width) for tools in checkouts]
                for _ in range(TIMES)
            ]
            cells = [
                f"{statistics.median(row[one][part] for row in times):.0f}"
                for part in (0, 1)
                for one in range(len(checkouts))
            ]
            yield f"| {place.name} | {width} | {' | '.join(cells)} |"


def measure_reactions(browser: Browser, checkouts: Sequence[Tools]) -> Iterator[str]:
    """Measure the reactions of the checkouts in turn; yields the lines of the table."""
    names = ("before", "now")[-len(checkouts) :]
    yield from (
        "",
        f"| reaction | {' | '.join(names)} |",
        f"|---|{'|'.join(['---:'] * len(names))}|",
    )
    for reaction in REACTIONS:
        rows = [
            [measure_reaction(browser, tools.find(reaction.place), reaction) for tools in checkouts]
            for _ in range(TIMES)
        ]
        cells = [f"{statistics.median(column):.0f}" for column in zip(*rows, strict=True)]
        yield f"| {reaction.place.name}: {reaction.name} | {' | '.join(cells)} |"


# ---- the first view of real pages ----


def choose_pages(folder: Path, data: Path) -> int:
    """Copy as many pages of each set, evenly through its names; returns their number."""
    folder.mkdir(parents=True)
    for name in SETS:
        found = sorted((data / name / "html").glob("*.html.gz"))
        for path in islice(found, 0, None, max(1, len(found) // PAGES_OF_A_SET)):
            (folder / f"{name}-{path.stem}").write_bytes(gzip.decompress(path.read_bytes()))
    return len(list(folder.iterdir()))


def look_at_first_view(browser: Browser, address: str, width: int) -> dict[str, Any]:
    """Return what the first view of a page in the inspector shows."""
    with opened(browser, width) as page:
        page.goto(address)
        page.wait_for_function(f"() => {COLOURED}")
        page.evaluate("new Promise((done) => setTimeout(() => requestAnimationFrame(done), 300))")
        return dict(page.evaluate(SHOWS_KEPT))


def count_first_views(browser: Browser, checkouts: Sequence[Tools], folder: Path) -> Iterator[str]:
    """Count pages whose first view shows kept text; yields the lines of the table."""
    names = ("before", "now")[-len(checkouts) :]
    yield from (f"| width | {' | '.join(names)} |", f"|---:|{'|'.join(['---'] * len(names))}|")
    command = ["-m", "bodytext", "inspect", str(folder), "--no-browser"]
    for width in WIDTHS:
        cells, without = [], {}
        for tools, name in zip(checkouts, names, strict=True):
            with tools.running("first-views", command) as address:
                keys = read_keys(browser, address)
                views = {
                    page: look_at_first_view(browser, f"{find_origin(address)}/pages/{key}", width)
                    for page, key in sorted(keys.items())
                }
            kept = {page: view for page, view in views.items() if view["kept"]}
            seen = sum(view["seen"] for view in kept.values())
            offered = sum(view["offered"] for view in kept.values() if not view["seen"])
            more = f"; Plain is offered on {offered}" if offered else ""
            cells.append(f"kept text in view on {seen} of {len(kept)}{more}")
            without[name] = [page for page, view in kept.items() if not view["seen"]]
        yield f"| {width} | {' | '.join(cells)} |"
        print(width, without, file=sys.stderr)


def show_progress(lines: Iterator[str]) -> Iterator[str]:
    """Yield lines, and show each as it is made."""
    for line in lines:
        print(line, file=sys.stderr, flush=True)
        yield line


def describe_views(
    browser: Browser, checkouts: Sequence[Tools], folder: Path, data: Path
) -> Iterator[str]:
    """Choose real pages, and count first views; yields the lines of the section."""
    count = choose_pages(folder, data)
    yield from ("", "## The inspector's first view", "")
    yield f"{count} real pages of {', '.join(SETS)}, evenly through each set."
    yield "A page counts if a kept block is in the visible part of its frame, with nothing over it."
    yield ""
    yield from count_first_views(browser, checkouts, folder)


def run_reader(path: Path) -> None:
    """Serve a reader over the newspapers of the tests, with the packages of the path."""
    from browser.reader_news import make_web
    from browser.reader_server import allow, fill, serve

    with make_web() as web:
        fill(path, web)
        with serve(path, allow(web)) as reader:
            print(reader.address, flush=True)
            while True:
                time.sleep(60)


def describe(checkouts: Sequence[Tools]) -> list[str]:
    """Return the head of the report."""
    before = " --before CHECKOUT" if len(checkouts) > 1 else ""
    lines = [
        "# How fast the tools are in a browser",
        "",
        f"`python benchmarks/paint.py{before}`, {datetime.now(UTC):%d %B %Y}. Chromium on loopback, an empty cache; medians of",
        f"{TIMES}, in milliseconds, with a load of {os.getloadavg()[0]:.0f} on {os.cpu_count()} cores.",
    ]
    if len(checkouts) > 1:
        commit = subprocess.run(
            ["git", "rev-parse", "--short", "HEAD"], cwd=checkouts[0].checkout, capture_output=True, text=True, check=True,
        ).stdout.strip()  # fmt: skip
        lines.append(
            f"Before is commit {commit}; both were measured in turn, so both had the same load."
        )
    lines += [
        "A page is complete when its blocks are coloured (the large page: the first of them), its list is filled, or it is",
        "loaded. A reaction ends when the page shows the result.",
        "",
    ]
    return lines


def main() -> None:
    """Measure, and write the results."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--before", type=Path, metavar="CHECKOUT", help="another checkout")
    parser.add_argument("--part", choices=PARTS, help="only this; printed, not written")
    parser.add_argument("--reader", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.reader:
        run_reader(options.reader)
        return
    sys.path.insert(0, str(ROOT / "tests"))
    from browser.conftest import launch

    with (
        tempfile.TemporaryDirectory() as made,
        ExitStack() as stack,
        sync_playwright() as playwright,
    ):
        folder = Path(made)
        roots = [options.before.resolve(), ROOT] if options.before else [ROOT]
        checkouts = [Tools(root, folder / str(number)) for number, root in enumerate(roots)]
        browser = launch(playwright)
        lines = describe(checkouts)
        for tools in checkouts:
            tools.folder.mkdir()
            stack.enter_context(tools.stack)
        wanted = [options.part] if options.part else PARTS
        if wanted != ["views"]:
            for tools in checkouts:
                tools.start(browser)
        if "pages" in wanted:
            lines += show_progress(measure_places(browser, checkouts))
        if "reactions" in wanted:
            lines += show_progress(measure_reactions(browser, checkouts))
        data = os.environ.get("BODYTEXT_DATA")
        if data and "views" in wanted:
            lines += show_progress(describe_views(browser, checkouts, folder / "real", Path(data)))
        browser.close()
    print("\n".join(lines))
    if not options.part:
        RESULTS.write_text("\n".join(lines) + "\n", "utf-8")


if __name__ == "__main__":
    main()
