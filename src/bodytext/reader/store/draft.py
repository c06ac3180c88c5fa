"""Store an article once, whichever of its names it comes under."""

import json
import sqlite3
import time
from dataclasses import dataclass, field, fields
from typing import Any

from bodytext.reader.store.body import encode_body
from bodytext.reader.store.database import Database
from bodytext.reader.store.filters import apply_filters
from bodytext.reader.store.retention import find_forgotten
from bodytext.views.structure.element import Element

_SUMMARY_SENTENCES = 5  # of those that lists show


@dataclass(frozen=True, slots=True)
class ArticleDraft:
    """An article before it is stored. The fields have the names of the columns."""

    feed: int
    url: str  # canonical
    title: str = ""
    guid: str = ""
    author: str = ""
    published: int = 0  # 0: the moment when it was fetched
    language: str = ""
    lead_image: str = ""
    confidence: float | None = None
    words: int = 0
    origin: str = "page"
    problem: str = ""
    story: int = 0  # 0: a story of its own
    category: str = ""
    category_chance: float = 0.0
    suggestion: str = ""
    keywords: tuple[tuple[str, float], ...] = ()
    categories: tuple[str, ...] = ()
    ranking: tuple[int, ...] = ()
    noise: tuple[int, ...] = ()
    signature: bytes = b""
    sentences: tuple[tuple[int, int], ...] = ()
    media: tuple[dict[str, Any], ...] = ()
    metadata: dict[str, Any] = field(default_factory=dict)
    text: str = ""
    body: Element = field(default_factory=lambda: Element("body"))
    addresses: tuple[str, ...] = ()  # other addresses of the same article
    fetched: int = field(default_factory=lambda: int(time.time()))

    @property
    def moment(self) -> int:
        """When it was published, but not later than now: a wrong clock would keep it at the top."""
        return min(self.published or self.fetched, self.fetched)

    def summarise(self) -> list[tuple[int, str]]:
        """Return the best sentences with their numbers, best first."""
        numbers = [number for number in self.ranking if 0 <= number < len(self.sentences)]
        best = numbers[:_SUMMARY_SENTENCES]
        texts = [self.text[slice(*self.sentences[number])] for number in best]
        return [(number, " ".join(text.split())) for number, text in zip(best, texts, strict=True)]


_JSON = ("keywords", "categories", "ranking", "noise", "sentences", "media", "metadata")
_FIELDS = tuple(column.name for column in fields(ArticleDraft) if column.name != "addresses")
_COLUMNS = (*_FIELDS, "summary")
_INSERT = (
    f"INSERT INTO articles ({', '.join(_COLUMNS)}) "  # noqa: S608 - names of ours
    f"VALUES ({', '.join(f':{name}' for name in _COLUMNS)})"
)
# What an article keeps that was stored without its page and now gets it: its names and its story.
_KEPT = frozenset({"feed", "url", "guid", "published", "fetched", "story"})
_CHANGES = ", ".join(f"{name} = :{name}" for name in _COLUMNS if name not in _KEPT)
_REPLACE = (
    f"UPDATE articles SET {_CHANGES}, "  # noqa: S608 - names of ours
    "html = '', markdown = '', tries = tries + 1 WHERE id = :id"
)


def add_draft(store: Database, draft: ArticleDraft) -> int | None:
    """Store an article in one transaction; return its number, or None if it is stored already."""
    with store.write(durable=False) as connection:
        known = _find_known(connection, draft)
        if known is None and find_forgotten(connection, (draft.url, *draft.addresses)):
            return None
        if known is None:
            number = connection.execute(_INSERT, _values(draft)).lastrowid
            if not draft.story:
                connection.execute("UPDATE articles SET story = id WHERE id = ?", (number,))
            apply_filters(connection, int(number or 0))
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
    """Find the stored article that a draft is of."""
    row: sqlite3.Row | None = connection.execute(
        "SELECT id, problem, words FROM articles "
        "WHERE url = :url OR (guid <> '' AND feed = :feed AND guid = :guid) OR id IN "
        "(SELECT article FROM addresses WHERE url IN (SELECT value FROM json_each(:addresses))) "
        "ORDER BY id LIMIT 1",
        {"url": draft.url, "feed": draft.feed, "guid": draft.guid,
         "addresses": json.dumps([draft.url, *draft.addresses])},
    ).fetchone()  # fmt: skip
    return row


def _replace(connection: sqlite3.Connection, known: sqlite3.Row, draft: ArticleDraft) -> None:
    """Replace what was stored of an article without its page, unless the draft has less."""
    if draft.words <= known["words"]:
        connection.execute(
            "UPDATE articles SET problem = ?, tries = tries + 1 WHERE id = ?",
            (draft.problem, known["id"]),
        )
    else:
        connection.execute(_REPLACE, {**_values(draft), "id": known["id"]})
        connection.execute(  # a category that the user corrected stays
            "UPDATE articles SET category = corrections.category, category_chance = 1 "
            "FROM corrections WHERE corrections.article = articles.id AND articles.id = ?",
            (known["id"],),
        )


def _values(draft: ArticleDraft) -> dict[str, Any]:
    values: dict[str, Any] = {name: getattr(draft, name) for name in _FIELDS}
    values |= {name: _write_json(values[name]) for name in _JSON}
    return values | {
        "body": encode_body(draft.body),
        "summary": _write_json(draft.summarise()),
        "published": draft.moment,
    }


def _write_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
