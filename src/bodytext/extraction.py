"""Extract the body text of a page: HTML -> parse -> score -> select -> Document."""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from bodytext.document import Document, DocumentSource
from bodytext.kernel import count_shown
from bodytext.kernel.html import Flag
from bodytext.methods import DEFAULT, Guessing, Method, as_method
from bodytext.methods.scores import BOUNDARY, Scores, Threshold, read_threshold
from bodytext.methods.wishes import Comments, Wishes, read_wishes
from bodytext.page.markup import PAGES, Markup, read_markup
from bodytext.page.parser import foreign_format, not_html, parse
from bodytext.page.tables import IN_MENU, Page
from bodytext.selection import NO_BODY, select, select_all
from bodytext.views.paragraphs import EMPTY_PARAGRAPHS

if TYPE_CHECKING:
    from bodytext.output.references import Choice
    from bodytext.sources.record import Record

# Where next to no page has all of its text. A number: flags are many times as slow.
_DOUBTFUL = IN_MENU | int(Flag.NOSCRIPT)
_DATA = (b"{", b"[")  # a file of JSON, not a text
_BLANK_LINES = re.compile(r"\n[^\S\n]*(?=\n)")
PLENTY = 150  # words; an answer this long needs no second look, which is expensive
# Bytes; this many hold PLENTY words in any language, and counting words takes time
LONG = 30 * PLENTY
FEW_KEPT, FEW_SHOWN = 60, 200  # words; a page with fewer of both may hide its text from readers
FEW_WORDS = 3  # of a block outside of links that a page without a likely body shows
FEW_BLOCKS = 20  # of a page that may show nothing but links
FEW_PROSE = 15  # words outside of links; a larger page that shows fewer has no text
HIDDEN_TIMES = 3  # hidden text must have this many times the words that are shown, or what is shown is the page


def extract(  # noqa: PLR0913
    html: Any,
    *,
    url: str = "",
    method: str | Method = DEFAULT,
    threshold: Threshold = BOUNDARY,
    charset: str | None = None,
    tables: bool = True,
    links: "Choice | bool" = True,
    images: "Choice | bool" = True,
    comments: Comments | None = None,
    prune: str | Sequence[str] = (),
    keep: str | Sequence[str] = (),
) -> Document:
    """Return the body text of a page as a document; `str(document)` is the text.

    Arguments:
        html: the page as bytes, which are decoded as browsers do it, or as str; what `fetch`
            returned; or a tree of lxml or BeautifulSoup.
        url: the address of the page, which makes its links absolute.
        method: the name of a method, or one that you have made; `bodytext.METHODS` has them.
        threshold: from 0, which keeps most, to 1; or "precision", "balanced", "recall".
        charset: the encoding that the server named, if any; an unknown name counts as none.
        tables: False leaves out tables of data.
        links: what the document's Markdown, HTML, JSON and TEI do with links: "keep" (True),
            "drop" (False), or list them as "references" at the end.
        images: the same for images.
        comments: "with" has comments in the text, "apart" in `document.comments` alone, "without"
            nowhere; None leaves it to the method. The posts of a forum are its text in any case.
        prune: CSS selectors of elements that are taken out of the page before anything else.
        keep: CSS selectors of elements whose text is kept, whatever the method finds.

    Returns:
        A `Document`. One without text is false, and `document.reason` says why.

    Raises:
        TypeError: `html` is no page; the message says what to pass.
        ValueError: an argument has no meaning, or a selector is none.

    Example:
        >>> document = extract("<nav>Menu</nav><p>Ships call at night.", prune="nav")
        >>> document.text
        'Ships call at night.'
    """
    chosen, cut = as_method(method), read_threshold(threshold)
    wishes = read_wishes(tables, comments, prune, keep)
    if not isinstance(html, PAGES):  # few
        if (record := _as_record(html)) is not None:
            if record.problem:
                return Document(record.url, "", EMPTY_PARAGRAPHS, reason=record.problem)
            html, url, charset = record.html, url or record.url, charset or record.charset or None
        html = read_markup(html)
    document = _extract(html, (url, charset), (chosen, cut), wishes)
    if links is images is True and comments != "without":  # most
        return document
    return document.with_choices(links, images, has_comments=comments != "without")


def all_text(html: Any, *, charset: str | None = None) -> str:
    """Return every text that a page shows, in reading order.

    Arguments:
        html: the page, as `extract` takes it.
        charset: the encoding that the server named, if any.

    Returns:
        The text: a blank line between paragraphs, items on lines of their own, tabs between cells.
        Scripts, styles and what the page hides are not in it. Nor is anything of a file that is
        neither a page nor text.

    Example:
        >>> all_text("<ul><li>Menu<li>Help</ul><p hidden>No one sees this.").split()
        ['Menu', 'Help']
    """
    if (record := _as_record(html)) is not None:
        html, charset = record.html, charset or record.charset or None
    html = read_markup(html)
    if isinstance(html, bytes) and (format_name := foreign_format(html, charset)):
        file = _read_file(html, format_name, "")
        return file.text if file else ""
    page = parse(html, charset=charset)
    return select(page, Scores(page.seen.astype(np.float32))).text


def _as_record(html: Any) -> "Record | None":
    """Return what a source gave as a page, None for anything else."""
    if isinstance(html, PAGES):  # most: they need no import
        return None
    from bodytext.sources.record import Record

    return html if isinstance(html, Record) else None


