"""Read sources of any kind into records: folders, files, archives, lists, feeds, addresses."""

import queue
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

from bodytext.sources.fetch_options import FetchOptions
from bodytext.sources.files import read_record
from bodytext.sources.listings.discovery import (
    Get,
    feed_requests,
    list_requests,
    list_sources,
    mark_repeated,
    sitemap_requests,
    web_requests,
)
from bodytext.sources.politeness.fetcher import Fetcher, FetchProgress, PageRequest
from bodytext.sources.record import Record
from bodytext.sources.source_kinds import (
    ARCHIVE,
    FEED,
    GROUPS,
    LINES,
    MEMBERS,
    PAGES,
    SITEMAP,
    check_source,
    find_files,
    is_web,
    kind_of,
)
from bodytext.sources.table_files import read_groups, read_lines
from bodytext.sources.warc import WarcRange
from bodytext.sources.zip_and_tar import read_members

_READERS: dict[str, Callable[[str], Iterable[Record]]] = {
    ARCHIVE: WarcRange,
    GROUPS: read_groups,
    LINES: read_lines,
    MEMBERS: lambda source: read_members(Path(source)),
    PAGES: lambda source: (read_record(Path(source)),),
}


def read_sources(
    sources: Sequence[str],
    fetching: FetchOptions | None = None,
    progress: Callable[[FetchProgress], None] | None = None,
) -> Iterator[Record]:
    """Yield the records of files, then those from the web; a ValueError if one is no source."""
    for source in sources:
        check_source(source)
    for source in sources:
        if not is_web(source):
            yield from _read_local(source)
    remote = [source for source in sources if is_web(source)]
    if remote:
        yield from _fetch(list(expand_lists(remote)), fetching or FetchOptions(), progress)


def _read_local(source: str) -> Iterator[Record]:
    """Yield the records of a file, or of all files in a folder, by name; a problem for links out of it."""
    found = find_files(source)
    for link in (link for link in found.outside if kind_of(link) in _READERS):
        yield Record(b"", source=link, problem="a link that leads out of the folder, not followed")
    for file in found.files:
        read = _READERS.get(kind_of(file))
        if read is None:
            raise ValueError(
                f"{file}: a list of archives is for bodytext corpus build; here, name the archives"
            )
        yield from read(file)


def expand_lists(sources: Sequence[str]) -> Iterator[str]:
    """Yield the sources, and after each list the feeds and sitemaps that it names."""
    for source in sources:
        yield source
        if "://" not in source and not source.startswith((FEED, SITEMAP)):
            yield from list_sources(Path(source))


def _fetch(
    sources: list[str], fetching: FetchOptions, progress: Callable[[FetchProgress], None] | None
) -> Iterator[Record]:
    client = fetching.client()
    with Fetcher(client, fetching.politeness, progress) as fetcher:
        find = partial(find_requests, get=fetcher.get)
        requests = ConcurrentListings(sources, find, ordered=fetching.ordered).read()
        yield from fetcher.fetch(mark_repeated(requests, client.identify), ordered=fetching.ordered)


def find_requests(source: str, get: Get) -> Iterator[PageRequest]:
    """Find the pages of one source on the web."""
    if source.startswith(FEED):
        return feed_requests(source.removeprefix(FEED), get)
    if source.startswith(SITEMAP):
        return sitemap_requests(source.removeprefix(SITEMAP), get)
    if "://" in source:
        return web_requests(source, get)
    return list_requests(Path(source))


_THREADS = 16  # listings that are read at a time
_MOST_WAITING = 100  # requests of a listing; some come with their page
_STOP_CHECK_S = 0.5  # how often a thread checks whether it should stop

_Item = PageRequest | BaseException | None  # None: a listing ends here
_RequestQueue = queue.Queue[_Item]


class ConcurrentListings:
    """The requests of many listings, in one queue, or in one for each to keep their order."""

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
