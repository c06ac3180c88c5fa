"""Load pages for LangChain: a document loader and a transformer of HTML documents."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from bodytext.integrations.passages import PassageMaker, as_record
from bodytext.page.urls import is_web_address

try:
    from langchain_core.document_loaders import BaseLoader
    from langchain_core.documents import BaseDocumentTransformer, Document
except ImportError as error:
    raise ImportError("this needs LangChain: pip install langchain-core") from error


class BodytextLoader(BaseLoader):  # type: ignore[misc]
    """Loads pages from addresses and files. `options` are those of `PassageMaker`."""

    def __init__(self, sources: Iterable[str | Path], **options: Any) -> None:
        self._sources, self._maker = tuple(sources), PassageMaker(**options)

    def lazy_load(self) -> Iterator[Document]:
        """Yield the documents, page by page."""
        for source in self._sources:
            for passage in self._maker.load(source):
                yield Document(page_content=passage.text, metadata=passage.metadata)


class BodytextTransformer(BaseDocumentTransformer):  # type: ignore[misc]
    """Makes body text of documents that hold HTML; their metadata stays."""

    def __init__(self, **options: Any) -> None:
        self._maker = PassageMaker(**options)

    def transform_documents(
        self,
        documents: Sequence[Document],
        **_: Any,
    ) -> Sequence[Document]:
        """Return the documents of the pages."""
        return [
            Document(page_content=passage.text, metadata=passage.metadata)
            for document in documents
            for passage in self._maker.make(
                as_record(document.page_content, _find_address(document)), document.metadata
            )
        ]


def _find_address(document: Document) -> str:
    """Return the address of a document, which most loaders call its source."""
    source = str(document.metadata.get("source", ""))
    return source if is_web_address(source) else ""
