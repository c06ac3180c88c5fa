"""No door leads to a private address: neither by a name that resolves to one, nor by a redirect.

The doors are all that fetch: the command line and the service (both by a client), sources of a corpus, feeds that are
found or subscribed to, pages of their articles, and pictures.
"""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from bodytext.reader.collection.feed_finder import find_feeds
from bodytext.reader.collection.feed_updates import FeedUpdater
from bodytext.reader.collection.images import Images
from bodytext.reader.store.store import Store
from bodytext.sources.fetch import Client, FetchError, FetchLimits
from bodytext.sources.fetch_options import FetchOptions
from bodytext.sources.politeness.policy import Politeness
from bodytext.sources.reading import read_sources
from loopback.server import Site, Visit, Web

PUBLIC = "127.77.0.1"  # counts as a public address here; every other is private
FEED = "<rss><channel><title>A</title><item><title>B</title><link>{}</link></item></channel></rss>"
QUICK = Politeness(delay_seconds=0, retries=0, backoff_seconds=0)


@dataclass
class Network:
    """A public host that redirects to a place inside, and a host inside that counts its visitors."""

    web: Web
    target: str = ""
    visits: int = 0

    def options(self) -> FetchOptions:
        return FetchOptions(FetchLimits(max_seconds=5), QUICK, resolve=self.resolve)

    def resolve(self, name: str, _port: int) -> list[str]:
        return [PUBLIC if name == "open.test" else "127.77.0.2"]

    def url(self, path: str = "/moved") -> str:
        return self.web.url("open.test", path)


@pytest.fixture
def network(monkeypatch: pytest.MonkeyPatch) -> Iterator[Network]:
    monkeypatch.setattr(
        "bodytext.sources.fetch.hosts.why_private",
        lambda address: "" if address == PUBLIC else "a private address",
    )

    async def redirect(visit: Visit, writer: asyncio.StreamWriter) -> None:
        answer = f"HTTP/1.1 302 Found\r\nLocation: {made.target}\r\n"
        body = b""
        if visit.path == "/feed":
            body = FEED.format(made.url("/moved")).encode()
            answer = "HTTP/1.1 200 OK\r\nContent-Type: application/rss+xml\r\n"
        if visit.path == "/robots.txt":
            answer = "HTTP/1.1 404 Not Found\r\n"
        writer.write(f"{answer}Content-Length: {len(body)}\r\n\r\n".encode() + body)

    async def tell(_: Visit, writer: asyncio.StreamWriter) -> None:
        made.visits += 1
        writer.write(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\nsecret"
        )

    made = Network(Web([Site("open.test", redirect), Site("inside.test", tell)]))
    with made.web:
        yield made


def fetch(network: Network, url: str, _: Path) -> object:
    return Client(network.options().limits, resolve=network.resolve).get(url).body


def read(network: Network, url: str, _: Path) -> object:
    return [record.html for record in read_sources([url], network.options())]


def find(network: Network, url: str, _: Path) -> object:
    return find_feeds(url, network.options())


def draw(network: Network, url: str, folder: Path) -> object:
    return Images(folder / "pictures", network.options()).get(url)


def subscribe(network: Network, url: str, folder: Path) -> object:
    with Store(folder / "reader.sqlite") as store:
        store.feeds.add(url)
        FeedUpdater(store, network.options()).update(store.feeds.list_all())
        return [row[0] for row in store.connection.execute("SELECT text FROM articles")]


DOORS: dict[str, Callable[[Network, str, Path], object]] = {
    "client": fetch,
    "sources": read,
    "feed finder": find,
    "picture": draw,
    "feed": subscribe,
}
INSIDE = (
    "http://inside.test:{port}/",
    "http://127.77.0.2:{port}/",
    "//127.77.0.2:{port}/",
    "http://2135752706:{port}/",  # the same address as a number
    "http://0x7f4d0002:{port}/",
    "http://[::ffff:127.77.0.2]:{port}/",
    "http://open.test@127.77.0.2:{port}/",
    "http://127.77.0.2:{port}/#@open.test",
    "file:///etc/hostname",
    "gopher://127.77.0.2:{port}/",
)


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("inside", INSIDE)
def test_redirects_lead_nowhere_inside(
    network: Network, door: str, inside: str, tmp_path: Path
) -> None:
    network.target = inside.format(port=network.web.port)
    with suppress(FetchError, ValueError):
        assert "secret" not in repr(DOORS[door](network, network.url(), tmp_path))
    assert network.visits == 0


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("inside", [inside for inside in INSIDE if inside.startswith("http")])
def test_names_and_addresses_inside_are_not_asked(
    network: Network, door: str, inside: str, tmp_path: Path
) -> None:
    with suppress(FetchError, ValueError):
        url = inside.format(port=network.web.port)
        assert "secret" not in repr(DOORS[door](network, url, tmp_path))
    assert network.visits == 0


@pytest.mark.parametrize("inside", INSIDE)
def test_the_pages_of_a_feed_lead_nowhere_inside(
    network: Network, inside: str, tmp_path: Path
) -> None:
    network.target = inside.format(port=network.web.port)
    texts = subscribe(network, network.url("/feed"), tmp_path)
    assert texts == [""]  # the article is stored without its page
    assert network.visits == 0


def test_the_host_inside_would_be_heard(network: Network) -> None:
    """The tests above could not fail if nobody reached it at all."""
    limits = FetchLimits(max_seconds=5, allow_private=True)
    assert Client(limits, resolve=network.resolve).get(network.web.url("inside.test")).body
    assert network.visits == 1
