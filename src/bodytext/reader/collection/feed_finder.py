"""Find the feeds at the address of a site or a feed, and subscribe to one."""

from dataclasses import dataclass
from urllib.parse import urljoin

from bodytext.reader.collection.page_feed import read_page_feed
from bodytext.reader.store.records import Subscription
from bodytext.reader.store.store import Store
from bodytext.sources.fetch import PAGE_TYPES, FetchError, HttpResponse
from bodytext.sources.fetch_options import FetchOptions
from bodytext.sources.listings.discovery import FEED_PATHS, MOST_FEEDS, Get, find_linked_feeds
from bodytext.sources.listings.entry import NoFeedError
from bodytext.sources.listings.feed import is_feed, read_feed
from bodytext.sources.politeness.fetcher import Fetcher

_FEED_SCHEMES = ("feed://", "feed:")


@dataclass(frozen=True, slots=True)
class FoundFeed:
    """A feed that was found at an address."""

    url: str
    title: str = ""
    entries: int = 0


class NoFeedFoundError(ValueError):
    """An address has a page, but no feed."""


def subscribe_page(
    store: Store, address: str, fetching: FetchOptions | None = None
) -> Subscription:
    """Subscribe to a page without a feed: its headlines are the entries; a ValueError if none."""
    fetching = fetching or FetchOptions()
    with Fetcher(fetching.client(), fetching.politeness) as fetcher:
        try:
            response = fetcher.get(complete(address))
            if response.problem:
                raise ValueError(f"{address}: {response.problem}")
            page = read_page_feed(response)
        except (FetchError, NoFeedError) as error:
            raise ValueError(f"{address}: {error}") from None
    feed = store.feeds.add(response.url, page.title)
    store.feeds.change(feed.id, kind="page")
    return feed


def subscribe(store: Store, address: str, fetching: FetchOptions | None = None) -> Subscription:
    """Subscribe to the feed at an address or on a site; a ValueError if there is none."""
    known = store.feeds.find_url(complete(address))
    if known is not None and known.state in {"live", "moved"}:
        return known
    feed = find_feeds(address, fetching)[0]
    return store.feeds.add(feed.url, feed.title)


def find_feeds(address: str, fetching: FetchOptions | None = None) -> list[FoundFeed]:
    """Find the feeds at an address: itself, those that a page names, or one at a usual address.

    If there is none, a ValueError says what was tried.
    """
    fetching = fetching or FetchOptions()
    with Fetcher(fetching.client(), fetching.politeness) as fetcher:
        problem = ""
        for url in _variants(address):
            try:
                response = fetcher.get(url)
            except FetchError as error:
                problem = problem or str(error)
                continue
            if response.problem:
                raise ValueError(f"{address}: {response.problem}")
            feeds = _search(url, response, fetcher.get)
            if not feeds:
                tried = "the page names none, and none is at the usual addresses"
                raise NoFeedFoundError(f"{address}: there is no feed: {tried}")
            return feeds
        raise ValueError(f"{address}: {problem}")


def complete(address: str) -> str:
    """Complete an address that was written without its scheme, or with that of feeds.

    >>> complete("news.example"), complete("feed://news.example/rss")
    ('https://news.example', 'http://news.example/rss')
    """
    return _variants(address)[0]


def _variants(address: str) -> list[str]:
    address = address.strip()
    for scheme in _FEED_SCHEMES:
        if address.lower().startswith(scheme):
            rest = address[len(scheme) :]
            return [rest if "://" in rest else f"http://{rest}"]
    return [address] if "://" in address else [f"https://{address}", f"http://{address}"]


def _search(url: str, response: HttpResponse, get: Get) -> list[FoundFeed]:
    if is_feed(response.body):
        return _read(url, response)
    if response.content_type and response.content_type not in PAGE_TYPES:
        return []
    linked = find_linked_feeds(response)[:MOST_FEEDS]
    feeds = [feed for address in linked for feed in _try(address, get)]
    if feeds:
        return feeds
    for path in FEED_PATHS:
        feeds = _try(urljoin(response.url, path), get)
        if feeds:
            return feeds
    return []


def _try(url: str, get: Get) -> list[FoundFeed]:
    try:
        response = get(url)
    except FetchError:
        return []
    if response.problem or not is_feed(response.body):
        return []
    return _read(url, response)


def _read(url: str, response: HttpResponse) -> list[FoundFeed]:
    try:
        feed = read_feed(response.body, response.url, response.charset)
    except NoFeedError:
        return []
    return [FoundFeed(url, feed.title, len(feed.entries))]
