"""What a user calls a feed, a sitemap, a page or a list of addresses -> the pages in it, as requests to be fetched."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import urljoin, urlsplit

from bodytext.page.parser import parse
from bodytext.sources.fetch import PAGE_TYPES, FetchError, Response
from bodytext.sources.kinds import FEED, SITEMAP
from bodytext.sources.listings.elements import Document
from bodytext.sources.listings.entry import NoFeedError
from bodytext.sources.listings.feed import is_feed, read_feed
from bodytext.sources.listings.sitemap import Trouble, read_sitemap, walk
from bodytext.sources.politeness.fetcher import PageRequest
from bodytext.sources.politeness.robots import find_sitemap_lines
from bodytext.views.metadata.feeds import find_feeds
from bodytext.views.metadata.statements import Statements

Get = Callable[[str], Response]

# Where feeds and sitemaps commonly are when a page or a robots.txt does not say it.
FEED_PATHS = ("/feed", "/rss.xml", "/feed.xml", "/atom.xml", "/rss", "/index.xml", "/feeds/posts/default", "/feed.json")
SITEMAP_PATHS = ("/sitemap.xml", "/sitemap_index.xml")
MOST_FEEDS = 10  # of one page
_COMMENTS = re.compile(r"comment", re.IGNORECASE)  # feeds of comments lead to the same pages again
_LONGEST_LINE = 10_000
_MOST_REMEMBERED = 5_000_000  # addresses, in some 400 MB; later ones are no longer known as repeated
_MOST_SITEMAP_BYTES_LOOKED_AT = 4096


def list_requests(path: Path) -> Iterator[PageRequest]:
    """The addresses of pages in a text file, one a line, as they come."""
    for number, text in _read_lines(path):
        if not text.startswith((FEED, SITEMAP)):
            yield PageRequest(text, source=str(path), offset=number)


def list_sources(path: Path) -> Iterator[str]:
    """The lines of a text file that name a feed or a sitemap."""
    return (text for _, text in _read_lines(path) if text.startswith((FEED, SITEMAP)))


def _read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines that say something, with their numbers; those that begin with # do not."""
    with path.open("rb") as file:
        number = 0
        while line := file.readline(_LONGEST_LINE):
            number += 1
            text = line.decode("utf-8", "replace").removeprefix("\ufeff").strip()
            if text and not text.startswith("#"):
                yield number, text


def feed_requests(url: str, get: Get) -> Iterator[PageRequest]:
    """The entries of a feed; where the address is that of a page, those of the feeds that the page names."""
    response = _fetch(url, get)
    if isinstance(response, PageRequest):
        yield response
    elif is_feed(response.body):
        yield from _entry_requests(url, response)
    elif response.content_type in PAGE_TYPES or not response.content_type:
        yield from _linked_feed_requests(url, response, get)
    else:
        yield PageRequest(url, source=url, problem=f"the feed could not be read: it is {response.content_type[:60]}")


def _entry_requests(url: str, response: Response) -> Iterator[PageRequest]:
    try:
        feed = read_feed(response.body, response.url, response.charset)
    except NoFeedError as failure:
        yield PageRequest(url, source=url, problem=f"the feed could not be read: {failure}")
        return
    for number, entry in enumerate(feed.entries):
        problem = "" if entry.url else "the entry of the feed has no address"
        yield PageRequest(entry.url, entry.title, url, number, problem)
    if feed.left_out:
        yield PageRequest(url, source=url, problem=f"entries beyond the limit were left out: {feed.left_out:,}")


