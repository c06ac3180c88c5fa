"""Classify labelled pages as single-body, multi-body or commented, as document 001 does.

Where the set does not name the kind, it is derived from the labels. A comment section has more words
than the empty form of a weblog ("Leave a reply. Your email address will not be published ..." has
about 40), and hardly any content: else it would be an element around the article, such as
<body class="comments-open">. Short interruptions are captions, dates and labels.
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

# Names in seven languages, and the most common services.
_PATTERN = "comment|disqus|respond|discussion|kommentar|comentario|yorum|livefyre|talkback"
_NAMES, _NAMES_IN_BYTES = (
    re.compile(_PATTERN, re.IGNORECASE),
    re.compile(_PATTERN.encode(), re.IGNORECASE),
)

_Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class PageLayout:
    """The kind of a page if the set names it, and the counts that decide it otherwise."""

    named_kind: str
    interruption_words: int  # in the longest gap between two content blocks
    comment_words: int  # in the largest comment section

    def kind(self, interruption_words: int = INTERRUPTION_WORDS) -> str:
        """One of KINDS."""
        if self.named_kind in KINDS:
            return self.named_kind
        if self.comment_words >= COMMENT_WORDS:
            return COMMENTED
        return MULTI if self.interruption_words >= interruption_words else SINGLE


def measure_layout(example: TrainingExample) -> PageLayout:
    """Measure the layout of a labelled page."""
    page = example.page
    content = example.labels & page.seen
    return PageLayout(
        example.source.kind,
        _longest_interruption(page, content),
        _most_comment_words(page, content),
    )


def _longest_interruption(page: Page, content: _Mask) -> int:
    words = page.per_block(page.runs.words)
    anchors = np.flatnonzero(content & (words >= ANCHOR_WORDS))
    if not len(anchors):
        return 0
    others = np.where(page.seen & ~content, words, 0)[anchors[0] : anchors[-1] + 1]
    gap = np.cumsum(content[anchors[0] : anchors[-1] + 1])  # grows by one with every content block
    return int(np.bincount(gap, others).max())


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
    """Elements with a class or id for comments."""
    places = [match.start() for match in _NAMES_IN_BYTES.finditer(page.source)]
    nodes = np.unique(page.find_nodes(places))
    named = []
    for node in nodes[nodes >= 0].tolist():
        attributes = page.attributes(node)
        if _NAMES.search(f"{attributes.get('class', '')} {attributes.get('id', '')}"):
            named.append(node)
    return named
