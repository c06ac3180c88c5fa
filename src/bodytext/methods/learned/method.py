"""The learned method, the default: a small network over all blocks of a page.

It descends from the five published methods. The stretch with many words and few tags (Finn, and its run-length form)
is a feature of each block. The shares of links and text in the elements around it are CUTER's. The spread of text over
similar elements comes from the descent, and the share of text in the source from line density. `features` has them
all, `network` runs the network, `decision` decides which blocks to keep, and `bodytext train` makes the weights.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bodytext.kernel import CutRule
from bodytext.methods.learned.decision import (
    MEASURES,
    RULE,
    Decision,
    answer_page,
    decide_page,
    estimate_f1,
)
from bodytext.methods.learned.features import read_features
from bodytext.methods.learned.network import STRETCH, NetworkOutput, read_blocks
from bodytext.methods.learned.weights import read_confidence, read_network, read_weights
from bodytext.methods.scores import Scores, Values
from bodytext.page.tables import Page

if TYPE_CHECKING:
    from bodytext.kernel.layers import BlockNetwork, Matrix
    from bodytext.kernel.units import Topics

# The largest of 1,473 real pages have 2,649 blocks and 5,666 runs. The network has seen nothing larger, so CUTER
# answers for floods.
MOST_BLOCKS, MOST_RUNS = 20_000, 100_000
# A page of tiny pieces is a flood too: its features would need 20 times its memory and more. Of 3,560 real pages none
# has less than 16 bytes for each element and run.
MANY_ROWS, FEWEST_BYTES = 10_000, 10
_READING = "reading of the learned method"  # what a page keeps of it
_SHARE = MEASURES.index("share of the page")


class _Reading(NamedTuple):
    """What a network says of a page, and what the decision needs besides."""

    network: "BlockNetwork"
    output: NetworkOutput
    words: "Matrix"  # of each block
    topics: "Topics"  # of each node


@dataclass(frozen=True, slots=True)
class Learned:
    """A network over all blocks and what is around them, descended from the five (the default)."""

    model: str = ""  # a file of weights from `bodytext train`; empty for the package's own

    def __post_init__(self) -> None:
        if self.model:
            read_weights(self.model)  # refuse a wrong file here, not page by page

    def score(self, page: Page) -> Scores:
        """Return the chance of each block to be content, with the page's best cut at 0.5."""
        return self._score(page)

    def score_shifted(self, page: Page, shift: Values) -> Scores:
        """Return the scores after `shift` is added to the logits."""
        return self._score(page, shift)

    def guess(self, page: Page) -> Scores:
        """Return the scores with a cut at 0.5 also if no block is likely."""
        return self._score(page, rule=RULE._replace(least=0.0))

    def _score(self, page: Page, shift: Values | None = None, rule: CutRule = RULE) -> Scores:
        if not len(page):
            return Scores(np.zeros(0, dtype=np.float32), "", 0.0)
        if is_flood(page):
            from bodytext.methods.cuter import Cuter

            return Cuter().score(page)
        reading, decision = self._decide(page, shift, rule)
        if not decision.measures[_SHARE]:  # nothing is kept: a guess may follow
            page.__dict__[_READING] = reading
        confidence = estimate_f1(read_confidence(self.model), decision.measures)
        return Scores(decision.scores, decision.page_type, confidence)

    def _decide(self, page: Page, shift: Values | None, rule: CutRule) -> tuple[_Reading, Decision]:
        """Return what the network says of a page, which it may have been asked before, and what follows from it."""
        network = read_network(self.model)
        reading: _Reading | None = page.__dict__.get(_READING)
        if reading is None or reading.network is not network:
            survey = read_features(page, seeks_address=True)
            if shift is None and survey.count <= STRETCH:
                output, decision = answer_page(page, network, survey, rule)
                return _Reading(network, output, survey.words, survey.topics), decision
            output = read_blocks(network, survey)
            reading = _Reading(network, output, survey.words, survey.topics)
        _, output, words, topics = reading
        if shift is not None:
            output = output._replace(logits=output.logits + shift)
        return reading, decide_page(page, output, words, topics, rule)


def is_flood(page: Page) -> bool:
    """Return whether a page has more blocks or runs, or smaller ones, than any that people read."""
    nodes, runs, blocks = page.tables
    if blocks.shape[1] > MOST_BLOCKS or runs.shape[1] > MOST_RUNS:
        return True
    rows: int = runs.shape[1] + nodes.shape[1]
    return rows > MANY_ROWS and len(page.source) < FEWEST_BYTES * rows
