"""Run a reader over the loopback newspapers; its database is filled once and copied for each test."""

import socket
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import uvicorn
from starlette.applications import Starlette

from bodytext.reader.collection.feed_updates import FeedUpdater
from bodytext.reader.pages.app import create_reader
from bodytext.reader.store.store import Store
from bodytext.sources.fetch import FetchLimits
from bodytext.sources.fetch_options import FetchOptions
from bodytext.sources.politeness.policy import Politeness
from bodytext.studio.web.server import configure
from browser.conftest import PATIENCE_S, serving
from browser.reader_news import PAPERS
from loopback.server import Web


@dataclass(frozen=True)
class RunningReader:
    """A running reader."""

    address: str
    store: Store
    app: Starlette

    def find(self, title: str) -> int:
        row = self.store.connection.execute(
            "SELECT id FROM articles WHERE title LIKE ?", (f"%{title}%",)
        ).fetchone()
        assert row, title
        return int(row[0])

    def wait(self, holds: Callable[[], object], what: str) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while not holds():
            assert time.monotonic() < deadline, what
            time.sleep(0.02)


def allow(web: Web) -> FetchOptions:
    """Options that find the loopback sites and do not wait between requests."""
    return FetchOptions(
        FetchLimits(allow_private=True),
        Politeness(delay_seconds=0.0, retries=0),
        resolve=web.resolve,
    )


def fill(path: Path, web: Web) -> None:
    """Fill a database with all papers and their articles."""
    with Store(path) as store:
        for paper in PAPERS:
            store.feeds.add(web.url(paper.host, "/feed"))
        progress = FeedUpdater(store, allow(web)).update()
        assert not progress.problems, progress
        assert not progress.faults, progress


def copy(source: Path, target: Path) -> None:
    with sqlite3.connect(source) as one, sqlite3.connect(target) as other:
        one.backup(other)
    one.close()
    other.close()


@contextmanager
def serve(path: Path, fetching: FetchOptions) -> Iterator[RunningReader]:
    """Serve a database on a free port. Feeds are read only when a test requests it."""
    listener = socket.create_server(("127.0.0.1", 0))
    port = int(listener.getsockname()[1])
    with Store(path) as store:
        app = create_reader(store, port, fetching, scheduled=False)
        server = uvicorn.Server(configure(app))
        with serving(server, listener):
            yield RunningReader(f"http://127.0.0.1:{port}", store, app)
