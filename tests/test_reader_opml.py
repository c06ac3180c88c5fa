"""Subscriptions by address and by OPML, in Python and on the command line."""

import html
import signal
import subprocess
import sys
import time
import urllib.request
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

import pytest

from bodytext.cli import main
from bodytext.reader.collection.feed_finder import find_feeds, subscribe
from bodytext.reader.collection.opml import import_opml, read_opml, write_opml
from bodytext.reader.store.articles import ArticleQuery
from bodytext.reader.store.store import Store
from bodytext.sources.fetch import FetchLimits
from bodytext.sources.fetch_options import FetchOptions
from bodytext.sources.politeness.policy import Politeness
from loopback.newspaper import Newspaper, make_press, make_story
from loopback.server import Web

OPML = """<?xml version="1.0"?>
<opml version="1.1"><head><title>mine</title></head><body>
 <outline text="News"><outline text="World &amp; more" title="ignored">
  <outline type="rss" text="A &lt;b&gt; paper" xmlUrl="https://a.example/feed" htmlUrl="https://a.example/"/>
 </outline>
 <outline text="B" xmlURL="https://b.example/feed?x=1&amp;y=2"/>
 <outline text="B again" xmlUrl="https://b.example/feed?x=1&amp;y=2"/></outline>
 <outline text="C" XMLURL="https://c.example/atom.xml"></outline>
 <outline text="bad" xmlUrl="file:///etc/passwd"/>
</body></opml>"""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "reader.sqlite") as opened:
        yield opened


def test_import(store: Store) -> None:
    result = import_opml(store, OPML.encode())
    assert [(feed.url, feed.title, feed.folder) for feed in result.added] == [
        ("https://a.example/feed", "A <b> paper", "News/World & more"),
        ("https://b.example/feed?x=1&y=2", "B", "News"),
        ("https://c.example/atom.xml", "C", ""),
    ]
    assert len(result.refused) == 1
    assert "file:///etc/passwd" in result.refused[0]
    again = import_opml(store, OPML.encode())
    assert (again.added, again.known) == ([], 3)


@pytest.mark.parametrize(
    ("attributes", "title"),
    [
        ('text="Own" title="Other"', "Own"),
        ('text="  " title="Other"', "Other"),
        ('text="" title=" Other "', "Other"),
        ('type="link" title="Other"', "Other"),  # as WordPress writes it
        ('type="LINK" text="Own"', "Own"),
        ("", ""),
    ],
)
def test_the_name_of_a_subscription(attributes: str, title: str) -> None:
    data = f'<opml><body><outline {attributes} xmlUrl=" https://a.example/feed "/></body></opml>'
    ((outline,), left_out) = read_opml(data.encode())
    assert (outline.url, outline.title, left_out) == ("https://a.example/feed", title, 0)


def test_round_trip(store: Store, tmp_path: Path) -> None:
    import_opml(store, OPML.encode())
    written = write_opml(store.feeds.list_all())
    ET.fromstring(written)  # noqa: S314 - our own, and well-formed
    with Store(tmp_path / "other.sqlite") as other:
        import_opml(other, written.encode())
        assert write_opml(other.feeds.list_all()) == written
        assert [
            (feed.url, feed.name, feed.site, feed.folder) for feed in other.feeds.list_all()
        ] == [(feed.url, feed.name, feed.site, feed.folder) for feed in store.feeds.list_all()]


@pytest.mark.parametrize(
    "data", [b"", b"<html><p>no", b"\xff\xfe\x00", b"{}", b"<rss><channel/></rss>"]
)
def test_files_that_are_not_opml(data: bytes) -> None:
    with pytest.raises(ValueError, match="no OPML"):
        read_opml(data)


