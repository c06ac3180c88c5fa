"""Read the metadata of a page."""

from functools import lru_cache
from typing import Any

from bodytext.page.tables import Page
from bodytext.views.metadata.fields import METADATA_FIELDS, Metadata
from bodytext.views.metadata.provenance import Source, Sources
from bodytext.views.metadata.shared_findings import SharedFindings

_FINDERS = [(field.name, field.find) for field in METADATA_FIELDS]  # in the order of `Metadata`
_source = lru_cache(maxsize=200)(Source)  # there are a few dozen of them


def read_metadata(page: Page, page_type: str = "") -> Metadata:
    """Read every field of the metadata; `page_type` is the one that a method found, if any."""
    findings = SharedFindings(page, page_type)
    values: list[Any] = []
    sources: dict[str, Source] = {}
    for name, find in _FINDERS:
        value, source, confidence = find(findings)
        values.append(value)
        if value:
            sources[name] = _source(source, confidence)
    return Metadata(*values, Sources(sources))  # type: ignore[call-arg]
