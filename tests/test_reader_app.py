"""The reader's routes: attacks, odd requests, the bodies of articles, and images."""

import asyncio
import json
import re
import sqlite3
import struct
import time
import urllib.parse
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest

pytest.importorskip(
    "starlette", reason="the reader needs starlette: pip install 'bodytext[reader]'"
)

from bodytext.reader.collection.image_kinds import ImageKind, is_tracker, read_kind
from bodytext.reader.collection.images import Images, key_of
from bodytext.reader.digest.markup import write_markup
from bodytext.reader.pages.article_body import render_body
from bodytext.reader.pages.display_settings import DisplaySettings, read_settings
from bodytext.reader.pages.plain_pages import PlainWriter
from bodytext.reader.pages.reader_request import MOST_FIELDS, parse_form
from bodytext.reader.pages.rendering import ENVIRONMENT, TEMPLATES, href
from bodytext.reader.pages.update_scheduler import UpdateScheduler
from bodytext.reader.profiles.profiles import Profile
from bodytext.reader.store import database
from bodytext.reader.store.body import place_media, read_body
from bodytext.reader.store.draft import ArticleDraft
from bodytext.reader.store.records import Article, Card, Subscription
from bodytext.reader.store.store import Store
from bodytext.sources.fetch import FetchLimits
from bodytext.sources.fetch_options import FetchOptions
from bodytext.studio.web.app import Refusal
from bodytext.views.structure.element import Element
from browser.conftest import start
from browser.hostile_markup import AT_A_CLICK, AT_ONCE, fill
from browser.reader_news import draw, send
from browser.reader_server import RunningReader, serve
from loopback.server import Site, Visit, Web
from service_client import Answer, ask, ask_now

ACTIVE = re.compile(
    r"<(?:script|style|iframe|object|embed|form|input|button|base|link|meta|svg|math|video|audio)\b"
    r"|<[^>]*\son\w+\s*=|(?:href|src)\s*=\s*[\"']?\s*(?:javascript|data|vbscript|file|blob):|style\s*=",
    re.IGNORECASE,
)
OWN_DRAWING = re.compile(r'<svg class="icon-[a-z]+" viewBox="0 0 24 24" aria-hidden="true">')
HOSTILE_TITLE = "\"><script>alert('owned')</script><img src=x onerror=alert(1)>"
HOSTILE_MEDIA = (
    {"kind": "video", "source": "javascript:alert(1)", "text": HOSTILE_TITLE, "paragraph": 0},
    {"kind": "audio", "source": "https://a.example/a.mp3", "text": HOSTILE_TITLE, "paragraph": 0},
)
THIRD = "http://third.example"


def png(width: int, height: int) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    lines = zlib.compress((b"\0" + bytes(width)) * height)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", lines) + chunk(b"IEND", b"")


def make_article(body: Element, text: str = "", title: str = "", **values: object) -> Article:
    card = Card(
        1,
        1,
        "News",
        "https://news.example/1",
        title,
        "",
        0,
        "en",
        "",
        0,
        None,
        "page",
        "",
        0,
        "",
        0.0,
        (),
        (),
    )
    return Article(card, text, body, **values)  # type: ignore[arg-type]


def show(body: Element) -> str:
    """Render a body with and without pictures."""
    return "".join(
        render_body(make_article(body), pictures=pictures).html for pictures in (True, False)
    )


@dataclass(frozen=True)
class ReaderClient:
    """A client of a reader with one article, with its token."""

    reader: RunningReader
    token: str
    article: int

    @property
    def port(self) -> int:
        return int(self.reader.address.rpartition(":")[2])

    def get(self, path: str, **headers: str) -> Answer:
        return ask_now(self.port, f"GET {path}", b"", **headers)

    def post(self, name: str, fields: dict[str, str | int], **headers: str) -> Answer:
        body = urllib.parse.urlencode(fields).encode()
        kind = {"content_type": "application/x-www-form-urlencoded"}
        return ask_now(self.port, f"POST /do/{name}", body, **{**kind, **headers})

    def upload(self, name: str, field: str, kind: str, data: bytes, **headers: str) -> Answer:
        """Send a file with the token, as Chromium does."""
        head = f'--WebKit\r\nContent-Disposition: form-data; name="{field}"; filename="a"\r\nContent-Type: {kind}'
        token = f'--WebKit\r\nContent-Disposition: form-data; name="token"\r\n\r\n{self.token}\r\n'
        body = f"{token}{head}\r\n\r\n".encode() + data + b"\r\n--WebKit--\r\n"
        sent = {"content_type": "multipart/form-data; boundary=WebKit", **headers}
        return ask_now(self.port, f"POST /do/{name}", body, **sent)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReaderClient]:
    path = tmp_path_factory.mktemp("reader") / "reader.sqlite"
    with Store(path) as store:
        feed = store.feeds.add("https://news.example/feed", HOSTILE_TITLE)
        article = store.articles.add(
            ArticleDraft(
                feed.id,
                "javascript:alert('owned')",
                title=HOSTILE_TITLE,
                author=HOSTILE_TITLE,
                category=HOSTILE_TITLE[:30],
                keywords=((HOSTILE_TITLE, 1.0),),
                text="One. Two.",
                sentences=((0, 4), (5, 9)),
                ranking=(0, 1),
                words=2,
                lead_image="javascript:alert(1)",
                media=HOSTILE_MEDIA,
                body=read_body(
                    "".join(
                        fill(markup, name, THIRD) for name, markup in (AT_ONCE | AT_A_CLICK).items()
                    )
                    + "<p>Two.</p>",
                    HOSTILE_MEDIA,
                ),
                problem=HOSTILE_TITLE,
            )
        )
    assert article
    with serve(path, FetchOptions()) as reader:
        page = ask_now(int(reader.address.rpartition(":")[2]), "GET /").body.decode()
        found = re.search(r'name="bodytext-token" content="([\w-]+)"', page)
        assert found
        yield ReaderClient(reader, found[1], article)


