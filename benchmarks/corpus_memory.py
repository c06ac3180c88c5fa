"""Measure the cost and the memory of `bodytext corpus build` by the number of pages, and write results/corpus_memory.md.

    python benchmarks/corpus_memory.py                      1,000 to 1,000,000 pages
    python benchmarks/corpus_memory.py --pages 100000       fewer, and a report that says so

The pages have the texts of wcxb-dev, 120 words of each, with a word of their own after every second
word: no two of them have three words in a row alike. The cost is the CPU time of all processes for
each page more than in the next smaller corpus, so the start does not count. The resident memory of
the main process and of the worker is read twice a second, and their CPU time, which shows the cost of
a page within the largest corpus. The exit status is 1 if a page costs over a tenth more in the
largest corpus than in that of 10,000, or if the last third of the largest needs over a tenth more
memory than the second. The largest takes about 2 GB of disk, and 20 minutes of one processor.
"""

import argparse
import gzip
import html
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice, pairwise
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from bodytext import extract  # noqa: E402
from bodytext.studio.labels.labelled_set import read_labelled  # noqa: E402
from corpora import make_record  # noqa: E402

DATA = Path(os.environ.get("BODYTEXT_DATA", ROOT.parent / "shared" / "data")) / "wcxb-dev"
SIZES = (100, 1_000, 10_000, 100_000, 1_000_000)
OPTIONS = ("--quality", "none", "--no-metadata", "--workers", "1")
TEXTS, WORDS, WORDS_IN_A_PARAGRAPH = 200, 120, 40
MOST_GROWTH = 1.1
POLL_S = 0.5
BUSY = 2.5  # the load of a machine that does something else too
MEBIBYTE = 2**20
OWN_WORD = "\0"  # stands for the word that a page has of its own

# Shards done, bytes of the main process, bytes of the largest worker, CPU seconds of all
Sample = tuple[int, int, int, float]


@dataclass(frozen=True, slots=True)
class Measured:
    """A build: how many records it read and kept, its CPU time, its memory over time."""

    records: int
    kept: int
    archive: int  # bytes
    seconds: float
    samples: Sequence[Sample]

    def peak(self, column: int, first: float = 0.0, last: float = 2.0) -> float:
        """The most memory while the share of shards done was in a range, in MiB."""
        whole = max(1, *(sample[0] for sample in self.samples))
        chosen = [sample[column] for sample in self.samples if first <= sample[0] / whole < last]
        return max(chosen, default=0) / MEBIBYTE

    def cost(self, first: float, last: float) -> float:
        """The CPU milliseconds for a page while the share of shards done went from one to another."""
        whole = max(1, *(sample[0] for sample in self.samples))
        chosen = [sample for sample in self.samples if first <= sample[0] / whole <= last]
        # From the moment at which a shard was done to the next such moment
        begin = next((sample for sample in chosen if sample[0] >= first * whole), None)
        end = next((sample for sample in chosen if sample[0] >= int(last * whole)), None)
        if begin is None or end is None or end[0] <= begin[0]:
            return float("nan")
        pages = self.records * (end[0] - begin[0]) / whole
        return 1000 * (end[3] - begin[3]) / pages


def main() -> int:
    """Build, watch, report."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pages", type=int, default=SIZES[-1], help="pages of the largest corpus")
    options = parser.parse_args()
    templates = list(islice(make_templates(), TEXTS))
    measured: list[Measured] = []
    for size in (size for size in SIZES if size <= options.pages):
        with tempfile.TemporaryDirectory() as folder:
            measured.append(measure(Path(folder), templates, size))
        print(f"{size:,}: {measured[-1].seconds:.1f} s of CPU time", file=sys.stderr)
    text, is_flat = report(measured)
    print(text)
    if options.pages >= SIZES[-2]:
        (ROOT / "results" / "corpus_memory.md").write_text(text, "utf-8")
    return 0 if is_flat else 1


def make_templates() -> Iterator[str]:
    """Make pages of real texts, with a place for a word of their own after every second word."""
    for page in read_labelled(DATA):
        words = str(extract(page.read())).split()[:WORDS]
        if len(words) < WORDS:
            continue
        pairs = [" ".join((*words[n : n + 2], OWN_WORD)) for n in range(0, WORDS, 2)]
        step = WORDS_IN_A_PARAGRAPH // 2
        paragraphs = (" ".join(pairs[n : n + step]) for n in range(0, len(pairs), step))
        body = "".join(f"<p>{html.escape(paragraph)}</p>" for paragraph in paragraphs)
        menu = "<nav><ul><li><a href=/>Home</a><li><a href=/news>News</a></ul></nav>"
        yield f"<title>{OWN_WORD}</title>{menu}<main>{body}</main><footer>Imprint</footer>"


def write_archive(path: Path, templates: Sequence[str], records: int) -> None:
    """Write a WARC of different pages."""
    with path.open("wb") as file:
        for number in range(records):
            page = templates[number % len(templates)].replace(OWN_WORD, f"word{number}").encode()
            file.write(gzip.compress(make_record(f"https://example.org/{number}", page), 1))


def measure(folder: Path, templates: Sequence[str], records: int) -> Measured:
    """Build a corpus with the command, and measure its processes."""
    source, output = folder / "many.warc.gz", folder / "out"
    write_archive(source, templates, records)
    command = [sys.executable, "-m", "bodytext", "corpus", "build", str(source), "-o", str(output)]
    samples: list[Sample] = []
    before = children_seconds()
    with subprocess.Popen([*command, *OPTIONS], stderr=subprocess.DEVNULL) as run:
        while run.poll() is None:
            time.sleep(POLL_S)
            # At the end these files are removed, and the report is still to be written
            done = len(list((output / "work" / "shards").glob("*.json")))
            done = max(done, samples[-1][0] if samples else 0)
            children = subprocess.run(
                ["pgrep", "-P", str(run.pid)], check=False, capture_output=True
            ).stdout.split()
            processes = [run.pid, *map(int, children)]
            workers = max(map(resident, processes[1:]), default=0)
            seconds = sum(map(cpu_seconds, processes))
            samples.append((done, resident(run.pid), workers, seconds))
    if run.returncode:
        raise SystemExit(run.returncode)
    counts = json.loads((output / "counts.json").read_text())
    assert counts["records"] == records  # noqa: S101 - otherwise the rest makes no sense
    size = source.stat().st_size
    return Measured(records, counts["kept"], size, children_seconds() - before, samples)


def children_seconds() -> float:
    """The CPU time of all child processes that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def resident(process: int) -> int:
    """The resident memory of a process, in bytes."""
    try:
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf(
            "SC_PAGESIZE"
        )
    except (OSError, IndexError):
        return 0


