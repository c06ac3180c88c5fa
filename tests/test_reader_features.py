"""What readers expect: folders, filters, saved pages, newsletters, notes, phone apps, offline."""

import hashlib
import json
import re
import socket
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip(
    "starlette", reason="the reader needs starlette: pip install 'bodytext[reader]'"
)

import uvicorn

from bodytext.cli import main
from bodytext.reader.collection.feed_finder import NoFeedFoundError, find_feeds, subscribe_page
from bodytext.reader.collection.feed_updates import FeedUpdater
from bodytext.reader.collection.inbox import import_letter, save_page
from bodytext.reader.collection.letter import read_letter
from bodytext.reader.pages import phone_server
from bodytext.reader.pages.fever import answer, create_fever, make_key, read_password
from bodytext.reader.profiles.profiles import Profile, add_profile, remove_profile
from bodytext.reader.store.articles import ArticleQuery
from bodytext.reader.store.draft import ArticleDraft
from bodytext.reader.store.filters import Filters
from bodytext.reader.store.highlights import Highlights
from bodytext.reader.store.store import Store
from bodytext.studio.web import connection
from browser.conftest import PATIENCE_S, serving, start
from browser.reader_news import send
from browser.reader_server import allow as options
from browser.reader_server import serve
from loopback.server import Site, Visit, Web
from service_client import Answer, ask_now

PROSE = "The storm closed the old harbour of the town on Monday, and the ferries stayed away. " * 12
PAGE = f"<title>Storm closes harbour</title><article><h1>Storm closes harbour</h1><p>{PROSE}</p></article>"
FRONT = (
    "<title>The Gazette</title><nav><a href='/about'>About</a></nav>"
    "<h2><a href='/storm'>A storm closes the old harbour</a></h2>"
    "<h2><a href='/chess'>Chess club wins the regional final</a></h2>"
    "<a href='http://other.test/x'>A page of quite another site here</a>"
)
FEED = "<rss version='2.0'><channel><title>{}</title><item><title>One</title><link>http://two.test/a</link></item></channel></rss>"
LINKS = (
    "<title>Two</title><link rel=alternate type=application/rss+xml href=/news.xml>"
    "<link rel=alternate type=application/rss+xml href=/sport.xml>"
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "reader.sqlite") as opened:
        yield opened


@pytest.fixture
def web() -> Iterator[Web]:
    async def gazette(visit: Visit, writer: object) -> None:
        missing = visit.path in {
            "/robots.txt",
            "/feed",
            "/rss",
            "/feed.xml",
            "/rss.xml",
            "/atom.xml",
        }
        body = FRONT if visit.path == "/" else PAGE
        await send(writer, body, "text/html", "404 Not Found" if missing else "200 OK")  # type: ignore[arg-type]

    async def two(visit: Visit, writer: object) -> None:
        is_feed = visit.path.endswith(".xml")
        body = FEED.format(visit.path) if is_feed else LINKS
        kind = "application/rss+xml" if is_feed else "text/html"
        status = "404 Not Found" if visit.path == "/robots.txt" else "200 OK"
        await send(writer, body, kind, status)  # type: ignore[arg-type]

    with Web([Site("gazette.test", gazette), Site("two.test", two)]) as sites:
        yield sites


def add(store: Store, feed: int, number: int, **values: object) -> int:
    known: dict[str, object] = {"title": f"Article {number}", "text": PROSE}
    draft = ArticleDraft(feed, f"https://one.example/{number}", **(known | values))  # type: ignore[arg-type]
    article = store.articles.add(draft)
    assert article is not None
    return article


def test_filters_hide_and_save_new_articles(store: Store) -> None:
    feed = store.feeds.add("https://one.example/feed")
    filters = Filters(store, 1)
    filters.add("chess -women", "hide")
    filters.add('"old harbour"', "save")
    hidden = add(store, feed.id, 1, title="Chess final")
    kept = add(store, feed.id, 2, title="Chess final of the women")
    saved = add(store, feed.id, 3, title="The old harbour")
    assert [bool(store.states.find(1, number).hidden) for number in (hidden, kept, saved)] == [
        True,
        False,
        False,
    ]
    assert store.states.find(1, saved).saved
    with pytest.raises(ValueError, match="words"):
        filters.add("  ", "hide")
    with pytest.raises(ValueError, match="can hide or save"):
        filters.add("x", "burn")
    for one in filters.list_all():
        filters.remove(one.id)
    assert not store.states.find(1, add(store, feed.id, 4, title="Chess again")).hidden


