"""Take in what no feed brings: any page by its address, and newsletters as files."""

import hashlib
import threading
from contextlib import suppress
from datetime import UTC
from email import policy
from email.message import EmailMessage
from email.parser import BytesParser
from email.utils import parseaddr, parsedate_to_datetime
from html import escape

from bodytext.reader.collection.article_worker import ArticleWorker, BrokenPageError, share_worker
from bodytext.reader.collection.enrichment import Enrichment
from bodytext.reader.collection.feed_finder import complete
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
    message = BytesParser(policy=policy.default).parsebytes(data)
    html = _read_body(message)
    if not html or not _read_header(message, "from"):
        raise ValueError("this is no newsletter: a file of a mail program (.eml) with a text is")
    name, sender = parseaddr(_read_header(message, "from"))
    title = (name or sender or "Newsletters")[:_LONGEST_NAME]
    source = store.feeds.open_own("letters", f"{LETTERS}/{sender[:_LONGEST_NAME].lower()}", title)
    mark = _read_header(message, "message-id").strip() or hashlib.sha256(data).hexdigest()
    entry = FeedEntry(
        "",
        " ".join(_read_header(message, "subject").split()),
        _read_time(message),
        content=html,
        identity=f"{source.url}#{hashlib.sha256(mark.encode()).hexdigest()[:32]}",
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


def _read_body(message: EmailMessage) -> str:
    """Return the text of a letter as HTML; nothing if it has none."""
    with suppress(KeyError, LookupError, UnicodeError, ValueError, AttributeError):
        part = message.get_body(("html", "plain"))
        if part is None:
            return ""
        text = str(part.get_content())
        if part.get_content_subtype() == "html":
            return text
        blocks = text.replace("\r\n", "\n").split("\n\n")
        return "".join(f"<p>{escape(block)}</p>" for block in blocks if block.strip())
    return ""


def _read_header(message: EmailMessage, name: str) -> str:
    """Return a header as text. The parser of the standard library raises on some damaged ones."""
    try:
        return str(message.get(name, ""))
    except (IndexError, AttributeError, ValueError, TypeError):
        raw = next((value for key, value in message.raw_items() if key.lower() == name), "")
        return str(raw)


def _read_time(message: EmailMessage) -> str:
    try:
        moment = parsedate_to_datetime(_read_header(message, "date"))
        return moment.astimezone(UTC).isoformat()
    except (ValueError, TypeError, OverflowError):
        return ""
