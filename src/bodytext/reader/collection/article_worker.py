"""Read the pages of articles in a process with limits: whatever a page does, the reader goes on.

The process drafts an article and analyses its text; it reads the database, for the frequencies of
terms, and writes nothing. `read_article` is what it does, `ArticleWorker` is the reader's side.
"""

import sqlite3
from dataclasses import asdict, fields, replace
from functools import cache, lru_cache
from pathlib import Path
from threading import Event, Lock
from typing import Any, NamedTuple

from bodytext import extract
from bodytext.corpus.workers.child import MEMORY, Answer, Tick
from bodytext.corpus.workers.messages import WorkerMessage
from bodytext.corpus.workers.worker import (
    TooSlowError,
    Worker,
    WorkerDiedError,
    WorkerLimits,
    WorkerProgram,
)
from bodytext.methods import DEFAULT, METHODS, Method, as_method, with_title
from bodytext.reader.analysis import Analysis, analyse, find_asides
from bodytext.reader.analysis.counts import StoredFrequencies
from bodytext.reader.collection.drafting import make_draft
from bodytext.reader.store.body import decode_body, encode_body
from bodytext.reader.store.draft import ArticleDraft
from bodytext.sources.listings.entry import Enclosure, FeedEntry
from bodytext.sources.record import Record

_PROGRAM = "bodytext.reader.collection.article_worker:prepare"
_MIB = 2**20
# Of an article. Real pages take milliseconds; 10 MB of anything take 2 s or less.
LIMITS = WorkerLimits(10.0, 1024 * _MIB, keeps_bytes=512 * _MIB, idle_seconds=60.0)
_ATTEMPTS = 2  # at a page whose process died: something else may have killed it once


class BrokenPageError(Exception):
    """A page could not be read; the message says what it did."""


class ReadArticle(NamedTuple):
    """An article as its page and its feed have it."""

    draft: ArticleDraft
    analysis: Analysis


class ArticleWorker:
    """Reads articles, one at a time. Many threads may use it."""

    def __init__(self, limits: WorkerLimits = LIMITS) -> None:
        self._limits = limits
        self._worker = Worker(WorkerProgram(_PROGRAM), limits)
        self._lock = Lock()

    def read(
        self, database: Path, feed: int, entry: FeedEntry, record: Record, stop: Event | None = None
    ) -> ReadArticle:
        """Read the article of an entry and its page; a BrokenPageError if it breaks a limit.

        If the event is set before that is done, a WorkerStoppedError ends it.
        """
        head = {
            "database": str(database.absolute()),
            "feed": feed,
            "entry": asdict(entry),
            "record": asdict(replace(record, html=b"")) | {"html": ""},
        }
        message = WorkerMessage(head, record.html)
        try:
            with self._lock:
                answer = self._worker.ask(message, attempts=_ATTEMPTS, stop=stop).head
        except TooSlowError:
            raise BrokenPageError(f"it took longer than {self._limits.seconds:g} s") from None
        except WorkerDiedError as error:
            raise BrokenPageError(str(error)) from None
        if "failed" in answer:
            is_memory = answer["failed"] == MEMORY
            raise BrokenPageError(
                "it needs more memory than it may have" if is_memory else answer["reason"]
            )
        draft = _decode(answer["draft"]) | {"body": decode_body(answer["draft"]["body"])}
        return ReadArticle(ArticleDraft(**draft), Analysis(**_decode(answer["analysis"])))

    def close(self) -> None:
        """End the process."""
        with self._lock:
            self._worker.close()


@cache
def share_worker() -> ArticleWorker:
    """Return the worker of this process. Its own process ends when it is idle for a while."""
    return ArticleWorker()


def prepare(_: dict[str, Any]) -> Answer:
    """Load what a page needs. Memory is limited afterwards, so this does not count."""
    extract(b"<p>warm").metadata  # noqa: B018 - loads the code that reads metadata
    return read_article


def read_article(message: WorkerMessage, _: Tick) -> WorkerMessage:
    """Draft and analyse an article; this runs in the worker's process."""
    head = message.head
    entry = head["entry"]
    enclosures = tuple(Enclosure(**file) for file in entry["enclosures"])
    categories = tuple(entry["categories"])
    draft = make_draft(
        head["feed"],
        FeedEntry(**entry | {"enclosures": enclosures, "categories": categories}),
        Record(**head["record"] | {"html": message.body}),
        _choose_method(head["database"], head["feed"], entry["title"]),
    )
    frequencies = StoredFrequencies(_open(head["database"]), draft.language)
    asides = find_asides(draft.body, draft.media)
    analysis = analyse(draft.title, draft.text, draft.language, frequencies, asides)
    written = _encode(draft) | {"body": encode_body(draft.body)}
    return WorkerMessage({"draft": written, "analysis": _encode(analysis)})


def _choose_method(database: str, feed: int, title: str) -> Method | str:
    """Return the method that was chosen for a feed, with the feed's title if that was chosen too."""
    query = "SELECT method, titled FROM feeds WHERE id = ?"
    row = _open(database).execute(query, (feed,)).fetchone()
    if row is None or row[0] not in METHODS:
        return DEFAULT
    return with_title(as_method(row[0]), title) if row[1] else str(row[0])


@lru_cache(maxsize=1)
def _open(path: str) -> sqlite3.Connection:
    """Open the reader's database, which the worker's process only reads."""
    return sqlite3.connect(f"{Path(path).as_uri()}?mode=ro", uri=True)


def _encode(value: ArticleDraft | Analysis) -> dict[str, Any]:
    values = {column.name: getattr(value, column.name) for column in fields(value)}
    return values | {"signature": value.signature.hex()}


def _decode(values: dict[str, Any]) -> dict[str, Any]:
    tuples = {name: _to_tuple(value) for name, value in values.items() if isinstance(value, list)}
    return values | tuples | {"signature": bytes.fromhex(values["signature"])}


def _to_tuple(values: list[Any]) -> tuple[Any, ...]:
    return tuple(tuple(value) if isinstance(value, list) else value for value in values)