def test_folders_and_unread_counts(store: Store) -> None:
    one, two = (store.feeds.add(f"https://{name}.example/feed") for name in ("one", "two"))
    store.feeds.change(one.id, folder="News/Local")
    first = add(store, one.id, 1)
    add(store, one.id, 2)
    other = add(store, two.id, 3)
    store.states.mark(1, first, opened=True)
    counts = {feed.id: (feed.articles, feed.unread) for feed in store.feeds.list_all(1)}
    assert counts == {one.id: (2, 1), two.id: (1, 1)}
    for folder, found in (("News", 2), ("News/Local", 2), ("New", 0), ("News_", 0)):
        assert len(store.articles.list_cards(ArticleQuery(folder=folder))) == found
    assert other not in [card.id for card in store.articles.list_cards(ArticleQuery(folder="News"))]


def test_highlights_are_passages_of_the_article(store: Store) -> None:
    feed = store.feeds.add("https://one.example/feed")
    number = add(store, feed.id, 1)
    highlights = Highlights(store, 1)
    highlights.add(number, "the  old\nharbour of the town", "go there")
    highlights.add(number, "", "a note on all of it")
    assert [(one.quote, one.note) for one in highlights.list_all(number)] == [
        ("", "a note on all of it"),
        ("the old harbour of the town", "go there"),
    ]
    for quote, note in (("", " "), ("not in it", "")):
        with pytest.raises(ValueError, match="passage"):
            highlights.add(number, quote, note)
    highlights.remove(highlights.list_all()[0].id)
    assert len(highlights.list_all()) == 1
    assert Highlights(store, 2).list_all() == []


def test_any_page_can_be_saved(store: Store, web: Web) -> None:
    number = save_page(store, web.url("gazette.test", "/storm"), fetching=options(web))
    article = store.articles.find(number, 1)
    assert article is not None
    assert article.card.state.saved
    assert "closed the old harbour" in article.text
    assert article.card.source == "Saved pages"
    assert save_page(store, web.url("gazette.test", "/storm"), fetching=options(web)) == number
    with pytest.raises(ValueError, match=r"unknown\.test"):
        save_page(store, "http://unknown.test/x", fetching=options(web))
    assert store.feeds.list_due(2**40) == []  # saved pages are no feed


