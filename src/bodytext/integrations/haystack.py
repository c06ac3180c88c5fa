"""Convert pages for Haystack: a component that makes documents of HTML."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bodytext.integrations.passages import Passage, PassageMaker, as_record

try:
    from haystack import Document, component
    from haystack.dataclasses import ByteStream
except ImportError as error:
    raise ImportError("this needs Haystack: pip install haystack-ai") from error


@component
class BodytextConverter:
    """Converts pages: addresses, files, and the streams that a fetcher returns.

    `max_words`, `overlap`, `skip_failed` and `options` are those of `PassageMaker`.
    """

    def __init__(
        self,
        max_words: int | None = None,
        overlap: int = 0,
        skip_failed: bool = True,
        options: dict[str, Any] | None = None,
    ) -> None:
        self.max_words, self.overlap = max_words, overlap
        self.skip_failed, self.options = skip_failed, options
        self._maker = PassageMaker(max_words, overlap, skip_failed, options or {})

    @component.output_types(documents=list[Document])  # type: ignore[untyped-decorator]
    def run(self, sources: list[str | Path | ByteStream]) -> dict[str, list[Document]]:
        """Return the documents of the pages."""
        return {
            "documents": [
                Document(content=passage.text, meta=passage.metadata)
                for source in sources
                for passage in self._convert(source)
            ]
        }

    def _convert(self, source: Any) -> Iterator[Passage]:
        if isinstance(source, ByteStream):
            return self._maker.make(as_record(source.data, source.meta.get("url", "")), source.meta)
        return self._maker.load(source)
