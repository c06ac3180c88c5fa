"""Read the names of the elements with text, and which of them are for an author or a date.

A name is a word of an element's class, the shape of its id, or its item type or property, together
with its tag. The posts of a thread share names, whatever the software calls them, so equal names
come first; the meaning of a name comes second.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bodytext.kernel.html import TAG, TAGS, Flag
from bodytext.page.tables import Page, tag_mask

Numbers = npt.NDArray[np.intp]
Mask = npt.NDArray[np.bool_]

# Bounds that no honest page comes near: they keep hostile ones linear.
_MOST_ELEMENTS = 100_000
_LONGEST_TAG = 4_096  # bytes of an opening tag that are read
_MOST_WORDS = 16  # names of one element
_LONGEST_NAME = 64

# Runs with these flags are never a post's text: they are not shown, or no prose.
UNREAD = int(Flag.HIDDEN | Flag.ARIA_HIDDEN | Flag.TEMPLATE | Flag.FALLBACK)
UNREAD |= int(Flag.SELECT | Flag.SVG | Flag.BUTTON | Flag.SPOKEN)

_WORDLESS = tag_mask("meta time")  # they may have a value without a word
_ATTRIBUTE = re.compile(
    rb"""([^\s/>="']++)(?>(?:\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s>"']*+)))?)""",
)
_READ = frozenset(b"class id itemprop itemtype rel href datetime data-testid role".split())
_DIGITS = re.compile(r"\d++")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")

# Words of markup, at the edge of a word or as a whole: "comment" in "comment-list", not in
# "commentary".
_AUTHOR = re.compile(
    r"(?:^|[-_.])(?:author|username|user-?name|user|nick|nick-?name|poster|posted-?by|byline"
    r"|commenter|member-?name|screen-?name|display-?name|fn|creator|handle|autor|auteur|user-?link"
    r"|post-?user)(?:s|name|link|[-_]name|[-_]link)?$"
)
_NO_AUTHOR = re.compile(
    r"avatar|image|photo|signature|title|rank|stat|count|badge|info|detail|content|text|body|group"
    r"|role|level|extra|meta|tooltip|menu|action|location|banner|icon"
)
_PROFILE = re.compile(
    r"/(?:users?|members?|profiles?|u|people|authors?|~|@)[/=?.-]|/@|memberlist|member\.php"
    r"|profile\.php|viewprofile|action=profile|[?&]u(?:id)?=\d|[?&]user=\w|user\?id=",
    re.IGNORECASE,
)
_DATE = re.compile(
    r"(?:^|[-_.])(?:date|time|timestamp|time-?ago|datum|fecha|published|posted|age|date-?time|when)(?:$|[-_])"
)
_NO_DATE = re.compile(r"edit|update|join|regist|member-since|last-|read-time|reading")


_AUTHOR_RANKS = {"author": 4, "creator": 4, "name": 3}  # of item properties
# A picture that links to a profile, or the first letter of the name.
_AVATAR = re.compile(r"avatar|gravatar|userpic")
# Item types whose name is a title.
_NAMELESS = re.compile(r"comment|answer|question|posting|article|work|thread|page")


@dataclass(frozen=True, slots=True)
class _Class:
    """The names in the class of an element, and what they mean."""

    words: tuple[str, ...]
    author: bool
    avatar: bool
    date: bool


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


def read_names(page: Page) -> ElementNames:
    """Read the names of the elements that hold text."""
    nodes = page.nodes
    shown = np.where(page.runs.flags & UNREAD, 0, page.runs.words)
    is_read = (page.per_node(shown) > 0) | _WORDLESS[nodes.tag]
    chosen = np.flatnonzero(is_read & (nodes.start < nodes.end))[:_MOST_ELEMENTS]
    numbers: dict[str, int] = {}
    pairs: list[tuple[int, int]] = []
    classes: dict[tuple[str, str], _Class] = {}  # most elements share theirs with others
    items: dict[int, bool] = {}
    author, date = np.zeros(len(nodes.tag), np.int8), np.zeros(len(nodes.tag), np.int8)
    columns = (chosen, nodes.tag[chosen], nodes.start[chosen], nodes.end[chosen])
    for node, tag, start, end in zip(*(column.tolist() for column in columns), strict=True):
        attributes = _read_attributes(page.source[start : min(end, start + _LONGEST_TAG)])
        name = TAGS[tag] or "?"
        key = (name, attributes.get(b"class", ""))
        own = classes.get(key) or classes.setdefault(key, _read_class(*key))
        pairs.extend([(node, numbers.setdefault(word, len(numbers))) for word in own.words])
        if attributes:
            pairs.extend(
                [
                    (node, numbers.setdefault(word, len(numbers)))
                    for word in _words(name, attributes)
                ]
            )
        author[node], date[node] = _rank_author(own, attributes), _rank_date(tag, own, attributes)
        if attributes.get(b"itemprop", "").lower() == "name" and _names_post(page, node, items):
            author[node] = 0
    table = np.array(pairs, dtype=np.intp).reshape(-1, 2)
    return ElementNames(list(numbers), table[:, 0], table[:, 1], author, date, shown)


def after_mark(marks: str) -> str:
    """An expression for what is before a word of a name: one of these marks, or words after it.

    The first mark of a line stands for all: a search that began at each would be quadratic.
    """
    return rf"(?:[{marks}]|(?:^|(?<=\n))[^{marks}\n]*+[{marks}].*[-_])"


def name_words(page: Page, node: int) -> list[str]:
    """The names of one element."""
    start, end = int(page.nodes.start[node]), int(page.nodes.end[node])
    tag = TAGS[page.nodes.tag[node]] or "?"
    attributes = _read_attributes(page.source[start : min(end, start + _LONGEST_TAG)])
    return [*_read_class(tag, attributes.get(b"class", "")).words, *_words(tag, attributes)]


def _read_attributes(tag: bytes) -> dict[bytes, str]:
    """The attributes of an opening tag that name it; of duplicates the first counts."""
    attributes: dict[bytes, str] = {}
    for name, double, single, bare in _ATTRIBUTE.findall(tag):
        if (lowered := name.lower()) in _READ:
            attributes.setdefault(lowered, (double or single or bare).decode("utf-8", "replace"))
    return attributes


def _read_class(tag: str, value: str) -> _Class:
    shapes = list(dict.fromkeys(_shape(word) for word in value.split()[:_MOST_WORDS]))
    author = any(_AUTHOR.search(shape) and not _NO_AUTHOR.search(shape) for shape in shapes)
    date = any(_DATE.search(shape) and not _NO_DATE.search(shape) for shape in shapes)
    avatar = any(map(_AVATAR.search, shapes))
    return _Class((tag, *(f"{tag}.{shape}" for shape in shapes)), author, avatar, date)


def _words(tag: str, attributes: dict[bytes, str]) -> Iterator[str]:
    """The names of an element besides its class; all numbers in them are the same."""
    if b"id" in attributes:
        yield f"{tag}#{_shape(attributes[b'id'])}"
    if b"data-testid" in attributes:
        yield f"{tag}~{_shape(attributes[b'data-testid'])}"
    for mark, name in (("@", b"itemtype"), ("$", b"itemprop")):
        if name in attributes:
            for word in attributes[name].split()[:2]:
                yield mark + _shape(word.rstrip("/").rpartition("/")[2])


def _shape(word: str) -> str:
    return _HUMP.sub("-", _DIGITS.sub("#", word[:_LONGEST_NAME])).lower()


def _rank_author(own: _Class, attributes: dict[bytes, str]) -> int:
    """How surely an element is an author: by its property, its address or its class."""
    item_property = attributes.get(b"itemprop", "").lower()
    if item_property in _AUTHOR_RANKS:
        return _AUTHOR_RANKS[item_property]
    if own.avatar:
        return 0
    if "author" in attributes.get(b"rel", "").lower() or _PROFILE.search(
        attributes.get(b"href", "")
    ):
        return 3
    return 2 * own.author


def _names_post(page: Page, node: int, known: dict[int, bool]) -> bool:
    """Whether an element with the item property "name" names a post ("Post #2") and not a person.

    `known` keeps the answers for the elements on the way up, so each is read once, whatever the
    page.
    """
    path: list[int] = []
    answer = False
    while (node := int(page.nodes.parent[node])) >= 0 and node not in known:
        path.append(node)
        start, end = int(page.nodes.start[node]), int(page.nodes.end[node])
        item = _read_attributes(page.source[start : min(end, start + _LONGEST_TAG)])
        if b"itemtype" in item or b"itemprop" in item:
            is_author = item.get(b"itemprop", "").lower() in _AUTHOR_RANKS
            answer = not is_author and bool(_NAMELESS.search(item.get(b"itemtype", "").lower()))
            break
    else:
        answer = known.get(node, False)
    known.update(dict.fromkeys(path, answer))
    return answer


def _rank_date(tag: int, own: _Class, attributes: dict[bytes, str]) -> int:
    """How surely an element is a date: by <time>, its property or its class."""
    if tag == TAG["time"] or b"datetime" in attributes:
        return 3
    item_property = attributes.get(b"itemprop", "").lower()
    if "date" in item_property or "time" in item_property:
        return 0 if "modified" in item_property else 3
    return int(own.date)
