"""Find the pages of a feed, a sitemap, a page or a list of addresses, as requests to be fetched."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import urljoin, urlsplit

from bodytext.page.head_links import HeadLinks
from bodytext.page.parser import parse
from bodytext.sources.fetch import PAGE_TYPES, FetchError, HttpResponse
from bodytext.sources.listings.entry import NoFeedError
from bodytext.sources.listings.feed import is_feed, read_feed
from bodytext.sources.listings.lenient_xml import XmlDocument
from bodytext.sources.listings.sitemap import SitemapProblem, read_sitemap, walk
from bodytext.sources.politeness.fetcher import PageRequest
from bodytext.sources.politeness.robots import find_sitemap_lines
from bodytext.sources.source_kinds import FEED, SITEMAP

Get = Callable[[str], HttpResponse]

# Where feeds and sitemaps commonly are if a page or a robots.txt names none.
FEED_PATHS = (
    "/feed", "/rss.xml", "/feed.xml", "/atom.xml", "/rss", "/index.xml", "/feeds/posts/default", "/feed.json",
)  # fmt: skip
SITEMAP_PATHS = ("/sitemap.xml", "/sitemap_index.xml")
MOST_FEEDS = 10  # of one page
_COMMENTS = re.compile(r"comment", re.IGNORECASE)  # feeds of comments list the same pages again
_LONGEST_LINE = 10_000
REPEATED = "the same address was listed before"
_MOST_REMEMBERED = 5_000_000  # addresses, in some 400 MB; repetitions of later ones are not noticed
_SITEMAP_HEAD_BYTES = 4096


def list_requests(path: Path) -> Iterator[PageRequest]:
    """Yield the addresses of pages in a text file, one per line."""
    for number, text in _read_lines(path):
        if not text.startswith((FEED, SITEMAP)):
            yield PageRequest(text, source=str(path), offset=number)


def list_sources(path: Path) -> Iterator[str]:
    """Yield the lines of a text file that name a feed or a sitemap."""
    return (text for _, text in _read_lines(path) if text.startswith((FEED, SITEMAP)))


def _read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines with their numbers, without empty lines and comments."""
    with path.open("rb") as file:
        number = 0
        while line := file.readline(_LONGEST_LINE):
            number += 1
            text = line.decode("utf-8", "replace").removeprefix("\ufeff").strip()
            if text and not text.startswith("#"):
                yield number, text


def feed_requests(url: str, get: Get) -> Iterator[PageRequest]:
    """Yield the entries of a feed, or of the feeds that a page names."""
    response = _fetch(url, get)
    if isinstance(response, PageRequest):
        yield response
    elif is_feed(response.body):
        yield from _entry_requests(url, response)
    elif response.content_type in PAGE_TYPES or not response.content_type:
        yield from _linked_feed_requests(url, response, get)
    else:
        problem = f"the feed could not be read: it is {response.content_type[:60]}"
        yield PageRequest(url, source=url, problem=problem)


def _entry_requests(url: str, response: HttpResponse) -> Iterator[PageRequest]:
    try:
        feed = read_feed(response.body, response.url, response.charset)
    except NoFeedError as error:
        yield PageRequest(url, source=url, problem=f"the feed could not be read: {error}")
        return
    for number, entry in enumerate(feed.entries):
        problem = "" if entry.url else "the entry of the feed has no address"
        yield PageRequest(entry.url, entry.title, url, number, problem)
    if feed.left_out:
        yield PageRequest(
            url, source=url, problem=f"entries beyond the limit were left out: {feed.left_out:,}"
        )


def _linked_feed_requests(url: str, response: HttpResponse, get: Get) -> Iterator[PageRequest]:
    feeds = find_linked_feeds(response)
    for feed in feeds[:MOST_FEEDS]:
        fetched = _fetch(feed, get)
        if isinstance(fetched, PageRequest):
            yield fetched
        else:
            yield from _entry_requests(feed, fetched)
    if len(feeds) > MOST_FEEDS:
        left_out = f"{len(feeds) - MOST_FEEDS:,}"
        problem = f"feeds of the page beyond the limit of {MOST_FEEDS} were left out: {left_out}"
        yield PageRequest(url, source=url, problem=problem)
    if not feeds:
        yield from _guessed_feed_requests(url, response, get)