@pytest.mark.parametrize("path", ["/", "/?category=x", "/search?q=One", "/saved", "/feeds", "/you", "/article/{}",
                                  "/plain", "/plain/{}", "/search?q=%22%3E%3Cscript%3E", "/feeds?problem=<script>",
                                  "/?feed=1", "/article/{}/export/html"])  # fmt: skip
def test_text_of_feeds_never_becomes_markup(client: ReaderClient, path: str) -> None:
    answer = client.get(path.format(client.article))
    assert answer.status == 200, answer.body
    page = answer.body.decode()
    assert "<script>alert" not in page
    own = re.sub(
        r'<(?:form|input|button|link|meta|meter)\b[^<>]*>|<script type="module" src="/reader/reader.js">',
        "",
        page,
    )
    own = re.sub(r'<svg class="icon-|<svg viewBox="0 0 32 32"', "", own)
    own = re.sub(r"<style>[^<]*</style>", "", own) if "export" in path else own
    assert not ACTIVE.search(own), ACTIVE.search(own)
    if "export" not in path:
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"


def test_every_known_attack_is_blocked() -> None:
    for name, markup in (AT_ONCE | AT_A_CLICK).items():
        shown = OWN_DRAWING.sub("", show(read_body(fill(markup, name, THIRD))))
        assert not ACTIVE.search(shown), (name, shown)
        assert not re.search(
            r"srcset|background|ping=|action=|poster|<img[^>]*//third\.example[^>]*onerror", shown
        )


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))


SAFE_TAGS = {"a", "b", "blockquote", "br", "code", "figcaption", "figure", "hr", "img", "li", "ol", "p", "path", "pre",
             "small", "span", "sup", "td", "ul", "wbr"}  # fmt: skip
SAFE_ATTRIBUTES = {"alt", "class", "colspan", "d", "decoding", "dir", "height", "href", "id", "loading", "rel",
                   "reversed", "rowspan", "src", "start", "target", "type", "value", "width"}  # fmt: skip
HOSTILE_VALUES = (
    "javascript:alert(1)",
    "data:text/html,x",
    HOSTILE_TITLE,
    '" onload="alert(1)',
    " \tjavascript:alert(1)",
)


@pytest.mark.parametrize("value", HOSTILE_VALUES)
def test_a_hostile_tree_is_harmless(value: str) -> None:
    """Names and attributes that no parser makes: a database may come from anywhere."""
    names = ("script", "iframe", "svg", "style", "form", "p onclick=alert(1)", value, "video", "audio", "embed", "a",
             "img", "noteref", "notes", "note", "pre", "ol", "li", "td", "figure", "figcaption", "math")  # fmt: skip
    known = (
        "href",
        "src",
        "alt",
        "name",
        "language",
        "start",
        "type",
        "value",
        "colspan",
        "rowspan",
        "width",
        "height",
    )
    attributes = dict.fromkeys((*known, "onclick", "style", "id", value), value)
    inner: list[Element | str] = [Element(name, [value], attributes) for name in names]
    body = Element(
        "body", [Element(name, [Element("p", inner), *inner, value], attributes) for name in names]
    )
    book = write_markup(body, "a-", lambda _: "images/x.png")
    for shown in (
        OWN_DRAWING.sub("", show(body)),
        book,
        PlainWriter(body).write_blocks(body.children),
    ):
        tags = Tags()
        tags.feed(shown)
        assert {name for name, _ in tags.seen} <= SAFE_TAGS
        for name, seen in tags.seen:
            assert set(seen) <= SAFE_ATTRIBUTES, (name, seen)
            for address in filter(None, (seen.get("href"), seen.get("src"))):
                assert address.startswith(("http://", "https://", "#", "/image/", "images/")), (
                    address
                )


def test_actions_need_the_token_and_the_same_origin(client: ReaderClient) -> None:
    fields: dict[str, str | int] = {"article": client.article, "saved": 1}
    assert client.post("mark", fields).status == 403
    # a page that is open since an earlier start
    stale = client.post("mark", {**fields, "token": "x" * 32})
    assert stale.status == 403
    assert b"<h1>This page is from an earlier start of the server: reload it.</h1>" in stale.body
    assert (
        client.post("mark", {**fields, "token": client.token}, origin="https://evil.example").status
        == 403
    )
    assert (
        client.post("mark", {**fields, "token": client.token}, sec_fetch_site="cross-site").status
        == 403
    )
    assert client.post("mark", {**fields, "token": client.token}, host="evil.example").status == 421
    assert not client.reader.store.states.find(1, client.article).saved
    done = client.post("mark", {**fields, "token": client.token, "back": "//evil.example/"})
    assert (done.status, done.headers["location"]) == (303, "/")
    scripted = client.post("mark", fields, x_bodytext_token=client.token)
    assert scripted.json["state"]["saved"]


