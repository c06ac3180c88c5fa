"""Measure the time that we and our peers need for the same pages; write results/speed.md and its picture.

    python benchmarks/speed.py

There are large pages (150 of wcxb-dev, taken evenly by name) and small ones (40 of all sets, of about 5 KB). Every
system reads a page before the next page begins, so that noise affects all alike, and the best CPU time of each page over
several rounds counts: this is the column "in turn". Each system then reads all pages on its own, so that memory which
it has freed serves it again: the column "alone". Import and first call are measured in fresh processes, and threads by
wall clock, beside processes: these share nothing, so they show what the machine has to give. The machine must be quiet.
Peers come with the group "evaluate".
"""

import argparse
import gzip
import multiprocessing
import os
import platform
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import bodytext
from bodytext import METHODS, extract, parse
from bodytext import kernel as _kernel

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("BODYTEXT_DATA", ROOT.parent / "shared" / "data"))
CORES = os.cpu_count() or 1
LARGE, SMALL = 150, 40  # pages
SMALLEST, LARGEST = 3_000, 8_000  # bytes of a small page
SLOW_EVERY = 8  # a page of so many is read, once, by a system that takes tens of milliseconds
PROCESSES = 7  # fresh ones, of which the quickest counts
THREADS, PASSES, REPEATS = (2, 8), 6, 4
UNIT = "lexbor, parse alone"
TEXT, RECORD = "bodytext text", "bodytext whole record"
MAIN_TEXT = "resiliparse main text"
VIEWS = ("structure", "markdown", "metadata", "media", "comments")
SLOW = frozenset({"readability-lxml", "trafilatura text", "trafilatura Markdown and metadata"})
PEERS = (
    "selectolax",
    "resiliparse",
    "turbohtml",
    "readability-lxml",
    "trafilatura",
    "html-to-markdown",
)
# What a process does first: the import and the first page.
STARTS = {
    "numpy": ("import numpy", "pass"),
    "bodytext": ("import bodytext", "bodytext.extract(page)"),
    "resiliparse": (
        "from resiliparse.extract.html2text import extract_plain_text",
        "extract_plain_text(page.decode(), main_content=True)",
    ),
    "readability-lxml": ("from readability import Document", "Document(page.decode()).summary()"),
    "trafilatura": ("import trafilatura", "trafilatura.extract(page.decode())"),
}

System = Callable[[bytes], object]
Worker = Callable[..., Any]  # a class of threads or processes
Times = dict[str, float]  # seconds a page


def systems() -> dict[str, System]:
    """All systems that are measured, by name."""
    import turbohtml
    from html_to_markdown import convert
    from readability import Document as ReadabilityDocument
    from resiliparse.extract.html2text import extract_plain_text
    from resiliparse.parse.encoding import detect_encoding
    from selectolax.lexbor import LexborHTMLParser
    from trafilatura import extract as trafilatura_extract

    def decode(page: bytes) -> str:
        return page.decode(detect_encoding(page), "replace")

    return {
        UNIT: LexborHTMLParser,
        "bodytext parse": parse,
        TEXT: read_record,
        **{f"bodytext text + {view}": partial(read_record, views=(view,)) for view in VIEWS},
        RECORD: partial(read_record, views=VIEWS),
        **{f"bodytext {name}": partial(read_text, name) for name in METHODS if name != "learned"},
        MAIN_TEXT: lambda page: extract_plain_text(decode(page), main_content=True),
        "turbohtml main text": lambda page: read_turbohtml(turbohtml.parse(page)),
        "html-to-markdown, all of the page": lambda page: convert(decode(page)),
        "readability-lxml": lambda page: ReadabilityDocument(decode(page)).summary(),
        "trafilatura text": trafilatura_extract,
        "trafilatura Markdown and metadata": lambda page: trafilatura_extract(
            page, output_format="markdown", with_metadata=True
        ),
    }


def read_record(page: bytes, views: Sequence[str] = ()) -> list[object]:
    """The text of a page with default options, and some of its other properties."""
    document = extract(page)
    return [str(document), *(getattr(document, view) for view in views)]


def read_text(method: str, page: bytes) -> str:
    """The text of a page by one of our methods."""
    return str(extract(page, method=method))


def read_turbohtml(document: object) -> str:
    """The main text of a page that turbohtml has parsed."""
    content = document.main_content()  # type: ignore[attr-defined]
    return str(content.to_text()) if content is not None else ""


