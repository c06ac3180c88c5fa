"""Extract many pages, in this process or in several, in their order."""

import asyncio
import multiprocessing
from collections import deque
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from typing import Any

from bodytext.document import Document
from bodytext.extraction import extract
from bodytext.page.markup import Markup, read_markup
from bodytext.sources.record import Record

Outcome = Document | Exception
_Input = Markup | Record | Exception  # the last: not a page

_IN_TASK = 8  # pages that a worker gets at a time
_AHEAD = 3  # tasks for each worker that run or wait


def extract_many(
    pages: Iterable[Any], *, workers: int = 1, **options: Any
) -> Iterator[Document | Exception]:
    """Extract many pages, in their order.

    Arguments:
        pages: pages as `extract` takes them; they are read only as fast as documents are taken.
        workers: processes that work at a time; 1 is this process. A script that asks for more needs
            `if __name__ == "__main__":` around its own work, as `multiprocessing` says.
        options: those of `extract`.

    Returns:
        An iterator with a `Document` for each page, or the exception that it raised: one bad page
        ends nothing.

    Raises:
        ValueError: an option has no meaning; at once, not with the first page.

    Example:
        >>> for result in extract_many([b"<p>Ships call at night.", None]):
        ...     print(type(result).__name__)
        Document
        TypeError
    """
    _check(workers, options)
    if workers == 1:
        return (_extract_one(page, options) for page in map(_read, pages))
    return _extract_in_processes(pages, workers, options)


async def extract_async(html: Any, **options: Any) -> Document:
    """Extract a page in a thread, so that an event loop goes on meanwhile.

    Arguments:
        html: the page, as `extract` takes it.
        options: those of `extract`.

    Returns:
        A `Document`.

    Example:
        >>> import asyncio
        >>> print(asyncio.run(extract_async("<p>Ships call at night.")))
        Ships call at night.
    """
    return await asyncio.to_thread(extract, html, **options)


async def extract_many_async(
    pages: Iterable[Any] | AsyncIterable[Any], *, workers: int = 1, **options: Any
) -> AsyncIterator[Document | Exception]:
    """Extract many pages, in their order, while an event loop goes on.

    Arguments:
        pages: pages as `extract` takes them, from a loop or an asynchronous one.
        workers: processes that work at a time; with 1 it is a thread of this process.
        options: those of `extract`.

    Returns:
        An asynchronous iterator with a `Document` or an exception for each page.

    Example:
        >>> import asyncio
        >>> async def main():
        ...     async for document in extract_many_async(["<p>Ships call at night."]):
        ...         print(document)
        >>> asyncio.run(main())
        Ships call at night.
    """
    _check(workers, options)
    pool = _WorkerPool(workers, options)
    waiting: deque[tuple[int, Future[list[Outcome]]]] = deque()
    try:
        async for page in _as_async(pages):
            waiting.append((1, pool.submit([_read(page)])))
            if len(waiting) >= pool.window:
                for outcome in await _wait(pool, *waiting.popleft()):
                    yield outcome
        while waiting:
            for outcome in await _wait(pool, *waiting.popleft()):
                yield outcome
    finally:
        pool.close()


def _check(workers: int, options: dict[str, Any]) -> None:
    if workers < 1:
        raise ValueError(f"workers must be at least 1, not {workers}")
    extract("", **options)  # a wrong option is the caller's mistake, not that of every page


def _read(page: Any) -> _Input:
    """Return a page that can go to another process, or the error."""
    if isinstance(page, Record):
        return page
    try:
        return read_markup(page)
    except TypeError as error:
        return error


def _extract_one(page: _Input, options: dict[str, Any]) -> Outcome:
    if isinstance(page, Exception):
        return page
    try:
        return extract(page, **options)
    except Exception as error:  # whatever it is, the other pages go on
        return error


def _extract_task(pages: list[_Input], options: dict[str, Any]) -> list[Outcome]:
    return [_extract_one(page, options) for page in pages]


def _extract_in_processes(
    pages: Iterable[Any], workers: int, options: dict[str, Any]
) -> Iterator[Outcome]:
    inputs = map(_read, pages)
    waiting: deque[tuple[int, Future[list[Outcome]]]] = deque()
    pool = _WorkerPool(workers, options)
    try:
        while task := list(islice(inputs, _IN_TASK)):
            waiting.append((len(task), pool.submit(task)))
            if len(waiting) >= pool.window:
                yield from pool.take(*waiting.popleft())
        while waiting:
            yield from pool.take(*waiting.popleft())
    finally:
        pool.close()


class _WorkerPool:
    """Workers, and others in their place if they die."""

    def __init__(self, workers: int, options: dict[str, Any]) -> None:
        self._workers, self._options = workers, options
        self.window = workers * _AHEAD
        self._executor = self._start()

    def _start(self) -> Executor:
        if self._workers == 1:
            return ThreadPoolExecutor(1, thread_name_prefix="bodytext")
        # A fork of a process with threads may hang.
        methods = multiprocessing.get_all_start_methods()
        method = "forkserver" if "forkserver" in methods else "spawn"
        return ProcessPoolExecutor(self._workers, multiprocessing.get_context(method))

    def submit(self, pages: list[_Input]) -> Future[list[Outcome]]:
        try:
            return self._executor.submit(_extract_task, pages, self._options)
        except BrokenProcessPool:
            self.close()
            self._executor = self._start()
            return self._executor.submit(_extract_task, pages, self._options)

    def take(self, count: int, future: Future[list[Outcome]]) -> list[Outcome]:
        """Return the outcomes of a task; errors for all its pages if its worker died."""
        try:
            return future.result()
        except BrokenProcessPool:
            problem = "a worker process ended before this page was done; memory may have run out"
            return [RuntimeError(problem) for _ in range(count)]

    def close(self) -> None:
        self._executor.shutdown(wait=False, cancel_futures=True)


async def _wait(pool: _WorkerPool, count: int, future: Future[list[Outcome]]) -> list[Outcome]:
    await asyncio.wait([asyncio.wrap_future(future)])
    return pool.take(count, future)


async def _as_async(pages: Iterable[Any] | AsyncIterable[Any]) -> AsyncIterator[Any]:
    if isinstance(pages, AsyncIterable):
        async for page in pages:
            yield page
    else:
        for page in pages:
            yield page