@pytest.mark.parametrize(
    "back", ["https://evil.example", "//evil.example", "/\\evil.example", "javascript:alert(1)"]
)
def test_forms_redirect_to_this_server_only(client: ReaderClient, back: str) -> None:
    done = client.post("settings", {"theme": "dark", "token": client.token, "back": back})
    assert (done.status, done.headers["location"]) == (303, "/")
    cookie = done.headers["set-cookie"].lower()
    assert "samesite=strict" in cookie
    assert "httponly" in cookie


def test_another_site_reads_and_marks_nothing(client: ReaderClient) -> None:
    client.reader.store.states.mark(1, client.article, opened=False)
    path = f"/article/{client.article}"
    assert client.get(path, sec_fetch_site="cross-site", sec_fetch_mode="no-cors").status == 403
    followed = {
        "sec_fetch_site": "cross-site",
        "sec_fetch_mode": "navigate",
        "sec_fetch_dest": "document",
    }
    assert client.get(path, **followed).status == 200
    assert not client.reader.store.states.find(1, client.article).opened
    client.get(path, sec_purpose="prefetch")
    assert not client.reader.store.states.find(1, client.article).opened
    client.get(path)
    assert client.reader.store.states.find(1, client.article).opened


@pytest.mark.parametrize(
    "address",
    ["file:///etc/passwd", "http://127.0.0.1:9/feed", "http://[::1]/", "ftp://a.example/", "", "a b",
     "http://169.254.169.254/latest/meta-data", "http://me:secret@a.example/"],
)  # fmt: skip
def test_addresses_outside_the_web_are_refused(client: ReaderClient, address: str) -> None:
    answer = client.post("subscribe", {"address": address}, x_bodytext_token=client.token)
    assert answer.status == 422
    assert answer.error
    assert len(client.reader.store.feeds.list_all()) == 1


@pytest.mark.parametrize(
    "request_line",
    ["/article/0", "/article/99999999999999999999", "/article/1e9", "/image/1/../../x", "/article/1/export/exe",
     "/digest/2026-13-45/pdf", "/digest/0001-01-01/epub", "/digest/9999-12-31/html",
     "/?before=x.y", "/?before=1.2.3", "/?page=99999999999", "/?feed=-1", "/search?q=%00",
     "/search?q=" + "a" * 5000, "/?category=" + "%F0%9F%98%80" * 300, "/reader/../app.py", "/reader/%2e%2e/store.py"],
)  # fmt: skip
def test_odd_requests_are_answered_or_refused(client: ReaderClient, request_line: str) -> None:
    answer = client.get(request_line)
    assert answer.status in {200, 404}
    assert b"def create_reader" not in answer.body


@pytest.mark.parametrize(
    ("name", "fields"),
    [("mark", {"article": 10**15, "saved": 1}), ("mark", {"article": "x", "saved": "y"}), ("category", {"article": 5}),
     ("feed", {"feed": 77, "do": "unsubscribe"}), ("interest", {"do": "more", "kind": "x", "name": "y"}),
     ("profile", {"name": "", "do": "add"}), ("profile", {"do": "remove"}), ("import", {"opml": "<opml"}),
     ("import", {"opml": "x"}), ("category", {"article": 1, "category": "x" * 100}),
     ("interest", {"do": "like", "kind": "source", "name": "1abc"}),
     ("mark", dict.fromkeys(map(str, range(999)), "1"))],
)  # fmt: skip
def test_odd_forms_are_refused_with_a_message(
    client: ReaderClient, name: str, fields: dict[str, str | int]
) -> None:
    answer = client.post(name, fields, x_bodytext_token=client.token)
    assert answer.status == 422 or (name == "import" and answer.status == 200)
    assert answer.status == 200 or answer.error


def test_refused_imports_are_shown(client: ReaderClient) -> None:
    opml = "<opml><outline xmlUrl='file:///etc/passwd'/></opml>"
    for headers in ({}, {"x_bodytext_token": client.token}):
        answer = client.upload("import", "opml", "text/x-opml", opml.encode(), **headers)
        path = answer.json["path"] if headers else answer.headers["location"]
        assert b"1 refused: file:///etc/passwd: only http and https" in client.get(path).body


@pytest.mark.parametrize("kind", ["message/rfc822", "multipart/mixed; boundary=b", "text/plain"])
def test_a_newsletter_is_taken_as_it_is(client: ReaderClient, kind: str) -> None:
    """Whatever a browser calls it, and in the encoding that it names."""
    text = f"Sjökaptenen såg på isen, som låg över hamnen. Så skriver {kind}."
    html = f"<p>{text}</p>\r\n\r\n<p>{'Ångbåten låg kvar. ' * 20}</p>"
    head = (
        "From: Hamnen <a@b.example>\r\nSubject: Is\r\nContent-Type: text/html; charset=iso-8859-1"
    )
    data = f"{head}\r\nContent-Transfer-Encoding: 8bit\r\n\r\n{html}\r\n".encode("iso-8859-1")
    answer = client.upload("letter", "letter", kind, data, x_bodytext_token=client.token)
    assert answer.status == 200, answer.body
    article = client.reader.store.articles.find(answer.json["article"])
    assert article
    assert text in article.text


