"""Run readability-lxml, which returns HTML; html-text turns it into text."""

from bodytext.page.encoding import decode

DISTRIBUTION = "readability-lxml"


def _run(page: bytes) -> str:
    from html_text import extract_text
    from readability import Document

    return str(extract_text(Document(decode(page).source.decode("utf-8")).summary()))


SYSTEMS = {"readability-lxml": _run}
