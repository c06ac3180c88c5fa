"""Responses in, files in a folder out, and back: what a host says is unchanged is not sent again."""

import hashlib
import json
import os
import tempfile
import time
from calendar import timegm
from contextlib import suppress
from pathlib import Path

from bodytext.sources.fetch.response import Response

_OK = 200
# The headers that say what a body is and whether it is current; others, cookies above all, are not stored.
_KEPT = ("content-type", "etag", "last-modified", "cache-control")


class Cache:
    """Pages by their address in a folder, which may be deleted at any time.

    A stored page is asked for again with its ETag or Last-Modified date; one that is younger than `fresh_seconds` is
    not asked for at all. A host's "no-store" is kept to.
    """

    def __init__(self, folder: Path, fresh_seconds: float = 0) -> None:
        self.folder, self._fresh_seconds = folder, fresh_seconds

    def find(self, url: str) -> Response | None:
        """The stored response of an address; None where there is none that can be read."""
        try:
            head, _, body = self._path(url).read_bytes().partition(b"\n")
            facts = json.loads(head)
        except (OSError, ValueError):
            return None
        if not isinstance(facts, dict) or facts.get("url") != url or facts.get("bytes") != len(body):
            return None
        headers = {name: str(facts[name]) for name in _KEPT if name in facts}
        return Response(url, _OK, body, headers, str(facts.get("time", "")), stored=True)

    def is_fresh(self, response: Response) -> bool:
        """Whether a stored response needs no question to the host."""
        try:
            stored = timegm(time.strptime(response.time, "%Y-%m-%dT%H:%M:%SZ"))
        except ValueError:
            return False
        return 0 <= time.time() - stored < self._fresh_seconds

    def keep(self, url: str, response: Response) -> None:
        """Store a response of an address, if it is a page and may be stored."""
        if response.status != _OK or "no-store" in response.headers.get("cache-control", "").lower():
            return
        if not self._fresh_seconds and not validators(response):
            return  # it could never be used
        facts = {"url": url, "time": response.time, "bytes": len(response.body)}
        facts |= {name: response.headers[name] for name in _KEPT if name in response.headers}
        path = self._path(url)
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(json.dumps(facts).encode() + b"\n" + response.body)
            Path(temporary).replace(path)  # at once, so that no reader sees half a file
        except BaseException:
            with suppress(OSError):
                Path(temporary).unlink()
            raise

    def _path(self, url: str) -> Path:
        name = hashlib.sha256(url.encode()).hexdigest()
        return self.folder / name[:2] / name[2:]


def validators(response: Response) -> dict[str, str]:
    """The headers that ask a host whether a stored response is still current."""
    named = {"If-None-Match": "etag", "If-Modified-Since": "last-modified"}
    found = {name: response.headers.get(header, "") for name, header in named.items()}
    return {name: value for name, value in found.items() if value and value.isprintable()}
