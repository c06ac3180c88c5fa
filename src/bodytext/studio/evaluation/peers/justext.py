"""Run jusText with the stop words of all its languages, since that of a page is not known."""

from functools import cache

DISTRIBUTION = "jusText"


@cache
def _stop_words() -> frozenset[str]:
    from justext import get_stoplist, get_stoplists

    return frozenset(word for language in get_stoplists() for word in get_stoplist(language))


def _run(page: bytes) -> str:
    from justext import justext

    return "\n\n".join(
        part.text for part in justext(page, _stop_words()) if not part.is_boilerplate
    )


SYSTEMS = {"justext": _run}
