"""ArticleDraft: an article that is to be stored -> stored once, whatever it is called (type and function)."""

import json
import sqlite3
import time
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from bodytext.reader.store.retention import find_forgotten

if TYPE_CHECKING:
    from bodytext.reader.store.database import Database

_MOST_SUMMED_UP = 5  # sentences of the summary that lists show


@dataclass(frozen=True, slots=True)
class ArticleDraft:
    """An article before it is stored. The names are those of the columns."""

    feed: int
    url: str  # canonical
    title: str = ""
    guid: str = ""
    author: str = ""
    published: int = 0  # 0: when it was fetched
    language: str = ""
    lead_image: str = ""
    confidence: float | None = None
    words: int = 0
    origin: str = "page"
    problem: str = ""
    story: int = 0  # 0: a story of its own
    category: str = ""
    category_chance: float = 0.0
    keywords: tuple[tuple[str, float], ...] = ()
    categories: tuple[str, ...] = ()
    ranking: tuple[int, ...] = ()
    noise: tuple[int, ...] = ()
    signature: bytes = b""
    sentences: tuple[tuple[int, int], ...] = ()
    media: tuple[dict[str, Any], ...] = ()
    metadata: dict[str, Any] = field(default_factory=dict)
    text: str = ""
    markdown: str = ""
    html: str = ""
    addresses: tuple[str, ...] = ()  # others under which it is known
    fetched: int = field(default_factory=lambda: int(time.time()))

    @property
    def moment(self) -> int:
        """When it was published. A feed that is ahead of the time would else stand first for ever."""
        return min(self.published or self.fetched, self.fetched)

    def summarise(self) -> list[tuple[int, str]]:
        """The best sentences with their numbers, best first."""
        numbers = [number for number in self.ranking if 0 <= number < len(self.sentences)][:_MOST_SUMMED_UP]
        return [(number, " ".join(self.text[slice(*self.sentences[number])].split())) for number in numbers]


_JSON = ("keywords", "categories", "ranking", "noise", "sentences", "media", "metadata")
_COLUMNS = (*(one.name for one in fields(ArticleDraft) if one.name != "addresses"), "summary")
_INSERT = (
    f"INSERT INTO articles ({', '.join(_COLUMNS)}) "  # noqa: S608 - names of ours
    f"VALUES ({', '.join(f':{name}' for name in _COLUMNS)})"
)
# An article that was stored without its page keeps what names it, and its story.
_KEPT = frozenset({"feed", "url", "guid", "published", "fetched", "story"})
_REPLACE = (
    f"UPDATE articles SET {', '.join(f'{name} = :{name}' for name in _COLUMNS if name not in _KEPT)}, "  # noqa: S608
    "tries = tries + 1 WHERE id = :id"
)


def add_draft(store: "Database", draft: ArticleDraft) -> int | None:
    """Store an article, in one transaction; its number, or None where it is stored already."""
    with store.write(durable=False) as connection:
        known = _find_known(connection, draft)
        if known is None and find_forgotten(connection, (draft.url, *draft.addresses)):
            return None
        if known is None:
            number = connection.execute(_INSERT, _values(draft)).lastrowid
            if not draft.story:
                connection.execute("UPDATE articles SET story = id WHERE id = ?", (number,))
        else:
            number = int(known["id"])
            if known["problem"]:
                _replace(connection, known, draft)
        connection.executemany(
            "INSERT OR IGNORE INTO addresses (url, article) VALUES (?, ?)",
            [(url, number) for url in dict.fromkeys((draft.url, *draft.addresses)) if url],
        )
    return number if known is None else None


def _find_known(connection: sqlite3.Connection, draft: ArticleDraft) -> sqlite3.Row | None:
    """The article that the draft is of."""
    found: sqlite3.Row | None = connection.execute(
        "SELECT id, problem, words FROM articles WHERE url = :url OR (guid <> '' AND feed = :feed AND guid = :guid) "
        "OR id IN (SELECT article FROM addresses WHERE url IN (SELECT value FROM json_each(:addresses))) "
        "ORDER BY id LIMIT 1",
        {"url": draft.url, "feed": draft.feed, "guid": draft.guid,
         "addresses": json.dumps([draft.url, *draft.addresses])},
    ).fetchone()  # fmt: skip
    return found


def _replace(connection: sqlite3.Connection, known: sqlite3.Row, draft: ArticleDraft) -> None:
    """Give an article that was stored without its page what came now, unless that is less than what it has."""
    if draft.words <= known["words"]:
        connection.execute(
            "UPDATE articles SET problem = ?, tries = tries + 1 WHERE id = ?", (draft.problem, known["id"])
        )
    else:
        connection.execute(_REPLACE, {**_values(draft), "id": known["id"]})
        connection.execute(  # what somebody corrected stays so
            "UPDATE articles SET category = corrections.category, category_chance = 1 "
            "FROM corrections WHERE corrections.article = articles.id AND articles.id = ?",
            (known["id"],),
        )


def _values(draft: ArticleDraft) -> dict[str, Any]:
    values: dict[str, Any] = {name: getattr(draft, name) for name in _COLUMNS if name != "summary"}
    for name in _JSON:
        values[name] = json.dumps(values[name], ensure_ascii=False, separators=(",", ":"))
    values["summary"] = json.dumps(draft.summarise(), ensure_ascii=False, separators=(",", ":"))
    values["published"] = draft.moment
    return values
