"""ConcurrentListings: read several listings at a time, each in a thread and not far ahead."""

import queue
import threading
from collections.abc import Callable, Iterator, Sequence

from bodytext.sources.politeness.fetcher import PageRequest

_THREADS = 16  # listings that are read at a time
_MOST_WAITING = 100  # requests of a listing; some come with their page
_STOP_CHECK_S = 0.5  # how often a thread checks whether it should stop

_Item = PageRequest | BaseException | None  # None: a listing ends here
_RequestQueue = queue.Queue[_Item]


class ConcurrentListings:
    """The requests of many listings.

    If they are ordered, each listing has a queue, and the queues are emptied one by one; else all
    share one queue.
    """

    def __init__(
        self, sources: Sequence[str], find: Callable[[str], Iterator[PageRequest]], *, ordered: bool
    ) -> None:
        shared: _RequestQueue = queue.Queue(_MOST_WAITING)
        self._queues: list[_RequestQueue] = [
            queue.Queue(_MOST_WAITING) if ordered else shared for _ in sources
        ]
        self._waiting = iter(list(zip(sources, self._queues, strict=True)))
        self._find = find
        self._lock, self._stopped = threading.Lock(), threading.Event()

    def read(self) -> Iterator[PageRequest]:
        """Yield all requests; an error of a listing is raised here."""
        for _ in range(min(_THREADS, len(self._queues))):
            threading.Thread(target=self._read_sources, daemon=True, name="bodytext-list").start()
        try:
            for requests in self._queues:  # a shared queue has as many ends as there are listings
                while (item := requests.get()) is not None:
                    if isinstance(item, BaseException):
                        raise item
                    yield item
        finally:
            self._stopped.set()

    def _read_sources(self) -> None:
        while not self._stopped.is_set():
            with self._lock:
                taken = next(self._waiting, None)
            if taken is None:
                return
            source, requests = taken
            try:
                for request in self._find(source):
                    self._put(requests, request)
            except BaseException as error:  # raised in the thread that reads the requests
                self._put(requests, error)
            self._put(requests, None)

    def _put(self, requests: _RequestQueue, item: _Item) -> None:
        while not self._stopped.is_set():
            try:
                requests.put(item, timeout=_STOP_CHECK_S)
            except queue.Full:
                continue
            return
