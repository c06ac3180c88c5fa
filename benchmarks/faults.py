"""Kill everything that writes at random moments, and write results/faults.md.

    python benchmarks/faults.py                         50 kills each
    python benchmarks/faults.py --kills 5               fewer, and no report
    python benchmarks/faults.py --part labels --kills 5

The parts are the workers of a corpus build, whole builds, updates of the reader, labelling, and training. What was done
before a kill must be there afterwards, whole; what follows must end as if nothing had happened. The exit status is 1 if
anything is lost, damaged or different.
"""

import argparse
import json
import os
import platform
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TESTS = ROOT / "tests"
sys.path.insert(0, str(TESTS))

from bodytext.studio.labels.labelling import CONTENT, Labelling, Span  # noqa: E402
from bodytext.studio.labels.store import LabelStore  # noqa: E402
from corpora import POISON, build, count_places, digest_files, make_page, write_warc  # noqa: E402
from processes import list_processes  # noqa: E402

KILLS, PAGES = 50, 200
LONGEST_S = 3.0  # between two kills of one build
LABELLED = 12  # pages to train on
LEARNED_EVERY = 5  # every fifth training is of the learned method, which takes longer
RUN = "import sys; from pathlib import Path; from corpora import build; build(Path(sys.argv[1]), [sys.argv[2]])"


@dataclass(slots=True)
class Outcome:
    """What was killed, how often, what was checked, and what was wrong."""

    what: str
    kills: int = 0
    checked: str = ""
    wrong: list[str] = field(default_factory=list)


def kill_workers(kills: int, folder: Path, chance: random.Random) -> Outcome:
    """Kill the processes of a build's workers."""
    return _kill_builds("workers", kills, folder, chance)


def kill_builds(kills: int, folder: Path, chance: random.Random) -> Outcome:
    """Kill whole builds, and start each again until it is done."""
    return _kill_builds("builds", kills, folder, chance)


def _kill_builds(kind: str, kills: int, folder: Path, chance: random.Random) -> Outcome:
    source = write_warc(
        folder / "pages.warc.gz", [make_page(number, "poison-slow") for number in range(PAGES)]
    )
    build(folder / "undisturbed", [source])
    expected = digest_files(folder / "undisturbed")
    outcome, built = Outcome(f"corpus build: {kind}"), 0
    while outcome.kills < kills:
        built += 1
        corpus = folder / str(built)
        while True:
            run = _start_build(corpus, source)
            outcome.kills += _disturb(run, kind, kills - outcome.kills, chance)
            if run.wait() == 0:
                break
        places = count_places(corpus)
        if digest_files(corpus) != expected or len(places) != PAGES or set(places.values()) != {1}:
            outcome.wrong.append(f"corpus {built} differs")
    outcome.checked = f"corpora of {PAGES} pages, {built} in all: each record once, the bytes of an undisturbed build"
    return outcome


def _start_build(folder: Path, source: Path) -> "subprocess.Popen[bytes]":
    path = [str(POISON), str(TESTS), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(path)}
    return subprocess.Popen(
        [sys.executable, "-c", RUN, str(folder), str(source)],
        env=environment,
        stderr=subprocess.DEVNULL,
    )


def _disturb(run: "subprocess.Popen[bytes]", kind: str, most: int, chance: random.Random) -> int:
    """Kill a build once, or its workers as long as it lives; return the number of kills."""
    killed = 0
    while killed < most and run.poll() is None:
        time.sleep(chance.uniform(0.05, LONGEST_S))
        if run.poll() is not None:
            break
        if kind == "builds":
            run.kill()
            return 1
        children = [process.number for process in list_processes() if process.parent == run.pid]
        if children:
            with suppress(ProcessLookupError):
                os.kill(chance.choice(children), signal.SIGKILL)
                killed += 1
    return killed


