"""Document -> JSON: one object, on one line; docs/formats.md describes its keys."""

import json
import re
from dataclasses import asdict, fields
from typing import Any

from bodytext.document import Document
from bodytext.output.references import Choice, choose
from bodytext.views.metadata import Metadata
from bodytext.views.structure.element import Element

VERSION = 2  # of the form; it grows when a key changes its meaning

_SURROGATES = re.compile("[\ud800-\udfff]")


def to_json(document: Document, *, source: str = "", links: Choice = "keep", images: Choice = "keep") -> str:
    """The document as an object: all that is known, the text, its paragraphs and its structure."""
    value: dict[str, Any] = {
        "version": VERSION,
        "source": source,
        "url": document.url,
        "title": document.title,
        "reason": document.reason,
        "origin": document.origin,
        "page_type": document.page_type,
        "confidence": None if document.confidence is None else round(document.confidence, 4),
        "metadata": _read_metadata(document.metadata),
        "text": str(document),
        "paragraphs": [
            {"text": one.text, "kind": one.kind, "start": one.start, "end": one.end, "score": round(one.score, 4)}
            for one in document.paragraphs
        ],
        "structure": _as_object(choose(document.structure, links, images)),
        "media": [asdict(one) for one in document.media],
        "comments": [asdict(one) for one in document.comments],
    }
    return _SURROGATES.sub("\ufffd", json.dumps(value, ensure_ascii=False))


def _read_metadata(metadata: Metadata) -> dict[str, Any]:
    """The fields that have a value, and where each came from."""
    values = {one.name: getattr(metadata, one.name) for one in fields(metadata) if one.name != "sources"}
    sources = {
        name: {"name": one.name, "confidence": round(one.confidence, 4)} for name, one in metadata.sources.items()
    }
    return {name: value for name, value in values.items() if value} | {"sources": sources}


def _as_object(element: Element) -> dict[str, Any]:
    """An element as an object; it nests no deeper than a structure may."""
    value: dict[str, Any] = {"name": element.name}
    if element.attributes:
        value["attributes"] = dict(element.attributes)
    if element.children:
        value["children"] = [one if isinstance(one, str) else _as_object(one) for one in element.children]
    return value