def _linked_feed_requests(url: str, response: Response, get: Get) -> Iterator[PageRequest]:
    found = find_linked_feeds(response)
    for one in found[:MOST_FEEDS]:
        answer = _fetch(one, get)
        yield from (answer,) if isinstance(answer, PageRequest) else _entry_requests(one, answer)
    if len(found) > MOST_FEEDS:
        problem = f"feeds of the page beyond the limit of {MOST_FEEDS} were left out: {len(found) - MOST_FEEDS:,}"
        yield PageRequest(url, source=url, problem=problem)
    if found:
        return
    for path in FEED_PATHS:
        one = urljoin(response.url, path)
        answer = _fetch(one, get)
        if not isinstance(answer, PageRequest) and is_feed(answer.body):
            yield from _entry_requests(one, answer)
            return
    yield PageRequest(
        url, source=url, problem="there is no feed: the page names none, and none is where feeds mostly are"
    )


def find_linked_feeds(response: Response) -> list[str]:
    """The addresses of the feeds that a page names, without those of comments."""
    page = parse(response.body, url=response.url, charset=response.charset or None)
    found = find_feeds(Statements(page, "")).value
    return [one for one in found if not _COMMENTS.search(urlsplit(one).path)]


def sitemap_requests(url: str, get: Get) -> Iterator[PageRequest]:
    """The pages of a sitemap; where the address is that of a site, those of the sitemaps that its robots.txt names."""
    starts = [url] if urlsplit(url).path.strip("/") else _find_sitemaps(url, get)
    for start in starts:
        for number, place in enumerate(walk(start, get)):
            if isinstance(place, Trouble):
                yield PageRequest(place.url, source=start, offset=number, problem=place.problem)
            else:
                yield PageRequest(place.url, place.title, start, number)
    if not starts:
        yield PageRequest(
            url, source=url, problem="there is no sitemap: robots.txt names none, nor is one at /sitemap.xml"
        )


def _find_sitemaps(url: str, get: Get) -> list[str]:
    answer = _fetch(urljoin(url, "/robots.txt"), get)
    if not isinstance(answer, PageRequest):
        named = find_sitemap_lines(answer.body)
        if named:
            return [urljoin(answer.url, one) for one in named]
    for path in SITEMAP_PATHS:
        answer = _fetch(urljoin(url, path), get)
        if not isinstance(answer, PageRequest) and _is_sitemap(answer):
            return [answer.url]
    return []


def _is_sitemap(response: Response) -> bool:
    try:
        read_sitemap(response.body, response.url, response.charset)
    except ValueError:
        return False
    return True


def web_requests(url: str, get: Get) -> Iterator[PageRequest]:
    """What is at an address: the entries of a feed, the pages of a sitemap, or the page itself."""
    response = _fetch(url, get)
    if isinstance(response, PageRequest):
        yield response
    elif is_feed(response.body):
        yield from _entry_requests(url, response)
    elif _begins_as_sitemap(response):
        yield from sitemap_requests(url, lambda one: response if one == url else get(one))
    else:
        yield PageRequest(url, source=url, response=response)


def _begins_as_sitemap(response: Response) -> bool:
    """Whether the first tag is that of a sitemap. Lists and packed files are taken for one only if the user says so."""
    path = urlsplit(response.url).path.lower()
    if path.endswith(".xml.gz"):
        return True
    for token in Document(response.body[:_MOST_SITEMAP_BYTES_LOOKED_AT]).tokens():
        if token.kind == "open":
            return token.name in {"urlset", "sitemapindex"}
    return False


def _fetch(url: str, get: Get) -> Response | PageRequest:
    """The response of an address, or the record of why there is none."""
    try:
        response = get(url)
    except FetchError as problem:
        return PageRequest(url, source=url, problem=str(problem))
    return PageRequest(url, source=url, problem=response.problem) if response.problem else response


def mark_repeated(requests: Iterator[PageRequest], identify: Callable[[str], str]) -> Iterator[PageRequest]:
    """The same requests; one whose address came before is not fetched again, and says so."""
    seen: set[int] = set()
    for request in requests:
        if not request.problem:
            mark = hash(identify(request.url))
            if mark in seen:
                yield replace(request, problem="the same address was listed before", response=None)
                continue
            if len(seen) < _MOST_REMEMBERED:
                seen.add(mark)
        yield request
