"""Read the pages of feeds, sitemaps, lists of addresses and whole sites, or list their addresses."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from bodytext.sources.fetch import PAGE_TYPES, Client, FetchError, HttpResponse, SizeLimitError
from bodytext.sources.fetch_options import FetchOptions
from bodytext.sources.listings.crawl import crawl_requests
from bodytext.sources.listings.discovery import mark_repeated
from bodytext.sources.politeness.fetcher import Fetcher, PageRequest
from bodytext.sources.reading import expand_lists, find_requests
from bodytext.sources.record import Record

_SCHEME = re.compile(r"^[a-z][a-z0-9+.-]*://", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class AddressFilter:
    """Which addresses are wanted."""

    containing: tuple[str, ...] = ()  # one of these texts, if there are any
    blocked: frozenset[str] = frozenset()  # neither these, nor what is below one that ends with /

    def accepts(self, url: str) -> bool:
        """Whether an address is wanted.

        >>> AddressFilter(("/news/",), frozenset({"a.example/news/old/"})).accepts("https://a.example/news/1")
        True
        """
        if self.containing and not any(text in url for text in self.containing):
            return False
        return not self.blocked or not self._is_blocked(url)

    def _is_blocked(self, url: str) -> bool:
        address = strip_scheme(url)
        if address in self.blocked:
            return True
        end = address.find("/")
        while end >= 0:
            if address[: end + 1] in self.blocked:
                return True
            end = address.find("/", end + 1)
        return False


def strip_scheme(url: str) -> str:
    """Return an address as blocklists have it: without http, www and a fragment."""
    bare = url.strip().partition("#")[0]
    return _SCHEME.sub("", bare).removeprefix("www.")


@dataclass(frozen=True, slots=True)
class PageListing:
    """Sources of addresses: feed:URL, sitemap:URL, files of addresses; or a site to crawl."""

    sources: Sequence[str]
    wanted: AddressFilter
    fetching: FetchOptions
    crawled: int = 0  # the most pages of each site; 0 if sources are not sites
    render: bool = False  # open each page in a browser, one after the other

    def list_addresses(self) -> Iterator[PageRequest]:
        """Yield the requests for the pages that are wanted, without fetching them."""
        with self.fetching.client() as client, Fetcher(client, self.fetching.politeness) as fetcher:
            yield from self._find(fetcher, client)

    def read(self, refuse: Callable[[str], str] = lambda _: "") -> Iterator[Record]:
        """Yield the pages in the order of the lists; a page that is missing is a problem.

        `refuse` says why an address is not fetched; it is asked at once, and by another thread.
        """
        with self.fetching.client() as client, Fetcher(client, self.fetching.politeness) as fetcher:
            requests = (_add_problem(each, refuse) for each in self._find(fetcher, client))
            if self.render and not self.crawled:  # a crawl has rendered them to find links
                get = partial(_get_rendered, fetcher, client)
                requests = (_add_response(request, get) for request in requests)
            yield from fetcher.fetch(requests, ordered=True)

    def _find(self, fetcher: Fetcher, client: Client) -> Iterator[PageRequest]:
        sources = self.sources if self.crawled else expand_lists(self.sources)
        requests = (
            request for source in sources for request in self._open(source, fetcher, client)
        )
        return mark_repeated(requests, client.identify)

    def _open(self, source: str, fetcher: Fetcher, client: Client) -> Iterator[PageRequest]:
        accepts = self.wanted.accepts
        if self.crawled:
            get = partial(_get_rendered, fetcher, client) if self.render else fetcher.get
            yield from crawl_requests(source, get, self.crawled, accepts)
            return
        for request in find_requests(source, fetcher.get):
            if request.problem or accepts(request.url):
                yield request


def _get_rendered(fetcher: Fetcher, client: Client, url: str) -> HttpResponse:
    """Fetch a page when it is its turn at its host, and let a browser run its scripts."""
    from bodytext.sources.rendering import render_page

    response = fetcher.get(url)
    is_page = not response.content_type or response.content_type in PAGE_TYPES
    if response.problem or not is_page:
        return response
    if len(response.body) > client.limits.max_bytes:
        raise SizeLimitError(f"the body has more than {client.limits.max_bytes} bytes")
    record = render_page(response.url, client, response)
    headers = {"content-type": "text/html; charset=utf-8"}
    return replace(response, url=record.url, body=record.html, headers=headers)


def _add_problem(request: PageRequest, refuse: Callable[[str], str]) -> PageRequest:
    if request.problem or request.response:  # what a crawl has fetched already
        return request
    return replace(request, problem=refuse(request.url))


def _add_response(request: PageRequest, get: Callable[[str], HttpResponse]) -> PageRequest:
    if request.problem or request.response:
        return request
    try:
        return replace(request, response=get(request.url))
    except FetchError as error:
        return replace(request, problem=str(error))
