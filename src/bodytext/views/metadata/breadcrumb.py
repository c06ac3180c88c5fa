"""Find the path from the start page of a site down to the page, as names."""

from bisect import bisect_left
from collections.abc import Iterator
from typing import Any

from bodytext.kernel import find_rows, find_tags
from bodytext.kernel.html import TAG
from bodytext.views.metadata.candidates import NO_LISTING, Listing
from bodytext.views.metadata.element_text import text_of
from bodytext.views.metadata.statements import Statements

MOST_STEPS = 20
_LONGEST_STEP = 120  # characters
_LISTS = tuple(TAG[name] for name in ("nav", "ol", "ul", "dl"))
_NAMES = (b"eadcrumb",)
_ITEM, _LINK = TAG["li"], TAG["a"]
_MOST_LISTS = 200
_SEPARATORS = " /›»>|"


def find_breadcrumb(statements: Statements) -> Listing:
    """The BreadcrumbList of JSON-LD, or the links of the first list or <nav> called breadcrumb.

    A breadcrumb in a <div> without a list is not found: looking at every <div> would cost more
    than all the rest.
    """
    if steps := _in_data(statements):
        return Listing(steps, "json-ld", 0.95)
    steps = _in_markup(statements)
    return Listing(steps, "markup", 0.75) if steps else NO_LISTING


def _in_data(statements: Statements) -> tuple[str, ...]:
    lists = [item for types, item in statements.typed if "breadcrumblist" in types]
    paths = (_steps_of(statements, item) for item in lists or _inner_lists(statements))
    return next(filter(None, paths), ())


def _inner_lists(statements: Statements) -> Iterator[dict[str, Any]]:
    """The objects under the key "breadcrumb" of others."""
    for item in statements.objects:
        if "breadcrumb" in item:
            parts = statements.listed(item["breadcrumb"])
            yield from (part for part in parts if isinstance(part, dict))


def _steps_of(statements: Statements, breadcrumb: dict[str, Any]) -> tuple[str, ...]:
    """The names of the steps of a BreadcrumbList, in their order."""
    parts = statements.listed(breadcrumb.get("itemListElement"))
    items = sorted((part for part in parts if isinstance(part, dict)), key=_position)
    steps = []
    for item in items[:MOST_STEPS]:
        names = statements.texts(item, "name") or statements.texts(item.get("item"), "name")
        steps += names[:1]
    return tuple(steps)


def _position(item: dict[str, Any]) -> float:
    try:
        return float(item.get("position"))  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return 0.0


def _in_markup(statements: Statements) -> tuple[str, ...]:
    nodes = statements.page.tables[0]
    named = find_tags(statements.page.source, nodes, _LISTS, _NAMES, nodes.shape[1])[:_MOST_LISTS]
    return next(filter(None, (_steps_in(statements, node) for node in named)), ())


def _steps_in(statements: Statements, node: int) -> tuple[str, ...]:
    """The short texts of the items in an element, or of the links in it if it has no items."""
    page, nodes = statements.page, statements.page.nodes
    # The elements are in the order of their first runs.
    runs = nodes.first_run.data
    start = bisect_left(runs, runs[node])
    tags = nodes.tag[start : bisect_left(runs, nodes.stop_run.item(node))]
    steps = find_rows(tags, _ITEM, MOST_STEPS) or find_rows(tags, _LINK, MOST_STEPS)
    texts = (text_of(page, start + step) for step in steps)
    names = (text.strip(_SEPARATORS) for text in texts if len(text) <= _LONGEST_STEP)
    return tuple(name for name in names if name)
