"""The bytes of a feed (RSS 0.9x, 1.0 and 2.0, Atom, JSON Feed) -> its entries, also where it is broken or hostile."""

import email.utils
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from bodytext._kernel.tokens import unescape
from bodytext.addresses import absolute
from bodytext.encoding import decode
from bodytext.markup import TAG
from bodytext.metadata.calendar import read_date
from bodytext.sources.elements import Document, Token

MOST_ENTRIES = 10_000  # of a feed; further ones are counted and left out
LONGEST_TITLE = 1_000  # characters; what is longer is cut
LONGEST_CONTENT = 2_000_000
_MOST_LISTED = 50  # categories and enclosures of an entry
_ROOTS = {"rss": "RSS", "rdf:rdf": "RSS 1.0", "feed": "Atom", "channel": "RSS", "atom:feed": "Atom"}
_OTHERS = frozenset({"html", "head", "body", "urlset", "sitemapindex"})
_MOST_PASSED = 50
_ENTRIES = frozenset({"item", "entry", "atom:entry"})
_DEEPEST = 100  # elements inside an entry
_LOUD = re.compile(r"<(script|style|noscript|template)\b.*?(?:</\1\s*>|$)", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"</?([a-z][a-z0-9]{0,20})\b[^<>]{0,2000}>|<!--.*?(?:-->|$)", re.IGNORECASE | re.DOTALL)
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2066-\u2069\ufeff]+")
_SURROGATES = re.compile(r"[\ud800-\udfff]")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
# Where an entry's field may stand, best first.
_TITLES = ("title", "atom:title", "dc:title", "media:title")
_TIMES = ("pubdate", "published", "atom:published", "dc:date", "issued", "updated", "atom:updated", "modified", "date")
_SUMMARIES = ("description", "summary", "atom:summary", "media:description", "subtitle")
_CONTENTS = ("content:encoded", "content", "atom:content", "body", "xhtml:body")
_FIELDS = frozenset({*_TITLES, *_TIMES, *_SUMMARIES, *_CONTENTS, "link", "guid", "id", "category", "dc:subject",
                     "feedburner:origlink", "atom:link", "atom:id", "enclosure", "media:content"})  # fmt: skip

_SHORT = frozenset({*_TITLES, *_TIMES, "link", "guid", "id", "category", "dc:subject", "feedburner:origlink"})


