"""Write a document as CSV: a row for spreadsheets, below a line with the names of the columns."""

import csv
import io
import re

from bodytext.output.facts import as_text, name_facts, read_facts
from bodytext.output.format import Format
from bodytext.output.readable import Readable

_FIRST, _LAST = ("source", "url"), ("page_type", "confidence", "reason", "text")
COLUMNS = (*_FIRST, *(name for name in name_facts("csv") if name not in _FIRST + _LAST), *_LAST)

_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
# Spreadsheets take a cell that begins so for a formula and run it; with an apostrophe before it, it
# is text.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def to_csv(document: Readable, *, source: str = "", header: bool = True) -> str:
    """The document as one row by RFC 4180: quoted where needed, with lines that end in CR LF."""
    confidence = "" if document.confidence is None else f"{document.confidence:.4f}"
    values = read_facts(document) | {
        "source": source,
        "page_type": document.page_type,
        "confidence": confidence,
        "reason": document.reason,
        "text": document.text,
    }
    written = io.StringIO()
    writer = csv.writer(written)
    if header:
        writer.writerow(COLUMNS)
    writer.writerow([_clean(as_text(values.get(name))) for name in COLUMNS])
    return written.getvalue().removesuffix("\r\n")


def _clean(value: str) -> str:
    value = _FORBIDDEN.sub("", value)
    return f"'{value}" if value.startswith(_FORMULA) else value


FORMAT = Format(
    to_csv,
    suffix=".csv",
    media_type="text/csv",
    description="a row for spreadsheets",
    options=("source", "header"),
    stream_suffixes=(".csv",),
)
