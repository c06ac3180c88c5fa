"""Read what a page says about itself: metas, links, JSON-LD, item properties, headlines."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from bodytext.kernel import find_places, find_rows, read_contents
from bodytext.kernel.html import TAG, Flag
from bodytext.kernel.table_columns import NodeColumn
from bodytext.kernel.tokens import unescape
from bodytext.page.head_links import HeadLinks
from bodytext.page.json_ld import json_ld, types_of
from bodytext.page.late_pattern import late_pattern
from bodytext.page.once import once
from bodytext.views.metadata.element_text import (
    ASIDE,
    UNSEEN,
    nodes_at,
    text_of,
)

# Bounds that no honest page comes near: they keep a flood of statements linear and cheap.
MOST_ELEMENTS = 3_000  # of one name
MOST_STATEMENTS = 600  # item properties and JSON-LD objects
LONGEST_VALUE = 10_000  # characters of a value
MOST_HEADLINES = 20

_ARTICLE_TYPES = """
    article newsarticle blogposting reportagenewsarticle opinionnewsarticle analysisnewsarticle
    backgroundnewsarticle reviewnewsarticle asknewsarticle askpublicnewsarticle satiricalarticle
    advertisercontentarticle techarticle scholarlyarticle medicalscholarlyarticle report
    liveblogposting socialmediaposting discussionforumposting howto recipe review criticreview
    apireference podcastepisode
"""
ARTICLE_TYPES = frozenset(_ARTICLE_TYPES.split())
_OTHER_TYPES = """
    question product productgroup course book movie videoobject event jobposting
    softwareapplication mobileapplication webapplication softwaresourcecode dataset service
    localbusiness creativework guide faqpage qapage realestatelisting vacationrental hotel
"""
OTHER_TYPES = frozenset(_OTHER_TYPES.split())
_PAGE_TYPES = """
    webpage itempage aboutpage collectionpage medicalwebpage profilepage checkoutpage contactpage
    searchresultspage
"""
PAGE_TYPES = frozenset(_PAGE_TYPES.split())
WRITTEN = frozenset({"article", "forum"})  # the page types that have authors and dates
LONGEST_TAG = 2_000  # bytes that are read of a tag which is read more than once
_MARKUP = late_pattern(r"<[a-zA-Z/!][^<>]{0,500}>")
_META = TAG["meta"]
# As plain numbers: looking up a member takes as long as reading a value.
_TAG, _START = int(NodeColumn.TAG), int(NodeColumn.START)
_ITEM_TYPE = late_pattern(rb"""itemtype\s*+=\s*+["']?https?://schema\.org/(\w++)""")
_ITEM_NAMES = late_pattern(rb"""\s?[a-z]{8}=\s*+["']?([^"'>]{1,100})""")
_ITEM_PROPERTIES = "author creator name datepublished datecreated datemodified"
_ITEMS_OF_INTEREST = frozenset(_ITEM_PROPERTIES.split())
_LEVELS_UP = 15
_OUTSIDE = int(Flag.NAV | Flag.FOOTER | Flag.ASIDE)  # no place for a headline
_RDFA_REGION = 60_000  # bytes of the body in which RDFa names its first thing


def clean(value: object) -> str:
    r"""A value as one line of plain text, without references and markup; empty if it is not text.

    >>> clean(" A &amp;amp; B <b>c</b>\n"), clean(None)
    ('A & B c', '')
    """
    if not isinstance(value, str):
        return ""
    text = value[:LONGEST_VALUE]
    if "&" in text:
        text = unescape(unescape(text))
    if "<" in text:
        text = _MARKUP.sub("", text)
    return " ".join(text.split())


def clean_content(content: str) -> str:
    """The content of a <meta> as one line of plain text."""
    return clean(unescape(content) if "&" in content else content)


