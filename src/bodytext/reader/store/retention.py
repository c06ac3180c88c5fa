"""A store and a moment in, the articles gone out that came before it and that nobody touched.

What anybody opened, finished, saved, liked or put into a category stays, however old it is. Of what goes a number for
each of its names stays, so that a feed which still has it does not bring it back.
"""

import hashlib
import json
import sqlite3
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bodytext.reader.store.database import Store

_AT_ONCE = 500  # articles in a transaction: whoever reads or updates meanwhile waits no longer than for that
_MARK_BYTES = 8  # what an integer of SQLite has; that two of a million names share one happens once in 36 million
_UNTOUCHED = (
    "SELECT id FROM articles WHERE fetched < :before "
    "AND NOT EXISTS (SELECT 1 FROM corrections WHERE article = articles.id) AND NOT EXISTS "
    "(SELECT 1 FROM states WHERE article = articles.id AND (opened OR finished OR saved OR liked > 0)) "
    "ORDER BY id LIMIT :most"
)


def forget(store: "Store", before: int, tell: Callable[[int], None] | None = None) -> int:
    """Let the articles go that came before that moment and that nobody touched; how many. Tells how many so far."""
    gone = 0
    while found := _forget_some(store, before):
        gone += found
        if tell:
            tell(gone)
    return gone


def compact(store: "Store") -> int:
    """Give the room of what is gone back to the disk; how many bytes. 0 where something else holds the database."""
    size = store.path.stat().st_size
    try:
        store.connection.execute("INSERT INTO articles_fts (articles_fts) VALUES ('optimize')")
        store.connection.execute("VACUUM")
        store.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except (
        sqlite3.OperationalError
    ):  # it is locked, or the disk is too full for a copy: new articles will fill the room
        return 0
    return max(size - store.path.stat().st_size, 0)


def find_forgotten(connection: sqlite3.Connection, names: Iterable[str]) -> set[str]:
    """Which of these names are of articles that were let go."""
    marks = {_mark(name): name for name in names if name}
    rows = connection.execute(
        "SELECT mark FROM forgotten WHERE mark IN (SELECT value FROM json_each(?))", (json.dumps(list(marks)),)
    )
    return {marks[row[0]] for row in rows}


def _forget_some(store: "Store", before: int) -> int:
    with store.write(durable=False) as connection:
        numbers = [row[0] for row in connection.execute(_UNTOUCHED, {"before": before, "most": _AT_ONCE})]
        chosen = json.dumps(numbers)
        names = connection.execute(
            "SELECT url FROM addresses WHERE article IN (SELECT value FROM json_each(:chosen)) "
            "UNION ALL SELECT feeds.url || ' ' || guid FROM articles JOIN feeds ON feeds.id = feed "
            "WHERE guid <> '' AND articles.id IN (SELECT value FROM json_each(:chosen))",
            {"chosen": chosen},
        ).fetchall()
        connection.executemany("INSERT OR IGNORE INTO forgotten VALUES (?)", [(_mark(row[0]),) for row in names])
        connection.execute("DELETE FROM articles WHERE id IN (SELECT value FROM json_each(?))", (chosen,))
    return len(numbers)


def _mark(name: str) -> int:
    digest = hashlib.blake2b(name.encode("utf-8", "replace"), digest_size=_MARK_BYTES).digest()
    return int.from_bytes(digest, "big", signed=True)
