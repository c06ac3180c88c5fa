"""Hand pages to whichever worker is free, and replace the processes of workers in the background."""

import asyncio
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

from bodytext.corpus.workers.messages import WorkerMessage
from bodytext.corpus.workers.worker import (
    Worker,
    WorkerDiedError,
    WorkerLimits,
    WorkerProgram,
)
from bodytext.studio.service.service_limits import ServiceLimits

PROGRAM = "bodytext.studio.service.page_extraction:prepare"
PAUSE_SECONDS = 1.0  # before another attempt to start a worker
ATTEMPTS = 2  # at a page whose worker died: the first may have been killed from outside

_Result = TypeVar("_Result")


class NoFreeWorkerError(Exception):
    """No worker became free in time."""


class WorkerPool:
    """Some workers. `count` hears why one is replaced: "slow", "died", "grown" or "failed"."""

    def __init__(
        self, size: int, model: str, limits: ServiceLimits, count: Callable[[str], None]
    ) -> None:
        if sys.platform == "win32":  # nothing limits the memory of a process there
            raise ValueError(
                "the service runs on Linux and macOS; on Windows use WSL or a container"
            )
        self.size = size
        self.limits = limits
        self._count = count
        self._stopping = threading.Event()
        program = WorkerProgram(PROGRAM, {"model": model, "page_bytes": limits.page_bytes})
        worker_limits = WorkerLimits(
            limits.seconds, limits.worker_bytes, keeps_bytes=limits.worker_keeps_bytes
        )
        self._workers = [Worker(program, worker_limits, note=self._note) for _ in range(size)]
        self._idle: asyncio.Queue[Worker] = asyncio.Queue()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._starting: set[asyncio.Task[None]] = set()
        # A worker is asked or started by one thread at a time.
        self._threads = ThreadPoolExecutor(size, "bodytext-worker")

    @property
    def pids(self) -> list[int]:
        """The numbers of the processes."""
        return [worker.pid for worker in self._workers if worker.alive]

    @property
    def idle(self) -> int:
        """The number of workers that wait for a page."""
        return self._idle.qsize()

    @property
    def starting(self) -> int:
        """The number of workers whose processes are being replaced."""
        return len(self._starting)

    async def start(self) -> None:
        """Start all workers; a WorkerDiedError if they do not start."""
        self._loop = asyncio.get_running_loop()
        await asyncio.gather(
            *(self._run(partial(worker.start, self._stopping)) for worker in self._workers)
        )
        for worker in self._workers:
            self._idle.put_nowait(worker)

    async def stop(self) -> None:
        """End all workers."""
        for task in self._starting:
            task.cancel()
        self._stopping.set()
        await asyncio.to_thread(self._threads.shutdown, cancel_futures=True)
        for worker in self._workers:
            worker.close()

    async def ask(self, message: WorkerMessage) -> WorkerMessage:
        """Return a worker's answer to a message. A page whose process dies gets a second one."""
        worker = await self._take()
        asked = self._run(partial(worker.ask, message, attempts=ATTEMPTS, stop=self._stopping))
        # Not when this coroutine ends, which may be cancelled: the worker is busy until then.
        asked.add_done_callback(lambda _: self._give_back(worker))
        return await asyncio.shield(asked)

    def _note(self, why: str) -> None:
        """Count a replaced process. A thread of a worker calls this."""
        if self._loop is not None and not self._stopping.is_set():
            self._loop.call_soon_threadsafe(self._count, why)

    def _run(self, work: Callable[[], _Result]) -> "asyncio.Future[_Result]":
        return asyncio.get_running_loop().run_in_executor(self._threads, work)

    async def _take(self) -> Worker:
        try:
            async with asyncio.timeout(self.limits.waiting_seconds):
                while not (worker := await self._idle.get()).alive:
                    self._give_back(worker)
        except TimeoutError:
            raise NoFreeWorkerError from None
        return worker

    def _give_back(self, worker: Worker) -> None:
        if worker.alive:
            self._idle.put_nowait(worker)
            return
        task = asyncio.create_task(self._start_again(worker))
        self._starting.add(task)
        task.add_done_callback(self._starting.discard)

    async def _start_again(self, worker: Worker) -> None:
        while True:
            try:
                await self._run(partial(worker.start, self._stopping))
            except WorkerDiedError:
                await asyncio.sleep(PAUSE_SECONDS)
            else:
                self._idle.put_nowait(worker)
                return