def test_pages_are_saved_by_command_for_the_first_profile(
    store: Store, web: Web, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also after the one that every database begins with was removed; one failure stops nothing."""
    profile = add_profile(store, "Ada")
    remove_profile(store, 1)
    with Store(store.path) as other:
        save_page(other, web.url("gazette.test", "/storm"), profile.id, options(web))
    command = ["reader", "save", "--database", str(store.path)]
    assert main([*command, "ftp://a.example/", web.url("gazette.test", "/storm")]) == 1
    told = capsys.readouterr().err
    assert "ftp://a.example/" in told
    assert "saved: Storm closes harbour" in told


def test_letters_after_one_that_fails_are_imported(
    store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "broken.eml").write_bytes(b"\x00")
    (tmp_path / "good.eml").write_bytes(write_letter(b"Date: today"))
    files = [str(tmp_path / name) for name in ("missing.eml", "broken.eml", "good.eml")]
    assert main(["reader", "letter", *files, "--database", str(store.path)]) == 1
    told = capsys.readouterr().err
    assert "missing.eml: cannot be read" in told
    assert "broken.eml: this is no newsletter" in told
    assert "imported: Storm" in told


def test_newsletters_are_articles_of_their_sender(store: Store) -> None:
    letter = EmailMessage()
    letter["From"] = "The Harbour Letter <news@harbour.example>"
    letter["Subject"] = "Storm closes harbour"
    letter["Message-ID"] = "<1@harbour.example>"
    letter["Date"] = "Mon, 16 Nov 2026 05:00:00 +0000"
    letter.set_content(PROSE)
    letter.add_alternative(f"<p>{PROSE}</p><script>alert(1)</script>", subtype="html")
    number = import_letter(store, letter.as_bytes())
    card = store.articles.find_cards([number])[0]
    assert (card.title, card.source) == ("Storm closes harbour", "The Harbour Letter")
    assert import_letter(store, letter.as_bytes()) == number
    article = store.articles.find(number)
    assert article is not None
    assert "alert" not in article.text
    with pytest.raises(ValueError, match="no newsletter"):
        import_letter(store, b"\x00\x01")


@pytest.mark.parametrize(
    "header",
    [
        b"Message-ID: <",
        b"Message-ID: <\xff",
        b"From: <",
        b'From: "',
        b'From: "\xff',
        b"Content-Type: text/plain; charset*=x''utf-8",
        b"Date: Fri, 31 Dec 9999 23:59:59 -2359",
    ],
)
def test_damaged_headers_of_a_newsletter_do_no_harm(store: Store, header: bytes) -> None:
    sender = b"" if header.startswith(b"From") else b"From: a@harbour.example\n"
    number = import_letter(store, sender + header + b"\nSubject: Storm\n\n" + PROSE.encode())
    assert store.articles.find_cards([number])[0].title == "Storm"


def write_letter(header: bytes, body: bytes = PROSE.encode()) -> bytes:
    return b"From: a@harbour.example\nSubject: Storm\n" + header + b"\n\n" + body


def nest(depth: int) -> bytes:
    """Begin parts in parts."""
    kinds = (f"--{n}\nContent-Type: multipart/mixed; boundary={n + 1}\n\n" for n in range(depth))
    return "".join(kinds).encode()


PARTS = b"Content-Type: multipart/mixed; boundary=0"


@pytest.mark.parametrize(
    ("letter", "reason"),
    [
        (b"From: " + b"(" * 20_000 + b"\n\ntext", "no newsletter"),
        (write_letter(PARTS, nest(3_000)), "too many parts"),
        (write_letter(PARTS, nest(20) + b"text"), "too many parts"),
        (write_letter(PARTS, b"--0\n\ntext\n" * 3_000), "too many parts"),
        (write_letter(b"Content-Type: message/rfc822\n\n" * 3_000), "too many parts"),
    ],
)
def test_a_hostile_newsletter_is_refused(letter: bytes, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        read_letter(letter)


@pytest.mark.parametrize(
    "letter",
    [
        write_letter(b"To: " + b"a@b.example, " * 30_000),
        b"From: " + b"a@harbour.example,\n " * 30_000 + b"\nSubject: Storm\n\n" + PROSE.encode(),
        write_letter(b"Content-Type: text/plain" + b"; a=b" * 30_000),
        write_letter(b"Content-Type: text/plain; charset=punycode", PROSE.encode() * 500),
        write_letter(PARTS, (b"--0\nContent-Type: text/plain" + b";a=b" * 450 + b"\n\nb\n") * 900),
    ],
)
def test_reading_a_newsletter_takes_linear_time(letter: bytes) -> None:
    began = time.process_time()
    assert read_letter(letter).subject == "Storm"
    assert time.process_time() - began < 1


def test_a_page_without_a_feed_becomes_one(store: Store, web: Web) -> None:
    with pytest.raises(NoFeedFoundError):
        find_feeds(web.url("gazette.test", "/"), options(web))
    feed = subscribe_page(store, web.url("gazette.test", "/"), options(web))
    progress = FeedUpdater(store, options(web)).update()
    assert progress.problems == {}
    assert progress.stored == 2
    assert len(store.articles.list_cards(ArticleQuery(feed=feed.id))) == 2
    with pytest.raises(ValueError, match="headlines"):
        subscribe_page(store, web.url("gazette.test", "/storm"), options(web))


def test_the_method_of_a_feed_is_chosen(store: Store, web: Web) -> None:
    feed = subscribe_page(store, web.url("gazette.test", "/"), options(web))
    store.feeds.change(feed.id, method="cuter", titled=1)
    FeedUpdater(store, options(web)).update()
    cards = store.articles.list_cards(ArticleQuery())
    assert cards
    assert all(card.confidence is None for card in cards)  # only the learned method has one


def test_the_forms_of_all_this(tmp_path: Path, web: Web) -> None:  # noqa: PLR0915 - one server
    with serve(tmp_path / "reader.sqlite", options(web)) as reader:
        port = int(reader.address.rpartition(":")[2])
        page = ask_now(port, "GET /").body.decode()
        found = re.search(r'name="bodytext-token" content="([\w-]+)"', page)
        assert found

        def post(name: str, **fields: str) -> Answer:
            body = urllib.parse.urlencode({"token": found[1], **fields}).encode()
            kind = "application/x-www-form-urlencoded"
            return ask_now(port, f"POST /do/{name}", body, content_type=kind)

        asked = post("subscribe", address=web.url("two.test", "/"))
        assert asked.headers["location"].startswith("/choose?address=")
        page = ask_now(port, f"GET {asked.headers['location']}").body.decode()
        assert web.url("two.test", "/sport.xml") in page
        assert reader.store.feeds.list_all() == []
        post(
            "subscribe", address=web.url("two.test", "/"), choice=web.url("two.test", "/sport.xml")
        )
        feed = reader.store.feeds.list_all()[0]
        assert feed.url == web.url("two.test", "/sport.xml")
        post("subscribe", address=web.url("gazette.test", "/"))
        post("subscribe", address=web.url("gazette.test", "/"), choice="page")
        kinds = {one.url: one.kind for one in reader.store.feeds.list_all()}
        assert kinds[web.url("gazette.test", "/")] == "page"
        page = ask_now(port, "GET /feeds").body.decode()
        assert "1 page without a feed will not be in it" in page
        values = {
            "feed": str(feed.id),
            "do": "settings",
            "folder": " News / Sport ",
            "method": "cuter",
        }
        post("feed", **values, titled="1")
        feed = reader.store.feeds.find(feed.id) or feed
        assert (feed.folder, feed.method, feed.titled) == ("News/Sport", "cuter", 1)
        refused = post("feed", feed=str(feed.id), do="settings", method="magic")
        assert "problem=" in refused.headers["location"]
        assert "News / Sport" in ask_now(port, "GET /feeds").body.decode()
        assert ask_now(port, "GET /?folder=News").status == 200
        post("save", address=web.url("gazette.test", "/storm"))
        assert "Storm closes harbour" in ask_now(port, "GET /saved").body.decode()
        number = reader.store.articles.find_url(web.url("gazette.test", "/storm"))
        post("highlight", article=str(number), quote="closed the old harbour", do="add")
        assert "closed the old harbour" in ask_now(port, "GET /highlights").body.decode()
        assert "> closed the old harbour" in ask_now(port, "GET /highlights.md").body.decode()
        post("filter", words="chess", do="hide")
        assert "chess" in ask_now(port, "GET /you").body.decode()
        manifest = ask_now(port, "GET /manifest.webmanifest")
        assert manifest.json["display"] == "standalone"
        worker = ask_now(port, "GET /offline.js")
        assert worker.headers["content-type"].startswith("text/javascript")
        before = reader.store.states.find(1, number or 0)
        ask_now(port, f"GET /article/{number}", x_bodytext_offline="1")
        assert reader.store.states.find(1, number or 0) == before  # kept, not opened
        ask_now(port, f"GET /article/{number}")
        assert reader.store.states.find(1, number or 0).opened


def test_a_phone_app_reads_and_marks_articles(store: Store) -> None:
    feed = store.feeds.add("https://one.example/feed", "One")
    store.feeds.change(feed.id, folder="News")
    first, second = add(store, feed.id, 1), add(store, feed.id, 2)
    key = make_key("me", read_password(store))
    assert answer(store, {"api": "", "api_key": "wrong"}) == {"api_version": 3, "auth": 0}
    assert "feeds" not in answer(store, {"feeds": "", "api_key": ""})

    def ask(**values: str) -> dict[str, object]:
        found = answer(store, {"api": "", "api_key": key, **values})
        assert found["auth"] == 1
        json.dumps(found)
        return found

    assert ask(feeds="")["feeds"][0]["title"] == "One"  # type: ignore[index]
    assert ask(groups="")["feeds_groups"] == [{"group_id": 1, "feed_ids": str(feed.id)}]
    items = ask(items="", since_id="0")["items"]
    assert [item["id"] for item in items] == [first, second]  # type: ignore[attr-defined]
    assert "harbour" in items[0]["html"]  # type: ignore[index]
    assert [item["id"] for item in ask(items="", max_id=str(second))["items"]] == [first]  # type: ignore[attr-defined]
    assert ask(unread_item_ids="")["unread_item_ids"] == f"{first},{second}"
    ask(mark="item", id=str(first), **{"as": "read"})
    ask(mark="item", id=str(second), **{"as": "saved"})
    ask(mark="item", id="999", **{"as": "read"})
    assert ask(unread_item_ids="")["unread_item_ids"] == str(second)
    assert ask(saved_item_ids="")["saved_item_ids"] == str(second)
    assert store.states.find(1, first).read == 0  # a mark teaches nothing
    ask(mark="group", id="0", before="9999999999", **{"as": "read"})
    assert ask(unread_item_ids="")["unread_item_ids"] == ""
    paths = {getattr(route, "path", "") for route in create_fever(store).routes}
    assert paths == {"/", "/fever", "/fever/", "/fever.php"}  # nothing else is on the network


class Phone:
    """A client of the Fever API, as apps on phones are."""

    def __init__(self, port: int, user: str, password: str) -> None:
        self.address = f"http://127.0.0.1:{port}/fever/?api"
        self.key = hashlib.md5(f"{user}:{password}".encode(), usedforsecurity=False).hexdigest()

    def ask(self, query: str = "", **fields: str) -> dict[str, Any]:
        """Send a request, with the key in its body."""
        body = urllib.parse.urlencode({"api_key": self.key, **fields}).encode()
        address = f"{self.address}{query}"
        with urllib.request.urlopen(address, body, timeout=PATIENCE_S) as answer:  # noqa: S310
            assert answer.headers["content-type"] == "application/json"
            found: dict[str, Any] = json.load(answer)
        return found

    def mark(self, what: str, number: int, state: str, **more: str) -> None:
        assert self.ask(mark=what, id=str(number), **{"as": state}, **more)["auth"] == 1

    def list_numbers(self, name: str) -> list[int]:
        return [int(number) for number in self.ask(f"&{name}")[name].split(",") if number]

    def list_all_items(self) -> list[dict[str, Any]]:
        """Page through all articles, as an app does when it is new."""
        items: list[dict[str, Any]] = []
        while True:
            page = self.ask(f"&items&since_id={items[-1]['id'] if items else 0}")["items"]
            if not page:
                return items
            assert len(page) <= 50
            items += page


@dataclass(frozen=True)
class Pocket:
    """A running reader with a phone beside it."""

    phone: Phone
    port: int  # of the phone's server
    pages: int  # the port of the reader's pages
    feeds: list[int]
    articles: list[int]  # in turn of the feeds
    command: list[str]


@pytest.fixture
def pocket(store: Store, tmp_path: Path) -> Iterator[Pocket]:
    """Start `bodytext reader --phone PORT`, and log in as its page You says."""
    feeds = [store.feeds.add(f"https://{name}.example/feed", name).id for name in ("One", "Two")]
    store.feeds.change(feeds[0], folder="News")
    articles = [add(store, feeds[number % 2], number) for number in range(120)]
    command = ["reader", "--database", str(store.path), "--no-browser", "--no-updates", "--phone"]
    log = tmp_path / "log"
    running = start([*command, "0"], log)
    try:
        deadline = time.monotonic() + PATIENCE_S
        while not (address := re.search(r"http://127\.0\.0\.1:(\d+)/\s", log.read_text())):
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.02)
        you = ask_now(int(address[1]), "GET /you").body.decode()
        password = re.search(r"<code>([^<]+)</code>", you)
        assert password
        told = re.search(r"http://THIS-MACHINE:(\d+)/fever/", log.read_text())
        assert told
        port = int(told[1])
        phone = Phone(port, "me", password[1])
        yield Pocket(phone, port, int(address[1]), feeds, articles, [*command, str(port)])
    finally:
        running.process.terminate()
        running.process.join()


def test_a_phone_app_pages_through_the_running_reader(pocket: Pocket) -> None:
    phone, numbers = pocket.phone, pocket.articles
    assert Phone(pocket.port, "me", "wrong").ask() == {"api_version": 3, "auth": 0}
    assert phone.ask()["auth"] == 1
    groups = phone.ask("&groups")
    assert [group["title"] for group in groups["groups"]] == ["News"]
    assert groups["feeds_groups"] == [{"group_id": 1, "feed_ids": str(pocket.feeds[0])}]
    assert [feed["title"] for feed in phone.ask("&feeds&favicons")["feeds"]] == ["One", "Two"]
    items = phone.list_all_items()
    assert [item["id"] for item in items] == numbers
    assert all("harbour" in item["html"] and not item["is_read"] for item in items)
    before = phone.ask(f"&items&max_id={numbers[100]}")["items"]
    assert [item["id"] for item in before] == numbers[50:100][::-1]
    some = phone.ask(f"&items&with_ids={numbers[3]},{numbers[7]}")
    assert {item["id"] for item in some["items"]} == {numbers[3], numbers[7]}
    assert some["total_items"] == 120


def test_marks_of_a_phone_app_are_marks_of_the_reader(pocket: Pocket, store: Store) -> None:
    phone, numbers = pocket.phone, pocket.articles
    phone.mark("item", numbers[0], "read")
    phone.mark("item", numbers[1], "read")
    phone.mark("item", numbers[1], "unread")
    phone.mark("item", numbers[2], "saved")
    phone.mark("item", numbers[3], "saved")
    phone.mark("item", numbers[3], "unsaved")
    Profile(store).record_event("hidden", numbers[4])
    assert phone.list_numbers("unread_item_ids") == [*numbers[1:4], *numbers[5:]]
    assert phone.list_numbers("saved_item_ids") == [numbers[2]]
    wanted = ",".join(map(str, numbers[:5]))
    items = phone.ask(f"&items&since_id=0&with_ids={wanted}")["items"]
    states = [(item["is_read"], item["is_saved"]) for item in items]
    assert states == [(1, 0), (0, 0), (0, 1), (0, 0), (1, 0)]
    saved = ask_now(pocket.pages, "GET /saved").body.decode()
    assert re.findall(r'<article[^>]* data-id="(\d+)"', saved) == [str(numbers[2])]
    phone.mark("group", 1, "read", before="9999999999")
    assert phone.list_numbers("unread_item_ids") == numbers[1::2]
    phone.mark("feed", pocket.feeds[1], "read", before="9999999999")
    assert phone.list_numbers("unread_item_ids") == []


def test_half_requests_keep_no_phone_waiting(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "UNDISTURBED_SECONDS", 0.0)
    listener = socket.create_server(("127.0.0.1", 0))
    port = int(listener.getsockname()[1])
    server = uvicorn.Server(phone_server.configure_phones(store))
    monkeypatch.setattr(phone_server, "MOST_PHONES", 8)
    with serving(server, listener), ExitStack() as stack:
        for _ in range(30):
            client = stack.enter_context(socket.create_connection(("127.0.0.1", port), PATIENCE_S))
            client.sendall(b"POST /fever/?api HTTP/1.1\r\nHost")
        phone = Phone(port, "me", read_password(store))
        assert [phone.ask()["auth"] for _ in range(3)] == [1] * 3
        assert len(server.server_state.connections) <= 8


def test_only_the_api_is_on_the_network(pocket: Pocket) -> None:
    key = (
        f'--x\r\nContent-Disposition: form-data; name="api_key"\r\n\r\n{pocket.phone.key}\r\n--x--'
    )
    kind = "multipart/form-data; boundary=x"  # some apps send this
    asked = ask_now(pocket.port, "POST /fever/?api", key.encode(), content_type=kind)
    assert asked.json["auth"] == 1
    too_large = ask_now(pocket.port, "POST /fever/?api", b"a" * 200_000)
    assert too_large.status in {0, 413}  # 0: it was closed while we still sent
    assert ask_now(pocket.port, "POST /fever/?api", b"a&" * 500).status == 422
    assert ask_now(pocket.port, "GET /you").status == 404
    again = [sys.executable, "-m", "bodytext", *pocket.command]
    told = subprocess.run(again, capture_output=True, text=True, check=False)
    assert f"cannot listen at port {pocket.port}" in told.stderr
    assert "--phone" in told.stderr
