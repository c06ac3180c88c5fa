"""Store: the path of the reader's database in, its feeds, articles and states out; every change is a transaction.

    with Store(path) as store:
        store.feeds.list_all()                          # Subscription, with its state and how many articles it has
        store.articles.list_cards(ArticleQuery(profile=1))      # Card, newest first; by category, feed, saved, unread ...
        store.articles.search("storm tide", profile=1)  # Card, best first, with a snippet
        store.articles.find(5, profile=1)               # Article, with text, html, media ...
        store.states.mark(1, 5, saved=True)
        with store.write() as connection:               # a transaction of one's own
            connection.execute(...)
        store.connection.execute(...)                   # a look of one's own

A store may be used by many threads: each has a connection of its own. Readers do not wait for a writer.
"""

import os
import sqlite3
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

from bodytext.reader.store.articles import Articles
from bodytext.reader.store.feeds import Feeds
from bodytext.reader.store.search import spread
from bodytext.reader.store.states import States

FILE_NAME = "reader.sqlite"
_SCHEMAS = ("schema.sql", "schema_2.sql")  # a file a version; further ones change what the first made
_BUSY_SECONDS = 60.0  # how long a writer waits for another
_CACHE_KIB = 16 * 1024  # of a connection; SQLite's own 2 MB are few for a search over 100,000 articles
_MAP_BYTES = 256 * 2**20


def default_path() -> Path:
    """Where the database is when none is named: in the user's folder for data."""
    if sys.platform == "darwin":
        folder = Path.home() / "Library" / "Application Support"
    elif sys.platform == "win32":
        folder = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    else:
        folder = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    return folder / "bodytext" / FILE_NAME


_NEWER = "it was made by a newer bodytext"
# What goes wrong with a database, by a word of SQLite's -> what to do.
_ADVICE = {
    _NEWER: "install that one, or name another with --database",
    "locked": "something else writes to it: try again when that is done",
    "full": "make room on the disk and try again; what is stored is safe",
    "disk I/O": "is the disk full or gone? What is stored is safe",
    "readonly": "make it and its folder writable, or name another with --database",
    "malformed": "put a copy in its place, or rescue what is left: sqlite3 FILE .recover | sqlite3 RESCUED",
}


def tell_trouble(path: Path, problem: Exception) -> str:
    """What is wrong with a database and what to do, in words."""
    said = str(problem)
    advice = next((words for mark, words in _ADVICE.items() if mark in said), "name another with --database")
    return f"{path}: this database cannot be used ({said}); {advice}"


class StoreError(ValueError):
    """The database cannot be used; the words say why and what to do."""


class Store:
    """The reader's database, made where it is new."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or default_path()
        self._local = threading.local()
        self._lock = threading.Lock()
        self._connections: list[tuple[threading.Thread, sqlite3.Connection]] = []
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._migrate()
        except (OSError, sqlite3.DatabaseError) as problem:
            self.close()
            raise StoreError(tell_trouble(self.path, problem)) from None

    def __enter__(self) -> "Store":
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
        """A transaction: all of it happens or nothing. Inside of another it is a part of that.

        What is not durable is there after a crash of the program, and may be missing after one of the machine; the
        database is whole in any case.
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
        except BaseException:  # a commit too may fail, and what it leaves open would swallow all that comes after it
            connection.rollback()
            raise

    @cached_property
    def feeds(self) -> Feeds:
        """The subscriptions."""
        return Feeds(self)

    @cached_property
    def articles(self) -> Articles:
        """The articles."""
        return Articles(self)

    @cached_property
    def states(self) -> States:
        """What the profiles did with the articles."""
        return States(self)

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, _BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        with self._lock:
            self._connections.append((threading.current_thread(), connection))
            self._close_idle()
        connection.row_factory = sqlite3.Row
        connection.create_function("spread", 1, spread, deterministic=True)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
        connection.execute(f"PRAGMA mmap_size = {_MAP_BYTES}")
        return connection

    def _close_idle(self) -> None:
        """Close the connections of threads that have ended: every update has threads of its own."""
        idle = [connection for thread, connection in self._connections if not thread.is_alive()]
        self._connections = [(thread, one) for thread, one in self._connections if thread.is_alive()]
        for connection in idle:
            connection.close()

    def _migrate(self) -> None:
        """Bring the tables to the newest version, in one transaction, whoever else does the same."""
        if self._version() == len(_SCHEMAS):
            return
        with self.write() as connection:
            version = self._version()
            if version > len(_SCHEMAS):
                raise sqlite3.DatabaseError(_NEWER)
            if not version and connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                raise sqlite3.DatabaseError("it is a database of something else")
            for name in _SCHEMAS[version:]:
                _execute_all(connection, (Path(__file__).parent / name).read_text("utf-8"))
            connection.execute(f"PRAGMA user_version = {len(_SCHEMAS)}")

    def _version(self) -> int:
        return int(self.connection.execute("PRAGMA user_version").fetchone()[0])


def _execute_all(connection: sqlite3.Connection, script: str) -> None:
    """Execute the statements of a script within the transaction, which `executescript` would end."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            connection.execute(statement)
            statement = ""
