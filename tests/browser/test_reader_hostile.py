"""A hostile feed in the reader: it is read and shown, and nothing in it runs or sends anything."""

import asyncio
from collections.abc import Callable, Iterator
from html import escape
from pathlib import Path

import pytest

pytest.importorskip(
    "starlette", reason="the reader needs starlette: pip install 'bodytext[reader]'"
)

from playwright.sync_api import BrowserContext, Dialog

from bodytext.reader.collection.feed_updates import FeedUpdater
from bodytext.reader.store.store import Store
from browser.conftest import ThirdParty
from browser.hostile_markup import AT_A_CLICK, AT_ONCE, MARK, fill, make_page
from browser.reader_news import send
from browser.reader_server import allow, serve
from loopback.server import Site, Visit, Web

THIRD = "http://third.example"
WORDS = "The ferry to the island leaves at noon, and the harbour master has waited for it since the storm. "
TITLES = (
    "<script>document.title='owned'</script>A script",
    "&lt;script&gt;document.title='owned'&lt;/script&gt;Twice escaped",
    "\"'><img src=x onerror=\"document.title='owned'\">Out of an attribute",
    "</h3></a></article></ol></main>Out of its card",
    "\u202eright to left over all of the page",
    "x" * 300_000,
)
LINKS = (
    "javascript:document.title='owned'",
    "data:text/html,<script>1</script>",
    "file:///etc/passwd",
    "//",
    "about:blank",
    "http://127.0.0.1:1/private",
    "http://[::1]/",
    "http://169.254.169.254/",
    "",
)
# Elements and attributes that could run or load something.
STRANGE = """[...document.querySelectorAll("main :is(script, iframe, object, embed, style, base, video, audio, link, "
  + "meta, [style], [srcset])"), ...[...document.querySelectorAll("main *")].filter((one) => [...one.attributes].some(
  ({ name, value }) => name.startsWith("on") || (["href", "src", "action", "formaction"].includes(name)
  && /^\\s*(javascript|data|file|blob):/i.test(value))))].map((one) => one.outerHTML)"""
BOMB = "<!DOCTYPE lolz [<!ENTITY a 'ha'><!ENTITY b '&a;&a;&a;&a;'><!ENTITY c SYSTEM 'file:///etc/passwd'>]>"


def write_feed(origin: str) -> str:
    """Write a feed with hostile titles, links, texts, enclosures and entities."""
    items = [
        f"<item><title><![CDATA[{title}]]></title><link>{origin}/page{number}</link>"
        f"<author><![CDATA[{title[:500]}]]></author><category><![CDATA[{title[:500]}]]></category></item>"
        for number, title in enumerate(TITLES)
    ]
    for number, link in enumerate(LINKS):
        content = f'<p>{WORDS * 3}</p><a href="{link}">go</a><img src="{link}">'
        items.append(
            f"<item><title>Link {number} &b; &c;</title><link><![CDATA[{link}]]></link><guid><![CDATA[{link}]]></guid>"
            f"<description><![CDATA[{content}]]></description>"
            f'<enclosure type="image/png" url="{escape(link)}"/></item>'
        )
    for name, markup in [*(AT_ONCE | AT_A_CLICK).items()][:80]:
        content = f"<p>{WORDS * 3}</p>{fill(markup, name, THIRD).replace(']]>', '')}<p>{WORDS}</p>"
        items.append(
            f"<item><title>Way {name}</title><guid>{name}</guid><link>{origin}/none/{name}</link>"
            f"<description><![CDATA[{content}]]></description></item>"
        )
    title = f"<title><![CDATA[{TITLES[0]}]]></title>"
    return f"<?xml version='1.0'?>{BOMB}<rss version='2.0'><channel>{title}{''.join(items)}"


async def answer(visit: Visit, writer: asyncio.StreamWriter) -> None:
    if visit.path == "/feed":
        await send(writer, write_feed(f"http://{visit.headers['host']}"), "application/rss+xml")
    elif visit.path.startswith("/page"):
        await send(writer, make_page(THIRD), "text/html; charset=utf-8")
    else:
        await send(writer, "nothing", "text/plain", "404 Not Found")


@pytest.fixture
def web() -> Iterator[Web]:
    with Web([Site("evil.test", answer)]) as running_web:
        yield running_web


def test_a_hostile_feed_runs_and_sends_nothing(
    web: Web, tmp_path: Path, sealed: Callable[..., BrowserContext], third_party: ThirdParty
) -> None:
    path = tmp_path / "reader.sqlite"
    with Store(path) as store:
        store.feeds.add(web.url("evil.test", "/feed"))
        progress = FeedUpdater(store, allow(web)).update()
        assert progress.stored >= len(TITLES)
        assert not progress.faults
        numbers = [
            int(row[0]) for row in store.connection.execute("SELECT id FROM articles ORDER BY id")
        ]
        held = [
            str(row[0])
            for row in store.connection.execute("SELECT title || text || body FROM articles")
        ]
    assert not any("root:" in text for text in held)
    with serve(path, allow(web)) as reader:
        context = sealed(int(reader.address.rpartition(":")[2]))
        context.add_cookies(
            [{"name": "bodytext-reader", "value": "pictures=1&summary=5", "url": reader.address}]
        )
        page = context.new_page()
        page.set_content('<main><p onclick="1"><a href=" javascript:1">a</a><video></video></main>')
        assert len(page.evaluate(STRANGE)) == 3  # the check works
        dialogs: list[str] = []
        problems: list[str] = []

        def refuse(dialog: Dialog) -> None:
            dialogs.append(dialog.message)
            dialog.dismiss()

        page.on("dialog", refuse)
        page.on("pageerror", lambda error: problems.append(str(error)))
        articles = [f"/article/{number}" for number in (*numbers[:12], *numbers[12::6])]
        for place in ("/", "/?page=1", "/feeds", "/you", "/search?q=ferry", "/plain", *articles):
            page.goto(reader.address + place)
            assert page.url == reader.address + place
            assert MARK not in page.title().split()
            assert page.evaluate("typeof window.owned") == "undefined"
            assert page.locator("main").count() == 1
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), place
            strange = page.evaluate(STRANGE)
            assert strange == [], place
        assert dialogs == []
        assert problems == []
        assert third_party.asked == []
        cookies = {cookie["name"] for cookie in context.cookies()}
        assert cookies == {"bodytext-reader"}
