"""A labelled set -> an Evaluation: every installed system predicted and scored."""

import hashlib
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bodytext.studio.evaluation.page_scores import SystemScore, score_all
from bodytext.studio.evaluation.peers import find_system, read_peers
from bodytext.studio.evaluation.peers.ours import VALIDATED, VALIDATED_VERSION
from bodytext.studio.evaluation.predictions import Task, predict
from bodytext.studio.labels import read_set
from bodytext.studio.labels.labelled_set import LabelledPage, digest_of

WORKERS = 2


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A set's name, digest and pages; the scores of every system; the systems whose distribution is missing."""

    name: str
    digest: str
    pages: tuple[LabelledPage, ...]
    systems: tuple[SystemScore, ...]
    missing: tuple[str, ...]
    predictions: Path  # the folder with a file SYSTEM.jsonl each


def evaluate(folder: Path, predictions: Path, systems: Sequence[str] = (), workers: int = WORKERS) -> Evaluation:
    """Predict and score the named systems, or all that are installed. What is on file is not made again."""
    if workers < 1:
        raise ValueError(f"at least one worker is needed, not {workers}")
    name = folder.resolve().name
    pages = read_set(folder)
    tasks, missing = _tasks(predictions / name, systems)
    if not tasks:
        raise ValueError(_nothing_to_run(missing, predictions / name))
    progress = _Progress(len(tasks) * len(pages))
    for task in tasks:
        progress.name = task.system
        predict(task, pages, workers=workers, tick=progress.tick)
    progress.say("scoring")
    digest = digest_of(pages)
    scores = score_all(tasks, pages, digest, workers)
    return Evaluation(name, digest, tuple(pages), tuple(scores), tuple(missing), predictions / name)


def _tasks(predictions: Path, wanted: Sequence[str]) -> tuple[list[Task], list[str]]:
    """The systems to run, and those whose distribution is missing. A name module:function is anybody's system."""
    tasks, missing, known = [], [], []
    for peer in read_peers():
        for system in peer.systems:
            known.append(system)
            if wanted and system not in wanted:
                continue
            if system == VALIDATED:
                tasks += _validated_task(predictions / f"{system}.jsonl")
            elif peer.version:
                tasks.append(Task(system, peer.version, predictions / f"{system}.jsonl"))
            else:
                missing.append(system)
    others = [system for system in wanted if ":" in system]
    tasks += [_own_task(system, predictions) for system in others]
    if unknown := [system for system in wanted if system not in known and system not in others]:
        raise ValueError(f"there is no system {unknown[0]!r}; choose of {', '.join(known)}, or module:function")
    return tasks, missing


def _nothing_to_run(missing: Sequence[str], predictions: Path) -> str:
    if missing:
        return f"not installed: {', '.join(missing)}; pip install 'bodytext[evaluate]' gets them"
    return f"{predictions}: {VALIDATED} has no predictions there; `bodytext train` writes them"


def _validated_task(path: Path) -> list[Task]:
    """The learned method as its training left it on file, where it did."""
    return [Task(VALIDATED, VALIDATED_VERSION, path)] if path.is_file() else []


def _own_task(system: str, predictions: Path) -> Task:
    """Anybody's system, module:function; its version is a digest of its file."""
    if str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    try:
        find_system(system)
    except (ImportError, AttributeError) as problem:
        raise ValueError(f"{system} cannot be imported: {problem}") from None
    file = Path(str(sys.modules[system.partition(":")[0]].__file__))
    mark = hashlib.sha256(file.read_bytes()).hexdigest()[:8]
    return Task(system, mark, predictions / f"{system.replace(':', '.')}.jsonl")


class _Progress:
    """How far the predictions are: a moving line on a terminal, a line now and then elsewhere."""

    def __init__(self, total: int) -> None:
        self.name, self._total, self._done = "", total, 0
        self._start = self._last = time.monotonic()

    def tick(self) -> None:
        self._done += 1
        now, live = time.monotonic(), sys.stderr.isatty()
        if now - self._last < (0.2 if live else 30) and self._done < self._total:
            return
        self._last = now
        left = (now - self._start) / self._done * (self._total - self._done)
        done = f"{self._done:,} of {self._total:,} predictions"
        self.say(f"{self.name}: {done}, about {left / 60:.0f} min left", live=live)

    def say(self, text: str, *, live: bool = False) -> None:
        sys.stderr.write(f"\r{text:<78}" if live else f"{text}\n")
        sys.stderr.flush()
