"""Read the tags and texts of an XML document, however broken it is.

Feeds and sitemaps are often not well-formed, and an XML parser then gives nothing. This reader
takes what is there: no element must be closed, references are those of HTML, and a DOCTYPE is
skipped, so that there are no entities that expand or load other files. Each byte is read a bounded
number of times.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from bodytext.kernel.tokens import unescape
from bodytext.page.encoding import decode

_BEGINNING = re.compile(r"<(?=/?[A-Za-z_]|[!?])")  # any other "<" is a character
_PLAIN_TAG = re.compile(r"<(/?)([A-Za-z_][\w.:-]{0,100})>")  # most are: no attributes
_NAME = re.compile(r"/?[A-Za-z_][\w.:-]{0,100}")
# After a tag's name: whole quoted values and anything else up to the ">". A quote without an end is
# no quote.
_REST = re.compile(r"(?>(?:[^<>\"']++|\"[^\"]*+\"|'[^']*+')*)(?:>|(?=<)|$)")
_ATTRIBUTE = re.compile(
    r"([^\s=<>\"'/]++)(?>(?:\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)'|([^\s\"'<>]++)))?)"
)
_MOST_ATTRIBUTES = 50
MOST_TAGS = 10_000_000  # a full sitemap with addresses in thirty languages has five million
# The usual prefixes of namespaces, whose names are in lower case here; a feed may use any others.
# RSS itself has none.
_NAMESPACES = {
    "http://purl.org/rss/1.0/modules/content": "content",
    "http://purl.org/dc/elements/1.1": "dc",
    "http://purl.org/dc/terms": "dcterms",
    "http://search.yahoo.com/mrss": "media",
    "http://www.w3.org/2005/atom": "atom",
    "http://purl.org/atom/ns#": "atom",
    "http://www.itunes.com/dtds/podcast-1.0.dtd": "itunes",
    "http://rssnamespace.org/feedburner/ext/1.0": "feedburner",
    "http://www.google.com/schemas/sitemap-news/0.9": "news",
    "http://www.google.com/schemas/sitemap-image/1.1": "image",
    "http://www.google.com/schemas/sitemap-video/1.1": "video",
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#": "rdf",
    "http://www.sitemaps.org/schemas/sitemap/0.9": "",
    "http://purl.org/rss/1.0": "",
    "http://my.netscape.com/rdf/simple/0.9": "",
    "http://backend.userland.com/rss": "",
    "http://backend.userland.com/rss2": "",
    "http://blogs.law.harvard.edu/tech/rss": "",
}


@dataclass(slots=True)
class XmlToken:
    """A tag or a text; `start` and `end` are offsets in the source of its XmlDocument."""

    kind: str  # "open", "close", "text"
    name: str  # of a tag, with the usual prefix of its namespace: "content:encoded"
    text: str
    attributes: dict[str, str]
    start: int
    end: int


class XmlDocument:
    """An XML document as text, and its tokens."""

    def __init__(self, data: bytes, charset: str = "") -> None:
        self.source = decode(data, charset or None).source.decode("utf-8").replace("\0", "")
        self._prefixes: dict[str, str] = {}

    def tokens(self) -> Iterator[XmlToken]:
        """Yield all tags and texts in order; a tag that closes itself is two."""
        source, position = self.source, 0
        for _ in range(MOST_TAGS):
            match = _BEGINNING.search(source, position)
            if match is None:
                break
            tag = match.start()
            if tag > position:
                yield XmlToken("text", "", unescape(source[position:tag]), {}, position, tag)
            if plain := _PLAIN_TAG.match(source, tag):
                kind, name = "close" if plain[1] else "open", self._with_usual_prefix(plain[2])
                position = plain.end()
                yield XmlToken(kind, name, "", {}, tag, position)
                continue
            if source.startswith(("<!", "<?"), tag):
                content, position = self._skip(tag)
                if content:
                    yield XmlToken("text", "", content, {}, tag, position)
                continue
            name_end = _NAME.match(source, tag + 1).end()  # type: ignore[union-attr]
            position = self._end_of_tag(name_end)
            yield from self._read_tag(tag, name_end, position)
        if position < len(source):
            yield XmlToken("text", "", unescape(source[position:]), {}, position, len(source))

    def _skip(self, start: int) -> tuple[str, int]:
        """Return the text of a CDATA section, empty for other declarations, and its end."""
        source = self.source
        for beginning, ending in (("<![CDATA[", "]]>"), ("<!--", "-->"), ("<?", "?>")):
            if source.startswith(beginning, start):
                inner = start + len(beginning)
                end = source.find(ending, inner)
                content = ""
                if ending == "]]>":
                    content = source[inner : end if end >= 0 else len(source)]
                return content, end + len(ending) if end >= 0 else len(source)
        return "", self._end_of_declaration(start)

    def _end_of_declaration(self, start: int) -> int:
        source = self.source
        end = source.find(">", start)
        inner = source.find("[", start, end) if end >= 0 else -1
        if inner >= 0:  # a DOCTYPE with declarations
            closed = source.find("]", inner)
            end = source.find(">", closed) if closed >= 0 else -1
        return end + 1 if end >= 0 else len(source)

    def _end_of_tag(self, start: int) -> int:
        match = _REST.match(self.source, start)
        if match:
            return match.end()
        end = self.source.find(">", start)
        return end + 1 if end >= 0 else len(self.source)

    def _read_tag(self, start: int, name_end: int, end: int) -> Iterator[XmlToken]:
        name = self.source[start + 1 : name_end]
        if name.startswith("/"):
            yield XmlToken("close", self._with_usual_prefix(name[1:]), "", {}, start, end)
            return
        attributes = self._read_attributes(name_end, end)
        for key, value in attributes.items():
            namespace = value.strip().lower().rstrip("/")
            if key.startswith("xmlns:") and namespace in _NAMESPACES:
                self._prefixes[key.removeprefix("xmlns:")] = _NAMESPACES[namespace]
        usual = self._with_usual_prefix(name)
        yield XmlToken("open", usual, "", attributes, start, end)
        if self.source.startswith("/>", end - 2):
            yield XmlToken("close", usual, "", {}, end, end)

    def _read_attributes(self, start: int, end: int) -> dict[str, str]:
        attributes: dict[str, str] = {}
        for match in _ATTRIBUTE.finditer(self.source, start, end):
            value = match[2] or match[3] or match[4] or ""
            attributes.setdefault(match[1].lower(), unescape(value))
            if len(attributes) >= _MOST_ATTRIBUTES:
                break
        return attributes

    def _with_usual_prefix(self, name: str) -> str:
        name = name.lower()
        if ":" not in name:
            return name
        prefix, _, local = name.partition(":")
        usual = self._prefixes.get(prefix, prefix)
        return f"{usual}:{local}" if usual else local
