"""Run trafilatura, by default and with its switches."""

from functools import partial

DISTRIBUTION = "trafilatura"


def _run(switches: dict[str, bool], page: bytes) -> str:
    from trafilatura import extract

    return extract(page, **switches) or ""


SYSTEMS = {
    "trafilatura": partial(_run, {}),
    "trafilatura-no-comments": partial(_run, {"include_comments": False}),
    "trafilatura-fast": partial(_run, {"fast": True}),
    "trafilatura-precision": partial(_run, {"favor_precision": True}),
    "trafilatura-recall": partial(_run, {"favor_recall": True}),
}