def test_opml_keeps_its_encoding(client: ReaderClient) -> None:
    outline = "<outline text='Västerås' xmlUrl='https://vasteras.example/feed'/>"
    opml = f"<?xml version='1.0' encoding='ISO-8859-1'?><opml>{outline}</opml>".encode("latin-1")
    client.upload("import", "opml", "application/xml", opml)
    feed = client.reader.store.feeds.find_url("https://vasteras.example/feed")
    assert feed
    assert feed.title == "Västerås"
    client.reader.store.feeds.remove(feed.id)


def _nest_parts(depth: int) -> bytes:
    begun = (f"\r\n--{n}\r\nContent-Type: multipart/x; boundary={n + 1}\r\n" for n in range(depth))
    return "\r\n".join(begun).encode()


@pytest.mark.parametrize(
    "body",
    [
        _nest_parts(1_500),
        b"--0\r\nContent-Disposition: form-data; name=" + b"(" * 40_000 + b"\r\n\r\n",
        b"--0\r\nContent-Disposition: form-data" + b"; a=b" * 12_000 + b"\r\n\r\n",
        b"--0\r\nContent-Disposition: form-data; name=a" + b"; " * 40_000 + b"\r\n\r\n",
        b"content-disposition:" + b" " * 90_000,
    ],
)
def test_hostile_forms_take_no_time(body: bytes) -> None:
    began = time.process_time()
    parse_form("multipart/form-data; boundary=0", body)
    assert time.process_time() - began < 0.5


def test_the_parts_of_a_form_are_counted() -> None:
    part = b'--0\r\nContent-Disposition: form-data; name="%d"\r\n\r\nvalue\r\n'
    kind = 'multipart/form-data; boundary="0"'
    most = b"".join(part % number for number in range(MOST_FIELDS))
    fields, files = parse_form(kind, most + b"--0--\r\n")
    assert (len(fields), set(fields.values()), files) == (MOST_FIELDS, {"value"}, {})
    with pytest.raises(Refusal):
        parse_form(kind, most + part % MOST_FIELDS + b"--0--\r\n")


def test_numbers_that_are_too_large_are_ignored(client: ReaderClient) -> None:
    assert (
        client.post(
            "all-read", {"articles": f"{'9' * 30},x,\u00b2"}, x_bodytext_token=client.token
        ).status
        == 200
    )


def test_another_site_cannot_show_messages(client: ReaderClient) -> None:
    path = "/feeds?problem=Call+this+number"
    assert b"Call this number" in client.get(path).body  # as after a form without a script
    followed = {
        "sec_fetch_site": "cross-site",
        "sec_fetch_mode": "navigate",
        "sec_fetch_dest": "document",
    }
    page = client.get(path, **followed)
    assert page.status == 200
    assert b"Call this number" not in page.body


def test_an_invalid_day_is_not_found(client: ReaderClient) -> None:
    assert client.get("/digest/yesterday/epub").status == 404


def test_every_interest_is_listed(tmp_path: Path) -> None:
    with Store(tmp_path / "reader.sqlite") as store:
        for number in range(70):
            Profile(store).set_interest("term", f"subject {number}", 0.5)
    with serve(tmp_path / "reader.sqlite", FetchOptions()) as reader:
        page = ask_now(int(reader.address.rpartition(":")[2]), "GET /you").body.decode()
        assert {f"subject {number}" for number in range(70)} <= set(
            re.findall(r">(subject \d+)<", page)
        )


def test_attributes_contain_no_markup() -> None:
    hostile = "https://a.example/<table><meta http-equiv=refresh></table><p></p>"
    html = f"<a href='{hostile}'>a</a><img src='{hostile}' alt='{hostile}'><code class='{hostile}'>c</code>"
    assert "<table>" not in show(read_body(html))


def test_an_article_without_text_says_so(tmp_path: Path) -> None:
    figure = (
        '<figure><img src="https://a.example/1.png" alt=""><figcaption>A view</figcaption></figure>'
    )
    with Store(tmp_path / "reader.sqlite") as store:
        feed = store.feeds.add("https://news.example/feed")
        draft = ArticleDraft(
            feed.id,
            "https://news.example/1",
            "Bare",
            text="Bare",
            body=read_body(f"<h1>Bare</h1>{figure}"),
        )
        store.articles.add(draft)
    with serve(tmp_path / "reader.sqlite", FetchOptions()) as reader:
        page = ask_now(int(reader.address.rpartition(":")[2]), "GET /article/1").body.decode()
        assert "No text was found. The original" in page
        assert "fetching it tells a.example that you read this" in page


