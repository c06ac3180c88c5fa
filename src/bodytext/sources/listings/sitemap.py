"""The bytes of a sitemap (XML, an index of others, a news sitemap, a list, any of them gzipped) -> its addresses.

`walk` follows indexes by a function that fetches, within limits; a sitemap that leads to itself is read once.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from bodytext.page.urls import absolute
from bodytext.sources.fetch import FetchError, Response
from bodytext.sources.listings.elements import Document
from bodytext.sources.listings.entry import plain_title, read_time
from bodytext.sources.listings.feed import is_feed, read_feed
from bodytext.sources.packing import unpack_gzip

MOST_ADDRESSES = 50_000  # of one sitemap, says the protocol; what is beyond is counted and left out
MOST_SITEMAPS = 10_000  # of one walk
DEEPEST = 3  # indexes in indexes; the protocol has none
MOST_BYTES = 100 * 2**20  # unpacked; the protocol says 50 MiB
_LINE = re.compile(r"[^\s<>\"]{4,8192}")


@dataclass(frozen=True, slots=True)
class Place:
    """An address in a sitemap."""

    url: str
    time: str = ""  # when it last changed, or of a news item, when it came out
    title: str = ""  # of a news item


@dataclass(frozen=True, slots=True)
class Sitemap:
    """What a sitemap lists: pages, or other sitemaps."""

    pages: tuple[Place, ...] = ()
    sitemaps: tuple[str, ...] = ()
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Trouble:
    """A sitemap of a walk that gave nothing, or not all of it."""

    url: str
    problem: str


def read_sitemap(data: bytes, url: str = "", charset: str = "") -> Sitemap:
    """What is in a sitemap; a ValueError where it is none."""
    data = unpack_gzip(data, MOST_BYTES)
    if is_feed(data):
        feed = read_feed(data, url, charset)
        places = [Place(entry.url, entry.time, entry.title) for entry in feed.entries if entry.url]
        return Sitemap(tuple(places), left_out=feed.left_out)
    document = Document(data, charset)
    if not document.source.lstrip("\ufeff \t\r\n").startswith("<"):
        return _read_lines(document.source)
    return _Reader(document, url).read()


def _read_lines(text: str) -> Sitemap:
    pages: list[Place] = []
    left_out = 0
    for line in text.splitlines():
        word = _LINE.fullmatch(line.strip())
        url = absolute(word[0], "") if word else ""
        if "://" not in url:
            continue
        if len(pages) < MOST_ADDRESSES:
            pages.append(Place(url))
        else:
            left_out += 1
    if not pages:
        raise ValueError("there are no addresses in it")
    return Sitemap(tuple(pages), left_out=left_out)


@dataclass(slots=True)
class _Reader:
    """Reads the XML kinds: of each <url> or <sitemap> the fields that count."""

    document: Document
    url: str
    pages: list[Place] = field(default_factory=list)
    sitemaps: list[str] = field(default_factory=list)
    left_out: int = 0
    _fields: dict[str, str] = field(default_factory=dict)
    _inside: str = ""

    def read(self) -> Sitemap:
        """The whole sitemap."""
        root = ""
        for token in self.document.tokens():
            if token.kind == "text":
                if self._inside:
                    self._fields[self._inside] = (self._fields.get(self._inside, "") + token.text)[:10_000]
                continue
            root = root or token.name
            if root not in {"urlset", "sitemapindex"}:
                raise ValueError(f"it begins with <{root[:40]}>, which is no sitemap")
            if token.name in {"url", "sitemap"}:
                self._take(token.name)
            self._inside = token.name if token.kind == "open" and token.name in _FIELDS else ""
        self._take("sitemap" if root == "sitemapindex" else "url")
        if not root:
            raise ValueError("it is empty")
        return Sitemap(tuple(self.pages), tuple(self.sitemaps), self.left_out)

    def _take(self, kind: str) -> None:
        fields, self._fields = self._fields, {}
        url = absolute(fields.get("loc", "").strip(), self.url)
        if "://" not in url:
            return
        if len(self.pages) + len(self.sitemaps) >= MOST_ADDRESSES:
            self.left_out += 1
        elif kind == "sitemap":
            self.sitemaps.append(url)
        else:
            time = read_time(fields.get("news:publication_date") or fields.get("lastmod", ""))
            self.pages.append(Place(url, time, plain_title(fields.get("news:title", ""))))


_FIELDS = frozenset({"loc", "lastmod", "news:title", "news:publication_date"})


def walk(url: str, get: Callable[[str], Response]) -> Iterator[Place | Trouble]:
    """The pages of a sitemap and of all that it leads to, in their order."""
    waiting = [(url, 0)]
    seen = {url}
    read = 0
    while waiting:
        url, depth = waiting.pop()
        if read >= MOST_SITEMAPS:
            yield Trouble(url, f"beyond the limit of {MOST_SITEMAPS:,} sitemaps: one of {len(waiting) + 1:,}")
            return
        read += 1
        try:
            found = _fetch(url, get)
        except (FetchError, ValueError) as problem:
            yield Trouble(url, f"the sitemap could not be read: {problem}")
            continue
        yield from found.pages
        if found.left_out:
            yield Trouble(url, f"beyond the limit of {MOST_ADDRESSES:,} addresses: {found.left_out:,} were left out")
        if found.sitemaps and depth >= DEEPEST:
            yield Trouble(url, f"sitemaps nested more than {DEEPEST} deep are not followed")
            continue
        new = [one for one in dict.fromkeys(found.sitemaps) if one not in seen]
        seen.update(new)
        waiting += [(one, depth + 1) for one in reversed(new)]


def _fetch(url: str, get: Callable[[str], Response]) -> Sitemap:
    response = get(url)
    if response.problem:
        raise ValueError(response.problem)
    return read_sitemap(response.body, response.url, response.charset)