def kill_updates(kills: int, folder: Path, _: random.Random) -> Outcome:
    """Kill updates of the reader; benchmarks/reader.py does it."""
    command = [sys.executable, str(ROOT / "benchmarks" / "reader.py"), "--part", "kills"]
    command += ["--kills", str(kills), "--folder", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    outcome = Outcome("reader update", kills)
    end = next((line for line in done.stdout.splitlines() if "After the last kill" in line), "")
    outcome.checked = end.strip() or "nothing"
    if done.returncode or not end:
        outcome.wrong.append((done.stdout + done.stderr)[-2000:])
    return outcome


def kill_labelling(kills: int, folder: Path, chance: random.Random) -> Outcome:
    """Kill a process that saves labels all the time; what it reported as saved must be there."""
    pages = folder / "pages"
    pages.mkdir()
    outcome, saved = Outcome("labelling"), dict[tuple[str, str], int]()
    while outcome.kills < kills:
        child = subprocess.Popen(
            [sys.executable, __file__, "--save", str(folder), str(max(saved.values(), default=0))],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert child.stdout is not None  # noqa: S101
        for _ in range(chance.randrange(1, 40)):
            _note_save(child.stdout.readline(), saved)
        time.sleep(chance.uniform(0.0, 0.005))
        child.kill()
        for line in child.stdout:  # what it still reported before it died
            _note_save(line, saved)
        child.wait()
        outcome.kills += 1
        store = LabelStore(folder / "labels", pages)
        for (page, annotator), number in saved.items():
            labelling, _ = store.read(page, annotator)
            if labelling is None or int(labelling.title) < number:
                outcome.wrong.append(f"{page} by {annotator}: {number} was saved and is lost")
        for annotator in ("ada", "ben"):
            outcome.wrong += [str(broken) for broken in store.find_broken(annotator)]
    outcome.checked = f"{max(saved.values()):,} saves in {len(saved)} files: each is there, and no file is damaged"
    return outcome


def _note_save(line: str, saved: dict[tuple[str, str], int]) -> None:
    if line.endswith("\n"):
        page, annotator, number = json.loads(line)
        saved[page, annotator] = number


def save_labels(folder: Path, first: int) -> None:
    """Save labels until this is killed, and report each save."""
    store = LabelStore(folder / "labels", folder / "pages")
    number = first
    while True:
        number += 1
        page, annotator = f"{number % 5}.html", ("ada", "ben")[number % 2]
        spans = tuple(Span(start, start + 5, CONTENT) for start in range(0, number % 97 * 10, 10))
        _, revision = store.read(page, annotator)
        store.save(Labelling(page, "0" * 64, annotator, spans, title=str(number)), revision)
        print(json.dumps([page, annotator, number]), flush=True)


def kill_training(kills: int, folder: Path, chance: random.Random) -> Outcome:
    """Kill trainings that replace a model; it must be the old one or the new one, whole."""
    labelled = folder / "labelled"
    for part in ("html", "ground-truth"):
        (labelled / part).mkdir(parents=True)
        for path in sorted((ROOT / "labelled" / part).iterdir())[:LABELLED]:
            shutil.copy(path, labelled / part)
    outcome, replaced = Outcome("training"), 0
    expected, lasted = dict[str, bytes](), dict[str, float]()
    while outcome.kills < kills:
        method = "density" if outcome.kills % LEARNED_EVERY else "learned"
        if method not in expected:
            began = time.monotonic()
            _train(labelled, folder / "expected.npz", method).wait()
            lasted[method] = time.monotonic() - began
            expected[method] = (folder / "expected.npz").read_bytes()
        model = folder / "model.npz"
        model.write_bytes(b"the old model")
        run = _train(labelled, model, method)
        began = time.monotonic()
        with suppress(subprocess.TimeoutExpired):
            run.wait(chance.uniform(0.1, 1.0) * lasted[method])
            lasted[method] = min(lasted[method], time.monotonic() - began)  # it was too late
            continue
        run.kill()
        run.wait()
        outcome.kills += 1
        found = model.read_bytes()
        replaced += found == expected[method]
        if found not in {b"the old model", expected[method]}:
            outcome.wrong.append(
                f"{method}: a model of {len(found):,} bytes is neither old nor new"
            )
    outcome.checked = (
        f"the model is the old one ({kills - replaced} times) or, byte for byte, that of an undisturbed "
        f"training ({replaced} times); every fifth was of the learned method, the others of density"
    )
    return outcome


def _train(labelled: Path, model: Path, method: str) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "bodytext", "train", str(labelled), "--method", method]
    command += ["-o", str(model), "--epochs", "1"]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


PARTS: dict[str, Callable[[int, Path, random.Random], Outcome]] = {
    "workers": kill_workers,
    "builds": kill_builds,
    "reader": kill_updates,
    "labels": kill_labelling,
    "training": kill_training,
}


def main() -> int:
    """Kill, compare, report."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=KILLS)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--part", action="append", choices=list(PARTS))
    parser.add_argument("--save", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.save:
        save_labels(Path(options.save[0]), int(options.save[1]))
    outcomes = []
    for part in options.part or PARTS:
        with tempfile.TemporaryDirectory() as name:
            chance = random.Random(f"{part} {options.seed}")
            outcomes.append(PARTS[part](options.kills, Path(name), chance))
        print(outcomes[-1], file=sys.stderr, flush=True)
    text = report(outcomes, options.seed)
    print(text)
    if options.kills == KILLS and not options.part:
        (ROOT / "results" / "faults.md").write_text(text, "utf-8")
    return int(any(outcome.wrong for outcome in outcomes))


def report(outcomes: list[Outcome], seed: int) -> str:
    """Format the report."""
    rows = "\n".join(
        f"| {outcome.what} | {outcome.kills} | {outcome.checked} | {len(outcome.wrong) or 'nothing'} |"
        for outcome in outcomes
    )
    return f"""# Kills at any moment

    python benchmarks/faults.py --seed {seed}

{datetime.now(UTC):%Y-%m-%d}, Python {platform.python_version()}. Each was killed with `kill -9` at random moments and
started again.

| killed | times | checked | lost, damaged or different |
|---|---:|---|---|
{rows}

Other faults are tests: pages that raise, hang, take all memory or crash their process, broken and truncated archives, a
source that vanishes (`tests/test_corpus_faults.py`, `tests/test_reader_hostile.py`); full and read-only disks, clocks
that jump (`tests/test_faults.py`); nodes of a Ray cluster that are killed (`benchmarks/cluster.py`).
"""


if __name__ == "__main__":
    sys.exit(main())