def _guessed_feed_requests(url: str, response: HttpResponse, get: Get) -> Iterator[PageRequest]:
    for path in FEED_PATHS:
        feed = urljoin(response.url, path)
        fetched = _fetch(feed, get)
        if not isinstance(fetched, PageRequest) and is_feed(fetched.body):
            yield from _entry_requests(feed, fetched)
            return
    problem = "there is no feed: the page names none, and none is at the usual addresses"
    yield PageRequest(url, source=url, problem=problem)


def find_linked_feeds(response: HttpResponse) -> list[str]:
    """List the feeds that a page names, without those of comments."""
    page = parse(response.body, url=response.url, charset=response.charset or None)
    feeds = HeadLinks(page).feed_addresses
    return [feed for feed in feeds if not _COMMENTS.search(urlsplit(feed).path)]


def sitemap_requests(url: str, get: Get) -> Iterator[PageRequest]:
    """Yield the pages of a sitemap, or of the sitemaps in a site's robots.txt."""
    starts = [url] if urlsplit(url).path.strip("/") else _find_sitemaps(url, get)
    for start in starts:
        for number, item in enumerate(walk(start, get)):
            if isinstance(item, SitemapProblem):
                yield PageRequest(item.url, source=start, offset=number, problem=item.problem)
            else:
                yield PageRequest(item.url, item.title, start, number)
    if not starts:
        problem = "there is no sitemap: robots.txt names none, and there is none at /sitemap.xml"
        yield PageRequest(url, source=url, problem=problem)


def _find_sitemaps(url: str, get: Get) -> list[str]:
    robots = _fetch(urljoin(url, "/robots.txt"), get)
    if not isinstance(robots, PageRequest):
        named = find_sitemap_lines(robots.body)
        if named:
            return [urljoin(robots.url, sitemap) for sitemap in named]
    for path in SITEMAP_PATHS:
        fetched = _fetch(urljoin(url, path), get)
        if not isinstance(fetched, PageRequest) and _is_sitemap(fetched):
            return [fetched.url]
    return []


def _is_sitemap(response: HttpResponse) -> bool:
    try:
        read_sitemap(response.body, response.url, response.charset)
    except ValueError:
        return False
    return True


def web_requests(url: str, get: Get) -> Iterator[PageRequest]:
    """Yield the entries of a feed, the pages of a sitemap, or the page at an address."""
    response = _fetch(url, get)
    if isinstance(response, PageRequest):
        yield response
    elif is_feed(response.body):
        yield from _entry_requests(url, response)
    elif _begins_as_sitemap(response):
        yield from sitemap_requests(url, lambda other: response if other == url else get(other))
    else:
        yield PageRequest(url, source=url, response=response)


def _begins_as_sitemap(response: HttpResponse) -> bool:
    """Whether the first tag is that of a sitemap, or the address names a packed one."""
    path = urlsplit(response.url).path.lower()
    if path.endswith(".xml.gz"):
        return True
    for token in XmlDocument(response.body[:_SITEMAP_HEAD_BYTES]).tokens():
        if token.kind == "open":
            return token.name in {"urlset", "sitemapindex"}
    return False


def _fetch(url: str, get: Get) -> HttpResponse | PageRequest:
    """Return the response of an address, or a request with the problem if there is none."""
    try:
        response = get(url)
    except FetchError as error:
        return PageRequest(url, source=url, problem=str(error))
    if response.problem:
        return PageRequest(url, source=url, problem=response.problem)
    return response


def mark_repeated(
    requests: Iterator[PageRequest], identify: Callable[[str], str]
) -> Iterator[PageRequest]:
    """Yield the requests; a repeated address gets a problem and is not fetched again."""
    seen: set[int] = set()
    for request in requests:
        if not request.problem:
            mark = hash(identify(request.url))
            if mark in seen:
                yield replace(request, problem=REPEATED, response=None)
                continue
            if len(seen) < _MOST_REMEMBERED:
                seen.add(mark)
        yield request
