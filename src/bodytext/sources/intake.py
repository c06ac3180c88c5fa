"""What a user names as sources (folders, files, archives, lists, feeds, sitemaps, addresses) -> Records, as they come.

for record in read_sources(["pages/", "feed:https://news.example/"], Fetching()):
    ...
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from bodytext.sources import archives, members, tables
from bodytext.sources.archives import ArchiveReading
from bodytext.sources.fetch import USER_AGENT, Cache, Client, FetchError, Limits
from bodytext.sources.fetch.hosts import Resolver, look_up
from bodytext.sources.files import SUFFIXES, find_pages, read_record
from bodytext.sources.listings.discovery import (
    FEED,
    SITEMAP,
    Get,
    feed_requests,
    list_requests,
    list_sources,
    mark_repeated,
    sitemap_requests,
    web_requests,
)
from bodytext.sources.listings.lanes import Lanes
from bodytext.sources.location import named_like
from bodytext.sources.members import read_members
from bodytext.sources.politeness.fetcher import Fetcher, PageRequest, Progress
from bodytext.sources.politeness.schedule import Politeness
from bodytext.sources.record import Record

LIST_ENDINGS = (".txt", ".urls")
EXPECTED = (
    "a folder, a page (.html), an archive (.zip, .tar, .tar.gz, .warc, .warc.gz, .warc.zst), a table (.parquet, "
    ".jsonl), a list of addresses (.txt), the address of a page, feed or sitemap, feed:ADDRESS or sitemap:ADDRESS"
)


@dataclass(frozen=True, slots=True)
class Fetching:
    """How pages are fetched, where sources are in the web."""

    limits: Limits = field(default_factory=Limits)
    politeness: Politeness = field(default_factory=Politeness)
    user_agent: str = USER_AGENT
    cache: Cache | None = None
    ordered: bool = False  # records in the order of the sources, not as they come
    resolve: Resolver = look_up

    def client(self) -> Client:
        """A client that fetches so."""
        return Client(self.limits, user_agent=self.user_agent, cache=self.cache, resolve=self.resolve)


def is_web(source: str) -> bool:
    """Whether the pages of a source must be fetched: an address of the web that is no file of records, or a list."""
    if source.startswith((FEED, SITEMAP)):
        return True
    if source.lower().startswith(("http://", "https://")):
        return not _is_records(source)
    return named_like(source, LIST_ENDINGS)


def read_sources(
    sources: Sequence[str], fetching: Fetching | None = None, progress: Callable[[Progress], None] | None = None
) -> Iterator[Record]:
    """The records of all sources: first those of files, source by source; then all that are fetched, in one run.

    A source that is none is a ValueError, before anything is read.
    """
    for source in sources:
        _check(source)
    for source in sources:
        if not is_web(source):
            yield from _read_local(source)
    distant = [source for source in sources if is_web(source)]
    if distant:
        yield from _fetch(list(_spread(distant)), fetching or Fetching(), progress)


def _is_records(source: str) -> bool:
    return named_like(source, (*archives.ENDINGS, *tables.PARQUET_ENDINGS, *tables.LINE_ENDINGS))


def _is_pages(source: str) -> bool:
    return "://" not in source and named_like(source, (*members.ENDINGS, *SUFFIXES))


def _check(source: str) -> None:
    if source.startswith((FEED, SITEMAP)):
        address = source.partition(":")[2]
        if not address.lower().startswith(("http://", "https://")):
            raise ValueError(f"{source}: behind {source.partition(':')[0]}: there should be an http or https address")
    elif not source or ("://" not in source and not Path(source).exists()):
        raise ValueError(f"{source or 'an empty name'}: there is no such file or folder; expected {EXPECTED}")
    elif not (Path(source).is_dir() or is_web(source) or _is_records(source) or _is_pages(source)):
        raise ValueError(f"{source}: cannot tell what this is by its name; expected {EXPECTED}")


def _read_local(source: str) -> Iterator[Record]:
    """The records of a file, or of all files in a folder, by name."""
    path = Path(source)
    if "://" not in source and path.is_dir():
        inside = sorted(one for one in path.rglob("*") if one.is_file() and named_like(one.name, members.ENDINGS))
        inside += [one for one in sorted(path.rglob("*")) if one.is_file() and _is_records(one.name)]
        pages = list(find_pages(path))
        if not pages and not inside:
            raise ValueError(f"{source}: nothing in this folder can be read; expected {EXPECTED}")
        for page in pages:
            yield read_record(page)
        for one in inside:
            yield from _read_local(str(one))
    elif named_like(source, archives.ENDINGS):
        yield from ArchiveReading(source)
    elif named_like(source, tables.PARQUET_ENDINGS):
        yield from tables.read_groups(source)
    elif named_like(source, tables.LINE_ENDINGS):
        yield from tables.read_lines(source)
    elif named_like(source, members.ENDINGS):
        yield from read_members(path)
    else:
        yield read_record(path)


def _spread(sources: list[str]) -> Iterator[str]:
    """The sources, and behind each list the feeds and sitemaps that it names."""
    for source in sources:
        yield source
        if "://" not in source:
            yield from list_sources(Path(source))


def _fetch(sources: list[str], fetching: Fetching, progress: Callable[[Progress], None] | None) -> Iterator[Record]:
    client = fetching.client()

    def identify(url: str) -> str:
        try:
            return client.read(url).url
        except FetchError:
            return url

    with Fetcher(client, fetching.politeness, progress) as fetcher:
        find = partial(find_requests, get=fetcher.get)
        requests = Lanes(sources, find, ordered=fetching.ordered).read()
        yield from fetcher.fetch(mark_repeated(requests, identify), ordered=fetching.ordered)


def find_requests(source: str, get: Get) -> Iterator[PageRequest]:
    """The pages of one source in the web."""
    if source.startswith(FEED):
        return feed_requests(source.removeprefix(FEED), get)
    if source.startswith(SITEMAP):
        return sitemap_requests(source.removeprefix(SITEMAP), get)
    if "://" in source:
        return web_requests(source, get)
    return list_requests(Path(source))
