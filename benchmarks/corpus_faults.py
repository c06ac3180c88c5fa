"""Kill workers and whole runs of `bodytext corpus build` at random moments, and write results/corpus_faults.md.

    python benchmarks/corpus_faults.py               50 kills of workers, 50 of runs
    python benchmarks/corpus_faults.py --kills 5     fewer, and no report

Every corpus is compared with that of an undisturbed run, byte for byte, and every record must be in
it. The exit status is 1 if anything differs.
"""

import argparse
import os
import platform
import random
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TESTS = ROOT / "tests"
sys.path.insert(0, str(TESTS))

from corpora import POISON, build, count_places, digest_files, make_page, write_warc  # noqa: E402

KILLS, PAGES = 50, 200
LONGEST_S = 3.0  # between two kills of one run
RUN = "import sys; from pathlib import Path; from corpora import build; build(Path(sys.argv[1]), [sys.argv[2]])"


def main() -> int:
    """Kill, compare, report."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=KILLS)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    generator = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        pages = [make_page(number, "poison-slow") for number in range(PAGES)]
        source = write_warc(folder / "pages.warc.gz", pages)
        build(folder / "undisturbed", [source])
        expected = digest_files(folder / "undisturbed")
        results = {
            kind: kill(kind, folder, source, options.kills, generator)
            for kind in ("workers", "runs")
        }
        wrong = sum(differs(path, expected) for _, _, paths in results.values() for path in paths)
    if options.kills == KILLS:
        (ROOT / "results" / "corpus_faults.md").write_text(
            report(results, wrong, options.seed), "utf-8"
        )
    print(report(results, wrong, options.seed))
    return 1 if wrong else 0


def differs(path: Path, expected: dict[str, str]) -> bool:
    """Whether a corpus differs from that of an undisturbed run."""
    places = count_places(path)
    return digest_files(path) != expected or len(places) != PAGES or set(places.values()) != {1}


def kill(
    kind: str, folder: Path, source: Path, kills: int, generator: random.Random
) -> tuple[int, int, list[Path]]:
    """Build corpora and kill the runs or workers; return the kills, the runs started, and the corpora."""
    done = started = 0
    built: list[Path] = []
    while done < kills:
        built.append(folder / f"{kind}-{len(built)}")
        finished = False
        while not finished:
            started += 1
            run = start_run(built[-1], source)
            more = kills - done
            done += disturb(run, kind, more, generator)
            finished = run.wait() == 0
            print(f"{kind}: {done} of {kills} kills", file=sys.stderr)
    return done, started, built


def start_run(folder: Path, source: Path) -> "subprocess.Popen[bytes]":
    """Start a build in a process of its own."""
    environment = os.environ | {"PYTHONPATH": f"{POISON}:{TESTS}"}
    return subprocess.Popen(
        [sys.executable, "-c", RUN, str(folder), str(source)],
        env=environment,
        stderr=subprocess.DEVNULL,
    )


def disturb(run: "subprocess.Popen[bytes]", kind: str, most: int, generator: random.Random) -> int:
    """Kill a run once, or its workers as long as it lives; return the number of kills."""
    killed = 0
    while killed < most and run.poll() is None:
        time.sleep(generator.uniform(0.05, LONGEST_S))
        if run.poll() is not None:
            break
        if kind == "runs":
            run.kill()
            return 1
        command = ["pgrep", "-P", str(run.pid), "-f", "bodytext.corpus.run.jobs"]
        children = subprocess.run(command, check=False, capture_output=True).stdout.split()
        if children:
            with suppress(ProcessLookupError):
                os.kill(int(generator.choice(children)), signal.SIGKILL)
                killed += 1
    return killed


def report(results: dict[str, tuple[int, int, list[Path]]], wrong: int, seed: int) -> str:
    """Format the report."""
    rows = "\n".join(
        f"| {kind} | {kills} | {started} | {len(paths)} |"
        for kind, (kills, started, paths) in results.items()
    )
    return f"""# A corpus under fire

    python benchmarks/corpus_faults.py --seed {seed}

{datetime.now(UTC):%Y-%m-%d}, Python {platform.python_version()}. An archive of {PAGES} made pages that take at least
10 ms each, two workers, shards of 16 KiB. Workers, or the whole run, were killed with `kill -9` at random moments; a
killed run was started again with the same command until it was done.

| killed | times | runs | corpora |
|---|---:|---:|---:|
{rows}

Corpora that differ in a byte from that of an undisturbed run, or have a record missing or twice: {wrong}.

The other faults are tests (`tests/test_corpus_faults.py`, `tests/test_corpus_ray.py`): pages that raise, hang, take all
memory or crash their process; a full disk; broken and truncated archives; a source that vanishes; workers killed under
Ray.
"""


if __name__ == "__main__":
    sys.exit(main())
