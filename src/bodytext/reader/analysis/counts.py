"""The store's counts of terms: terms in, how rare they are in what is stored of a language, out; and counting them.

    analysis = analyse(title, text, language, StoredFrequencies(store, language))
    with store.write():
        ...                                     # the article is stored
        count_terms(store, analysis.language, analysis.terms)

The table stays small whatever is collected: when a language has `MOST_DOCUMENTS`, all its counts are halved, and terms
that only one document had are forgotten. So what was written lately counts more, too.
"""

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from bodytext.reader.analysis.frequencies import Frequencies

if TYPE_CHECKING:
    from bodytext.reader.store.database import Store

MOST_DOCUMENTS = 20_000  # of a language; rarer terms than one in so many need not be told apart
_MOST_TERMS = 1_000  # of a document that are counted
_DOCUMENTS = ""  # the term that stands for the number of documents


class StoredFrequencies:
    """How rare terms are in what is stored of a language."""

    def __init__(self, store: "Store", language: str) -> None:
        self._store = store
        self._language = language

    def weigh(self, terms: Iterable[str]) -> dict[str, float]:
        """The rarity of each term of a text, in the order in which they come first; all the text's terms are wanted."""
        text = list(terms)
        rows = self._store.connection.execute(
            "SELECT term, documents FROM frequencies WHERE language = ? AND term IN (SELECT value FROM json_each(?))",
            (self._language, json.dumps([_DOCUMENTS, *dict.fromkeys(text)])),
        )
        counts = {row[0]: row[1] for row in rows}
        return Frequencies(counts.pop(_DOCUMENTS, 0), counts).weigh(text)


def count_terms(store: "Store", language: str, terms: Sequence[str]) -> None:
    """Count a document that has these terms."""
    with store.write(durable=False) as connection:
        connection.execute(
            "INSERT INTO frequencies (language, term, documents) SELECT ?, value, 1 FROM json_each(?) WHERE true "
            "ON CONFLICT DO UPDATE SET documents = documents + 1",
            (language, json.dumps([_DOCUMENTS, *terms[:_MOST_TERMS]])),
        )
        row = connection.execute(
            "SELECT documents FROM frequencies WHERE language = ? AND term = ?", (language, _DOCUMENTS)
        ).fetchone()
        if row[0] >= MOST_DOCUMENTS:
            connection.execute("DELETE FROM frequencies WHERE language = ? AND documents < 2", (language,))
            connection.execute("UPDATE frequencies SET documents = documents / 2 WHERE language = ?", (language,))
