"""Measure every method, output and property on hostile pages, and write results/hostile.md and results/hostile.csv.

    python benchmarks/hostile.py                          all kinds, methods and uses
    python benchmarks/hostile.py --kind "divs nested"     one kind, and no report
    python benchmarks/hostile.py --what learned           one method or use, and no report

A page is measured at sizes 1, 2, 4 and 8, in a process of its own, a copy of this one that keeps freed memory. The time
of a method is the best CPU time of a few runs, from bytes to text; the time of a use (a format, metadata, comments,
media, structure, hidden text, templates, the reader's analysis) is that from a document on that has all blocks. Memory is the
growth of the peak resident set since before the page was read, so it includes the page, divided by the page's size.
At last, small pages of all kinds are extracted 10,000 times in one process, whose memory must not grow.
Exits with 1 if a limit is exceeded.
"""

import argparse
import csv
import ctypes
import gc
import json
import os
import platform
import resource
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from bodytext import METHODS, extract, kernel, parse  # noqa: E402
from hostile_pages import ARTICLE, KINDS, MARKER  # noqa: E402
from page_uses import USES, keep_all  # noqa: E402

METHOD_SIZE, USE_SIZE = 150_000, 15_000  # bytes at size 1
SIZES = (1, 2, 4, 8)
UNKNOWN_ENCODING = ("\u0434\u043e\u043c " * 50).encode(
    "koi8-r"
)  # loads the tables of the encoding detector, which stay in memory
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD, KEPT_BYTES = -1, -3, 1 << 25  # of glibc; the most it takes
RUNS = 3
ENOUGH_S = 0.1  # of CPU time, after which no more runs are needed
LONGEST_S = 60  # of CPU time of a measurement; a page that takes longer exceeds the limit anyway
QUICK_S = 0.005  # shorter times at size 1 are noise

MOST_GROWTH = 12.0  # of time, for 8 times the page
MOST_SECONDS = {"method": 2.0, "use": 50.0}  # per 10 MB
MOST_MEMORY = {"method": 20.0, "use": 700.0}  # times the page
REPEATS, WARM_UP, SMALL = 10_000, 1_000, 2_000  # extractions, those before memory counts, bytes
EVERY_USE = 4  # of so many extractions one goes through all uses
MOST_LEFT = 1 << 20  # bytes that so many extractions may leave behind


@dataclass(frozen=True, slots=True)
class Sample:
    """The measurement of one page."""

    size: int
    seconds: float
    memory: float  # times the page
    found: bool = True  # MARKER is in the text; of a use, nothing is looked for
    parsed: bool = True  # MARKER is in a block


@dataclass(frozen=True, slots=True)
class Row:
    """A kind of page and what was made of it, at all sizes."""

    kind: str
    what: str
    samples: tuple[Sample, ...]

    @property
    def part(self) -> str:
        """Whether it is a method or a use."""
        return "use" if self.what in USES else "method"

    @property
    def growth(self) -> float:
        """The growth of time from the first size to the last, scaled to exactly 8 times the bytes."""
        first, last = self.samples[0], self.samples[-1]
        exact = SIZES[-1] / (last.size / first.size)
        return last.seconds / max(first.seconds, QUICK_S) * exact

    @property
    def seconds_per_10_mb(self) -> float:
        """The time at the largest size, where fixed costs do not matter."""
        return self.samples[-1].seconds * 1e7 / self.samples[-1].size

    @property
    def memory(self) -> float:
        """The memory at the largest size."""
        return self.samples[-1].memory

    def broken(self) -> list[str]:
        """The names of the limits that are exceeded."""
        kind = KINDS[self.kind]
        limits = {
            "growth": self.growth > MOST_GROWTH,
            "time": self.seconds_per_10_mb > MOST_SECONDS[self.part],
            "memory": self.memory > MOST_MEMORY[self.part],
            "lost in parse": kind.planted and not all(sample.parsed for sample in self.samples),
            "not extracted": kind.extracted and not all(sample.found for sample in self.samples),
        }
        return [name for name, is_exceeded in limits.items() if is_exceeded]


def peak_bytes() -> int:
    """Return the largest resident set of this process since its start, or since `reset_peak`."""
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return int(status.split("VmHWM:")[1].split()[0]) * 1024


