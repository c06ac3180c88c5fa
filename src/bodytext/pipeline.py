"""extract: the whole path, HTML -> parse -> score -> select -> Document."""

from bodytext.document import Document
from bodytext.methods import DEFAULT, Method, as_method
from bodytext.parser import parse
from bodytext.selection import BOUNDARY, select


def extract(
    html: bytes | str, *, url: str = "", method: str | Method = DEFAULT, threshold: float = BOUNDARY
) -> Document:
    """The body text of a page. A lower threshold keeps more, a higher one less; `str(document)` is the text."""
    page = parse(html, url=url)
    return select(page, as_method(method).score(page), threshold)
