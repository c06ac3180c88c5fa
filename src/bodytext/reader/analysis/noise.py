"""Find the sentences of an article that do not belong to it.

CUTER's authors propose that the graph that finds the best sentences also finds the worst: a
sentence that is similar to no other is not part of the article. Each sentence is compared with
those further away, because the neighbours of a foreign sentence are often foreign and similar. The
similarity is averaged over three sentences in a row, and divided by the article's mean.

`results/reader_analysis.md` has measurements. The method finds text that was inserted from
elsewhere. But the noise that extraction leaves on real pages mostly has the same topic as the
article, so the graph cannot distinguish it: most of the sentences that it finds belong to the
article. So only the last 30 % is examined, where most noise is, with a very low threshold. The
sentences found are left out of the summary, but stay in the text.
"""

import numpy as np

from bodytext.reader.analysis.graph import Graph, Numbers

# Chosen on half of wcxb-dev's articles (domains whose fold of two is 0), with the text that
# `learned` found: four of ten thousand characters of good text are below it, and 64 of ten thousand
# characters of noise.
LEAST_CONNECTION = 0.02
_TAIL = 0.7  # this share of the sentences comes first and is never noise
_LEAST_SENTENCES = 12  # with fewer, a sentence has too few others to be compared with
_FAR = 5  # sentences nearer than this do not count
_WINDOW = 3


def find_noise(graph: Graph, least: float = LEAST_CONNECTION) -> tuple[int, ...]:
    """Return the numbers of the sentences that do not belong to the article."""
    if len(graph) < _LEAST_SENTENCES:
        return ()
    start = int(len(graph) * _TAIL)
    return tuple((np.flatnonzero(connect(graph)[start:] < least) + start).tolist())


def connect(graph: Graph) -> Numbers:
    """Return how similar sentences and their neighbours are to distant ones; the mean is 1."""
    count = len(graph)
    if not count:
        return np.zeros(0, np.float32)
    numbers = np.arange(count)
    is_far = np.abs(numbers[:, None] - numbers) >= _FAR
    means = (graph.likeness * is_far).sum(1) / np.maximum(is_far.sum(1), 1)
    sums = np.convolve(means, np.ones(_WINDOW), "same")
    smooth = sums / np.convolve(np.ones(count), np.ones(_WINDOW), "same")
    return (smooth / max(float(means.mean()), 1e-9)).astype(np.float32)
