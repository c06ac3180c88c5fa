"""Categories: guess the category of an article, and learn from sites and corrections.

    categories = Categories(store)
    categories.guess(title, text, url, feed_categories)  # Guess("sport", 0.93)
    categories.learn(title, text, url, feed_categories)  # from a new article whose site says what it is
    categories.correct(article, "science")               # the articles whose category changed, this one first
    categories.list_names()                              # what can be chosen

The weights of three layers are added: the examples that come with the reader, lessons from sites'
own sections, and corrections. A correction is never forgotten: its article keeps the category, and
if the weights are missing, the model is made again from the stored corrections. A Categories object
may be used by many threads.
"""

import json
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np

from bodytext.reader.categories.examples import weigh_sections
from bodytext.reader.categories.features import MOST_CHARACTERS, ArticleFeatures, find_features
from bodytext.reader.categories.model import (
    MOST_CATEGORIES,
    SECTION_SCORE,
    CategoryModel,
    find_step,
    learn_examples,
    pack,
    to_chances,
    unpack,
)
from bodytext.reader.store.database import Database
from bodytext.reader.store.search import read_query

LEAST_CHANCE = 0.3  # of a guess: no category is better than a wrong one
LONGEST_NAME = 40
# How far a lesson moves the weights at most: a user knows best, a site's section may be a mistake.
CORRECTION_STEP, SECTION_STEP = 2.0, 0.05
# Least weight of the only category that an address or feed suggests, to learn from it.
CLEAR_SECTION = 0.6
LEARNT_AT_ONCE = 500  # articles with a clear section: the layer is stored as a whole
# Newest corrections that are learnt again with each one, so that it does not undo them.
REPEATED = 40
ROUNDS = 3
MOST_CORRECTIONS = 2_000  # newest corrections from which the model is made again
NEWEST_GUESSED, SIMILAR_GUESSED = 200, 100  # articles that are guessed again after a correction
_KEYWORDS = 6  # of the corrected article, by which similar ones are found
_VERSION = "2"  # of features and examples; weights of another version are not read
_SECTIONS, _CORRECTED, _REVISION = (
    f"categories {part} {_VERSION}" for part in ("sections", "corrected", "revision")
)
_ROW = "articles.id, title, substr(text, 1, :characters) AS text, url, categories, articles.category, category_chance"


class Lesson(NamedTuple):
    """An article to learn from: its features, the weights of its sections, and its category."""

    features: ArticleFeatures
    sections: dict[str, float]
    category: str


class Guess(NamedTuple):
    """A category and the chance that it is right; if none is likely, the best is a suggestion."""

    name: str
    chance: float
    suggestion: str = ""


