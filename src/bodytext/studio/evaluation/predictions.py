"""Systems + a labelled set -> prediction files, a line a page. Interrupted, the same call goes on where it stopped.

Each worker is a child process that runs one system. A page on which the system crashes, raises or takes too long gives
an empty text with the error beside it; the child is started anew where it had to be killed.
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
START_S = 300.0  # a child may take to load, on a machine that is busy: that is not the page's time
FORM = 2  # of the prediction files; one of another form is made anew
_WARM_UP = b"<!DOCTYPE html><html><body><p>A sentence to begin with.</p></body></html>"


@dataclass(frozen=True, slots=True)
class Prediction:
    """What a system made of a page: its text, the CPU seconds it took, and what went wrong, if anything."""

    identity: str
    page: str  # a digest of the page's bytes
    text: str
    seconds: float
    error: str


@dataclass(frozen=True, slots=True)
class Task:
    """A system, in the version that is installed, and the file its predictions go to."""

    system: str
    version: str
    path: Path


def read_predictions(path: Path, version: str) -> dict[str, Prediction]:
    """The predictions in a file by page; none where the file is of another version. A half-written line is dropped."""
    found: dict[str, Prediction] = {}
    if not path.is_file():
        return found
    with path.open(encoding="utf-8") as lines:
        heading = lines.readline()
        if not heading.endswith("\n") or json.loads(heading) != _heading(json.loads(heading).get("system"), version):
            return found
        for line in lines:
            if line.endswith("\n"):
                prediction = Prediction(**json.loads(line))
                found[prediction.identity] = prediction
    return found


def predict(
    task: Task,
    pages: Sequence[LabelledPage],
    *,
    workers: int = 2,
    timeout_s: float = TIMEOUT_S,
    tick: Callable[[], None],
) -> dict[str, Prediction]:
    """The predictions of one system for all pages; those in its file are not made again. `tick` is called for each."""
    found = _still_true(read_predictions(task.path, task.version), pages)
    waiting: queue.SimpleQueue[LabelledPage] = queue.SimpleQueue()
    for page in pages:
        if page.identity in found:
            tick()
        else:
            waiting.put(page)
    task.path.parent.mkdir(parents=True, exist_ok=True)
    write_predictions(task, found)
    lock = threading.Lock()
    with task.path.open("a", encoding="utf-8") as file:

        def work() -> None:
            with _Child(task.system, timeout_s) as child:
                while (page := _next(waiting)) is not None:
                    prediction = child.ask(page)
                    with lock:
                        file.write(json.dumps(asdict(prediction)) + "\n")
                        file.flush()
                        found[prediction.identity] = prediction
                        tick()

        threads = [threading.Thread(target=work) for _ in range(min(workers, max(waiting.qsize(), 0)))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return found


def _still_true(found: dict[str, Prediction], pages: Sequence[LabelledPage]) -> dict[str, Prediction]:
    """The predictions that were made of these very pages. One that failed for want of a package is made again."""
    marks = {page.identity: page_mark(page) for page in pages}
    return {
        identity: one
        for identity, one in found.items()
        if marks.get(identity) == one.page and not one.error.startswith(("ImportError", "ModuleNotFoundError"))
    }


def page_mark(page: LabelledPage) -> str:
    """What tells a page from another one of the same name."""
    return file_digest(page.path).hex()[:16]


def _next(waiting: "queue.SimpleQueue[LabelledPage]") -> LabelledPage | None:
    try:
        return waiting.get_nowait()
    except queue.Empty:
        return None


def _heading(system: str, version: str) -> dict[str, object]:
    """The first line of a prediction file."""
    return {"system": system, "version": version, "form": FORM}


def write_predictions(task: Task, found: dict[str, Prediction]) -> None:
    """Write the heading and what is known, in place of a file that may be of another version or end in half a line."""
    lines = [json.dumps(_heading(task.system, task.version))]
    lines += [json.dumps(asdict(one)) for one in found.values()]
    temporary = task.path.with_suffix(".new")
    temporary.write_text("\n".join(lines) + "\n", "utf-8")
    temporary.replace(task.path)


class _Child:
    """A child process that runs one system, and is replaced when it dies or hangs."""

    def __init__(self, system: str, timeout_s: float) -> None:
        self._system, self._timeout_s = system, timeout_s
        self._process: mp.process.BaseProcess | None = None
        self._pipe: Connection | None = None

    def __enter__(self) -> "_Child":
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()

    def ask(self, page: LabelledPage) -> Prediction:
        mark = page_mark(page)
        try:
            pipe = self._pipe or self._start()
            pipe.send(str(page.path))
            if pipe.poll(self._timeout_s):
                text, seconds, error = pipe.recv()
                return Prediction(page.identity, mark, text, seconds, error)
            error = f"took more than {self._timeout_s:g} s"
        except (EOFError, BrokenPipeError, ConnectionResetError):
            error = "crashed"
        self._stop()
        return Prediction(page.identity, mark, "", self._timeout_s if "took" in error else 0.0, error)

    def _start(self) -> Connection:
        context = mp.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, self._system), daemon=True)
        self._process.start()
        theirs.close()
        if self._pipe.poll(START_S):
            self._pipe.recv()  # it says that it is there
        return self._pipe

    def _stop(self) -> None:
        if self._process is not None and self._pipe is not None:
            self._pipe.close()
            self._process.kill()
            self._process.join()
        self._process = self._pipe = None


def _serve(pipe: Connection, name: str) -> None:
    """Run a system over the pages that come through a pipe; what it prints goes nowhere."""
    from bodytext.sources.files import read_page

    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent says when to stop
    system = find_system(name)
    pipe.send("here")
    with suppress(Exception):
        system(_WARM_UP)  # what a system imports on its first page is not the page's time
    while True:
        try:
            page = read_page(Path(pipe.recv()))
        except EOFError:
            return
        start, text, error = time.process_time(), "", ""
        try:
            text = system(page)
        except Exception as problem:  # a peer may raise anything, and it counts as an empty text
            error = f"{type(problem).__name__}: {problem}"[:200]
        seconds = time.process_time() - start
        pipe.send((text.encode("utf-8", "replace").decode("utf-8"), seconds, error))
