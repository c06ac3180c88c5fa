"""List, search, find and store articles."""

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from bodytext.reader.store.body import compose_body, decode_body, read_body, split_paragraphs
from bodytext.reader.store.database import Database
from bodytext.reader.store.draft import ArticleDraft, add_draft
from bodytext.reader.store.records import Article, Card, State
from bodytext.reader.store.search import read_query, remove_gaps
from bodytext.views.structure.element import Element

PAGE_SIZE = 30
_SEARCHED = 1_000  # newest matches that are ranked; all matches of a common word take too long
_TITLE_WEIGHT = 5.0  # of a word in a title; one in the text has 1
_SNIPPET_WORDS = 24
FOUND, FOUND_END = "\x02", "\x03"  # around the matches in a snippet; no text has these characters

_STATE = tuple(column.name for column in fields(State))
_PLAIN = (
    "id", "feed", "url", "title", "author", "published", "language", "lead_image",
    "words", "confidence", "origin", "problem", "story", "category", "category_chance",
    "suggestion",
)  # fmt: skip
_CARD = ", ".join(
    [f"articles.{name}" for name in _PLAIN]
    + [
        "articles.keywords",
        "articles.summary",
        "coalesce(nullif(feeds.title, ''), feeds.url) AS source",
    ]
    + [f"coalesce(states.{name}, 0) AS {name}" for name in _STATE]
)
_FROM = (
    " FROM articles JOIN feeds ON feeds.id = articles.feed "
    "LEFT JOIN states ON states.article = articles.id AND states.profile = :profile "
)


# Those of a query's fields that are set.
_CONDITIONS = {
    "category": "articles.category = :category",
    "feed": "articles.feed = :feed",
    "folder": "(feeds.folder = :folder OR substr(feeds.folder, 1, length(:folder) + 1) = :folder || '/')",
    "story": "articles.story = :story AND articles.story <> 0",  # as its index has it
    "term": "articles.id IN (SELECT rowid FROM articles_fts WHERE articles_fts MATCH :question "
    "ORDER BY rowid DESC LIMIT :limit)",
    "unread": "NOT coalesce(states.opened, 0)",
    "saved": "states.profile = :profile AND states.saved <> 0",
    "since": "articles.published >= :since",
}


@dataclass(frozen=True, slots=True)
class ArticleQuery:
    """Which articles to list, newest first."""

    profile: int = 0  # whose states the cards have, and whose hidden articles are omitted
    category: str = ""
    feed: int = 0
    folder: str = ""  # of feeds, with the folders in it
    story: int = 0
    term: str = ""  # in the title or the text, of the `limit` articles that were stored last
    unread: bool = False
    saved: bool = False  # in the order in which they were saved
    hidden: bool = False  # with hidden articles
    since: int = 0  # published at this moment or later
    before: tuple[int, int] | None = None  # (published, id) of the previous page's last card
    limit: int = PAGE_SIZE


