"""Measure the speed of `bodytext corpus build` on a WARC of real pages, and write results/corpus.md.

    python benchmarks/corpus.py                  the pages of wcxb-dev, five times over
    python benchmarks/corpus.py --copies 2       shorter, and no report

The unit is one process with the same pages in memory: `str(extract(page))`. It is compared with two
such processes at once, which is the most that two processors can do; reading the archive alone, and
writing the rows alone; the engine with two workers and no stages, with our extraction and with
trafilatura in its place; and the whole command. Times are wall clock and CPU time, the best of
several rounds. Wall clock needs a machine that does nothing else.
"""

import argparse
import gzip
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from time import perf_counter, process_time
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from bodytext import extract  # noqa: E402
from bodytext.corpus.row import Row  # noqa: E402
from bodytext.corpus.run.build import CorpusBuild  # noqa: E402
from bodytext.corpus.run.columns import (  # noqa: E402
    COLUMNS,
    ParquetFile,
    in_batches,
    read_batches,
    to_batch,
    write_batches,
)
from bodytext.corpus.run.engines import LocalEngine  # noqa: E402
from bodytext.corpus.run.job_worker import RecordLimits  # noqa: E402
from bodytext.corpus.run.spec import KEEP, CorpusSpec  # noqa: E402
from bodytext.sources.warc import WarcRange  # noqa: E402
from bodytext.studio.labels.labelled_set import read_labelled  # noqa: E402
from corpora import make_record  # noqa: E402

DATA = Path(os.environ.get("BODYTEXT_DATA", ROOT.parent / "shared" / "data")) / "wcxb-dev"
COPIES, ROUNDS, WORKERS = 5, 2, 2
LEAST_SHARE, LEAST_TIMES = 0.8, 25.0  # the goals
# A worker of the engine loads this to do nothing but extract, with us or with a peer.
ALONE = """
from bodytext.corpus.run.spec import CorpusSpec
CorpusSpec.build_stages = lambda spec: []
"""
PEER = """
import trafilatura
from bodytext.corpus.run.tasks import RowExtractor
def fill(self, row, record):
    row.text = trafilatura.extract(record.html) or ""
RowExtractor._fill = fill
"""
# One process with pages in memory. It says when it is ready, and waits for a line to start.
SINGLE = """
import sys
from time import perf_counter, process_time
from bodytext import extract
from bodytext.sources.warc import WarcRange
records = list(WarcRange(sys.argv[1]))
for record in records[:50]:
    str(extract(record.html, url=record.url, charset=record.charset))
print("ready", flush=True)
sys.stdin.readline()
start, worked = perf_counter(), process_time()
for record in records:
    str(extract(record.html, url=record.url, charset=record.charset))
print(len(records) / (perf_counter() - start), len(records) / (process_time() - worked))
"""


class Rates(NamedTuple):
    """Records a second."""

    wall: float  # by the clock
    worked: float  # of CPU time


def main() -> None:
    """Measure, and write the report if everything was measured."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--copies", type=int, default=COPIES)
    options = parser.parse_args()
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    with tempfile.TemporaryDirectory() as folder:
        rates = measure(Path(folder), options.copies)
    report = write_report(rates)
    print(report)
    if options.copies == COPIES:
        (ROOT / "results" / "corpus.md").write_text(report, "utf-8")


def measure(folder: Path, copies: int) -> dict[str, Rates]:
    """Measure records a second, by what was done."""
    once = write_archive(folder / "once.warc.gz", 1)
    many = write_archive(folder / "many.warc.gz", copies)
    stage_options = {"words": 0, "confidence": 0.0, "quality": ""}
    plain = CorpusSpec(metadata=False, stage_options=stage_options, duplicates=KEEP)
    measured: dict[str, list[Rates]] = {}

    def note(name: str, rates: Rates) -> None:
        measured.setdefault(name, []).append(rates)
        print(
            f"{name}: {rates.wall:,.0f} by the clock, {rates.worked:,.0f} a CPU second",
            file=sys.stderr,
        )

    for _ in range(ROUNDS):
        note("single", run_single(once, 1))
        note("two at once", run_single(once, 2))
        note("read", read_alone(once))
        note("write", write_alone(once, folder))
        note("engine", run_engine(folder, many, plain, ALONE))
        note("text", run_engine(folder, many, CorpusSpec(metadata=False), ""))
        note("all", run_engine(folder, many, CorpusSpec(), ""))
    note("trafilatura", run_engine(folder, once, replace(plain, seconds=300), ALONE + PEER))
    return {
        name: Rates(max(rate.wall for rate in rates), max(rate.worked for rate in rates))
        for name, rates in measured.items()
    }


def write_archive(path: Path, copies: int) -> Path:
    """Write a WARC of the set's pages."""
    pages = read_labelled(DATA)
    with path.open("wb") as file:
        packed = [
            gzip.compress(make_record(page.url, page.read(), "Content-Type: text/html"), 6)
            for page in pages
        ]
        for _ in range(copies):
            file.writelines(packed)
    return path


def run_single(path: Path, processes: int) -> Rates:
    """Run processes that extract from memory, all at once."""
    command = [sys.executable, "-c", SINGLE, str(path)]
    running = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        for _ in range(processes)
    ]
    for process in running:
        assert process.stdout  # noqa: S101 - opened with pipes
        process.stdout.readline()
    for process in running:
        assert process.stdin  # noqa: S101 - opened with pipes
        process.stdin.write(b"\n")
        process.stdin.flush()
    rates = [tuple(map(float, process.communicate()[0].split())) for process in running]
    return Rates(sum(wall for wall, _ in rates), sum(worked for _, worked in rates) / processes)


