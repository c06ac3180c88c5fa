"""Interests: a profile's in the store; what an article is about and what it is worth in, what was learnt out.

An interest that was learnt is stored as evidence: the sum of what the articles were worth, which halves every month,
and is shown as a weight between -1 and 1, which more and more evidence comes close to. One that was set by hand is
stored as its weight.
"""

import time
from typing import TYPE_CHECKING

from bodytext.reader.profiles.scores import Interest, name_of
from bodytext.reader.store.records import Card

if TYPE_CHECKING:
    import sqlite3

    from bodytext.reader.store.database import Store

HALF_LIFE = 30 * 24 * 3600  # seconds after which what was learnt counts half
HALF_WEIGHT = 3.0  # the evidence that gives a weight of a half: two articles read to their end tell so much
MOST_EVIDENCE = 30.0  # so that years of reading can be outgrown within months
LEAST_EVIDENCE = 0.05  # what has faded below this is forgotten
LEARNT_KEYWORDS = 8  # of an article
# An article of a source or category says less about them than about its keywords, but there are many of them.
SHARES = {"source": 0.3, "category": 0.3}
MOST_INTERESTS = {"term": 300, "source": 100, "category": 50}  # of a profile; the weakest are forgotten first
LONGEST_NAME = 100


def fade(evidence: float, seconds: float) -> float:
    """What is left of evidence after a time."""
    return float(evidence * 0.5 ** (max(seconds, 0.0) / HALF_LIFE))


def weigh(evidence: float) -> float:
    """The weight that evidence gives: 0 for none, towards 1 or -1 for much."""
    return evidence / (abs(evidence) + HALF_WEIGHT)


class Interests:
    """The interests of a profile by its number."""

    def __init__(self, store: "Store", profile: int) -> None:
        self._store, self._profile = store, profile

    def load(self) -> list[Interest]:
        """All interests as they are now. Those in feeds that are gone are left out."""
        now = time.time()
        rows = self._store.connection.execute(
            "SELECT kind, name, weight, moment, fixed, coalesce(nullif(feeds.title, ''), feeds.url, name) AS title, "
            "feeds.id AS feed FROM interests LEFT JOIN feeds ON kind = 'source' AND feeds.id = CAST(name AS INTEGER) "
            "WHERE profile = ?",
            (self._profile,),
        )
        return [
            Interest(row["kind"], row["name"], _read_weight(row, now), bool(row["fixed"]), row["title"])
            for row in rows
            if row["kind"] != "source" or row["feed"] is not None
        ]

    def learn(self, card: Card, worth: float) -> None:
        """Learn that an article was worth so much."""
        found = [("term", name, weight) for name, weight in card.keywords[:LEARNT_KEYWORDS]]
        found.append(("source", str(card.feed), SHARES["source"]))
        if card.category:
            found.append(("category", card.category, SHARES["category"]))
        now = int(time.time())
        with self._store.write() as connection:
            known = {(row["kind"], name_of(row["kind"], row["name"])): row for row in self._rows()}
            for kind, name, share in found:
                row = known.get((kind, name_of(kind, name)))
                if row is not None and row["fixed"]:
                    continue
                old = fade(row["weight"], now - row["moment"]) if row is not None else 0.0
                evidence = min(max(old + worth * share, -MOST_EVIDENCE), MOST_EVIDENCE)
                self._write(kind, row["name"] if row is not None else name[:LONGEST_NAME], evidence, (now, 0))
            self._prune(connection, now)

    def fix(self, kind: str, name: str, weight: float) -> None:
        """Set an interest by hand."""
        name = " ".join(name.split())
        if kind not in MOST_INTERESTS:
            raise ValueError(f"an interest is a {', '.join(MOST_INTERESTS)}, not a {kind}")
        if not name or len(name) > LONGEST_NAME:
            raise ValueError(f"an interest has a name of at most {LONGEST_NAME} characters")
        if kind == "source" and not (name.isascii() and name.isdecimal()):
            raise ValueError("an interest in a source is named by the number of its feed")
        if not -1 <= weight <= 1:
            raise ValueError("an interest weighs from -1 (not at all) to 1 (very much)")
        with self._store.write():
            known = {name_of(kind, row["name"]): row for row in self._rows() if row["kind"] == kind}
            row = known.get(name_of(kind, name))
            fixed = sum(one["fixed"] for one in known.values())
            if fixed >= MOST_INTERESTS[kind] and not (row is not None and row["fixed"]):
                raise ValueError(f"there are {fixed} interests of this kind already; remove one first")
            self._write(kind, row["name"] if row is not None else name, weight, (int(time.time()), 1))

    def remove(self, kind: str, name: str) -> None:
        """Forget an interest."""
        with self._store.write() as connection:
            connection.execute(
                "DELETE FROM interests WHERE profile = ? AND kind = ? AND name = ?", (self._profile, kind, name)
            )

    def clear(self) -> None:
        """Forget all."""
        with self._store.write() as connection:
            connection.execute("DELETE FROM interests WHERE profile = ?", (self._profile,))

    def _rows(self) -> "list[sqlite3.Row]":
        return self._store.connection.execute(
            "SELECT kind, name, weight, moment, fixed FROM interests WHERE profile = ?", (self._profile,)
        ).fetchall()

    def _write(self, kind: str, name: str, weight: float, when: tuple[int, int]) -> None:
        self._store.connection.execute(
            "INSERT OR REPLACE INTO interests (profile, kind, name, weight, moment, fixed) VALUES (?, ?, ?, ?, ?, ?)",
            (self._profile, kind, name, weight, *when),
        )

    def _prune(self, connection: "sqlite3.Connection", now: int) -> None:
        """Forget what has faded, and the weakest where there are too many."""
        for kind, most in MOST_INTERESTS.items():
            rows = [row for row in self._rows() if row["kind"] == kind]
            fixed = sum(row["fixed"] for row in rows)
            learnt = [(abs(fade(row["weight"], now - row["moment"])), row["name"]) for row in rows if not row["fixed"]]
            learnt.sort(reverse=True)
            weak = [name for place, (left, name) in enumerate(learnt) if left < LEAST_EVIDENCE or place >= most - fixed]
            connection.executemany(
                "DELETE FROM interests WHERE profile = ? AND kind = ? AND name = ?",
                [(self._profile, kind, name) for name in weak],
            )


def _read_weight(row: "sqlite3.Row", now: float) -> float:
    return float(row["weight"]) if row["fixed"] else weigh(fade(row["weight"], now - row["moment"]))
