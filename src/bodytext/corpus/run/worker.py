"""A job -> the same job done, whatever its records do: a child process works, this one watches and starts it again.

A record that takes too long, or that raises where no row can hold the error, is the one that the child is at. Where the
child dies, the job is begun again, and a record at which that happens three times is to blame. The next time around a
record to blame is not touched and gets a row with the reason in place of its text. Where even that does not help, it
cannot be read, nor can what follows it in its shard.
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
MOST_DEATHS = 3  # at one record: once or twice somebody else may have killed the child
MOST_OTHER_DEATHS = 20  # while a child starts, or at a job that has no records to blame
START_SECONDS = 300.0  # a child may take to load, on a machine that is busy
_SLOW, _DIED = "slow", "died"  # beside what a child says of itself
_SLOWEST_POLL = 1.0  # seconds that count of a poll: while the machine slept, no record was at fault


class JobError(Exception):
    """A job that cannot be done now: `kind` says whether the disk is full or a source cannot be read."""

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(reason)
        self.kind = kind


class StoppedError(Exception):
    """The run is over before the job was done."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a record may take."""

    seconds: float
    memory: int  # MiB


class Worker:
    """Does jobs, one at a time, in a child process that it replaces when it must. `stop` ends it from outside."""

    def __init__(self, limits: Limits, folder: str | None = None, stop: Event | None = None) -> None:
        """Take the limits, and the folder that paths start from; the child is started with the first job."""
        self._limits = limits
        self._folder = folder
        self._stop = stop or Event()
        self._child: subprocess.Popen[bytes] | None = None
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as the worker
        self._file.truncate(COUNTER_BYTES)
        self._counter = memoryview(mmap.mmap(self._file.fileno(), COUNTER_BYTES)).cast("Q")

    @property
    def done(self) -> int:
        """How many records of the job at hand are done; none where there is no job."""
        return int(self._counter[0])

    def do(self, job: Mapping[str, Any]) -> int:
        """Do a job; how many records it had. JobError where it is impossible now."""
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
        """Let the child do a job; its reply, or what became of it."""
        child = self._child or self._start()
        assert child.stdin is not None  # noqa: S101 - it was opened with pipes
        try:
            child.stdin.write(json.dumps(job).encode() + b"\n")
            child.stdin.flush()
        except BrokenPipeError:
            return self._bury()
        return self._wait(child, self._limits.seconds)

    def _wait(self, child: "subprocess.Popen[bytes]", seconds: float) -> dict[str, str]:
        """The child's next reply; it may take so long without getting on to another record."""
        assert child.stdout is not None  # noqa: S101 - it was opened with pipes
        waited, seen, before = 0.0, 0, monotonic()
        with selectors.DefaultSelector() as selector:
            selector.register(child.stdout, selectors.EVENT_READ)
            while not selector.select(POLL_SECONDS):
                if self._stop.is_set():
                    self._kill()
                    raise StoppedError
                now = monotonic()
                waited = 0.0 if self.done != seen else waited + min(now - before, _SLOWEST_POLL)
                seen, before = self.done, now
                if waited > seconds:
                    self._kill()
                    return {"failed": _SLOW, "reason": f"time: took longer than {seconds:g} seconds"}
        line = child.stdout.readline()
        if not line.endswith(b"\n"):
            return self._bury()
        reply: dict[str, str] = json.loads(line)
        return reply

    def _start(self) -> "subprocess.Popen[bytes]":
        """A new child that is ready to work."""
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
            "OPENBLAS_NUM_THREADS": "1",  # threads of several workers would wait for each other
            "OMP_NUM_THREADS": "1",
            "ARROW_DEFAULT_MEMORY_POOL": "system",  # its own one reserves more than a record may take
            "PYTHONHASHSEED": "0",
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        }
        handle = self._file.fileno()
        self._child = subprocess.Popen(  # noqa: S603 - our own module
            [
                sys.executable,
                "-Pm",
                "bodytext.corpus.run.child",
                str(handle),
                str(os.getpid()),
                str(self._limits.memory),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            pass_fds=(handle,),
            env=environment,
            cwd=self._folder,
            start_new_session=True,  # Ctrl-C is for the one that watches
        )
        return self._child

    def _bury(self) -> dict[str, str]:
        """What the child died of; the next job gets a new one."""
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
    """Which records of a job do harm, as far as is known."""

    def __init__(self) -> None:
        self.deaths = 0
        self.is_exhausted = False  # nothing is left to blame
        self._at: Counter[int] = Counter()
        self._harmful: dict[str, str] = {}
        self._unreadable: tuple[int, str] | None = None

    def add(self, record: int, reason: str, *, certain: bool) -> None:
        """Something went wrong at a record; `certain` where nobody else can have done it."""
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
        """What a job is told about it."""
        told: dict[str, Any] = {"harmful": self._harmful}
        if self._unreadable is not None:
            told |= {"unreadable_from": self._unreadable[0], "unreadable": self._unreadable[1]}
        return told
