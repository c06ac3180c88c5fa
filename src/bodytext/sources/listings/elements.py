"""The bytes of an XML document, however broken -> its tags and texts in order.

Feeds and sitemaps are often not well-formed, and an XML parser then gives nothing. This reads what is there: nothing
has to be closed, references are those of HTML, and a DOCTYPE is passed over, so that entities that grow or reach out do
not exist. Each byte is looked at a bounded number of times.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from bodytext.kernel.tokens import unescape
from bodytext.page.encoding import decode

_BEGINNING = re.compile(r"<(?=/?[A-Za-z_]|[!?])")  # any other "<" is a character
_NAME = re.compile(r"/?[A-Za-z_][\w.:-]{0,100}")
# Behind a tag's name: whole quoted values and anything else up to the ">". A quote without an end is no quote.
_REST = re.compile(r"(?:[^<>\"']++|\"[^\"]*+\"|'[^']*+')*+(?:>|(?=<)|$)")
_ATTRIBUTE = re.compile(r"([^\s=<>\"'/]++)(?:\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)'|([^\s\"'<>]++)))?+")
_MOST_ATTRIBUTES = 50
MOST_TAGS = 10_000_000  # that are read; a full sitemap with addresses in thirty languages has five million
# Namespaces by what feeds commonly call them, so that a feed may call them anything.
_NAMESPACES = {
    "http://purl.org/rss/1.0/modules/content/": "content",
    "http://purl.org/dc/elements/1.1/": "dc",
    "http://search.yahoo.com/mrss/": "media",
    "http://www.w3.org/2005/Atom": "atom",
    "http://rssnamespace.org/feedburner/ext/1.0": "feedburner",
    "http://www.google.com/schemas/sitemap-news/0.9": "news",
    "http://www.google.com/schemas/sitemap-image/1.1": "image",
    "http://www.google.com/schemas/sitemap-video/1.1": "video",
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#": "rdf",
}


@dataclass(slots=True)
class Token:
    """An opening tag, a closing tag or a text; `start` and `end` are where it stands in `source` of its Document."""

    kind: str  # "open", "close", "text"
    name: str  # of a tag, as its namespace is commonly called: "content:encoded"
    text: str
    attributes: dict[str, str]
    start: int
    end: int


class Document:
    """An XML document as text, and its tokens."""

    def __init__(self, data: bytes, charset: str = "") -> None:
        self.source = decode(data, charset or None).source.decode("utf-8").replace("\0", "")
        self._prefixes: dict[str, str] = {}

    def tokens(self) -> Iterator[Token]:
        """All tags and texts in order; a tag that closes itself is two."""
        source, place = self.source, 0
        for _ in range(MOST_TAGS):
            found = _BEGINNING.search(source, place)
            if found is None:
                break
            tag = found.start()
            if tag > place:
                yield Token("text", "", unescape(source[place:tag]), {}, place, tag)
            if source.startswith(("<!", "<?"), tag):
                content, place = self._pass_over(tag)
                if content:
                    yield Token("text", "", content, {}, tag, place)
                continue
            name_end = _NAME.match(source, tag + 1).end()  # type: ignore[union-attr]
            place = self._end_of_tag(name_end)
            yield from self._read_tag(tag, name_end, place)
        if place < len(source):
            yield Token("text", "", unescape(source[place:]), {}, place, len(source))

    def _pass_over(self, start: int) -> tuple[str, int]:
        """The text of a CDATA section, or nothing for what is no content; and the place behind."""
        source = self.source
        for beginning, ending in (("<![CDATA[", "]]>"), ("<!--", "-->"), ("<?", "?>")):
            if source.startswith(beginning, start):
                end = source.find(ending, start + len(beginning))
                stop = end if end >= 0 else len(source)
                content = source[start + len(beginning) : stop] if ending == "]]>" else ""
                return content, stop + len(ending) if end >= 0 else stop
        end = source.find(">", start)
        inner = source.find("[", start, end) if end >= 0 else -1
        if inner >= 0:  # a DOCTYPE with declarations
            closed = source.find("]", inner)
            end = source.find(">", closed) if closed >= 0 else -1
        return "", end + 1 if end >= 0 else len(source)

    def _end_of_tag(self, start: int) -> int:
        found = _REST.match(self.source, start)
        if found:
            return found.end()
        end = self.source.find(">", start)
        return end + 1 if end >= 0 else len(self.source)

    def _read_tag(self, start: int, behind_name: int, end: int) -> Iterator[Token]:
        name = self.source[start + 1 : behind_name]
        if name.startswith("/"):
            yield Token("close", self._common(name[1:]), "", {}, start, end)
            return
        attributes: dict[str, str] = {}
        for found in _ATTRIBUTE.finditer(self.source, behind_name, end):
            value = found[2] or found[3] or found[4] or ""
            attributes.setdefault(found[1].lower(), unescape(value))
            if len(attributes) >= _MOST_ATTRIBUTES:
                break
        for key, value in attributes.items():
            if key.startswith("xmlns:") and value.strip() in _NAMESPACES:
                self._prefixes[key.removeprefix("xmlns:")] = _NAMESPACES[value.strip()]
        common = self._common(name)
        yield Token("open", common, "", attributes, start, end)
        if self.source.startswith("/>", end - 2):
            yield Token("close", common, "", {}, end, end)

    def _common(self, name: str) -> str:
        prefix, colon, local = name.partition(":")
        if not colon:
            return name.lower()
        return f"{self._prefixes.get(prefix.lower(), prefix.lower())}:{local.lower()}"
