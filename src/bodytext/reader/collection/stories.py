"""Find the story of a new article: the same news from other sources, or a copy of it.

    story = find_story(store, analysis, published)          # 0: a story of its own
    with store.write():
        ...                                                 # the article is stored under a number
        index_article(store, number, analysis, published)

An index finds articles by the heaviest terms of the new one, among those published within three
days of it, in a time that does not grow with the store. Those that share most are compared by their
signatures. Articles in one language tell the same story if the cosine of their terms is high, or if
one copies the other; articles in two languages, if they share several names and numbers. An article
joins the story of the most similar one if it is also similar to the newest articles of that story
on average, or all articles on a topic would grow into one story. Stories are never merged later.

`results/reader_analysis.md` has how often that is right.
"""

import json
from collections import defaultdict
from dataclasses import dataclass

from bodytext.reader.analysis import Analysis
from bodytext.reader.analysis.signature import (
    MOST_TERMS,
    Signature,
    compare_copies,
    compare_names,
    compare_terms,
)
from bodytext.reader.store.database import Database

WINDOW = 3 * 24 * 3600  # seconds before and after
_INDEXED = 16  # terms under which an article is found
_LEAST_SHARED = 2  # of them, for an article to be compared
_MOST_MENTIONS = 400  # newest articles with a term that are considered
_MOST_COMPARED = 40
_MOST_STORIES = 3  # that an article may join
_MOST_MEMBERS = 12  # of a story that an article is compared with
_FEW = 30  # terms of a short report


@dataclass(frozen=True, slots=True)
class StoryThresholds:
    """The least similarities of articles that tell the same story."""

    terms: float = 0.25  # cosine of the terms, in one language, of articles that have many
    few_terms: float = 0.5  # the same for articles that have few, where the cosine is noisier
    copies: float = 0.4  # share of the text that is in the same words
    names: float = 0.35  # cosine of the names and numbers, in two languages
    shared_names: int = 4  # names and numbers that both have


def find_story(
    database: Database,
    analysis: Analysis,
    published: int,
    thresholds: StoryThresholds | None = None,
) -> int:
    """Return the number of the story that an article belongs to; 0 if none is stored."""
    thresholds = thresholds or StoryThresholds()
    signature = Signature.unpack(analysis.signature)
    candidates = _find_candidates(database, signature, published)
    if not candidates:
        return 0
    rows = database.connection.execute(
        "SELECT story, language, signature FROM articles WHERE id IN (SELECT value FROM json_each(?)) AND story <> 0",
        (json.dumps(candidates),),
    )
    best: dict[int, float] = defaultdict(float)
    for story, language, data in rows:
        is_same = language == analysis.language
        score = _compare(signature, Signature.unpack(data), thresholds, is_same_language=is_same)
        best[story] = max(best[story], score)
    for story in sorted(best, key=lambda story: (-best[story], story))[:_MOST_STORIES]:
        if best[story] >= 1 and _fits(database, story, analysis, thresholds):
            return story
    return 0


def _fits(database: Database, story: int, analysis: Analysis, thresholds: StoryThresholds) -> bool:
    """Whether an article is similar to the newest of a story on average."""
    signature = Signature.unpack(analysis.signature)
    scores: dict[bool, list[float]] = {True: [], False: []}
    for language, data in database.connection.execute(
        "SELECT language, signature FROM articles WHERE story = ? ORDER BY id DESC LIMIT ?",
        (story, _MOST_MEMBERS),
    ):
        is_same = language == analysis.language
        score = _compare(signature, Signature.unpack(data), thresholds, is_same_language=is_same)
        scores[is_same].append(score)
    # Names match only in the same script, so articles in other languages without a common name do
    # not count.
    counted = scores[True] or [score for score in scores[False] if score]
    return sum(counted) >= len(counted) > 0


def index_article(database: Database, article: int, analysis: Analysis, published: int) -> None:
    """Index a stored article, so that later ones find it."""
    numbers = Signature.unpack(analysis.signature).numbers[:_INDEXED].tolist()
    with database.write(durable=False) as connection:
        connection.execute("DELETE FROM mentions WHERE article = ?", (article,))
        connection.executemany(
            "INSERT OR IGNORE INTO mentions (term, published, article) VALUES (?, ?, ?)",
            [(number, published, article) for number in numbers],
        )


def _find_candidates(database: Database, signature: Signature, published: int) -> list[int]:
    """Return the articles that share the most weight in indexed terms, best first."""
    weights: dict[int, float] = defaultdict(float)
    shared: dict[int, int] = defaultdict(int)
    terms = signature.terms[:_INDEXED]
    for number, weight in zip(
        signature.numbers[:_INDEXED].tolist(), terms["weight"].tolist(), strict=True
    ):
        rows = database.connection.execute(
            "SELECT article FROM mentions WHERE term = ? AND published BETWEEN ? AND ? ORDER BY published DESC LIMIT ?",
            (number, published - WINDOW, published + WINDOW, _MOST_MENTIONS),
        )
        for (article,) in rows:
            weights[article] += weight
            shared[article] += 1
    candidates = [article for article in weights if shared[article] >= _LEAST_SHARED]
    return sorted(candidates, key=lambda article: (-weights[article], article))[:_MOST_COMPARED]


def _compare(
    signature: Signature, other: Signature, thresholds: StoryThresholds, *, is_same_language: bool
) -> float:
    """Return how similar two articles are; from 1 on they tell the same story."""
    if not is_same_language:
        cosine, shared = compare_names(signature, other)
        return cosine / thresholds.names if shared >= thresholds.shared_names else 0.0
    fewest = min(len(signature.terms), len(other.terms))
    shortness = min(max((MOST_TERMS - fewest) / (MOST_TERMS - _FEW), 0.0), 1.0)
    threshold = thresholds.terms + shortness * (thresholds.few_terms - thresholds.terms)
    return max(
        compare_terms(signature, other) / threshold,
        compare_copies(signature, other) / thresholds.copies,
    )
