"""extract: the whole path, HTML -> parse -> score -> select -> Document."""

from dataclasses import replace

import numpy as np

from bodytext.document import Document
from bodytext.methods import DEFAULT, Judge, Method, as_method
from bodytext.page.parser import foreign_format, not_html, parse
from bodytext.page.tables import UNSEEN, Page
from bodytext.selection import BOUNDARY, Threshold, read_threshold, select

PLENTY = 150  # words; an answer of so many needs no second look, and a look is dear
LONG = 30 * PLENTY  # bytes; there are so many words in any language, and counting takes time
FEW_KEPT, FEW_SHOWN = 60, 200  # words; a page with fewer of both may carry its text where a reader does not see it
HIDDEN_TIMES = 3  # as many words as are shown must be hidden, else what is shown is the page


def extract(
    html: bytes | str,
    *,
    url: str = "",
    method: str | Method = DEFAULT,
    threshold: Threshold = BOUNDARY,
    charset: str | None = None,
) -> Document:
    """The body text of a page; `str(document)` is the text.

    A lower threshold keeps more, a higher one less; "precision" and "recall" are names for two of them. `charset` is
    what the server said, if anything.
    """
    chosen = as_method(method)
    cut = read_threshold(threshold)
    format_name = foreign_format(html)
    page = parse(b"" if format_name else html, url=url, charset=charset)
    document = find_body(page, chosen, cut)
    if format_name:
        return replace(document, reason=not_html(format_name))
    if len(document.paragraphs.buffer) > LONG:
        return document
    words = int(page.per_block(page.runs.words)[document.blocks].sum())
    if words >= PLENTY or (words and not isinstance(chosen, Judge)):
        return document
    return _look_again(page, document, chosen, cut)


def find_body(page: Page, method: Method, threshold: float = BOUNDARY) -> Document:
    """The blocks that a method keeps, with the kind of page and the confidence where it tells them."""
    judge = getattr(method, "judge", None)  # what asks whether it is a Judge takes longer than the answer is worth
    if judge is None:
        return select(page, method.score(page), threshold)
    scores, page_type, confidence = judge(page)
    return replace(select(page, scores, threshold), page_type=page_type, confidence=confidence)


def _look_again(page: Page, document: Document, method: Method, threshold: float) -> Document:
    """A short answer: the text that the page carries unseen where it shows none, and why there is so little."""
    from bodytext.diagnosis import diagnose

    if isinstance(method, Judge):
        document = _reveal(page, document, method, threshold)
    if document.origin:
        return document
    return replace(document, reason=diagnose(page, document.blocks))


def _reveal(page: Page, document: Document, method: Method, threshold: float) -> Document:
    """What the page carries but does not show, in place of next to nothing that it shows."""
    from bodytext.views.hidden_text import hidden_text

    words = page.per_block(page.runs.words)
    shown = int(words[page.seen].sum()) if (page.runs.flags & UNSEEN == 0).any() else 0
    if words[document.blocks].sum() >= FEW_KEPT or shown >= FEW_SHOWN:
        return document
    hidden = hidden_text(page)
    if hidden is None or hidden.words < HIDDEN_TIMES * shown:
        return document
    other = parse(hidden.html, url=page.url, charset="utf-8")
    if hidden.whole:
        found = select(other, np.ones(len(other), dtype=np.float32), threshold)
        found = replace(found, page_type=document.page_type)  # how good it is was not judged: no confidence
    else:
        found = find_body(other, method, threshold)
    if not len(found.paragraphs):
        return document
    return replace(found, title=document.title, origin=hidden.origin, shell=page)
