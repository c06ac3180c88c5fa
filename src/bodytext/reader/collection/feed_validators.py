"""FeedValidators: ask hosts only for feeds that have changed, by their stored ETags and dates.

It takes the place of the fetcher's cache but stores no bodies: nothing is needed of a feed that has
not changed. It also sees every redirect, and so knows which of them are permanent.
"""

import threading
from collections.abc import Iterable
from pathlib import Path

from bodytext.reader.store.records import Subscription
from bodytext.sources.fetch import Cache, HttpResponse

_OK = 200
_PERMANENT = frozenset({301, 308})


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
        self._redirects: dict[str, int] = {}  # their statuses by address
        self.has_heard = False  # whether any host has answered

    def find(self, url: str) -> HttpResponse | None:
        """Return an empty response with a feed's validators, the result of "not modified"."""
        headers = self._known.get(url)
        return HttpResponse(url, _OK, b"", headers, stored=True) if headers else None

    def is_fresh(self, _: HttpResponse) -> bool:
        """Return False: a feed that is due is always requested."""
        return False

    def keep(self, url: str, response: HttpResponse) -> None:
        """Remember a redirect. The validators are stored with the feed, after its articles."""
        self.has_heard = True
        if response.location:
            with self._lock:
                self._redirects[url] = response.status

    def find_move(self, response: HttpResponse) -> str:
        """Return the address of a feed after its leading permanent redirects."""
        addresses = [*response.redirects, response.url]
        number = 0
        while number < len(addresses) - 1 and self._redirects.get(addresses[number]) in _PERMANENT:
            number += 1
        return addresses[number]
