"""Run a system on a labelled set and write its predictions to a file, one line for each page.

After an interruption, the same call continues where it stopped. Each worker is a child process that
runs one system. A page on which the system crashes, raises or takes too long gives an empty text
and the error. A child that had to be killed is started again.
"""

import json
import os
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from bodytext.corpus.workers.child import Answer, Tick
from bodytext.corpus.workers.messages import WorkerMessage
from bodytext.corpus.workers.worker import (
    TooSlowError,
    Worker,
    WorkerDiedError,
    WorkerLimits,
    WorkerProgram,
    WorkerStoppedError,
)
from bodytext.sources.files import read_page
from bodytext.studio.evaluation.peers import System, find_system
from bodytext.studio.labels.labelled_set import LabelledPage, file_digest

TIMEOUT_S = 30.0
FORM = 2  # of the prediction files; files of another form are made again
_PROGRAM = "bodytext.studio.evaluation.predictions:prepare"
_MOST_BYTES = 2**40  # of memory: no limit, since a peer may need much
_WARM_UP = b"<!DOCTYPE html><html><body><p>A sentence to begin with.</p></body></html>"


@dataclass(frozen=True, slots=True)
class Prediction:
    """The text that a system found on a page, the CPU seconds it took, and the error, if any."""

    identity: str
    page: str  # a digest of the page's bytes
    text: str
    seconds: float
    error: str


@dataclass(frozen=True, slots=True)
class Task:
    """A system, its installed version, and the file for its predictions."""

    system: str
    version: str
    path: Path


def read_predictions(path: Path, version: str) -> dict[str, Prediction]:
    """The predictions in a file by page; none if the version differs or the file is damaged."""
    if not path.is_file():
        return {}
    try:
        with path.open(encoding="utf-8") as lines:
            heading = lines.readline()
            if not heading.endswith("\n") or json.loads(heading) != _heading(
                json.loads(heading).get("system"), version
            ):
                return {}
            read = [Prediction(**json.loads(line)) for line in lines if line.endswith("\n")]
            return {prediction.identity: prediction for prediction in read}
    except (ValueError, TypeError, AttributeError, RecursionError):
        return {}


def predict(
    task: Task,
    pages: Sequence[LabelledPage],
    *,
    workers: int = 2,
    timeout_s: float = TIMEOUT_S,
    report: Callable[[], None],
) -> dict[str, Prediction]:
    """The predictions of one system for all pages; those in its file are not made again."""
    predictions = _select_valid(read_predictions(task.path, task.version), pages)
    waiting = [page for page in pages if page.identity not in predictions]
    for _ in predictions:
        report()
    left = iter(waiting)
    task.path.parent.mkdir(parents=True, exist_ok=True)
    write_predictions(task, predictions)
    lock, stop = threading.Lock(), threading.Event()
    with task.path.open("a", encoding="utf-8") as file:

        def work() -> None:
            program = WorkerProgram(_PROGRAM, {"system": task.system, "seconds": timeout_s})
            with closing(Worker(program, WorkerLimits(timeout_s, _MOST_BYTES))) as worker:
                while True:
                    with lock:
                        page = next(left, None)
                    if page is None:
                        return
                    try:
                        prediction = _predict(worker, page, timeout_s, stop)
                    except WorkerStoppedError:
                        return
                    with lock:
                        file.write(json.dumps(asdict(prediction)) + "\n")
                        file.flush()
                        predictions[prediction.identity] = prediction
                        report()

        # The pool waits for its threads, so that nobody writes to a closed file.
        with ThreadPoolExecutor(workers) as pool:
            futures = [pool.submit(work) for _ in range(min(workers, len(waiting)))]
            try:
                for future in futures:
                    future.result()
            finally:  # after Ctrl-C
                stop.set()
    return predictions


def _select_valid(
    predictions: dict[str, Prediction], pages: Sequence[LabelledPage]
) -> dict[str, Prediction]:
    """The predictions of unchanged pages, without those that lacked a package."""
    digests = {page.identity: page_digest(page) for page in pages}
    no_package = ("ImportError", "ModuleNotFoundError")
    return {
        identity: prediction
        for identity, prediction in predictions.items()
        if digests.get(identity) == prediction.page and not prediction.error.startswith(no_package)
    }


def page_digest(page: LabelledPage) -> str:
    """A short digest of a page's bytes."""
    return file_digest(page.path).hex()[:16]


def _heading(system: str, version: str) -> dict[str, object]:
    """The first line of a prediction file."""
    return {"system": system, "version": version, "form": FORM}


def write_predictions(task: Task, predictions: dict[str, Prediction]) -> None:
    """Write a file of predictions, in place of one that may be old or incomplete."""
    lines = [json.dumps(_heading(task.system, task.version))]
    lines += [json.dumps(asdict(prediction)) for prediction in predictions.values()]
    temporary = task.path.with_suffix(".new")
    temporary.write_text("\n".join(lines) + "\n", "utf-8")
    temporary.replace(task.path)


def _predict(
    worker: Worker, page: LabelledPage, timeout_s: float, stop: threading.Event
) -> Prediction:
    digest, text, seconds = page_digest(page), "", 0.0
    try:
        reply = worker.ask(WorkerMessage({"path": str(page.path)}), stop=stop)
        text, seconds = reply.body.decode("utf-8"), reply.head.get("seconds", 0.0)
        error = reply.head.get("reason", "")
    except TooSlowError:
        seconds, error = timeout_s, f"took more than {timeout_s:g} s"
    except WorkerDiedError:
        error = "crashed"
    return Prediction(page.identity, digest, text, seconds, error)


def prepare(settings: dict[str, Any]) -> Answer:
    """Return what runs a system on a page in a process of its own; what it prints is discarded."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    system = find_system(settings["system"])
    # Imports on the first page do not count as time of a page. One that hangs here is left behind.
    first = threading.Thread(target=_warm_up, args=(system,), daemon=True)
    first.start()
    first.join(settings["seconds"])
    return partial(_run, system)


def _warm_up(system: System) -> None:
    with suppress(Exception):
        system(_WARM_UP)


def _run(system: System, message: WorkerMessage, _: Tick) -> WorkerMessage:
    page, text, error = read_page(Path(message.head["path"])), "", ""
    start = time.process_time()
    try:
        text = system(page)
    except Exception as problem:  # a peer may raise anything; it counts as an empty text
        error = f"{type(problem).__name__}: {problem}"[:200]
    head = {"seconds": time.process_time() - start, "reason": error}
    return WorkerMessage(head, text.encode("utf-8", "replace"))
