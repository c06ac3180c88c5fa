"""trafilatura, as it is and with its three switches."""

from functools import partial

DISTRIBUTION = "trafilatura"


def _run(switches: dict[str, bool], page: bytes) -> str:
    from trafilatura import extract

    return extract(page, **switches) or ""


SYSTEMS = {
    "trafilatura": partial(_run, {}),
    "trafilatura-fast": partial(_run, {"fast": True}),
    "trafilatura-precision": partial(_run, {"favor_precision": True}),
    "trafilatura-recall": partial(_run, {"favor_recall": True}),
}
