"""FeedValidators: what hosts gave with feeds (ETag, date) in, requests that ask only for what has changed out.

It stands where the fetcher has its cache, and stores no body: of a feed that has not changed nothing is needed. It also
sees every redirect, and so knows which of them are for good.
"""

import threading
from collections.abc import Iterable
from pathlib import Path

from bodytext.reader.store.records import Subscription
from bodytext.sources.fetch import Cache, HttpResponse

_OK = 200
_FOR_GOOD = frozenset({301, 308})


class FeedValidators(Cache):
    """The validators of feeds by their addresses."""

    def __init__(self, feeds: Iterable[Subscription]) -> None:
        super().__init__(Path())
        self._lock = threading.Lock()
        self._known = {
            feed.location or feed.url: {"etag": feed.etag, "last-modified": feed.modified}
            for feed in feeds
            if feed.etag or feed.modified
        }
        self._hops: dict[str, int] = {}  # statuses of redirects
        self.has_heard = False  # whether any host has answered anything

    def find(self, url: str) -> HttpResponse | None:
        """What a feed is asked with again; a host that says that it is unchanged gives this response back."""
        headers = self._known.get(url)
        return HttpResponse(url, _OK, b"", headers, stored=True) if headers else None

    def is_fresh(self, _: HttpResponse) -> bool:
        """Hosts are always asked: when, the schedule of the feeds has settled."""
        return False

    def keep(self, url: str, response: HttpResponse) -> None:
        """Note a redirect. What is a feed's is stored with the feed, when its articles are."""
        self.has_heard = True
        if response.location:
            with self._lock:
                self._hops[url] = response.status

    def find_move(self, response: HttpResponse) -> str:
        """Where a feed has moved for good: behind the redirects that say so, up to the first that does not."""
        way = [*response.redirects, response.url]
        place = 0
        while place < len(way) - 1 and self._hops.get(way[place]) in _FOR_GOOD:
            place += 1
        return way[place]
