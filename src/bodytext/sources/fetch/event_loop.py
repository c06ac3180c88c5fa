"""The event loop of all transfers of this process, in a thread of its own."""

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

_Result = TypeVar("_Result")


class _LoopThread(threading.Thread):
    """A thread that runs an event loop for as long as the process lives."""

    def __init__(self) -> None:
        super().__init__(daemon=True, name="bodytext-fetch")
        # libcurl's sockets need a loop with a selector, which is not the default on Windows.
        self.loop = asyncio.SelectorEventLoop()

    def run(self) -> None:
        asyncio.set_event_loop(self.loop)
        self.loop.run_forever()


_lock = threading.Lock()
_thread: _LoopThread | None = None


def find_loop() -> asyncio.AbstractEventLoop:
    """Return the event loop of this process; start it if there is none."""
    global _thread  # noqa: PLW0603 - there is one for all clients
    with _lock:
        if _thread is None or not _thread.is_alive():  # after a fork there is no such thread
            _thread = _LoopThread()
            _thread.start()
        return _thread.loop


def run(coroutine: Coroutine[Any, Any, _Result]) -> _Result:
    """Run a coroutine in the event loop and wait for its result."""
    future = asyncio.run_coroutine_threadsafe(coroutine, find_loop())
    try:
        return future.result()
    finally:
        future.cancel()  # has an effect only if the wait was interrupted
