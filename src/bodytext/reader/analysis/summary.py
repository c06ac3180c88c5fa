"""The graph of an article's sentences -> their numbers, best first: the first one, three or five are the summary.

The most central sentence comes first, then each time the one that is central and unlike those already chosen (maximal
marginal relevance: Carbonell and Goldstein 1998). What does not read as a sentence by itself is put back: headings and
items, what is very short or long, questions, and what is noise.
"""

from collections.abc import Collection, Sequence

import numpy as np

from bodytext.reader.analysis.graph import Graph

LONGEST_SUMMARY = 5  # sentences; the rest are in order of how central they are
_WORDS = (6, 50)  # of a sentence that can stand for an article
_PUT_BACK = 0.25  # times what it counts
_ENDS = tuple(".!…。！।॥۔։።။។།෴\"'”’»」』)")


def order_sentences(graph: Graph, sentences: Sequence[str], words: Sequence[int], noise: Collection[int]) -> list[int]:
    """The numbers of the sentences, best first; those beyond the graph come last, in their order."""
    count = len(graph)
    worth = graph.rank.copy()
    for number in range(count):
        if not _WORDS[0] <= words[number] <= _WORDS[1] or not sentences[number].endswith(_ENDS):
            worth[number] *= _PUT_BACK
    worth[list(noise)] = 0
    left = np.ones(count, dtype=bool)
    nearest = np.zeros(count, np.float32)  # how like each is to the most like of those chosen
    order: list[int] = []
    for _ in range(min(LONGEST_SUMMARY, count)):
        best = int(np.where(left, worth * (1 - nearest), -1).argmax())
        order.append(best)
        left[best] = False
        nearest = np.maximum(nearest, graph.likeness[best])
    rest = [number for number in np.argsort(-worth, kind="stable").tolist() if left[number]]
    return [*order, *rest, *range(count, len(sentences))]
