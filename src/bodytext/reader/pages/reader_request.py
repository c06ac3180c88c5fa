"""One request to the reader: its profile, its settings, its query and its form."""

import re
import sqlite3
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import Response

from bodytext.reader.categories.categories import Categories
from bodytext.reader.collection.feed_finder import FoundFeed
from bodytext.reader.collection.images import Images
from bodytext.reader.pages.display_settings import COOKIE, DisplaySettings, read_settings
from bodytext.reader.pages.update_scheduler import UpdateScheduler
from bodytext.reader.profiles.profiles import Profile, list_profiles
from bodytext.reader.store.records import Card
from bodytext.reader.store.store import Store
from bodytext.studio.web.app import Refusal

OFFLINE_HEADER = "x-bodytext-offline"
_LARGEST_NUMBER = 2**63  # SQLite's integers are smaller
_LONGEST_NUMBER = 16  # digits: such a number is always smaller
_LONGEST_VALUE = 2_000  # characters of a value in the query
MOST_FIELDS = 100  # of a form; the reader's own have ten
_TOO_MANY = f"the form has more than {MOST_FIELDS} fields"
# Browsers quote names; some phone apps do not. No name has a semicolon.
_BOUNDARY = re.compile(r'(?i)boundary="?([^";\s]{1,70})')
_NAME = re.compile(rb'(?im)^content-disposition: *form-data; *name="?([^";\r\n]*)')


@dataclass(slots=True)
class ReaderContext:
    """What all routes share."""

    store: Store
    images: Images
    scheduler: UpdateScheduler
    categories: Categories
    shown: set[int] = field(default_factory=set)  # articles whose pictures were allowed one by one
    # What was found at addresses that have several feeds or none, until one is chosen.
    found: dict[str, list[FoundFeed]] = field(default_factory=dict)


class ReaderRequest:
    """One request."""

    def __init__(self, context: ReaderContext, http: Request) -> None:
        self.context, self.http = context, http
        self.store = context.store
        self.files: dict[str, bytes] = {}  # of its form

    @cached_property
    def settings(self) -> DisplaySettings:
        """The settings of this device."""
        return read_settings(self.http.cookies.get(COOKIE, ""))

    @cached_property
    def profile(self) -> Profile:
        """The profile that the device chose, or the first one."""
        try:
            return Profile(self.store, self.settings.profile)
        except KeyError:
            return list_profiles(self.store)[0]

    @property
    def token(self) -> str:
        """The token that every form must send."""
        return str(self.http.app.state.policy.token)

    @property
    def path(self) -> str:
        """The path and the query of this page."""
        query = self.http.url.query
        return self.http.url.path + (f"?{query}" if query else "")

    @property
    def is_from_user(self) -> bool:
        """Whether the user opened the page, not another site or a preloading browser."""
        headers = self.http.headers
        site = headers.get("sec-fetch-site", "none")
        is_kept = OFFLINE_HEADER in headers  # for reading without a network
        return site in {"same-origin", "none"} and "sec-purpose" not in headers and not is_kept

    def read_query(self, name: str) -> str:
        """Read a value of the query; an empty text if it is missing."""
        return self.http.query_params.get(name, "")[:_LONGEST_VALUE]

    def read_query_number(self, name: str) -> int:
        """Read a number of the query; 0 if it is missing."""
        return read_number(self.read_query(name))

    def record_opened(self, card: Card) -> None:
        """Record that an article was opened. The article is shown even if this cannot be stored."""
        if self.is_from_user and not card.state.opened:
            with suppress(sqlite3.OperationalError):
                self.profile.record_event("opened", card.id)


PageView = Callable[[ReaderRequest], Response]


def read_number(value: str) -> int:
    """Read a number that anybody may have sent; 0, which no row has, if it is invalid."""
    is_valid = value.isascii() and value.isdecimal() and len(value) < _LONGEST_NUMBER
    return int(value) if is_valid else 0


def read_path_number(request: ReaderRequest, name: str = "article") -> int:
    """Read a number of the path; 0, which no row has, if it is too large."""
    value: Any = request.http.path_params[name]
    return int(value) if value < _LARGEST_NUMBER else 0


def parse_form(kind: str, body: bytes) -> tuple[dict[str, str], dict[str, bytes]]:
    """Return the fields and the files of a body of this media type, or refuse it."""
    if kind.startswith("multipart/form-data"):
        return _read_parts(kind, body)
    try:
        text = body.decode("utf-8", "replace")
        return dict(parse_qsl(text, keep_blank_values=True, max_num_fields=MOST_FIELDS)), {}
    except ValueError:
        raise Refusal(422, _TOO_MANY) from None


def _read_parts(kind: str, body: bytes) -> tuple[dict[str, str], dict[str, bytes]]:
    """Split a body at its boundary: parts of a form have no parts, and their types do not matter."""
    fields: dict[str, str] = {}
    files: dict[str, bytes] = {}
    if boundary := _BOUNDARY.search(kind):
        mark = b"\r\n--" + boundary[1].encode("latin-1")
        _, *parts = (b"\r\n" + body).split(mark, MOST_FIELDS + 2)
        if len(parts) > MOST_FIELDS + 1:  # the last one is the end
            raise Refusal(422, _TOO_MANY)
        for part in parts:
            head, _, data = part.partition(b"\r\n\r\n")
            if name := _NAME.search(head):
                rest = head[name.end() :].partition(b"\r\n")[0]
                if b"filename" in rest.lower():
                    files[name[1].decode("utf-8", "replace")] = data
                else:
                    fields[name[1].decode("utf-8", "replace")] = data.decode("utf-8", "replace")
    return fields, files
