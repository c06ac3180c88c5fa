"""Document -> CSV: a row for spreadsheets, with a line that names the columns."""

import csv
import io
import re

from bodytext.document import Document
from bodytext.output.facts import as_text, read_facts

COLUMNS = (
    "source", "url", "title", "authors", "date", "site_name", "language", "description", "tags", "license", "page_type",
    "confidence", "reason", "text",
)  # fmt: skip

_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
# Spreadsheets take a cell that begins so for a formula and run it; with an apostrophe before it, it is text.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def to_csv(document: Document, *, source: str = "", header: bool = True) -> str:
    """The document as one row after RFC 4180 (quoted where needed, lines end with CR LF), below the columns' names."""
    facts = read_facts(document)
    said = {
        "source": source,
        "page_type": document.page_type,
        "confidence": "" if document.confidence is None else f"{document.confidence:.4f}",
        "reason": document.reason,
        "text": str(document),
    }
    row = [_clean(said[name] if name in said else as_text(facts.get(name))) for name in COLUMNS]
    written = io.StringIO()
    writer = csv.writer(written)
    if header:
        writer.writerow(COLUMNS)
    writer.writerow(row)
    return written.getvalue().removesuffix("\r\n")


def _clean(value: str) -> str:
    value = _FORBIDDEN.sub("", value)
    return f"'{value}" if value.startswith(_FORMULA) else value
