"""A worker: whatever its process does, there is an answer or the reason why there is none."""

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event, Thread, Timer

import pytest

from bodytext.corpus.workers.child import MEMORY, RAISED
from bodytext.corpus.workers.messages import WorkerMessage
from bodytext.corpus.workers.worker import (
    TooSlowError,
    Worker,
    WorkerDiedError,
    WorkerLimits,
    WorkerProgram,
    WorkerStoppedError,
)
from processes import list_processes

MIB = 2**20
PROGRAM = """
import os, time
from pathlib import Path
from bodytext.corpus.workers.messages import WorkerMessage

def prepare(settings):
    if settings.get("broken"):
        raise RuntimeError("it does not start")
    return answer

def answer(message, tick):
    for number in range(message.head.get("records", 0)):
        time.sleep(0.3)
        tick(number + 1)
    act = message.head.get("act")
    if act == "hang":
        time.sleep(1000)
    if act == "die":
        os._exit(3)
    if act == "die once" and not Path(message.head["mark"]).exists():
        Path(message.head["mark"]).touch()
        os._exit(3)
    if act == "raise":
        raise ArithmeticError("a mistake")
    if act == "allocate":
        return [bytearray(2**24) for _ in iter(int, 1)]
    print("what a library prints is no answer")
    return WorkerMessage({"pid": os.getpid()}, message.body[::-1])
"""


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Worker]]:
    """Make workers that do what messages say."""
    (tmp_path / "acts.py").write_text(PROGRAM)
    monkeypatch.syspath_prepend(str(tmp_path))
    made: list[Worker] = []

    def start(settings: dict[str, object] | None = None, **limits: float) -> Worker:
        known = WorkerLimits(**{"seconds": 1.5, "memory_bytes": 200 * MIB} | limits)  # type: ignore[arg-type]
        notes: list[str] = []
        worker = Worker(WorkerProgram("acts:prepare", settings or {}), known, note=notes.append)
        worker.__dict__["notes"] = notes
        made.append(worker)
        return worker

    yield start
    for worker in made:
        worker.close()


def notes_of(worker: Worker) -> list[str]:
    notes: list[str] = worker.__dict__["notes"]
    return notes


def act(what: str, **head: object) -> WorkerMessage:
    return WorkerMessage({"act": what, **head})


def test_large_messages_are_answered_by_one_process(make: Callable[..., Worker]) -> None:
    worker, body = make(seconds=20.0), bytes(range(256)) * 20_000
    answers = [worker.ask(WorkerMessage({}, body)) for _ in range(3)]
    assert {answer.body for answer in answers} == {body[::-1]}
    assert {answer.head["pid"] for answer in answers} == {worker.pid}


def test_a_page_that_hangs_is_given_up_and_the_next_is_answered(
    make: Callable[..., Worker],
) -> None:
    worker = make()
    with pytest.raises(TooSlowError, match=r"1\.5 seconds"):
        worker.ask(act("hang"))
    assert worker.ask(act("")).head["pid"] == worker.pid
    assert notes_of(worker) == ["slow"]


def test_the_time_is_for_each_record(make: Callable[..., Worker]) -> None:
    worker = make()
    worker.ask(act("", records=6))
    assert worker.done == 6


def test_a_page_that_kills_its_process_is_tried_again_and_then_given_up(
    make: Callable[..., Worker], tmp_path: Path
) -> None:
    worker = make()
    assert worker.ask(act("die once", mark=str(tmp_path / "mark")), attempts=2).head["pid"]
    with pytest.raises(WorkerDiedError, match="exit status 3"):
        worker.ask(act("die"), attempts=2)
    assert notes_of(worker) == ["died"] * 3


def test_a_process_that_dies_while_it_waits_costs_no_attempt(make: Callable[..., Worker]) -> None:
    worker = make()
    for _ in range(3):
        worker.start()
        os.kill(worker.pid, signal.SIGKILL)
        assert worker.ask(act(""), attempts=1).head["pid"] == worker.pid


def test_an_error_and_too_little_memory_are_answers(make: Callable[..., Worker]) -> None:
    worker = make(seconds=20.0)
    raised = worker.ask(act("raise")).head
    assert (raised["failed"], raised["reason"]) == (RAISED, "ArithmeticError: a mistake")
    if sys.platform == "linux":
        assert worker.ask(act("allocate")).head["failed"] == MEMORY
    assert worker.ask(act("")).head["pid"] == worker.pid
    assert notes_of(worker) == []


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits memory so")
def test_a_process_that_has_grown_is_replaced(make: Callable[..., Worker]) -> None:
    worker = make(seconds=20.0, keeps_bytes=100 * MIB)
    assert worker.ask(act("allocate")).head["failed"] == MEMORY
    assert notes_of(worker) == ["grown"]
    assert worker.ask(act("")).head["pid"]


def test_a_process_without_work_ends(make: Callable[..., Worker]) -> None:
    worker = make(idle_seconds=0.1)
    first = worker.ask(act("")).head["pid"]
    deadline = time.monotonic() + 20
    while worker.alive:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    assert worker.ask(act("")).head["pid"] != first


def test_a_program_that_does_not_start_is_an_error(
    make: Callable[..., Worker], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bodytext.corpus.workers.worker.MOST_STARTS", 2)
    with pytest.raises(WorkerDiedError, match="no worker could be started: exit status 1"):
        make({"broken": True}).ask(act(""))


def test_a_process_that_the_system_does_not_start_is_an_error(
    make: Callable[..., Worker], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "gone"))
    with pytest.raises(WorkerDiedError, match="No such file"):
        make().ask(act(""))


def test_whoever_waits_can_be_stopped(make: Callable[..., Worker]) -> None:
    worker, stop = make(seconds=100.0), Event()
    worker.start()
    Timer(0.2, stop.set).start()
    with pytest.raises(WorkerStoppedError):
        worker.ask(act("hang"), stop=stop)
    assert not worker.alive


def test_a_process_that_starts_has_no_file(
    make: Callable[..., Worker], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It would stay if the parent were killed now."""
    (tmp_path / "files").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "files"))
    worker = make()
    starting = Thread(target=worker.start)
    starting.start()
    while not worker.pid:
        time.sleep(0.001)
    assert list((tmp_path / "files").iterdir()) == []
    starting.join()


def test_closing_leaves_no_process(make: Callable[..., Worker]) -> None:
    worker = make()
    pid = worker.ask(act("")).head["pid"]
    worker.close()
    assert pid not in {process.number for process in list_processes()}


def test_it_works_where_resources_cannot_be_limited(
    make: Callable[..., Worker], tmp_path: Path
) -> None:
    """As on Windows, which has no module `resource`: the limit on time still holds."""
    elsewhere = "import sys\nsys.modules['resource'] = None\nsys.platform = 'elsewhere'\n"
    (tmp_path / "sitecustomize.py").write_text(elsewhere)
    worker = make()
    assert worker.ask(act("")).head["peak_bytes"] == 0
    with pytest.raises(TooSlowError):
        worker.ask(act("hang"))