def _extract(
    html: Markup, place: tuple[str, str | None], decision: tuple[Method, float], wishes: Wishes
) -> Document:
    """Return the document of a page at an address and with a charset."""
    (url, charset), (method, cut) = place, decision
    format_name = foreign_format(html, charset)
    if format_name and (file := _read_file(html, format_name, url)) is not None:
        return file
    page = wishes.prune(parse(b"" if format_name else html, url=url, charset=charset))
    if not page.tags and len(page) and not page.source.lstrip().startswith(_DATA):
        return _read_plain_text(page)
    document = select(page, wishes.adjust(page, method.score(page), cut), cut)
    if format_name:
        return replace(document, reason=not_html(format_name))
    if len(document.paragraphs.buffer) > LONG:
        return document
    return _look_again(page, document, decision, wishes)


def _look_again(
    page: Page, document: Document, decision: tuple[Method, float], wishes: Wishes
) -> Document:
    """Return an answer that may be short, or a better one, with why it is short."""
    kept, shown, flags = count_shown(page.tables, _source_of(document).kept)
    if kept >= PLENTY and not flags & IN_MENU:
        return document
    if kept < FEW_KEPT and shown < FEW_SHOWN:
        document = _reveal(page, document, decision, wishes, shown)
    if document.origin:  # the page hides its text
        return document
    if document:
        return _doubt(page, document, is_doubtful=bool(flags & _DOUBTFUL))
    return _explain_nothing(page, document, decision, wishes)


def _read_file(data: Markup, format_name: str, url: str) -> Document | None:
    """Return all text of a PDF, EPUB, DOCX or RTF file; None if the format is another."""
    from bodytext.sources.file_formats import read_as_html

    try:
        file = read_as_html(data, format_name) if isinstance(data, bytes) else None
    except ValueError as problem:
        return Document(url, "", EMPTY_PARAGRAPHS, reason=str(problem))
    if file is None:
        return None
    return replace(select_all(parse(file.html, url=url)), origin=file.format_name)


def _read_plain_text(page: Page) -> Document:
    """Return all of a text without any tag; a blank line ends a paragraph."""
    text = page.source.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
    text = text.replace("&", "&amp;").replace("<", "&lt;")
    inner = parse("".join(f"<p>{part}</p>" for part in _BLANK_LINES.split(text)), url=page.url)
    document = select_all(inner)
    source = replace(_source_of(document), shell=page)
    return replace(document, origin="plain text", _source=source)


def _doubt(page: Page, document: Document, *, is_doubtful: bool) -> Document:
    """Return a short answer with why it is short, but no request for scripts, and no menus of a page that needs them."""
    if document.confidence is None:  # there is nothing to doubt it by
        return document
    if not is_doubtful:  # most
        return _explain_later(document)
    from bodytext.diagnosis import JAVASCRIPT

    reason = _diagnose(_source_of(document))
    if reason == JAVASCRIPT:
        nothing = np.zeros(len(page), dtype=np.float32)
        document = select(page, Scores(nothing, document.page_type, 0.0))
    return replace(document, reason=reason)


def _explain_nothing(
    page: Page, document: Document, decision: tuple[Method, float], wishes: Wishes
) -> Document:
    """Return an empty answer with why it is empty, or else what the page shows."""
    if not len(page) or document.confidence is None or decision[1] > BOUNDARY:
        return _explain_later(document)  # there is nothing else to show
    reason = _diagnose(_source_of(document))
    if reason == NO_BODY:
        return _keep_shown(page, document, decision[0], wishes)
    document.__dict__["reason"] = reason
    return document


def _explain_later(document: Document) -> Document:
    """Return a document whose reason is found when somebody asks for it; nobody else has it yet."""
    document.__dict__["reason"] = partial(_diagnose, _source_of(document))
    return document


def _source_of(document: Document) -> DocumentSource:
    return cast("DocumentSource", document._source)  # `select` gives every document one


def _diagnose(source: DocumentSource) -> str:
    from bodytext.diagnosis import diagnose

    return diagnose(source.page, source.blocks)


def _keep_shown(page: Page, document: Document, method: Method, wishes: Wishes) -> Document:
    """Return the likeliest part of a large page, if the method knows it; else what is shown outside of links.

    A page that shows a text has a body, however unlikely each of its blocks is.
    """
    words, chars = page.per_block(page.runs.words), page.per_block(page.runs.chars)
    shown = page.seen
    unlinked = shown & (words >= FEW_WORDS) & (2 * page.per_block(page.runs.linked) <= chars)
    if len(page) > FEW_BLOCKS:
        if words[unlinked].sum() < FEW_PROSE:
            return document
        if isinstance(method, Guessing):
            guessed = select(page, wishes.adjust(page, method.guess(page), BOUNDARY), BOUNDARY)
            if guessed:
                return guessed
    kept = unlinked if unlinked.any() else shown
    scores = Scores(kept.astype(np.float32), document.page_type, document.confidence)
    return select(page, wishes.adjust(page, scores, BOUNDARY), BOUNDARY)


def _reveal(
    page: Page, document: Document, decision: tuple[Method, float], wishes: Wishes, shown: int
) -> Document:
    """Return the page's hidden text if it has much more than the words shown, else the document."""
    from bodytext.views.hidden_text import hidden_text

    hidden = hidden_text(page)
    if hidden is None or hidden.words < HIDDEN_TIMES * shown:
        return document
    method, threshold = decision
    inner = parse(hidden.html, url=page.url, charset="utf-8")
    if hidden.whole:  # all of it is body text; nothing was decided, so there is no confidence
        scores = Scores(np.ones(len(inner), dtype=np.float32), document.page_type)
    else:
        scores = method.score(inner)
    revealed = select(inner, wishes.adjust(inner, scores, threshold), threshold)
    if not revealed:
        return document
    source = replace(_source_of(revealed), shell=page)
    return replace(revealed, title=document.title, origin=hidden.origin, _source=source)
