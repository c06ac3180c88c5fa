"""Find the pages of a site by following its links, the nearest to the start first."""

import re
from collections import deque
from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

import numpy as np

from bodytext.kernel.html import NodeFlag
from bodytext.page.parser import parse
from bodytext.page.urls import absolute, base_address, host_of, is_same_site
from bodytext.sources.fetch import PAGE_TYPES, FetchError, HttpResponse
from bodytext.sources.politeness.fetcher import PageRequest

_MOST_LINKS = 5_000  # of one page
_MOST_WAITING = 100_000
# Ends of paths that are no pages.
_OTHER_FILES = re.compile(
    r"\.(?:7z|avi|bmp|bz2|css|csv|docx?|epub|gif|gz|ico|jpe?g|js|json|m4a|mkv|mov|mp[34]|mpe?g|og[gv]|pdf|png|pptx?"
    r"|rar|rss|svg|tar|tgz|tiff?|txt|wav|web[mp]|woff2?|xlsx?|xml|zip)\Z",
    re.IGNORECASE,
)


def crawl_requests(
    start: str, get: Callable[[str], HttpResponse], most: int, accepts: Callable[[str], bool]
) -> Iterator[PageRequest]:
    """Yield the pages of a site with their responses, at most so many.

    Only links that are accepted, lead to the same site and do not say nofollow are followed; the
    start always is. A page that was redirected to another site is given, and its links are not
    followed.
    """
    waiting = deque([start])
    seen = {_identify(start)}
    given = 0
    home = ""
    while waiting and given < most:
        url = waiting.popleft()
        try:
            response = get(url)
        except FetchError as error:
            yield PageRequest(url, source=start, offset=given, problem=str(error))
            continue
        if response.problem:
            yield PageRequest(url, source=start, offset=given, problem=response.problem)
            continue
        if response.content_type and response.content_type not in PAGE_TYPES:
            continue
        seen.add(_identify(response.url))
        given += 1
        yield PageRequest(url, source=start, offset=given, response=response)
        home = home or host_of(response.url)
        if not is_same_site(host_of(response.url), home):
            continue
        for link in _find_links(response):
            mark = _identify(link)
            if mark not in seen and len(waiting) < _MOST_WAITING and accepts(link):
                seen.add(mark)
                waiting.append(link)


def _find_links(response: HttpResponse) -> list[str]:
    """Return the addresses of pages on the same site that a page links to, each once."""
    page = parse(response.body, url=response.url, charset=response.charset or None)
    base, host = base_address(page), host_of(response.url)
    found: dict[str, None] = {}
    nodes = np.flatnonzero(page.nodes.flags & int(NodeFlag.LINK))
    for node in nodes[:_MOST_LINKS].tolist():
        values = page.attributes(node)
        if "nofollow" in values.get("rel", "").lower().split():
            continue
        link = absolute(values.get("href", "").strip(), base).partition("#")[0]
        if link and is_same_site(host_of(link), host) and not _names_other_file(link):
            found[link] = None
    return list(found)


def _names_other_file(url: str) -> bool:
    try:
        return bool(_OTHER_FILES.search(urlsplit(url).path))
    except ValueError:
        return True


def _identify(url: str) -> str:
    """Return an address without what makes no other page of it."""
    return url.partition("#")[0].partition("://")[2].removeprefix("www.").rstrip("/")