def test_a_category_may_have_any_letters(tmp_path: Path) -> None:
    with Store(tmp_path / "reader.sqlite") as store:
        feed = store.feeds.add("https://news.example/feed")
        store.articles.add(
            ArticleDraft(feed.id, "https://news.example/1", "One", category="R&D #1 + C++")
        )
    with serve(tmp_path / "reader.sqlite", FetchOptions()) as reader:
        port = int(reader.address.rpartition(":")[2])
        links = set(re.findall(r'href="(/\?category=[^"]*)"', ask_now(port, "GET /").body.decode()))
        assert len(links) == 1
        shown = ask_now(port, f"GET {unescape(links.pop())}").body.decode()
        assert "R&amp;D #1 + C++</a>" in shown
        assert "/article/1" in shown


def test_a_locked_database_is_readable_and_refuses_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bodytext.reader.store.database._BUSY_SECONDS", 0.1)
    with Store(tmp_path / "reader.sqlite") as store:
        feed = store.feeds.add("https://news.example/feed")
        store.articles.add(
            ArticleDraft(
                feed.id,
                "https://news.example/1",
                "One",
                text="All of it.",
                body=read_body("<p>All of it.</p>"),
            )
        )
    with serve(tmp_path / "reader.sqlite", FetchOptions()) as reader, reader.store.write():
        port = int(reader.address.rpartition(":")[2])
        page = ask_now(port, "GET /article/1")
        assert page.status == 200
        assert b"All of it." in page.body
        token = re.search(rb'name="bodytext-token" content="([\w-]+)"', page.body)
        assert token
        kind = {
            "content_type": "application/x-www-form-urlencoded",
            "x_bodytext_token": token[1].decode(),
        }
        answer = ask_now(port, "POST /do/mark", b"article=1&saved=1", **kind)
        assert answer.status == 422
        assert "try again when that is done" in answer.error


def test_a_broken_database_is_reported(tmp_path: Path) -> None:
    with serve(tmp_path / "reader.sqlite", FetchOptions()) as reader:
        reader.store.connection.execute("DROP TABLE states")
        answer = ask_now(int(reader.address.rpartition(":")[2]), "GET /")
        assert answer.status == 503
        assert b"this database cannot be used (no such table: states)" in answer.body


def test_updates_continue_after_a_database_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bodytext.reader.pages.update_scheduler.CHECK_EVERY", 0.01)
    looks: list[int] = []

    def fail(_: int) -> list[Subscription]:
        looks.append(1)
        raise sqlite3.OperationalError("database is locked")

    with Store(tmp_path / "reader.sqlite") as store:
        monkeypatch.setattr(store.feeds, "list_due", fail)
        scheduler = UpdateScheduler(store)
        scheduler.start()
        deadline = time.monotonic() + 10
        while len(looks) < 3 and time.monotonic() < deadline:
            time.sleep(0.01)
        scheduler.stop()
    assert len(looks) >= 3


def test_a_request_during_an_update_waits_for_the_next_one(tmp_path: Path) -> None:
    with Store(tmp_path / "reader.sqlite") as store:
        scheduler = UpdateScheduler(store)
        scheduler.request()
        scheduler._update([])  # the update that was running
        assert scheduler.status.running
        scheduler.start(scheduled=False)
        deadline = time.monotonic() + 10
        while scheduler.status.running and time.monotonic() < deadline:
            time.sleep(0.01)
        assert not scheduler.status.running
        scheduler.stop()


def test_a_forged_cookie_changes_known_settings_only() -> None:
    assert read_settings("theme=dark&size=7&pictures=1&profile=3") == DisplaySettings(
        3, "dark", 7, pictures=1
    )
    assert (
        read_settings("theme=<script>&size=99&width=x&profile=-1&order=&nonsense=1&&==")
        == DisplaySettings()
    )
    assert read_settings(DisplaySettings(2, "sepia", 5, unread=1).write()) == DisplaySettings(
        2, "sepia", 5, unread=1
    )
    assert DisplaySettings(size=7).change(size="+").size == 7


def test_an_address_may_name_the_order(client: ReaderClient) -> None:
    assert b'class="day"' in client.get("/?order=newest").body
    assert b'class="day"' not in client.get("/?order=personal").body
    assert b'class="day"' not in client.get("/?order=<script>").body
    fields: dict[str, str | int] = {
        "order": "personal",
        "token": client.token,
        "back": "/?order=newest",
    }
    assert client.post("settings", fields).headers["location"] == "/"


def test_links_lead_to_the_web_or_to_this_server() -> None:
    for url in (
        "javascript:alert(1)",
        " javascript:alert(1)",
        "//evil.example",
        "/\t/evil.example",
        "/\r\n\\evil.example",
        "data:text/html,x",
        "file:///x",
        "\\x",
    ):
        assert href(url) == ""
    assert href("/saved") == ' href="/saved"'
    assert href('https://a.example/"><b>') == ' href="https://a.example/&#34;&gt;&lt;b&gt;"'


