"""Write a document as JSON: one object on one line; docs/formats.md describes its keys."""

import json
import re
from typing import TYPE_CHECKING, Any

from bodytext.output.format import Format
from bodytext.output.readable import Readable
from bodytext.output.references import Choice, choose
from bodytext.views.metadata.fields import METADATA_FIELDS

if TYPE_CHECKING:
    from bodytext.views.comments import Post
    from bodytext.views.media import Medium
    from bodytext.views.metadata import Metadata
    from bodytext.views.structure import Element

VERSION = 2  # of the keys; it grows when one changes its meaning

_SURROGATES = re.compile("[\ud800-\udfff]")


def to_json(
    document: Readable, *, source: str = "", links: Choice = "keep", images: Choice = "keep"
) -> str:
    """The document as an object: all that is known, the text, its paragraphs and its structure."""
    value = describe_document(document, source=source, links=links, images=images)
    text = json.dumps(value, ensure_ascii=False)
    try:
        text.encode()  # far faster than to look for what cannot be encoded
    except UnicodeEncodeError:
        return _SURROGATES.sub("\ufffd", text)
    return text


def describe_document(
    document: Readable, *, source: str = "", links: Choice = "keep", images: Choice = "keep"
) -> dict[str, Any]:
    """The object that JSON has, as a dictionary."""
    return {
        "version": VERSION,
        "source": source,
        "url": document.url,
        "title": document.title,
        "reason": document.reason,
        "origin": document.origin,
        "page_type": document.page_type,
        "confidence": None if document.confidence is None else round(document.confidence, 4),
        "metadata": _describe_metadata(document.metadata),
        "text": document.text,
        "paragraphs": _list_paragraphs(document),
        "structure": _describe_element(choose(document.structure, links, images)),
        "media": [*map(_describe_fields, document.media)],
        "comments": [*map(_describe_fields, document.comments)],
    }


def _describe_fields(value: "Medium | Post") -> dict[str, Any]:
    """A value with plain fields alone, as an object; `dataclasses.asdict` would copy each of them."""
    return {name: getattr(value, name) for name in value.__slots__}


def _describe_metadata(metadata: "Metadata") -> dict[str, Any]:
    """The fields that have a value, and where each came from."""
    values = {field.name: getattr(metadata, field.name) for field in METADATA_FIELDS}
    sources = {
        name: {"name": source.name, "confidence": round(source.confidence, 4)}
        for name, source in metadata.sources.items()
    }
    return {name: value for name, value in values.items() if value} | {"sources": sources}


def _list_paragraphs(document: Readable) -> list[dict[str, Any]]:
    return [
        {
            "text": paragraph.text,
            "kind": paragraph.kind,
            "start": paragraph.start,
            "end": paragraph.end,
            "score": round(paragraph.score, 4),
        }
        for paragraph in document.paragraphs
    ]


def _describe_element(element: "Element") -> dict[str, Any]:
    """An element as an object; it nests no deeper than a structure may."""
    value: dict[str, Any] = {"name": element.name}
    if element.attributes:
        value["attributes"] = dict(element.attributes)
    if element.children:
        value["children"] = [
            child if isinstance(child, str) else _describe_element(child)
            for child in element.children
        ]
    return value


FORMAT = Format(
    to_json,
    suffix=".json",
    media_type="application/json",
    description="one object with all that is known, on one line",
    options=("source", "links", "images"),
    stream_suffixes=(".json", ".jsonl", ".ndjson"),
)
