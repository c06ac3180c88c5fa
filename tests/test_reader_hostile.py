"""A subscribed feed with pages that break the limits: its articles are stored, and the reader goes on."""

import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from bodytext.corpus.workers.worker import WorkerLimits
from bodytext.kernel import is_native
from bodytext.reader.collection import feed_updates
from bodytext.reader.collection.article_worker import ArticleWorker
from bodytext.reader.collection.feed_updates import FeedUpdater
from bodytext.reader.store.articles import ArticleQuery
from bodytext.reader.store.records import Card
from bodytext.reader.store.store import Store
from bodytext.sources.fetch import FetchLimits
from bodytext.sources.fetch_options import FetchOptions
from bodytext.sources.politeness.policy import Politeness
from corpora import POISON
from loopback.newspaper import Newspaper, Story, make_press, make_story, write_page
from loopback.server import Web

MIB = 2**20
SECONDS = 1.5 if is_native("scanner") else 6.0
LIMITS = WorkerLimits(SECONDS, 300 * MIB, keeps_bytes=512 * MIB)
MARKS = {1: "raise", 2: "hang", 3: "crash"} | (
    {4: "allocate"} if sys.platform == "linux" else {}  # only Linux limits memory
)
REASONS = {
    1: "ArithmeticError: this page raises",
    2: f"it took longer than {SECONDS:g} s",
    3: "crash: the worker died (SIGSEGV)",
    4: "it needs more memory than it may have",
}


@pytest.fixture
def worker(monkeypatch: pytest.MonkeyPatch) -> Iterator[ArticleWorker]:
    """A worker in whose process pages do what their marks say."""
    monkeypatch.syspath_prepend(str(POISON))
    worker = ArticleWorker(LIMITS)
    yield worker
    worker.close()


def hostile_paper(marks: dict[int, str], stories: list[Story]) -> Newspaper:
    """A newspaper some of whose pages do harm."""
    pages = {}
    for number, mark in marks.items():
        page = write_page(stories[number], "Daily").replace("</body>", f"poison-{mark}</body>")
        pages[stories[number].path] = (page.encode(), "text/html; charset=utf-8")
    return Newspaper("hostile.test", stories, bodies=pages)


def allow(web: Web) -> FetchOptions:
    return FetchOptions(
        FetchLimits(allow_private=True),
        Politeness(delay_seconds=0, retries=0, backoff_seconds=0),
        resolve=web.resolve,
    )


def cards_by_number(store: Store) -> dict[int, Card]:
    cards = store.articles.list_cards(ArticleQuery(profile=1, limit=1000))
    return {int(card.url.rpartition("/")[2]): card for card in cards}


@pytest.mark.slow
def test_pages_that_break_the_limits_are_said_beside_their_articles(
    tmp_path: Path, worker: ArticleWorker
) -> None:
    stories = [make_story(number) for number in range(6)]
    with (
        make_press([hostile_paper(MARKS, stories)]) as web,
        Store(tmp_path / "reader.sqlite") as store,
    ):
        store.feeds.add(web.url("hostile.test", "/feed"))
        progress = FeedUpdater(store, allow(web), worker=worker).update()
        cards = cards_by_number(store)
        assert progress.stored == len(cards) == 6
        assert {number: card.problem for number, card in cards.items()} == {
            number: REASONS[number] if number in MARKS else "" for number in cards
        }
        assert all(bool(card.words) == (number not in MARKS) for number, card in cards.items())
        assert len(progress.faults) == len(MARKS)  # each once


@pytest.mark.slow
def test_the_feeds_own_text_is_kept_if_the_page_breaks(
    tmp_path: Path, worker: ArticleWorker
) -> None:
    text = "<p>The whole text of the article is in the feed, all of its many words.</p>"
    stories = [Story("/news/0", "A title", ("a",), int(time.time()), content=text)]
    with (
        make_press([hostile_paper({0: "crash"}, stories)]) as web,
        Store(tmp_path / "reader.sqlite") as store,
    ):
        store.feeds.add(web.url("hostile.test", "/feed"))
        FeedUpdater(store, allow(web), worker=worker).update()
        card = cards_by_number(store)[0]
        assert (card.words, card.problem) == (15, REASONS[3])


@pytest.mark.slow
def test_a_feed_of_hostile_pages_keeps_others_waiting_for_a_limited_time(
    tmp_path: Path, worker: ArticleWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed_updates, "_BROKEN_SECONDS", 1.2 * SECONDS)
    stories = [make_story(number) for number in range(12)]
    papers = [
        hostile_paper(dict.fromkeys(range(12), "hang"), stories),
        Newspaper("daily.test", [make_story(20)]),
    ]
    with make_press(papers) as web, Store(tmp_path / "reader.sqlite") as store:
        for paper in papers:
            store.feeds.add(web.url(paper.name, "/feed"))
        assert FeedUpdater(store, allow(web), worker=worker).update().stored == 13
        cards = cards_by_number(store)
        assert cards[20].words
        left_out = [card for card in cards.values() if "other pages" in card.problem]
        assert len(left_out) >= 10  # at most two are tried: starting a process counts too


@pytest.mark.slow
def test_the_reader_answers_while_a_page_hangs(
    tmp_path: Path, worker: ArticleWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("starlette", reason="the reader needs starlette")
    from browser.reader_server import serve
    from service_client import ask_now

    monkeypatch.setattr(feed_updates, "share_worker", lambda: worker)
    paper = hostile_paper({0: "hang"}, [make_story(0)])
    path = tmp_path / "reader.sqlite"
    with make_press([paper]) as web:
        with Store(path) as store:
            store.feeds.add(web.url("hostile.test", "/feed"))
        with serve(path, allow(web)) as reader:
            scheduler = reader.app.state.reader.scheduler
            scheduler.request()
            reader.wait(lambda: paper.count("/news/0"), "the page was not fetched")
            times = []
            while scheduler.status.running:
                began = time.monotonic()
                port = int(reader.address.rpartition(":")[2])
                assert ask_now(port, "GET /").status == 200
                times.append(time.monotonic() - began)
            assert len(times) > 3
            assert max(times) < LIMITS.seconds
            assert cards_by_number(reader.store)[0].problem == REASONS[2]


@pytest.mark.slow
def test_a_stopped_update_does_not_wait_for_a_page(tmp_path: Path, worker: ArticleWorker) -> None:
    stories = [make_story(0)]
    with (
        make_press([hostile_paper({0: "hang"}, stories)]) as web,
        Store(tmp_path / "reader.sqlite") as store,
    ):
        store.feeds.add(web.url("hostile.test", "/feed"))
        updater = FeedUpdater(store, allow(web), worker=worker)
        threading.Timer(0.8, updater.stop).start()
        assert updater.update().stored == 0
        assert store.feeds.list_all()[0].etag == ""  # the next update reads it again
