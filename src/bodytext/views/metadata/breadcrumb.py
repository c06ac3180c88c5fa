"""find_breadcrumb: Statements -> the way from the start page down to the page, as names."""

import numpy as np

from bodytext.kernel.html import TAG
from bodytext.page.tables import tag_mask
from bodytext.views.metadata.candidates import NO_LISTING, Listing
from bodytext.views.metadata.element_text import find_spans, nodes_at, text_of
from bodytext.views.metadata.statements import Statements

MOST_STEPS = 20
_LONGEST_STEP = 120  # characters
_LISTS = ("nav", "ol", "ul", "dl")
_CALLED = (b"eadcrumb",)
_STEPS = tag_mask("li a")
_MOST_LISTS = 200


def find_breadcrumb(statements: Statements) -> Listing:
    """The BreadcrumbList of JSON-LD, or the links of the first list or <nav> that is called breadcrumb in the markup.

    A breadcrumb in a <div> without a list is not found: looking at every <div> would cost more than all the rest.
    """
    if steps := _in_data(statements):
        return Listing(steps, "json-ld", 0.95)
    steps = _in_list(statements)
    return Listing(steps, "markup", 0.75) if steps else NO_LISTING


def _in_data(statements: Statements) -> tuple[str, ...]:
    known = [one for types, one in statements.typed if "breadcrumblist" in types]
    inner = (part for one in statements.objects if "breadcrumb" in one for part in statements.listed(one["breadcrumb"]))
    for one in known or [part for part in inner if isinstance(part, dict)]:
        items = [item for item in statements.listed(one.get("itemListElement")) if isinstance(item, dict)]
        items.sort(key=lambda item: _position(item.get("position")))
        steps = []
        for item in items[:MOST_STEPS]:
            steps += (statements.texts(item, "name") or statements.texts(item.get("item"), "name"))[:1]
        if steps:
            return tuple(steps)
    return ()


def _position(value: object) -> float:
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return 0.0


def _in_list(statements: Statements) -> tuple[str, ...]:
    page = statements.page
    nodes = page.nodes
    starts = [start for name in _LISTS for start, _ in find_spans(page, name, _CALLED)]
    for node in nodes_at(page, sorted(starts)[:_MOST_LISTS]):
        # The elements are in the order of their first runs.
        start, stop = nodes.first_run.searchsorted(np.array((nodes.first_run[node], nodes.stop_run[node]))).tolist()
        steps = _STEPS[nodes.tag[start:stop]].nonzero()[0] + start
        items = steps[nodes.tag[steps] == TAG["li"]]
        chosen = (items if len(items) else steps)[:MOST_STEPS].tolist()
        texts = [text.strip(" /›»>|") for one in chosen if (text := text_of(page, one)) and len(text) <= _LONGEST_STEP]
        if any(texts):
            return tuple(text for text in texts if text)
    return ()
