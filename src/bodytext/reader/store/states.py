"""Mark what a profile did with articles, and count it."""

import time

from bodytext.reader.store.database import Database
from bodytext.reader.store.records import State

_MOMENTS = ("opened", "finished", "saved", "hidden", "read")
_LIKES = frozenset({-1, 0, 1})


class States:
    """The states of articles, separately for each profile."""

    def __init__(self, store: Database) -> None:
        self._store = store

    def find(self, profile: int, article: int) -> State:
        """Return what a profile did with an article."""
        row = self._store.connection.execute(
            "SELECT opened, finished, saved, hidden, liked, read FROM states WHERE profile = ? AND article = ?",
            (profile, article),
        ).fetchone()
        return State(*row) if row else State()

    def mark(self, profile: int, article: int, **changes: bool | int) -> State:
        """Mark an article as opened, read, finished, saved, hidden (True, False) or liked (1, -1, 0).

        A mark that is set already keeps its moment. Return the new state; raise a KeyError for an
        unknown article.
        """
        values = _read_changes(changes)
        with self._store.write() as connection:
            if not connection.execute("SELECT 1 FROM articles WHERE id = ?", (article,)).fetchone():
                raise KeyError(article)
            connection.execute(
                "INSERT OR IGNORE INTO states (profile, article) VALUES (?, ?)", (profile, article)
            )
            for name, value in values.items():  # names that _read_changes accepts
                keep = f" AND (NOT {name} OR NOT :value)" if name in _MOMENTS else ""
                connection.execute(
                    f"UPDATE states SET {name} = :value WHERE profile = :profile AND article = :article{keep}",  # noqa: S608
                    {"value": value, "profile": profile, "article": article},
                )
            return self.find(profile, article)

    def mark_opened(self, profile: int, articles: list[int]) -> None:
        """Mark many articles as opened, unless they are already."""
        now = int(time.time())
        with self._store.write() as connection:
            connection.executemany(
                "INSERT INTO states (profile, article, opened) SELECT ?, id, ? FROM articles WHERE id = ? "
                "ON CONFLICT DO UPDATE SET opened = excluded.opened WHERE NOT opened",
                [(profile, now, article) for article in articles],
            )

    def count(self, profile: int) -> dict[str, int]:
        """Count all articles, and those that a profile saved or has not opened."""
        connection = self._store.connection
        total = connection.execute("SELECT count(*) FROM articles").fetchone()[0]
        opened, hidden, saved = connection.execute(
            "SELECT count(*) FILTER (WHERE opened), count(*) FILTER (WHERE hidden AND NOT opened), "
            "count(*) FILTER (WHERE saved) FROM states WHERE profile = ?",
            (profile,),
        ).fetchone()
        return {"articles": total, "unread": total - opened - hidden, "saved": saved}


def _read_changes(changes: dict[str, bool | int]) -> dict[str, int]:
    """Turn marks into the values of columns."""
    now = int(time.time())
    values: dict[str, int] = {}
    for name, value in changes.items():
        if name == "liked" and value in _LIKES:
            values[name] = int(value)
        elif name in _MOMENTS:
            values[name] = now if value else 0
        else:
            raise ValueError(f"an article is not marked as {name} = {value!r}")
    return values