class Articles:
    """The articles."""

    def __init__(self, store: Database) -> None:
        self._store = store

    def list_cards(self, query: ArticleQuery) -> list[Card]:
        """Return the cards of a query; the next page begins `before=(last.published, last.id)`.

        Saved articles are listed by the time when they were saved: `(last.state.saved, last.id)`.
        """
        moment = "states.saved" if query.saved else "articles.published"
        conditions = [text for name, text in _CONDITIONS.items() if getattr(query, name)]
        if not query.hidden:
            conditions.append("NOT coalesce(states.hidden, 0)")
        if query.before:
            conditions.append(f"({moment}, articles.id) < (:moment, :id)")
        where = f"WHERE {' AND '.join(conditions)} " if conditions else ""
        question = read_query(f'"{query.term.replace(chr(34), " ")}"') or '""'
        last, last_id = query.before or (0, 0)
        values = asdict(query) | {"moment": last, "id": last_id, "question": question}
        statement = (
            f"SELECT {_CARD}{_FROM}{where}ORDER BY {moment} DESC, articles.id DESC LIMIT :limit"
        )
        return [_read_card(row) for row in self._store.connection.execute(statement, values)]

    def search(
        self, words: str, profile: int = 0, *, limit: int = PAGE_SIZE, offset: int = 0
    ) -> list[Card]:
        """Return the cards of the articles that match, best first, each with a snippet of the text.

        All words must occur, "phrases" as they are, and -words must not. The last word may be the
        start of a word.
        """
        question = read_query(words)
        if not question:
            return []
        inner = (
            f"SELECT rowid AS hit, bm25(articles_fts, {_TITLE_WEIGHT}, 1.0) AS distance "  # noqa: S608
            "FROM articles_fts WHERE articles_fts MATCH :question ORDER BY rowid DESC LIMIT :searched"
        )
        statement = (
            f"SELECT {_CARD}{_FROM}JOIN ({inner}) ON hit = articles.id "
            "ORDER BY distance, articles.published DESC, articles.id DESC LIMIT :limit OFFSET :offset"
        )
        values = {"question": question, "profile": profile, "searched": _SEARCHED,
                  "limit": limit, "offset": offset}  # fmt: skip
        cards = [_read_card(row) for row in self._store.connection.execute(statement, values)]
        snippets = self._find_snippets(question, [card.id for card in cards])
        return [replace(card, snippet=snippets.get(card.id, "")) for card in cards]

    def _find_snippets(self, question: str, articles: Sequence[int]) -> dict[int, str]:
        """Find the snippets of matches in one pass; without the +, SQLite makes one for each."""
        rows = self._store.connection.execute(
            "SELECT rowid, snippet(articles_fts, 1, :begin, :end, '…', :words) FROM articles_fts "
            "WHERE articles_fts MATCH :question AND rowid BETWEEN :first AND :last "
            "AND +rowid IN (SELECT value FROM json_each(:articles))",
            {"begin": FOUND, "end": FOUND_END, "words": _SNIPPET_WORDS, "question": question,
             "articles": json.dumps(articles), "first": min(articles, default=0),
             "last": max(articles, default=0)},
        )  # fmt: skip
        return {row[0]: " ".join(remove_gaps(row[1] or "").split()) for row in rows}

    def find(self, article: int, profile: int = 0) -> Article | None:
        """Find an article by its number."""
        row = self._store.connection.execute(
            f"SELECT {_CARD}, articles.*{_FROM}WHERE articles.id = :article",
            {"article": article, "profile": profile},
        ).fetchone()
        return _read_article(row) if row else None

    def find_cards(self, articles: Iterable[int], profile: int = 0) -> list[Card]:
        """Return the cards of articles by their numbers, in that order."""
        numbers = list(articles)
        rows = self._store.connection.execute(
            f"SELECT {_CARD}{_FROM}WHERE articles.id IN (SELECT value FROM json_each(:articles))",  # noqa: S608
            {"articles": json.dumps(numbers), "profile": profile},
        )
        cards = {row["id"]: _read_card(row) for row in rows}
        return [cards[number] for number in numbers if number in cards]

    def find_url(self, url: str) -> int | None:
        """Return the number of the article that has an address."""
        row = self._store.connection.execute(
            "SELECT article FROM addresses WHERE url = ?", (url,)
        ).fetchone()
        return int(row[0]) if row else None

    def add(self, draft: ArticleDraft) -> int | None:
        """Store an article in one transaction; return its number, or None if it is stored already.

        It is the same article if it has the same identity in the same feed, or one of its addresses
        is known. One that was stored without its page gets the draft's text, if that is longer.
        """
        return add_draft(self._store, draft)

    def count_categories(self) -> dict[str, int]:
        """Count the articles of each category."""
        rows = self._store.connection.execute(
            "SELECT category, count(*) FROM articles GROUP BY category"
        )
        return {row[0]: row[1] for row in rows if row[0]}


def _read_card(row: sqlite3.Row) -> Card:
    plain: dict[str, Any] = {name: row[name] for name in _PLAIN}
    return Card(
        **plain,
        source=row["source"],
        keywords=tuple((str(term), float(weight)) for term, weight in json.loads(row["keywords"])),
        sentences=tuple(
            (int(number), str(sentence)) for number, sentence in json.loads(row["summary"])
        ),
        state=State(*(row[name] for name in _STATE)),
    )


def _read_article(row: sqlite3.Row) -> Article:
    media = tuple(json.loads(row["media"]))
    return Article(
        _read_card(row),
        row["text"],
        _read_body(row, media),
        tuple((start, end) for start, end in json.loads(row["sentences"])),
        tuple(json.loads(row["ranking"])),
        tuple(json.loads(row["noise"])),
        media,
        json.loads(row["metadata"]),
    )


def _read_body(row: sqlite3.Row, media: Iterable[dict[str, Any]]) -> Element:
    """Read the body: a tree, HTML of an earlier version, or the plain text if there is neither."""
    body = decode_body(row["body"]) if row["body"] else Element("body")
    if body.children:
        return body
    if row["html"]:
        return read_body(row["html"], media)
    return compose_body(split_paragraphs(row["text"]), media)
