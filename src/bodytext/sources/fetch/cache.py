"""Store responses in a folder, so that an unchanged page is not sent again."""

import hashlib
import json
import os
import tempfile
import time
from calendar import timegm
from contextlib import suppress
from pathlib import Path

from bodytext.sources.fetch.response import HttpResponse

_OK = 200
# The headers that describe a body and how current it is; others, cookies above all, are not stored.
_STORED_HEADERS = ("content-type", "etag", "last-modified", "cache-control")


class Cache:
    """Pages by their address in a folder, which may be deleted at any time.

    A stored page is requested again with its ETag or Last-Modified date; one that is younger than
    `fresh_seconds` is not requested at all. A host's "no-store" is obeyed.
    """

    def __init__(self, folder: Path, fresh_seconds: float = 0) -> None:
        self.folder, self._fresh_seconds = folder, fresh_seconds

    def find(self, url: str) -> HttpResponse | None:
        """Return the stored response of an address; None if there is none that can be read."""
        try:
            head, _, body = self._path(url).read_bytes().partition(b"\n")
            facts = json.loads(head)
        except (OSError, ValueError, RecursionError):
            return None
        if (
            not isinstance(facts, dict)
            or facts.get("url") != url
            or facts.get("bytes") != len(body)
        ):
            return None
        headers = {name: str(facts[name]) for name in _STORED_HEADERS if name in facts}
        return HttpResponse(url, _OK, body, headers, str(facts.get("time", "")), stored=True)

    def is_fresh(self, response: HttpResponse) -> bool:
        """Whether a stored response can be used without asking the host."""
        try:
            stored = timegm(time.strptime(response.time, "%Y-%m-%dT%H:%M:%SZ"))
        except ValueError:
            return False
        return 0 <= time.time() - stored < self._fresh_seconds

    def keep(self, url: str, response: HttpResponse) -> None:
        """Store the response of an address, if it is a page and may be stored."""
        if (
            response.status != _OK
            or "no-store" in response.headers.get("cache-control", "").lower()
        ):
            return
        if not self._fresh_seconds and not validators(response):
            return  # it could never be used
        facts = {"url": url, "time": response.time, "bytes": len(response.body)}
        facts |= {
            name: response.headers[name] for name in _STORED_HEADERS if name in response.headers
        }
        path = self._path(url)
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(json.dumps(facts).encode() + b"\n" + response.body)
            Path(temporary).replace(path)  # at once, so that nobody reads half a file
        except BaseException:
            with suppress(OSError):
                Path(temporary).unlink()
            raise

    def _path(self, url: str) -> Path:
        name = hashlib.sha256(url.encode()).hexdigest()
        return self.folder / name[:2] / name[2:]


def validators(response: HttpResponse) -> dict[str, str]:
    """Return the request headers that ask whether a stored response is still current."""
    headers = {
        "If-None-Match": response.headers.get("etag", ""),
        "If-Modified-Since": response.headers.get("last-modified", ""),
    }
    return {name: value for name, value in headers.items() if value and value.isprintable()}
