"""Make the row of a record: extract the text of its page, with its metadata."""

import json
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
from bodytext.views.metadata.fields import METADATA_FIELDS


class RowExtractor:
    """Makes the rows of a corpus."""

    def __init__(self, spec: CorpusSpec, templates: str = "") -> None:
        """Take the spec, and the folder of the sites' templates if there is one."""
        self._spec = spec
        self._method = as_method(spec.method, spec.model)
        self._templates = Templates(Path(templates)) if templates else None

    def make_row(self, record: Record, harm: str = "") -> Row:
        """Make the row of a record, with an error if it has a problem, does harm, or fails."""
        row = Row(
            url=record.url,
            time=record.time,
            title=record.title,
            source=record.source,
            offset=record.offset,
        )
        row.error = record.problem or harm
        if row.error:
            return row
        try:
            self._fill(row, record)
        except MemoryError:
            row.error = MEMORY_ERROR
        except Exception as error:  # a page that breaks the extraction must not harm others
            row.error = f"{type(error).__name__}: {error}"
        return row

    def _choose_method(self, title: str) -> Method:
        """The method for a page, with the title that a feed gave it."""
        method = with_title(self._method, title)
        return method if self._templates is None else Templated(method, self._templates)

    def _fill(self, row: Row, record: Record) -> None:
        spec = self._spec
        document = extract(
            record.html,
            url=record.url,
            method=self._choose_method(record.title),
            threshold=spec.threshold,
            charset=record.charset or None,
        )
        if spec.metadata:
            row.metadata = _format_metadata(document)
            row.title = row.title or document.metadata.title
        row.title = row.title or document.title
        row.text = to_markdown(document) if spec.text == MARKDOWN else str(document)
        row.page_type = document.page_type
        row.confidence = None if document.confidence is None else round(document.confidence, 4)
        if not row.text:
            row.dropped = f"empty: {document.reason}"


def _format_metadata(document: Document) -> str:
    """The fields that have a value, and where the text was if the page does not show it."""
    values = {field.name: getattr(document.metadata, field.name) for field in METADATA_FIELDS}
    values["origin"] = document.origin
    return json.dumps({name: value for name, value in values.items() if value}, ensure_ascii=False)
