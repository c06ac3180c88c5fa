"""Find the stories that a profile has read, and their articles that tell much more.

A story that was read is known: what other papers write about it is not news. An article is, if it
appeared after those that were read and most of what it says is in none of them, measured by the
terms of their signatures. Articles in another language are compared by their names and numbers
alone, which says too little about what is new: they are known.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from bodytext.reader.analysis.signature import Signature
from bodytext.reader.store.database import Database
from bodytext.reader.store.records import Card

# Share of an article's terms, by the squares of their weights, that none of the read articles has.
LEAST_NEWS = 0.6


@dataclass(slots=True)
class ReadStory:
    """A story of which a profile opened at least one article."""

    published: int = 0  # when the newest of them appeared
    languages: set[str] = field(default_factory=set)
    numbers: set[int] = field(default_factory=set)  # the terms of all of them
    with_news: set[int] = field(default_factory=set)  # its articles that tell much more


def find_read_stories(
    database: Database, profile: int, cards: Sequence[Card]
) -> dict[int, ReadStory]:
    """Return the stories of cards that a profile has read, by their numbers."""
    numbers = {card.story for card in cards if card.story}
    rows = database.connection.execute(
        "SELECT story, published, language, signature FROM articles "
        "JOIN states ON states.article = articles.id AND states.profile = ? AND opened "
        "WHERE story <> 0 AND story IN (SELECT value FROM json_each(?))",
        (profile, json.dumps(sorted(numbers))),
    )
    stories: dict[int, ReadStory] = {}
    for row in rows:
        known = stories.setdefault(row["story"], ReadStory())
        known.published = max(known.published, row["published"])
        known.languages.add(row["language"])
        known.numbers.update(Signature.unpack(row["signature"]).numbers.tolist())
    later = {
        card.id: story
        for card in cards
        if (story := stories.get(card.story))
        and card.published > story.published
        and card.language in story.languages
        and not card.state.opened
    }
    for number, data in database.connection.execute(
        "SELECT id, signature FROM articles WHERE id IN (SELECT value FROM json_each(?))",
        (json.dumps(sorted(later)),),
    ):
        if measure_news(Signature.unpack(data), later[number].numbers) >= LEAST_NEWS:
            later[number].with_news.add(number)
    return stories


def measure_news(signature: Signature, known: set[int]) -> float:
    """Return the share of an article's terms that are not known; 0 if it has none."""
    squares = signature.terms["weight"].astype(np.float32) ** 2
    is_new = [number not in known for number in signature.numbers.tolist()]
    total = float(squares.sum())
    return float(squares[is_new].sum()) / total if total else 0.0
