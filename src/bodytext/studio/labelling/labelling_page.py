"""A page, a model, stored labels -> what the labelling tool is told of it; and what it sends -> a Labelling."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np

from bodytext.methods.learned.method import Learned
from bodytext.methods.learned.network import PAGE_TYPES
from bodytext.page.tables import Page
from bodytext.selection import BOUNDARY
from bodytext.studio.inspector.block_columns import list_blocks
from bodytext.studio.labels import COMMENT, CONTENT, Labelling, Span, digest_source
from bodytext.studio.labels.labelling import from_values
from bodytext.studio.labels.spans import LABELS, BlockLabels, label_blocks, mark_spans
from bodytext.views.comments import Post, find_posts
from bodytext.views.metadata import read_metadata

THREAD = "forum"  # the kind of page whose posts are its content
FIELDS = ("title", "authors", "date", "page_type", "url")
_LONGEST = 2_000  # characters of a field
_MOST_AUTHORS = 100


@dataclass(frozen=True, slots=True)
class Suggestion:
    """What a model says of a page, to start from."""

    labels: BlockLabels
    confidence: float | None
    fields: dict[str, Any]


def suggest(page: Page, model: str) -> Suggestion:
    """The model's blocks as content, what looks like comments as comments, and the page's metadata."""
    scores, page_type, confidence = Learned(model).judge(page)
    labels = np.where(scores >= BOUNDARY, LABELS.index(CONTENT), 0).astype(np.uint8)
    if page_type != THREAD:
        posts = label_blocks(page, _spans_of(find_posts(page, page_type)))
        labels[posts > 0] = LABELS.index(COMMENT)
    known = read_metadata(page, page_type)
    fields = {
        "title": known.title,
        "authors": list(known.authors),
        "date": known.date,
        "page_type": page_type,
        "url": page.url or known.url,
    }
    return Suggestion(labels, confidence, fields)


def _spans_of(posts: Iterable[Post]) -> list[Span]:
    """Where posts stand, the nested ones joined."""
    found: list[Span] = []
    for start, end in sorted((post.start, post.end) for post in posts if post.start < post.end):
        if found and start < found[-1].end:
            found[-1] = Span(found[-1].start, max(end, found[-1].end), COMMENT)
        else:
            found.append(Span(start, end, COMMENT))
    return found


def describe_page(page: Page, suggestion: Suggestion, stored: Labelling | None) -> dict[str, Any]:
    """Columns over the blocks with their labels, stored or suggested; the elements around them; the fields."""
    source = digest_source(page.source)
    known = stored if stored is not None and stored.source == source else None
    note = ""
    if stored is not None and known is None:
        note = (
            "This page has changed since you labelled it: this is the model's answer, and saving replaces your labels."
        )
    containers, around = find_containers(page)
    return {
        **list_blocks(page, {}),
        "source": source,
        "note": note,
        "suggested": suggestion.labels.tolist(),
        "confidence": None if suggestion.confidence is None else round(suggestion.confidence, 3),
        "labels": (suggestion.labels if known is None else label_blocks(page, known.spans)).tolist(),
        "fields": suggestion.fields if known is None else _tell_fields(known),
        "suggested_fields": suggestion.fields,
        "page_types": list(PAGE_TYPES),
        "done": known is not None and known.done,
        "time": known.time if known is not None else "",
        "containers": containers,
        "container": around,
    }


def _tell_fields(labelling: Labelling) -> dict[str, Any]:
    """The fields as JSON has them."""
    values = {name: getattr(labelling, name) for name in FIELDS}
    return values | {"authors": list(labelling.authors)}


def find_containers(page: Page) -> tuple[list[tuple[int, int, int]], list[int]]:
    """Elements that hold several blocks: first, stop, and the number of the one around; and each block's innermost."""
    nodes, blocks = page.nodes, page.blocks
    if not len(page):
        return [], []
    owner = np.repeat(np.arange(len(page)), blocks.stop_run - blocks.first_run)
    full = np.flatnonzero(nodes.first_run < nodes.stop_run)
    first, stop = owner[nodes.first_run[full]], owner[nodes.stop_run[full] - 1] + 1
    found: list[tuple[int, int, int]] = []
    open_ones: list[int] = []
    for begin, end in dict.fromkeys(zip(first.tolist(), stop.tolist(), strict=True)):  # in the order of the tags
        if end - begin < 2:
            continue
        while open_ones and found[open_ones[-1]][1] < end:
            open_ones.pop()
        if open_ones and found[open_ones[-1]][:2] == (begin, end):
            continue
        found.append((begin, end, open_ones[-1] if open_ones else -1))
        open_ones.append(len(found) - 1)
    innermost = np.full(len(page), -1, dtype=np.int32)
    for number, (begin, end, _) in enumerate(found):  # the outer ones come first
        innermost[begin:end] = number
    return found, innermost.tolist()


def read_sent(page: Page, sent: Any, stored: Labelling | None, who: tuple[str, str]) -> Labelling:
    """What the tool sends as a Labelling; `who` are the page's path and the annotator. A ValueError tells mistakes."""
    if not isinstance(sent, dict):
        raise ValueError("what was sent is no object")
    source = digest_source(page.source)
    if sent.get("source") != source:
        raise ValueError("the page's file has changed since it was opened: load it again")
    values = {key: _clean(sent.get(key)) for key in ("title", "date", "page_type", "url")}
    authors = sent.get("authors") or []
    if not isinstance(authors, list) or len(authors) > _MOST_AUTHORS:
        raise ValueError("authors should be a short list of names")
    if values["page_type"] and values["page_type"] not in PAGE_TYPES:
        raise ValueError(f"page_type should be one of {', '.join(PAGE_TYPES)}")
    given = {
        **values,
        "page": who[0],
        "source": source,
        "annotator": who[1],
        "authors": [name for name in map(_clean, authors) if name],
        "done": sent.get("done", False),
        "time": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "ranges": sent.get("ranges", []),
    }
    labelling = from_values(given, "what was sent")
    if labelling.spans and labelling.spans[-1].end > len(page.source):
        raise ValueError("a range ends behind the page's source")
    before = stored.spans if stored is not None and stored.source == source else ()
    spans = mark_spans(page, label_blocks(page, labelling.spans), before)
    return from_values(given | {"ranges": [list(one) for one in spans]}, "what was sent")


def _clean(value: Any) -> str:
    """A field as text: one line, no halves of characters, not too long."""
    text = value if isinstance(value, str) else ""
    return " ".join(text.encode("utf-8", "replace").decode("utf-8").split())[:_LONGEST]
