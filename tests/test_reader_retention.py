"""Old unused articles are deleted for good; used and new ones stay."""

import time
from dataclasses import replace
from pathlib import Path

import pytest

from bodytext.cli import main
from bodytext.reader.categories.categories import Categories
from bodytext.reader.store.articles import ArticleQuery
from bodytext.reader.store.draft import ArticleDraft
from bodytext.reader.store.highlights import Highlights
from bodytext.reader.store.retention import compact, forget
from bodytext.reader.store.store import Store
from loopback.newspaper import Newspaper, Story, make_story
from test_reader_collection import press

NOW = int(time.time())
DAY = 24 * 3600


def age(store: Store, days: int = 100) -> None:
    """Make all stored articles some days older."""
    with store.write() as connection:
        connection.execute("UPDATE articles SET fetched = fetched - ?", (days * DAY,))


def test_used_articles_stay(tmp_path: Path) -> None:
    with Store(tmp_path / "reader.sqlite") as store:
        feed = store.feeds.add("https://news.example/feed")
        draft = ArticleDraft(feed.id, "", text="storm tide", fetched=NOW - 100 * DAY)
        urls = [f"https://news.example/{number}" for number in range(9)]
        numbers = [store.articles.add(replace(draft, url=url, title=url)) or 0 for url in urls]
        for number, change in zip(
            numbers, ("opened", "finished", "saved", "liked", "hidden"), strict=False
        ):
            store.states.mark(1, number, **{change: 1})
        Categories(store).correct(numbers[5], "sport")
        Highlights(store, 1).add(numbers[6], "storm tide")
        store.states.mark(1, numbers[6], opened=False)  # marked as unread again
        new = store.articles.add(replace(draft, url="https://news.example/new", fetched=NOW - DAY))
        assert forget(store, NOW - 90 * DAY) == 3
        assert {card.id for card in store.articles.list_cards(ArticleQuery(hidden=True))} == {
            *numbers[:4],
            *numbers[5:7],
            new,
        }
        assert {card.id for card in store.articles.search("storm")} == {
            *numbers[:4],
            *numbers[5:7],
            new,
        }
        assert forget(store, NOW - 90 * DAY) == 0


def test_a_deleted_article_does_not_come_back(tmp_path: Path) -> None:
    """Neither under its address nor under its identity, nor if it has neither."""
    note = Story("", "A note", (), NOW - 5, content="<p>Notes have no page of their own here.</p>")
    paper = Newspaper("daily.test", [make_story(1), make_story(2), note], conditional=False)
    with press(tmp_path, paper) as setup:
        setup.add("daily.test")
        assert setup.update().stored == 3
        age(setup.store)
        assert forget(setup.store, NOW - 90 * DAY) == 3
        del paper.visits[:]
        paper.stories[1] = replace(paper.stories[1], path="/news/2-moved")
        paper.stories.append(make_story(3))
        assert setup.update().stored == 1
        assert [path for path, _ in paper.visits if path.startswith("/news")] == ["/news/3"]
        paper.stories.append(
            replace(make_story(1), path="/print/1", guid="another", canonical="/news/1")
        )
        assert setup.update().stored == 0  # it is recognised when it is fetched


def test_free_space_is_given_back(tmp_path: Path) -> None:
    with Store(tmp_path / "reader.sqlite") as store:
        feed = store.feeds.add("https://news.example/feed")
        draft = ArticleDraft(feed.id, "", text="storm tide " * 500, fetched=NOW - 100 * DAY)
        for number in range(200):
            store.articles.add(replace(draft, url=f"https://news.example/{number}"))
        size = store.path.stat().st_size
        assert forget(store, NOW) == 200
        assert compact(store) > 500_000
        assert store.path.stat().st_size < size - 500_000


def test_a_database_of_an_earlier_version_is_migrated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as before:
        before.setattr("bodytext.reader.store.database._SCHEMAS", ("schema.sql",))
        with Store(tmp_path / "reader.sqlite") as store, store.write() as connection:
            connection.execute("INSERT INTO feeds (url) VALUES ('https://news.example/feed')")
            connection.execute(
                "INSERT INTO articles (feed, url) VALUES (1, 'https://news.example/1')"
            )
            connection.execute("INSERT INTO states (profile, article, saved) VALUES (1, 1, 1)")
    with Store(tmp_path / "reader.sqlite") as store:
        assert forget(store, NOW) == 0
        assert [card.id for card in store.articles.list_cards(ArticleQuery())] == [1]


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    database = tmp_path / "reader.sqlite"
    with Store(database) as store:
        feed = store.feeds.add("https://news.example/feed")
        store.articles.add(ArticleDraft(feed.id, "https://news.example/1", fetched=NOW - 100 * DAY))
    for days, status, message in (
        ("0", 2, "give at least one day"),
        ("101", 0, "there is no unused article that is 101 days old"),
        ("9" * 30, 0, "there is no unused article"),
        ("99", 0, "1 article deleted"),
    ):
        assert main(["reader", "forget", days, "--database", str(database)]) == status
        assert message in capsys.readouterr().err
