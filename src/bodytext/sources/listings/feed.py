"""Read feeds (RSS 0.9x, 1.0 and 2.0, Atom, JSON Feed), even broken or hostile ones."""

import binascii
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from bodytext.page.encoding import decode
from bodytext.page.urls import absolute, limit_base
from bodytext.sources.listings.entry import (
    LONGEST_CONTENT,
    LONGEST_TITLE,
    MOST_ENTRIES,
    FeedEntry,
    NoFeedError,
    ParsedFeed,
    first_address,
    list_enclosures,
    list_texts,
    plain_title,
    read_time,
)
from bodytext.sources.listings.lenient_xml import XmlDocument, XmlToken

_ROOTS = {"rss": "RSS", "rdf:rdf": "RSS 1.0", "feed": "Atom", "channel": "RSS", "atom:feed": "Atom"}
# First tags of other documents.
_NOT_FEEDS = frozenset({"html", "head", "body", "urlset", "sitemapindex"})
_MOST_PASSED = 50  # tags before the first of the feed
_ENTRIES = frozenset({"item", "entry", "atom:entry"})
_DEEPEST = 100  # elements inside an entry
# The elements that can hold a field of an entry, best first.
_TITLES = ("title", "atom:title", "dc:title", "media:title")
_TIMES = (
    "pubdate",
    "published",
    "atom:published",
    "dc:date",
    "issued",
    "atom:issued",
    "dcterms:issued",
    "created",
    "atom:created",
    "dcterms:created",
    "updated",
    "atom:updated",
    "modified",
    "atom:modified",
    "dcterms:modified",
    "date",
)
_SUMMARIES = (
    "description",
    "summary",
    "atom:summary",
    "dc:description",
    "itunes:summary",
    "media:description",
    "subtitle",
)
_CONTENTS = ("content:encoded", "content", "atom:content", "fullitem", "body", "xhtml:body")
_LINKS = ("link", "atom:link")
_IDENTITIES = ("guid", "id", "atom:id", "rdf:about")
_CATEGORIES = ("category", "atom:category", "dc:subject", "media:category", "itunes:category")
_GROUPS = frozenset({"media:group"})  # what is in them belongs to the entry
_ASIDES = frozenset({"image", "textinput"})  # parts of a channel with titles of their own
_FIELDS = frozenset({
    *_TITLES, *_TIMES, *_SUMMARIES, *_CONTENTS, *_LINKS, *_IDENTITIES, *_CATEGORIES,
    "feedburner:origlink", "enclosure", "media:content",
})  # fmt: skip

# Fields without elements in them: the next field ends one whose closing tag is missing.
_SHORT = frozenset(
    {*_TITLES, *_TIMES, "link", "guid", "id", "category", "dc:subject", "feedburner:origlink"}
)


