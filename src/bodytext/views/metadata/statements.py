"""Statements: what a page says about itself in its head and in data beside its text, read once for all fields."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from bodytext.kernel import read_values
from bodytext.kernel.html import TAG, Flag
from bodytext.kernel.tokens import unescape
from bodytext.page.tables import Page
from bodytext.page.urls import absolute, base_address
from bodytext.views.hidden_text import json_ld, types_of
from bodytext.views.metadata.element_text import ASIDE, UNSEEN, Numbers, find_places, find_spans, nodes_at, text_of

# Bounds that no honest page comes near: they keep a flood of statements linear and cheap.
MOST_ELEMENTS = 3_000  # metas, links, headlines, times and articles together
MOST_STATEMENTS = 600  # item properties and JSON-LD objects
LONGEST_VALUE = 10_000  # characters of a value
MOST_HEADLINES = 20
_LONGEST_NAME = 500  # characters of the names of a <meta>

_ARTICLE_TYPES = """
    article newsarticle blogposting reportagenewsarticle opinionnewsarticle analysisnewsarticle
    backgroundnewsarticle reviewnewsarticle asknewsarticle askpublicnewsarticle satiricalarticle
    advertisercontentarticle techarticle scholarlyarticle medicalscholarlyarticle report liveblogposting
    socialmediaposting discussionforumposting howto recipe review criticreview apireference podcastepisode
"""
ARTICLE_TYPES = frozenset(_ARTICLE_TYPES.split())
_OTHER_TYPES = """
    question product productgroup course book movie videoobject event jobposting softwareapplication
    mobileapplication webapplication softwaresourcecode dataset service localbusiness creativework guide faqpage
    qapage realestatelisting vacationrental hotel
"""
OTHER_TYPES = frozenset(_OTHER_TYPES.split())
_PAGE_TYPES = """
    webpage itempage aboutpage collectionpage medicalwebpage profilepage checkoutpage contactpage searchresultspage
"""
PAGE_TYPES = frozenset(_PAGE_TYPES.split())
WRITTEN = frozenset({"article", "forum"})  # the kinds of page that have authors and dates
LONGEST_TAG = 2_000  # bytes of a tag that is looked at more than once
_MARKUP = re.compile(r"<[a-zA-Z/!][^<>]{0,500}>")
_PREFIXES = {"property": "", "name": "", "itemprop": "item:", "http-equiv": ""}  # by the attribute that has the name
# What a <link> that matters here holds: its relation, or its type if it is a feed; as people spell them.
_LINKS_OF_INTEREST = (b"anonical", b"CANONICAL", b"xml", b"XML", b"+json", b"icense", b"mage_src")
_TAG_LINK = b'el="tag"'  # a relation as the most used systems write it
_CREATIVE_COMMONS = b"tivecommons.org/"
_ITEM_TYPE = re.compile(rb"""itemtype\s*+=\s*+["']?https?://schema\.org/(\w++)""", re.IGNORECASE)
_ITEM_NAMES = re.compile(rb"""\s?[a-z]++=\s*+["']?([^"'>]{1,100})""")
_WANTED_ITEMS = frozenset({"author", "creator", "name", "datepublished", "datecreated", "datemodified"})
_LEVELS_UP = 15
_OUTSIDE = int(Flag.NAV | Flag.FOOTER | Flag.ASIDE)  # no place for a headline
_RDFA_REGION = 60_000  # bytes of the body in which RDFa names its first thing
_ABOUT_THE_PAGE = ("mainEntityOfPage", "url", "@id")


