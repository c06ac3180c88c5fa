"""A labelled page -> whether it is single-body, multi-body or commented, as document 001 parts its pages.

Told from the labels where the set does not say it itself:

- commented: an element whose class or id says so holds at least COMMENT_WORDS words that a reader sees and that are not
  content, and starts behind the first content block. An element around the article itself, such as <body
  class="comments-open">, is none: it may hold at most CONTENT_LIMIT of the content. Fewer words are the empty form of a
  weblog ("Leave a reply. Your email address will not be published ..." is about 40).
- multi-body: between the first and the last content block there is a stretch, from one content block to the next, of at
  least INTERRUPTION_WORDS words that a reader sees and that are not content. Shorter ones are captions, dates and
  labels. First and last are counted from blocks of at least ANCHOR_WORDS words, since a short one can match by chance.
- single-body: all others.
"""

import re
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bodytext.page.tables import Page
from bodytext.studio.training.examples import TrainingExample

SINGLE, MULTI, COMMENTED = KINDS = ("single-body", "multi-body", "commented")
INTERRUPTION_WORDS = 20
COMMENT_WORDS = 50
ANCHOR_WORDS = 5
CONTENT_LIMIT = 0.1

# English and German, French, Spanish, Italian, Turkish, Norwegian names, and the services most in use.
_PATTERN = "comment|disqus|respond|discussion|kommentar|comentario|yorum|livefyre|talkback"
_NAMES, _NAMES_IN_BYTES = re.compile(_PATTERN, re.IGNORECASE), re.compile(_PATTERN.encode(), re.IGNORECASE)

_Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class PageLayout:
    """How a page is built: its kind where the set says it, and the words that tell it elsewhere."""

    said: str
    interruption_words: int  # in the longest stretch between two content blocks
    comment_words: int  # in the largest comment section

    def kind(self, interruption_words: int = INTERRUPTION_WORDS) -> str:
        """One of KINDS."""
        if self.said in KINDS:
            return self.said
        if self.comment_words >= COMMENT_WORDS:
            return COMMENTED
        return MULTI if self.interruption_words >= interruption_words else SINGLE


def measure_layout(example: TrainingExample) -> PageLayout:
    """How a labelled page is built."""
    page = example.page
    content = example.labels & page.seen
    return PageLayout(example.source.kind, _longest_interruption(page, content), _most_comment_words(page, content))


def _longest_interruption(page: Page, content: _Mask) -> int:
    words = page.per_block(page.runs.words)
    anchors = np.flatnonzero(content & (words >= ANCHOR_WORDS))
    if not len(anchors):
        return 0
    useless = np.where(page.seen & ~content, words, 0)[anchors[0] : anchors[-1] + 1]
    stretch = np.cumsum(content[anchors[0] : anchors[-1] + 1])  # grows by one with every content block
    return int(np.bincount(stretch, useless).max())


def _most_comment_words(page: Page, content: _Mask) -> int:
    if not content.any():
        return 0
    words, blocks = page.per_block(page.runs.words), page.blocks
    begin = blocks.first_run[np.argmax(content)]
    most = 0
    for node in _nodes_named_comments(page):
        first, stop = page.nodes.first_run[node], page.nodes.stop_run[node]
        inside = (blocks.first_run >= first) & (blocks.stop_run <= stop)
        if first > begin and words[inside & content].sum() <= CONTENT_LIMIT * words[content].sum():
            most = max(most, int(words[inside & page.seen & ~content].sum()))
    return most


def _nodes_named_comments(page: Page) -> list[int]:
    """Elements whose class or id speaks of comments. The source is searched first: attributes are slow to read."""
    places = [found.start() for found in _NAMES_IN_BYTES.finditer(page.source)]
    nodes = np.unique(np.searchsorted(page.nodes.start, places, side="right") - 1)
    named = []
    for node in nodes[nodes >= 0].tolist():
        attributes = page.attributes(node)
        if _NAMES.search(f"{attributes.get('class', '')} {attributes.get('id', '')}"):
            named.append(node)
    return named
