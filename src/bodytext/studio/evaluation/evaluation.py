"""Evaluate every installed system on a labelled set: predict all pages, then score them."""

import hashlib
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bodytext.corpus.progress import ProgressLine
from bodytext.studio.evaluation.page_scores import SystemScore, score_all
from bodytext.studio.evaluation.peers import (
    PEERS,
    VALIDATED,
    VALIDATED_VERSION,
    find_system,
    name_missing,
)
from bodytext.studio.evaluation.predictions import Task, predict
from bodytext.studio.labels import read_set
from bodytext.studio.labels.labelled_set import LabelledPage, digest_of, name_set

WORKERS = 2


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A labelled set, the scores of every system on it, and the systems that are not installed."""

    name: str
    digest: str
    pages: tuple[LabelledPage, ...]
    systems: tuple[SystemScore, ...]
    missing: tuple[str, ...]
    predictions: Path  # the folder with the files SYSTEM.jsonl


def evaluate(
    folder: Path, predictions: Path, systems: Sequence[str] = (), workers: int = WORKERS
) -> Evaluation:
    """Predict and score the named systems, or all installed ones. Predictions on file are used."""
    if workers < 1:
        raise ValueError(f"at least one worker is needed, not {workers}")
    name = name_set(folder)
    pages = read_set(folder)
    tasks, missing = make_tasks(predictions / name, systems)
    if not tasks:
        raise ValueError(_explain_no_tasks(missing, predictions / name))
    progress = ProgressLine("", len(tasks) * len(pages), "predictions")
    for task in tasks:
        progress.name = task.system
        predict(task, pages, workers=workers, report=progress.advance)
    progress.clear()
    sys.stderr.write("bodytext: scoring\n")
    digest = digest_of(pages)
    scores = score_all(tasks, pages, digest, workers)
    return Evaluation(name, digest, tuple(pages), tuple(scores), tuple(missing), predictions / name)


def make_tasks(predictions: Path, names: Sequence[str]) -> tuple[list[Task], list[str]]:
    """The systems to run (also module:function, a user's own), and those not installed."""
    tasks, missing = [], []
    for system, version in _choose_systems(names).items():
        path = predictions / f"{system}.jsonl"
        if not version:
            missing.append(system)
        elif system != VALIDATED or path.is_file():
            tasks.append(Task(system, version, path))
    return [*tasks, *(_make_own_task(name, predictions) for name in names if ":" in name)], missing


def _choose_systems(names: Sequence[str]) -> dict[str, str]:
    """The versions of the named systems, or of all; empty for those that are not installed."""
    versions = {system: peer.version for peer in PEERS for system in peer.systems}
    versions[VALIDATED] = VALIDATED_VERSION
    unknown = [name for name in names if name not in versions and ":" not in name]
    if unknown:
        known = ", ".join(versions)
        raise ValueError(
            f"there is no system {unknown[0]!r}; choose one of {known}, or name module:function"
        )
    return {system: version for system, version in versions.items() if not names or system in names}


def explain_missing(systems: Sequence[str]) -> str:
    """Which systems are not installed, and the command that installs them."""
    peers = [peer for peer in PEERS if not peer.systems.keys().isdisjoint(systems)]
    return name_missing(systems, (peer.distribution for peer in peers))


def _explain_no_tasks(missing: Sequence[str], predictions: Path) -> str:
    if missing:
        return explain_missing(missing)
    return f"{predictions}: {VALIDATED} has no predictions there; `bodytext train --from-scratch` writes them"


def _make_own_task(system: str, predictions: Path) -> Task:
    """The task of a user's own system, module:function; its version is a digest of its file."""
    if str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    try:
        find_system(system)
    except (ImportError, AttributeError) as problem:
        raise ValueError(f"{system} cannot be imported: {problem}") from None
    file = Path(str(sys.modules[system.partition(":")[0]].__file__))
    version = hashlib.sha256(file.read_bytes()).hexdigest()[:8]
    return Task(system, version, predictions / f"{system.replace(':', '.')}.jsonl")
