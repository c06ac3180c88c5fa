"""Store the interests of a profile, and learn them from what is done with articles.

A learnt interest is stored as evidence: the sum of what the articles were worth, which halves every
month. Its weight, between -1 and 1, grows with the evidence. An interest that was set by hand is
stored as its weight.
"""

import sqlite3
import time

from bodytext.reader.profiles.scores import Interest, name_of
from bodytext.reader.store.database import Database
from bodytext.reader.store.records import Card

HALF_LIFE = 30 * 24 * 3600  # seconds after which evidence counts half
# The evidence that gives a weight of a half: two articles read to their end have more.
HALF_WEIGHT = 3.0
MOST_EVIDENCE = 30.0  # so that new habits outweigh years of reading within months
LEAST_EVIDENCE = 0.05  # evidence that has faded below this is deleted
LEARNT_KEYWORDS = 8  # of an article
# An article says less about its source or category than about its keywords, but they have many
# articles.
SHARES = {"source": 0.3, "category": 0.3}
# Of a profile; the weakest are deleted first.
MOST_INTERESTS = {"term": 300, "source": 100, "category": 50}
LONGEST_NAME = 100


def fade(evidence: float, seconds: float) -> float:
    """Return what is left of evidence after a time."""
    return float(evidence * 0.5 ** (max(seconds, 0.0) / HALF_LIFE))


def weigh(evidence: float) -> float:
    """Return the weight that evidence gives: 0 for none, towards 1 or -1 for much."""
    return evidence / (abs(evidence) + HALF_WEIGHT)


class Interests:
    """The interests of a profile by its number."""

    def __init__(self, database: Database, profile: int) -> None:
        self._database, self._profile = database, profile

    def load(self) -> list[Interest]:
        """Return all interests with their present weights, without those in removed feeds."""
        now = time.time()
        rows = self._database.connection.execute(
            "SELECT interests.kind, name, weight, moment, fixed, coalesce(nullif(feeds.title, ''), feeds.url, name) AS title, "
            "feeds.id AS feed FROM interests LEFT JOIN feeds ON interests.kind = 'source' AND feeds.id = CAST(name AS INTEGER) "
            "WHERE profile = ?",
            (self._profile,),
        )
        return [
            Interest(
                row["kind"], row["name"], _read_weight(row, now), bool(row["fixed"]), row["title"]
            )
            for row in rows
            if row["kind"] != "source" or row["feed"] is not None
        ]

    def count_likes(self) -> dict[str, int]:
        """Return the number of likes of each category, less its dislikes."""
        rows = self._database.connection.execute(
            "SELECT category, sum(liked) FROM states INDEXED BY states_liked "
            "JOIN articles ON articles.id = article WHERE profile = ? AND liked <> 0 GROUP BY category",
            (self._profile,),
        )
        return {row[0]: int(row[1]) for row in rows if row[0]}

    def learn(self, card: Card, worth: float) -> None:
        """Learn from what an article was worth."""
        topics = [("term", name, weight) for name, weight in card.keywords[:LEARNT_KEYWORDS]]
        topics.append(("source", str(card.feed), SHARES["source"]))
        if card.category:
            topics.append(("category", card.category, SHARES["category"]))
        now = int(time.time())
        with self._database.write() as connection:
            known = {(row["kind"], name_of(row["kind"], row["name"])): row for row in self._rows()}
            for kind, name, share in topics:
                row = known.get((kind, name_of(kind, name)))
                if row is None:
                    self._add_evidence(kind, name[:LONGEST_NAME], worth * share, now)
                elif not row["fixed"]:
                    evidence = fade(row["weight"], now - row["moment"]) + worth * share
                    self._add_evidence(kind, row["name"], evidence, now)
            self._prune(connection, now)

    def _add_evidence(self, kind: str, name: str, evidence: float, now: int) -> None:
        self._write(kind, name, min(max(evidence, -MOST_EVIDENCE), MOST_EVIDENCE), (now, 0))

    def fix(self, kind: str, name: str, weight: float) -> None:
        """Set an interest by hand."""
        name = _check_interest(kind, name, weight)
        with self._database.write():
            known = {name_of(kind, row["name"]): row for row in self._rows() if row["kind"] == kind}
            row = known.get(name_of(kind, name))
            if row is None or not row["fixed"]:
                count = sum(other["fixed"] for other in known.values())
                if count >= MOST_INTERESTS[kind]:
                    raise ValueError(
                        f"there are {count} interests of this kind already; remove one first"
                    )
            self._write(kind, name if row is None else row["name"], weight, (int(time.time()), 1))

    def remove(self, kind: str, name: str) -> None:
        """Delete an interest."""
        with self._database.write() as connection:
            connection.execute(
                "DELETE FROM interests WHERE profile = ? AND kind = ? AND name = ?",
                (self._profile, kind, name),
            )

    def clear(self) -> None:
        """Delete all interests."""
        with self._database.write() as connection:
            connection.execute("DELETE FROM interests WHERE profile = ?", (self._profile,))

    def _rows(self) -> list[sqlite3.Row]:
        return self._database.connection.execute(
            "SELECT kind, name, weight, moment, fixed FROM interests WHERE profile = ?",
            (self._profile,),
        ).fetchall()

    def _write(
        self, kind: str, name: str, weight: float, moment_and_fixed: tuple[int, int]
    ) -> None:
        self._database.connection.execute(
            "INSERT OR REPLACE INTO interests (profile, kind, name, weight, moment, fixed) VALUES (?, ?, ?, ?, ?, ?)",
            (self._profile, kind, name, weight, *moment_and_fixed),
        )

    def _prune(self, connection: sqlite3.Connection, now: int) -> None:
        """Delete interests that have faded and, if there are too many, the weakest."""
        for kind, most in MOST_INTERESTS.items():
            weak = _find_weak([row for row in self._rows() if row["kind"] == kind], most, now)
            connection.executemany(
                "DELETE FROM interests WHERE profile = ? AND kind = ? AND name = ?",
                [(self._profile, kind, name) for name in weak],
            )


def _find_weak(rows: list[sqlite3.Row], most: int, now: int) -> list[str]:
    learnt = [row for row in rows if not row["fixed"]]
    room = most - (len(rows) - len(learnt))
    evidence = sorted(
        ((abs(fade(row["weight"], now - row["moment"])), row["name"]) for row in learnt),
        reverse=True,
    )
    return [
        name for rank, (left, name) in enumerate(evidence) if left < LEAST_EVIDENCE or rank >= room
    ]


def _check_interest(kind: str, name: str, weight: float) -> str:
    """Return the name of an interest without extra spaces, or raise a ValueError."""
    name = " ".join(name.split())
    if kind not in MOST_INTERESTS:
        raise ValueError(f"an interest is a {', '.join(MOST_INTERESTS)}, not a {kind}")
    if not name or len(name) > LONGEST_NAME:
        raise ValueError(f"an interest has a name of at most {LONGEST_NAME} characters")
    if kind == "source" and not (name.isascii() and name.isdecimal()):
        raise ValueError("an interest in a source is named by the number of its feed")
    if not -1 <= weight <= 1:
        raise ValueError("an interest weighs from -1 (not at all) to 1 (very much)")
    return name


def _read_weight(row: sqlite3.Row, now: float) -> float:
    return float(row["weight"]) if row["fixed"] else weigh(fade(row["weight"], now - row["moment"]))
