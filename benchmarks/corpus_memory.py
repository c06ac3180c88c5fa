"""Measure the memory of `bodytext corpus build` over a million made records, and write results/corpus_memory.md.

    python benchmarks/corpus_memory.py                      a million records, two workers
    python benchmarks/corpus_memory.py --records 50000      fewer, and no report

The resident memory of the main process and of each worker is read every second, with the number of
shards done by then. The exit status is 1 if the last third needs over a tenth more than the second.
"""

import argparse
import gzip
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from corpora import make_page, make_record  # noqa: E402

RECORDS, WORKERS = 1_000_000, 2
MOST_GROWTH = 1.1  # of the last third over the second
POLL_S = 1.0
MEBIBYTE = 2**20

# Share of shards done, bytes of the main process, bytes of the largest worker
Sample = tuple[float, int, int]


def main() -> int:
    """Build, watch, report."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--records", type=int, default=RECORDS)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source = write_archive(folder / "many.warc.gz", options.records)
        size = source.stat().st_size
        start = time.monotonic()
        samples = watch(folder / "out", source)
        seconds = time.monotonic() - start
        counts = json.loads((folder / "out" / "counts.json").read_text())
    assert counts["records"] == options.records  # noqa: S101 - otherwise the rest makes no sense
    text, is_flat = report(samples, counts, size, seconds)
    print(text)
    if options.records == RECORDS:
        (ROOT / "results" / "corpus_memory.md").write_text(text, "utf-8")
    return 0 if is_flat else 1


def write_archive(path: Path, records: int) -> Path:
    """Write a WARC of small pages, all different."""
    with path.open("wb") as file:
        for number in range(records):
            page = make_page(number, words=60)
            file.write(gzip.compress(make_record(f"https://example.org/{number}", page), 1))
    return path


def watch(folder: Path, source: Path) -> list[Sample]:
    """Build a corpus with the command, and measure its processes."""
    command = [sys.executable, "-m", "bodytext", "corpus", "build", str(source), "-o", str(folder)]
    command += ["--quality", "none", "--no-metadata", "--workers", str(WORKERS)]
    samples: list[Sample] = []
    size = source.stat().st_size
    shards = -(-size // min(32 * MEBIBYTE, size // 64))
    with subprocess.Popen(command) as run:
        while run.poll() is None:
            time.sleep(POLL_S)
            done = len(list((folder / "work" / "shards").glob("*.json")))
            children = subprocess.run(
                ["pgrep", "-P", str(run.pid)], check=False, capture_output=True
            ).stdout.split()
            workers = max((resident(int(child)) for child in children), default=0)
            samples.append((done / shards, resident(run.pid), workers))
    if run.returncode:
        raise SystemExit(run.returncode)
    return samples


def resident(process: int) -> int:
    """The resident memory of a process, in bytes."""
    try:
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf(
            "SC_PAGESIZE"
        )
    except (OSError, IndexError):
        return 0


def peak(samples: Sequence[Sample], first: float, last: float, column: int) -> float:
    """The most memory while the share of shards done was in a range, in MiB."""
    return (
        max((sample[column] for sample in samples if first <= sample[0] < last), default=0)
        / MEBIBYTE
    )


def report(
    samples: list[Sample], counts: dict[str, int], size: int, seconds: float
) -> tuple[str, bool]:
    """Return the report, and whether memory stays flat."""
    thirds = ((0.0, 1 / 3), (1 / 3, 2 / 3), (2 / 3, 1.0))
    last_place = len(samples) - 1
    after = samples[
        next((place for place, sample in enumerate(samples) if sample[0] >= 1.0), last_place) :
    ]
    rows: list[tuple[str, float, float]] = [
        (
            f"extracting, shards {first:.0%} to {last:.0%}",
            peak(samples, first, last, 1),
            peak(samples, first, last, 2),
        )
        for first, last in thirds
    ]
    rows.append(("duplicates and writing", peak(after, 0.0, 2.0, 1), peak(after, 0.0, 2.0, 2)))
    table = "\n".join(
        f"| {name} | {main_process:,.0f} | {worker:,.0f} |" for name, main_process, worker in rows
    )
    is_flat = max(rows[2][1] / rows[1][1], rows[2][2] / rows[1][2]) <= MOST_GROWTH
    text = f"""# Memory of a corpus

    python benchmarks/corpus_memory.py

{datetime.now(UTC):%Y-%m-%d}, Python {platform.python_version()}. {counts["records"]:,} made pages of about 70 words in
one WARC of {size / MEBIBYTE:,.0f} MiB, `bodytext corpus build --quality none --no-metadata --workers {WORKERS}`;
{counts["kept"]:,} kept; {seconds / 60:,.1f} minutes on a machine that had other work too. Peak resident memory in
MiB:

| while | the main process | the larger worker |
|---|---:|---:|
{table}

While it extracts, memory {"stays flat" if is_flat else "GROWS"}, however much is done. The search for
duplicates holds more, within a bound (results/duplicates.md).
"""
    return text, is_flat


if __name__ == "__main__":
    sys.exit(main())
