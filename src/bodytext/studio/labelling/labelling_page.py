"""Describe a page and its labels to the labelling tool, and read the labels it sends back."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np

from bodytext.kernel.network_shape import PAGE_TYPES
from bodytext.methods import LEARNED, as_method
from bodytext.methods.density import line_bytes
from bodytext.methods.scores import BOUNDARY
from bodytext.page.tables import Page
from bodytext.studio.inspector.block_columns import list_blocks
from bodytext.studio.labels import COMMENT, CONTENT, Labelling, Span, digest_source
from bodytext.studio.labels.labelling import from_values
from bodytext.studio.labels.spans import LABELS, BlockLabels, label_blocks, mark_spans
from bodytext.views.comments import Post, find_posts
from bodytext.views.metadata import read_metadata

THREAD = "forum"  # the page type whose posts are its content
FIELDS = ("title", "authors", "date", "page_type", "url")
_MOST_CHARACTERS = 2_000  # of a field
_MOST_AUTHORS = 100
_SENT = "the request"  # what messages name as the place of a mistake in sent values
_CHANGED = "This page has changed since you labelled it: this is the model's answer, and saving replaces your labels."


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A model's labels of a page, from which the annotator starts."""

    labels: BlockLabels
    confidence: float | None
    fields: dict[str, Any]


def suggest(page: Page, model: str) -> Suggestion:
    """Label what the model keeps as content, and posts as comments; read the metadata."""
    scores = as_method(LEARNED, model).score(page)
    labels = np.where(scores.values >= BOUNDARY, LABELS.index(CONTENT), 0).astype(np.uint8)
    if scores.page_type != THREAD:
        posts = label_blocks(page, _spans_of(find_posts(page, scores.page_type)))
        labels[posts > 0] = LABELS.index(COMMENT)
    return Suggestion(labels, scores.confidence, _suggest_fields(page, scores.page_type))


def suggest_nothing(page: Page) -> Suggestion:
    """Start blindly: no block has a label. The fields are those that the page itself tells."""
    return Suggestion(np.zeros(len(page), dtype=np.uint8), None, _suggest_fields(page, ""))


def _suggest_fields(page: Page, page_type: str) -> dict[str, Any]:
    metadata = read_metadata(page, page_type)
    return {
        "title": metadata.title,
        "authors": list(metadata.authors),
        "date": metadata.date,
        "page_type": page_type,
        "url": page.url or metadata.url,
    }


def _spans_of(posts: Iterable[Post]) -> list[Span]:
    """Return where posts are; nested posts are joined."""
    spans: list[Span] = []
    for start, end in sorted((post.start, post.end) for post in posts if post.start < post.end):
        if spans and start < spans[-1].end:
            spans[-1] = Span(spans[-1].start, max(end, spans[-1].end), COMMENT)
        else:
            spans.append(Span(start, end, COMMENT))
    return spans


def describe_page(page: Page, suggestion: Suggestion, stored: Labelling | None) -> dict[str, Any]:
    """Return columns over the blocks with their labels, their containers, and the fields."""
    source = digest_source(page.source)
    containers, innermost = find_containers(page)
    html, text = line_bytes(page)
    description = {
        **list_blocks(page, {}),
        "source": source,
        "note": "",
        "suggested": suggestion.labels.tolist(),
        "confidence": None if suggestion.confidence is None else round(suggestion.confidence, 3),
        "labels": suggestion.labels.tolist(),
        "fields": suggestion.fields,
        "suggested_fields": suggestion.fields,
        "page_types": list(PAGE_TYPES),
        "done": False,
        "time": "",
        "containers": containers,
        "container": innermost,
        "html": html.astype(int).tolist(),
        "bytes": text.astype(int).tolist(),
    }
    if stored is None:
        return description
    if stored.source != source:
        return description | {"note": _CHANGED}
    fields = {name: getattr(stored, name) for name in FIELDS}
    return description | {
        "labels": label_blocks(page, stored.spans).tolist(),
        "fields": fields | {"authors": list(stored.authors)},
        "done": stored.done,
        "time": stored.time,
    }


def find_containers(page: Page) -> tuple[list[tuple[int, int, int]], list[int]]:
    """Return elements that hold several blocks, and the innermost of each block.

    An element is (first block, stop, number of the element around it or -1).
    """
    nodes, blocks = page.nodes, page.blocks
    if not len(page):
        return [], []
    owner = np.repeat(np.arange(len(page)), blocks.stop_run - blocks.first_run)
    full = np.flatnonzero(nodes.first_run < nodes.stop_run)
    first, stop = owner[nodes.first_run[full]], owner[nodes.stop_run[full] - 1] + 1
    containers: list[tuple[int, int, int]] = []
    path: list[int] = []  # from the outermost open container to the innermost
    # In the order of the tags.
    for begin, end in dict.fromkeys(zip(first.tolist(), stop.tolist(), strict=True)):
        if end - begin < 2:
            continue
        while path and containers[path[-1]][1] < end:
            path.pop()
        if path and containers[path[-1]][:2] == (begin, end):
            continue
        containers.append((begin, end, path[-1] if path else -1))
        path.append(len(containers) - 1)
    innermost = np.full(len(page), -1, dtype=np.int32)
    for number, (begin, end, _) in enumerate(containers):  # outer containers come first
        innermost[begin:end] = number
    return containers, innermost.tolist()


def read_sent(
    page: Page, sent: dict[str, Any], stored: Labelling | None, who: tuple[str, str]
) -> Labelling:
    """Return what the tool sends as a Labelling; `who` is the page's path and the annotator.

    A ValueError says what is wrong with the values.
    """
    source = digest_source(page.source)
    if sent.get("source") != source:
        raise ValueError("the page's file has changed since it was opened: load it again")
    path, annotator = who
    values = {
        **_read_fields(sent),
        "page": path,
        "source": source,
        "annotator": annotator,
        "done": sent.get("done", False),
        "time": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "ranges": sent.get("ranges", []),
    }
    labelling = from_values(values, _SENT)
    if labelling.spans and labelling.spans[-1].end > len(page.source):
        raise ValueError("a range ends after the end of the page")
    before = stored.spans if stored is not None and stored.source == source else ()
    spans = mark_spans(page, label_blocks(page, labelling.spans), before)
    return from_values(values | {"ranges": [list(span) for span in spans]}, _SENT)


def _read_fields(sent: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a page as they were sent, cleaned and checked."""
    fields: dict[str, Any] = {name: _clean(sent.get(name)) for name in FIELDS if name != "authors"}
    if fields["page_type"] and fields["page_type"] not in PAGE_TYPES:
        raise ValueError(f"page_type must be one of {', '.join(PAGE_TYPES)}")
    authors = sent.get("authors") or []
    if not isinstance(authors, list) or len(authors) > _MOST_AUTHORS:
        raise ValueError(f"authors must be a list of at most {_MOST_AUTHORS} names")
    return fields | {"authors": [name for name in map(_clean, authors) if name]}


def _clean(value: Any) -> str:
    """Return a field as text: one line, valid Unicode, not too long."""
    text = value if isinstance(value, str) else ""
    return " ".join(text.encode("utf-8", "replace").decode("utf-8").split())[:_MOST_CHARACTERS]
