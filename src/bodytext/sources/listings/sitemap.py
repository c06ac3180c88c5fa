"""Read sitemaps: XML, indexes of others, news sitemaps and lists, gzipped or not."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from bodytext.page.urls import absolute
from bodytext.sources.compression import unpack_gzip
from bodytext.sources.fetch import FetchError, HttpResponse
from bodytext.sources.listings.entry import plain_title
from bodytext.sources.listings.feed import is_feed, read_feed
from bodytext.sources.listings.lenient_xml import XmlDocument, XmlToken

MOST_ADDRESSES = 50_000  # of one sitemap, says the protocol; further ones are counted and left out
MOST_SITEMAPS = 10_000  # of one walk
DEEPEST = 3  # indexes in indexes; the protocol has none
MOST_BYTES = 100 * 2**20  # unpacked; the protocol says 50 MiB
_LINE = re.compile(r"[^\s<>\"]{4,8192}")
_ROOTS = frozenset({"urlset", "sitemapindex"})
_FIELDS = frozenset({"loc", "news:title"})
_LONGEST_FIELD = 10_000


@dataclass(frozen=True, slots=True)
class SitemapPage:
    """A page in a sitemap."""

    url: str
    title: str = ""  # for news


@dataclass(frozen=True, slots=True)
class Sitemap:
    """The pages or the other sitemaps that a sitemap lists."""

    pages: tuple[SitemapPage, ...] = ()
    sitemaps: tuple[str, ...] = ()
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class SitemapProblem:
    """Why a sitemap of a walk gave nothing, or not all of it."""

    url: str
    problem: str


def read_sitemap(data: bytes, url: str = "", charset: str = "") -> Sitemap:
    """Read a sitemap, or raise a ValueError if it is none."""
    data = unpack_gzip(data, MOST_BYTES)
    if is_feed(data):
        feed = read_feed(data, url, charset)
        pages = [SitemapPage(entry.url, entry.title) for entry in feed.entries if entry.url]
        return Sitemap(tuple(pages), left_out=feed.left_out)
    document = XmlDocument(data, charset)
    if not document.source.lstrip("\ufeff \t\r\n").startswith("<"):
        return _read_lines(document.source)
    return _SitemapReader(document, url).read()


def _read_lines(text: str) -> Sitemap:
    pages: list[SitemapPage] = []
    left_out = 0
    for line in text.splitlines():
        word = _LINE.fullmatch(line.strip())
        url = absolute(word[0], "") if word else ""
        if "://" not in url:
            continue
        if len(pages) < MOST_ADDRESSES:
            pages.append(SitemapPage(url))
        else:
            left_out += 1
    if not pages:
        raise ValueError("there are no addresses in it")
    return Sitemap(tuple(pages), left_out=left_out)


@dataclass(slots=True)
class _SitemapReader:
    """Reads XML sitemaps: the fields of each <url> or <sitemap>."""

    document: XmlDocument
    url: str
    pages: list[SitemapPage] = field(default_factory=list)
    sitemaps: list[str] = field(default_factory=list)
    left_out: int = 0
    _fields: dict[str, str] = field(default_factory=dict)
    _open_field: str = ""
    _closes: bool = False  # whether the document closes its elements

    def read(self) -> Sitemap:
        """Read the whole sitemap."""
        root = ""
        for token in self.document.tokens():
            if token.kind == "text":
                self._add_text(token.text)
                continue
            root = root or token.name
            if root not in _ROOTS:
                raise ValueError(f"it begins with <{root[:40]}>, which is not a sitemap")
            self._read_tag(token)
        if self._open_field == "loc" and self._closes:
            self._fields.clear()  # the document was cut, and so was the address
        self._take("sitemap" if root == "sitemapindex" else "url")
        if not root:
            raise ValueError("it is empty")
        return Sitemap(tuple(self.pages), tuple(self.sitemaps), self.left_out)

    def _add_text(self, text: str) -> None:
        if self._open_field:
            text = self._fields.get(self._open_field, "") + text
            self._fields[self._open_field] = text[:_LONGEST_FIELD]

    def _read_tag(self, token: XmlToken) -> None:
        if token.name in {"url", "sitemap"}:
            self._take(token.name)
        self._closes |= token.kind == "close"
        self._open_field = token.name if token.kind == "open" and token.name in _FIELDS else ""

    def _take(self, kind: str) -> None:
        """Keep the address whose fields were read, if there is one."""
        fields, self._fields = self._fields, {}
        if not fields:
            return
        url = absolute(fields.get("loc", "").strip(), self.url)
        if "://" not in url:
            return
        if len(self.pages) + len(self.sitemaps) >= MOST_ADDRESSES:
            self.left_out += 1
        elif kind == "sitemap":
            self.sitemaps.append(url)
        else:
            title = fields.get("news:title", "")
            self.pages.append(SitemapPage(url, title and plain_title(title)))


def walk(url: str, get: Callable[[str], HttpResponse]) -> Iterator[SitemapPage | SitemapProblem]:
    """Yield the pages of a sitemap and of all sitemaps that it leads to, in order."""
    waiting = [(url, 0)]
    seen = {url}
    count = 0
    while waiting:
        url, depth = waiting.pop()
        if count >= MOST_SITEMAPS:
            left = f"one of {len(waiting) + 1:,}"
            yield SitemapProblem(url, f"beyond the limit of {MOST_SITEMAPS:,} sitemaps: {left}")
            return
        count += 1
        try:
            sitemap = _fetch(url, get)
        except (FetchError, ValueError) as error:
            yield SitemapProblem(url, f"the sitemap could not be read: {error}")
            continue
        yield from sitemap.pages
        if sitemap.left_out:
            left_out = f"{sitemap.left_out:,} were left out"
            yield SitemapProblem(
                url, f"beyond the limit of {MOST_ADDRESSES:,} addresses: {left_out}"
            )
        if sitemap.sitemaps and depth >= DEEPEST:
            yield SitemapProblem(url, f"sitemaps nested more than {DEEPEST} deep are not followed")
            continue
        new = [address for address in dict.fromkeys(sitemap.sitemaps) if address not in seen]
        seen.update(new)
        waiting += [(address, depth + 1) for address in reversed(new)]


def _fetch(url: str, get: Callable[[str], HttpResponse]) -> Sitemap:
    response = get(url)
    if response.problem:
        raise ValueError(response.problem)
    return read_sitemap(response.body, response.url, response.charset)
