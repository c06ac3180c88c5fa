"""Every method of ours, through the same door as the peers."""

from functools import partial

from bodytext import METHODS, extract

DISTRIBUTION = "bodytext"
RULES = ("threshold", "average", "two-normal", "1A", "3A", "3L")


def _run(method: str, page: bytes) -> str:
    return str(extract(page, method=method))


SYSTEMS = {
    **{name: partial(_run, name) for name in METHODS},
    **{f"density-{rule}": partial(_run, f"density:rule={rule}") for rule in RULES},
}
