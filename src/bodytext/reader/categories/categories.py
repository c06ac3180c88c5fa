"""Categories: what is known of an article in, its category and the chance that it is that one out; corrections, learnt.

    categories = Categories(store)
    categories.guess(title, text, url, said)    # Guess("sport", 0.93); said: what the feed itself calls the article
    categories.learn(title, text, url, said)    # from a new article whose site says what it is; nothing else teaches
    categories.correct(article, "science")      # the articles whose category changed by that, this one first
    categories.list_names()                     # what can be chosen

There are three layers of weights, which are added: the examples that come with the reader, what sites' own sections
taught, and the corrections. A correction is never forgotten: its article keeps the category, and the model is made anew
from the stored corrections where its weights are missing. One object may be used by many threads.
"""

import json
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bodytext.reader.categories.examples import weigh_sections
from bodytext.reader.categories.features import LOOKED_AT, Features, find_features
from bodytext.reader.categories.model import (
    MOST_CATEGORIES,
    SECTION_SCORE,
    Model,
    find_step,
    learn_examples,
    pack,
    tell_chances,
    unpack,
)
from bodytext.reader.store.search import read_query

if TYPE_CHECKING:
    from bodytext.reader.store.database import Store

LEAST_CHANCE = 0.25  # what is less sure has no category: none is better than a wrong one
LONGEST_NAME = 40
# How far the weights move at most: a user's word counts, a site's section may be a mistake.
CORRECTION_STEP, SECTION_STEP = 2.0, 0.05
CLEAR_SECTION = 0.6  # how much an address or feed must speak for a category, and for it alone, to teach
LEARNT_AT_ONCE = 500  # articles whose sections teach: the layer is stored as a whole
REPEATED = 40  # corrections, the newest, that are looked at again after each, so that the last does not undo others
ROUNDS = 3
MOST_CORRECTIONS = 2_000  # the newest, when the model is made anew
NEWEST_LOOKED_AT, ALIKE_LOOKED_AT = 200, 100  # articles that may change by a correction
_KEYWORDS = 6
_VERSION = "1"  # of features and examples: weights of another one are not read
_SECTIONS, _CORRECTED, _REVISION = (f"categories {part} {_VERSION}" for part in ("sections", "corrected", "revision"))
_ROW = "articles.id, title, substr(text, 1, :characters) AS text, url, categories, articles.category, category_chance"


Lesson = tuple[Features, dict[str, float], str]  # of an article: features, what its place says, the category


class Guess(NamedTuple):
    """A category and the chance that it is the right one; "" and 0 where nothing speaks for any."""

    name: str
    chance: float


