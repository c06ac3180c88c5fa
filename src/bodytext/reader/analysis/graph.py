"""Compare the sentences of an article with each other, and rank them by how central they are.

The method is LexRank (Erkan and Radev 2004), which is TextRank (Mihalcea and Tarau 2004) with
TF-IDF cosines: sentences are the nodes, an edge weighs the cosine of two sentences' terms, and
PageRank with damping 0.85 finds the sentences that are similar to other central ones. It differs in
two ways: random jumps prefer sentences that are similar to the title and the first sentences, since
news puts the most important first; and no sentence has an edge to itself.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.float32]

MOST_SENTENCES = 400  # the graph grows with their square; further sentences are ignored
_DAMPING = 0.85  # PageRank's
_ROUNDS = 30  # 0.85 ** 30 is less than a hundredth
_TITLE_SHARE = 0.4  # of the jumps that go to sentences similar to the title, if there are any
_FIRST_SHARE = 0.3  # of the jumps that go to the first sentences
_LEAST_LENGTH = 1e-9  # keeps an empty row empty
_FIRST_DECAY = 3.0  # sentences after which that falls to a third


@dataclass(frozen=True, slots=True)
class Graph:
    """The sentences of an article and how similar they are."""

    likeness: Numbers  # cosines; 0 of a sentence with itself
    to_title: Numbers  # cosines of the sentences with the title
    rank: Numbers  # how central each sentence is; the mean is 1

    def __len__(self) -> int:
        return len(self.rank)


def build_graph(
    sentences: Sequence[Sequence[str]], title: Sequence[str], rarities: dict[str, float]
) -> Graph:
    """Build the graph of the first sentences, each given as the names of its terms."""
    rows = [*sentences[:MOST_SENTENCES], title]
    vectors = _weigh(rows, rarities)
    cosines = vectors @ vectors.T
    likeness, to_title = cosines[:-1, :-1].copy(), cosines[:-1, -1].copy()
    np.fill_diagonal(likeness, 0)
    return Graph(likeness, to_title, _walk(likeness, _jump(to_title)))


def _weigh(rows: Sequence[Sequence[str]], rarities: dict[str, float]) -> Numbers:
    """Return a row of TF-IDF weights for each sentence, of length 1 or 0."""
    columns: dict[str, int] = {}
    cells: list[tuple[int, int]] = []
    for number, names in enumerate(rows):
        cells += [(number, columns.setdefault(name, len(columns))) for name in names]
    weights = np.zeros((len(rows), len(columns)), np.float32)
    if cells:
        indices = np.array(cells)
        np.add.at(weights, (indices[:, 0], indices[:, 1]), 1)
        weights *= np.array([rarities[name] for name in columns], np.float32)
    lengths = np.sqrt((weights * weights).sum(1, keepdims=True))
    weights /= np.maximum(lengths, _LEAST_LENGTH)
    return weights


def _jump(to_title: Numbers) -> Numbers:
    """Return the probability of each sentence to be the target of a jump."""
    count = len(to_title)
    first = np.exp(-np.arange(count, dtype=np.float32) / _FIRST_DECAY)
    alike = float(to_title.sum())
    share = _TITLE_SHARE if alike > 0 else 0.0
    jump = (1 - share - _FIRST_SHARE) / max(count, 1) + _FIRST_SHARE * first / max(
        float(first.sum()), 1e-9
    )
    probabilities: Numbers = (jump + share * to_title / max(alike, 1e-9)).astype(np.float32)
    return probabilities


def _walk(likeness: Numbers, jump: Numbers) -> Numbers:
    """Compute PageRank; from a sentence that is similar to no other, the walk always jumps."""
    count = len(jump)
    degrees = likeness.sum(1)
    steps = likeness / np.where(degrees > 0, degrees, 1)[:, None]
    lonely = degrees <= 0
    rank = jump.copy()
    for _ in range(_ROUNDS):
        rank = _DAMPING * (rank @ steps + rank[lonely].sum() * jump) + (1 - _DAMPING) * jump
    return (rank * count).astype(np.float32)