@pytest.mark.parametrize("path", sorted(TEMPLATES.iterdir()), ids=lambda path: path.name)
def test_templates_write_addresses_of_their_own_or_by_the_filter(path: Path) -> None:
    """Autoescape does not stop `javascript:`: `href` does, and values come after our own path."""
    source = path.read_text()
    for value in re.findall(r"(?i)\b(?:href|src|action)\s*=\s*(.{3})", source):
        assert re.match(r'"[?#]|"/(?![/\\])', value), value
    assert "autoescape" not in source
    assert set(re.findall(r"(\S+)\s*\|\s*safe\b", source)) <= {"body", "body.html", "image"}
    assert not re.search(r"\s[\w-]+=\s*\{\{|\bon\w+=|style=", source), (
        "an attribute without quotes, or a script"
    )


def test_templates_are_escaped_and_keep_their_lines() -> None:
    template = ENVIRONMENT.from_string("<p>\n  {{ text }}\n</p>\n<i>{{ 1 / 0 if text == '0' }}</i>")
    assert template.render(text="<b>&") == "<p>&lt;b&gt;&amp;</p><i></i>"
    with pytest.raises(ZeroDivisionError) as error:
        template.render(text="0")
    assert error.traceback[-1].lineno == 3  # the fourth line


def test_media_are_placed_before_their_paragraphs() -> None:
    blocks = read_body("<p>0</p><ul><li>1</li><li>2</li></ul><h2>3</h2><p>4</p>").children
    places = {"A": 2, "B": 3, "D": None, "C": 9}
    media = [(number, Element("video", [name])) for name, number in places.items()]
    placed = [piece.text for piece in place_media(blocks, media) if isinstance(piece, Element)]
    assert placed == ["0", "A", "1 2", "B", "3", "4", "C", "D"]
    assert place_media(blocks, [(0, Element("video"))])[0] == Element("video")
    assert place_media([], [(0, Element("video"))]) == [Element("video")]


def test_media_keep_their_places_after_pictures_and_captions() -> None:
    html = (
        "<p>0</p><img src='https://a.example/1.png'><p>1</p><table><tr><th>2<th>3<tr><td>4<td>5</table>"
        "<dl><dt>6<dd>7</dl><blockquote><p>8<p>9</blockquote><pre>10</pre><p>11"
    )
    media = [
        {"kind": "image", "source": "https://a.example/1.png", "caption": "A view", "paragraph": 1},
        {"kind": "video", "source": "https://a.example/1.mp4", "text": "Waves", "paragraph": 10},
    ]
    names = [piece.name for piece in read_body(html, media).children if isinstance(piece, Element)]
    assert names == ["p", "figure", "p", "table", "dl", "blockquote", "video", "pre", "p"]


def test_noise_is_faded_and_the_title_is_shown_once() -> None:
    text = "The harbour froze. Ice lay on the quay. Follow us on all channels."
    spans = ((0, 18), (19, 39), (40, 66))
    html = "<h1>Ice</h1><p>The harbour froze. Ice lay on the quay.</p><p>Follow us on <em>all</em> channels.</p>"
    article = make_article(read_body(html), text, "Ice", sentences=spans, noise=(2,))
    body = render_body(article, pictures=False)
    assert body.html == (
        '<p>The harbour froze. Ice lay on the quay.</p>\n<p class="noise">Follow us on <em>all</em> channels.</p>\n'
    )
    assert body.faded == 1


def test_plain_pages_wrap_everything() -> None:
    html = (
        "<p>A <a href='https://a.example/'>link</a> and <em>words</em>.</p><ul><li>one<li>two</ul>"
        "<table><tr><th>Place<th>m<tr><td>Pier<td>3</table><pre>if a &lt; b:\n    pass</pre>"
        f"<p><img src='https://a.example/1.png'></p><p>{'x' * 50}</p>"
    )
    body = read_body(html)
    assert PlainWriter(body).write_blocks(body.children) == (
        "<p>A link and <em>words</em>.</p>\n<ul>\n<li>one</li>\n<li>two</li>\n</ul>\n"
        "<p>Place · m</p><p>Pier · 3</p><p>if a &lt; b:<br>    pass<br></p>"
        f"<p>{'x' * 20}<wbr>{'x' * 20}<wbr>{'x' * 10}</p>\n"
    )


