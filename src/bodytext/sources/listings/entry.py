"""ParsedFeed and FeedEntry: a feed's content, and how its texts and times are read."""

import email.utils
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from bodytext.kernel.html import TAG
from bodytext.kernel.tokens import unescape
from bodytext.page.dates import read_date
from bodytext.page.urls import absolute

MOST_ENTRIES = 10_000  # of a feed; further ones are counted and left out
LONGEST_CONTENT = 2_000_000
MOST_LISTED = 50  # categories, and enclosures, of an entry
LONGEST_TITLE = 1_000  # characters; longer ones are cut
_HIDDEN = re.compile(
    r"<(script|style|noscript|template)\b.*?(?:</\1\s*>|$)", re.IGNORECASE | re.DOTALL
)
_TAG = re.compile(
    r"</?([a-z][a-z0-9]{0,20})\b[^<>]{0,2000}>|<!--.*?(?:-->|$)|<!doctype\b[^<>]{0,2000}>",
    re.IGNORECASE | re.DOTALL,
)
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]+")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Enclosure:
    """A file that an entry comes with."""

    url: str
    content_type: str = ""


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """An entry of a feed: plain title and categories; summary and content mostly as HTML."""

    url: str
    title: str = ""
    time: str = ""  # ISO 8601 in UTC, as precise as the feed
    summary: str = ""
    content: str = ""
    categories: tuple[str, ...] = ()
    enclosures: tuple[Enclosure, ...] = ()
    identity: str = ""  # the feed's own identifier of it


@dataclass(frozen=True, slots=True)
class ParsedFeed:
    """A feed and its entries, in its order."""

    kind: str  # "RSS 2.0", "Atom"
    title: str
    entries: tuple[FeedEntry, ...]
    left_out: int = 0  # entries beyond MOST_ENTRIES


class NoFeedError(ValueError):
    """The bytes are not a feed."""


def list_texts(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the texts once each, as many as an entry may have."""
    return tuple(dict.fromkeys(text for text in texts if text))[:MOST_LISTED]


def list_enclosures(files: list[tuple[str, str]], base: str) -> tuple[Enclosure, ...]:
    """Make enclosures of addresses and types, once each."""
    enclosures: dict[str, Enclosure] = {}
    for address, content_type in files:
        if url := absolute(address.strip(), base):
            enclosures[url] = Enclosure(url, content_type.strip()[:100])
    return tuple(enclosures.values())[:MOST_LISTED]


def first_address(candidates: Iterable[str], base: str) -> str:
    """Return the first candidate that is an address, made absolute; empty if none is."""
    for text in candidates:
        url = absolute(text.strip(), base)
        if url and "://" in url:
            return url
    return ""


def plain_title(text: str, *, is_text: bool = False) -> str:
    """Turn a title into plain text on one line, without scripts, markup and control characters.

    >>> plain_title("<b>Storm</b> &amp; tide<script>alert(1)</script>"), plain_title("List<Integer> in 5 minutes")
    ('Storm & tide', 'List<Integer> in 5 minutes')
    """
    text = text[: 20 * LONGEST_TITLE]
    if not is_text:
        if "<" in text:
            text = _TAG.sub(_drop_known, _HIDDEN.sub("", text))
        text = unescape(text)
    return " ".join(_CONTROLS.sub(" ", text).split())[:LONGEST_TITLE]


def _drop_known(tag: re.Match[str]) -> str:
    """Replace comments and the tags of HTML by nothing; keep text that looks like a tag."""
    return "" if tag[1] is None or tag[1].lower() in TAG or tag[1].lower() == "blink" else tag[0]


def read_time(text: str) -> str:
    """Turn a time of a feed (RFC 822, ISO 8601 ...) into ISO 8601 in UTC; empty if invalid.

    The year 1 is what programs write for no time.

    >>> read_time("Sun, 15 Nov 2026 09:30:00 +0700"), read_time("2026-11-15T09:30:00+07:00"), read_time("soon")
    ('2026-11-15T02:30:00Z', '2026-11-15T02:30:00Z', '')
    >>> read_time("0001-01-01T00:00:00Z"), read_time("Mon, 01 Jan 0001 00:00:00 GMT")
    ('', '')
    """
    text = " ".join(text[:100].split())
    if text.startswith("0001-") or " 0001 " in text:
        return ""
    if _DAY.fullmatch(text):
        return read_date(text)
    moment = _parse_time(text)
    if moment is None:
        return read_date(text)
    try:
        moment = moment.replace(tzinfo=moment.tzinfo or UTC).astimezone(UTC)
    except (ValueError, OverflowError):
        return ""
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def _parse_time(text: str) -> datetime | None:
    for parse in (datetime.fromisoformat, email.utils.parsedate_to_datetime):
        try:
            return parse(text)
        except (ValueError, IndexError, TypeError, OverflowError):
            continue
    return None
