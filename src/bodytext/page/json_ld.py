"""Read the JSON-LD of a page: the structured data that its scripts carry.

Anything may have any type: `{"author": 7}` is an object too. Strings are as the page has them: some
pages put character references or markup into them.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeGuard

import numpy as np

from bodytext.kernel import find_marked, find_tags
from bodytext.kernel.html import TAG
from bodytext.page.late_pattern import late_pattern
from bodytext.page.lenient_json import read_values
from bodytext.page.tables import Page

MOST_CHARACTERS = 4_000_000  # of all JSON-LD of a page; real pages stay under a tenth of it

_SCRIPT = (TAG["script"],)
_MEDIA_TYPE = "application/ld+json"
_CONTAINERS = (dict, list)
# To read the attributes of few scripts: in any capitals, or with a reference in place of the sign.
_MARKS = (b"ld+", b"LD+", b"Ld+", b"lD+", b"json", b"JSON", b"Json")
_ESCAPED_LETTER = late_pattern(rb"\\(?:u00[4-7]|[^\"\\/bfnrtu])")


def json_ld(page: Page) -> tuple[dict[str, Any], ...]:
    """Every JSON-LD object of a page in the page's order, lists and `@graph` flattened.

    Broken JSON gives as much as can be read. A page is read once, and all callers share its
    objects: do not change them.
    """
    objects = page._json_ld
    if objects is None:
        objects = tuple(_read_objects(page))
        object.__setattr__(page, "_json_ld", objects)  # two threads would set the same
    return objects


def may_hold(page: Page, words: Sequence[bytes]) -> bool:
    """Whether a string of a page's JSON-LD may hold a word: a quick no without reading any.

    Words are in small letters, without "u", and they are found in capitals too.
    """
    source, spans = page.source, [page.find_content(node) for node in _find_scripts(page)]
    if not spans:
        return False
    starts, ends = np.array(spans, np.int32).T
    if find_marked(source, starts, ends, b"\0", words):
        return True
    return any(_may_escape(source, start, end) for start, end in spans)


def _may_escape(source: bytes, start: int, end: int) -> bool:
    """Whether a script's strings may have letters that its source has not.

    They are written as escapes, or as character references if all of the script is, with its quotes.
    """
    quote = source.find(b'"', start, end)
    if source.find(b"&", start, quote if quote >= 0 else end) >= 0:
        return True
    return _ESCAPED_LETTER.search(source, start, end) is not None


def _read_objects(page: Page) -> Iterator[dict[str, Any]]:
    chars_left = MOST_CHARACTERS
    for node in _find_scripts(page):
        if chars_left <= 0:
            return
        text = page.content(node)[:chars_left]
        chars_left -= len(text)
        for value in read_values(text):
            yield from _flatten(value)


def _find_scripts(page: Page) -> list[int]:
    """The scripts with JSON-LD."""
    nodes = page.tables[0]
    scripts = find_tags(page.source, nodes, _SCRIPT, _MARKS, nodes.shape[1])
    return [node for node in scripts if _is_json_ld(page, node)]


def _is_json_ld(page: Page, node: int) -> bool:
    media_type = page.attribute(node, b"type").partition(";")[0]
    return media_type.strip().lower() == _MEDIA_TYPE


def of_type(objects: Iterable[Any], *types: str) -> Iterator[dict[str, Any]]:
    """Objects of any of these types, such as "Article", also those inside others, in order.

    >>> list(of_type([{"@type": "A", "b": {"@type": ["schema:B"], "name": 1}}], "B"))
    [{'@type': ['schema:B'], 'name': 1}]
    """
    wanted = {name.lower() for name in types}
    known: dict[Any, bool] = {None: False}  # by the value of "@type": few pages have many
    for part in walk(list(objects)):
        kind = part.get("@type")
        is_wanted = None if isinstance(kind, _CONTAINERS) else known.get(kind)
        if is_wanted is None:
            is_wanted = not wanted.isdisjoint(map(str.lower, types_of(part)))
            if isinstance(kind, str):
                known[kind] = is_wanted
        if is_wanted:
            yield part


def types_of(item: dict[str, Any]) -> list[str]:
    """The names of an object's types, without the vocabulary before them.

    >>> types_of({"@type": ["https://schema.org/NewsArticle", "schema:Thing", None]})
    ['NewsArticle', 'Thing']
    """
    value = item.get("@type")
    if isinstance(value, str) and value.isalnum():  # most
        return [value]
    names = value if isinstance(value, list) else [value]
    paths = [name.strip().replace("#", "/").replace(":", "/") for name in names if is_text(name)]
    return [path.rpartition("/")[2] for path in paths]


def is_text(value: Any) -> TypeGuard[str]:
    """Whether a value is a string that is not blank."""
    return isinstance(value, str) and bool(value.strip())


def walk(value: Any) -> Iterator[dict[str, Any]]:
    """Every object in a value, itself included, in the order of the text."""
    stack = [value]
    while stack:
        part = stack.pop()
        if isinstance(part, dict):
            yield part
            inner: Iterable[Any] = part.values()
        else:
            inner = part if isinstance(part, list) else ()
        stack += [one for one in inner if isinstance(one, _CONTAINERS)][::-1]


def _flatten(value: Any) -> Iterator[dict[str, Any]]:
    """The objects of lists and graphs; the object around a graph counts only if it has a type."""
    stack = [value]
    while stack:
        part = stack.pop()
        if isinstance(part, list):
            stack.extend(reversed(part))
        elif isinstance(part, dict):
            graph = part.get("@graph")
            if not isinstance(graph, _CONTAINERS):
                yield part
                continue
            if "@type" in part:
                yield {key: inner for key, inner in part.items() if key != "@graph"}
            stack.append(graph)
