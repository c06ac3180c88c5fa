"""Filters: what happens to new articles with certain words in their titles, for each profile."""

import sqlite3
import time
from typing import NamedTuple

from bodytext.reader.store.database import Database
from bodytext.reader.store.search import read_query

ACTIONS = ("hide", "save")
MOST_FILTERS = 200  # of a profile
_LONGEST_WORDS = 200
_COLUMNS = {"hide": "hidden", "save": "saved"}


class Filter(NamedTuple):
    """Words, and what happens to new articles whose titles have all of them."""

    id: int
    words: str
    action: str  # one of ACTIONS


class Filters:
    """The filters of a profile by its number."""

    def __init__(self, store: Database, profile: int) -> None:
        self._store, self._profile = store, profile

    def list_all(self) -> list[Filter]:
        """Return the filters, the oldest first."""
        rows = self._store.connection.execute(
            "SELECT id, words, action FROM filters WHERE profile = ? ORDER BY id", (self._profile,)
        )
        return [Filter(*row) for row in rows]

    def add(self, words: str, action: str) -> None:
        """Add a filter, or raise a ValueError with a reason to show."""
        words = " ".join(words.split())
        if not read_query(words) or len(words) > _LONGEST_WORDS:
            raise ValueError(f"a filter has words, at most {_LONGEST_WORDS} characters")
        if action not in ACTIONS:
            raise ValueError(f"a filter can {' or '.join(ACTIONS)} articles, not {action}")
        with self._store.write() as connection:
            if len(self.list_all()) >= MOST_FILTERS:
                raise ValueError(f"there are {MOST_FILTERS} filters already; remove one first")
            connection.execute(
                "INSERT OR REPLACE INTO filters (profile, words, action) VALUES (?, ?, ?)",
                (self._profile, words, action),
            )

    def remove(self, number: int) -> None:
        """Remove a filter. What it did stays."""
        with self._store.write() as connection:
            connection.execute(
                "DELETE FROM filters WHERE id = ? AND profile = ?", (number, self._profile)
            )


def apply_filters(connection: sqlite3.Connection, article: int) -> None:
    """Do what the filters of all profiles ask for with an article that was just stored."""
    for profile, words, action in connection.execute(
        "SELECT profile, words, action FROM filters"
    ).fetchall():
        matches = connection.execute(
            "SELECT 1 FROM articles_fts WHERE articles_fts MATCH ? AND rowid = ?",
            (f"title : ({read_query(words)})", article),
        ).fetchone()
        if matches:
            column = _COLUMNS[action]
            connection.execute(
                f"INSERT INTO states (profile, article, {column}) VALUES (?, ?, ?) "  # noqa: S608
                f"ON CONFLICT DO UPDATE SET {column} = excluded.{column}",
                (profile, article, int(time.time())),
            )
