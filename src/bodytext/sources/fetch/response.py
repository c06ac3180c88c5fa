"""HttpResponse: the status, headers and body that a host sent."""

import http
import re
from dataclasses import dataclass, field

from bodytext.sources.archived_response import charset_of
from bodytext.sources.fetch.errors import FetchError

_REDIRECTS = frozenset({301, 302, 303, 307, 308})


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """A response of any status. `body` is decompressed, as bytes."""

    url: str  # the address that answered, after all redirects
    status: int
    body: bytes
    headers: dict[str, str] = field(default_factory=dict)  # names in lower case
    # ISO 8601 in UTC: when it arrived; for a stored response, when it was last confirmed as
    # current.
    time: str = ""
    redirects: tuple[str, ...] = ()  # the addresses before `url`
    stored: bool = False  # the body is from the cache

    @property
    def content_type(self) -> str:
        """The content type without parameters, in lower case; empty if the host sent none."""
        return re.split("[;,]", self.headers.get("content-type", ""), maxsplit=1)[0].strip().lower()

    @property
    def charset(self) -> str:
        """The charset in the content type; empty if there is none."""
        return charset_of(self.headers.get("content-type", "")).lower()

    @property
    def location(self) -> str:
        """The target of a redirect, as the host wrote it; empty for any other response."""
        return self.headers.get("location", "").strip() if self.status in _REDIRECTS else ""

    @property
    def problem(self) -> str:
        """The status in words if the response has no page; empty if it has one."""
        if self.status == http.HTTPStatus.OK:
            return ""
        try:
            return f"HTTP {self.status} {http.HTTPStatus(self.status).phrase}"
        except ValueError:
            return f"HTTP {self.status}"


FetchOutcome = HttpResponse | FetchError
