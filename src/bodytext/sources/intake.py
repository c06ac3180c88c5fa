"""What a user names as sources (folders, files, archives, lists, feeds, sitemaps, addresses) -> Records, as they come.

for record in read_sources(["pages/", "feed:https://news.example/"], Fetching()):
    ...
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from bodytext.sources.archives import ArchiveReading
from bodytext.sources.fetch import USER_AGENT, Cache, Client, FetchError, Limits
from bodytext.sources.fetch.hosts import Resolver, look_up
from bodytext.sources.files import read_record
from bodytext.sources.kinds import (
    ARCHIVE,
    FEED,
    GROUPS,
    LINES,
    MEMBERS,
    PAGES,
    SITEMAP,
    check_source,
    find_files,
    is_web,
    kind_of,
)
from bodytext.sources.listings.discovery import (
    Get,
    feed_requests,
    list_requests,
    list_sources,
    mark_repeated,
    sitemap_requests,
    web_requests,
)
from bodytext.sources.listings.lanes import Lanes
from bodytext.sources.members import read_members
from bodytext.sources.politeness.fetcher import Fetcher, PageRequest, Progress
from bodytext.sources.politeness.schedule import Politeness
from bodytext.sources.record import Record
from bodytext.sources.tables import read_groups, read_lines

_READERS: dict[str, Callable[[str], Iterable[Record]]] = {
    ARCHIVE: ArchiveReading,
    GROUPS: read_groups,
    LINES: read_lines,
    MEMBERS: lambda source: read_members(Path(source)),
    PAGES: lambda source: (read_record(Path(source)),),
}


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


def read_sources(
    sources: Sequence[str], fetching: Fetching | None = None, progress: Callable[[Progress], None] | None = None
) -> Iterator[Record]:
    """The records of all sources: first those of files, source by source; then all that are fetched, in one run.

    A source that is none is a ValueError, before anything is read.
    """
    for source in sources:
        check_source(source)
    for source in sources:
        if not is_web(source):
            yield from _read_local(source)
    distant = [source for source in sources if is_web(source)]
    if distant:
        yield from _fetch(list(_spread(distant)), fetching or Fetching(), progress)


def _read_local(source: str) -> Iterator[Record]:
    """The records of a file, or of all files in a folder, by name."""
    for file in find_files(source)[0]:
        read = _READERS.get(kind_of(file))
        if read is None:
            raise ValueError(f"{file}: a list of archives is for bodytext corpus build; here, name the archives")
        yield from read(file)


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