@dataclass(frozen=True)
class Statements(HeadLinks):
    """What a page says about itself. Everything is read once, when it is first needed."""

    page_type: str = ""  # where a method knows it

    def first(self, *names: str) -> str:
        """The first value of these metas; their names are in lower case, with ":" for "."."""
        meta = self.meta
        for name in names:
            if name in meta:
                for value in meta[name]:
                    if text := clean_content(value):
                        return text
        return ""

    def all(self, *names: str) -> list[str]:
        """The values of these metas."""
        meta = self.meta
        if meta.keys().isdisjoint(names):
            return []  # most
        values = [value for name in names if name in meta for value in meta[name]]
        return [text for text in map(clean_content, values) if text]

    def tells(self, names: frozenset[str]) -> bool:
        """Whether JSON-LD is about the page, or one of these metas is there: few small pages say so."""
        return bool(self.main) or not self.meta.keys().isdisjoint(names)

    @once
    def meta(self) -> dict[str, list[str]]:
        """The contents of every <meta> by its name, property, or "item:" and item property.

        They are as the page has them: few are read, and resolving their references takes longest.
        """
        return read_contents(self.page.source, self.page.tables[0], _META, MOST_ELEMENTS)

    def elements(self, name: str) -> list[int]:
        """The elements of one name, in the page's order."""
        return find_rows(self.page.tables[0][_TAG], TAG[name], MOST_ELEMENTS)

    @once
    def times(self) -> list[int]:
        """The <time> elements."""
        return self.elements("time")

    # JSON-LD

    @once
    def objects(self) -> list[dict[str, Any]]:
        """The JSON-LD objects of the page, each followed by those in its `mainEntity`."""
        objects: list[dict[str, Any]] = []
        for item in json_ld(self.page)[:MOST_STATEMENTS]:
            objects.append(item)
            for key in ("mainEntity", "mainEntityOfPage"):
                inner = item.get(key)
                parts = inner if isinstance(inner, list) else [inner]
                objects += [part for part in parts if isinstance(part, dict) and "@type" in part]
        return objects[: 2 * MOST_STATEMENTS]

    @once
    def typed(self) -> list[tuple[frozenset[str], dict[str, Any]]]:
        """The JSON-LD objects with the names of their types in lower case."""
        return [(frozenset(map(str.lower, types_of(item))), item) for item in self.objects]

    @once
    def by_identity(self) -> dict[str, dict[str, Any]]:
        """The JSON-LD objects by their "@id", to resolve references to them."""
        objects: dict[str, dict[str, Any]] = {}
        for item in self.objects:
            identity = item.get("@id")
            if isinstance(identity, str) and len(item) > 1:
                objects.setdefault(identity, item)
        return objects

    def resolve(self, value: Any) -> Any:
        """The object that a JSON-LD reference refers to, or the value itself."""
        if not isinstance(value, dict) or value.get("name"):
            return value
        identity = value.get("@id")
        return self.by_identity.get(identity, value) if isinstance(identity, str) else value

    def listed(self, value: Any) -> Iterator[Any]:
        """The parts of a JSON-LD value, with references resolved."""
        parts = value if isinstance(value, list) else [value]
        return map(self.resolve, parts[:MOST_STATEMENTS])

    def texts(self, value: Any, *keys: str) -> list[str]:
        """The texts of a JSON-LD value: itself, or those of its objects under these keys."""
        if value is None:
            return []
        if isinstance(value, str):  # most
            return [text] if (text := clean(value)) else []
        texts = (_text_of(part, (*keys, "@value")) for part in self.listed(value))
        return [text for text in texts if text]

    @once
    def main(self) -> dict[str, Any]:
        """The JSON-LD object that the page is about: an article, another thing, or a page."""
        for types in (ARTICLE_TYPES, OTHER_TYPES, PAGE_TYPES):
            if objects := [item for own, item in self.typed if not types.isdisjoint(own)]:
                return self._about_this_page(objects)
        return {}

    @once
    def is_article(self) -> bool:
        """Whether the page is an article or a post: by the method, or else by data and metas."""
        if self.page_type:
            return self.page_type in WRITTEN
        if not ARTICLE_TYPES.isdisjoint(map(str.lower, types_of(self.main))):
            return True
        if self.first("og:type").lower() in {"article", "blog", "news"}:
            return True
        return "article:published_time" in self.meta

    @once
    def may_be_article(self) -> bool:
        """Whether data, metas, <time> or <article> hint at an article or a post."""
        return self.is_article or bool(self.times) or bool(self.elements("article"))

    @once
    def page_object(self) -> dict[str, Any]:
        """The JSON-LD object for the page itself."""
        return next((item for own, item in self.typed if not PAGE_TYPES.isdisjoint(own)), {})

    def _about_this_page(self, objects: list[dict[str, Any]]) -> dict[str, Any]:
        """Of several objects the one with the page's address, or the first."""
        if len(objects) > 1 and (canonical := self.canonical):
            own = _bare_address(canonical)
            for item in objects:
                if any(_bare_address(address) == own for address in _addresses_of(item)):
                    return item
        return objects[0]

    @once
    def canonical(self) -> str:
        """The page's address, as far as it is known."""
        return self.canonical_link or self.address(self.first("og:url")) or self.page.url

    @once
    def canonical_link(self) -> str:
        """The address that the page links to as its own."""
        return self.linked("canonical")

    # elements

    @once
    def items(self) -> dict[str, list[int]]:
        """The elements in the body with a property of interest, of microdata or RDFa."""
        if not self.times and (self.objects or not self.is_article):
            return {}  # searching all tags is expensive, and hardly ever worth it on such pages
        names = [
            (name, place)
            for place in self._item_places()
            if (match := _ITEM_NAMES.match(self.page.source, place))
            for name in _items_of_interest(match[1])
        ]
        nodes: dict[str, list[int]] = {}
        if not names:
            return nodes
        items = nodes_at(self.page, [place for _, place in names])
        for (name, _), node in zip(names, items, strict=True):
            if node >= 0:
                nodes.setdefault(name, []).append(node)
        return nodes

    def _item_places(self) -> list[int]:
        """The places of the attributes with properties; of RDFa only if there is no microdata."""
        source, start = self.page.source, self._body_start
        places = find_places(source, b"itemprop=", MOST_STATEMENTS, start)
        if not places and find_places(source[start : start + _RDFA_REGION], b"typeof=", 1):
            places = find_places(source, b" property=", MOST_STATEMENTS, start)
        return places

    def item_values(self, *names: str) -> Iterator[tuple[str, int]]:
        """The values of elements with these item properties, with the element; -1 for a <meta>."""
        for name in names:
            for value in self.meta.get(f"item:{name}", ()):
                yield clean_content(value), -1
            for node in self.items.get(name, ()):
                if self.page.nodes.tag[node] == _META:
                    continue
                attributes = self.page.attributes(node)
                text = attributes.get("content") or attributes.get("datetime")
                yield clean(text or text_of(self.page, node)), node

    def is_of_reply(self, node: int) -> bool:
        """Whether an element belongs to a comment or an answer, by the item around it."""
        page = self.page
        for _ in range(_LEVELS_UP):
            node = int(page.nodes.parent[node])
            if node < 0:
                return False
            start, end = int(page.nodes.start[node]), int(page.nodes.end[node])
            tag = page.source[start : min(end, start + LONGEST_TAG)].lower()
            if b"itemtype" in tag and (match := _ITEM_TYPE.search(tag)):
                return match[1] in {b"comment", b"answer"}
        return False

    def inner_item(self, node: int, name: str) -> str:
        """The text of the first element with an item property inside another, even if unseen."""
        first_run, stop_run = self.page.nodes.first_run, self.page.nodes.stop_run
        for inner in self.items.get(name, ()):
            if inner >= node and first_run[node] <= first_run[inner] <= stop_run[node]:
                attributes = self.page.attributes(inner)
                return clean(attributes.get("content") or text_of(self.page, inner, without=0))
        return ""

    @once
    def headlines(self) -> list[tuple[int, str]]:
        """The <h1> elements and their texts, those in menus, footers and asides last."""
        page = self.page
        nodes = self.elements("h1")[:MOST_HEADLINES]
        headlines = [(node, text) for node in nodes if (text := self._headline(node))]
        if len(headlines) > 1:
            flags = page.runs.flags
            headlines.sort(key=lambda pair: bool(flags[page.nodes.first_run[pair[0]]] & _OUTSIDE))
        return headlines

    def _headline(self, node: int) -> str:
        """The text of a headline, without buttons and words for screen readers if it has others.

        A numeric reference that a reader would see was escaped once too often.
        """
        text = text_of(self.page, node, without=UNSEEN | ASIDE) or text_of(self.page, node)
        return unescape(text) if "&#" in text else text

    @property
    def headline_start(self) -> int:
        """The offset of the first <h1> in the source; 0 if there is none."""
        return self.page.tables[0].item(_START, self.headlines[0][0]) if self.headlines else 0

    @property
    def _body_start(self) -> int:
        body = find_rows(self.page.tables[0][_TAG], TAG["body"], 1)
        return self.page.tables[0].item(_START, body[0]) if body else 0


