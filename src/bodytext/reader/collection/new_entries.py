"""Choose the entries of a feed whose articles are not stored."""

import hashlib
import json
from collections import Counter
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from bodytext.reader.collection.drafting import LONGEST_TEXT, clean_address
from bodytext.reader.store.database import Database
from bodytext.reader.store.records import Subscription
from bodytext.reader.store.retention import find_forgotten
from bodytext.sources.listings.entry import FeedEntry

MOST_ENTRIES = 100  # of a feed, the newest; archives of thousands are ignored
_MOST_NAMESAKES = 2  # entries with the same identity: an article that moved may be listed twice
MOST_TRIES = 3  # to get the page of an article
_MOST_CONTENT = 4_000_000  # characters of all entries of a feed together, which wait in memory


@dataclass(frozen=True, slots=True)
class NewEntry:
    """An entry whose page is to be fetched."""

    entry: FeedEntry
    # Identifies an entry without an address by its content, whatever the feed calls it.
    mark: str = ""

    @property
    def site(self) -> str:
        """The address of its site."""
        parts = urlsplit(self.entry.url)
        return f"{parts.scheme}://{parts.netloc}/" if parts.netloc else ""

    @property
    def address(self) -> str:
        """The address under which its article is stored."""
        return self.mark or clean_address(self.entry.url)


def choose_new_entries(
    database: Database, feed: Subscription, entries: tuple[FeedEntry, ...], claimed: set[str]
) -> list[NewEntry]:
    """Return the new entries, and the articles that lack their page and should be tried again.

    The chosen ones are claimed: an article in several feeds is taken from one of them.
    """
    listed = _identify_all(feed, _newest(entries))
    known = _find_known(database, feed, listed)
    unknown = [new for new in listed if not {new.address, new.entry.identity} & known]
    chosen: list[NewEntry] = []
    for new in [*unknown, *_list_incomplete(database, feed)]:
        claims = _claims_of(feed, new)
        if claims and not claims & claimed:
            claimed |= claims
            chosen.append(new)
    return _limit_content(chosen)


def _claims_of(feed: Subscription, new: NewEntry) -> set[str]:
    claims = {new.address} if new.address else set()
    if new.entry.identity:
        claims.add(f"{feed.id} {new.entry.identity}")
    return claims


def _newest(entries: tuple[FeedEntry, ...]) -> list[FeedEntry]:
    """Return the newest entries; those without a time in the feed's order."""
    return sorted(entries, key=lambda entry: entry.time, reverse=True)[:MOST_ENTRIES]


def _identify_all(feed: Subscription, entries: list[FeedEntry]) -> list[NewEntry]:
    """Give each entry an identity; one that many entries share is dropped."""
    counts = Counter(entry.identity for entry in entries)
    shared = {identity for identity, count in counts.items() if count > _MOST_NAMESAKES}
    own = [replace(entry, identity="") if entry.identity in shared else entry for entry in entries]
    return [_identify(feed, entry) for entry in own]


def _identify(feed: Subscription, entry: FeedEntry) -> NewEntry:
    """Identify an entry without an address by its feed's name for it, and by its content."""
    if entry.url:
        return NewEntry(entry)
    mark = _hash(feed, "\0".join((entry.title, entry.content or entry.summary)))
    identity = _hash(feed, entry.identity) if entry.identity else mark
    return NewEntry(replace(entry, identity=identity), mark)


def _hash(feed: Subscription, text: str) -> str:
    return f"{feed.url}#{hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()[:16]}"


def _find_known(database: Database, feed: Subscription, listed: list[NewEntry]) -> set[str]:
    """Return the addresses and identities of those entries that are or were stored."""
    identities = [new.entry.identity for new in listed if new.entry.identity]
    addresses = [new.address for new in listed]
    values = {
        "feed": feed.id,
        "identities": json.dumps(identities),
        "addresses": json.dumps(addresses),
    }
    rows = database.connection.execute(
        "SELECT guid FROM articles "
        "WHERE feed = :feed AND guid <> '' AND guid IN (SELECT value FROM json_each(:identities)) "
        "UNION ALL SELECT url FROM addresses WHERE url IN (SELECT value FROM json_each(:addresses))",
        values,
    )
    known = {row[0] for row in rows}
    names = {f"{feed.url} {identity}": identity for identity in identities}
    names |= {address: address for address in addresses}
    return known | {names[name] for name in find_forgotten(database.connection, names)}


def _list_incomplete(database: Database, feed: Subscription) -> list[NewEntry]:
    """Return the stored articles of a feed that lack their page."""
    rows = database.connection.execute(
        "SELECT url, title, guid, categories FROM articles WHERE feed = ? AND problem <> '' AND tries < ? LIMIT ?",
        (feed.id, MOST_TRIES, MOST_ENTRIES),
    )
    return [
        NewEntry(
            FeedEntry(
                row["url"],
                row["title"],
                identity=row["guid"],
                categories=tuple(json.loads(row["categories"])),
            )
        )
        for row in rows
    ]


def _limit_content(chosen: list[NewEntry]) -> list[NewEntry]:
    """Drop the contents beyond what may wait in memory: the pages will be fetched anyway."""
    left = _MOST_CONTENT
    limited: list[NewEntry] = []
    for new in chosen:
        entry = new.entry
        content = entry.content[: min(left, 2 * LONGEST_TEXT)]
        left -= len(content)
        summary = entry.summary[: min(left, LONGEST_TEXT)] if not content else ""
        left -= len(summary)
        limited.append(replace(new, entry=replace(entry, content=content, summary=summary)))
    return limited
