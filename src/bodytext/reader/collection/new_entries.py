"""The entries of a feed in, those whose article is not stored out."""

import hashlib
import json
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from bodytext.reader.collection.drafting import LONGEST_TEXT, clean_address
from bodytext.reader.store.records import Subscription
from bodytext.reader.store.retention import find_forgotten
from bodytext.sources.listings.entry import FeedEntry

if TYPE_CHECKING:
    from bodytext.reader.store.store import Store

MOST_ENTRIES = 100  # of a feed, the newest; archives of thousands are left to their sites
_MOST_NAMESAKES = 2  # entries of a name: an article that moved may stand beside what it was
MOST_TRIES = 3  # to get the page of an article
_MOST_CONTENT = 4_000_000  # characters of all entries of a feed together, which wait in memory


@dataclass(frozen=True, slots=True)
class NewEntry:
    """An entry whose page is wanted."""

    entry: FeedEntry
    mark: str = ""  # of one without an address: what is in it, under which it is known whatever the feed calls it

    @property
    def site(self) -> str:
        """The address of its site."""
        parts = urlsplit(self.entry.url)
        return f"{parts.scheme}://{parts.netloc}/" if parts.netloc else ""


def choose_new_entries(store: "Store", feed: Subscription, entries: tuple[FeedEntry, ...], claimed: set[str]) -> list[NewEntry]:
    """The entries that are new, and the articles that lack their page and should be tried again.

    What is chosen is claimed: of an article that stands in several feeds, one gets it.
    """
    named = _name_all(feed, _newest(entries))
    known = _find_known(store, feed, named)
    chosen: list[NewEntry] = []
    for news in [*named, *_list_again(store, feed)]:
        address, name = _address_of(news), news.entry.identity
        claims = {one for one in (address, name and f"{feed.id} {name}") if one}
        if not claims or claims & claimed or (news in named and {address, name} & known):
            continue
        claimed |= claims
        chosen.append(news)
    return _lighten(chosen)


def _newest(entries: tuple[FeedEntry, ...]) -> list[FeedEntry]:
    """The newest, in the feed's order where it tells no times."""
    return sorted(entries, key=lambda entry: entry.time, reverse=True)[:MOST_ENTRIES]


def _name_all(feed: Subscription, entries: list[FeedEntry]) -> list[NewEntry]:
    """The entries with their names: what many of them are called is no name."""
    counts = Counter(entry.identity for entry in entries)
    careless = {name for name, count in counts.items() if count > _MOST_NAMESAKES}
    return [_name(feed, replace(entry, identity="") if entry.identity in careless else entry) for entry in entries]


def _name(feed: Subscription, entry: FeedEntry) -> NewEntry:
    """The entry with a name: one without an address is known by what the feed calls it, and by what is in it."""
    if entry.url:
        return NewEntry(entry)
    mark = _shorten(feed, "\0".join((entry.title, entry.content or entry.summary)))
    return NewEntry(replace(entry, identity=_shorten(feed, entry.identity) if entry.identity else mark), mark)


def _shorten(feed: Subscription, said: str) -> str:
    return f"{feed.url}#{hashlib.sha256(said.encode('utf-8', 'replace')).hexdigest()[:16]}"


def _find_known(store: "Store", feed: Subscription, named: list[NewEntry]) -> set[str]:
    """The addresses and names of these that are stored."""
    entries = [news.entry for news in named]
    values = {
        "feed": feed.id,
        "names": json.dumps([entry.identity for entry in entries if entry.identity]),
        "addresses": json.dumps([_address_of(news) for news in named]),
    }
    rows = store.connection.execute(
        "SELECT guid FROM articles WHERE feed = :feed AND guid <> '' AND guid IN (SELECT value FROM json_each(:names)) "
        "UNION ALL SELECT url FROM addresses WHERE url IN (SELECT value FROM json_each(:addresses))",
        values,
    )
    known = {row[0] for row in rows}
    names = {f"{feed.url} {entry.identity}": entry.identity for entry in entries if entry.identity}
    addresses = {address: address for address in map(_address_of, named)}
    forgotten = names | addresses
    return known | {forgotten[name] for name in find_forgotten(store.connection, forgotten)}


def _address_of(news: NewEntry) -> str:
    return news.mark or clean_address(news.entry.url)


def _list_again(store: "Store", feed: Subscription) -> list[NewEntry]:
    rows = store.connection.execute(
        "SELECT url, title, guid, categories FROM articles WHERE feed = ? AND problem <> '' AND tries < ? LIMIT ?",
        (feed.id, MOST_TRIES, MOST_ENTRIES),
    )
    return [
        NewEntry(FeedEntry(row["url"], row["title"], identity=row["guid"], categories=tuple(json.loads(row["categories"]))))
        for row in rows
    ]


def _lighten(chosen: list[NewEntry]) -> list[NewEntry]:
    """The same, without the contents beyond what a feed may hold in memory: their pages will be fetched anyway."""
    left = _MOST_CONTENT
    kept: list[NewEntry] = []
    for news in chosen:
        entry = news.entry
        content = entry.content[: min(left, 2 * LONGEST_TEXT)]
        left -= len(content)
        summary = entry.summary[: min(left, LONGEST_TEXT)] if not content else ""
        left -= len(summary)
        kept.append(replace(news, entry=replace(entry, content=content, summary=summary)))
    return kept
