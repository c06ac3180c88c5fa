"""Do jobs in any order: in processes of this machine, or on the machines of a Ray cluster."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from itertools import islice
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import Any

from bodytext.corpus.run.job_worker import JobError, JobWorker
from bodytext.corpus.run.jobs import UNREAD
from bodytext.corpus.workers.worker import WorkerLimits, WorkerStoppedError
from bodytext.sources.storage import require

Job = Mapping[str, Any]
WAIT_SECONDS = 0.25  # between two results at most, so that progress can be shown
MOST_RETRIES = 100  # of a task that lost its machine or process
AHEAD = 2  # tasks for each processor of a cluster: one that runs, one that waits


@dataclass(frozen=True, slots=True)
class JobResult:
    """The number of a job in its list, and of its records; or why it failed."""

    number: int
    records: int = 0
    failure: JobError | None = None


class LocalEngine:
    """Processes of this machine, each watched by a thread of this process."""

    def __init__(self, limits: WorkerLimits, workers: int = 0) -> None:
        """Take the limits of a record, and the number of processes; 0 is one for each processor."""
        self.workers = workers or count_processors()
        self._limits = limits
        self._stop = Event()
        self._jobs: SimpleQueue[tuple[int, Job] | None] = SimpleQueue()
        self._results: SimpleQueue[JobResult | BaseException] = SimpleQueue()
        self._workers: list[JobWorker] = []
        # The threads live as long as the processes: the system ends a process when the thread that
        # started it ends.
        self._threads: list[Thread] = []

    @property
    def done(self) -> int:
        """How many records of the current jobs are done."""
        return sum(worker.done for worker in self._workers)

    def run(self, jobs: Sequence[Job]) -> Iterator[JobResult | None]:
        """Do jobs in order, and yield their results; now and then None, to show the progress."""
        while len(self._threads) < min(self.workers, len(jobs)):
            self._start_worker()
        for number, job in enumerate(jobs):
            self._jobs.put((number, job))
        left = len(jobs)
        while left:
            try:
                result = self._results.get(timeout=WAIT_SECONDS)
            except Empty:
                yield None
                continue
            if isinstance(result, BaseException):
                raise result
            left -= 1
            yield result

    def close(self) -> None:
        """End the processes."""
        self._stop.set()
        for _ in self._threads:
            self._jobs.put(None)
        for thread in self._threads:
            thread.join()

    def _start_worker(self) -> None:
        worker = JobWorker(self._limits, stop=self._stop)
        thread = Thread(target=self._serve, args=(worker,), daemon=True)
        self._workers.append(worker)
        self._threads.append(thread)
        thread.start()

    def _serve(self, worker: JobWorker) -> None:
        """Let a worker do jobs until there are none."""
        try:
            while (item := self._jobs.get()) is not None and not self._stop.is_set():
                self._results.put(_attempt(worker, *item))
        except WorkerStoppedError:
            pass
        except BaseException as error:  # or the thread that waits for results would wait forever
            self._results.put(error)
        finally:
            worker.close()


def count_processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _attempt(worker: JobWorker, number: int, job: Job) -> JobResult:
    try:
        return JobResult(number, worker.do(job))
    except JobError as failure:
        return JobResult(number, failure=failure)


class RayEngine:
    """Tasks of a Ray cluster: each is a job, and starts again if its machine is lost."""

    def __init__(self, limits: WorkerLimits, address: str = "", workers: int = 0) -> None:
        """Take the limits of a record, and the address of a cluster; without one, Ray starts here."""
        require("ray", extra="ray", purpose="--engine ray")
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # send no statistics
        self._ray = import_module("ray")
        here = {"include_dashboard": False, "num_cpus": workers or None}
        options: dict[str, Any] = {"address": address} if address else here
        try:
            self._ray.init(logging_level="warning", log_to_driver=False, **options)
        except (ConnectionError, RuntimeError, TimeoutError) as error:
            first = str(error).strip().partition("\n")[0]
            raise ValueError(
                f"Ray does not start here or answer at {address or 'this machine'}: {first}"
            ) from None
        self.workers = int(self._ray.cluster_resources().get("CPU", 1))
        self.done = 0  # a task reports its records when it is finished, not before
        self._settings = (limits, str(Path.cwd()))
        task = self._ray.remote(do_here)
        self._task = task.options(num_cpus=1, max_retries=MOST_RETRIES, retry_exceptions=False)

    def run(self, jobs: Sequence[Job]) -> Iterator[JobResult | None]:
        """Do jobs. No more are handed out at a time than keep the cluster busy."""
        waiting = iter(enumerate(jobs))
        running: dict[Any, int] = {}
        while True:
            for number, job in islice(waiting, AHEAD * self.workers - len(running)):
                running[self._task.remote(dict(job), *self._settings)] = number
            if not running:
                return
            finished, _ = self._ray.wait(list(running), timeout=WAIT_SECONDS)
            if not finished:
                yield None
            for reference in finished:
                yield self._read_result(running.pop(reference), reference)

    def _read_result(self, number: int, reference: Any) -> JobResult:
        try:
            answer = self._ray.get(reference)
        except self._ray.exceptions.RayError as error:  # all retries were lost
            answer = UNREAD, f"Ray: {str(error).partition(chr(10))[0]}"
        if isinstance(answer, int):
            return JobResult(number, answer)
        return JobResult(number, failure=JobError(*answer))

    def close(self) -> None:
        """Leave the cluster."""
        self._ray.shutdown()


Engine = LocalEngine | RayEngine


def do_here(job: Job, limits: WorkerLimits, folder: str) -> int | tuple[str, str]:
    """Do a job on this machine; return the number of its records, or why it failed."""
    try:
        return _worker_here(limits, folder).do(job)
    except JobError as failure:
        return failure.kind, str(failure)


@cache
def _worker_here(limits: WorkerLimits, folder: str) -> JobWorker:
    """The worker of this process: Ray's processes do many tasks, and a child starts slowly."""
    return JobWorker(limits, folder)
