"""Do jobs in a child process, and start it again when a record kills it.

The child is at a known record, so a record that takes too long, or that raises an error no row can
hold, is known too. If the child dies, the job starts again. A record at which that happens three
times is to blame. It is left out of the next attempt and gets a row with the reason. If that does
not help, the record cannot be read, nor can the records that follow it in its shard.
"""

from collections import Counter
from collections.abc import Mapping
from threading import Event
from typing import Any

from bodytext.corpus.run.jobs import FULL, UNREAD
from bodytext.corpus.workers.child import RAISED
from bodytext.corpus.workers.messages import WorkerMessage
from bodytext.corpus.workers.worker import (
    TooSlowError,
    Worker,
    WorkerDiedError,
    WorkerLimits,
    WorkerProgram,
)

MOST_DEATHS = 3  # at one record: something else may have killed the process once or twice
MOST_OTHER_DEATHS = 20  # in a job without records to blame
_SLOW, _DIED = "slow", "died"  # why a job failed, in addition to the reasons of the process
_JOBS = "bodytext.corpus.run.jobs:prepare"
_ENVIRONMENT = {
    "ARROW_DEFAULT_MEMORY_POOL": "system",  # its own pool reserves too much
    "PYTHONHASHSEED": "0",
}


class JobError(Exception):
    """A job that cannot be done now: `kind` is FULL, UNREAD or RAISED."""

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(reason)
        self.kind = kind


class JobWorker:
    """Does one job at a time in the process of a worker."""

    def __init__(
        self, limits: WorkerLimits, folder: str | None = None, stop: Event | None = None
    ) -> None:
        """Take the limits of a record, the folder of relative paths, and an event that ends a job."""
        program = WorkerProgram(_JOBS, folder=folder, environment=_ENVIRONMENT)
        self._worker = Worker(program, limits)
        self._stop = stop
        self._is_working = False

    @property
    def done(self) -> int:
        """The number of records of the current job that are done; 0 without a job."""
        return self._worker.done if self._is_working else 0

    def do(self, job: Mapping[str, Any]) -> int:
        """Do a job, and return the number of its records; a JobError if it is impossible now."""
        self._is_working = True
        try:
            return self._do(job)
        finally:
            self._is_working = False

    def close(self) -> None:
        """End the process."""
        self._worker.close()

    def _do(self, job: Mapping[str, Any]) -> int:
        blame = _Blame()
        while True:
            reply = self._try(dict(job) | blame.to_json())
            failed = reply.get("failed")
            if not failed:
                return self.done
            if failed in {FULL, UNREAD}:
                raise JobError(failed, reply["reason"])
            blame.add(self.done, reply["reason"], certain=failed != _DIED)
            if blame.is_exhausted or ("shard" not in job and blame.deaths > MOST_OTHER_DEATHS):
                raise JobError(RAISED, reply["reason"])

    def _try(self, job: dict[str, Any]) -> dict[str, Any]:
        """Let the process do a job, and return its reply or how it ended."""
        try:
            self._worker.start(self._stop)
        except WorkerDiedError as error:
            raise JobError(RAISED, str(error)) from None
        try:
            return self._worker.ask(WorkerMessage(job), stop=self._stop).head
        except TooSlowError as error:
            return {"failed": _SLOW, "reason": str(error)}
        except WorkerDiedError as error:
            return {"failed": _DIED, "reason": str(error)}


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
