"""Extract many pages, in this process or in several, in their order."""

import asyncio
from collections import deque
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from functools import partial
from typing import Any

from bodytext.batch.ordered import OrderedPool, PoolTask, map_ordered, until_problem
from bodytext.document import Document
from bodytext.extraction import extract
from bodytext.methods import DEFAULT, as_method
from bodytext.page.markup import PAGES, Markup, read_markup
from bodytext.sources.record import Record

Outcome = Document | Exception
_Input = Markup | Record | Exception  # the last: not a page


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
        TypeError: `pages` is a single page.

    Example:
        >>> for result in extract_many([b"<p>Ships call at night.", None]):
        ...     print(type(result).__name__)
        Document
        TypeError
    """
    _check(pages, workers, options)
    return map_ordered(partial(_extract_one, options=options), map(_read, pages), workers)


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
    _check(pages, workers, options)
    waiting: deque[PoolTask[_Input, Outcome]] = deque()
    with OrderedPool(partial(_extract_one, options=options), workers) as pool:
        problems: list[Exception] = []
        async for page in _until_problem(pages, problems):
            waiting.append(pool.submit([_read(page)]))
            if len(waiting) >= pool.window:
                for outcome in await _wait(waiting.popleft()):
                    yield outcome
        while waiting:
            for outcome in await _wait(waiting.popleft()):
                yield outcome
        if problems:
            raise problems[0]


def _check(pages: Any, workers: int, options: dict[str, Any]) -> None:
    if isinstance(pages, PAGES):
        raise TypeError("this is one page: pass a list of pages, or call extract")
    if workers < 1:
        raise ValueError(f"workers must be at least 1, not {workers}")
    method = options.get("method", DEFAULT)
    if not isinstance(method, str):  # what a method of the caller's own raises is a page's error
        as_method(method)
        options = options | {"method": DEFAULT}
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


async def _wait(task: PoolTask[_Input, Outcome]) -> list[Outcome]:
    await asyncio.wait([asyncio.wrap_future(task.future)])
    return await asyncio.to_thread(task.take)  # a page whose worker died is tried again


async def _until_problem(
    pages: Iterable[Any] | AsyncIterable[Any], problems: list[Exception]
) -> AsyncIterator[Any]:
    """Yield pages; an exception that their source raises ends them and is kept for later."""
    if not isinstance(pages, AsyncIterable):
        for page in until_problem(pages, problems):
            yield page
        return
    try:
        async for page in pages:
            yield page
    except Exception as problem:
        problems.append(problem)
