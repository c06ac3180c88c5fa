"""Take in what no feed brings: any page by its address, and newsletters as files."""

import hashlib
import threading

from bodytext.reader.collection.article_worker import ArticleWorker, BrokenPageError, share_worker
from bodytext.reader.collection.enrichment import Enrichment
from bodytext.reader.collection.feed_finder import complete
from bodytext.reader.collection.letter import read_letter
from bodytext.reader.store.records import Subscription
from bodytext.reader.store.store import Store
from bodytext.sources.fetch import PAGE_TYPES, FetchError
from bodytext.sources.fetch_options import FetchOptions
from bodytext.sources.listings.entry import FeedEntry
from bodytext.sources.politeness.fetcher import Fetcher
from bodytext.sources.record import Record

LARGEST_LETTER = 16 * 2**20  # bytes
SAVED_PAGES, LETTERS = "bodytext:saved", "bodytext:letters"  # addresses of our own sources
_LONGEST_NAME = 200
_OK = 200


def save_page(
    store: Store,
    address: str,
    profile: int = 1,
    fetching: FetchOptions | None = None,
    worker: ArticleWorker | None = None,
) -> int:
    """Fetch a page, store it as an article that a profile saved, and return its number.

    A ValueError says why that was not possible. A page that is stored already is only saved.
    """
    if not address.strip():
        raise ValueError("enter the address of a page")
    known = store.articles.find_url(complete(address))
    if known is None:
        record = _fetch(address, fetching or FetchOptions())
        source = store.feeds.open_own("saved", SAVED_PAGES, "Saved pages")
        known = _store(store, source, FeedEntry(record.url, identity=record.url), record, worker)
    store.states.mark(profile, known, saved=True)
    return known


def import_letter(store: Store, data: bytes, worker: ArticleWorker | None = None) -> int:
    """Store a newsletter (.eml) as an article of its sender, and return its number."""
    if len(data) > LARGEST_LETTER:
        raise ValueError(f"it has more than {LARGEST_LETTER // 2**20} MiB")
    letter = read_letter(data)
    title = (letter.name or letter.sender or "Newsletters")[:_LONGEST_NAME]
    address = f"{LETTERS}/{letter.sender[:_LONGEST_NAME].lower()}"
    source = store.feeds.open_own("letters", address, title)
    entry = FeedEntry(
        "",
        letter.subject,
        letter.time,
        content=letter.html,
        identity=f"{source.url}#{hashlib.sha256(letter.mark.encode()).hexdigest()[:32]}",
    )
    return _store(store, source, entry, Record(b""), worker)


def _fetch(address: str, fetching: FetchOptions) -> Record:
    with Fetcher(fetching.client(), fetching.politeness) as fetcher:
        try:
            response = fetcher.get(complete(address))
        except FetchError as error:
            raise ValueError(f"{address}: {error}") from None
    if response.problem or response.status != _OK:
        raise ValueError(f"{address}: {response.problem or response.status}")
    if response.content_type and response.content_type not in PAGE_TYPES:
        raise ValueError(f"{address}: this is {response.content_type}, not a page")
    return Record(response.body, response.url, response.time, charset=response.charset)


def _store(
    store: Store,
    source: Subscription,
    entry: FeedEntry,
    record: Record,
    worker: ArticleWorker | None,
) -> int:
    """Read, enrich and store an article; return its number, or that of the same one."""
    try:
        draft, analysis = (worker or share_worker()).read(
            store.path, source.id, entry, record, threading.Event()
        )
    except BrokenPageError as error:
        raise ValueError(f"{entry.url or entry.title}: {error}") from None
    enrichment = Enrichment(store)
    draft = enrichment.enrich(draft, analysis)
    with store.write():
        number = store.articles.add(draft)
        if number is not None:
            enrichment.learn(number, draft, analysis)
        else:
            number = store.articles.find_url(draft.url)
    if number is None:
        raise ValueError("this article was deleted by `bodytext reader forget`, and stays so")
    return number