class Categories:
    """The categories of a store's articles. A guess whose chance is less than the least is none."""

    def __init__(self, store: "Store", least_chance: float = LEAST_CHANCE) -> None:
        self._store, self._least_chance = store, least_chance
        self._lock = threading.RLock()
        self._revision: bytes | None = None
        self._sections = self._corrected = Model()
        self._waiting: list[Lesson] = []  # what sections say, until it is learnt

    def list_names(self) -> list[str]:
        """The categories that come with the reader, and then those that users added."""
        own = self._store.connection.execute("SELECT DISTINCT category FROM corrections ORDER BY category")
        return list(dict.fromkeys([*learn_examples().names, *(row[0] for row in own)]))

    def guess(self, title: str, text: str, url: str = "", said: Sequence[str] = ()) -> Guess:
        """The category of an article, by its text, its address and what its feed calls it."""
        with self._lock:
            self._load()
            return self._guess(find_features(title, text, url, said), weigh_sections(url, said))

    def learn(self, title: str, text: str, url: str = "", said: Sequence[str] = ()) -> None:
        """Learn from an article whose address or feed clearly says what it is."""
        sections = weigh_sections(url, said)
        if len(sections) != 1 or max(sections.values()) < CLEAR_SECTION:
            return
        with self._lock:
            # The place is known to tell already: what the text tells is learnt.
            self._waiting.append((find_features(title, text), {}, next(iter(sections))))
            is_enough = len(self._waiting) >= LEARNT_AT_ONCE
        if is_enough:
            self.save()

    def save(self) -> None:
        """Learn from the articles that wait for it, and store what was learnt. An update ends with this."""
        if not self._waiting:
            return
        # Always the transaction first and then the lock: whoever learns may be in a transaction already.
        with self._store.write(durable=False) as connection, self._lock:
            self._load()
            waiting, self._waiting = self._waiting, []
            if not waiting:  # another thread was first
                return
            self._sections = self._widen(self._sections, waiting)
            self._train(self._sections, waiting, SECTION_STEP)
            self._sections = self._sections.narrow()
            self._save(connection, _SECTIONS, self._sections)

    def correct(self, article: int, name: str) -> list[int]:
        """Note that an article is of a category, which may be a new one, and learn it; who else changed by that.

        A KeyError where there is no such article, a ValueError with a reason to show where the name does not do.
        """
        name = " ".join(name.split())
        if not name or len(name) > LONGEST_NAME or not name.isprintable():
            raise ValueError(f"a category has a name of at most {LONGEST_NAME} characters")
        known = self.list_names()
        name = next((one for one in known if one.casefold() == name.casefold()), name)
        if name not in known and len(known) >= MOST_CATEGORIES:
            raise ValueError(f"there are {MOST_CATEGORIES} categories already; choose one of them")
        with self._learning(), self._store.write() as connection, self._lock:
            row = self._find(article)
            self._load()
            connection.execute("INSERT OR REPLACE INTO corrections VALUES (?, ?, ?)", (article, name, int(time.time())))
            connection.execute("UPDATE articles SET category = ?, category_chance = 1 WHERE id = ?", (name, article))
            again = self._list_corrections(REPEATED)
            self._correct_all([*((one, one["corrected"]) for one in again), (row, name)])
            self._save(connection, _CORRECTED, self._corrected)
            return [article, *self._guess_again(connection, article)]

    @contextmanager
    def _learning(self) -> Iterator[None]:
        """Where what was learnt could not be stored, what is stored counts."""
        try:
            yield
        except BaseException:
            self._revision = None
            raise

    def _score(self, features: Features, sections: dict[str, float]) -> dict[str, float]:
        """An article's score in each category that has any."""
        scores = {name: SECTION_SCORE * weight for name, weight in sections.items()}
        for layer in (learn_examples(), self._sections, self._corrected):
            for name, score in layer.score(features).items():
                scores[name] = scores.get(name, 0.0) + score
        return scores

    def _guess(self, features: Features, sections: dict[str, float]) -> Guess:
        scores = self._score(features, sections)
        if not any(scores.values()):
            return Guess("", 0.0)
        chances = tell_chances(scores)
        best = max(chances, key=lambda name: chances[name])
        chance = round(chances[best], 3)
        return Guess(best, chance) if chance >= self._least_chance else Guess("", 0.0)

    def _train(self, layer: Model, lessons: Sequence[Lesson], most: float) -> None:
        """Let a layer of this model, which is wide enough, learn each lesson once."""
        for features, sections, name in lessons:
            wrong, step = find_step(features, self._score(features, sections), name, most)
            if step:
                layer.move(features, name, wrong, step)

    def _widen(self, layer: Model, lessons: Sequence[Lesson]) -> Model:
        """A layer that can learn the lessons."""
        names = [*learn_examples().names, *self._corrected.names, *(name for _, _, name in lessons)]
        return layer.widen(np.unique(np.concatenate([features.numbers for features, _, _ in lessons])), names)

    def _correct_all(self, articles: Sequence[tuple[sqlite3.Row, str]]) -> None:
        lessons = [
            (find_features(*_clues(row)), weigh_sections(row["url"], _said(row)), name) for row, name in articles
        ]
        self._corrected = self._widen(self._corrected, lessons)
        for _ in range(ROUNDS):
            self._train(self._corrected, lessons, CORRECTION_STEP)
        self._corrected = self._corrected.narrow()

    def _guess_again(self, connection: sqlite3.Connection, article: int) -> list[int]:
        """Guess the newest articles, and older ones that have the same keywords, again; those that changed."""
        changed = []
        for row in self._list_others(article):
            guess = self._guess(find_features(*_clues(row)), weigh_sections(row["url"], _said(row)))
            if guess != (row["category"], row["category_chance"]):
                connection.execute(
                    "UPDATE articles SET category = ?, category_chance = ? WHERE id = ?", (*guess, row["id"])
                )
            if guess.name != row["category"]:
                changed.append(int(row["id"]))
        return changed

    def _list_others(self, article: int) -> list[sqlite3.Row]:
        connection = self._store.connection
        keywords = connection.execute("SELECT keywords FROM articles WHERE id = ?", (article,)).fetchone()[0]
        questions = [read_query(f'"{name}"') for name, _ in json.loads(keywords)[:_KEYWORDS]]
        values = {"characters": LOOKED_AT, "newest": NEWEST_LOOKED_AT, "alike": ALIKE_LOOKED_AT, "article": article,
                  "question": " OR ".join(question for question in questions if question) or '""'}  # fmt: skip
        return connection.execute(
            f"SELECT {_ROW} FROM articles WHERE id IN ("  # noqa: S608 - names of ours
            "SELECT id FROM (SELECT id FROM articles ORDER BY published DESC, id DESC LIMIT :newest) UNION "
            "SELECT rowid FROM (SELECT rowid FROM articles_fts WHERE articles_fts MATCH :question "
            "ORDER BY rowid DESC LIMIT :alike)) AND id <> :article AND id NOT IN (SELECT article FROM corrections)",
            values,
        ).fetchall()

    def _find(self, article: int) -> sqlite3.Row:
        row: sqlite3.Row | None = self._store.connection.execute(
            f"SELECT {_ROW} FROM articles WHERE id = :article",  # noqa: S608
            {"article": article, "characters": LOOKED_AT},
        ).fetchone()
        if row is None:
            raise KeyError(article)
        return row

    def _list_corrections(self, most: int) -> list[sqlite3.Row]:
        """The newest corrections with their articles, oldest first."""
        return self._store.connection.execute(
            f"SELECT {_ROW}, corrections.category AS corrected FROM corrections JOIN articles "  # noqa: S608
            "ON articles.id = article ORDER BY time DESC, articles.id DESC LIMIT :most",
            {"characters": LOOKED_AT, "most": most},
        ).fetchall()[::-1]

    def _load(self) -> None:
        """Read what was learnt, if it is not what is known already: another program may have learnt too."""
        stored = self._read(_REVISION)
        if stored == self._revision and self._revision is not None:
            return
        self._sections = _unpack(self._read(_SECTIONS))
        self._corrected = _unpack(self._read(_CORRECTED))
        self._revision = stored
        if not self._corrected.names and (again := self._list_corrections(MOST_CORRECTIONS)):
            self._correct_all([(row, row["corrected"]) for row in again])

    def _read(self, name: str) -> bytes:
        row = self._store.connection.execute("SELECT data FROM weights WHERE name = ?", (name,)).fetchone()
        return bytes(row[0]) if row else b""

    def _save(self, connection: sqlite3.Connection, name: str, layer: Model) -> None:
        """Store a layer, in the transaction that is open; others see by the revision that it is new."""
        revision = str(int(self._read(_REVISION) or b"0") + 1).encode()
        connection.executemany(
            "INSERT OR REPLACE INTO weights (name, data) VALUES (?, ?)", [(name, pack(layer)), (_REVISION, revision)]
        )
        self._revision = revision


def _clues(row: sqlite3.Row) -> tuple[str, str, str, list[str]]:
    return row["title"], row["text"], row["url"], _said(row)


def _said(row: sqlite3.Row) -> list[str]:
    return [str(name) for name in json.loads(row["categories"])]


def _unpack(data: bytes) -> Model:
    """What was stored; nothing where it cannot be read, for the corrections themselves are stored too."""
    try:
        return unpack(data) if data else Model()
    except (ValueError, OSError):
        return Model()
