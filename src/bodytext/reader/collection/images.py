"""Images: fetch the images of articles once, and keep them next to the database.

The browser gets images only from here, and so contacts nobody else. The type of an image is read
from its bytes: other files, images too small to be seen and SVG (which can have scripts) are
refused, and remembered as refused.
"""

import hashlib
import os
import threading
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from bodytext.reader.collection.image_kinds import is_too_small, is_tracker, read_kind
from bodytext.sources.fetch import FetchError, HostError
from bodytext.sources.fetch_options import FetchOptions

LARGEST_IMAGE = 8 * 2**20  # bytes; photographs of news sites have 50 to 500 kB
MOST_SECONDS = 15.0
MOST_KEPT = 2**30  # bytes of all images; those not shown for the longest time are deleted first
_AT_A_TIME = 6  # as many as browsers open to a host
_PRUNE_EVERY = 200  # new images
_MOST_PREFETCHED = 50  # of one article
_KEY_LENGTH = 20
_REFUSED = b"refused"
_OK = 200


@dataclass(frozen=True, slots=True)
class ImageFile:
    """An image as it was received."""

    type: str
    data: bytes


def key_of(url: str) -> str:
    """Return the name under which an image is kept."""
    return hashlib.sha256(url.encode("utf-8", "replace")).hexdigest()[:_KEY_LENGTH]


class Images:
    """The images of articles, in a folder. May be used by many threads."""

    def __init__(self, folder: Path, fetching: FetchOptions | None = None) -> None:
        self._folder = folder
        fetching = fetching or FetchOptions()
        limits = replace(
            fetching.limits, max_bytes=LARGEST_IMAGE, max_seconds=MOST_SECONDS, cut=False
        )
        self._client = replace(fetching, limits=limits, cache=None).client()
        self._turns = threading.Semaphore(_AT_A_TIME)
        self._locks: dict[str, threading.Lock] = {}
        self._guard = threading.Lock()
        self._added = 0

    def find(self, url: str) -> ImageFile | None:
        """Return an image that is kept, else None."""
        path = self._path(key_of(url))
        try:
            data = path.read_bytes()
            os.utime(path)
        except OSError:
            return None
        kind = read_kind(data)
        return ImageFile(kind.type, data) if kind else None

    def get(self, url: str) -> ImageFile | None:
        """Return an image, fetched if it is not kept; None if it cannot be shown."""
        if is_tracker(url):
            return None
        key = key_of(url)
        with self._lock(key):
            if self._path(key).exists():
                return self.find(url)
            with self._turns:
                return self._fetch(url, key)

    def prefetch(self, urls: Iterable[str]) -> None:
        """Fetch images in the background, one after the other."""
        wanted = list(urls)[:_MOST_PREFETCHED]
        threading.Thread(
            target=lambda: [self.get(url) for url in wanted], daemon=True, name="bodytext-images"
        ).start()

    def _fetch(self, url: str, key: str) -> ImageFile | None:
        try:
            response = self._client.get(url)
        except FetchError as error:
            # Without a network no host is known.
            if not error.passing and not isinstance(error, HostError):
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
        with suppress(OSError):  # with a full disk the image is shown, but not kept
            path.parent.mkdir(parents=True, exist_ok=True)
            part.write_bytes(data)
            part.replace(path)
        self._added += 1
        if self._added % _PRUNE_EVERY == 0:
            self.prune(MOST_KEPT)

    def prune(self, most: int) -> None:
        """Delete the images not shown for the longest time, so that at most `most` bytes are kept."""
        files = []
        for path in self._folder.glob("*/*"):
            with suppress(OSError):
                status = path.stat()
                files.append((status.st_mtime, status.st_size, path))
        total = sum(size for _, size, _ in files)
        for _, size, path in sorted(files):
            if total <= most:
                return
            with suppress(OSError):
                path.unlink()
            total -= size

    def _path(self, key: str) -> Path:
        return self._folder / key[:2] / key[2:]

    def _lock(self, key: str) -> threading.Lock:
        """Return the lock of an image: a card and its article may request it at the same time."""
        with self._guard:
            if len(self._locks) > 10 * _PRUNE_EVERY:
                self._locks = {name: lock for name, lock in self._locks.items() if lock.locked()}
            return self._locks.setdefault(key, threading.Lock())
