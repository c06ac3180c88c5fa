"""A new article's analysis in, the story it belongs to out: the same news from other sources, or a copy of it.

    story = find_story(store, analysis, published)          # 0: a story of its own
    with store.write():
        ...                                                 # the article is stored under a number
        remember(store, number, analysis, published)

Articles are looked for by the terms that weigh most in the new one, among those published within three days of it, by
an index: the time that takes does not grow with what is stored. Those that share most are compared by their signatures.
In one language articles tell the same story when the cosine of their terms is high, or when one copies the other; in
two languages, when they share several names and numbers. An article joins the story of the one that it is most like, if
it is like the newest articles of that story on the mean: else all of a topic would grow into one. Stories are never
merged afterwards.

`results/reader_analysis.md` has how often that is right.
"""

import json
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bodytext.reader.analysis import Analysis
from bodytext.reader.analysis.signature import MOST_TERMS, Signature, compare_copies, compare_names, compare_terms

if TYPE_CHECKING:
    from bodytext.reader.store.store import Store

WINDOW = 3 * 24 * 3600  # seconds before and after
_INDEXED = 16  # terms under which an article is found
_LEAST_SHARED = 2  # of them, or it is not looked at
_MOST_MENTIONS = 400  # of a term that are looked at, the newest
_MOST_COMPARED = 40
_MOST_STORIES = 3  # that an article is tried with
_MOST_MEMBERS = 12  # of a story that it is compared with
_FEW = 30  # terms of a short report


@dataclass(frozen=True, slots=True)
class StoryThresholds:
    """From where on articles tell the same story."""

    terms: float = 0.25  # cosine of the terms, in one language, of articles that have many
    few_terms: float = 0.5  # and of articles that have few: there chance makes more of the cosine
    copies: float = 0.4  # share of what is said in the same words
    names: float = 0.35  # cosine of the names and numbers, in two languages
    shared_names: int = 4  # and how many both have


def find_story(store: "Store", analysis: Analysis, published: int, bounds: StoryThresholds | None = None) -> int:
    """The number of the story that an article belongs to; 0 where none is stored."""
    bounds = bounds or StoryThresholds()
    signature = Signature.unpack(analysis.signature)
    candidates = _find_candidates(store, signature, published)
    if not candidates:
        return 0
    rows = store.connection.execute(
        "SELECT story, language, signature FROM articles WHERE id IN (SELECT value FROM json_each(?)) AND story <> 0",
        (json.dumps(candidates),),
    )
    best: dict[int, float] = defaultdict(float)
    for story, language, data in rows:
        is_same = language == analysis.language
        best[story] = max(best[story], _compare(signature, Signature.unpack(data), bounds, is_same_language=is_same))
    for story in sorted(best, key=lambda one: (-best[one], one))[:_MOST_STORIES]:
        if best[story] >= 1 and _fits(store, story, analysis, bounds):
            return story
    return 0


def _fits(store: "Store", story: int, analysis: Analysis, bounds: StoryThresholds) -> bool:
    """Whether an article is like the newest of a story on the mean: in its own language, where there are any."""
    signature = Signature.unpack(analysis.signature)
    scores: dict[bool, list[float]] = {True: [], False: []}
    for language, data in store.connection.execute(
        "SELECT language, signature FROM articles WHERE story = ? ORDER BY id DESC LIMIT ?", (story, _MOST_MEMBERS)
    ):
        is_same = language == analysis.language
        scores[is_same].append(_compare(signature, Signature.unpack(data), bounds, is_same_language=is_same))
    # Names are the same only where the letters are: of other languages those that share some are asked.
    asked = scores[True] or [score for score in scores[False] if score]
    return sum(asked) >= len(asked) > 0


def remember(store: "Store", article: int, analysis: Analysis, published: int) -> None:
    """Let an article that is stored be found by those that come after it."""
    numbers = Signature.unpack(analysis.signature).numbers[:_INDEXED].tolist()
    with store.write(durable=False) as connection:
        connection.execute("DELETE FROM mentions WHERE article = ?", (article,))
        connection.executemany(
            "INSERT OR IGNORE INTO mentions (term, published, article) VALUES (?, ?, ?)",
            [(number, published, article) for number in numbers],
        )


def _find_candidates(store: "Store", signature: Signature, published: int) -> list[int]:
    """The articles that share the most weight in indexed terms, best first."""
    weights: dict[int, float] = defaultdict(float)
    shared: dict[int, int] = defaultdict(int)
    terms = signature.terms[:_INDEXED]
    for number, weight in zip(signature.numbers[:_INDEXED].tolist(), terms["weight"].tolist(), strict=True):
        rows = store.connection.execute(
            "SELECT article FROM mentions WHERE term = ? AND published BETWEEN ? AND ? ORDER BY published DESC LIMIT ?",
            (number, published - WINDOW, published + WINDOW, _MOST_MENTIONS),
        )
        for (article,) in rows:
            weights[article] += weight
            shared[article] += 1
    best = sorted((one for one in weights if shared[one] >= _LEAST_SHARED), key=lambda one: (-weights[one], one))
    return best[:_MOST_COMPARED]


def _compare(one: Signature, other: Signature, bounds: StoryThresholds, *, is_same_language: bool) -> float:
    """How like two articles are, where 1 is enough."""
    if not is_same_language:
        cosine, shared = compare_names(one, other)
        return cosine / bounds.names if shared >= bounds.shared_names else 0.0
    fewest = min(len(one.terms), len(other.terms))
    few = min(max((MOST_TERMS - fewest) / (MOST_TERMS - _FEW), 0.0), 1.0)
    bound = bounds.terms + few * (bounds.few_terms - bounds.terms)
    return max(compare_terms(one, other) / bound, compare_copies(one, other) / bounds.copies)
