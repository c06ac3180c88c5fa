"""Count the terms of stored articles, and measure how rare a term is in its language.

    analysis = analyse(title, text, language, StoredFrequencies(store.connection, language))
    with store.write():
        ...                                     # the article is stored
        count_terms(store, analysis.language, analysis.terms)

The table stays small: when a language has `MOST_DOCUMENTS`, terms that only one document has are
deleted, and all counts are halved. So recent articles count more, too.
"""

import json
import sqlite3
from collections.abc import Iterable, Sequence

from bodytext.reader.analysis.frequencies import Frequencies
from bodytext.reader.store.database import Database

MOST_DOCUMENTS = 20_000  # of a language; rarer terms than one in this many are all equally rare
_MOST_TERMS = 1_000  # of a document that are counted
_DOCUMENTS = ""  # the row of this term has the number of documents


class StoredFrequencies:
    """How rare terms are in the stored articles of a language."""

    def __init__(self, connection: sqlite3.Connection, language: str) -> None:
        self._connection, self._language = connection, language

    def weigh(self, terms: Iterable[str]) -> dict[str, float]:
        """Return the rarity of each term of a text, in the order of first occurrence."""
        text = list(terms)
        rows = self._connection.execute(
            "SELECT term, documents FROM frequencies WHERE language = ? AND term IN (SELECT value FROM json_each(?))",
            (self._language, json.dumps([_DOCUMENTS, *dict.fromkeys(text)])),
        )
        counts = {row[0]: row[1] for row in rows}
        return Frequencies(counts.pop(_DOCUMENTS, 0), counts).weigh(text)


def count_terms(database: Database, language: str, terms: Sequence[str]) -> None:
    """Count a document with these terms."""
    with database.write(durable=False) as connection:
        connection.execute(
            "INSERT INTO frequencies (language, term, documents) SELECT ?, value, 1 FROM json_each(?) WHERE true "
            "ON CONFLICT DO UPDATE SET documents = documents + 1",
            (language, json.dumps([_DOCUMENTS, *terms[:_MOST_TERMS]])),
        )
        row = connection.execute(
            "SELECT documents FROM frequencies WHERE language = ? AND term = ?",
            (language, _DOCUMENTS),
        ).fetchone()
        if row[0] >= MOST_DOCUMENTS:
            connection.execute(
                "DELETE FROM frequencies WHERE language = ? AND documents < 2", (language,)
            )
            connection.execute(
                "UPDATE frequencies SET documents = documents / 2 WHERE language = ?", (language,)
            )
