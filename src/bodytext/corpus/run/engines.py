"""Jobs -> the same jobs done, in any order: by processes of this machine, or by the machines of a Ray cluster."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from itertools import islice
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import Any, Protocol

from bodytext.corpus.run.child import UNREAD
from bodytext.corpus.run.worker import JobError, Limits, StoppedError, Worker
from bodytext.sources.location import require

Job = Mapping[str, Any]
LOCAL, RAY = "local", "ray"
TELL_SECONDS = 0.25  # between two outcomes at most, so that progress can be shown
MOST_RETRIES = 100  # of a task whose machine or process was lost
AHEAD = 2  # tasks for each processor of a cluster that are handed out: one that runs, one that waits


@dataclass(frozen=True, slots=True)
class Outcome:
    """Which job is done, by its place in the list, and how many records it had; or what kept it from being done."""

    number: int
    records: int = 0
    failure: JobError | None = None


class Engine(Protocol):
    """What does jobs."""

    @property
    def workers(self) -> int:
        """How many jobs are done at a time."""
        ...

    @property
    def done(self) -> int:
        """How many records of the jobs at hand are done, as far as is known."""
        ...

    def run(self, jobs: Sequence[Job]) -> Iterator[Outcome | None]:
        """Do jobs; each time one is done it is told, and now and then nothing, so that progress can be shown."""
        ...

    def close(self) -> None:
        """Let go of what it holds."""
        ...


class LocalEngine:
    """Processes of this machine, each watched by a thread of this one."""

    def __init__(self, limits: Limits, workers: int = 0) -> None:
        """Take what a record may use, and the number of processes; by default as many as there are processors."""
        self.workers = workers or count_processors()
        self._limits = limits
        self._stop = Event()
        self._jobs: SimpleQueue[tuple[int, Job] | None] = SimpleQueue()
        self._outcomes: SimpleQueue[Outcome | BaseException] = SimpleQueue()
        self._workers: list[Worker] = []
        # The threads live as long as the processes: the system ends a process when the thread that began it ends.
        self._threads: list[Thread] = []

    @property
    def done(self) -> int:
        """How many records of the jobs at hand are done."""
        return sum(worker.done for worker in self._workers)

    def run(self, jobs: Sequence[Job]) -> Iterator[Outcome | None]:
        """Do jobs in their order, as many at a time as there are processes; no more are begun than there are jobs."""
        while len(self._threads) < min(self.workers, len(jobs)):
            self._begin_worker()
        for number, job in enumerate(jobs):
            self._jobs.put((number, job))
        left = len(jobs)
        while left:
            try:
                outcome = self._outcomes.get(timeout=TELL_SECONDS)
            except Empty:
                yield None
                continue
            if isinstance(outcome, BaseException):
                raise outcome
            left -= 1
            yield outcome

    def close(self) -> None:
        """End the processes."""
        self._stop.set()
        for _ in self._threads:
            self._jobs.put(None)
        for thread in self._threads:
            thread.join()

    def _begin_worker(self) -> None:
        worker = Worker(self._limits, stop=self._stop)
        thread = Thread(target=self._serve, args=(worker,), daemon=True)
        self._workers.append(worker)
        self._threads.append(thread)
        thread.start()

    def _serve(self, worker: Worker) -> None:
        """Let a worker do jobs until there are no more."""
        try:
            while (item := self._jobs.get()) is not None and not self._stop.is_set():
                self._outcomes.put(_attempt(worker, *item))
        except StoppedError:
            pass
        except BaseException as error:  # told to the thread that waits for outcomes, which would else wait for ever
            self._outcomes.put(error)
        finally:
            worker.close()


def count_processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _attempt(worker: Worker, number: int, job: Job) -> Outcome:
    try:
        return Outcome(number, worker.do(job))
    except JobError as failure:
        return Outcome(number, failure=failure)


class RayEngine:
    """Tasks of a Ray cluster: each is a job, watched where it runs, and begun again where that is lost."""

    def __init__(self, limits: Limits, address: str = "", workers: int = 0) -> None:
        """Take what a record may use, and the address of a cluster; without one, Ray starts here with some workers."""
        require("ray", "ray", "--engine ray")
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nobody is told that it runs
        self._ray = import_module("ray")
        here = {"include_dashboard": False, "num_cpus": workers or None}
        options: dict[str, Any] = {"address": address} if address else here
        try:
            self._ray.init(logging_level="warning", log_to_driver=False, **options)
        except (ConnectionError, RuntimeError, TimeoutError) as error:
            first = str(error).strip().partition("\n")[0]
            raise ValueError(f"Ray does not start here or answer at {address or 'this machine'}: {first}") from None
        self.workers = int(self._ray.cluster_resources().get("CPU", 1))
        self.done = 0  # what runs elsewhere tells when it is finished, not before
        self._settings = (limits.seconds, limits.memory, str(Path.cwd()))
        task = self._ray.remote(do_here)
        self._task = task.options(num_cpus=1, max_retries=MOST_RETRIES, retry_exceptions=False)

    def run(self, jobs: Sequence[Job]) -> Iterator[Outcome | None]:
        """Do jobs; no more are handed out than keep the cluster busy."""
        waiting = iter(enumerate(jobs))
        running: dict[Any, int] = {}
        while True:
            for number, job in islice(waiting, AHEAD * self.workers - len(running)):
                running[self._task.remote(dict(job), *self._settings)] = number
            if not running:
                return
            finished, _ = self._ray.wait(list(running), timeout=TELL_SECONDS)
            if not finished:
                yield None
            for reference in finished:
                yield self._read_outcome(running.pop(reference), reference)

    def _read_outcome(self, number: int, reference: Any) -> Outcome:
        try:
            told = self._ray.get(reference)
        except self._ray.exceptions.RayError as error:  # all retries were lost
            told = UNREAD, f"Ray: {str(error).partition(chr(10))[0]}"
        return Outcome(number, told) if isinstance(told, int) else Outcome(number, failure=JobError(*told))

    def close(self) -> None:
        """Leave the cluster."""
        self._ray.shutdown()


def do_here(job: Job, seconds: float, memory: int, folder: str) -> int | tuple[str, str]:
    """Do a job on the machine where this is called; its records, or the kind of failure and its reason."""
    try:
        return _worker_here(seconds, memory, folder).do(job)
    except JobError as failure:
        return failure.kind, str(failure)


@cache
def _worker_here(seconds: float, memory: int, folder: str) -> Worker:
    """The worker of this process: Ray's processes do one task after the other, and a child takes time to load."""
    return Worker(Limits(seconds, memory), folder)
