"""Finds the body text of any web page.

    document = bodytext.extract(html)
    print(document.text)

`help(bodytext.extract)` has all arguments; docs/api.md has every function.
"""

from typing import TYPE_CHECKING, Any

from bodytext.page.parser import parse
from bodytext.page.tables import Page

if TYPE_CHECKING:
    from bodytext.batch.addresses import extract_url
    from bodytext.batch.many import extract_async, extract_many, extract_many_async
    from bodytext.document import Document
    from bodytext.extraction import all_text, extract
    from bodytext.methods import METHODS, Method
    from bodytext.methods.scores import Scores
    from bodytext.selection import select
    from bodytext.sources.fetch import FetchError
    from bodytext.sources.page_fetch import fetch
    from bodytext.sources.record import Record
    from bodytext.views.chunks import Chunk
    from bodytext.views.paragraphs import Paragraph

__version__ = "0.1.0"
__all__ = [
    "METHODS",
    "Chunk",
    "Document",
    "FetchError",
    "Method",
    "Page",
    "Paragraph",
    "Record",
    "Scores",
    "all_text",
    "extract",
    "extract_async",
    "extract_many",
    "extract_many_async",
    "extract_url",
    "fetch",
    "parse",
    "select",
]

# Imported when they are first asked for: `import bodytext` should not wait for them.
_LATE = {
    "METHODS": "bodytext.methods",
    "Chunk": "bodytext.views.chunks",
    "Document": "bodytext.document",
    "FetchError": "bodytext.sources.fetch",
    "Method": "bodytext.methods",
    "Paragraph": "bodytext.views.paragraphs",
    "Record": "bodytext.sources.record",
    "Scores": "bodytext.methods.scores",
    "all_text": "bodytext.extraction",
    "extract": "bodytext.extraction",
    "extract_async": "bodytext.batch.many",
    "extract_many": "bodytext.batch.many",
    "extract_many_async": "bodytext.batch.many",
    "extract_url": "bodytext.batch.addresses",
    "fetch": "bodytext.sources.page_fetch",
    "select": "bodytext.selection",
}


def __getattr__(name: str) -> Any:
    if name not in _LATE:
        raise AttributeError(f"module 'bodytext' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(_LATE[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATE})
