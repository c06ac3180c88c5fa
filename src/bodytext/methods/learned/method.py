"""The learned method, the default: a small network over all blocks of a page.

It descends from the five: the stretch with many words and few tags (Finn, and its run-length form) is a feature of
each block, the shares of links and of text in the elements around it are CUTER's, how evenly text is spread over like
elements is the descent's, and the share of text in the source is the line density's. `bodytext.methods.learned.features` has them all,
`bodytext.methods.learned.network` the network, `bodytext train` makes its weights.

The network gives each block a chance p of being content. Which blocks are kept is decided for the page as a whole: of
the blocks in the order of p, those up to the point where the F1 that is to be expected is highest,

    2 * sum(p * words of the kept) / (words of the kept + 1.1 * sum(p * words of all)),

and none at all where no p reaches 0.2. The score is p, moved so that a point a little above this one, by 0.4 in its
logit, lies at 0.5 (the three numbers after ../docs/learned.md). `bodytext.methods.learned.consistency` has what is known of blocks
together: a text that stands in the page twice is kept once, tables are kept whole, headings head something.
"""

import math
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from bodytext import kernel as layers
from bodytext.kernel import find_tags, read_values
from bodytext.kernel.html import TAG
from bodytext.methods.cuter import Cuter
from bodytext.methods.learned.consistency import Topics, find_copies, settle, spare_repeated
from bodytext.methods.learned.features import read_features
from bodytext.methods.learned.network import Arrays, Matrix, Network, Reading, read_blocks
from bodytext.methods.perceptron import read_arrays
from bodytext.page.tables import Page
from bodytext.selection import BOUNDARY, Scores

RULE = layers.Rule(
    weight=1.1,  # a little over 1 leans to precision
    least=0.2,  # a page without a block this likely has no content
    lean=0.4,  # networks taught by others are a little too free with their chances
)
# The largest of 1,473 real pages have 2,649 and 5,666; of floods the network knows nothing, and CUTER answers.
MOST_BLOCKS, MOST_RUNS = 20_000, 100_000
_MOST_LINKS = 64  # <link>s that are looked at for the page's own address


class Judgement(NamedTuple):
    """Scores of the blocks, the kind of page, and the F1 that is expected of the answer at the boundary."""

    scores: Scores
    page_type: str
    confidence: float | None  # None where the network was not asked


@dataclass(frozen=True, slots=True)
class Learned:
    """A network over all blocks and what stands around them, descended from the five (the default)."""

    model: str = ""  # a file of weights that `bodytext train` wrote; the package's own where none is named

    def __post_init__(self) -> None:
        if self.model:
            read_weights(self.model)  # a file that is none is refused here, not page by page

    def score(self, page: Page) -> Scores:
        """The chance of each block to be content, with the page's best cut at 0.5."""
        return self.judge(page).scores

    def judge(self, page: Page, shift: Matrix | None = None) -> Judgement:
        """The scores, the kind of page and the confidence. `shift`, what else is known, is added to the logits."""
        if not len(page):
            return Judgement(np.zeros(0, dtype=np.float32), "", 0.0)
        if is_flood(page):
            return Judgement(Cuter().score(page), "", None)
        arrays = read_weights(self.model)
        features = read_features(with_address(page))
        words = page.per_block(page.runs.words).astype(np.float32)
        reading = read_blocks(read_network(self.model), features, words)
        if shift is not None:
            reading = reading._replace(logits=reading.logits + shift)
        decision = decide_page(page, reading, words, features.topics)
        measures = measure_answer(decision, words, reading.types)
        return Judgement(decision.scores, reading.page_type, expect(arrays, measures))


def is_flood(page: Page) -> bool:
    """Whether a page has more blocks or runs than any that people read."""
    return len(page) > MOST_BLOCKS or len(page.runs.words) > MOST_RUNS


class Decision(NamedTuple):
    """Chances of the blocks with copies taken out, their scores, and the expected F1 of the cut."""

    chances: Matrix
    scores: Scores
    expected: float


def decide_page(page: Page, reading: Reading, words: Matrix, topics: Topics) -> Decision:
    """Where the expected F1 is highest, scores with a point a little above it at 0.5, and what belongs together so."""
    original = spare_repeated(page, find_copies(page, words), reading.page_type)
    decision = Decision(*layers.decide(reading.logits, words, original, RULE))
    settle(page, decision.scores, words, reading.page_type, topics)
    return decision


MEASURES = (
    "expected F1",
    "chance of the kept",
    "share of the page",
    "log words",
    "doubt",
    "highest chance",
    "log blocks",
)


def measure_answer(decision: Decision, words: Matrix, types: Matrix) -> Matrix:
    """What the confidence is judged by."""
    inside, total, likely, doubt = layers.add_up_answer(decision.scores, decision.chances, words, BOUNDARY)
    values = (
        decision.expected,
        likely / (inside + 1),
        inside / (total + 1e-6),
        math.log1p(inside) / 8,
        min(doubt / (inside + 1), 2.0),
        float(decision.chances.max()),
        math.log1p(len(words)) / 8,
        *types.tolist(),
    )
    return np.array(values, dtype=np.float32)


def expect(arrays: Arrays, measures: Matrix) -> float:
    """The F1 to expect, by a logistic curve over the measures and their squares."""
    if "confidence.weights" not in arrays:
        return float(measures[0])
    both = np.concatenate((measures, measures**2))
    return float(1 / (1 + np.exp(-(both @ arrays["confidence.weights"] + arrays["confidence.bias"])[0])))


def with_address(page: Page) -> Page:
    """The page with the address that it gives as its own, where none is known from outside."""
    if page.url:
        return page
    columns = (page.nodes.tag, page.nodes.start, page.nodes.end)
    for start, end in find_tags(page.source, columns, TAG["link"], (b"canonical",), _MOST_LINKS):
        return replace(page, url=read_values(page.source, start, end).get("href", ""))
    return page


@cache
def read_weights(model: str = "") -> Arrays:
    """The weights in a file, or the package's own. A file that holds others than this method needs is refused."""
    known = read_arrays(shipped_weights())
    found = read_arrays(model) if model else known
    needed = {key: array.shape for key, array in known.items() if not key.startswith("confidence.")}
    fits = all(key in found and found[key].shape == shape for key, shape in needed.items())
    if not fits or not all(np.isfinite(array).all() for array in found.values()):
        raise ValueError(f"{model}: holds no weights of this version's learned method; `bodytext train` writes them")
    return found


@cache
def read_network(model: str = "") -> Network:
    """The network with these weights, ready to be run."""
    return Network(read_weights(model))


@cache
def shipped_weights() -> str:
    """The package's own file of weights."""
    return str(Path(__file__).parent.parent / "weights" / "learned.npz")
