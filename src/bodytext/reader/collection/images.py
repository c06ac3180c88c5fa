"""Images: the address of a picture in an article in, the picture out; fetched once, kept beside the database.

Whoever shows a picture asks here, so that the browser asks nobody else. What an image is, its own bytes say: what is
none, is too small to be seen or is an SVG (which can have scripts) is refused, and remembered as refused.
"""

import hashlib
import os
import threading
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from bodytext.reader.collection.image_kinds import is_too_small, is_tracker, read_kind
from bodytext.sources.fetch import Client, FetchError, HostError
from bodytext.sources.fetch_options import FetchOptions

LARGEST_IMAGE = 8 * 2**20  # bytes; photographs of news sites have 50 to 500 kB
MOST_SECONDS = 15.0
MOST_KEPT = 2**30  # bytes of all pictures; the ones that were looked at longest ago go first
_AT_A_TIME = 6  # as many as browsers open to a host
_PRUNE_EVERY = 200  # new pictures
_MOST_SOON = 50  # of one article
_KEY_LENGTH = 20
_REFUSED = b"refused"
_OK = 200


@dataclass(frozen=True, slots=True)
class ImageFile:
    """A picture as it came."""

    type: str
    data: bytes


def key_of(url: str) -> str:
    """What a picture is called here."""
    return hashlib.sha256(url.encode("utf-8", "replace")).hexdigest()[:_KEY_LENGTH]


class Images:
    """The pictures of articles, in a folder. May be used by many threads."""

    def __init__(self, folder: Path, fetching: FetchOptions | None = None) -> None:
        self._folder = folder
        fetching = fetching or FetchOptions()
        limits = replace(fetching.limits, max_bytes=LARGEST_IMAGE, max_seconds=MOST_SECONDS, cut=False)
        self._client = Client(limits, user_agent=fetching.user_agent, resolve=fetching.resolve)
        self._turns = threading.Semaphore(_AT_A_TIME)
        self._locks: dict[str, threading.Lock] = {}
        self._guard = threading.Lock()
        self._added = 0

    def find(self, url: str) -> ImageFile | None:
        """A picture that is kept; None where it is not."""
        path = self._path(key_of(url))
        try:
            data = path.read_bytes()
            os.utime(path)
        except OSError:
            return None
        kind = read_kind(data)
        return ImageFile(kind.type, data) if kind else None

    def get(self, url: str) -> ImageFile | None:
        """A picture, fetched where it is not kept; None where there is none to show."""
        if is_tracker(url):
            return None
        key = key_of(url)
        with self._lock(key):
            if self._path(key).exists():
                return self.find(url)
            with self._turns:
                return self._fetch(url, key)

    def prefetch(self, urls: Iterable[str]) -> None:
        """Fetch pictures that will be wanted, one after the other, and do not wait for them."""
        wanted = list(urls)[:_MOST_SOON]
        threading.Thread(target=lambda: [self.get(url) for url in wanted], daemon=True, name="bodytext-images").start()

    def _fetch(self, url: str, key: str) -> ImageFile | None:
        try:
            response = self._client.get(url)
        except FetchError as problem:
            if not problem.passing and not isinstance(problem, HostError):  # names are unknown where no network is
                self._keep(key, _REFUSED)
            return None
        kind = read_kind(response.body) if response.status == _OK else None
        if kind is None or is_too_small(kind):
            if response.status < 500:
                self._keep(key, _REFUSED)
            return None
        self._keep(key, response.body)
        return ImageFile(kind.type, response.body)

    def _keep(self, key: str, data: bytes) -> None:
        path = self._path(key)
        part = path.with_suffix(f".{os.getpid()}.{threading.get_ident()}.part")
        with suppress(OSError):  # a full disk costs the picture its place, nothing else
            path.parent.mkdir(parents=True, exist_ok=True)
            part.write_bytes(data)
            part.replace(path)
        self._added += 1
        if self._added % _PRUNE_EVERY == 0:
            self.prune(MOST_KEPT)

    def prune(self, most: int) -> None:
        """Remove the pictures that were looked at longest ago, until what is left has no more bytes than that."""
        found = []
        for path in self._folder.glob("*/*"):
            with suppress(OSError):
                status = path.stat()
                found.append((status.st_mtime, status.st_size, path))
        total = sum(size for _, size, _ in found)
        for _, size, path in sorted(found):
            if total <= most:
                return
            with suppress(OSError):
                path.unlink()
            total -= size

    def _path(self, key: str) -> Path:
        return self._folder / key[:2] / key[2:]

    def _lock(self, key: str) -> threading.Lock:
        """A lock for each picture: cards and article ask for the same at once."""
        with self._guard:
            if len(self._locks) > 10 * _PRUNE_EVERY:
                self._locks = {name: lock for name, lock in self._locks.items() if lock.locked()}
            return self._locks.setdefault(key, threading.Lock())
