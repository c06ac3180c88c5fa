"""Measure the time that we and our peers need for the same 200 pages, and write results/speed.md.

All systems read a page before the next page begins, so that noise affects all alike. The best CPU time of each page
over several rounds counts. Peers come with the extra "evaluate". The pages are every sixth of wcxb-dev by name, at most
200.
"""

import argparse
import gzip
import os
import platform
import sys
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from multiprocessing.context import ForkProcess
from pathlib import Path

import bodytext
from bodytext import METHODS, extract, parse
from bodytext import kernel as _kernel
from bodytext.output.markdown import to_markdown
from bodytext.views.metadata import Metadata

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("BODYTEXT_DATA", ROOT.parent / "shared" / "data"))
PAGES, STEP, SLOW_EVERY, PASSES = 200, 6, 4, 5
TEXT, METADATA, MARKDOWN = (
    "bodytext text, by default",
    "bodytext text + metadata",
    "bodytext text + Markdown",
)

System = Callable[[bytes], object]


def systems() -> dict[str, System]:
    """All systems that are measured, by name; the first is the unit."""
    from resiliparse.extract.html2text import extract_plain_text
    from resiliparse.parse.encoding import detect_encoding
    from selectolax.lexbor import LexborHTMLParser
    from trafilatura import extract as trafilatura_extract

    return {
        "lexbor, parse alone": LexborHTMLParser,
        "bodytext parse": parse,
        **{f"bodytext {name}": partial(extract_text, name) for name in METHODS},
        TEXT: extract_only,
        METADATA: extract_with_metadata,
        MARKDOWN: extract_with_markdown,
        "resiliparse, main content": lambda page: extract_plain_text(
            page.decode(detect_encoding(page), "replace"), main_content=True
        ),
        "trafilatura": trafilatura_extract,
    }


def extract_text(method: str, page: bytes) -> str:
    """The text of a page by one of our methods."""
    return str(extract(page, method=method))


def extract_only(page: bytes) -> str:
    """The text of a page with default options."""
    return str(extract(page))


def extract_with_metadata(page: bytes) -> tuple[str, Metadata]:
    """The text of a page and all its metadata."""
    document = extract(page)
    return str(document), document.metadata


def extract_with_markdown(page: bytes) -> tuple[str, str]:
    """The text of a page and its Markdown."""
    document = extract(page)
    return str(document), to_markdown(document)


def read_pages() -> list[bytes]:
    """The fixed sample of pages."""
    paths = sorted((DATA / "wcxb-dev" / "html").glob("*.html.gz"))[::STEP][:PAGES]
    if not paths:
        sys.exit(f"no pages in {DATA}; set BODYTEXT_DATA to the folder that holds wcxb-dev")
    return [gzip.decompress(path.read_bytes()) for path in paths]


def measure(pages: list[bytes], rounds: int) -> dict[str, float]:
    """The mean over pages of each system's best CPU time in seconds; trafilatura runs once, on every fourth page."""
    best: dict[str, dict[int, float]] = {name: {} for name in systems()}
    for _ in range(rounds):
        for number, page in enumerate(pages):
            for name, system in systems().items():
                if name == "trafilatura" and (number % SLOW_EVERY or number in best[name]):
                    continue
                start = time.process_time()
                system(page)
                taken = time.process_time() - start
                best[name][number] = min(taken, best[name].get(number, taken))
    unit = best["lexbor, parse alone"]
    whole = sum(unit.values()) / len(unit)
    means = {}
    for (
        name,
        times,
    ) in best.items():  # a system measured on fewer pages is scaled by the unit's time on them
        means[name] = sum(times.values()) / sum(unit[number] for number in times) * whole
    return means


def scan_all(pages: list[bytes]) -> None:
    """Scan all pages several times, so that starting a worker takes a small share of the time."""
    for _ in range(PASSES):
        for page in pages:
            _kernel.scan(page)


def measure_workers(
    pages: list[bytes], rounds: int, worker: type[threading.Thread] | type[ForkProcess]
) -> float:
    """How many times faster two workers scan the pages than one, by wall clock, best of several rounds."""
    alone, together = [], []
    for _ in range(rounds):
        start = time.perf_counter()
        scan_all(pages)
        alone.append(time.perf_counter() - start)
        workers = [worker(target=scan_all, args=(pages[part::2],)) for part in range(2)]
        start = time.perf_counter()
        for started in workers:
            started.start()
        for started in workers:
            started.join()
        together.append(time.perf_counter() - start)
    return min(alone) / min(together)


def report(pages: list[bytes], rounds: int) -> str:
    """The table as Markdown."""
    times = measure(pages, rounds)
    unit, resiliparse, trafilatura = (
        times[name] for name in ("lexbor, parse alone", "resiliparse, main content", "trafilatura")
    )
    versions = ", ".join(
        f"{name} {version(name)}" for name in ("selectolax", "resiliparse", "trafilatura", "numpy")
    )
    mean_size = sum(map(len, pages)) / len(pages)
    kernel = f"Python {platform.python_version()}, bodytext {bodytext.__version__} (kernel: {_kernel.describe()})"
    sample = f"{len(pages)} pages of wcxb-dev (every {STEP}th by name, {mean_size / 1000:.0f} KB on average)"
    lines = [
        "# Speed",
        "",
        f"`python benchmarks/speed.py --rounds {rounds}`, {datetime.now(UTC):%Y-%m-%d}, {kernel}, {versions}.",
        f"{sample}, CPU time, best of {rounds} rounds, all systems on a page before the next page.",
        "Trafilatura is measured once, on every fourth page.",
        "",
        "| system | ms a page | of lexbor's parse | times faster than resiliparse | than trafilatura |",
        "|---|---|---|---|---|",
    ]
    for name, taken in times.items():
        ratios = f"{taken / unit:.2f} | {resiliparse / taken:.1f} | {trafilatura / taken:.0f}"
        lines.append(f"| {name} | {taken * 1000:.2f} | {ratios} |")
    added = [f"{times[name] / times[TEXT] - 1:.0%}" for name in (METADATA, MARKDOWN)]
    lines += ["", f"Metadata adds {added[0]} to the time of text alone, and Markdown {added[1]}."]
    sources = [bodytext.parse(page).source for page in pages]
    threads, processes = (
        measure_workers(sources, max(rounds, 7), worker)
        for worker in (threading.Thread, ForkProcess)
    )
    both = f"two threads scan these pages {threads:.2f} times as fast as one, two processes {processes:.2f} times"
    lines += [
        "",
        f"The scan releases Python's lock: {both} ({os.cpu_count()} cores, wall clock, best of several).",
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure, print, and write results/speed.md."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "results" / "speed.md")
    options = parser.parse_args()
    text = report(read_pages(), options.rounds)
    options.output.write_text(text, "utf-8")
    print(text)


if __name__ == "__main__":
    main()