def read_feed(data: bytes, url: str = "", charset: str = "") -> ParsedFeed:
    """Read a feed, or raise a NoFeedError. `url` is where the bytes came from."""
    url = limit_base(url)
    if data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{":
        return read_json_feed(data, url, charset)
    return _FeedReader(XmlDocument(data, charset), url).read()


def is_feed(data: bytes) -> bool:
    """Whether bytes begin like a feed."""
    try:
        next(iter(_FeedReader(XmlDocument(data[:4096]), "").entries()))
    except StopIteration:
        return True
    except NoFeedError:
        return data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{" and b"jsonfeed.org" in data[:4096]
    return True


@dataclass(slots=True)
class _FieldValue:
    """The value of a field of an entry."""

    text: str
    attributes: dict[str, str]

    @property
    def is_plain(self) -> bool:
        """Whether an Atom feed says that the value is text without markup."""
        return self.attributes.get("type") == "text"


def _decode_base64(text: str, attributes: dict[str, str]) -> str:
    """Return the text of a value, which Atom allows to be in Base64 if its type is binary."""
    kind = attributes.get("type", "").lower()
    is_binary = "/" in kind and not kind.startswith("text/") and not kind.endswith(("xml", "html"))
    if attributes.get("mode", "").lower() != "base64" and not is_binary:
        return text
    try:
        decoded = binascii.a2b_base64("".join(text.split()), strict_mode=True)
        return decoded.decode("utf-8")
    except (ValueError, UnicodeError):
        return text


_Fields = dict[str, list[_FieldValue]]


@dataclass(slots=True)
class _OpenField:
    """A field that is being read."""

    name: str
    attributes: dict[str, str]
    start: int
    depth: int
    texts: list[str] = field(default_factory=list)
    size: int = 0
    has_elements: bool = False
    nested: int = 0  # elements of the same name inside


class _FeedReader:
    """Reads RSS and Atom."""

    def __init__(self, document: XmlDocument, url: str) -> None:
        self._document, self._base = document, url
        self._kind = ""
        self._passed = 0  # tags before the first of the feed: some programs print warnings there
        self._title = ""
        self._aside = ""  # the part of the channel whose titles are not the feed's
        self._fields: _Fields | None = None  # of the entry that is being read
        self._open: _OpenField | None = None
        self._depth = 0  # of elements inside the entry, or the channel

    def read(self) -> ParsedFeed:
        entries: list[FeedEntry] = []
        left_out = 0
        for fields in self.entries():
            if len(entries) < MOST_ENTRIES:
                entries.append(_make_entry(fields, self._base))
            else:
                left_out += 1
        return ParsedFeed(self._kind, self._title, tuple(entries), left_out)

    def entries(self) -> Iterator[_Fields]:
        """Yield the fields of each entry."""
        for token in self._document.tokens():
            if not self._kind:
                self._read_root(token)
            elif token.kind == "text":
                self._add_text(token.text)
            elif token.name in _ENTRIES:
                yield from self._take(token.start)
                self._fields = _begin_entry(token) if token.kind == "open" else None
                self._aside, self._depth = "", 0
            elif token.kind == "open":
                self._enter(token)
            else:
                self._leave(token)
        if not self._kind:
            raise NoFeedError("it is neither RSS nor Atom nor a JSON feed")
        yield from self._take(len(self._document.source))

    def _read_root(self, token: XmlToken) -> None:
        if token.kind == "text":
            return
        if token.name not in _ROOTS or token.kind == "close":
            self._passed += 1
            if token.name in _NOT_FEEDS or self._passed > _MOST_PASSED:
                raise NoFeedError(f"it begins with <{token.name[:40]}>, which is not a feed")
            return
        self._kind = _ROOTS[token.name]
        if token.name == "rss":
            self._kind = f"RSS {token.attributes.get('version', '')[:10]}".strip()
        base = absolute(token.attributes.get("xml:base", ""), self._base)
        self._base = limit_base(base) or self._base

    def _take(self, end: int) -> Iterator[_Fields]:
        """Yield the entry that ends at an offset, if there is one."""
        self._close(end)
        if self._fields is not None:
            yield self._fields
        self._fields = None

    def _add_text(self, text: str) -> None:
        if self._open and self._open.size < LONGEST_CONTENT:
            self._open.texts.append(text[:LONGEST_CONTENT])
            self._open.size += len(text)

    def _enter(self, token: XmlToken) -> None:
        if self._open and self._open.name in _SHORT and token.name in _FIELDS:
            self._close(token.start)  # its closing tag is missing
        if token.name in _GROUPS and not self._open:
            return
        if token.name in _ASIDES and self._fields is None:
            self._aside = token.name
        self._depth += 1
        if self._open:
            self._open.has_elements = True
            self._open.nested += token.name == self._open.name
        elif (
            token.name in _FIELDS
            and (self._depth <= 1 or self._fields is None)
            and self._depth < _DEEPEST
        ):
            self._open = _OpenField(token.name, token.attributes, token.end, self._depth)

    def _leave(self, token: XmlToken) -> None:
        if self._open and token.name == self._open.name:
            if not self._open.nested:
                self._close(token.start)
                return
            self._open.nested -= 1
        if token.name in _GROUPS and not self._open:
            return
        if token.name == self._aside:
            self._aside = ""
        self._depth = max(self._depth - 1, 0)

    def _close(self, end: int) -> None:
        """Keep the field that ends at an offset, with the markup inside it."""
        closed, self._open = self._open, None
        if closed is None:
            return
        self._depth = closed.depth - 1  # whatever stayed open inside
        text = "".join(closed.texts)
        if closed.has_elements:
            text = self._document.source[closed.start : min(end, closed.start + LONGEST_CONTENT)]
        else:
            text = _decode_base64(text, closed.attributes)
        value = _FieldValue(text[:LONGEST_CONTENT], closed.attributes)
        if self._fields is not None:
            self._fields.setdefault(closed.name, []).append(value)
        elif closed.name in _TITLES and not self._title and not self._aside:
            self._title = plain_title(text, is_text=value.is_plain)


def _begin_entry(token: XmlToken) -> _Fields:
    """Return the fields that the tag of an entry has: its identity in RSS 1.0."""
    about = token.attributes.get("rdf:about", "")
    return {"rdf:about": [_FieldValue(about, {})]} if about else {}


def _make_entry(fields: _Fields, base: str) -> FeedEntry:
    title = _first(fields, _TITLES)
    categories = [_name_category(value) for value in _all(fields, _CATEGORIES)]
    return FeedEntry(
        first_address(_list_addresses(fields), base),
        plain_title(title.text, is_text=title.is_plain),
        _find_time(fields),
        _first(fields, _SUMMARIES).text.strip(),
        _first(fields, _CONTENTS).text.strip(),
        list_texts(plain_title(text) for text in categories),
        list_enclosures(_list_files(fields), base),
        _first(fields, _IDENTITIES).text.strip()[:LONGEST_TITLE],
    )


def _name_category(value: _FieldValue) -> str:
    """Return the name of a category as it is meant for people."""
    named = (value.attributes.get(name) for name in ("label", "term", "text"))
    return next((name for name in named if name), value.text)


def _all(fields: _Fields, names: tuple[str, ...]) -> list[_FieldValue]:
    return [value for name in names for value in fields.get(name, [])]


def _first(fields: _Fields, names: tuple[str, ...]) -> _FieldValue:
    """Return the first value with a text, or an empty one with the first attributes."""
    values = _all(fields, names)
    for value in values:
        if value.text.strip():
            return value
    return _FieldValue("", values[0].attributes if values else {})


def _find_time(fields: _Fields) -> str:
    times = (read_time(value.text) for value in _all(fields, _TIMES))
    return next((time for time in times if time), "")


def _list_files(fields: _Fields) -> list[tuple[str, str]]:
    """List the addresses and types of the files that come with an entry."""
    values = _all(fields, ("enclosure", "media:content"))
    values += [
        value for value in _all(fields, _LINKS) if value.attributes.get("rel") == "enclosure"
    ]
    return [
        (
            value.attributes.get("url") or value.attributes.get("href", ""),
            value.attributes.get("type", ""),
        )
        for value in values
    ]


def _list_addresses(fields: _Fields) -> list[str]:
    """List an entry's addresses, best first: before FeedBurner, its links, its identity."""
    addresses = [value.text for value in fields.get("feedburner:origlink", [])]
    links = [
        value
        for value in _all(fields, _LINKS)
        if value.attributes.get("rel", "alternate") == "alternate"
    ]
    links.sort(key=lambda value: "html" not in value.attributes.get("type", "html"))
    addresses += [value.attributes.get("href") or value.text for value in links]
    return addresses + [value.text for value in _all(fields, _IDENTITIES) if _is_permalink(value)]


def _is_permalink(value: _FieldValue) -> bool:
    address = value.text.strip()[:4].lower()
    return value.attributes.get("ispermalink", "true") != "false" and address == "http"


_SURROGATES = re.compile(r"[\ud800-\udfff]")


def read_json_feed(data: bytes, url: str, charset: str) -> ParsedFeed:
    """Read a JSON feed, or raise a NoFeedError."""
    try:
        value = json.loads(decode(data, charset or None).source)
    except (ValueError, RecursionError) as error:
        raise NoFeedError(f"it is not valid JSON ({error})") from None
    items = value.get("items") if isinstance(value, dict) else None
    if not isinstance(items, list) or "jsonfeed.org" not in str(value.get("version", ""))[:100]:
        raise NoFeedError("it is JSON, but not a JSON feed")
    version = str(value["version"]).rpartition("/")[2][:10]
    entries = tuple(
        _read_item(item, url) for item in items[:MOST_ENTRIES] if isinstance(item, dict)
    )
    left_out = max(len(items) - MOST_ENTRIES, 0)
    return ParsedFeed(
        f"JSON Feed {version}", plain_title(_text(value, "title"), is_text=True), entries, left_out
    )


def _read_item(item: dict[str, Any], base: str) -> FeedEntry:
    identity = _text(item, "id")
    addresses = [_text(item, "url"), _text(item, "external_url")]
    if "://" in identity:
        addresses.append(identity)
    files = [file for file in _list(item, "attachments") if isinstance(file, dict)]
    return FeedEntry(
        first_address(addresses, base),
        plain_title(_text(item, "title"), is_text=True),
        read_time(_text(item, "date_published") or _text(item, "date_modified")),
        _text(item, "summary")[:LONGEST_CONTENT],
        (_text(item, "content_html") or _text(item, "content_text"))[:LONGEST_CONTENT],
        list_texts(
            plain_title(tag, is_text=True) for tag in _list(item, "tags") if isinstance(tag, str)
        ),
        list_enclosures([(_text(file, "url"), _text(file, "mime_type")) for file in files], base),
        identity[:LONGEST_TITLE],
    )


def _text(values: dict[str, Any], name: str) -> str:
    value = values.get(name)
    if isinstance(value, str):
        return _SURROGATES.sub("\ufffd", value)
    return str(value) if isinstance(value, int | float) else ""


def _list(values: dict[str, Any], name: str) -> list[Any]:
    value = values.get(name)
    return value if isinstance(value, list) else []