def cpu_seconds(process: int) -> float:
    """The CPU time of a process so far."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def report(measured: Sequence[Measured]) -> tuple[str, bool]:
    """Return the report, and whether cost and memory stay flat."""
    builds = measured[1:]
    costs = [
        1000 * (build.seconds - smaller.seconds) / (build.records - smaller.records)
        for smaller, build in pairwise(measured)
    ]
    sizes = "\n".join(
        f"| {build.records:,} | {build.kept:,} | {build.archive / MEBIBYTE:,.1f} | {cost:.2f} "
        f"| {build.peak(1):,.0f} | {build.peak(2):,.0f} |"
        for build, cost in zip(builds, costs, strict=True)
    )
    largest = builds[-1]
    thirds = [(n / 3, (n + 1) / 3) for n in range(3)]
    peaks = [(largest.peak(1, *third), largest.peak(2, *third)) for third in thirds]
    rows = [
        f"| extracting, shards {first:.0%} to {last:.0%} | {main_process:,.0f} | {worker:,.0f} "
        f"| {largest.cost(first, last):.2f} |"
        for (first, last), (main_process, worker) in zip(thirds, peaks, strict=True)
    ]
    rows.append(
        f"| duplicates, writing, the report | {largest.peak(1, 1.0):,.0f} | {largest.peak(2, 1.0):,.0f} | |"
    )
    growth = max(last / max(second, 1) for second, last in zip(peaks[1], peaks[2], strict=True))
    dearer = costs[-1] / costs[1]
    not_run = [f"{size:,}" for size in SIZES if size > largest.records]
    remark = f" Not run this time: {', '.join(not_run)} pages." if not_run else ""
    load = os.getloadavg()[2]
    if load > BUSY:
        remark += f"\nThe machine had other work (load {load:.0f}), so CPU times are too long, and differ more than they should."
    table = "\n".join(rows)
    text = f"""# Cost and memory of a corpus by its size

    python benchmarks/corpus_memory.py{f" --pages {largest.records}" if not_run else ""}

{datetime.now(UTC):%Y-%m-%d}, Python {platform.python_version()}. Pages of about {WORDS * 3 // 2} words, made of the texts of
wcxb-dev, no two with three words in a row alike; `bodytext corpus build {" ".join(OPTIONS)}`. CPU time
is that of all processes for each page more than in the corpus before it; the first has {measured[0].records} pages and takes
{measured[0].seconds:.1f} s, mostly to start. Peak resident memory in MiB.{remark}

| pages | kept | WARC, MiB | CPU ms for each page more | the main process | the worker |
|---:|---:|---:|---:|---:|---:|
{sizes}

A page of the largest corpus costs {dearer:.2f} times one of the corpus of {builds[1].records:,} (wanted: at most {MOST_GROWTH}).

The largest corpus over time:

| while | the main process | the worker | CPU ms a page |
|---|---:|---:|---:|
{table}

The last third of the extraction needs {growth:.2f} times the memory of the second (wanted: at most {MOST_GROWTH}). The
search for duplicates holds more, within a bound (results/duplicates.md).
"""
    return text, max(dearer, growth) <= MOST_GROWTH


if __name__ == "__main__":
    sys.exit(main())
