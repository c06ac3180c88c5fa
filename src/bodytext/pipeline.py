"""extract: the whole path, HTML -> parse -> score -> select -> Document."""

from dataclasses import replace

from bodytext.document import Document
from bodytext.methods import DEFAULT, Method, as_method
from bodytext.parser import foreign_format, not_html, parse
from bodytext.selection import BOUNDARY, check_threshold, select


def extract(
    html: bytes | str, *, url: str = "", method: str | Method = DEFAULT, threshold: float = BOUNDARY
) -> Document:
    """The body text of a page. A lower threshold keeps more, a higher one less; `str(document)` is the text."""
    chosen = as_method(method)
    check_threshold(threshold)
    format_name = foreign_format(html)
    page = parse(b"" if format_name else html, url=url)
    document = select(page, chosen.score(page), threshold)
    return replace(document, reason=not_html(format_name)) if format_name else document