class Categories:
    """The categories of a store's articles. Guesses with less than the least chance are dropped."""

    def __init__(self, database: Database, least_chance: float = LEAST_CHANCE) -> None:
        self._database, self._least_chance = database, least_chance
        self._lock = threading.RLock()
        self._revision: bytes | None = None
        self._sections = self._corrected = CategoryModel()
        self._waiting: list[Lesson] = []  # from sections, until they are learnt

    def list_names(self) -> list[str]:
        """List the categories that come with the reader, and then those that users added."""
        own = self._database.connection.execute(
            "SELECT DISTINCT category FROM corrections ORDER BY category"
        )
        return list(dict.fromkeys([*learn_examples().names, *(row[0] for row in own)]))

    def guess(
        self, title: str, text: str, url: str = "", feed_categories: Sequence[str] = ()
    ) -> Guess:
        """Guess the category of an article by text, address and feed categories."""
        with self._lock:
            self._load()
            features = find_features(title, text, url, feed_categories)
            return self._guess(features, weigh_sections(url, feed_categories))

    def learn(
        self, title: str, text: str, url: str = "", feed_categories: Sequence[str] = ()
    ) -> None:
        """Learn from an article whose address or feed clearly says what it is."""
        sections = weigh_sections(url, feed_categories)
        if len(sections) != 1 or max(sections.values()) < CLEAR_SECTION:
            return
        with self._lock:
            # Only the text teaches: what the address and the feed mean is known.
            self._waiting.append(Lesson(find_features(title, text), {}, next(iter(sections))))
            is_enough = len(self._waiting) >= LEARNT_AT_ONCE
        if is_enough:
            self.save()

    def save(self) -> None:
        """Learn from the waiting articles and store the result. An update ends with this."""
        if not self._waiting:
            return
        # Always the transaction first and then the lock: a caller of `learn` may be in a
        # transaction already.
        with self._database.write(durable=False) as connection, self._lock:
            self._load()
            waiting, self._waiting = self._waiting, []
            if not waiting:  # another thread was first
                return
            self._sections = self._widen(self._sections, waiting)
            self._train(self._sections, waiting, SECTION_STEP)
            self._sections = self._sections.narrow()
            self._save(connection, _SECTIONS, self._sections)

    def correct(self, article: int, name: str) -> list[int]:
        """Put an article into a category, which may be new, and learn from it.

        Return the articles whose category changed. Raise a KeyError for an unknown article, and a
        ValueError with a reason to show for an invalid name.
        """
        name = self._check_name(name)
        with self._learning(), self._database.write() as connection, self._lock:
            row = self._find(article)
            self._load()
            moment = int(time.time())
            connection.execute(
                "INSERT OR REPLACE INTO corrections VALUES (?, ?, ?)", (article, name, moment)
            )
            connection.execute(
                "UPDATE articles SET category = ?, category_chance = 1, suggestion = '' WHERE id = ?",
                (name, article),
            )
            earlier = [
                (correction, correction["corrected"])
                for correction in self._list_corrections(REPEATED)
            ]
            self._correct_all([*earlier, (row, name)])
            self._save(connection, _CORRECTED, self._corrected)
            return [article, *self._guess_again(connection, article)]

    def _check_name(self, name: str) -> str:
        """Return the known form of a category's name, or raise a ValueError."""
        name = " ".join(name.split())
        if not name or len(name) > LONGEST_NAME or not name.isprintable():
            raise ValueError(f"a category has a name of at most {LONGEST_NAME} characters")
        names = self.list_names()
        for known in names:
            if known.casefold() == name.casefold():
                return known
        if len(names) >= MOST_CATEGORIES:
            raise ValueError(f"there are {MOST_CATEGORIES} categories already; choose one of them")
        return name

    @contextmanager
    def _learning(self) -> Iterator[None]:
        """If a lesson could not be stored, forget it: what is stored is loaded again."""
        try:
            yield
        except BaseException:
            self._revision = None
            raise

    def _score(self, features: ArticleFeatures, sections: dict[str, float]) -> dict[str, float]:
        """Return an article's score in each category that has one."""
        scores = {name: SECTION_SCORE * weight for name, weight in sections.items()}
        for layer in (learn_examples(), self._sections, self._corrected):
            for name, score in layer.score(features).items():
                scores[name] = scores.get(name, 0.0) + score
        return scores

    def _guess(self, features: ArticleFeatures, sections: dict[str, float]) -> Guess:
        scores = self._score(features, sections)
        if not any(scores.values()):
            return Guess("", 0.0)
        chances = to_chances(scores)
        best = max(chances, key=lambda name: chances[name])
        chance = round(chances[best], 3)
        return Guess(best, chance) if chance >= self._least_chance else Guess("", 0.0, best)

    def _train(self, layer: CategoryModel, lessons: Sequence[Lesson], most: float) -> None:
        """Let a layer, which has all their features, learn each of the lessons once."""
        for features, sections, name in lessons:
            wrong, step = find_step(features, self._score(features, sections), name, most)
            if step:
                layer.move(features, name, wrong, step)

    def _widen(self, layer: CategoryModel, lessons: Sequence[Lesson]) -> CategoryModel:
        """Return a layer that has the features and categories of the lessons."""
        categories = [lesson.category for lesson in lessons]
        numbers = np.unique(np.concatenate([lesson.features.numbers for lesson in lessons]))
        return layer.widen(numbers, [*learn_examples().names, *self._corrected.names, *categories])

    def _correct_all(self, articles: Sequence[tuple[sqlite3.Row, str]]) -> None:
        lessons = [Lesson(*_describe(row), name) for row, name in articles]
        self._corrected = self._widen(self._corrected, lessons)
        for _ in range(ROUNDS):
            self._train(self._corrected, lessons, CORRECTION_STEP)
        self._corrected = self._corrected.narrow()

    def _guess_again(self, connection: sqlite3.Connection, article: int) -> list[int]:
        """Guess the newest and similar articles again; return those that changed."""
        changed = []
        for row in self._list_others(article):
            guess = self._guess(*_describe(row))
            if guess[:2] != (row["category"], row["category_chance"]):
                connection.execute(
                    "UPDATE articles SET category = ?, category_chance = ?, suggestion = ? WHERE id = ?",
                    (*guess, row["id"]),
                )
            if guess.name != row["category"]:
                changed.append(int(row["id"]))
        return changed

    def _list_others(self, article: int) -> list[sqlite3.Row]:
        connection = self._database.connection
        keywords = connection.execute(
            "SELECT keywords FROM articles WHERE id = ?", (article,)
        ).fetchone()[0]
        queries = [read_query(f'"{name}"') for name, _ in json.loads(keywords)[:_KEYWORDS]]
        values = {
            "characters": MOST_CHARACTERS,
            "newest": NEWEST_GUESSED,
            "similar": SIMILAR_GUESSED,
            "article": article,
            "query": " OR ".join(query for query in queries if query) or '""',
        }
        return connection.execute(
            f"SELECT {_ROW} FROM articles WHERE id IN ("  # noqa: S608 - our own names
            "SELECT id FROM (SELECT id FROM articles ORDER BY published DESC, id DESC LIMIT :newest) UNION "
            "SELECT rowid FROM (SELECT rowid FROM articles_fts WHERE articles_fts MATCH :query "
            "ORDER BY rowid DESC LIMIT :similar)) AND id <> :article AND id NOT IN (SELECT article FROM corrections)",
            values,
        ).fetchall()

    def _find(self, article: int) -> sqlite3.Row:
        row: sqlite3.Row | None = self._database.connection.execute(
            f"SELECT {_ROW} FROM articles WHERE id = :article",  # noqa: S608
            {"article": article, "characters": MOST_CHARACTERS},
        ).fetchone()
        if row is None:
            raise KeyError(article)
        return row

    def _list_corrections(self, most: int) -> list[sqlite3.Row]:
        """Return the newest corrections with their articles, oldest first."""
        return self._database.connection.execute(
            f"SELECT {_ROW}, corrections.category AS corrected FROM corrections JOIN articles "  # noqa: S608
            "ON articles.id = article ORDER BY time DESC, articles.id DESC LIMIT :most",
            {"characters": MOST_CHARACTERS, "most": most},
        ).fetchall()[::-1]

    def _load(self) -> None:
        """Load the stored weights if they have changed: another program may have learnt too."""
        stored = self._read(_REVISION)
        if stored == self._revision and self._revision is not None:
            return
        self._sections = _unpack(self._read(_SECTIONS))
        self._corrected = _unpack(self._read(_CORRECTED))
        self._revision = stored
        if not self._corrected.names and (corrections := self._list_corrections(MOST_CORRECTIONS)):
            self._correct_all([(row, row["corrected"]) for row in corrections])

    def _read(self, name: str) -> bytes:
        row = self._database.connection.execute(
            "SELECT data FROM weights WHERE name = ?", (name,)
        ).fetchone()
        return bytes(row[0]) if row else b""

    def _save(self, connection: sqlite3.Connection, name: str, layer: CategoryModel) -> None:
        """Store a layer in the open transaction, with a new revision for other programs."""
        revision = str(int(self._read(_REVISION) or b"0") + 1).encode()
        connection.executemany(
            "INSERT OR REPLACE INTO weights (name, data) VALUES (?, ?)",
            [(name, pack(layer)), (_REVISION, revision)],
        )
        self._revision = revision


def _describe(row: sqlite3.Row) -> tuple[ArticleFeatures, dict[str, float]]:
    """Return the features of a stored article and the weights of its sections."""
    feed_categories = [str(name) for name in json.loads(row["categories"])]
    features = find_features(row["title"], row["text"], row["url"], feed_categories)
    return features, weigh_sections(row["url"], feed_categories)


def _unpack(data: bytes) -> CategoryModel:
    """Read a stored layer; an unreadable one is empty, and made again from corrections."""
    try:
        return unpack(data) if data else CategoryModel()
    except (ValueError, OSError):
        return CategoryModel()