def read_alone(path: Path) -> Rates:
    """Only read and unpack records, in one process."""
    start, worked = perf_counter(), process_time()
    count = sum(1 for _ in WarcRange(str(path)))
    return Rates(count / (perf_counter() - start), count / (process_time() - worked))


def write_alone(path: Path, folder: Path) -> Rates:
    """Only write rows, in one process: wall clock of the first pass, CPU time of Parquet too."""
    records = WarcRange(str(path))
    rows = [
        Row(url=record.url, text=str(extract(record.html)), source=str(path), offset=record.offset)
        for record in records
    ]
    start, worked = perf_counter(), process_time()
    with write_batches(folder / "rows") as add:
        for batch in in_batches(rows):
            add(to_batch(batch))
    wall = perf_counter() - start
    parquet = ParquetFile(folder / "rows.parquet", COLUMNS)
    for batch in read_batches(folder / "rows"):
        parquet.add(batch)
    parquet.close()
    return Rates(len(rows) / wall, len(rows) / (process_time() - worked))


def run_engine(folder: Path, source: Path, spec: CorpusSpec, patch: str) -> Rates:
    """Run the passes of the command over an archive: wall clock of the first, CPU time of all."""
    with tempfile.TemporaryDirectory(dir=folder) as work:
        path = sys.path[:]
        if patch:
            (Path(work) / "sitecustomize.py").write_text(patch)
            sys.path.insert(0, work)
        worked = children_seconds()
        try:
            output = Path(work) / "out"
            limits = RecordLimits(spec.seconds, spec.memory)
            CorpusBuild(spec, [str(source)], output).run(lambda: LocalEngine(limits, WORKERS))
        finally:
            sys.path[:] = path
        timing = json.loads((output / "timing.json").read_text())
    seconds = timing["seconds"]
    return Rates(
        timing["records"] / seconds["extract"], timing["records"] / (children_seconds() - worked)
    )


def children_seconds() -> float:
    """The CPU time of all child processes that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def subtract(whole: Rates, part: Rates) -> Rates:
    """The rates of workers without a part of the work; the rates of the part are those of one process."""
    return Rates(
        WORKERS / (WORKERS / whole.wall - 1 / part.wall), 1 / (1 / whole.worked - 1 / part.worked)
    )


def write_report(rates: dict[str, Rates]) -> str:
    """Format the report."""
    unit, unit_worked = WORKERS * rates["single"].wall, rates["single"].worked
    # The engine if unpacking, and writing, were free: each worker spends that much less on a
    # record.
    unpacked = subtract(rates["engine"], rates["read"])
    bare = subtract(unpacked, rates["write"])
    rows: Sequence[tuple[str, Rates]] = (
        ("one process, pages in memory, `str(extract(page))`", rates["single"]),
        ("two such processes at once", rates["two at once"]),
        ("one process, reading and unpacking the WARC alone", rates["read"]),
        ("one process, writing the rows alone", rates["write"]),
        (f"engine, {WORKERS} workers, WARC to rows and Parquet, no stages", rates["engine"]),
        ("the same without unpacking", unpacked),
        ("the same without unpacking and writing", bare),
        (
            f"engine, {WORKERS} workers, trafilatura instead of our extraction",
            rates["trafilatura"],
        ),
        ("`bodytext corpus build --no-metadata`: with stages and signatures", rates["text"]),
        ("`bodytext corpus build`: with metadata too", rates["all"]),
    )
    load = os.getloadavg()[1]
    clock = (
        load <= WORKERS + 1
    )  # otherwise the machine had other work, and wall clock means nothing
    heads = [
        "what",
        "CPU ms a record",
        "of one process",
        *(["records a second", "of twice one process"] * clock),
    ]
    lines = [
        (name, f"{1000 / rate.worked:.2f}", f"{rate.worked / unit_worked:.2f}")
        + ((f"{rate.wall:,.0f}", f"{rate.wall / unit:.2f}") if clock else ())
        for name, rate in rows
    ]
    table = "\n".join(
        f"| {' | '.join(line)} |" for line in [heads, ["---", *["---:"] * (len(heads) - 1)], *lines]
    )
    peer = rates["trafilatura"]
    times = bare.worked / subtract(subtract(peer, rates["read"]), rates["write"]).worked
    by_clock = f"""By the clock the engine reaches {bare.wall / unit:.0%} of twice one process, not counting unpacking
and writing; two bare processes reach {rates["two at once"].wall / unit:.0%} on these processors; it is
{rates["engine"].wall / peer.wall:.1f} times as fast as trafilatura in the same engine."""
    busy = f"The machine had other work (load {load:.0f}): wall-clock times are left out."
    return f"""# Throughput of a corpus

    python benchmarks/corpus.py

{datetime.now(UTC):%Y-%m-%d}, Python {platform.python_version()}, {os.cpu_count()} processors, trafilatura
{version("trafilatura")}. The {len(read_labelled(DATA)):,} pages of wcxb-dev in a gzipped WARC, {COPIES} times over;
best of {ROUNDS} rounds (trafilatura: one round over the pages once).

{table}

By CPU time the engine reaches {bare.worked / unit_worked:.0%} of what its processes could do if they did nothing
but `extract`, not counting unpacking and writing (wanted: {LEAST_SHARE:.0%}). It is {rates["engine"].worked / peer.worked:.1f}
times as fast as trafilatura in the same engine, and {times:.1f} times without unpacking and writing
(wanted: {LEAST_TIMES:.0f}).

{by_clock if clock else busy}
"""


if __name__ == "__main__":
    main()
