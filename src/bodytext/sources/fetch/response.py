"""Response: what a host answered, and what its headers say of it."""

import http
import re
from dataclasses import dataclass, field

_CHARSET = re.compile(r"charset\s*=\s*[\"']?\s*([\w.:+-]{1,40})", re.IGNORECASE | re.ASCII)
_REDIRECTS = frozenset({301, 302, 303, 307, 308})


@dataclass(frozen=True, slots=True)
class Response:
    """An answer of any status. `body` is unpacked, as bytes."""

    url: str  # that answered, behind all redirects
    status: int
    body: bytes
    headers: dict[str, str] = field(default_factory=dict)  # names in lower case
    time: str = ""  # ISO 8601 in UTC: when it came; for what was stored, when it was last found to be current
    redirects: tuple[str, ...] = ()  # the addresses before `url`
    stored: bool = False  # the body is from the cache

    @property
    def content_type(self) -> str:
        """The type without its parameters, in lower case; empty where the host said none."""
        return re.split("[;,]", self.headers.get("content-type", ""), maxsplit=1)[0].strip().lower()

    @property
    def charset(self) -> str:
        """The charset of the content type; empty where the host said none."""
        found = _CHARSET.search(self.headers.get("content-type", ""))
        return found[1].lower() if found else ""

    @property
    def location(self) -> str:
        """Where a redirect leads, as the host wrote it; empty for anything else."""
        return self.headers.get("location", "").strip() if self.status in _REDIRECTS else ""

    @property
    def problem(self) -> str:
        """The status in words where there is no page behind it; empty for a page."""
        if self.status == http.HTTPStatus.OK:
            return ""
        try:
            return f"HTTP {self.status} {http.HTTPStatus(self.status).phrase}"
        except ValueError:
            return f"HTTP {self.status}"
