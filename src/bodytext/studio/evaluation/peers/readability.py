"""readability-lxml; its HTML is turned into text by html-text, since it writes none itself."""

from bodytext.page.encoding import decode

DISTRIBUTION = "readability-lxml"


def _run(page: bytes) -> str:
    from html_text import extract_text
    from readability import Document

    return str(extract_text(Document(decode(page).source.decode("utf-8")).summary()))


SYSTEMS = {"readability-lxml": _run}
