"""Find the chunks of a document that have most of a question's words."""

import math
import re
from collections.abc import Iterator, Sequence

from bodytext.views.chunks import Chunk

LONGEST_QUERY = 1000  # characters
_WORD = re.compile(r"\w+")
# Scripts that are written without spaces: there, two neighbouring letters stand for a word.
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]+")
_SATURATION, _LENGTH = 1.2, 0.75  # BM25's usual constants


def search_chunks(chunks: Sequence[Chunk], query: str, most: int = 5) -> list[Chunk]:
    """Return the best chunks for a query, the best first, ranked by BM25.

    A word of the query matches words that begin with it, in upper or lower case. The headings above
    a chunk count as its text. Chunks without any of the words are left out.
    """
    texts = [" ".join((*chunk.headings, chunk.text)).casefold() for chunk in chunks]
    patterns = [re.compile(term) for term in sorted(set(_find_terms(query)))]
    mean = sum(map(len, texts)) / len(texts) if texts else 1
    scores = [0.0] * len(texts)
    for pattern in patterns:
        counts = [len(pattern.findall(text)) for text in texts]
        found = sum(1 for count in counts if count)
        weight = math.log(1 + (len(texts) - found + 0.5) / (found + 0.5))
        for index, count in enumerate(counts):
            length = 1 - _LENGTH + _LENGTH * len(texts[index]) / mean
            scores[index] += weight * count * (_SATURATION + 1) / (count + _SATURATION * length)
    ranked = sorted((-score, index) for index, score in enumerate(scores) if score)
    return [chunks[index] for _, index in ranked[:most]]


def _find_terms(query: str) -> Iterator[str]:
    """Yield a pattern for each word of a query."""
    for word in _WORD.findall(query[:LONGEST_QUERY].casefold()):
        for run in _UNSPACED.findall(word):
            yield from (re.escape(run[at : at + 2]) for at in range(max(len(run) - 1, 1)))
        for run in _UNSPACED.split(word):
            if run:
                yield rf"(?<!\w){re.escape(run)}"
