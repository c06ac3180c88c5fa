"""Measure growth, time, memory and lost text of every method on hostile pages, and write results/hostile.md.

    python benchmarks/hostile.py                          all kinds and methods
    python benchmarks/hostile.py --method learned         one method, in a report of its own
    python benchmarks/hostile.py --kind "divs nested"     one kind, and no report

Each measurement runs in a new process. Time is the best CPU time of a few runs, from bytes to text. Memory is the
growth of the peak resident set since before the page was read, so it includes the page, divided by the page's size.
Exits with 1 if a limit is exceeded.
"""

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from bodytext import METHODS, extract, kernel, parse  # noqa: E402
from hostile_pages import ARTICLE, KINDS, MARKER  # noqa: E402

SIZE = 2_500_000  # bytes; more than 200,000 divs with their end tags
MEMORY_SIZE = 300_000  # memory that is large compared with a small page shows here
TIMES_LARGER = 4
LARGE = {"news": 12_500_000}  # 50 MB at four times the size
UNKNOWN_ENCODING = ("\u0434\u043e\u043c " * 50).encode(
    "koi8-r"
)  # loads the tables of the encoding detector, which stay in memory
RUNS = 3
ENOUGH_S = 1.0  # of CPU time, after which no more runs are needed
LONGEST_S = 120  # of one measurement; a page that takes longer exceeds the limit anyway
GIVEN_UP = 9999.0

MOST_GROWTH = 5.0  # of time, for TIMES_LARGER times the page
MOST_SECONDS = 2.0  # per 10 MB
MOST_MEMORY = 20.0  # times the page


@dataclass(frozen=True, slots=True)
class Sample:
    """The measurement of one page with one method."""

    size: int
    seconds: float
    memory: float  # times the page
    extracted: bool  # MARKER is in the text
    parsed: bool  # MARKER is in a block


@dataclass(frozen=True, slots=True)
class Row:
    """A kind and a method at three sizes; the first is measured only for memory."""

    kind: str
    method: str
    little: Sample
    small: Sample
    large: Sample

    @property
    def growth(self) -> float:
        """The growth of time, scaled to exactly TIMES_LARGER times the bytes."""
        exact = TIMES_LARGER / (self.large.size / self.small.size)
        return self.large.seconds / self.small.seconds * exact

    @property
    def seconds_per_10_mb(self) -> float:
        """The time at the larger size, where fixed costs do not matter."""
        return self.large.seconds * 1e7 / self.large.size

    @property
    def memory(self) -> float:
        """The most memory at any of the three sizes."""
        return max(self.little.memory, self.small.memory, self.large.memory)

    def broken(self) -> list[str]:
        """The names of the limits that are exceeded."""
        limits = {
            "growth": self.growth > MOST_GROWTH,
            "time": self.seconds_per_10_mb > MOST_SECONDS,
            "memory": self.memory > MOST_MEMORY,
            "lost in parse": KINDS[self.kind].planted
            and not (self.small.parsed and self.large.parsed),
            "not extracted": KINDS[self.kind].extracted
            and not (self.small.extracted and self.large.extracted),
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


def run_child(path: Path, method: str, runs: int) -> None:
    """Measure one page and print a Sample as JSON."""
    for small_page in (ARTICLE, UNKNOWN_ENCODING):
        extract(small_page, method=method)
    reset_peak()
    before = peak_bytes()
    page = path.read_bytes()
    best, text = float("inf"), ""
    peak, began = 0, time.process_time()
    for _ in range(runs):
        start = time.process_time()
        text = str(extract(page, method=method))
        best = min(best, time.process_time() - start)
        peak = peak or peak_bytes()
        if time.process_time() > ENOUGH_S + began:
            break
    parsed = parse(page)
    in_a_block = any(MARKER in block for block in parsed.texts())
    print(json.dumps([len(page), best, (peak - before) / len(page), MARKER in text, in_a_block]))


def sample(path: Path, method: str, runs: int) -> Sample:
    """Take one measurement in a new process."""
    command = [
        sys.executable,
        __file__,
        "--child",
        str(path),
        "--method",
        method,
        "--runs",
        str(runs),
    ]
    size = path.stat().st_size
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=LONGEST_S, check=False
        )
    except subprocess.TimeoutExpired:
        return Sample(size, GIVEN_UP, 0, extracted=True, parsed=True)
    if done.returncode:
        raise RuntimeError(f"{path.name}, {method}: {done.stderr[-2000:]}")
    return Sample(*json.loads(done.stdout))


