"""Extract the body text of a page: HTML -> parse -> score -> select -> Document."""

from dataclasses import replace

import numpy as np

from bodytext.document import Document, DocumentSource
from bodytext.kernel.html import UNSEEN
from bodytext.methods import DEFAULT, Method, as_method
from bodytext.methods.scores import BOUNDARY, Scores, Threshold, read_threshold
from bodytext.page.parser import foreign_format, not_html, parse
from bodytext.page.tables import Page
from bodytext.selection import select

PLENTY = 150  # words; an answer this long needs no second look, which is expensive
# Bytes; this many hold PLENTY words in any language, and counting words takes time
LONG = 30 * PLENTY
FEW_KEPT, FEW_SHOWN = 60, 200  # words; a page with fewer of both may hide its text from readers
HIDDEN_TIMES = 3  # hidden text must have this many times the words that are shown, or what is shown is the page


def extract(
    html: bytes | str,
    *,
    url: str = "",
    method: str | Method = DEFAULT,
    threshold: Threshold = BOUNDARY,
    charset: str | None = None,
) -> Document:
    """Return the body text of a page as a document; `str(document)` is the text.

    A lower threshold keeps more, a higher one less; "precision" and "recall" are names for two of them. `charset` is
    the encoding that the server named, if any.
    """
    chosen = as_method(method)
    cut = read_threshold(threshold)
    format_name = foreign_format(html)
    page = parse(b"" if format_name else html, url=url, charset=charset)
    document = select(page, chosen.score(page), cut)
    if format_name:
        return replace(document, reason=not_html(format_name))
    if len(document.paragraphs.buffer) > LONG:
        return document
    words = int(page.per_block(page.runs.words)[document.blocks].sum())
    # Without a confidence there is nothing to doubt an answer by.
    if words >= PLENTY or (words and document.confidence is None):
        return document
    return _look_again(page, document, chosen, cut)


def _look_again(page: Page, document: Document, method: Method, threshold: float) -> Document:
    """Replace a short answer by the page's hidden text, or say why it is short."""
    from bodytext.diagnosis import diagnose

    if document.confidence is not None:
        document = _reveal(page, document, method, threshold)
    if document.origin:
        return document
    return replace(document, reason=diagnose(page, document.blocks))


def _reveal(page: Page, document: Document, method: Method, threshold: float) -> Document:
    """Return the page's hidden text if the page shows next to nothing, else the document."""
    from bodytext.views.hidden_text import hidden_text

    words = page.per_block(page.runs.words)
    shown = int(words[page.seen].sum()) if (page.runs.flags & UNSEEN == 0).any() else 0
    if words[document.blocks].sum() >= FEW_KEPT or shown >= FEW_SHOWN:
        return document
    hidden = hidden_text(page)
    if hidden is None or hidden.words < HIDDEN_TIMES * shown:
        return document
    inner = parse(hidden.html, url=page.url, charset="utf-8")
    if hidden.whole:  # all of it is body text; nothing was decided, so there is no confidence
        scores = Scores(np.ones(len(inner), dtype=np.float32), document.page_type)
    else:
        scores = method.score(inner)
    revealed = select(inner, scores, threshold)
    if not revealed:
        return document
    source = DocumentSource(inner, revealed.blocks, shell=page)
    return replace(revealed, title=document.title, origin=hidden.origin, _source=source)
