"""Record -> Row: the text of a page as an order wants it, and what is known about it."""

import json
from dataclasses import fields
from pathlib import Path

from bodytext import extract
from bodytext.corpus.row import Row
from bodytext.corpus.run.spec import MARKDOWN, CorpusSpec
from bodytext.corpus.templates.method import Templated
from bodytext.corpus.templates.site_templates import Templates
from bodytext.document import Document
from bodytext.methods import Method, as_method, with_title
from bodytext.output.markdown import to_markdown
from bodytext.sources.record import MEMORY_ERROR, Record


class RowExtractor:
    """Makes the rows of an order."""

    def __init__(self, order: CorpusSpec, templates: str = "") -> None:
        """Take what is asked for, and the folder of the sites' templates, if there is one."""
        self._order = order
        self._method = as_method(order.method, order.model)
        self._templates = Templates(Path(templates)) if templates else None

    def make_row(self, record: Record, harm: str = "") -> Row:
        """The row of a record; one with an error where it has a problem, is known to do harm, or does."""
        row = Row(url=record.url, time=record.time, title=record.title, source=record.source, offset=record.offset)
        row.error = record.problem or harm
        if row.error:
            return row
        try:
            self._fill(row, record)
        except MemoryError:
            row.error = MEMORY_ERROR
        except Exception as error:  # whatever a page does to the extraction, its neighbours are unharmed
            row.error = f"{type(error).__name__}: {error}"
        return row

    def _choose(self, title: str) -> Method:
        """The method for a page; one that can use the title that a feed gave it is told."""
        method = with_title(self._method, title)
        return method if self._templates is None else Templated(method, self._templates)

    def _fill(self, row: Row, record: Record) -> None:
        order = self._order
        document = extract(
            record.html,
            url=record.url,
            method=self._choose(record.title),
            threshold=order.threshold,
            charset=record.charset or None,
        )
        metadata = _write_metadata(document) if order.metadata else ""
        title = row.title or (document.metadata.title if order.metadata else "") or document.title
        text = to_markdown(document) if order.text == MARKDOWN else str(document)
        row.title, row.text, row.metadata, row.page_type = title, text, metadata, document.page_type
        row.confidence = None if document.confidence is None else round(document.confidence, 4)
        if not text:
            row.dropped = f"empty: {document.reason}"


def _write_metadata(document: Document) -> str:
    """The fields that have a value; where the text stood, if the page does not show it."""
    metadata = document.metadata
    values = {one.name: getattr(metadata, one.name) for one in fields(metadata) if one.name != "sources"}
    found = {name: value for name, value in (values | {"origin": document.origin}).items() if value}
    return json.dumps(found, ensure_ascii=False)
