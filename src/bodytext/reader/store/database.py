"""Database: the reader's SQLite file, its connections, transactions and schema versions.

A database may be used by many threads: each has a connection of its own. Readers do not wait for a
writer.
"""

import os
import sqlite3
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from bodytext.reader.store.search import insert_gaps

FILE_NAME = "reader.sqlite"
# One per version; later ones change what the first made.
_SCHEMAS = ("schema.sql", "schema_2.sql", "schema_3.sql", "schema_4.sql", "schema_5.sql")
_BUSY_SECONDS = 60.0  # how long a writer waits for another
# Per connection; SQLite's default of 2 MB is little for a search over 100,000 articles.
_CACHE_KIB = 16 * 1024
_MAP_BYTES = 256 * 2**20

_NEWER = "it was made by a newer bodytext"
# What to do about an error, by words in SQLite's message.
_ADVICE = {
    _NEWER: "install that one, or name another with --database",
    "locked": "something else writes to it: try again when that is done",
    "full": "make room on the disk and try again; what is stored is safe",
    "disk I/O": "is the disk full or gone? What is stored is safe",
    "readonly": "make it and its folder writable, or name another with --database",
    "malformed": "put a copy in its place, or rescue what is left: sqlite3 FILE .recover | sqlite3 RESCUED",
}


def default_path() -> Path:
    """Return where the database is if none is named: in the user's data folder."""
    if sys.platform == "darwin":
        folder = Path.home() / "Library" / "Application Support"
    elif sys.platform == "win32":
        folder = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    else:
        folder = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    return folder / "bodytext" / FILE_NAME


def describe_error(path: Path, error: Exception) -> str:
    """Say what is wrong with a database and what to do."""
    message = str(error)
    advice = next(
        (advice for words, advice in _ADVICE.items() if words in message),
        "name another with --database",
    )
    return f"{path}: this database cannot be used ({message}); {advice}"


class StoreError(ValueError):
    """The database cannot be used; the message says why and what to do."""


class Database:
    """The reader's database, created if it is new."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or default_path()
        self._local = threading.local()
        self._lock = threading.Lock()
        self._connections: list[tuple[threading.Thread, sqlite3.Connection]] = []
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._migrate()
        except (OSError, sqlite3.DatabaseError) as error:
            self.close()
            raise StoreError(describe_error(self.path, error)) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections of all threads."""
        with self._lock:
            connections, self._connections = self._connections, []
            self._local = threading.local()
        for _, connection in connections:
            connection.close()

    @property
    def connection(self) -> sqlite3.Connection:
        """The connection of this thread. Rows are sqlite3.Row."""
        known: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if known is None:
            known = self._local.connection = self._connect()
        return known

    @contextmanager
    def write(self, *, durable: bool = True) -> Iterator[sqlite3.Connection]:
        """Open a transaction; inside another it is a part of that one.

        A transaction that is not durable survives a crash of the program, but perhaps not one of
        the machine; the database stays consistent in any case.
        """
        connection = self.connection
        if connection.in_transaction:
            yield connection
            return
        connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield connection
            connection.commit()
        except BaseException:
            # A commit may fail too, and an open transaction would swallow all that follow.
            connection.rollback()
            raise

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self.path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        with self._lock:
            self._connections.append((threading.current_thread(), connection))
            self._close_idle()
        connection.row_factory = sqlite3.Row
        # The schema has this name.
        connection.create_function("spread", 1, insert_gaps, deterministic=True)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
        connection.execute(f"PRAGMA mmap_size = {_MAP_BYTES}")
        return connection

    def _close_idle(self) -> None:
        """Close the connections of threads that have ended: every update has its own threads."""
        idle = [connection for thread, connection in self._connections if not thread.is_alive()]
        self._connections = [pair for pair in self._connections if pair[0].is_alive()]
        for connection in idle:
            connection.close()

    def _migrate(self) -> None:
        """Bring the tables to the newest version in one transaction."""
        if self._version() == len(_SCHEMAS):
            return
        with self.write() as connection:
            version = self._version()
            if version > len(_SCHEMAS):
                raise sqlite3.DatabaseError(_NEWER)
            tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
            if tables and not version:
                raise sqlite3.DatabaseError("it is a database of something else")
            for name in _SCHEMAS[version:]:
                _execute_all(connection, (Path(__file__).parent / name).read_text("utf-8"))
            connection.execute(f"PRAGMA user_version = {len(_SCHEMAS)}")

    def _version(self) -> int:
        return int(self.connection.execute("PRAGMA user_version").fetchone()[0])


def _execute_all(connection: sqlite3.Connection, script: str) -> None:
    """Execute a script within the transaction, which `executescript` would end."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            connection.execute(statement)
            statement = ""