def clean(value: object) -> str:
    r"""A value as one line of plain text: references resolved, markup and white space out; nothing of what is no text.

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


@dataclass(frozen=True, slots=True)
class Link:
    """A <link>: its relations and its attributes."""

    relations: frozenset[str]
    attributes: dict[str, str]


@dataclass(frozen=True)
class Statements:
    """What a page says about itself. Everything is read when it is first asked for, and once."""

    page: Page
    page_type: str = ""  # where a method has told it

    def first(self, *names: str) -> str:
        """The first value of the first of these metas that has one; names in lower case, ":" for "." ."""
        meta = self.meta
        for name in names:
            for value in meta.get(name, ()):
                if text := clean(value):
                    return text
        return ""

    def all(self, *names: str) -> list[str]:
        """The values of these metas."""
        meta = self.meta
        said = [value for name in names if name in meta for value in meta[name]]
        return [text for text in map(clean, said) if text] if said else said

    @cached_property
    def meta(self) -> dict[str, list[str]]:
        """The contents of every <meta> by its name, property or item property, which is marked by "item:"."""
        found: dict[str, list[str]] = {}
        source, nodes, metas = self.page.source, self.page.nodes, self.elements("meta")
        for start, end in zip(nodes.start[metas].tolist(), nodes.end[metas].tolist(), strict=True):
            attributes = read_values(source, start, end)
            content = attributes.get("content") or attributes.get("value")
            for kind, said in attributes.items() if content else ():
                if kind in _PREFIXES:
                    for name in _split_names(said) if len(said) <= _LONGEST_NAME else ():
                        found.setdefault(_PREFIXES[kind] + name, []).append(content or "")
        return found

    @cached_property
    def links(self) -> tuple[Link, ...]:
        """Every <link> whose relation matters here."""
        source = self.page.source
        found = [read_values(source, *span) for span in find_spans(self.page, "link", _LINKS_OF_INTEREST)]
        return tuple(Link(frozenset(one.get("rel", "").lower().split()), one) for one in found)

    @cached_property
    def anchors(self) -> list[int]:
        """The <a> elements that name a tag of the page or a licence of Creative Commons."""
        return nodes_at(self.page, [start for start, _ in find_spans(self.page, "a", (_TAG_LINK, _CREATIVE_COMMONS))])

    def elements(self, name: str) -> Numbers:
        """The elements of a name, in the page's order."""
        return np.flatnonzero(self._tag_numbers == TAG[name])[:MOST_ELEMENTS]

    @cached_property
    def _tag_numbers(self) -> npt.NDArray[np.uint8]:
        """The tags of all elements, as the smallest numbers that hold them: they are searched once for each name."""
        return self.page.nodes.tag.astype(np.uint8)

    @cached_property
    def times(self) -> list[int]:
        """The <time> elements."""
        return self.elements("time").tolist()  # type: ignore[no-any-return]

    def linked(self, relation: str) -> str:
        """The address of the first <link> of a relation."""
        addresses = (self.address(link.attributes.get("href")) for link in self.links if relation in link.relations)
        return next(filter(None, addresses), "")

    @cached_property
    def base(self) -> str:
        """What relative addresses start from."""
        return base_address(self.page)

    def address(self, value: object) -> str:
        """A web address made absolute; nothing of what is none."""
        if not isinstance(value, str) or not value:
            return ""
        return absolute(value, "" if value.startswith("https://") else self.base)

    # JSON-LD

    @cached_property
    def objects(self) -> list[dict[str, Any]]:
        """The JSON-LD objects of the page, those inside `mainEntity` behind the ones they stand in."""
        found: list[dict[str, Any]] = []
        for one in json_ld(self.page)[:MOST_STATEMENTS]:
            found.append(one)
            for key in ("mainEntity", "mainEntityOfPage"):
                inner = one.get(key)
                parts = inner if isinstance(inner, list) else [inner]
                found += [part for part in parts if isinstance(part, dict) and "@type" in part]
        return found[: 2 * MOST_STATEMENTS]

    @cached_property
    def typed(self) -> list[tuple[frozenset[str], dict[str, Any]]]:
        """The JSON-LD objects with the names of their types in lower case."""
        return [(frozenset(map(str.lower, types_of(one))), one) for one in self.objects]

    @cached_property
    def by_identity(self) -> dict[str, dict[str, Any]]:
        """JSON-LD objects by their "@id", for what refers to them."""
        found: dict[str, dict[str, Any]] = {}
        for one in self.objects:
            identity = one.get("@id")
            if isinstance(identity, str) and len(one) > 1:
                found.setdefault(identity, one)
        return found

    def resolve(self, value: Any) -> Any:
        """What a JSON-LD reference refers to, or the value itself."""
        if isinstance(value, dict) and isinstance(identity := value.get("@id"), str) and not value.get("name"):
            return self.by_identity.get(identity, value)
        return value

    def listed(self, value: Any) -> Iterator[Any]:
        """The parts of a JSON-LD value, with references resolved."""
        for one in (value if isinstance(value, list) else [value])[:MOST_STATEMENTS]:
            yield self.resolve(one)

    def texts(self, value: Any, *keys: str) -> list[str]:
        """The texts of a JSON-LD value: itself, or what its objects have under these keys."""
        found: list[str] = []
        if value is None:
            return found
        for one in self.listed(value):
            said = one
            if isinstance(one, dict):
                said = next((text for key in (*keys, "@value") if (text := _plain(one.get(key)))), None)
            if text := clean(said):
                found.append(text)
        return found

    @cached_property
    def main(self) -> dict[str, Any]:
        """The JSON-LD object that the page is about: an article before other things, before a mere page."""
        for types in (ARTICLE_TYPES, OTHER_TYPES, PAGE_TYPES):
            if found := [one for own, one in self.typed if not types.isdisjoint(own)]:
                return self._about_this_page(found)
        return {}

    @cached_property
    def is_article(self) -> bool:
        """Whether the page is an article or a post: as a method has told, else as data or metas say."""
        if self.page_type:
            return self.page_type in WRITTEN
        if not ARTICLE_TYPES.isdisjoint(map(str.lower, types_of(self.main))):
            return True
        return self.first("og:type").lower() in {"article", "blog", "news"} or "article:published_time" in self.meta

    @cached_property
    def may_be_article(self) -> bool:
        """Whether anything about the page hints at an article or a post: data, metas, <time> or <article>."""
        return self.is_article or bool(self.times) or len(self.elements("article")) > 0

    @cached_property
    def page_object(self) -> dict[str, Any]:
        """The JSON-LD object for the page itself."""
        return next((one for own, one in self.typed if not PAGE_TYPES.isdisjoint(own)), {})

    def _about_this_page(self, found: list[dict[str, Any]]) -> dict[str, Any]:
        """Of several objects the one with the page's address, or the first."""
        if len(found) > 1 and (own := self.canonical):
            for one in found:
                said = [
                    value.get("@id") if isinstance(value, dict) else value for value in map(one.get, _ABOUT_THE_PAGE)
                ]
                if any(isinstance(value, str) and _same_address(value, own) for value in said):
                    return one
        return found[0]

    @cached_property
    def canonical(self) -> str:
        """The page's address, as far as it is known."""
        return self.linked("canonical") or self.address(self.first("og:url")) or self.page.url

    # elements

    @cached_property
    def items(self) -> dict[str, list[int]]:
        """The elements with a wanted item property (microdata) or else property (RDFa) in the body, by its name."""
        if not self.times and (self.objects or not self.is_article):
            return {}  # searching all tags is dear, and hardly ever an item says who or when there
        source, start = self.page.source, self._body_start
        places = find_places(source, b"itemprop=", MOST_STATEMENTS, start)
        if not places and source.find(b"typeof=", start, start + _RDFA_REGION) >= 0:
            places = find_places(source, b" property=", MOST_STATEMENTS, start)
        names: list[tuple[str, int]] = []
        for place in places:
            if match := _ITEM_NAMES.match(source, place):
                names += [(name, place) for name in _wanted_items(match[1])]
        found: dict[str, list[int]] = {}
        for (name, _), node in zip(names, nodes_at(self.page, [place for _, place in names]), strict=True):
            if node >= 0:
                found.setdefault(name, []).append(node)
        return found

    def item_values(self, *names: str) -> Iterator[tuple[str, int]]:
        """What elements with these item properties say, with the element; -1 for a <meta>."""
        for name in names:
            for value in self.meta.get(f"item:{name}", ()):
                yield clean(value), -1
            for node in self.items.get(name, ()):
                if self.page.nodes.tag[node] == TAG["meta"]:
                    continue
                attributes = self.page.attributes(node)
                yield clean(attributes.get("content") or attributes.get("datetime") or text_of(self.page, node)), node

    def is_of_reply(self, node: int) -> bool:
        """Whether an element belongs to a comment or an answer, as the item around it says."""
        page = self.page
        for _ in range(_LEVELS_UP):
            node = int(page.nodes.parent[node])
            if node < 0:
                return False
            start, end = int(page.nodes.start[node]), int(page.nodes.end[node])
            if match := _ITEM_TYPE.search(page.source, start, min(end, start + LONGEST_TAG)):
                return match[1].lower() in {b"comment", b"answer"}
        return False

    def inner_item(self, node: int, name: str) -> str:
        """The text of the first element with an item property inside another element, seen or not."""
        nodes = self.page.nodes
        for inner in self.items.get(name, ()):
            if inner >= node and nodes.first_run[node] <= nodes.first_run[inner] <= nodes.stop_run[node]:
                attributes = self.page.attributes(inner)
                return clean(attributes.get("content") or text_of(self.page, inner, without=0))
        return ""

    @cached_property
    def headlines(self) -> list[tuple[int, str]]:
        """The <h1> elements of the page and their texts, those in the article before others."""
        page = self.page
        nodes = self.elements("h1")[:MOST_HEADLINES].tolist()
        found = [(node, text) for node in nodes if (text := self._headline(node))]
        if len(found) > 1:
            found.sort(key=lambda one: bool(page.runs.flags[page.nodes.first_run[one[0]]] & _OUTSIDE))
        return found

    def _headline(self, node: int) -> str:
        """The text of a headline without buttons ("Copy link") and words for screen readers, unless there is no other.

        A number for a character that a reader sees as such was escaped once too often.
        """
        text = text_of(self.page, node, without=UNSEEN | ASIDE) or text_of(self.page, node)
        return unescape(text) if "&#" in text else text

    @property
    def headline_start(self) -> int:
        """Where the first <h1> stands in the source; 0 where there is none."""
        return int(self.page.nodes.start[self.headlines[0][0]]) if self.headlines else 0

    @property
    def _body_start(self) -> int:
        body = self.elements("body")
        return int(self.page.nodes.start[body[0]]) if len(body) else 0


@lru_cache(maxsize=1_000)
def _wanted_items(said: bytes) -> tuple[str, ...]:
    """The names among those of an item property that are asked for."""
    names = (one.rpartition(":")[2] for one in said.decode("utf-8", "replace").lower().split()[:3])
    return tuple(name for name in names if name in _WANTED_ITEMS)


@lru_cache(maxsize=1_000)  # pages have the same few hundred names
def _split_names(said: str) -> tuple[str, ...]:
    """The names of a <meta>, spelled as they are asked for."""
    return tuple(said.lower().replace(".", ":").split())


def _plain(value: Any) -> Any:
    return value[0] if isinstance(value, list) and value else value


def _same_address(one: str, other: str) -> bool:
    return _bare(one) == _bare(other)


def _bare(address: str) -> str:
    return address.partition("#")[0].partition("//")[2].rstrip("/").lower()


def unique(values: Iterable[str]) -> tuple[str, ...]:
    """Values in order, each once whatever its case."""
    found: dict[str, str] = {}
    for value in values:
        found.setdefault(value.casefold(), value)
    found.pop("", None)
    return tuple(found.values())
