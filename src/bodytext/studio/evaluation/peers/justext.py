"""jusText with the stop words of all its languages, since a page does not say its own."""

from functools import cache

DISTRIBUTION = "jusText"


@cache
def _stop_words() -> frozenset[str]:
    from justext import get_stoplist, get_stoplists

    return frozenset(word for language in get_stoplists() for word in get_stoplist(language))


def _run(page: bytes) -> str:
    from justext import justext

    return "\n\n".join(one.text for one in justext(page, _stop_words()) if not one.is_boilerplate)


SYSTEMS = {"justext": _run}
