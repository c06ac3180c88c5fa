"""Run workers, kill those that take too long, and replace those that die."""

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass

from bodytext.studio.service.service_limits import MIB, ServiceLimits
from bodytext.studio.service.worker_messages import SIZES, WorkerMessage
from bodytext.studio.service.worker_process import WorkerOptions

# -P: do not import from the folder where the service was started.
PROGRAM = ("-P", "-m", "bodytext.studio.service.worker_process")
START_SECONDS = 60.0  # a worker imports numpy and reads weights; half a second on an idle machine
PAUSE_SECONDS = 1.0  # before another attempt to start a worker
ATTEMPTS = 2  # at a page whose worker died: the first may have been killed from outside
_BUFFER = MIB  # read from a worker at a time


class PageTooSlowError(Exception):
    """A page took longer than the limit; its worker was killed."""


class NoFreeWorkerError(Exception):
    """No worker became free in time."""


class WorkerDiedError(Exception):
    """All workers that were given the page died."""


class NotTakenError(Exception):
    """The worker died before it had the page, so the page is not to blame."""


@dataclass(slots=True, eq=False)
class ExtractionWorker:
    """A process that is ready for messages."""

    process: asyncio.subprocess.Process

    @property
    def alive(self) -> bool:
        """Whether the process is not known to have ended."""
        return self.process.returncode is None

    async def ask(self, message: WorkerMessage) -> WorkerMessage:
        """Return the answer to a message; an EOFError or OSError if the worker dies over it."""
        assert self.process.stdin  # noqa: S101 - it was started with pipes
        try:
            self.process.stdin.write(message.pack_head())
            self.process.stdin.write(message.body)
            await self.process.stdin.drain()
            await self.read()  # it confirms that it has the message
        except TimeoutError:
            raise
        except (EOFError, OSError):
            raise NotTakenError from None
        return await self.read()

    async def read(self) -> WorkerMessage:
        """Return the next message that the worker sends."""
        assert self.process.stdout  # noqa: S101
        head_size, body_size = SIZES.unpack(await self.process.stdout.readexactly(SIZES.size))
        head = json.loads(await self.process.stdout.readexactly(head_size))
        return WorkerMessage(head, await self.process.stdout.readexactly(body_size))

    async def kill(self) -> None:
        """Kill the process, and wait until it is gone."""
        if self.alive:
            with contextlib.suppress(ProcessLookupError):
                # Not process.kill(): if the worker has just died, it would take the status from
                # whoever waits for it.
                os.kill(self.process.pid, signal.SIGKILL)
        if self.process.stdin:
            self.process.stdin.close()
        await self.process.wait()


class WorkerPool:
    """Some workers. `count` hears why one is replaced: "slow", "died", "grown" or "failed"."""

    def __init__(
        self, size: int, model: str, limits: ServiceLimits, count: Callable[[str], None]
    ) -> None:
        if sys.platform == "win32":  # workers use signals and resource limits of POSIX
            raise ValueError(
                "the service runs on Linux and macOS; on Windows use WSL or a container"
            )
        self.size = size
        self.limits = limits
        self.all: set[ExtractionWorker] = set()
        self._options = WorkerOptions(model, limits.page_bytes, limits.worker_bytes)
        self._count = count
        self._idle: asyncio.Queue[ExtractionWorker] = asyncio.Queue()
        self._starting: set[asyncio.Task[None]] = set()

    @property
    def idle(self) -> int:
        """The number of workers that wait for a page."""
        return self._idle.qsize()

    @property
    def starting(self) -> int:
        """The number of workers that are being started in place of others."""
        return len(self._starting)

    async def start(self) -> None:
        """Start all workers; an OSError or EOFError if they do not start."""
        for worker in await asyncio.gather(*(self._start_one() for _ in range(self.size))):
            self._idle.put_nowait(worker)

    async def stop(self) -> None:
        """Kill all workers."""
        for task in self._starting:
            task.cancel()
        await asyncio.gather(*self._starting, return_exceptions=True)
        await asyncio.gather(*(worker.kill() for worker in self.all))
        self.all.clear()

    async def ask(self, message: WorkerMessage) -> WorkerMessage:
        """Return a worker's answer to a message. A page whose worker dies gets a second worker."""
        deaths = 0
        for _ in range(ATTEMPTS + self.size):  # if all are found dead, the page has not been tried
            worker = await self._take()
            try:
                return await self._ask_one(worker, message)
            except NotTakenError:
                self._count("died")
            except (EOFError, OSError):
                self._count("died")
                deaths += 1
            if deaths == ATTEMPTS:
                break
        raise WorkerDiedError

    async def _take(self) -> ExtractionWorker:
        try:
            async with asyncio.timeout(self.limits.waiting_seconds):
                while not (worker := await self._idle.get()).alive:
                    self._count("died")
                    self._replace(worker)
        except TimeoutError:
            raise NoFreeWorkerError from None
        return worker

    async def _ask_one(self, worker: ExtractionWorker, message: WorkerMessage) -> WorkerMessage:
        """Ask a worker that was taken from the pool, and return it to the pool or replace it."""
        keep = False
        try:
            async with asyncio.timeout(self.limits.seconds):
                answer = await worker.ask(message)
            small = answer.head["peak_bytes"] <= self.limits.worker_keeps_bytes
            keep = small and not answer.head["replace"]
            if not keep:
                self._count("grown")
        except TimeoutError:
            self._count("slow")
            raise PageTooSlowError from None
        finally:
            if keep:
                self._idle.put_nowait(worker)
            else:
                self._replace(worker)
        return answer

    def _replace(self, worker: ExtractionWorker) -> None:
        task = asyncio.create_task(self._start_instead(worker))
        self._starting.add(task)
        task.add_done_callback(self._starting.discard)

    async def _start_instead(self, worker: ExtractionWorker) -> None:
        await worker.kill()
        self.all.discard(worker)
        while True:
            try:
                self._idle.put_nowait(await self._start_one())
            except (EOFError, OSError):
                self._count("failed")
                await asyncio.sleep(PAUSE_SECONDS)
            else:
                return

    async def _start_one(self) -> ExtractionWorker:
        """Start a worker, and wait until it is ready."""
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *PROGRAM,
            *self._options.to_arguments(),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=_BUFFER,
            env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},  # the workers run in parallel already
        )
        worker = ExtractionWorker(process)
        self.all.add(worker)
        try:
            async with asyncio.timeout(START_SECONDS):
                await worker.read()
        except (EOFError, OSError, asyncio.CancelledError):  # a TimeoutError is an OSError
            self.all.discard(worker)
            await worker.kill()
            raise
        return worker
