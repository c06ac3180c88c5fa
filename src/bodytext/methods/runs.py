"""Finn's stretch on a cleaned page, over run-length codes.

Phan Thi Ha and Ha Hai Nam, "Automatic main text extraction from web pages", 2012/13. Step 0 keeps what is inside
<body> and drops elements that cannot hold main text, with their content. Step 1 turns the rest into tokens, a tag +1
and a word -1, and merges equal neighbours into signed run lengths: two tags and five words are [2, -5]. Steps 2 and 3
find the stretch of codes with the most words and the fewest tags, and remove all tags from it.

The printed pseudocode has slips (a minimum that is never set, two counters incremented twice, an index that mixes
positions of runs and of tokens), so this follows its meaning: the optimum over the codes is the optimum over the
tokens. The table of runs already holds the codes: the tags before each run, and its words. One pass finds the optimum,
not O(n^2); ties go to the longest stretch, then to the earliest. An end tag without an open element is still a tag.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bodytext.kernel.html import TAG, NodeFlag
from bodytext.methods.finn import best_stretch, share_inside
from bodytext.methods.scores import Scores
from bodytext.page.tables import Column, Page, or_above

# Step 0: the elements that the document names, and style, which is code too. Its list ends in dots; a longer one that
# also named noscript, svg, button and the like made articles no better and forums worse.
DROPPED = ("script", "style", "input", "img", "marquee", "iframe", "select", "option")
_DROPPED_TAGS = np.zeros(len(TAG), dtype=np.bool_)
_DROPPED_TAGS[[TAG[name] for name in DROPPED]] = True
_CLOSED = int(NodeFlag.CLOSED)


@dataclass(frozen=True, slots=True)
class Runs:
    """The same stretch on a cleaned page, over run-length codes (Phan and Ha 2013)."""

    def score(self, page: Page) -> Scores:
        """Score the blocks in the best stretch of the cleaned page 1."""
        tags, words = clean(page)
        first, stop = best_stretch(tags, words)
        inside = share_inside(page, words, first, stop)
        return Scores(np.where(page.per_block(words) > 0, inside, np.float32(0)))


def clean(page: Page) -> tuple[Column, Column]:
    """Step 0: return the tags before each run and its words, without those of dropped elements.

    Before <body> only dropped elements have words, and tags before the first word cannot be in the best stretch, so
    the head needs no step of its own.
    """
    nodes, runs = page.nodes, page.runs
    gone = or_above(_DROPPED_TAGS[nodes.tag], nodes.parent)
    rows = len(runs.words)
    opened = _tags_at(nodes.first_run[gone], rows)
    closed = _tags_at(nodes.stop_run[gone & (nodes.flags & _CLOSED != 0)], rows)
    return runs.tags - opened - closed, np.where(gone[runs.node], 0, runs.words)


def _tags_at(positions: Column, rows: int) -> Column:
    return np.bincount(positions, minlength=rows + 1)[:rows].astype(np.int32)


def encode(tokens: npt.ArrayLike) -> list[int]:
    """Step 1: turn tokens, a tag +1 and a word -1, into signed run lengths.

    >>> encode([1, 1, -1, -1, -1, -1, -1])
    [2, -5]
    """
    signs = np.asarray(tokens, dtype=np.int64)
    if not len(signs):
        return []
    edges = np.flatnonzero(np.diff(signs)) + 1
    return [int(part.sum()) for part in np.split(signs, edges)]
