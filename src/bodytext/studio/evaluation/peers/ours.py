"""Run every method of ours, by the same interface as the peers."""

from functools import partial
from importlib.metadata import version

from bodytext import METHODS, extract
from bodytext.studio.evaluation.code_digest import digest_code

DISTRIBUTION = "bodytext"
RULES = ("threshold", "average", "two-normal", "1A", "3A", "3L")
# The learned method by networks that had not seen the pages.
VALIDATED, VALIDATED_VERSION = "learned-validated", "cross-validated"


def _run(method: str, page: bytes) -> str:
    return str(extract(page, method=method))


def _refuse(_: bytes) -> str:
    raise ValueError(f"the predictions of {VALIDATED} are written by bodytext train --from-scratch")


VERSION = f"{version(DISTRIBUTION)}+{digest_code()}"
SYSTEMS = {
    **{name: partial(_run, name) for name in METHODS},
    VALIDATED: _refuse,
    **{f"density-{rule}": partial(_run, f"density:rule={rule}") for rule in RULES},
}