def measure(kind: str, methods: list[str], folder: Path) -> list[Row]:
    """Measure a kind with all methods; measure again if noise may have exceeded the limit of growth."""
    size = LARGE.get(kind, SIZE)
    paths = [folder / f"{number}.html" for number in range(3)]
    for path, wanted in zip(paths, (MEMORY_SIZE, size, size * TIMES_LARGER), strict=True):
        path.write_bytes(KINDS[kind].make(wanted))
    rows = []
    for method in methods:
        row = Row(kind, method, *(sample(path, method, RUNS) for path in paths))
        if "growth" in row.broken():
            again = Row(kind, method, *(sample(path, method, 3 * RUNS) for path in paths))
            row = min(row, again, key=lambda tried: tried.growth)
        rows.append(row)
    return rows


def describe(row: Row) -> str:
    """Write a line of the table."""
    text = "yes" if row.small.extracted and row.large.extracted else "no"
    kept = "-"
    if KINDS[row.kind].planted:
        kept = "yes" if row.small.parsed and row.large.parsed else "NO"
    numbers = f"{row.growth:.1f} | {row.seconds_per_10_mb:.2f} | {row.memory:.1f}"
    return (
        f"| {row.kind} | {row.method} | {numbers} | {kept} | {text} | {', '.join(row.broken())} |"
    )


def report(rows: list[Row], command: str) -> str:
    """The rows as a Markdown page."""
    broken = [row for row in rows if row.broken()]
    kinds, methods = len({row.kind for row in rows}), len({row.method for row in rows})
    versions = f"Python {platform.python_version()}, numpy {version('numpy')}, bodytext {version('bodytext')}"
    machine = f"kernel: {kernel.describe()}; {platform.machine()}, {os.cpu_count()} processors"
    growth, seconds = max(row.growth for row in rows), max(row.seconds_per_10_mb for row in rows)
    pages = ", ".join(
        f'"{kind}" of {size:,} and {size * TIMES_LARGER:,}' for kind, size in LARGE.items()
    )
    return f"""# Hostile pages

    {command}

{datetime.now(UTC):%Y-%m-%d}, {versions}, {machine}.

{kinds} kinds of page (tests/hostile_pages.py says how each is made), {methods} methods.

Limits: time at {TIMES_LARGER} times the size at most {MOST_GROWTH:.0f} times; at most {MOST_SECONDS:.0f} s per 10 MB;
peak memory at most {MOST_MEMORY:.0f} times the page, including the page itself; planted text always in a block, and
in the extracted text if there is no other prose. Pages of {SIZE:,} and {SIZE * TIMES_LARGER:,} bytes,
{pages}; memory at {MEMORY_SIZE:,} bytes too.

Broken: {len(broken)} of {len(rows)}. Worst growth {growth:.1f}, worst time {seconds:.2f} s per 10 MB, worst memory \
{max(row.memory for row in rows):.1f} times the page.

| kind | method | growth | s per 10 MB | memory | planted text in a block | extracted | broken |
|---|---|---:|---:|---:|---|---|---|
{chr(10).join(map(describe, rows))}
"""


def main() -> int:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kind", action="append", choices=list(KINDS))
    parser.add_argument("--method", action="append", help="such as spread, or spread:stop=8")
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--runs", type=int, default=RUNS, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        run_child(arguments.child, arguments.method[0], arguments.runs)
        return 0
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        for kind in arguments.kind or KINDS:
            measured = measure(kind, arguments.method or list(METHODS), Path(folder))
            print("\n".join(map(describe, measured)), flush=True)
            rows += measured
    if not arguments.kind:
        names = arguments.method or []
        command = " ".join(
            ["python benchmarks/hostile.py", *(f"--method {name}" for name in names)]
        )
        (ROOT / "results" / f"{'-'.join(['hostile', *names])}.md").write_text(report(rows, command))
    return int(any(row.broken() for row in rows))


if __name__ == "__main__":
    sys.exit(main())
