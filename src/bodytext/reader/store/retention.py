"""Delete old articles that nobody used.

Articles that anybody opened, finished, saved, liked, put into a category or made notes on stay,
however old they are. Of a deleted article a number for each of its names stays, so that a feed that still lists it
does not bring it back.
"""

import hashlib
import json
import sqlite3
from collections.abc import Callable, Iterable

from bodytext.reader.store.database import Database

_BATCH = 500  # articles per transaction: nobody else waits for longer than that takes
# An integer of SQLite; the chance that two of a million names share one is 1 in 36 million.
_MARK_BYTES = 8
_UNUSED = (
    "SELECT id FROM articles WHERE fetched < :before "
    "AND NOT EXISTS (SELECT 1 FROM corrections WHERE article = articles.id) "
    "AND NOT EXISTS (SELECT 1 FROM highlights WHERE article = articles.id) AND NOT EXISTS "
    "(SELECT 1 FROM states WHERE article = articles.id AND (opened OR finished OR saved OR liked > 0)) "
    "ORDER BY id LIMIT :most"
)


def forget(
    database: Database, before: int, on_progress: Callable[[int], None] | None = None
) -> int:
    """Delete the unused articles that were fetched before a moment; return their number."""
    deleted = 0
    while count := _forget_batch(database, before):
        deleted += count
        if on_progress:
            on_progress(deleted)
    return deleted


def compact(database: Database) -> int:
    """Give free space back to the disk; return how many bytes, 0 if it cannot be done now."""
    size = database.path.stat().st_size
    try:
        database.connection.execute("INSERT INTO articles_fts (articles_fts) VALUES ('optimize')")
        database.connection.execute("VACUUM")
        database.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except sqlite3.OperationalError:
        return 0  # locked, or no room on the disk for a copy: new articles will fill the space
    return max(size - database.path.stat().st_size, 0)


def find_forgotten(connection: sqlite3.Connection, names: Iterable[str]) -> set[str]:
    """Return those of the names that belong to deleted articles."""
    marks = {_mark(name): name for name in names if name}
    rows = connection.execute(
        "SELECT mark FROM forgotten WHERE mark IN (SELECT value FROM json_each(?))",
        (json.dumps(list(marks)),),
    )
    return {marks[row[0]] for row in rows}


def _forget_batch(database: Database, before: int) -> int:
    with database.write(durable=False) as connection:
        numbers = [
            row[0] for row in connection.execute(_UNUSED, {"before": before, "most": _BATCH})
        ]
        chosen = json.dumps(numbers)
        names = connection.execute(
            "SELECT url FROM addresses WHERE article IN (SELECT value FROM json_each(:chosen)) "
            "UNION ALL SELECT feeds.url || ' ' || guid FROM articles JOIN feeds ON feeds.id = feed "
            "WHERE guid <> '' AND articles.id IN (SELECT value FROM json_each(:chosen))",
            {"chosen": chosen},
        ).fetchall()
        connection.executemany(
            "INSERT OR IGNORE INTO forgotten VALUES (?)", [(_mark(row[0]),) for row in names]
        )
        connection.execute(
            "DELETE FROM articles WHERE id IN (SELECT value FROM json_each(?))", (chosen,)
        )
    return len(numbers)


def _mark(name: str) -> int:
    digest = hashlib.blake2b(name.encode("utf-8", "replace"), digest_size=_MARK_BYTES).digest()
    return int.from_bytes(digest, "big", signed=True)
