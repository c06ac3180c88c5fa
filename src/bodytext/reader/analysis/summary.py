"""Rank the sentences of an article: the first one, three or five are its summary.

The first sentence says the news: of the article's first sentences, the one that the headline
agrees with most; if none does, the most central one. Then follows repeatedly the one that is
central and different from those already chosen (maximal marginal relevance: Carbonell and Goldstein
1998). What is not a readable sentence by itself comes after all others: headings, captions and list
items, very short or long sentences, questions, notices to the reader, and noise.
"""

from collections.abc import Collection, Sequence

import numpy as np

from bodytext.reader.analysis.graph import Graph, Numbers
from bodytext.reader.analysis.notices import is_notice

LONGEST_SUMMARY = 5  # sentences; further ones are ordered by how central they are
_WORDS = (6, 50)  # the least and most words of a good sentence
_PENALTY = 0.01  # factor for other sentences: they are chosen if there are no good ones
# Notes about authors, sources and the site come last, and are about the same things.
_TAIL, _TAIL_FACTOR = 0.85, 0.3
_LEAD = 4  # good sentences at the beginning, one of which says the news
_LEAD_DECAY = 0.85  # factor for each further one of them
_LEAST_AGREEMENT = 0.12  # cosine of such a sentence with the headline
_ENDS = tuple(".!…。！।॥۔։።။។།෴\"'”’»」』)")


def order_sentences(
    graph: Graph, sentences: Sequence[str], words: Sequence[int], noise: Collection[int]
) -> list[int]:
    """Return the numbers of the sentences, best first; those outside the graph come last."""
    count = len(graph)
    worth = graph.rank.copy()
    is_good = [
        _WORDS[0] <= words[number] <= _WORDS[1]
        and sentences[number].endswith(_ENDS)
        and not is_notice(sentences[number])
        and number not in noise
        for number in range(count)
    ]
    worth[np.logical_not(is_good)] *= _PENALTY
    worth[int(count * _TAIL) :] *= _TAIL_FACTOR
    worth[list(noise)] = 0
    lead = _find_lead(graph, [number for number in range(count) if is_good[number]][:_LEAD])
    if lead is not None:
        worth[lead] = worth.max() + 1
    return [*_choose_different(graph, worth), *range(count, len(sentences))]


def _choose_different(graph: Graph, worth: Numbers) -> list[int]:
    """Return the sentences of the graph: the best that differ from each other, then the others."""
    left = np.ones(len(worth), dtype=bool)
    # The greatest similarity of each to a chosen sentence.
    nearest = np.zeros(len(worth), np.float32)
    order: list[int] = []
    for _ in range(min(LONGEST_SUMMARY, len(worth))):
        best = int(np.where(left, worth * (1 - nearest), -1).argmax())
        order.append(best)
        left[best] = False
        nearest = np.maximum(nearest, graph.likeness[best])
    rest = [number for number in np.argsort(-worth, kind="stable").tolist() if left[number]]
    return [*order, *rest]


def _find_lead(graph: Graph, first: Sequence[int]) -> int | None:
    """Return which of the first good sentences says what the headline says; None if none does."""
    agreement = {
        number: float(graph.to_title[number]) * _LEAD_DECAY**place
        for place, number in enumerate(first)
    }
    best = max(first, key=lambda number: agreement[number], default=None)
    return best if best is not None and agreement[best] >= _LEAST_AGREEMENT else None
