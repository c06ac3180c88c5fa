"""Make passages of pages for the loaders of retrieval frameworks: a text and what is known about it."""

import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from bodytext.document import Document
from bodytext.extraction import extract
from bodytext.page.urls import is_web_address
from bodytext.sources.fetch import FetchError
from bodytext.sources.page_fetch import fetch
from bodytext.sources.record import Record

_FIELDS = ("title", "description", "site_name", "date", "language", "url")
_log = logging.getLogger(__name__)


class Passage(NamedTuple):
    """A text, and what is known about it: texts and numbers alone, as vector stores want it."""

    text: str
    metadata: dict[str, Any]


@dataclass(frozen=True, slots=True)
class PassageMaker:
    """Makes passages of pages: one for each page, or chunks of at most `max_words`.

    `options` are those of `extract`. A page that cannot be read, or has no body text, raises a
    ValueError; with `skip_failed` it is logged and left out.
    """

    max_words: int | None = None
    overlap: int = 0
    skip_failed: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # A wrong option should not wait for the first page.
        extract("", **self.options).chunks(max_words=self.max_words, overlap=self.overlap)

    def load(self, source: str | Path) -> Iterator[Passage]:
        """Yield the passages of the page at an address, or in a file."""
        yield from self.make(source, {"source": str(source)})

    def make(self, source: Any, metadata: Mapping[str, Any]) -> Iterator[Passage]:
        """Yield the passages of a page as `load` or `extract` takes it, with more metadata."""
        name = metadata.get("source", "")
        try:
            document = extract(_read(source), **self.options)
            if not document:
                raise ValueError(document.reason)  # noqa: TRY301 - logged like the others
        except (FetchError, OSError, ValueError) as problem:
            if not self.skip_failed:
                raise ValueError(f"{name}: {problem}") from problem
            _log.warning("%s was left out: %s", name, problem)
            return
        yield from self._cut(document, {**_describe(document), **metadata})

    def _cut(self, document: Document, metadata: dict[str, Any]) -> Iterator[Passage]:
        if self.max_words is None:
            yield Passage(document.to_markdown(title=True), metadata)
            return
        for chunk in document.chunks(max_words=self.max_words, overlap=self.overlap):
            place = {"headings": " > ".join(chunk.headings), "kind": chunk.kind}
            yield Passage(chunk.text, metadata | place | {"start": chunk.start, "end": chunk.end})


def _read(source: Any) -> Any:
    """Return a page that `extract` takes."""
    if isinstance(source, Path):
        return source.read_bytes()
    if isinstance(source, str):
        return fetch(source) if is_web_address(source) else Path(source).read_bytes()
    return source


def as_record(html: bytes | str, url: str = "") -> Record:
    """Return HTML, as text or bytes, as a page with its address."""
    if isinstance(html, str):
        return Record(html.encode("utf-8", "replace"), url=url, charset="utf-8")
    return Record(html, url=url)


def _describe(document: Document) -> dict[str, Any]:
    """What is known about a document; what is not known is left out."""
    values = {name: getattr(document.metadata, name) for name in _FIELDS}
    values["authors"] = "; ".join(document.metadata.authors)
    values |= {"title": values["title"] or document.title, "page_type": document.page_type}
    return {name: value for name, value in values.items() if value}
