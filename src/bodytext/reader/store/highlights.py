"""Highlights: passages that a profile marked in articles, and notes on them."""

import time
from typing import NamedTuple

from bodytext.reader.store.database import Database

LONGEST_QUOTE, LONGEST_NOTE = 2_000, 5_000
MOST_HIGHLIGHTS = 200  # of an article


class Highlight(NamedTuple):
    """A passage of an article; without a quote, a note on all of it."""

    id: int
    article: int
    quote: str
    note: str
    moment: int
    title: str = ""  # of the article


class Highlights:
    """The highlights of a profile by its number."""

    def __init__(self, store: Database, profile: int) -> None:
        self._store, self._profile = store, profile

    def list_all(self, article: int = 0, limit: int = 500) -> list[Highlight]:
        """Return the highlights of an article, or of all, the last ones first."""
        rows = self._store.connection.execute(
            "SELECT highlights.id, article, quote, note, moment, articles.title FROM highlights "
            "JOIN articles ON articles.id = article WHERE profile = :profile "
            "AND (:article = 0 OR article = :article) ORDER BY moment DESC, highlights.id DESC LIMIT :limit",
            {"profile": self._profile, "article": article, "limit": limit},
        )
        return [Highlight(*row) for row in rows]

    def add(self, article: int, quote: str, note: str = "") -> None:
        """Mark a passage, which must be in the article, or note something about all of it."""
        quote, note = " ".join(quote.split()), note.strip()
        if not quote and not note:
            raise ValueError("mark a passage, or write a note")
        if len(quote) > LONGEST_QUOTE or len(note) > LONGEST_NOTE:
            raise ValueError(f"at most {LONGEST_QUOTE:,} characters can be marked at once")
        with self._store.write() as connection:
            row = connection.execute(
                "SELECT text FROM articles WHERE id = ?", (article,)
            ).fetchone()
            if row is None:
                raise ValueError("there is no such article; it may have been removed")
            if quote not in " ".join(row[0].split()):
                raise ValueError("this passage is not in the text of the article")
            if len(self.list_all(article)) >= MOST_HIGHLIGHTS:
                raise ValueError(f"an article has at most {MOST_HIGHLIGHTS} highlights")
            connection.execute(
                "INSERT INTO highlights (profile, article, quote, note, moment) VALUES (?, ?, ?, ?, ?)",
                (self._profile, article, quote, note, int(time.time())),
            )

    def remove(self, number: int) -> None:
        """Remove a highlight."""
        with self._store.write() as connection:
            connection.execute(
                "DELETE FROM highlights WHERE id = ? AND profile = ?", (number, self._profile)
            )
