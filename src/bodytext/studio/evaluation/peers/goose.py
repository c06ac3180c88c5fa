"""Run goose3, which takes decoded text."""

from bodytext.page.encoding import decode

DISTRIBUTION = "goose3"


def _run(page: bytes) -> str:
    from goose3 import Goose

    with Goose({"enable_image_fetching": False}) as goose:
        return str(goose.extract(raw_html=decode(page).source.decode("utf-8")).cleaned_text)


SYSTEMS = {"goose3": _run}
