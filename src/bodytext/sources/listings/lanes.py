"""Sources of requests in, their requests out: several are read at a time, each by a thread and not far ahead."""

import queue
import threading
from collections.abc import Callable, Iterator, Sequence

from bodytext.sources.politeness.fetcher import PageRequest

_WIDTH = 16  # sources that are read at a time
_ROOM = 100  # requests of a source that wait; some come with their page
_PATIENCE_S = 0.5  # a reader looks so often whether it should stop

_Item = PageRequest | BaseException | None  # None: a source ends here
_Lane = queue.Queue[_Item]


class Lanes:
    """In order, each source has a lane of its own, and the lanes are emptied one by one; else all share one."""

    def __init__(self, sources: Sequence[str], find: Callable[[str], Iterator[PageRequest]], *, ordered: bool) -> None:
        shared: _Lane = queue.Queue(_ROOM)
        self._lanes: list[_Lane] = [queue.Queue(_ROOM) if ordered else shared for _ in sources]
        self._waiting = iter(list(zip(sources, self._lanes, strict=True)))
        self._find = find
        self._lock, self._stopped = threading.Lock(), threading.Event()

    def read(self) -> Iterator[PageRequest]:
        """All requests; what reading a source raised is raised here."""
        for _ in range(min(_WIDTH, len(self._lanes))):
            threading.Thread(target=self._read_sources, daemon=True, name="bodytext-list").start()
        try:
            for lane in self._lanes:  # a lane that is shared is ended as often as there are sources
                while (item := lane.get()) is not None:
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
            source, lane = taken
            try:
                for request in self._find(source):
                    self._put(lane, request)
            except BaseException as problem:  # who reads the requests should hear of it
                self._put(lane, problem)
            self._put(lane, None)

    def _put(self, lane: _Lane, item: _Item) -> None:
        while not self._stopped.is_set():
            try:
                lane.put(item, timeout=_PATIENCE_S)
            except queue.Full:
                continue
            return
