"""The graph of an article's sentences -> those that have nothing to do with the rest of it.

CUTER's authors propose that the graph which finds the best sentences finds the worst as well: what is like no other
sentence is no part of the article. Measured by how like it is to the sentences further away (what stands beside a
foreign sentence is foreign too, and like it), over three sentences in a row, against the mean of the article.

`results/reader_analysis.md` has what that reaches. It finds what was put in from elsewhere. What extraction leaves over
on real pages is mostly about the same things as the article, and the graph cannot tell it apart: of what it finds there
more is the article's own. Hence only the last third is looked at, where most noise is, with a bound that next to
nothing is below; and what is found is marked and left out of the summary, and stays in the text.
"""

import numpy as np

from bodytext.reader.analysis.graph import Graph, Numbers

# On the half of wcxb-dev's articles that it was chosen on (domains whose fold of two is 0), with the text that
# `learned` found, four of ten thousand characters of good text are below it, and 64 of ten thousand of noise.
LEAST_CONNECTION = 0.02
_TAIL = 0.7  # of the sentences: before it nothing is noise
_LEAST_SENTENCES = 12  # of fewer, no sentence has enough others to be compared with
_FAR = 5  # sentences away: nearer ones do not count
_WINDOW = 3


def find_noise(graph: Graph, least: float = LEAST_CONNECTION) -> tuple[int, ...]:
    """The numbers of the sentences that have nothing to do with the article."""
    if len(graph) < _LEAST_SENTENCES:
        return ()
    start = int(len(graph) * _TAIL)
    return tuple((np.flatnonzero(connect(graph)[start:] < least) + start).tolist())


def connect(graph: Graph) -> Numbers:
    """How like each sentence and those beside it are to the sentences further away; the mean is 1."""
    count = len(graph)
    if not count:
        return np.zeros(0, np.float32)
    places = np.arange(count)
    is_far = np.abs(places[:, None] - places) >= _FAR
    means = (graph.likeness * is_far).sum(1) / np.maximum(is_far.sum(1), 1)
    sums = np.convolve(means, np.ones(_WINDOW), "same")
    smooth = sums / np.convolve(np.ones(count), np.ones(_WINDOW), "same")
    return (smooth / max(float(means.mean()), 1e-9)).astype(np.float32)
