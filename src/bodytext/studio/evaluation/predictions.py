"""Run a system on a labelled set and write its predictions to a file, one line for each page.

After an interruption, the same call continues where it stopped. Each worker is a child process that
runs one system. A page on which the system crashes, raises or takes too long gives an empty text
and the error. A child that had to be killed is started again.
"""

import json
import multiprocessing as mp
import os
import queue
import signal
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from bodytext.studio.evaluation.peers import find_system
from bodytext.studio.labels.labelled_set import LabelledPage, file_digest

TIMEOUT_S = 30.0
START_S = 300.0  # for a child to load, on a busy machine; it does not count as time of a page
FORM = 2  # of the prediction files; files of another form are made again
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
    waiting: queue.SimpleQueue[LabelledPage] = queue.SimpleQueue()
    for page in pages:
        if page.identity in predictions:
            report()
        else:
            waiting.put(page)
    task.path.parent.mkdir(parents=True, exist_ok=True)
    write_predictions(task, predictions)
    lock = threading.Lock()
    with task.path.open("a", encoding="utf-8") as file:

        def work() -> None:
            with _Child(task.system, timeout_s) as child:
                while (page := _next(waiting)) is not None:
                    prediction = child.predict(page)
                    with lock:
                        file.write(json.dumps(asdict(prediction)) + "\n")
                        file.flush()
                        predictions[prediction.identity] = prediction
                        report()

        threads = [threading.Thread(target=work) for _ in range(min(workers, waiting.qsize()))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
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


def _next(waiting: "queue.SimpleQueue[LabelledPage]") -> LabelledPage | None:
    try:
        return waiting.get_nowait()
    except queue.Empty:
        return None


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


class _Child:
    """A child process that runs one system and is replaced when it dies or hangs."""

    def __init__(self, system: str, timeout_s: float) -> None:
        self._system, self._timeout_s = system, timeout_s
        self._process: mp.process.BaseProcess | None = None
        self._pipe: Connection | None = None

    def __enter__(self) -> "_Child":
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()

    def predict(self, page: LabelledPage) -> Prediction:
        digest, seconds = page_digest(page), 0.0
        try:
            pipe = self._pipe or self._start()
            pipe.send(str(page.path))
            if pipe.poll(self._timeout_s):
                text, seconds, error = pipe.recv()
                return Prediction(page.identity, digest, text, seconds, error)
            seconds, error = self._timeout_s, f"took more than {self._timeout_s:g} s"
        except (EOFError, BrokenPipeError, ConnectionResetError):
            error = "crashed"
        self._stop()
        return Prediction(page.identity, digest, "", seconds, error)

    def _start(self) -> Connection:
        context = mp.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, self._system), daemon=True)
        self._process.start()
        theirs.close()
        if self._pipe.poll(START_S):
            self._pipe.recv()  # the child is ready
        return self._pipe

    def _stop(self) -> None:
        if self._process is not None and self._pipe is not None:
            self._pipe.close()
            self._process.kill()
            self._process.join()
        self._process = self._pipe = None


def _serve(pipe: Connection, name: str) -> None:
    """Run a system on the pages whose paths come through a pipe; discard what it prints."""
    from bodytext.sources.files import read_page

    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides when to stop
    system = find_system(name)
    pipe.send("ready")
    with suppress(Exception):
        system(_WARM_UP)  # imports on the first page do not count as time of a page
    while True:
        try:
            page = read_page(Path(pipe.recv()))
        except EOFError:
            return
        start, text, error = time.process_time(), "", ""
        try:
            text = system(page)
        except Exception as problem:  # a peer may raise anything; it counts as an empty text
            error = f"{type(problem).__name__}: {problem}"[:200]
        seconds = time.process_time() - start
        pipe.send((text.encode("utf-8", "replace").decode("utf-8"), seconds, error))