@dataclass(frozen=True, slots=True)
class Enclosure:
    """A file that an entry comes with."""

    url: str
    content_type: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a feed. Title and categories are plain text; summary and content are as they came, mostly HTML."""

    url: str
    title: str = ""
    time: str = ""  # ISO 8601 in UTC, or as exact as the feed says it
    summary: str = ""
    content: str = ""
    categories: tuple[str, ...] = ()
    enclosures: tuple[Enclosure, ...] = ()
    identity: str = ""  # what the feed calls it


@dataclass(frozen=True, slots=True)
class Feed:
    """A feed and its entries, in its order."""

    kind: str  # "RSS 2.0", "Atom"
    title: str
    entries: tuple[Entry, ...]
    left_out: int = 0  # entries beyond MOST_ENTRIES


class NoFeedError(ValueError):
    """The bytes are no feed."""


def read_feed(data: bytes, url: str = "", charset: str = "") -> Feed:
    """The feed in these bytes; a NoFeedError where there is none. `url` is where they came from."""
    if data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{":
        return _read_json(data, url, charset)
    return _Reader(Document(data, charset), url).read()


def is_feed(data: bytes) -> bool:
    """Whether bytes begin as a feed does."""
    try:
        next(iter(_Reader(Document(data[:4096]), "").parts()))
    except StopIteration:
        return True
    except NoFeedError:
        return data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{" and b"jsonfeed.org" in data[:4096]
    return True


@dataclass(slots=True)
class _Value:
    """A field as it stands in an entry."""

    text: str
    attributes: dict[str, str]


_Fields = dict[str, list[_Value]]


@dataclass(slots=True)
class _Open:
    """A field that is being read."""

    name: str
    attributes: dict[str, str]
    start: int
    depth: int
    texts: list[str] = field(default_factory=list)
    size: int = 0
    has_elements: bool = False
    nested: int = 0  # elements of the same name inside


class _Reader:
    """Reads the XML kinds."""

    def __init__(self, document: Document, url: str) -> None:
        self._document, self._base = document, url
        self._kind = ""
        self._passed = 0  # tags before the first of the feed: programs that write feeds write warnings before them
        self._title = ""
        self._fields: _Fields | None = None  # of the entry that is being read
        self._open: _Open | None = None
        self._depth = 0  # of elements inside the entry, or the channel

    def read(self) -> Feed:
        entries: list[Entry] = []
        left_out = 0
        for fields in self.parts():
            if len(entries) < MOST_ENTRIES:
                entries.append(_make_entry(fields, self._base))
            else:
                left_out += 1
        return Feed(self._kind, self._title, tuple(entries), left_out)

    def parts(self) -> Iterator[_Fields]:
        """The fields of each entry."""
        for token in self._document.tokens():
            if not self._kind:
                self._read_root(token)
            elif token.kind == "text":
                self._add_text(token.text)
            elif token.name in _ENTRIES:
                yield from self._take(token.start)
                self._fields = {} if token.kind == "open" else None
                self._depth = 0
            elif token.kind == "open":
                self._enter(token)
            else:
                self._leave(token)
        if not self._kind:
            raise NoFeedError("there is neither RSS nor Atom nor a JSON feed in it")
        yield from self._take(len(self._document.source))

    def _read_root(self, token: Token) -> None:
        if token.kind == "text":
            return
        if token.name not in _ROOTS or token.kind == "close":
            self._passed += 1
            if token.name in _OTHERS or self._passed > _MOST_PASSED:
                raise NoFeedError(f"it begins with <{token.name[:40]}>, which is no feed")
            return
        self._kind = _ROOTS[token.name]
        if token.name == "rss":
            self._kind = f"RSS {token.attributes.get('version', '')[:10]}".strip()
        self._base = absolute(token.attributes.get("xml:base", ""), self._base) or self._base

    def _take(self, place: int) -> Iterator[_Fields]:
        """The entry that ends at a place, if there is one."""
        self._close(place)
        if self._fields is not None:
            yield self._fields
        self._fields = None

    def _add_text(self, text: str) -> None:
        if self._open and self._open.size < LONGEST_CONTENT:
            self._open.texts.append(text[:LONGEST_CONTENT])
            self._open.size += len(text)

    def _enter(self, token: Token) -> None:
        if self._open and self._open.name in _SHORT and token.name in _FIELDS:
            self._close(token.start)  # what closes it is missing
        self._depth += 1
        if self._open:
            self._open.has_elements = True
            self._open.nested += token.name == self._open.name
        elif token.name in _FIELDS and (self._depth <= 1 or self._fields is None) and self._depth < _DEEPEST:
            self._open = _Open(token.name, token.attributes, token.end, self._depth)

    def _leave(self, token: Token) -> None:
        if self._open and token.name == self._open.name:
            if not self._open.nested:
                self._close(token.start)
                return
            self._open.nested -= 1
        self._depth = max(self._depth - 1, 0)

    def _close(self, end: int) -> None:
        """Keep the field that ends at a place; markup inside of it is kept as it stands."""
        one, self._open = self._open, None
        if one is None:
            return
        self._depth = one.depth - 1  # whatever stayed open inside
        text = "".join(one.texts)
        if one.has_elements:
            text = self._document.source[one.start : min(end, one.start + LONGEST_CONTENT)]
        if self._fields is not None:
            self._fields.setdefault(one.name, []).append(_Value(text[:LONGEST_CONTENT], one.attributes))
        elif one.name in _TITLES and not self._title:
            self._title = plain_title(text, is_text=one.attributes.get("type") == "text")


def _make_entry(fields: _Fields, base: str) -> Entry:
    title = _first(fields, _TITLES)
    categories = [value.attributes.get("term") or value.text for value in _all(fields, ("category", "dc:subject"))]
    files = [
        (value.attributes.get("url") or value.attributes.get("href", ""), value.attributes.get("type", ""))
        for name in ("enclosure", "media:content", "link", "atom:link")
        for value in fields.get(name, [])
        if name in {"enclosure", "media:content"} or value.attributes.get("rel") == "enclosure"
    ]
    return Entry(
        _find_address(fields, base),
        plain_title(title.text, is_text=title.attributes.get("type") == "text"),
        next((time for name in _TIMES for value in fields.get(name, []) if (time := read_time(value.text))), ""),
        _first(fields, _SUMMARIES).text.strip(),
        _first(fields, _CONTENTS).text.strip(),
        _listed(plain_title(text) for text in categories),
        _enclosures(files, base),
        _first(fields, ("guid", "id", "atom:id")).text.strip()[:LONGEST_TITLE],
    )


def _all(fields: _Fields, names: tuple[str, ...]) -> list[_Value]:
    return [value for name in names for value in fields.get(name, [])]


def _first(fields: _Fields, names: tuple[str, ...]) -> _Value:
    found = _all(fields, names)
    return next((value for value in found if value.text.strip()), _Value("", found[0].attributes if found else {}))


def _find_address(fields: _Fields, base: str) -> str:
    """The page of an entry: what it was before a counter came between, its link, or what identifies it."""
    candidates = [value.text for value in fields.get("feedburner:origlink", [])]
    links = _all(fields, ("link", "atom:link"))
    alternate = [value for value in links if value.attributes.get("rel", "alternate") == "alternate"]
    alternate.sort(key=lambda value: "html" not in value.attributes.get("type", "html"))
    candidates += [value.attributes.get("href") or value.text for value in alternate]
    for value in _all(fields, ("guid", "id", "atom:id")):
        if value.attributes.get("ispermalink", "true") != "false" and value.text.strip().startswith("http"):
            candidates.append(value.text)
    return next((url for text in candidates if (url := absolute(text.strip(), base)) and "://" in url), "")


def _listed(texts: Iterator[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for text in texts if text))[:_MOST_LISTED]


def _enclosures(files: list[tuple[str, str]], base: str) -> tuple[Enclosure, ...]:
    found = {url: Enclosure(url, kind.strip()[:100]) for one, kind in files if (url := absolute(one.strip(), base))}
    return tuple(found.values())[:_MOST_LISTED]


def plain_title(text: str, *, is_text: bool = False) -> str:
    """A title as plain text on one line: no scripts, no markup, no control characters.

    >>> plain_title("<b>Storm</b> &amp; tide<script>alert(1)</script>"), plain_title("List<Integer> in 5 minutes")
    ('Storm & tide', 'List<Integer> in 5 minutes')
    """
    text = text[: 20 * LONGEST_TITLE]
    if not is_text:
        if "<" in text:
            text = _TAG.sub(lambda tag: "" if tag[1] is None or tag[1].lower() in TAG else tag[0], _LOUD.sub("", text))
        text = unescape(text)
    return " ".join(_CONTROLS.sub(" ", text).split())[:LONGEST_TITLE]


def read_time(text: str) -> str:
    """A moment as feeds write it (RFC 822, ISO 8601 or something else), in ISO 8601 and UTC; empty where it is none.

    >>> read_time("Sun, 15 Nov 2026 09:30:00 +0700"), read_time("2026-11-15T09:30:00+07:00"), read_time("soon")
    ('2026-11-15T02:30:00Z', '2026-11-15T02:30:00Z', '')
    """
    text = " ".join(text[:100].split())
    if _DAY.fullmatch(text):
        return read_date(text)
    moment: datetime | None = None
    for read in (datetime.fromisoformat, email.utils.parsedate_to_datetime):
        try:
            moment = read(text)
            break
        except (ValueError, IndexError, TypeError, OverflowError):
            continue
    if moment is None:
        return read_date(text)
    try:
        moment = moment.replace(tzinfo=moment.tzinfo or UTC).astimezone(UTC)
    except (ValueError, OverflowError):
        return ""
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def _read_json(data: bytes, url: str, charset: str) -> Feed:
    try:
        value = json.loads(decode(data, charset or None).source)
    except (ValueError, RecursionError) as problem:
        raise NoFeedError(f"it is no JSON that can be read ({problem})") from None
    items = value.get("items") if isinstance(value, dict) else None
    if not isinstance(items, list) or "jsonfeed.org" not in str(value.get("version", ""))[:100]:
        raise NoFeedError("it is JSON, but no JSON feed")
    version = str(value["version"]).rpartition("/")[2][:10]
    entries = tuple(_read_item(item, url) for item in items[:MOST_ENTRIES] if isinstance(item, dict))
    left_out = max(len(items) - MOST_ENTRIES, 0)
    return Feed(f"JSON Feed {version}", plain_title(_text(value, "title"), is_text=True), entries, left_out)


def _read_item(item: dict[str, Any], base: str) -> Entry:
    candidates = (_text(item, name) for name in ("url", "external_url", "id"))
    files = [
        (_text(file, "url"), _text(file, "mime_type")) for file in _list(item, "attachments") if isinstance(file, dict)
    ]
    return Entry(
        next((url for text in candidates if (url := absolute(text.strip(), base)) and "://" in url), ""),
        plain_title(_text(item, "title"), is_text=True),
        read_time(_text(item, "date_published") or _text(item, "date_modified")),
        _text(item, "summary")[:LONGEST_CONTENT],
        (_text(item, "content_html") or _text(item, "content_text"))[:LONGEST_CONTENT],
        _listed(plain_title(tag, is_text=True) for tag in _list(item, "tags") if isinstance(tag, str)),
        _enclosures(files, base),
        _text(item, "id")[:LONGEST_TITLE],
    )


def _text(values: dict[str, Any], name: str) -> str:
    value = values.get(name)
    if isinstance(value, str):
        return _SURROGATES.sub("\ufffd", value)
    return str(value) if isinstance(value, int | float) else ""


def _list(values: dict[str, Any], name: str) -> list[Any]:
    value = values.get(name)
    return value if isinstance(value, list) else []
