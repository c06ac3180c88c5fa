"""Workers: frames in, answers out, from processes that are ended when they take too long and replaced when they die."""

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass

from bodytext.studio.service.frames import SIZES, Frame
from bodytext.studio.service.limits import MIB, Limits
from bodytext.studio.service.worker import Settings

# -P: what lies in the folder where the service was started is not for us to import.
PROGRAM = ("-P", "-m", "bodytext.studio.service.worker")
START_SECONDS = 60.0  # a worker imports numpy and reads weights; half a second on a quiet machine
PAUSE_SECONDS = 1.0  # before a worker that did not start is tried again
ATTEMPTS = 2  # at a page whose worker died: it may have been killed from outside, once
_BUFFER = MIB  # of what is read from a worker at a time


class TooSlowError(Exception):
    """A page that took longer than the limit; its worker was ended."""


class NoWorkerError(Exception):
    """No worker became free in time."""


class DiedError(Exception):
    """The workers that were given the page died."""


class NotTakenError(Exception):
    """The worker died before it had the page, so the page is not to blame."""


@dataclass(slots=True, eq=False)
class Worker:
    """A process that is ready for frames."""

    process: asyncio.subprocess.Process

    @property
    def alive(self) -> bool:
        """Whether it has not been seen to end."""
        return self.process.returncode is None

    async def ask(self, frame: Frame) -> Frame:
        """The answer to a frame; an EOFError or OSError where the worker dies over it."""
        assert self.process.stdin  # noqa: S101 - it was started with pipes
        try:
            self.process.stdin.write(frame.pack_head())
            self.process.stdin.write(frame.body)
            await self.process.stdin.drain()
            await self.read()  # it says that it has it
        except TimeoutError:
            raise
        except (EOFError, OSError):
            raise NotTakenError from None
        return await self.read()

    async def read(self) -> Frame:
        """The next frame that it sends."""
        assert self.process.stdout  # noqa: S101
        head_size, body_size = SIZES.unpack(await self.process.stdout.readexactly(SIZES.size))
        head = json.loads(await self.process.stdout.readexactly(head_size))
        return Frame(head, await self.process.stdout.readexactly(body_size))

    async def end(self) -> None:
        """Kill it, and wait until it is gone."""
        if self.alive:
            with contextlib.suppress(ProcessLookupError):
                # Not process.kill(): where the worker has just died, that would take its status from who waits for it.
                os.kill(self.process.pid, signal.SIGKILL)
        if self.process.stdin:
            self.process.stdin.close()
        await self.process.wait()


class Workers:
    """A number of workers. `count` is told of what happens to them: "slow", "died", "grown", "failed"."""

    def __init__(self, size: int, model: str, limits: Limits, count: Callable[[str], None]) -> None:
        self.size = size
        self.limits = limits
        self.all: set[Worker] = set()
        self._settings = Settings(model, limits.page_bytes, limits.worker_bytes)
        self._count = count
        self._idle: asyncio.Queue[Worker] = asyncio.Queue()
        self._starting: set[asyncio.Task[None]] = set()

    @property
    def idle(self) -> int:
        """How many wait for a page."""
        return self._idle.qsize()

    @property
    def starting(self) -> int:
        """How many are being started in place of others."""
        return len(self._starting)

    async def start(self) -> None:
        """Start all; an OSError or EOFError where they do not."""
        for worker in await asyncio.gather(*(self._start_one() for _ in range(self.size))):
            self._idle.put_nowait(worker)

    async def stop(self) -> None:
        """End all."""
        for task in self._starting:
            task.cancel()
        await asyncio.gather(*self._starting, return_exceptions=True)
        await asyncio.gather(*(worker.end() for worker in self.all))
        self.all.clear()

    async def ask(self, frame: Frame) -> Frame:
        """The answer of a worker to a frame. A page whose worker dies is tried once more."""
        deaths = 0
        for _ in range(ATTEMPTS + self.size):  # all may be found dead, and then the page has not been tried
            worker = await self._take()
            try:
                return await self._ask_one(worker, frame)
            except NotTakenError:
                self._count("died")
            except (EOFError, OSError):
                self._count("died")
                deaths += 1
            if deaths == ATTEMPTS:
                break
        raise DiedError

    async def _take(self) -> Worker:
        try:
            async with asyncio.timeout(self.limits.waiting_seconds):
                while not (worker := await self._idle.get()).alive:
                    self._count("died")
                    self._replace(worker)
        except TimeoutError:
            raise NoWorkerError from None
        return worker

    async def _ask_one(self, worker: Worker, frame: Frame) -> Frame:
        """Ask a worker that is ours now, and give it back or replace it, whatever happens."""
        fine = False
        try:
            async with asyncio.timeout(self.limits.seconds):
                answer = await worker.ask(frame)
            fine = not answer.head["replace"] and answer.head["peak_bytes"] <= self.limits.worker_keeps_bytes
            if not fine:
                self._count("grown")
        except TimeoutError:
            self._count("slow")
            raise TooSlowError from None
        finally:
            if fine:
                self._idle.put_nowait(worker)
            else:
                self._replace(worker)
        return answer

    def _replace(self, worker: Worker) -> None:
        task = asyncio.create_task(self._start_instead(worker))
        self._starting.add(task)
        task.add_done_callback(self._starting.discard)

    async def _start_instead(self, worker: Worker) -> None:
        await worker.end()
        self.all.discard(worker)
        while True:
            try:
                self._idle.put_nowait(await self._start_one())
            except (EOFError, OSError):
                self._count("failed")
                await asyncio.sleep(PAUSE_SECONDS)
            else:
                return

    async def _start_one(self) -> Worker:
        """A worker that has said that it is ready."""
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *PROGRAM,
            *self._settings.to_arguments(),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=_BUFFER,
            env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},  # the workers are what runs side by side
        )
        worker = Worker(process)
        self.all.add(worker)
        try:
            async with asyncio.timeout(START_SECONDS):
                await worker.read()
        except (EOFError, OSError, asyncio.CancelledError):  # a time that is over is an OSError
            self.all.discard(worker)
            await worker.end()
            raise
        return worker
