"""Rank the sentences of an article: the first one, three or five are its summary.

The most central sentence comes first, then repeatedly the one that is central and different from
those already chosen
(maximal marginal relevance: Carbonell and Goldstein 1998). Text that is not a readable sentence by itself is
penalised: headings and list items, very short or long sentences, questions, and noise.
"""

from collections.abc import Collection, Sequence

import numpy as np

from bodytext.reader.analysis.graph import Graph

LONGEST_SUMMARY = 5  # sentences; further ones are ordered by how central they are
_WORDS = (6, 50)  # the least and most words of a good sentence
_PENALTY = 0.25  # factor for other sentences
_ENDS = tuple(".!…。！।॥۔։።။។།෴\"'”’»」』)")


def order_sentences(
    graph: Graph, sentences: Sequence[str], words: Sequence[int], noise: Collection[int]
) -> list[int]:
    """Return the numbers of the sentences, best first; those outside the graph come last."""
    count = len(graph)
    worth = graph.rank.copy()
    for number in range(count):
        if not _WORDS[0] <= words[number] <= _WORDS[1] or not sentences[number].endswith(_ENDS):
            worth[number] *= _PENALTY
    worth[list(noise)] = 0
    left = np.ones(count, dtype=bool)
    nearest = np.zeros(count, np.float32)  # the greatest similarity of each to a chosen sentence
    order: list[int] = []
    for _ in range(min(LONGEST_SUMMARY, count)):
        best = int(np.where(left, worth * (1 - nearest), -1).argmax())
        order.append(best)
        left[best] = False
        nearest = np.maximum(nearest, graph.likeness[best])
    rest = [number for number in np.argsort(-worth, kind="stable").tolist() if left[number]]
    return [*order, *rest, *range(count, len(sentences))]
