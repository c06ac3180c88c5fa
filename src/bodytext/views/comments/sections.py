"""Find the comment sections of a page by the names of elements alone.

It is quick: it reads only the elements whose opening tags hold one of a few words. `find_posts`
reads the posts.
"""

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from bodytext.kernel import find_hinted, name_elements
from bodytext.kernel.html import TAG
from bodytext.page.late_pattern import late_pattern
from bodytext.page.tables import Page, or_above, tag_mask
from bodytext.views.comments.element_names import WORDLESS, Mask, Numbers, after_mark

# The opening tag of a comment section holds one of these, after a small or a capital letter.
_HINTS = (b"omment", b"isqus", b"omentario", b"yorum")
_MORE_HINTS = (*_HINTS, b"eply", b"eplies", b"espon", b"iscussion", b"eacti", b"cmt")
_MOST_HINTS = 20_000  # elements: a bound that no honest page comes near

_SECTION = late_pattern(
    after_mark(".#~@$") + r"(?:(?:user|article|blog|post|fb|wp|disqus)?[-_]?comments?|kommentare?"
    r"|comentarios?|commentaires?|commenti|yorum(?:lar)?|disqus(?:[-_]thread)?)(?:$|[-_#])"
)
# Weaker words. Where they are wrong, the element has no posts with authors and dates.
_MAYBE_SECTION = late_pattern(
    after_mark(".#~@$")
    + r"(?:discussion|repl(?:y|ies)|responses?|respond|reactions?|reacties?|cmts?)(?:$|[-_#])"
)
_NO_SECTION = late_pattern(
    r"open|closed|has-|no-|count|number|num(?:$|-)|link|disabled|enabled|button|btn|icon|toggle"
    r"|share|anchor|jump|recent|latest|most|popular|widget|bubble|with-|without-"
)
# Every match of the first two expressions has one of these.
_ANY_WORD = late_pattern(
    r"omment|omentario|yorum|disqus|discussion|repl(?:y|ies)|respon|reacti|cmt"
)
_WHOLE = tag_mask("html body main head")
_NO_TAG = tag_mask("")


def comment_blocks(page: Page) -> Mask:
    """Which blocks are in an element called comments; on a forum page that may be every post.

    An element with the page's main heading is not a comment section, whatever its name is.
    """
    nodes = page.nodes
    marked = np.zeros(len(nodes.tag), np.bool_)
    marked[_find_called(page, _HINTS, _NO_TAG, _is_section)] = True
    if not marked.any():
        return np.zeros(len(page), np.bool_)
    headings = np.zeros(len(page.runs.words), np.int32)
    headings[nodes.first_run[(nodes.tag == TAG["h1"]) & (nodes.first_run < nodes.stop_run)]] = 1
    marked &= ~_WHOLE[nodes.tag] & (page.per_node(headings) == 0)
    return or_above(marked, nodes.parent)[page.blocks.node]


def _is_section(name: str) -> bool:
    return bool(_SECTION.search(name)) and not _NO_SECTION.search(name)


@lru_cache(maxsize=4_000)
def is_comment(name: str) -> bool:
    """Whether a name is a word for a comment, comments or replies."""
    if not _ANY_WORD.search(name):
        return False  # most names: the expressions below cost far more than this
    match = _SECTION.search(name) or _MAYBE_SECTION.search(name)
    return bool(match) and not _NO_SECTION.search(name)


def find_comments(page: Page) -> Numbers:
    """The elements with such a name that hold text or the time of one; none for most articles."""
    return _find_called(page, _MORE_HINTS, WORDLESS, is_comment)


def _find_called(
    page: Page, hints: tuple[bytes, ...], wordless: Mask, is_called: Callable[[str], bool]
) -> Numbers:
    """The nodes with text or a wordless tag that have a name of which this is true.

    The opening tag of such a node holds a hint.
    """
    nodes = np.array(
        find_hinted(page.source, page.tables[0], hints, wordless)[:_MOST_HINTS], np.intp
    )
    if not len(nodes):
        return nodes
    names, name, counts, _ = name_elements(page.source, page.tables[0], nodes)
    called = np.array([is_called(each) for each in names])
    return nodes[np.logical_or.reduceat(called[name], counts.cumsum() - counts)]