def test_articles_of_earlier_versions_are_shown(tmp_path: Path) -> None:
    """Their bodies are HTML, which is parsed when it is read."""
    path = tmp_path / "reader.sqlite"
    picture = "https://a.example/1.png"
    figure = f'<figure><img src="{picture}" alt=""><figcaption>A view</figcaption></figure>'
    html = f"<h1>Ice</h1><p>The <em>ice</em>.</p>{figure}"
    media = [
        {
            "kind": "image",
            "source": picture,
            "caption": "A view",
            "width": 640,
            "height": 480,
            "paragraph": 2,
        },
        {
            "kind": "video",
            "source": "https://a.example/1.mp4",
            "text": "Waves",
            "caption": "",
            "paragraph": 1,
        },
    ]
    folder = Path(database.__file__).parent
    with sqlite3.connect(path) as connection:
        connection.create_function("spread", 1, lambda text: text, deterministic=True)
        connection.executescript((folder / "schema.sql").read_text("utf-8"))
        connection.executescript(
            (folder / "schema_2.sql").read_text("utf-8") + "PRAGMA user_version = 2;"
        )
        connection.execute("INSERT INTO feeds (id, url) VALUES (1, 'https://news.example/feed')")
        for number, (body, text) in enumerate(
            [(html, "Ice\n\nThe ice."), ("", "No <b>markup</b>.\n\nAt all.")], 1
        ):
            connection.execute(
                "INSERT INTO articles (feed, url, title, text, html, media) VALUES (1, ?, 'Ice', ?, ?, ?)",
                (f"https://news.example/{number}", text, body, json.dumps(media)),
            )
    connection.close()
    with Store(path) as store:
        first, second = store.articles.find(1), store.articles.find(2)
        assert first
        assert second
        shown = render_body(first, pictures=True)
        assert shown.html.startswith('<figure class="medium"><a href="https://a.example/1.mp4"')
        assert "<p>The <em>ice</em>.</p>\n<figure>\n<img " in shown.html
        assert 'width="640" height="480"' in shown.html
        assert shown.html.count("A view") == 1
        plain = render_body(second, pictures=True).html
        assert plain.startswith('<p>No &lt;b&gt;markup&lt;/b&gt;.</p>\n<figure class="medium">')
        assert plain.endswith("<p>At all.</p>\n")
        draft = ArticleDraft(
            1, "https://news.example/3", "New", text="New.", body=read_body("<p>New.</p>")
        )
        added = store.articles.add(draft)
        assert (
            store.connection.execute("SELECT html FROM articles WHERE id = ?", (added,)).fetchone()[
                0
            ]
            == ""
        )


# Images


def test_trackers_are_recognised() -> None:
    for url in ("https://pixel.wp.com/g.gif?blog=1", "https://www.google-analytics.com/collect?v=1", "http://a.test/1x1.gif",
                "https://a.test/pixel.gif?x=1", "https://ad.doubleclick.net/x", "https://a.test/matomo.php?idsite=1",
                "https://feeds.feedburner.com/~r/x/~4/abc", "https://b.scorecardresearch.com/p?c1=2",
                "https://stats.news.example/hit.php", "https://vg09.met.vgwort.de/na/abc"):  # fmt: skip
        assert is_tracker(url), url
    for url in ("https://a.test/photos/pixel-art.jpg", "https://a.test/counter-strike.png", "https://a.test/open-day.jpg",
                "https://upload.example/thumb/1/12/Spacer_bridge.jpg", "https://a.test/img?id=5&w=640"):  # fmt: skip
        assert not is_tracker(url), url
    assert is_tracker("https://a.test/a.gif", 1, 1)
    assert not is_tracker("https://a.test/a.gif", 600, None)


def test_an_image_is_what_its_bytes_say() -> None:
    gif = b"GIF89a\x01\x00\x02\x00"
    jpeg = b"\xff\xd8\xff\xe0\x00\x04xx\xff\xc0\x00\x0b\x08\x00\x05\x00\x06\x01\x01\x11\x00"
    webp = b"RIFF\x00\x00\x00\x00WEBPVP8X" + bytes(8) + b"\x07\x00\x00\x08\x00\x00"
    assert read_kind(png(3, 4)) == ImageKind("image/png", 3, 4)
    assert read_kind(gif) == ImageKind("image/gif", 1, 2)
    assert read_kind(jpeg) == ImageKind("image/jpeg", 6, 5)
    assert read_kind(webp) == ImageKind("image/webp", 8, 9)
    for other in (
        b"",
        b"<svg onload=alert(1)>",
        b"<html>",
        b"\x89PNG",
        b"\xff\xd8\xff" + b"\xff" * 5000,
        b"RIFF" * 9,
    ):
        found = read_kind(other)
        assert found is None or found.width == 0


@pytest.fixture
def gallery() -> Iterator[Web]:
    async def answer(visit: Visit, writer: object) -> None:
        bodies = {
            "/good": (draw(0, 64, 48), "text/html"),
            "/svg": (
                b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>",
                "image/svg+xml",
            ),
            "/page": (b"<script>alert(1)</script>", "image/png"),
            "/dot": (png(1, 1), "image/png"),
            "/large": (png(9, 9) + bytes(9 * 2**20), "image/png"),
        }
        body, kind = bodies.get(visit.path, (b"", "text/plain"))
        status = (
            "302 Found\r\nLocation: http://127.0.0.2/secret" if visit.path == "/away" else "200 OK"
        )
        await send(writer, body, kind, status)  # type: ignore[arg-type]

    with Web([Site("gallery.test", answer)]) as web:
        yield web


def test_images_are_fetched_once_and_only_images(gallery: Web, tmp_path: Path) -> None:
    images = Images(
        tmp_path / "pictures",
        FetchOptions(FetchLimits(allow_private=True), resolve=gallery.resolve),
    )
    good = gallery.url("gallery.test", "/good")
    picture = images.get(good)
    assert picture
    assert picture.type == "image/png"  # whatever the host says
    assert images.get(good) == images.find(good) == picture
    for name in ("/svg", "/page", "/dot", "/large", "/none"):
        url = gallery.url("gallery.test", name)
        assert images.get(url) is None, name
        assert images.get(url) is None, name
    counts = gallery.sites["gallery.test"].counts
    assert {
        name: counts[name] for name in ("/good", "/svg", "/page", "/dot", "/large")
    } == dict.fromkeys(("/good", "/svg", "/page", "/dot", "/large"), 1)
    assert images.get(gallery.url("gallery.test", "/pixel.gif?x")) is None
    assert "/pixel.gif?x" not in counts
    images.prune(0)
    assert images.find(good) is None


