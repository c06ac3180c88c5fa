"""Run a function over many items in several processes, and return the results in their order."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future
    from multiprocessing.connection import Connection

Item = TypeVar("Item")
Result = TypeVar("Result")

_DIED = "a worker process ended before this page was done; memory may have run out"
_NEVER_WORKED = (
    'no worker process has done any work: a script needs `if __name__ == "__main__":` around its own '
    "work, or memory has run out"
)
IN_TASK = 8  # items that a worker gets at a time
_AHEAD = 3  # tasks for each worker that run or wait
_HOPELESS = 2  # items lost before any worker has done any work: none ever will


def map_ordered(
    function: Callable[[Item], Result], items: Iterable[Item], workers: int, in_task: int = IN_TASK
) -> Iterator[Result | RuntimeError]:
    """Yield the results of a function that raises nothing; items are read as far ahead as workers need.

    A result is yielded when it is there, but not while the next items are awaited. The result of
    an item whose worker died twice is a PageLostError; other workers take its place. One worker is
    this process. If the items end in an exception, it is raised after their results.
    """
    if workers == 1:
        yield from map(function, items)
        return
    problems: list[Exception] = []
    source = until_problem(items, problems)
    waiting: deque[PoolTask[Item, Result]] = deque()
    with OrderedPool(function, workers) as pool:
        while task := list(islice(source, in_task)):
            waiting.append(pool.submit(task))
            while waiting and (len(waiting) >= pool.window or waiting[0].future.done()):
                yield from waiting.popleft().take()
        while waiting:
            yield from waiting.popleft().take()
    if problems:
        raise problems[0]


def until_problem(items: Iterable[Item], problems: list[Exception]) -> Iterator[Item]:
    """Yield items; an exception that they raise ends them and is kept for later."""
    try:
        yield from items
    except Exception as problem:
        problems.append(problem)


class PageLostError(RuntimeError):
    """The worker that had an item ended, and so did the one that had it next."""

    def __init__(self, problem: str, item: object) -> None:
        super().__init__(problem)
        self.item = item


class PoolTask(Generic[Item, Result]):
    """Items that a worker has."""

    def __init__(
        self, pool: "OrderedPool[Item, Result]", items: list[Item], future: "Future[Any]"
    ) -> None:
        self._pool, self._items, self.future = pool, items, future
        future.add_done_callback(self._note)

    def _note(self, future: "Future[Any]") -> None:
        if not future.cancelled() and future.exception() is None:
            self._pool.has_worked = True

    def take(self) -> "list[Result | RuntimeError]":
        """Wait for the results. If a worker died, each item is tried once more.

        When one worker dies, the others are stopped too, and nobody knows whose item it was.
        """
        try:
            return self._wait()
        except PageLostError:
            return [self._pool.try_again(item) for item in self._items]

    def _wait(self) -> "list[Result | RuntimeError]":
        from concurrent.futures import BrokenExecutor

        try:
            results: list[Result | RuntimeError] = self.future.result()
        except BrokenExecutor:
            problem = _DIED if self._pool.has_worked else _NEVER_WORKED
            raise PageLostError(problem, self._items[0]) from None
        return results


class OrderedPool(Generic[Item, Result]):
    """Workers, and others in their place if they die."""

    def __init__(self, function: Callable[[Item], Result], workers: int) -> None:
        self._function = function
        self.window = workers * _AHEAD
        self.has_worked = False
        is_thread = workers == 1
        self._run = _run if is_thread else _run_and_send
        self._crew = _Crew(workers, is_thread=is_thread)
        self._careful = _Crew(1, is_thread=is_thread)  # for items whose worker died
        self._losses = 0  # of items whose second worker died too

    def __enter__(self) -> "OrderedPool[Item, Result]":
        return self

    def __exit__(self, *_: object) -> None:
        self._crew.end()
        self._careful.end()

    def submit(self, items: list[Item]) -> PoolTask[Item, Result]:
        """Give items to a worker."""
        return self._give(self._crew, items)

    def _give(self, crew: "_Crew", items: list[Item]) -> PoolTask[Item, Result]:
        return PoolTask(self, items, crew.send(self._run, self._function, items))

    def try_again(self, item: Item) -> "Result | RuntimeError":
        """Give an item whose worker died to one that has no other, so that nobody dies with it."""
        if self._losses >= _HOPELESS and not self.has_worked:
            return PageLostError(_NEVER_WORKED, item)
        try:
            return self._give(self._careful, [item])._wait()[0]
        except PageLostError as problem:
            self._losses += 1
            return problem


class _Crew:
    """Workers that start when there is work, and others in their place if they die."""

    def __init__(self, number: int, *, is_thread: bool) -> None:
        self._number, self._is_thread = number, is_thread
        self._executor: Executor | None = None
        self._lifeline: Connection | None = None  # workers look whether it was closed

    def send(self, *work: Any) -> "Future[Any]":
        """Give a function and what it takes to a worker."""
        from concurrent.futures import BrokenExecutor

        with _held_back():
            try:
                return self._start().submit(*work)
            except BrokenExecutor:  # one was killed, perhaps while it had nothing to do
                self.end(wait=False)
                return self._start().submit(*work)

    def end(self, *, wait: bool = True) -> None:
        """End the workers, each after its task, and wait for them.

        Python may print a traceback if it ends while they do.
        """
        if self._lifeline is not None:
            self._lifeline.close()
        if self._executor is not None:
            self._executor.shutdown(wait=wait and not self._is_thread, cancel_futures=True)
        self._executor = None

    def _start(self) -> "Executor":
        if self._executor is None:
            self._executor = self._make()
        return self._executor

    def _make(self) -> "Executor":
        # Imported here: one worker, which most have, needs neither.
        import multiprocessing
        from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

        if self._is_thread:
            return ThreadPoolExecutor(1, thread_name_prefix="bodytext")
        # A fork of a process with threads may hang.
        methods = multiprocessing.get_all_start_methods()
        method = "forkserver" if "forkserver" in methods else "spawn"
        context = multiprocessing.get_context(method)
        end, self._lifeline = context.Pipe(duplex=False)
        return ProcessPoolExecutor(self._number, context, initializer=_begin, initargs=(end,))


@contextmanager
def _held_back() -> Iterator[None]:
    """Hold Ctrl-C back while processes may be started. They inherit this, and leave it to their parent."""
    import signal

    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


_lifelines: "list[Connection]" = []  # of a worker process: one


def _begin(lifeline: "Connection") -> None:
    """Make a worker process end with its parent, and leave Ctrl-C to it, which cancels the work."""
    import signal

    _lifelines.append(lifeline)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()


def end_with_parent() -> None:
    """Make a worker process end with its parent, however that ends."""
    import threading

    threading.Thread(target=_wait_for_parent, daemon=True, name="bodytext-parent").start()


def _wait_for_parent() -> None:
    import os
    from multiprocessing import parent_process

    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _run(function: Callable[[Item], Result], items: list[Item]) -> list[Result]:
    return [function(item) for item in items]


def _run_and_send(
    function: Callable[[Item], Result], items: list[Item]
) -> list[Result | RuntimeError]:
    if any(lifeline.poll() for lifeline in _lifelines):  # it was closed: the work is cancelled
        return []
    return [_as_sent(function(item)) for item in items]


def _as_sent(result: Result) -> Result | RuntimeError:
    """Return a result that another process can read; an exception of somebody's own may be none."""
    if isinstance(result, Exception):
        import pickle

        try:
            pickle.loads(pickle.dumps(result))  # noqa: S301 - our own
        except Exception:
            return RuntimeError(f"{_describe(result)}; it could not be sent")
    return result


def _describe(error: Exception) -> str:
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:  # its own text may fail, too
        return type(error).__name__
