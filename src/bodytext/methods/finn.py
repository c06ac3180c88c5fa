"""Finn's body text extraction: the stretch of a page that has most of the words and few of the tags.

Aidan Finn, Nicholas Kushmerick and Barry Smyth, "Fact or fiction: Content classification for digital libraries",
DELOS workshop, Dublin 2001. The page is a sequence of tokens, a tag is 1 and a word is 0. The body is the pair of
points i, j that maximises

    T(i, j) = tags before i + words from i to j + tags after j.

T is the number of all tags plus the sum over i..j of +1 for a word and -1 for a tag, so the best pair is the
maximum-sum stretch, and one pass finds it exactly; the search in the paper is quadratic or worse. Among equally good
stretches the longest wins, then the earliest.

There are no parameters and no cleaning. What a browser never shows as text (script, style, title, iframe, noembed,
noframes) has no words; everything else counts.
"""

from dataclasses import dataclass

import numpy as np

from bodytext.methods.scores import Scores, Values
from bodytext.page.tables import Column, Page, running_sum


@dataclass(frozen=True, slots=True)
class Finn:
    """The stretch with the most words and the fewest tags (Finn, Kushmerick and Smyth 2001)."""

    def score(self, page: Page) -> Scores:
        """Score blocks in the best stretch 1, and a block at its edge by the share of its words inside."""
        first, stop = best_stretch(page.runs.tags, page.runs.words)
        return Scores(share_inside(page, page.runs.words, first, stop))


def best_stretch(tags: Column, words: Column) -> tuple[int, int]:
    """Return the first and the stop run of the best stretch, given the tags before each run and its words."""
    if not len(words):
        return 0, 0
    balance = words - tags
    np.cumsum(balance, out=balance)  # up to each run, the run included
    lowest = balance - words  # up to each run, the tags before it included
    np.minimum.accumulate(lowest, out=lowest)
    gain = np.subtract(balance, lowest, out=balance)
    ends = np.flatnonzero(gain == gain.max())
    # `lowest` falls, so the longest stretch with a value begins at the first run that reaches it.
    np.negative(lowest, out=lowest)
    starts = np.searchsorted(lowest, lowest[ends], side="left")
    tokens = np.cumsum(words + tags, dtype=np.int32)
    lengths = tokens[ends] - tokens[starts] + words[starts]
    longest = int(np.argmax(lengths))
    return int(starts[longest]), int(ends[longest]) + 1


def share_inside(page: Page, words: Column, first: int, stop: int) -> Values:
    """Return the share of each block's words that are in the runs first to stop; of its runs if it has no words."""
    total = running_sum(words)
    begin, end = page.blocks.first_run, page.blocks.stop_run
    inner_begin, inner_end = np.clip(begin, first, stop), np.clip(end, first, stop)
    inside, whole = total[inner_end] - total[inner_begin], total[end] - total[begin]
    wordless = whole == 0
    inside[wordless] = (inner_end - inner_begin)[wordless]
    whole[wordless] = (end - begin)[wordless]
    shares: Values = np.divide(inside, whole, dtype=np.float32)
    return shares
