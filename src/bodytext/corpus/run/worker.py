"""Do jobs in a child process, and start it again when a record kills it.

The child is at a known record, so a record that takes too long, or that raises an error no row can
hold, is known too. If the child dies, the job starts again. A record at which that happens three
times is to blame. It is left out of the next attempt and gets a row with the reason. If that does
not help, the record cannot be read, nor can the records that follow it in its shard.
"""

import json
import mmap
import os
import selectors
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from threading import Event
from time import monotonic
from typing import Any

from bodytext.corpus.run.child import COUNTER_BYTES, FULL, RAISED, UNREAD

POLL_SECONDS = 0.05
_CHILD = "bodytext.corpus.run.child"
MOST_DEATHS = 3  # at one record: something else may have killed the child once or twice
MOST_OTHER_DEATHS = 20  # while a child starts, or in a job without records to blame
START_SECONDS = 300.0  # that a child may take to start on a busy machine
_SLOW, _DIED = "slow", "died"  # why a job failed, in addition to the reasons of the child
_SLOWEST_POLL = 1.0  # seconds: a longer one means that the machine slept, and no record is to blame


class JobError(Exception):
    """A job that cannot be done now: `kind` is FULL, UNREAD or RAISED."""

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(reason)
        self.kind = kind


class RunStoppedError(Exception):
    """The run ended before the job was done."""


@dataclass(frozen=True, slots=True)
class RecordLimits:
    """The time and memory that a record may take."""

    seconds: float
    memory: int  # MiB


class JobWorker:
    """Does one job at a time in a child process, which it replaces when necessary."""

    def __init__(
        self, limits: RecordLimits, folder: str | None = None, stop: Event | None = None
    ) -> None:
        """Take the limits, the folder of relative paths, and an event that ends a job."""
        self._limits = limits
        self._folder = folder
        self._stop = stop or Event()
        self._child: subprocess.Popen[bytes] | None = None
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as the worker
        self._file.truncate(COUNTER_BYTES)
        self._counter = memoryview(mmap.mmap(self._file.fileno(), COUNTER_BYTES)).cast("Q")

    @property
    def done(self) -> int:
        """The number of records of the current job that are done; 0 without a job."""
        return int(self._counter[0])

    def do(self, job: Mapping[str, Any]) -> int:
        """Do a job, and return the number of its records; a JobError if it is impossible now."""
        blame = _Blame()
        while True:
            self._counter[0] = 0
            reply = self._try(dict(job) | blame.to_json())
            if not reply:
                records, self._counter[0] = self.done, 0
                return records
            if reply["failed"] in {FULL, UNREAD}:
                raise JobError(reply["failed"], reply["reason"])
            blame.add(self.done, reply["reason"], certain=reply["failed"] != _DIED)
            if blame.is_exhausted or ("shard" not in job and blame.deaths > MOST_OTHER_DEATHS):
                raise JobError(RAISED, reply["reason"])

    def close(self) -> None:
        """End the child."""
        self._kill()
        self._counter.release()
        self._file.close()

    def _try(self, job: Mapping[str, Any]) -> dict[str, str]:
        """Let the child do a job, and return its reply or how it ended."""
        child = self._child or self._start()
        assert child.stdin is not None  # noqa: S101 - it was opened with pipes
        try:
            child.stdin.write(json.dumps(job).encode() + b"\n")
            child.stdin.flush()
        except BrokenPipeError:
            return self._bury()
        return self._wait(child, self._limits.seconds)

    def _wait(self, child: "subprocess.Popen[bytes]", seconds: float) -> dict[str, str]:
        """Wait for the child's reply, for at most this long on one record."""
        assert child.stdout is not None  # noqa: S101 - it was opened with pipes
        waited, seen, before = 0.0, 0, monotonic()
        with selectors.DefaultSelector() as selector:
            selector.register(child.stdout, selectors.EVENT_READ)
            while not selector.select(POLL_SECONDS):
                if self._stop.is_set():
                    self._kill()
                    raise RunStoppedError
                now = monotonic()
                waited = 0.0 if self.done != seen else waited + min(now - before, _SLOWEST_POLL)
                seen, before = self.done, now
                if waited > seconds:
                    self._kill()
                    return {
                        "failed": _SLOW,
                        "reason": f"time: took longer than {seconds:g} seconds",
                    }
        line = child.stdout.readline()
        if not line.endswith(b"\n"):
            return self._bury()
        reply: dict[str, str] = json.loads(line)
        return reply

    def _start(self) -> "subprocess.Popen[bytes]":
        """Start a child that is ready to work."""
        for _ in range(MOST_OTHER_DEATHS):
            try:
                child = self._open()
            except OSError as error:
                raise JobError(RAISED, f"no worker could be started: {error}") from None
            problem = self._wait(child, START_SECONDS)
            if not problem:
                return child
        raise JobError(RAISED, f"no worker could be started: {problem['reason']}")

    def _open(self) -> "subprocess.Popen[bytes]":
        environment = os.environ | {
            "OPENBLAS_NUM_THREADS": "1",  # threads of several workers would slow each other down
            "OMP_NUM_THREADS": "1",
            "ARROW_DEFAULT_MEMORY_POOL": "system",  # its own pool reserves too much
            "PYTHONHASHSEED": "0",
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        }
        handle = self._file.fileno()
        self._child = subprocess.Popen(  # noqa: S603 - our own module
            [sys.executable, "-Pm", _CHILD, *map(str, (handle, os.getpid(), self._limits.memory))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            pass_fds=(handle,),
            env=environment,
            cwd=self._folder,
            start_new_session=True,  # Ctrl-C is for the worker
        )
        return self._child

    def _bury(self) -> dict[str, str]:
        """Find out how the child died. The next job gets a new one."""
        child = self._child
        self._kill()
        status = child.returncode if child else 0
        how = signal.Signals(-status).name if status and status < 0 else f"exit status {status}"
        return {"failed": _DIED, "reason": f"crash: the worker died ({how})"}

    def _kill(self) -> None:
        child, self._child = self._child, None
        if child is None:
            return
        child.kill()
        child.wait()
        for pipe in (child.stdin, child.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()


class _Blame:
    """The records of a job that do harm, as far as is known."""

    def __init__(self) -> None:
        self.deaths = 0
        self.is_exhausted = False  # no record is left to blame
        self._at: Counter[int] = Counter()
        self._harmful: dict[str, str] = {}
        self._unreadable: tuple[int, str] | None = None

    def add(self, record: int, reason: str, *, certain: bool) -> None:
        """Note a failure at a record; `certain` if nothing else can have caused it."""
        self.deaths += 1
        self._at[record] += 1
        if not certain and self._at[record] < MOST_DEATHS:
            return
        self._at[record] = 0
        if self._unreadable is not None and record >= self._unreadable[0]:
            self.is_exhausted = True
        elif str(record) in self._harmful:
            self._unreadable = record, reason
        else:
            self._harmful[str(record)] = reason

    def to_json(self) -> dict[str, Any]:
        """The part of a job that names these records."""
        blame: dict[str, Any] = {"harmful": self._harmful}
        if self._unreadable is not None:
            blame |= {"unreadable_from": self._unreadable[0], "unreadable": self._unreadable[1]}
        return blame