@lru_cache(maxsize=1_000)
def _items_of_interest(value: bytes) -> tuple[str, ...]:
    """The names in an item property that are read."""
    words = value.decode("utf-8", "replace").lower().split()[:3]
    names = (word.rpartition(":")[2] for word in words)
    return tuple(name for name in names if name in _ITEMS_OF_INTEREST)


def _text_of(part: Any, keys: tuple[str, ...]) -> str:
    """The text of a part of a JSON-LD value: itself, or the first of an object under some keys."""
    if isinstance(part, dict):
        part = next((value for key in keys if (value := _first_of(part.get(key)))), None)
    return clean(part)


def _first_of(value: Any) -> Any:
    return value[0] if isinstance(value, list) and value else value


def _addresses_of(item: dict[str, Any]) -> Iterator[str]:
    """The addresses of the page that a JSON-LD object is about, as it says."""
    for key in ("mainEntityOfPage", "url", "@id"):
        value = item.get(key)
        if isinstance(value, dict):
            value = value.get("@id")
        if isinstance(value, str):
            yield value


def _bare_address(address: str) -> str:
    """An address without its scheme, its fragment and a slash at its end, for comparison."""
    return address.partition("#")[0].partition("//")[2].rstrip("/").lower()


def unique(values: Iterable[str]) -> tuple[str, ...]:
    """Values in order, each once whatever its case."""
    by_key: dict[str, str] = {}
    for value in values:
        by_key.setdefault(value.casefold(), value)
    by_key.pop("", None)
    return tuple(by_key.values())
