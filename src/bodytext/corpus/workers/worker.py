"""Let a process answer messages; kill it when it takes too long, and replace it when it dies."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from threading import Event, Thread
from time import monotonic
from typing import Any

from bodytext.corpus.workers.child import MEMORY
from bodytext.corpus.workers.messages import WorkerMessage, read_message, write_message

# -P: do not import from the folder where the program was started.
_CHILD = ("-Pm", "bodytext.corpus.workers.child")
START_SECONDS = 300.0  # that a process may take to start on a busy machine; mostly half a second
MOST_STARTS = 20  # in a row that fail, or that are killed before they have the message
_POLL_SECONDS = 0.05
_EXIT_SECONDS = 1.0  # for a process to end by itself
_SLOWEST_POLL = 1.0  # seconds: a longer one means that the machine slept, and no page is to blame
# Why a process is replaced.
SLOW, DIED, GROWN, FAILED = "slow", "died", "grown", "failed"


@dataclass(frozen=True, slots=True)
class WorkerProgram:
    """What the process of a worker runs."""

    # "module:name" of a function that gets the settings and returns how messages are answered.
    name: str
    settings: dict[str, Any] = field(default_factory=dict)
    folder: str | None = None  # of relative paths
    environment: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class WorkerLimits:
    """The time and memory that one message, or one record of it, may take."""

    seconds: float
    memory_bytes: int  # in addition to what the process has when it is ready
    # A process that has once grown beyond this is replaced: it does not free all the memory of a
    # large page. 0 is no limit.
    keeps_bytes: int = 0
    idle_seconds: float | None = None  # after which a process without work ends


class WorkerError(Exception):
    """There is no answer to a message."""


class TooSlowError(WorkerError):
    """The message took longer than the limit; the process was killed."""


class WorkerDiedError(WorkerError):
    """The process died over the message, or none could be started."""


class WorkerStoppedError(WorkerError):
    """The work is to end before there is an answer."""


class Worker:
    """Answers one message at a time. `note` hears why a process is replaced."""

    def __init__(
        self,
        program: WorkerProgram,
        limits: WorkerLimits,
        *,
        note: Callable[[str], None] | None = None,
    ) -> None:
        self._program, self._limits = program, limits
        self._note = note or (lambda _: None)
        self._process: _WorkerProcess | None = None
        self._done = 0

    @property
    def alive(self) -> bool:
        """Whether there is a process, and it is not known to have ended."""
        return self._process is not None and self._process.alive

    @property
    def pid(self) -> int:
        """The number of the process; 0 if there is none."""
        return self._process.pid if self._process is not None else 0

    @property
    def done(self) -> int:
        """How many records of the current or last message are done."""
        process = self._process
        return process.done if process is not None else self._done

    def ask(
        self, message: WorkerMessage, *, attempts: int = 1, stop: Event | None = None
    ) -> WorkerMessage:
        """Return the answer to a message; if the process dies over it, try so many times in all.

        If it died before it had the message, the message is not to blame, and that does not count.
        The event ends the waiting: a WorkerStoppedError.
        """
        deaths = 0
        for _ in range(MOST_STARTS):
            process = self.start(stop)
            process.send(message)
            reply = self._wait(process, self._limits.seconds, stop)
            if reply is not None:
                self._check_size(reply)
                return reply
            deaths += process.has_taken
            how = self._bury(DIED)
            if deaths >= attempts:
                break
        raise WorkerDiedError(f"crash: the worker died ({how})")

    def start(self, stop: Event | None = None) -> "_WorkerProcess":
        """Make sure that there is a process that is ready."""
        if self._process is not None and not self._process.alive:
            self._bury(DIED)
        if self._process is not None:
            return self._process
        how = ""
        for _ in range(MOST_STARTS):
            self._process = process = _WorkerProcess(self._program, self._limits)
            process.start()
            if self._wait(process, START_SECONDS, stop) is not None:
                return process
            how = self._bury(FAILED)
            if process.problem:
                break
        raise WorkerDiedError(f"no worker could be started: {how}")

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._end()

    def _wait(
        self, process: "_WorkerProcess", seconds: float, stop: Event | None
    ) -> WorkerMessage | None:
        """Wait for a message of the process, at most this long for each record of it."""
        waited, seen, before = 0.0, process.done, monotonic()
        while True:
            with suppress(Empty):
                return process.replies.get(timeout=_POLL_SECONDS)
            if stop is not None and stop.is_set():
                self._end()
                raise WorkerStoppedError
            now, done = monotonic(), process.done
            waited = 0.0 if done != seen else waited + min(now - before, _SLOWEST_POLL)
            seen, before = done, now
            if waited > seconds:
                self._bury(SLOW)
                raise TooSlowError(f"time: took longer than {seconds:g} seconds")

    def _check_size(self, reply: WorkerMessage) -> None:
        most = self._limits.keeps_bytes
        is_large = most and reply.head["peak_bytes"] > most
        if is_large or (most and reply.head.get("failed") == MEMORY):
            self._bury(GROWN)

    def _bury(self, why: str) -> str:
        """End the process, and say how it died."""
        self._note(why)
        return self._end()

    def _end(self) -> str:
        process = self._process
        if process is None:
            return ""
        process.end()
        self._done, self._process = process.done, None
        return process.describe_end()


class _WorkerProcess(Thread):
    """A process, and the thread that starts it, writes to it and reads from it.

    Only this thread waits for the process, so whoever asks can give up at any time. On Linux a
    process ends with the thread that started it.
    """

    def __init__(self, program: WorkerProgram, limits: WorkerLimits) -> None:
        super().__init__(daemon=True, name="bodytext-worker")
        self._requests: SimpleQueue[WorkerMessage | None] = SimpleQueue()
        self.replies: SimpleQueue[WorkerMessage | None] = SimpleQueue()
        self.problem = ""  # why there is no process
        self.has_taken = False  # whether the process has the current message
        self.done = 0  # records of the current message
        self._program, self._limits = program, limits
        self._popen: subprocess.Popen[bytes] | None = None
        self._ending = False

    @property
    def alive(self) -> bool:
        return self.is_alive() and self._popen is not None and self._popen.poll() is None

    @property
    def pid(self) -> int:
        return self._popen.pid if self._popen is not None else 0

    def send(self, message: WorkerMessage) -> None:
        """Give a message to the process, which waits for one."""
        self.has_taken, self.done = False, 0
        self._requests.put(message)

    def end(self) -> None:
        """Kill the process, and wait until it is gone."""
        self._ending = True
        if self._popen is not None:
            self._popen.kill()
        self._requests.put(None)
        self.join()

    def describe_end(self) -> str:
        """Say how the process ended."""
        status = self._popen.returncode if self._popen is not None else 0
        if self.problem or status is None:
            return self.problem
        with suppress(ValueError):
            return signal.Signals(-status).name
        return f"exit status {status}"

    def run(self) -> None:
        """Start the process, and hand messages back and forth until there are no more."""
        try:
            self._popen = self._open()
            self._talk(self._popen)
        except BrokenPipeError:
            pass
        except OSError as error:
            if self._popen is None:
                self.problem = str(error)
        finally:
            self._close()
            self.replies.put(None)

    def _open(self) -> "subprocess.Popen[bytes]":
        program, parent, memory = self._program, os.getpid(), self._limits.memory_bytes
        arguments = (program.name, json.dumps(program.settings), str(parent), str(memory))
        environment = os.environ | {
            "OPENBLAS_NUM_THREADS": "1",  # threads of several workers would slow each other down
            "OMP_NUM_THREADS": "1",
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        }
        return subprocess.Popen(  # noqa: S603 - our own module
            [sys.executable, *_CHILD, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment | program.environment,
            cwd=program.folder,
            start_new_session=True,  # Ctrl-C is for the parent
        )

    def _talk(self, popen: "subprocess.Popen[bytes]") -> None:
        assert popen.stdin is not None  # noqa: S101 - it was opened with pipes
        assert popen.stdout is not None  # noqa: S101
        reply = read_message(popen.stdout, self._hear)
        while reply is not None and not self._ending:
            self.replies.put(reply)
            try:
                message = self._requests.get(timeout=self._limits.idle_seconds)
            except Empty:
                return
            if message is None:
                return
            write_message(popen.stdin, message)
            reply = read_message(popen.stdout, self._hear)

    def _hear(self, done: int) -> None:
        """Take a report."""
        self.has_taken, self.done = True, done

    def _close(self) -> None:
        """Wait until the process is gone; it ends by itself when its input ends."""
        if self._popen is not None:
            for pipe in (self._popen.stdin, self._popen.stdout):
                if pipe is not None:
                    with suppress(OSError):
                        pipe.close()
            with suppress(subprocess.TimeoutExpired):
                self._popen.wait(_EXIT_SECONDS)
            self._popen.kill()
            self._popen.wait()
