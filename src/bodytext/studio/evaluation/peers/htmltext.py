"""Run html-text, which returns all text of the page and takes decoded text."""

from bodytext.page.encoding import decode

DISTRIBUTION = "html-text"


def _run(page: bytes) -> str:
    from html_text import extract_text

    return str(extract_text(decode(page).source.decode("utf-8")))


SYSTEMS = {"html-text": _run}