def read_pages() -> tuple[list[bytes], list[bytes]]:
    """The fixed samples of large and of small pages."""
    paths = sorted((DATA / "wcxb-dev" / "html").glob("*.html.gz"))
    if not paths:
        sys.exit(f"no pages in {DATA}; set BODYTEXT_DATA to the folder that holds wcxb-dev")
    large = [gzip.decompress(path.read_bytes()) for path in paths[:: len(paths) // LARGE][:LARGE]]
    every = map(gzip.decompress, map(Path.read_bytes, sorted(DATA.rglob("*.html.gz"))))
    small = [page for page in every if SMALLEST < len(page) < LARGEST]
    return large, small[:: max(1, len(small) // SMALL)][:SMALL]


def measure_in_turn(pages: list[bytes], rounds: int) -> Times:
    """The mean over pages of each system's best time; all read a page before the next one."""
    best: dict[str, dict[int, float]] = {name: {} for name in systems()}
    for _ in range(rounds):
        for number, page in enumerate(pages):
            for name, system in systems().items():
                if name in SLOW and (number % SLOW_EVERY or number in best[name]):
                    continue
                taken = measure(system, page)
                best[name][number] = min(taken, best[name].get(number, taken))
    unit = best[UNIT]
    whole = sum(unit.values()) / len(unit)
    # A system measured on fewer pages is scaled by the unit's time on them.
    return {
        name: sum(times.values()) / sum(unit[number] for number in times) * whole
        for name, times in best.items()
    }


def measure_alone(pages: list[bytes], rounds: int) -> Times:
    """The same, but each system reads all pages before the next system begins."""
    best: dict[str, list[float]] = {}
    for _ in range(rounds):
        for name, system in systems().items():
            if name in SLOW:
                continue
            times = [measure(system, page) for page in pages]
            best[name] = list(map(min, times, best.get(name, times)))
    return {name: sum(times) / len(times) for name, times in best.items()}


def measure(system: System, page: bytes) -> float:
    """The CPU time of one page in seconds."""
    start = time.process_time()
    system(page)
    return time.process_time() - start


def measure_start(imports: str, first: str) -> tuple[float, float]:
    """The CPU times of an import and of the first call after it, in seconds: the least of fresh processes."""
    code = (
        "import sys, time\n"
        "page = open(sys.argv[1], 'rb').read()\n"
        f"start = time.process_time()\n{imports}\nready = time.process_time()\n"
        f"{first}\nprint(ready - start, time.process_time() - ready)"
    )
    command = [sys.executable, "-c", code, str(ROOT / "examples" / "article.html")]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed package has its bytecode
    times = []
    for _ in range(PROCESSES):
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
        times.append(tuple(map(float, done.stdout.split())))
    return min(taken[0] for taken in times), min(taken[1] for taken in times)


def measure_workers(pages: list[bytes], worker: Worker, count: int) -> float:
    """How many times faster workers give the text of pages than one, by wall clock, at best."""
    # Shares of like size, which take so long that to start a process does not count.
    pages = sorted(pages, key=len)
    pages = (pages + pages[::-1]) * REPEATS
    alone, together = [], []
    for _ in range(PASSES):
        start = time.perf_counter()
        read_all(pages)
        alone.append(time.perf_counter() - start)
        started = [worker(target=read_all, args=(pages[part::count],)) for part in range(count)]
        start = time.perf_counter()
        for each in started:
            each.start()
        for each in started:
            each.join()
        together.append(time.perf_counter() - start)
    return min(alone) / min(together)


def read_all(pages: list[bytes]) -> None:
    """Read the texts of pages."""
    for page in pages:
        str(extract(page))


def write_table(large: tuple[Times, Times], small: Times) -> list[str]:
    """The rows of all systems: large pages in turn and alone, small pages in turn."""
    in_turn, alone = large
    lines = [
        "| system | ms, in turn | of lexbor | of resiliparse | ms, alone | of lexbor | small page, ms |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, taken in in_turn.items():
        own = ["", ""]
        if name in alone:
            own = [f"{alone[name] * 1000:.2f}", f"{alone[name] / alone[UNIT]:.2f}"]
        cells = [
            name,
            f"{taken * 1000:.2f}",
            f"{taken / in_turn[UNIT]:.2f}",
            f"{taken / in_turn[MAIN_TEXT]:.2f}",
            *own,
            f"{small[name] * 1000:.3f}",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def describe(large: list[bytes], small: list[bytes], rounds: int) -> list[str]:
    """What was measured, with what, and how."""
    versions = ", ".join(f"{name} {version(name)}" for name in (*PEERS, "numpy"))
    sizes = [f"{sum(map(len, pages)) / len(pages) / 1000:.0f} KB" for pages in (large, small)]
    return [
        "# Speed",
        "",
        (
            f"`python benchmarks/speed.py --rounds {rounds}`, {datetime.now(UTC):%Y-%m-%d}, "
            f"Python {platform.python_version()}, bodytext {bodytext.__version__} "
            f"(kernel: {_kernel.describe()}), {versions}, {CORES} cores."
        ),
        "",
        (
            f"CPU time a page on one core, best of {rounds} rounds, of {len(large)} large pages of wcxb-dev ({sizes[0]} on "
            f"average) and {len(small)} small ones ({sizes[1]}). *In turn*: all systems read a page before the next one, so "
            "that none has the caches and the freed memory to itself. *Alone*: a system reads all pages before the next "
            "system begins. The whole record is text, Markdown, structure, metadata, media and comments. "
            f"{', '.join(sorted(SLOW))} read every {SLOW_EVERY}th page once."
        ),
        "",
    ]


def write_starts() -> list[str]:
    """The table of imports and first calls."""
    lines = [
        "",
        "## Start",
        "",
        "CPU time in a fresh process, the least of several: the import, and the first page (examples/article.html).",
        "",
        "| package | import, ms | first call, ms |",
        "|---|---|---|",
    ]
    for name, code in STARTS.items():
        imported, called = measure_start(*code)
        first = "" if name == "numpy" else f"{called * 1000:.1f}"
        lines.append(f"| {name} | {imported * 1000:.0f} | {first} |")
    return lines


def draw(times: Times, path: Path) -> None:
    """Draw the times of large pages as bars, ours dark."""
    import matplotlib as mpl

    mpl.use("agg")
    from matplotlib import pyplot as plt

    names = sorted(times, key=times.__getitem__, reverse=True)
    figure, axes = plt.subplots(figsize=(9, 0.32 * len(names) + 1), layout="constrained")
    colours = ["#0072b2" if name.startswith("bodytext") else "#f0984f" for name in names]
    bars = axes.barh(names, [times[name] * 1000 for name in names], color=colours)
    axes.bar_label(bars, fmt="%.2f", padding=3)
    axes.set_xscale("log")
    axes.margins(x=0.15, y=0.01)
    axes.set_xlabel("CPU milliseconds a page (logarithmic)")
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=130)


def report(rounds: int, picture: Path) -> str:
    """Measure everything; return the report as Markdown and draw its picture."""
    large, small = read_pages()
    in_turn = measure_in_turn(large, rounds)
    alone = measure_alone(large, rounds)
    threads = {count: measure_workers(large, threading.Thread, count) for count in THREADS}
    # Forked, since a new process would spend its time on imports.
    processes = measure_workers(large, multiprocessing.get_context("fork").Process, CORES)
    lines = describe(large, small, rounds)
    lines += write_table((in_turn, alone), measure_in_turn(small, rounds))
    lines += [
        "",
        (
            f"Text takes {in_turn[TEXT] / in_turn[UNIT]:.2f} of lexbor's parse in turn and "
            f"{alone[TEXT] / alone[UNIT]:.2f} alone. The whole record takes "
            f"{in_turn[RECORD] / in_turn[MAIN_TEXT]:.2f} of resiliparse's main text."
        ),
        "",
        (
            "Threads give the text of the large pages "
            + " and ".join(f"{times:.2f} times ({count})" for count, times in threads.items())
            + f" as fast as one; {CORES} processes, which share nothing, give it {processes:.2f} times "
            f"(wall clock, {CORES} cores)."
        ),
        "",
        f"![CPU time of all systems on large pages]({picture.name})",
        *write_starts(),
    ]
    draw(in_turn, picture)
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure, print, and write the report."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "results" / "speed.md")
    options = parser.parse_args()
    text = report(options.rounds, options.output.with_suffix(".png"))
    options.output.write_text(text, "utf-8")
    print(text)


if __name__ == "__main__":
    main()
