"""Run newspaper4k, which takes decoded text."""

from bodytext.page.encoding import decode

DISTRIBUTION = "newspaper4k"


def _run(page: bytes) -> str:
    from newspaper import Article

    article = Article("", fetch_images=False)
    article.download(input_html=decode(page).source.decode("utf-8"))
    article.parse()
    return str(article.text)


SYSTEMS = {"newspaper4k": _run}
