"""Updates that are killed at any moment lose and duplicate nothing; benchmarks/reader.py has a longer test."""

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from bodytext.reader.collection.feed_updates import FeedUpdater
from bodytext.reader.store.articles import ArticleQuery
from bodytext.reader.store.store import Store
from bodytext.sources.fetch import FetchLimits
from bodytext.sources.fetch_options import FetchOptions
from bodytext.sources.politeness.policy import Politeness
from loopback.newspaper import Newspaper, make_press, make_story

BENCHMARK = Path(__file__).parent.parent / "benchmarks" / "reader.py"


@pytest.mark.slow
def test_updates_that_are_killed() -> None:
    """The benchmark exits with 1 if a database is damaged, or an article is lost or duplicated."""
    command = [sys.executable, str(BENCHMARK), "--part", "kills", "--kills", "4"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "in the end 260 of 260" in done.stdout


@pytest.mark.slow
def test_two_updates_at_a_time(tmp_path: Path) -> None:
    """Cron and the app may update at the same moment: each article is stored once, and none is missing."""
    papers = [Newspaper(f"p{n}.test", [make_story(k, str(n)) for k in range(8)]) for n in range(4)]
    path = tmp_path / "reader.sqlite"
    with make_press(papers) as web, Store(path) as store:
        fetching = FetchOptions(
            FetchLimits(allow_private=True),
            Politeness(delay_seconds=0, backoff_seconds=0),
            resolve=web.resolve,
        )
        for paper in papers:
            store.feeds.add(web.url(paper.name, "/feed"))
        stored: list[int] = []

        def update() -> None:
            with Store(path) as own:
                stored.append(FeedUpdater(own, fetching).update(own.feeds.list_all()).stored)

        threads = [threading.Thread(target=update) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sum(stored) == 32
        assert len(store.articles.list_cards(ArticleQuery(limit=100))) == 32
