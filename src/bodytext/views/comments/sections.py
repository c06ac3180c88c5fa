"""comment_blocks: Page -> which of its blocks stand in comment sections.

It goes by names alone, so it is quick: only the elements whose opening tag holds one of a few words are looked at.
`find_posts` looks at the posts themselves.
"""

import re

import numpy as np

from bodytext.kernel.html import TAG
from bodytext.page.tables import Page, or_above, tag_mask
from bodytext.views.comments.element_names import Mask, Numbers, name_words

# What the opening tag of a comment section holds, with a small or a capital letter before it: a sieve for the rest.
_HINTS = (b"omment", b"isqus", b"omentario", b"yorum")
_MORE_HINTS = (*_HINTS, b"eply", b"eplies", b"espon", b"iscussion", b"eacti", b"cmt")
_MOST_HINTS = 20_000  # of each; a bound that no honest page comes near

_SECTION = re.compile(
    r"[.#~@$](?:.*[-_])?(?:(?:user|article|blog|post|fb|wp|disqus)?[-_]?comments?|kommentare?|comentarios?|commentaires?|"
    r"commenti|yorum(?:lar)?|disqus(?:[-_]thread)?)(?:$|[-_#])"
)
# Weaker words: where they are wrong, no units with authors and dates are found in the element.
_MAYBE_SECTION = re.compile(
    r"[.#~@$](?:.*[-_])?(?:discussion|repl(?:y|ies)|responses?|respond|reactions?|reacties?|cmts?)(?:$|[-_#])"
)
_NO_SECTION = re.compile(
    r"open|closed|has-|no-|count|number|num(?:$|-)|link|disabled|enabled|button|btn|icon|toggle|share|anchor|jump|recent|"
    r"latest|most|popular|widget|bubble|with-|without-"
)
_WHOLE = tag_mask("html body main head")


def comment_blocks(page: Page) -> Mask:
    """For each block whether it stands in something called comments; on a forum page that may be every post.

    An element that holds the page's main heading is no comment section, whatever it is called.
    """
    nodes = page.nodes
    marked = np.zeros(len(nodes.tag), np.bool_)
    for node in _hinted(page, _HINTS).tolist():
        marked[node] = any(_SECTION.search(word) and not _NO_SECTION.search(word) for word in name_words(page, node))
    if not marked.any():
        return np.zeros(len(page), np.bool_)
    headings = np.zeros(len(page.runs.words), np.int32)
    headings[nodes.first_run[(nodes.tag == TAG["h1"]) & (nodes.first_run < nodes.stop_run)]] = 1
    marked &= ~_WHOLE[nodes.tag] & (page.per_node(headings) == 0)
    return or_above(marked, nodes.parent)[page.blocks.node]


def is_comment(name: str) -> bool:
    """Whether a name says comment, comments or replies."""
    said = _SECTION.search(name) or _MAYBE_SECTION.search(name)
    return bool(said) and not _NO_SECTION.search(name)


def may_hold_comments(page: Page) -> bool:
    """Whether an element of a page is called so: a quick no for most articles."""
    return any(is_comment(word) for node in _hinted(page, _MORE_HINTS).tolist() for word in name_words(page, node))


def _hinted(page: Page, hints: tuple[bytes, ...]) -> Numbers:
    """The nodes with text whose opening tag holds a hint."""
    found: list[int] = []
    for hint in hints:
        place = page.source.find(hint)
        limit = len(found) + _MOST_HINTS
        while place >= 0 and len(found) < limit:
            found.append(place)
            place = page.source.find(hint, place + len(hint))
    offsets = np.array(found, np.intp)
    nodes = np.searchsorted(page.nodes.start, offsets, "right") - 1
    held = (page.nodes.first_run < page.nodes.stop_run)[nodes] if len(nodes) else np.zeros(0, np.bool_)
    return np.unique(nodes[(nodes >= 0) & held & (offsets < page.nodes.end[nodes])])
