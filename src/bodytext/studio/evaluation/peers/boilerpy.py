"""Run the article extractor of boilerpy3, which takes decoded text."""

from bodytext.page.encoding import decode

DISTRIBUTION = "boilerpy3"


def _run(page: bytes) -> str:
    from boilerpy3.extractors import ArticleExtractor

    return str(ArticleExtractor().get_content(decode(page).source.decode("utf-8")))


SYSTEMS = {"boilerpy3": _run}