def reset_peak() -> None:
    """Reset the peak that imports have caused, so that it does not hide anything."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return


def measure_method(method: str, page: bytes) -> Sample:
    """Measure a method on a page."""
    before, best, peak, text = peak_bytes(), float("inf"), 0, ""
    for seconds, found in repeat(lambda: str(extract(page, method=method))):
        best, peak, text = min(best, seconds), peak or peak_bytes(), found
    parsed = any(MARKER in block for block in parse(page).texts())
    memory = (peak - before) / len(page) + 1
    return Sample(len(page), best, memory, MARKER in text, parsed)


def measure_use(use: str, page: bytes) -> Sample:
    """Measure what is made of a page after its extraction."""
    before, best, peak = peak_bytes(), float("inf"), 0
    spent = 0.0
    for _ in range(RUNS):
        document = keep_all(page)
        start = time.process_time()
        USES[use](document)
        seconds = time.process_time() - start
        best, peak, spent = min(best, seconds), peak or peak_bytes(), spent + seconds
        if spent > ENOUGH_S:
            break
    return Sample(len(page), best, (peak - before) / len(page) + 1)


def repeat(act: Callable[[], str]) -> Iterator[tuple[float, str]]:
    """Act a few times, and yield the CPU time and the result of each."""
    began = time.process_time()
    for _ in range(RUNS):
        start = time.process_time()
        result = act()
        yield time.process_time() - start, result
        if time.process_time() - began > ENOUGH_S:
            return


def in_a_copy(
    measure: Callable[[str, bytes], Sample], what: str, pages: list[bytes]
) -> list[Sample]:
    """Measure pages in a copy of this process, which may be killed for the time it takes."""
    reading, writing = os.pipe()
    copy = os.fork()
    if not copy:
        resource.setrlimit(resource.RLIMIT_CPU, (LONGEST_S, LONGEST_S))
        reset_peak()
        # The largest first: its memory counts, and the others are not timed with fresh memory.
        samples = [measure(what, page) for page in reversed(pages)][::-1]
        values = [[getattr(sample, name) for name in Sample.__slots__] for sample in samples]
        os.write(writing, json.dumps(values).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        answer = pipe.read()
    os.waitpid(copy, 0)
    if not answer:
        return [Sample(len(page), LONGEST_S, 0.0) for page in pages]
    return [Sample(*values) for values in json.loads(answer)]


def resident_bytes() -> int:
    """Return the resident set of this process."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def repeat_extractions() -> int:
    """Extract small pages of all kinds again and again; return the bytes that memory grows by."""
    pages = [kind.make(SMALL) for kind in KINDS.values()]
    before = 0
    for number in range(REPEATS):
        page = pages[number % len(pages)]
        str(extract(page, url="https://news.example/a/b"))
        if number % EVERY_USE == 0:
            document = keep_all(page)
            for use in USES.values():
                use(document)
        if number == WARM_UP:
            gc.collect()
            before = resident_bytes()
    gc.collect()
    return resident_bytes() - before


