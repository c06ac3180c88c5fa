"""Run inscriptis, which returns all text of the page, laid out, and takes decoded text."""

from bodytext.page.encoding import decode

DISTRIBUTION = "inscriptis"


def _run(page: bytes) -> str:
    from inscriptis import get_text

    return str(get_text(decode(page).source.decode("utf-8")))


SYSTEMS = {"inscriptis": _run}
