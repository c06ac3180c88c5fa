"""json_ld: Page -> the JSON-LD objects that its scripts carry; of_type: objects -> those of some types, nested too."""

from collections.abc import Iterable, Iterator
from typing import Any, TypeGuard

import numpy as np

from bodytext.kernel import find_tags
from bodytext.kernel.html import TAG
from bodytext.page.lenient_json import read_values
from bodytext.page.tables import Page

MOST_CHARACTERS = 4_000_000  # of all JSON-LD of a page; real pages stay under a tenth of it

_MEDIA_TYPE = "application/ld+json"
_MARKS = (b"json", b"JSON", b"Json")


def json_ld(page: Page) -> list[dict[str, Any]]:
    """Every JSON-LD object of a page in the page's order, lists and `@graph` flattened.

    Broken JSON gives what can be read of it. Anything may have any type: `{"author": 7}` is an object too. Strings are
    as the page has them: some pages put character references or markup into them.
    """
    left = MOST_CHARACTERS
    found: list[dict[str, Any]] = []
    nodes, source = page.nodes, page.source
    # Looking for a mark first spares reading the attributes of most scripts.
    spans = find_tags(source, (nodes.tag, nodes.start, nodes.end), TAG["script"], _MARKS, len(nodes.tag))
    scripts = np.flatnonzero(nodes.tag == TAG["script"]) if spans else np.zeros(0, np.intp)
    for node in scripts[nodes.start[scripts].searchsorted([start for start, _ in spans])].tolist():
        if left > 0 and page.attributes(node).get("type", "").partition(";")[0].strip().lower() == _MEDIA_TYPE:
            text = page.content(node)[:left]
            left -= len(text)
            found.extend(one for value in read_values(text) for one in _flatten(value))
    return found


def of_type(objects: Iterable[Any], *types: str) -> Iterator[dict[str, Any]]:
    """Objects of any of these types, such as "Article", with those inside others (mainEntity, comment), in order.

    >>> [one["name"] for one in of_type([{"@type": "A", "b": {"@type": ["schema:B"], "name": 1}}], "B")]
    [1]
    """
    wanted = {name.lower() for name in types}
    return (one for value in objects for one in walk(value) if not wanted.isdisjoint(map(str.lower, types_of(one))))


def types_of(one: dict[str, Any]) -> list[str]:
    """The names of an object's types, without the vocabulary before them.

    >>> types_of({"@type": ["https://schema.org/NewsArticle", "schema:Thing", None]})
    ['NewsArticle', 'Thing']
    """
    said = one.get("@type")
    names = said if isinstance(said, list) else [said]
    return [name.strip().replace("#", "/").replace(":", "/").rpartition("/")[2] for name in names if is_text(name)]


def is_text(value: Any) -> TypeGuard[str]:
    """Whether a value is a string that is not blank."""
    return isinstance(value, str) and bool(value.strip())


def walk(value: Any) -> Iterator[dict[str, Any]]:
    """Every object in a value, itself included, in the order of the text."""
    left = [value]
    while left:
        one = left.pop()
        if isinstance(one, dict):
            yield one
            left.extend(reversed(one.values()))
        elif isinstance(one, list):
            left.extend(reversed(one))


def _flatten(value: Any) -> Iterator[dict[str, Any]]:
    """The objects of lists and graphs; what a graph stands in is an object of its own only where it says its type."""
    left = [value]
    while left:
        one = left.pop()
        if isinstance(one, list):
            left.extend(reversed(one))
        elif isinstance(one, dict):
            graph = one.get("@graph")
            if not isinstance(graph, dict | list):
                yield one
                continue
            if "@type" in one:
                yield {key: part for key, part in one.items() if key != "@graph"}
            left.append(graph)