def test_images_of_private_networks_are_not_fetched(gallery: Web, tmp_path: Path) -> None:
    images = Images(tmp_path / "pictures", FetchOptions(resolve=gallery.resolve))
    assert images.get(gallery.url("gallery.test", "/good")) is None
    assert images.get("file:///etc/passwd") is None
    assert not gallery.sites["gallery.test"].counts


def test_only_pictures_of_the_article_are_sent(client: ReaderClient) -> None:
    cookie = "bodytext-reader=pictures=1"
    for url in ("https://elsewhere.example/a.png", "file:///etc/passwd", "javascript:alert(1)"):
        answer = client.get(f"/image/{client.article}/{key_of(url)}", cookie=cookie)
        assert (answer.status, answer.body) == (404, b"")
        assert "sandbox" in answer.headers["content-security-policy"]


def test_slow_pictures_do_not_delay_pages(tmp_path: Path) -> None:
    async def answer(visit: Visit, _: object) -> None:
        await asyncio.sleep(0 if visit.path == "/robots.txt" else 60)

    with Web([Site("slow.test", answer)]) as web, Store(tmp_path / "reader.sqlite") as store:
        feed = store.feeds.add("https://news.example/feed")
        urls = [web.url("slow.test", f"/{number}.png") for number in range(60)]
        html = "".join(f'<img src="{url}" alt="">' for url in urls)
        number = store.articles.add(
            ArticleDraft(feed.id, "https://news.example/1", "Slow", body=read_body(html), text="x")
        )
        with serve(
            tmp_path / "reader.sqlite",
            FetchOptions(FetchLimits(allow_private=True), resolve=web.resolve),
        ) as reader:
            port = int(reader.address.rpartition(":")[2])

            async def load() -> float:
                cookie = "bodytext-reader=pictures=1"
                waiting = [
                    asyncio.ensure_future(
                        ask(port, f"GET /image/{number}/{key_of(url)}", b"", cookie=cookie)
                    )
                    for url in urls
                ]
                await asyncio.sleep(0.5)
                started = time.perf_counter()
                page = await ask(port, "GET /")
                taken = time.perf_counter() - started
                for request in waiting:
                    request.cancel()
                await asyncio.gather(*waiting, return_exceptions=True)
                assert page.status == 200
                return taken

            assert asyncio.run(load()) < 10.0  # a picture times out after 15


@pytest.mark.slow
def test_the_command_starts_and_stops_the_reader(tmp_path: Path) -> None:
    started = start(
        ["reader", "--database", str(tmp_path / "new.sqlite"), "--no-browser", "--no-updates"],
        tmp_path / "log",
    )
    try:
        assert "Read what you choose." in ask_now(started.port, "GET /").body.decode()
    finally:
        started.process.terminate()
        started.process.join(90)
    assert (tmp_path / "new.sqlite").exists()


def test_the_downloadable_day_is_the_newest_with_articles(tmp_path: Path) -> None:
    with Store(tmp_path / "reader.sqlite") as store:
        feed = store.feeds.add("https://news.example/feed")
        store.articles.add(
            ArticleDraft(
                feed.id, "https://news.example/1", "Old news", text="x", published=1_700_000_000
            )
        )
    with serve(tmp_path / "reader.sqlite", FetchOptions()) as reader:
        port = int(reader.address.rpartition(":")[2])
        found = re.search(
            r'href="(/digest/2023-11-1\d/markdown)"', ask_now(port, "GET /").body.decode()
        )
        assert found
        assert "Old news" in ask_now(port, f"GET {found[1]}").body.decode()


@pytest.mark.slow
def test_a_front_page_of_many_articles_is_fast(tmp_path: Path) -> None:
    with Store(tmp_path / "reader.sqlite") as store, store.write():
        feeds = [
            store.feeds.add(f"https://site{number}.example/feed", f"Site {number}")
            for number in range(20)
        ]
        for number in range(3000):
            store.articles.add(
                ArticleDraft(
                    feeds[number % 20].id,
                    f"https://site{number % 20}.example/{number}",
                    f"Article {number} about harbours",
                    text="The ferry leaves at noon. The tide is high.",
                    published=1_700_000_000 + number,
                    category=("world", "sport", "science")[number % 3],
                    keywords=(("ferry", 1.0), (f"tide{number % 50}", 0.5)),
                )
            )
    with serve(tmp_path / "reader.sqlite", FetchOptions()) as reader:
        port = int(reader.address.rpartition(":")[2])
        ask_now(port, "GET /")
        worked, waited = [], []
        for _ in range(10):
            began, started = time.process_time(), time.perf_counter()
            assert ask_now(port, "GET /").status == 200
            worked.append(time.process_time() - began)  # of all threads, the server's included
            waited.append(time.perf_counter() - started)
        assert min(worked) < 0.2
        assert min(waited) < 2.0  # the machine may be busy