def test_hostile_opml() -> None:
    entities = "".join(f'<!ENTITY e{n + 1} "{f"&e{n};" * 10}">' for n in range(9))
    bomb = f"<!DOCTYPE opml [<!ENTITY e0 'ha'>{entities}]><opml><outline text='&e9;' xmlUrl='https://a.example/'/></opml>"
    deep = "<opml>" + "<outline text='f'>" * 100_000 + "<outline xmlUrl='https://a.example/'/>"
    start = time.process_time()
    assert [outline.url for outline in read_opml(bomb.encode())[0]] == ["https://a.example/"]
    assert len(read_opml(deep.encode())[0][0].folder) <= 300
    assert time.process_time() - start < 5
    with pytest.raises(ValueError, match="which is the limit"):
        read_opml(b"<opml>" + b" " * 17 * 2**20)


def test_subscriptions_beyond_the_limit_are_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bodytext.reader.collection.opml.MOST_OUTLINES", 3)
    outlines = [f"<outline xmlUrl='https://a.example/{number % 8}'/>" for number in range(16)]
    (tmp_path / "in.opml").write_text(f"<opml>{''.join(outlines)}</opml>")
    assert run(tmp_path, "import", str(tmp_path / "in.opml")) == 1
    errors = capsys.readouterr().err
    assert "3 subscriptions taken over" in errors
    assert "5 subscriptions left out: the first 3 of a file are read" in errors


def test_finding_a_subscription_takes_constant_time(store: Store) -> None:
    """An index finds each feed of an OPML file among the others: the steps of SQLite are counted."""
    steps = 0

    def count() -> int:
        nonlocal steps
        steps += 1
        return 0

    outlines = "".join(f"<outline xmlUrl='https://a.example/{number}'/>" for number in range(2_000))
    import_opml(store, f"<opml>{outlines}</opml>".encode())
    store.connection.set_progress_handler(count, 1)
    assert store.feeds.find_url("https://a.example/none") is None
    assert 0 < steps < 100


@pytest.fixture
def web() -> Iterator[Web]:
    papers = [
        Newspaper("daily.test", [make_story(1)], title="The Daily"),
        Newspaper("bare.test", bodies={"/": (b"<p>Welcome", "text/html")}, title="Bare"),
        Newspaper(
            "none.test", bodies={"/": (b"<p>Welcome", "text/html")}, answers={"/feed": (404, "")}
        ),
    ]
    with make_press(papers) as opened:
        yield opened


def fetching(web: Web) -> FetchOptions:
    quick = Politeness(delay_seconds=0, retries=0, backoff_seconds=0)
    return FetchOptions(FetchLimits(max_seconds=5, allow_private=True), quick, resolve=web.resolve)


@pytest.mark.slow
def test_feeds_are_found_by_the_address_of_a_site(store: Store, web: Web) -> None:
    feed = subscribe(store, web.url("daily.test"), fetching(web))
    assert (feed.url, feed.title) == (web.url("daily.test", "/feed"), "The Daily")
    assert subscribe(store, web.url("daily.test", "/feed"), fetching(web)).id == feed.id
    assert [found.url for found in find_feeds(web.url("bare.test"), fetching(web))] == [
        web.url("bare.test", "/feed")
    ]
    without_scheme = web.url("daily.test").removeprefix("http://")
    assert find_feeds(without_scheme, fetching(web))[0].entries == 1


