"""Measure the CPU time of `bodytext corpus build` on a WARC of real pages, and write results/corpus.md.

    python benchmarks/corpus.py                  every ninth page of wcxb-dev, four times over
    python benchmarks/corpus.py --rounds 1       shorter, and no report

The unit is a loop that reads the same archive and makes the same columns: text and title, with or
without metadata. The build is measured with nothing else to do (no stages, no search for
duplicates), and as it is by default, with one worker. CPU time is that of all processes. Loops and
builds take turns, and each counts by its best round, since other work of the machine only adds time.
Only what grows with the pages counts: the time for the pages once is subtracted from that for the
pages several times over.
"""

import argparse
import gzip
import os
import platform
import resource
import sys
import tempfile
from collections.abc import Callable
from contextlib import redirect_stderr
from datetime import UTC, datetime
from functools import partial
from io import StringIO
from pathlib import Path

os.environ["OPENBLAS_NUM_THREADS"] = "1"
ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from bodytext import extract  # noqa: E402
from bodytext.corpus.run import inputs  # noqa: E402
from bodytext.corpus.run.build import CorpusBuild  # noqa: E402
from bodytext.corpus.run.engines import LocalEngine  # noqa: E402
from bodytext.corpus.run.jobs import prepare  # noqa: E402
from bodytext.corpus.run.spec import KEEP, CorpusSpec  # noqa: E402
from bodytext.sources.warc import WarcRange  # noqa: E402
from bodytext.studio.labels.labelled_set import read_labelled  # noqa: E402
from corpora import make_record  # noqa: E402

DATA = Path(os.environ.get("BODYTEXT_DATA", ROOT.parent / "shared" / "data")) / "wcxb-dev"
EVERY, COPIES, ROUNDS = 9, 4, 5
LEAST_SHARE = 0.85  # the goal
SPECS = {
    "text": CorpusSpec(duplicates=KEEP, metadata=False).with_stages(()),
    "metadata": CorpusSpec(duplicates=KEEP).with_stages(()),
    "text, by default": CorpusSpec(metadata=False),
    "metadata, by default": CorpusSpec(),
}


def main() -> None:
    """Measure, and write the report if everything was measured."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    options = parser.parse_args()
    prepare({})  # what a worker loads before its first page
    inputs.FEW_SHARDS = 2  # else a small archive has shards of ten pages, not of hundreds
    best: dict[tuple[str, int], float] = {}  # seconds, by what was done and the number of pages
    with tempfile.TemporaryDirectory() as folder:
        archives = [write_archive(Path(folder), copies) for copies in (1, COPIES)]
        for _ in range(options.rounds + 1):  # the first one warms up
            for name, work in JOBS.items():
                for path in archives:
                    pages, seconds = timed(work, path)
                    best[name, pages] = min(seconds, best.get((name, pages), seconds))
    few, many = sorted({pages for _, pages in best})
    cost = {name: 1000 * (best[name, many] - best[name, few]) / (many - few) for name in JOBS}
    report = write_report(cost)
    print(report)
    if options.rounds == ROUNDS:
        (ROOT / "results" / "corpus.md").write_text(report, "utf-8")


def write_archive(folder: Path, copies: int) -> Path:
    """Write a WARC of the set's pages."""
    path = folder / f"{copies}.warc.gz"
    packed = [
        gzip.compress(make_record(page.url, page.read(), "Content-Type: text/html"), 6)
        for page in read_labelled(DATA)[::EVERY]
    ]
    path.write_bytes(b"".join(packed * copies))
    return path


def timed(work: Callable[[Path], int], path: Path) -> tuple[int, float]:
    """Return the number of pages of an archive and the CPU seconds that work on it takes."""
    start = processes_seconds()
    return work(path), processes_seconds() - start


def processes_seconds() -> float:
    """The CPU time of this process and of the child processes that have ended."""
    usages = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def read(path: Path) -> int:
    """Only read and unpack records."""
    return sum(1 for _ in WarcRange(str(path)))


def loop(path: Path, *, has_metadata: bool = False) -> int:
    """Make the text and title of each page, and its metadata if asked."""
    count = 0
    for record in WarcRange(str(path)):
        document = extract(record.html, url=record.url, charset=record.charset or None)
        _ = str(document), document.title, has_metadata and document.metadata
        count += 1
    return count


def build(path: Path, spec: CorpusSpec) -> int:
    """Build a corpus, as the command does it with one worker."""
    with tempfile.TemporaryDirectory() as folder, redirect_stderr(StringIO()):
        counts = CorpusBuild(spec, [str(path)], Path(folder) / "corpus").run(
            lambda: LocalEngine(spec.limits, 1)
        )
    return int(counts["records"])


JOBS: dict[str, Callable[[Path], int]] = {
    "read": read,
    "loop: text": loop,
    "text": partial(build, spec=SPECS["text"]),
    "loop: metadata": partial(loop, has_metadata=True),
    "metadata": partial(build, spec=SPECS["metadata"]),
    "text, by default": partial(build, spec=SPECS["text, by default"]),
    "metadata, by default": partial(build, spec=SPECS["metadata, by default"]),
}


def write_report(cost: dict[str, float]) -> str:
    """Format the report."""
    rows = (
        ("reading and unpacking the WARC, a part of each", "read", "loop: text"),
        ("a loop: text and title", "loop: text", "loop: text"),
        ("the build: text and title, nothing else", "text", "loop: text"),
        ("a loop: text, title and metadata", "loop: metadata", "loop: metadata"),
        ("the build: text, title and metadata, nothing else", "metadata", "loop: metadata"),
        ("`bodytext corpus build --no-metadata`", "text, by default", "loop: text"),
        ("`bodytext corpus build`", "metadata, by default", "loop: metadata"),
    )
    table = "\n".join(
        f"| {name} | {cost[key]:.2f} | {cost[unit] / cost[key]:.2f} |" for name, key, unit in rows
    )
    share = cost["loop: metadata"] / cost["metadata"]
    share_of_text = cost["loop: text"] / cost["text"]
    load = os.getloadavg()[1]
    remark = f"The machine had other work (load {load:.0f}): times are too long."
    pages = len(read_labelled(DATA)[::EVERY])
    return f"""# Throughput of a corpus

    python benchmarks/corpus.py

{datetime.now(UTC):%Y-%m-%d}, Python {platform.python_version()}. {pages} pages of wcxb-dev in a gzipped WARC, {COPIES} times over;
CPU time of all processes, best of {ROUNDS + 1} rounds. The start of processes and other fixed costs do not count.
{remark * (load > 3)}

| what | CPU ms a page | pages a second, of the loop's |
|---|---:|---:|
{table}

With the same outputs as a loop, a build makes {share:.0%} of its pages in a second of CPU time ({share_of_text:.0%} without
metadata; wanted: {LEAST_SHARE:.0%}). By default it also names the language, applies the rules of quality and searches for
duplicates.
"""


if __name__ == "__main__":
    main()
