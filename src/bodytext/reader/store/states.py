"""States: what profiles do with articles in, what they did out."""

import time
from typing import TYPE_CHECKING

from bodytext.reader.store.records import State

if TYPE_CHECKING:
    from bodytext.reader.store.database import Store

_MOMENTS = ("opened", "finished", "saved", "hidden")
_LIKES = frozenset({-1, 0, 1})


class States:
    """The states of articles, for each profile its own."""

    def __init__(self, store: "Store") -> None:
        self._store = store

    def find(self, profile: int, article: int) -> State:
        """What a profile did with an article."""
        row = self._store.connection.execute(
            "SELECT opened, finished, saved, hidden, liked FROM states WHERE profile = ? AND article = ?",
            (profile, article),
        ).fetchone()
        return State(*row) if row else State()

    def mark(self, profile: int, article: int, **changes: bool | int) -> State:
        """Note that a profile opened, finished, saved or hid an article (True or False), or liked it (1, -1, 0).

        What was already so keeps its moment. Gives the state as it is then; a KeyError where there is no such article.
        """
        now = int(time.time())
        values: dict[str, int] = {}
        for name, value in changes.items():
            if name == "liked" and value in _LIKES:
                values[name] = int(value)
            elif name in _MOMENTS:
                values[name] = now if value else 0
            else:
                raise ValueError(f"an article is not marked as {name} = {value!r}")
        with self._store.write() as connection:
            if not connection.execute("SELECT 1 FROM articles WHERE id = ?", (article,)).fetchone():
                raise KeyError(article)
            connection.execute("INSERT OR IGNORE INTO states (profile, article) VALUES (?, ?)", (profile, article))
            for name, value in values.items():  # names are from the lists above
                keep = f" AND (NOT {name} OR NOT :value)" if name in _MOMENTS else ""
                connection.execute(
                    f"UPDATE states SET {name} = :value WHERE profile = :profile AND article = :article{keep}",  # noqa: S608
                    {"value": value, "profile": profile, "article": article},
                )
            return self.find(profile, article)

    def mark_opened(self, profile: int, articles: list[int]) -> None:
        """Note many articles as opened, those that were not: "all read"."""
        now = int(time.time())
        with self._store.write() as connection:
            connection.executemany(
                "INSERT INTO states (profile, article, opened) SELECT ?, id, ? FROM articles WHERE id = ? "
                "ON CONFLICT DO UPDATE SET opened = excluded.opened WHERE NOT opened",
                [(profile, now, article) for article in articles],
            )

    def count(self, profile: int) -> dict[str, int]:
        """How many articles a profile has saved and has not opened, and how many there are."""
        connection = self._store.connection
        every = connection.execute("SELECT count(*) FROM articles").fetchone()[0]
        opened, hidden, saved = connection.execute(
            "SELECT count(*) FILTER (WHERE opened), count(*) FILTER (WHERE hidden AND NOT opened), "
            "count(*) FILTER (WHERE saved) FROM states WHERE profile = ?",
            (profile,),
        ).fetchone()
        return {"articles": every, "unread": every - opened - hidden, "saved": saved}