def keep_memory() -> None:
    """Let malloc keep freed memory: else fresh memory, not the work, decides the time at some sizes."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if mallopt:
        for option in (M_TRIM_THRESHOLD, M_MMAP_THRESHOLD):
            mallopt(option, KEPT_BYTES)


def measure_kind(kind: str, chosen: list[str]) -> Iterator[Row]:
    """Measure a kind of page; measure again if noise may have exceeded the limit of growth."""
    for what in chosen:
        measure, size = (measure_use, USE_SIZE) if what in USES else (measure_method, METHOD_SIZE)
        pages = [KINDS[kind].make(size * times) for times in SIZES]
        rows: list[Row] = []
        while not rows or (len(rows) < RUNS and "growth" in rows[-1].broken()):
            rows.append(Row(kind, what, tuple(in_a_copy(measure, what, pages))))
        yield min(rows, key=lambda row: row.growth)


def summarise(rows: list[Row], what: str) -> str:
    """The worst of a method or use as a line of the table."""
    own = [row for row in rows if row.what == what]
    growth = max(own, key=lambda row: row.growth)
    slow = max(own, key=lambda row: row.seconds_per_10_mb)
    large = max(own, key=lambda row: row.memory)
    return (
        f"| {what} | {growth.growth:.1f} | {growth.kind} | {slow.seconds_per_10_mb:.2f} | {slow.kind} "
        f"| {large.memory:.0f} | {large.kind} | {sum(bool(row.broken()) for row in own)} |"
    )


def describe(row: Row) -> str:
    """A row that exceeds a limit as a line of the table."""
    times = " ".join(f"{sample.seconds:.3f}" for sample in row.samples)
    return (
        f"| {row.kind} | {row.what} | {times} | {row.growth:.1f} | {row.seconds_per_10_mb:.2f} | {row.memory:.0f} "
        f"| {', '.join(row.broken())} |"
    )


def report(rows: list[Row], left: int | None = None) -> str:
    """The worst of each method and use, and all that exceeds a limit, as a Markdown page."""
    endurance = (
        f"""
{REPEATS:,} extractions of the kinds at {SMALL:,} bytes in one process, each {EVERY_USE}th with all uses: memory grew by
{left // 1024:,} KiB after the first {WARM_UP:,} (limit: {MOST_LEFT // 1024:,} KiB).
"""
        if left is not None
        else ""
    )
    broken = [row for row in rows if row.broken()]
    kinds = len({row.kind for row in rows})
    names = list(dict.fromkeys(row.what for row in rows))
    versions = f"Python {platform.python_version()}, numpy {version('numpy')}, bodytext {version('bodytext')}"
    machine = f"kernel: {kernel.describe()}; {platform.machine()}, {os.cpu_count()} processors"
    exceeded = "\n".join(map(describe, broken)) or "| none | | | | | | |"
    return f"""# Hostile pages

    python benchmarks/hostile.py

{datetime.now(UTC):%Y-%m-%d}, {versions}, {machine}.

{kinds} kinds of page (`tests/hostile_pages.py` says how each is made), {len(names)} methods and uses, each at sizes 1, 2, 4
and 8; size 1 is {METHOD_SIZE:,} bytes for methods and {USE_SIZE:,} for uses. A method is timed from bytes to text; a use (a
format, a property, the reader's analysis) from a document on that has all blocks of the page. Memory is in times the
page. `hostile.csv` has every measurement.

Limits: 8 times the page takes at most {MOST_GROWTH:g} times as long (times under {QUICK_S * 1000:g} ms count as that);
{MOST_SECONDS["method"]:g} s per 10 MB and {MOST_MEMORY["method"]:g} times the page in memory for a method, \
{MOST_SECONDS["use"]:g} s and {MOST_MEMORY["use"]:g} times for a use; planted
text always in a block, and in the extracted text if there is no other prose. Exceeded: {len(broken)} of {len(rows):,}.
{endurance}
| method or use | worst growth | kind | worst s per 10 MB | kind | most memory | kind | limits exceeded |
|---|---:|---|---:|---|---:|---|---:|
{chr(10).join(summarise(rows, name) for name in names)}

| what exceeds a limit | method or use | s at sizes 1, 2, 4, 8 | growth | s per 10 MB | memory | limit |
|---|---|---|---:|---:|---:|---|
{exceeded}
"""


def write_table(rows: list[Row], path: Path) -> None:
    """Write every measurement."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        times = [f"seconds at size {size}" for size in SIZES]
        writer.writerow(
            ["kind", "what", *times, "growth", "seconds per 10 MB", "memory", "exceeded"]
        )
        for row in rows:
            seconds = [f"{sample.seconds:.4f}" for sample in row.samples]
            figures = [f"{row.growth:.2f}", f"{row.seconds_per_10_mb:.3f}", f"{row.memory:.1f}"]
            writer.writerow([row.kind, row.what, *seconds, *figures, " ".join(row.broken())])


def main() -> int:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kind", action="append", choices=list(KINDS))
    parser.add_argument("--what", action="append", help="a method, a format or a property")
    options = parser.parse_args()
    chosen = options.what or [*METHODS, *USES]
    for page in (ARTICLE, UNKNOWN_ENCODING):  # loads everything, so that it is not measured
        for method in METHODS:
            extract(page, method=method)
        for use in USES.values():
            use(keep_all(page))
    gc.freeze()
    keep_memory()
    rows: list[Row] = []
    for kind in options.kind or KINDS:
        rows += measure_kind(kind, chosen)
        print(
            f"{kind}: {', '.join(describe(row) for row in rows if row.kind == kind and row.broken())}",
            flush=True,
        )
    left = None
    if not options.kind and not options.what:
        left = repeat_extractions()
        (ROOT / "results" / "hostile.md").write_text(report(rows, left), "utf-8")
        write_table(rows, ROOT / "results" / "hostile.csv")
    else:
        print(report(rows))
    return int(any(row.broken() for row in rows) or (left or 0) > MOST_LEFT)


if __name__ == "__main__":
    sys.exit(main())
