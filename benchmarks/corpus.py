"""Measure the CPU time of `bodytext corpus build` on a WARC of real pages, and write results/corpus.md.

    python benchmarks/corpus.py                  every ninth page of wcxb-dev, four times over
    python benchmarks/corpus.py --rounds 1       shorter, and no report

The unit is a loop that reads the same archive and makes the same columns: text and title, with or
without metadata. The build is measured with nothing else to do (no stages, no search for
duplicates), and as it is by default. All of it runs in this process, in turns, so that other work of
the machine slows both sides alike. Only what grows with the pages counts: the time of a build of
the pages once is subtracted from that of the pages several times over. Figures are the medians of
several rounds.
"""

import argparse
import gzip
import os
import platform
import sys
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from statistics import median
from time import process_time

os.environ["OPENBLAS_NUM_THREADS"] = "1"
ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from bodytext import extract  # noqa: E402
from bodytext.corpus.run import inputs  # noqa: E402
from bodytext.corpus.run.build import CorpusBuild  # noqa: E402
from bodytext.corpus.run.jobs import prepare  # noqa: E402
from bodytext.corpus.run.spec import KEEP, CorpusSpec  # noqa: E402
from bodytext.sources.warc import WarcRange  # noqa: E402
from bodytext.studio.labels.labelled_set import read_labelled  # noqa: E402
from corpora import SameProcess, make_record  # noqa: E402

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
    measured: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        archives = [write_archive(Path(folder), copies) for copies in (1, COPIES)]
        for number in range(-1, options.rounds):  # the first one warms up
            figures = measure(archives)
            print({name: f"{figure:.2f}" for name, figure in figures.items()}, file=sys.stderr)
            for name, figure in figures.items() if number >= 0 else ():
                measured.setdefault(name, []).append(figure)
    report = write_report({name: median(figures) for name, figures in measured.items()})
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


def measure(archives: list[Path]) -> dict[str, float]:
    """Measure CPU milliseconds for a page, by what was done with it."""
    jobs: dict[str, Callable[[Path], int]] = {
        "read": read,
        "loop: text": loop,
        "loop: metadata": partial(loop, has_metadata=True),
        **{name: partial(build, spec=spec) for name, spec in SPECS.items()},
    }
    figures = {}
    for name, work in jobs.items():
        (few, less), (many, more) = (timed(work, path) for path in archives)
        figures[name] = 1000 * (more - less) / (many - few)
    return figures


def timed(work: Callable[[Path], int], path: Path) -> tuple[int, float]:
    """Return the number of pages of an archive and the CPU seconds that work on it takes."""
    start = process_time()
    return work(path), process_time() - start


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
    """Build a corpus, with all that the command does but the start of its processes."""
    with tempfile.TemporaryDirectory() as folder:
        counts = CorpusBuild(spec, [str(path)], Path(folder) / "corpus").run(SameProcess)
    return int(counts["records"])


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
    remark = (
        f"\nThe machine had other work (load {load:.0f}): times are too long, and ratios may err."
    )
    pages = len(read_labelled(DATA)[::EVERY])
    return f"""# Throughput of a corpus

    python benchmarks/corpus.py

{datetime.now(UTC):%Y-%m-%d}, Python {platform.python_version()}. {pages} pages of wcxb-dev in a gzipped WARC, {COPIES} times over;
medians of {ROUNDS} rounds. The start of processes and other fixed costs do not count.{remark * (load > 3)}

| what | CPU ms a page | pages a second, of the loop's |
|---|---:|---:|
{table}

With the same outputs as a loop, a build makes {share:.0%} of its pages in a second of CPU time ({share_of_text:.0%} without
metadata; wanted: {LEAST_SHARE:.0%}). By default it also names the language, applies the rules of quality and searches for
duplicates.
"""


if __name__ == "__main__":
    main()