@pytest.mark.parametrize(
    ("site", "words"),
    [("none.test", "there is no feed"), ("unknown.test", "not known")],
)
def test_an_address_without_a_feed_is_an_error(
    store: Store, web: Web, site: str, words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        subscribe(store, web.url(site), fetching(web))
    assert store.feeds.list_all() == []


def run(tmp_path: Path, *words: str) -> int:
    return main(["reader", *words, "--database", str(tmp_path / "reader.sqlite")])


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, "update") == 3
    assert "reader add" in capsys.readouterr().err
    (tmp_path / "in.opml").write_text(OPML)
    assert run(tmp_path, "import", str(tmp_path / "in.opml")) == 1  # one was refused
    assert "3 subscriptions taken over, 1 refused" in capsys.readouterr().err
    assert run(tmp_path, "export") == 0
    printed = capsys.readouterr().out
    assert run(tmp_path, "export", str(tmp_path / "out.opml")) == 0
    assert run(tmp_path, "export", str(tmp_path / "out.opml")) == 2, "nothing is overwritten"
    assert run(tmp_path, "export", str(tmp_path / "out.opml"), "--overwrite") == 0
    assert printed == (tmp_path / "out.opml").read_text()
    assert run(tmp_path, "import", str(tmp_path / "missing.opml")) == 2
    assert "cannot be read" in capsys.readouterr().err
    assert run(tmp_path, "import", "/dev/zero") == 2  # an endless file
    assert "which is the limit" in capsys.readouterr().err
    assert run(tmp_path, "add", "http://127.0.0.1:8099/feed") == 1
    assert "loopback address" in capsys.readouterr().err


def test_pages_without_a_feed_are_not_exported_silently(
    tmp_path: Path, store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    store.feeds.add("https://a.example/feed")
    page = store.feeds.add("https://b.example/")
    assert run(tmp_path, "export") == 0
    assert "left out" not in capsys.readouterr().err
    store.feeds.change(page.id, kind="page")
    assert run(tmp_path, "export") == 0
    told = capsys.readouterr()
    assert "1 page without a feed left out" in told.err
    assert "a.example" in told.out
    assert "b.example" not in told.out


@pytest.mark.slow
def test_add_and_update_by_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paper = Newspaper("127.77.0.1", [make_story(1), make_story(2)], title="The Daily")
    with make_press([paper]) as web:
        site = web.url("127.77.0.1")
        assert run(tmp_path, "add", site, "--allow-private") == 0
        assert "subscribed to The Daily" in capsys.readouterr().err
        assert run(tmp_path, "update", "--allow-private") == 0
        assert "2 new articles from 1 feed" in capsys.readouterr().err
        assert run(tmp_path, "update", "--allow-private") == 0
        assert "no feed is due" in capsys.readouterr().err


def test_a_file_that_is_not_a_database(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "reader.sqlite").write_text("my precious notes, which are no database at all" * 100)
    assert run(tmp_path, "export") == 2
    assert "--database" in capsys.readouterr().err
    assert (tmp_path / "reader.sqlite").read_text().startswith("my precious notes")


def test_a_database_that_is_locked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bodytext.reader.store.database._BUSY_SECONDS", 0.1)
    (tmp_path / "in.opml").write_text(OPML)
    with Store(tmp_path / "reader.sqlite") as store, store.write():
        assert run(tmp_path, "import", str(tmp_path / "in.opml")) == 1
    assert "try again when that is done" in capsys.readouterr().err


@pytest.mark.slow
def test_the_app_starts_and_updates_by_itself(tmp_path: Path) -> None:
    paper = Newspaper("127.77.0.1", [make_story(1)], title="The Daily")
    database = tmp_path / "reader.sqlite"
    with make_press([paper]) as web, Store(database) as store:
        store.feeds.add(web.url("127.77.0.1", "/feed"))
        command = [sys.executable, "-m", "bodytext", "reader", "--no-browser", "--allow-private"]
        with subprocess.Popen(
            [*command, "--database", str(database)], stderr=subprocess.PIPE, text=True
        ) as app:
            assert app.stderr is not None
            address = next(
                word
                for word in app.stderr.readline().split()
                if word.startswith("http://127.0.0.1:")
            )
            deadline = time.monotonic() + 60
            while not store.articles.list_cards(ArticleQuery()) and time.monotonic() < deadline:
                time.sleep(0.1)
            with urllib.request.urlopen(address) as answer:  # noqa: S310 - our own
                page = answer.read().decode()
            app.send_signal(signal.SIGINT)
            app.communicate(timeout=60)
        assert html.escape(paper.stories[0].title) in page
        assert app.returncode == 0
