"""Fuzz everything that is read from outside with changed valid inputs, and write results/fuzz_inputs.md.

    python benchmarks/fuzz_inputs.py                       an hour
    python benchmarks/fuzz_inputs.py --minutes 5           less, and no report
    python benchmarks/fuzz_inputs.py --target feed --minutes 1

tests/fuzz_targets.py has the kinds of input and says how they are changed. Inputs are read in a process with limits:
one that raises an unforeseen error, takes more than 3 s of CPU time or 1 GiB of memory, or kills the process is a
fault. It is kept in tests/fuzz_cases, which the tests read again. The exit status is 1 if there is a fault.
"""

import argparse
import hashlib
import platform
import sys
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from bodytext.corpus.workers.messages import WorkerMessage  # noqa: E402
from bodytext.corpus.workers.worker import (  # noqa: E402
    TooSlowError,
    Worker,
    WorkerDiedError,
    WorkerLimits,
    WorkerProgram,
)
from fuzz_targets import LONGEST_S, TARGETS, make_input  # noqa: E402

CASES = ROOT / "tests" / "fuzz_cases"
MINUTES = 60.0
BATCH = 200  # inputs in a message
SHARES = {"page": 5}  # of time, for those that get more than the others
LIMITS = WorkerLimits(60.0, 2**30)  # of an input, on a busy machine


@dataclass(slots=True)
class Tally:
    """What was tried of a target."""

    inputs: int = 0
    seconds: float = 0.0
    faults: dict[str, bytes] = field(default_factory=dict)  # by what happened


def main() -> int:
    """Fuzz, keep what failed, report."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=MINUTES)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--target", action="append", choices=list(TARGETS))
    options = parser.parse_args()
    tallies = fuzz(options.target or list(TARGETS), options.seed, options.minutes * 60)
    text = report(tallies, options.seed, options.minutes)
    print(text)
    if options.minutes == MINUTES and not options.target:
        (ROOT / "results" / "fuzz_inputs.md").write_text(text, "utf-8")
    return int(any(tally.faults for tally in tallies.values()))


def fuzz(targets: list[str], seed: int, seconds: float) -> dict[str, Tally]:
    """Give every target its share of the time, in turns."""
    tallies = {name: Tally() for name in targets}
    worker = Worker(WorkerProgram("fuzz_targets:prepare"), LIMITS)
    began = time.monotonic()
    while time.monotonic() - began < seconds:
        name = min(tallies, key=lambda name: tallies[name].seconds / SHARES.get(name, 1))
        turn = time.monotonic()
        for number, what in ask(worker, name, seed, tallies[name]):
            keep(name, make_input(name, seed, number), what, tallies[name])
        tallies[name].seconds += time.monotonic() - turn
    worker.close()
    return tallies


def ask(worker: Worker, name: str, seed: int, tally: Tally) -> list[tuple[int, str]]:
    """Let the worker read the next inputs; return the numbers of those that are faults."""
    first = tally.inputs
    head = {"target": name, "seed": seed, "first": first, "last": first + BATCH}
    try:
        answer = worker.ask(WorkerMessage(head)).head
    except (TooSlowError, WorkerDiedError) as error:
        tally.inputs = first + worker.done + 1
        return [(first + worker.done, str(error))]
    tally.inputs = first + BATCH
    if "failed" in answer:
        return [(first + worker.done, f"{answer['failed']}: {answer['reason']}")]
    return [(number, what) for number, what in answer["faults"]]


def keep(name: str, data: bytes, what: str, tally: Tally) -> None:
    """Keep an input that failed in a new way."""
    if what in tally.faults:
        return
    tally.faults[what] = data
    path = CASES / name.replace(" ", "-") / hashlib.sha256(data).hexdigest()[:12]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    print(f"{name}: {what}: {path}", file=sys.stderr, flush=True)


def report(tallies: dict[str, Tally], seed: int, minutes: float) -> str:
    """Format the report."""
    rows = "\n".join(
        f"| {name} | {tally.inputs:,} | {tally.seconds / 60:.1f} | {'; '.join(tally.faults) or 'none'} |"
        for name, tally in tallies.items()
    )
    total = sum(tally.inputs for tally in tallies.values())
    faults = sum(len(tally.faults) for tally in tallies.values())
    return f"""# Fuzzing what is read from outside

    python benchmarks/fuzz_inputs.py --seed {seed}

{datetime.now(UTC):%Y-%m-%d}, Python {platform.python_version()}, {minutes:g} minutes on one processor. {total:,} inputs, \
{faults} faults.

An input is a valid one with some of its tokens dropped, repeated, moved or replaced, and now and then some bytes
(`tests/fuzz_targets.py`). A page is extracted, written in every format, and analysed as the reader does. A fault is an
error that the reader of that input does not declare, more than {LONGEST_S:g} s of CPU time, more than 1 GiB of memory, or a
process that dies. `tests/fuzz_cases` has the inputs that once were faults.

| input | tried | minutes | faults |
|---|---:|---:|---|
{rows}
"""


if __name__ == "__main__":
    sys.exit(main())
