"""Decide which blocks of a page to keep, and estimate how good that answer is.

The network gives each block a chance p of being content. The decision is made for the page as a whole. Of the blocks
in the order of p, those are kept that come before the point where the expected F1 is highest:

    2 * sum(p * words of the kept) / (words of the kept + 1.1 * sum(p * words of all)).

None is kept if no p reaches 0.2. The score is p, moved so that a point a little above this one (by 0.4 in its logit)
is at 0.5. docs/learned.md says where the three numbers come from. `bodytext.kernel.units` then keeps together what
belongs together.
"""

from collections.abc import Sequence
from typing import NamedTuple

from bodytext.kernel import BlockNetwork, CutRule, Survey
from bodytext.kernel import answer_page as answer
from bodytext.kernel import decide_page as decide
from bodytext.kernel import estimate_f1 as estimate
from bodytext.kernel.layers import Arrays, Matrix
from bodytext.kernel.units import Topics
from bodytext.methods.learned.network import NetworkOutput
from bodytext.methods.scores import BOUNDARY, Values
from bodytext.page.tables import Page

Curve = tuple[float, ...]

RULE = CutRule(
    weight=1.1,  # a little over 1 leans to precision
    least=0.2,  # a page without a block this likely has no content
    lean=0.4,  # distilled networks are a little too generous with their chances
)
MEASURES = (
    "expected F1",
    "chance of the kept",
    "share of the page",
    "log words",
    "doubt",
    "highest chance",
    "log blocks",
)


class Decision(NamedTuple):
    """The chances of the blocks without copies, their scores, the page type, and how good the answer is."""

    chances: Matrix
    scores: Values
    page_type: str  # empty if the page has too few words to tell
    measures: tuple[float, ...]  # the values of MEASURES, then the chances of the page types


def decide_page(
    page: Page, output: NetworkOutput, words: Matrix, topics: Topics, rule: CutRule = RULE
) -> Decision:
    """Cut where the expected F1 is highest, then keep together what belongs together."""
    values = (output.logits, words, topics)
    return Decision._make(decide(page.source, page.tables, values, output.types, (rule, BOUNDARY)))


def answer_page(
    page: Page, network: BlockNetwork, survey: Survey, rule: CutRule = RULE
) -> tuple[NetworkOutput, Decision]:
    """Run a network over the survey of a page and decide, in one call that needs no Python in between."""
    output, decision = answer(network, survey, (page.source, page.tables), (rule, BOUNDARY))
    return NetworkOutput._make(output), Decision._make(decision)


def read_curve(arrays: Arrays) -> Curve:
    """Return the bias and the weights of the curve that estimates F1; none if the arrays have none."""
    if "confidence.weights" not in arrays or "confidence.bias" not in arrays:
        return ()
    return float(arrays["confidence.bias"][0]), *arrays["confidence.weights"].ravel().tolist()


def estimate_f1(curve: Curve, measures: Sequence[float]) -> float:
    """Estimate the F1 of an answer by its measures; without a curve it is the expected one."""
    return estimate(curve, measures) if curve else float(measures[0])
