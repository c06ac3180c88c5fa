"""Load pages for LlamaIndex: a reader of addresses and files."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from bodytext.integrations.passages import PassageMaker

try:
    from llama_index.core.readers.base import BaseReader
    from llama_index.core.schema import Document
except ImportError as error:
    raise ImportError("this needs LlamaIndex: pip install llama-index-core") from error


class BodytextReader(BaseReader):  # type: ignore[misc]
    """Reads pages from addresses and files. `options` are those of `PassageMaker`."""

    def __init__(self, **options: Any) -> None:
        self._maker = PassageMaker(**options)

    def lazy_load_data(self, sources: Iterable[str | Path]) -> Iterator[Document]:
        """Yield the documents, page by page."""
        for source in sources:
            for passage in self._maker.load(source):
                yield Document(text=passage.text, metadata=passage.metadata)
