"""Add, list, change and remove subscriptions."""

import time
from dataclasses import fields

from bodytext.reader.store.database import Database
from bodytext.reader.store.feed_health import LONGEST_REST
from bodytext.reader.store.records import Subscription
from bodytext.sources.fetch.errors import AddressError
from bodytext.sources.fetch.hosts import read_target

_COUNTS = frozenset({"articles", "newest", "unread"})
_STORED = tuple(column.name for column in fields(Subscription) if column.name not in _COUNTS)
_COLUMNS = ", ".join(f"feeds.{name}" for name in _STORED)
_COUNTED = (
    "(SELECT count(*) FROM articles WHERE articles.feed = feeds.id) AS articles, "
    "coalesce((SELECT max(published) FROM articles WHERE articles.feed = feeds.id), 0) AS newest, "
    "(SELECT count(*) FROM articles WHERE articles.feed = feeds.id AND NOT EXISTS (SELECT 1 FROM states "
    "WHERE article = articles.id AND profile = :profile AND (opened OR hidden))) AS unread"
)
_ROW = f"SELECT {_COLUMNS} FROM feeds "  # noqa: S608 - names of ours
_COUNTED_ROW = f"SELECT {_COLUMNS}, {_COUNTED} FROM feeds "  # noqa: S608
_CHANGEABLE = frozenset(_STORED) - {"id", "added"}


class Feeds:
    """The subscriptions."""

    def __init__(self, store: Database) -> None:
        self._store = store

    def list_all(self, profile: int = 0) -> list[Subscription]:
        """Return all subscriptions by name, with the numbers of articles and of unread ones."""
        rows = self._store.connection.execute(
            _COUNTED_ROW + "WHERE state <> 'left'", {"profile": profile}
        ).fetchall()
        return sorted(
            (Subscription(*row) for row in rows), key=lambda feed: (feed.name.casefold(), feed.id)
        )

    def find(self, feed: int) -> Subscription | None:
        """Return a subscription by its number."""
        row = self._store.connection.execute(
            _COUNTED_ROW + "WHERE id = :feed", {"feed": feed, "profile": 0}
        ).fetchone()
        return Subscription(*row) if row else None

    def find_url(self, url: str) -> Subscription | None:
        """Return a subscription by its address, or by the address that it had before it moved."""
        row = self._store.connection.execute(
            f"{_ROW}WHERE url = :url UNION ALL {_ROW}WHERE previous = :url AND previous <> '' LIMIT 1",
            {"url": url},
        ).fetchone()
        return Subscription(*row) if row else None

    def is_read(self, feed: int) -> bool:
        """Whether a feed is still subscribed to."""
        row = self._store.connection.execute(
            "SELECT state <> 'left' FROM feeds WHERE id = ?", (feed,)
        ).fetchone()
        return bool(row and row[0])

    def list_due(self, now: int) -> list[Subscription]:
        """Return the live subscriptions that are to be read now.

        A feed that is due later than the longest rest was scheduled while the clock was wrong, and
        is read too.
        """
        rows = self._store.connection.execute(
            _ROW + "WHERE state IN ('live', 'moved') AND kind IN ('feed', 'page') "
            "AND NOT due BETWEEN ? AND ? ORDER BY due, id",
            (now + 1, now + LONGEST_REST),
        )
        return [Subscription(*row) for row in rows]

    def add(self, url: str, title: str = "", site: str = "", folder: str = "") -> Subscription:
        """Subscribe to the feed at an address, unless it is subscribed to already.

        A ValueError says what is wrong with the address. The next update finds out whether there is
        a feed.
        """
        try:
            url = read_target(url, any_port=True).url
        except AddressError as error:
            raise ValueError(f"{url[:200]}: {error}") from None
        with self._store.write() as connection:
            known = self.find_url(url)
            if known is None:
                connection.execute(
                    "INSERT INTO feeds (url, title, site, added, folder) VALUES (?, ?, ?, ?, ?)",
                    (url, title, site, int(time.time()), folder),
                )
            elif known.state in {"left", "dead"}:  # it is wanted again
                self.revive(known.id)
            feed = self.find_url(url)
        assert feed is not None  # noqa: S101 - it was just stored
        return feed

    def open_own(self, kind: str, url: str, title: str) -> Subscription:
        """Return the source of saved pages or newsletters with an address of ours, made if it is new."""
        with self._store.write() as connection:
            connection.execute(
                "INSERT OR IGNORE INTO feeds (url, title, kind, added, folder) VALUES (?, ?, ?, ?, '')",
                (url, title, kind, int(time.time())),
            )
            feed = self.find_url(url)
            assert feed is not None  # noqa: S101 - it was just stored
            if feed.state != "live":
                self.revive(feed.id)
        return feed

    def change(self, feed: int, **values: str | int) -> None:
        """Change columns of a subscription."""
        if unknown := set(values) - _CHANGEABLE:
            raise ValueError(f"a feed has no {', '.join(sorted(unknown))} to change")
        assignments = ", ".join(f"{name} = :{name}" for name in values)
        with self._store.write() as connection:
            sql = f"UPDATE feeds SET {assignments} WHERE id = :id"  # noqa: S608 - of _CHANGEABLE names
            connection.execute(sql, {**values, "id": feed})

    def revive(self, feed: int) -> None:
        """Let a feed be read at the next update, even a dead one."""
        self.change(feed, state="live", due=0, failures=0, problem="")

    def remove(self, feed: int) -> None:
        """Unsubscribe, and delete the feed's articles except those saved, liked or with notes."""
        with self._store.write() as connection:
            connection.execute(
                "DELETE FROM articles WHERE feed = ? AND NOT EXISTS "
                "(SELECT 1 FROM states WHERE article = articles.id AND (saved OR liked > 0)) "
                "AND NOT EXISTS (SELECT 1 FROM highlights WHERE article = articles.id)",
                (feed,),
            )
            if connection.execute("SELECT 1 FROM articles WHERE feed = ?", (feed,)).fetchone():
                self.change(feed, state="left", etag="", modified="")
            else:
                connection.execute("DELETE FROM feeds WHERE id = ?", (feed,))
                # SQLite may give its number to another feed.
                connection.execute(
                    "DELETE FROM interests WHERE kind = 'source' AND name = ?", (str(feed),)
                )
