"""Read the names of the elements with text, and which of them are for an author or a date.

The posts of a thread share names, whatever the software calls them, so equal names come first; the
meaning of a name comes second.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import compress

import numpy as np
import numpy.typing as npt

from bodytext.kernel import name_elements, read_raw_values
from bodytext.kernel.element_names import CHANGE, CREATOR, DATE, LONGEST_READ, NAME, PROFILE
from bodytext.kernel.html import TAG, Flag
from bodytext.page.late_pattern import late_pattern
from bodytext.page.tables import Page, tag_mask

Numbers = npt.NDArray[np.intp]
Mask = npt.NDArray[np.bool_]

_MOST_ELEMENTS = 100_000  # a bound that no honest page comes near: it keeps hostile ones linear

# Runs with these flags are never a post's text: they are not shown, or no prose.
UNREAD = int(Flag.HIDDEN | Flag.ARIA_HIDDEN | Flag.TEMPLATE | Flag.FALLBACK)
UNREAD |= int(Flag.SELECT | Flag.SVG | Flag.BUTTON | Flag.SPOKEN)

WORDLESS = tag_mask("meta time")  # they may have a value without a word
_ITEM = frozenset({b"itemprop", b"itemtype"})

# Words of markup, at the edge of a word or as a whole: "comment" in "comment-list", not in
# "commentary".
_AUTHOR = late_pattern(
    r"(?:^|[-_.])(?:author|username|user-?name|u-?name[\d#]?|user|nick|nick-?name|poster|posted-?by|byline"
    r"|commenter|member-?name|screen-?name|display-?name|fn|creator|handle|autor|auteur|user-?link"
    r"|post-?user)(?:s|name|link|[-_]name|[-_]link)?$"
)
_NO_AUTHOR = late_pattern(
    r"avatar|image|photo|signature|title|rank|stat|count|badge|info|detail|content|text|body|group"
    r"|role|level|extra|meta|tooltip|menu|action|location|banner|icon"
)
_DATE = late_pattern(
    r"(?:^|[-_.])(?:date|time|timestamp|time-?ago|datum|fecha|published|posted|age|date-?time|when)(?:$|[-_])"
)
_NO_DATE = late_pattern(r"edit|update|join|regist|member-since|last-|read-time|reading")


# Every word that one of the expressions for authors, avatars and dates finds has one of these.
_ANY_FIELD = late_pattern(
    r"aut|user|nick|post|byline|comm|name|fn|creat|handle|avatar|dat|time|fech|publ|age|when"
)
_OF_AUTHOR = ("author", "creator", "name")  # item properties
# A picture that links to a profile, or the first letter of the name.
_AVATAR = late_pattern(r"avatar|gravatar|userpic")
# Item types whose name is a title.
_NAMELESS = late_pattern(r"comment|answer|question|posting|article|work|thread|page")


# What the words of a class mean, as bits, which come after those that the kernel finds
_AUTHOR_WORD, _AVATAR_WORD, _DATE_WORD = (1 << bit for bit in range(5, 8))


def _rank_author(meaning: int) -> int:
    """How surely an element is an author: by its property, its address or its class."""
    if meaning & (CREATOR | NAME):
        return 4 if meaning & CREATOR else 3
    if meaning & _AVATAR_WORD:
        return 0
    if meaning & PROFILE:
        return 3
    return 2 if meaning & _AUTHOR_WORD else 0


def _rank_date(meaning: int) -> int:
    """How surely an element is a date: by <time>, its property or its class."""
    if meaning & (DATE | CHANGE):
        return 3 if meaning & DATE else 0
    return 1 if meaning & _DATE_WORD else 0


_AUTHOR_RANK = np.array([_rank_author(meaning) for meaning in range(256)], np.int8)
_DATE_RANK = np.array([_rank_date(meaning) for meaning in range(256)], np.int8)


@dataclass(frozen=True, slots=True, eq=False)
class ElementNames:
    """The names of elements as pairs of node and key, and which nodes are authors or dates."""

    # Such as "div.comment", "li#post-#", "@comment" (item type), "$text" (item property).
    keys: list[str]
    node: Numbers  # of each pair
    key: Numbers
    author: npt.NDArray[np.int8]  # of each node of the page: 0 is none
    date: npt.NDArray[np.int8]
    shown: npt.NDArray[np.int32]  # of each run of the page: its words, where a reader may see them

    def members(self, key: int) -> Numbers:
        """The nodes with a name, in order."""
        members: Numbers = self.node[self.key == key]
        return members

    def called(self, is_called: Callable[[str], bool]) -> Mask:
        """Which nodes have a name of which this is true."""
        called = np.zeros(len(self.author), np.bool_)
        chosen = np.fromiter(map(is_called, self.keys), np.bool_, len(self.keys))
        if chosen.any():
            called[self.node[chosen[self.key]]] = True
        return called


def read_names(page: Page, among: Mask | None = None) -> ElementNames:
    """Read the names of the elements that hold text, or of those among some nodes."""
    nodes = page.nodes
    shown = np.where(page.runs.flags & UNREAD, 0, page.runs.words)
    is_read = (page.per_node(shown) > 0) | WORDLESS[nodes.tag]
    if among is not None:
        is_read &= among
    chosen = np.flatnonzero(is_read & (nodes.start < nodes.end))[:_MOST_ELEMENTS]
    keys, key, counts, meaning = name_elements(page.source, page.tables[0], chosen)
    author, date = np.zeros(len(nodes.tag), np.int8), np.zeros(len(nodes.tag), np.int8)
    if len(chosen):
        words = np.fromiter(map(_read_meaning, keys), np.uint8, len(keys))
        meaning |= np.bitwise_or.reduceat(words[key], counts.cumsum() - counts)
        author[chosen], date[chosen] = _AUTHOR_RANK[meaning], _DATE_RANK[meaning]
    items: dict[int, bool] = {}
    for node in compress(chosen.tolist(), (meaning & NAME).tolist()):
        if _names_post(page, node, items):
            author[node] = 0
    return ElementNames(keys, chosen.repeat(counts), key, author, date, shown)


def after_mark(marks: str) -> str:
    """An expression for what is before a word of a name: one of these marks, or words after it.

    The first mark of a line stands for all: a search that began at each would be quadratic.
    """
    return rf"(?:[{marks}]|(?:^|(?<=\n))[^{marks}\n]*+[{marks}].*[-_])"


@lru_cache(maxsize=4_000)  # sites share their words, and the pages of a site have the same
def _read_meaning(name: str) -> int:
    """What a name means, as bits: something if it is a word of a class."""
    tag, _, word = name.partition(".")
    if not (tag in TAG or tag == "?") or not _ANY_FIELD.search(word):
        return 0
    meaning = _AVATAR_WORD if _AVATAR.search(word) else 0
    if _AUTHOR.search(word) and not _NO_AUTHOR.search(word):
        meaning |= _AUTHOR_WORD
    if _DATE.search(word) and not _NO_DATE.search(word):
        meaning |= _DATE_WORD
    return meaning


def _names_post(page: Page, node: int, known: dict[int, bool]) -> bool:
    """Whether an element with the item property "name" names a post ("Post #2") and not a person.

    `known` keeps the answers for the elements on the way up, so each is read once, whatever the
    page.
    """
    nodes, path, answer = page.nodes, list[int](), False
    while (node := nodes.parent.item(node)) >= 0 and node not in known:
        path.append(node)
        start, end = nodes.start.item(node), nodes.end.item(node)
        tag = page.source[start : min(end, start + LONGEST_READ)]
        item = read_raw_values(tag, _ITEM) if b"item" in tag.lower() else {}
        if item:
            is_author = item.get(b"itemprop", "").lower() in _OF_AUTHOR
            answer = not is_author and bool(_NAMELESS.search(item.get(b"itemtype", "").lower()))
            break
    else:
        answer = known.get(node, False)
    known.update(dict.fromkeys(path, answer))
    return answer
