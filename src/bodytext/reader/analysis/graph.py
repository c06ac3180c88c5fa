"""Sentences as terms, and the terms' rarities -> how like each sentence is to each other, and how central it is.

The method is LexRank (Erkan and Radev 2004), which is TextRank (Mihalcea and Tarau 2004) with TF-IDF cosines: sentences
are the nodes, an edge weighs the cosine of two sentences' terms, and a sentence is central if central ones are like it:
PageRank with damping 0.85. Two things are ours: a walker who jumps goes not to all sentences alike, but rather to those
that are like the title and to the first ones, since news tells the most important first; and no sentence has an edge to
itself.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.float32]

MOST_SENTENCES = 400  # the graph grows with their square; further sentences are not looked at
_DAMPING = 0.85  # PageRank's
_ROUNDS = 30  # 0.85 ** 30 is less than a hundredth
_TITLE_SHARE = 0.4  # of the jumps that go to what is like the title, as far as there is any
_FIRST_SHARE = 0.3  # of the jumps that go to the first sentences
_LEAST_LENGTH = 1e-9  # keeps an empty row empty
_FIRST_DECAY = 3.0  # sentences after which that is a third


@dataclass(frozen=True, slots=True)
class Graph:
    """The sentences of an article, compared."""

    likeness: Numbers  # cosines; 0 of a sentence with itself
    to_title: Numbers  # of each sentence with the title
    rank: Numbers  # how central each is; the mean is 1

    def __len__(self) -> int:
        return len(self.rank)


def build_graph(sentences: Sequence[Sequence[str]], title: Sequence[str], rarities: dict[str, float]) -> Graph:
    """The graph of the first MOST_SENTENCES sentences, each given as the names of its terms."""
    rows = [*sentences[:MOST_SENTENCES], title]
    vectors = _weigh(rows, rarities)
    cosines = vectors @ vectors.T
    likeness, to_title = cosines[:-1, :-1].copy(), cosines[:-1, -1].copy()
    np.fill_diagonal(likeness, 0)
    return Graph(likeness, to_title, _walk(likeness, _jump(to_title)))


def _weigh(rows: Sequence[Sequence[str]], rarities: dict[str, float]) -> Numbers:
    """A row a sentence, a column a term; rows have length 1, or 0 where no term says anything."""
    columns: dict[str, int] = {}
    spots: list[tuple[int, int]] = []
    for number, names in enumerate(rows):
        spots += [(number, columns.setdefault(name, len(columns))) for name in names]
    found = np.zeros((len(rows), len(columns)), np.float32)
    if spots:
        at = np.array(spots)
        np.add.at(found, (at[:, 0], at[:, 1]), 1)
        found *= np.array([rarities[name] for name in columns], np.float32)
    lengths = np.sqrt((found * found).sum(1, keepdims=True))
    found /= np.maximum(lengths, _LEAST_LENGTH)
    return found


def _jump(to_title: Numbers) -> Numbers:
    count = len(to_title)
    first = np.exp(-np.arange(count, dtype=np.float32) / _FIRST_DECAY)
    alike = float(to_title.sum())
    share = _TITLE_SHARE if alike > 0 else 0.0
    jump = (1 - share - _FIRST_SHARE) / max(count, 1) + _FIRST_SHARE * first / max(float(first.sum()), 1e-9)
    found: Numbers = (jump + share * to_title / max(alike, 1e-9)).astype(np.float32)
    return found


def _walk(likeness: Numbers, jump: Numbers) -> Numbers:
    """PageRank; a walker who stands at a sentence that is like no other jumps."""
    count = len(jump)
    degrees = likeness.sum(1)
    steps = likeness / np.where(degrees > 0, degrees, 1)[:, None]
    lonely = degrees <= 0
    rank = jump.copy()
    for _ in range(_ROUNDS):
        rank = _DAMPING * (rank @ steps + rank[lonely].sum() * jump) + (1 - _DAMPING) * jump
    return (rank * count).astype(np.float32)
