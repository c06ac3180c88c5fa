"""Select the blocks of a page that score high enough, and make a document of them."""

import numpy as np

from bodytext.document import Document, DocumentSource
from bodytext.kernel import write_kept
from bodytext.methods.scores import BOUNDARY, Scores, Threshold, read_threshold
from bodytext.page.tables import Page
from bodytext.views.paragraphs import Paragraphs

EMPTY = "the page is empty"
NO_TEXT = "the page holds no text"
NO_BODY = "no text in the page was found to be its body"

_LEAST = float(np.finfo(np.float32).tiny)  # at threshold 0 a block still needs some score


def select(page: Page, scores: Scores, threshold: Threshold = BOUNDARY) -> Document:
    """Return a document of the blocks that score at least the threshold, in the page's order.

    Arguments:
        page: a page, as `parse` returns it.
        scores: a number from 0 to 1 for each block, as a method returns them; an array of yours
            goes into `Scores(array)`.
        threshold: from 0, which keeps most, to 1; or "precision", "balanced", "recall".

    Returns:
        A `Document`. One without text is false, and `document.reason` says why.

    Raises:
        TypeError: the scores are no `Scores`.
        ValueError: the scores do not fit the page, or the threshold has no meaning.

    Example:
        >>> page = parse("<p>Ships call at night.")
        >>> select(page, METHODS["finn"]().score(page)).text
        'Ships call at night.'
    """
    cut = read_threshold(threshold)
    if not isinstance(scores, Scores):
        raise TypeError(
            f"scores are what a method returns, not {type(scores).__name__}; pass Scores(np.array([...]))"
        )
    values = np.ascontiguousarray(scores.values, dtype=np.float32)
    if len(values) != len(page):
        raise ValueError(f"{len(values)} scores do not fit a page of {len(page)} blocks")
    kept, *texts = write_kept(page.source, page.tables, values, max(cut, _LEAST))
    return Document(
        page.url,
        page.title,
        Paragraphs(*texts),
        reason="" if kept else describe_empty(page),
        page_type=scores.page_type,
        confidence=scores.confidence,
        _source=DocumentSource(page, kept),
    )


def select_all(page: Page) -> Document:
    """Return a document of every block of a page."""
    return select(page, Scores(np.ones(len(page), dtype=np.float32)))


def describe_empty(page: Page) -> str:
    """Return why a page gave no text, by the page alone; `diagnose` looks for better reasons."""
    if not page.source.strip():
        return EMPTY
    if not len(page):
        return NO_TEXT
    return NO_BODY
