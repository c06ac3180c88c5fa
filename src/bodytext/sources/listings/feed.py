"""The bytes of a feed (RSS 0.9x, 1.0 and 2.0, Atom, JSON Feed) -> its entries, also where it is broken or hostile."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from bodytext.page.urls import absolute
from bodytext.sources.listings.elements import Document, Token
from bodytext.sources.listings.entry import (
    LONGEST_CONTENT,
    LONGEST_TITLE,
    MOST_ENTRIES,
    Entry,
    Feed,
    NoFeedError,
    list_enclosures,
    list_texts,
    plain_title,
    read_time,
)
from bodytext.sources.listings.json_feed import read_json_feed

_ROOTS = {"rss": "RSS", "rdf:rdf": "RSS 1.0", "feed": "Atom", "channel": "RSS", "atom:feed": "Atom"}
_OTHERS = frozenset({"html", "head", "body", "urlset", "sitemapindex"})
_MOST_PASSED = 50
_ENTRIES = frozenset({"item", "entry", "atom:entry"})
_DEEPEST = 100  # elements inside an entry
# Where an entry's field may stand, best first.
_TITLES = ("title", "atom:title", "dc:title", "media:title")
_TIMES = ("pubdate", "published", "atom:published", "dc:date", "issued", "updated", "atom:updated", "modified", "date")
_SUMMARIES = ("description", "summary", "atom:summary", "media:description", "subtitle")
_CONTENTS = ("content:encoded", "content", "atom:content", "body", "xhtml:body")
_FIELDS = frozenset({*_TITLES, *_TIMES, *_SUMMARIES, *_CONTENTS, "link", "guid", "id", "category", "dc:subject",
                     "feedburner:origlink", "atom:link", "atom:id", "enclosure", "media:content"})  # fmt: skip

_SHORT = frozenset({*_TITLES, *_TIMES, "link", "guid", "id", "category", "dc:subject", "feedburner:origlink"})


def read_feed(data: bytes, url: str = "", charset: str = "") -> Feed:
    """The feed in these bytes; a NoFeedError where there is none. `url` is where they came from."""
    if data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{":
        return read_json_feed(data, url, charset)
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
        list_texts(plain_title(text) for text in categories),
        list_enclosures(files, base),
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
