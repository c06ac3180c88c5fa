"""Read the names of the elements with text, and which of them are for an author or a date.

A name is a word of an element's class, the shape of its id, or its item type or property, together
with its tag. The posts of a thread share names, whatever the software calls them, so equal names
come first; the meaning of a name comes second.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, compress

import numpy as np
import numpy.typing as npt

from bodytext.kernel import read_raw_values
from bodytext.kernel.html import TAG, TAGS, Flag
from bodytext.page.late_pattern import late_pattern
from bodytext.page.tables import Page, tag_mask

Numbers = npt.NDArray[np.intp]
Mask = npt.NDArray[np.bool_]

# Bounds that no honest page comes near: they keep hostile ones linear.
_MOST_ELEMENTS = 100_000
LONGEST_TAG = 4_096  # bytes of an opening tag that are read
_MOST_WORDS = 16  # names of one element
_LONGEST_NAME = 64

# Runs with these flags are never a post's text: they are not shown, or no prose.
UNREAD = int(Flag.HIDDEN | Flag.ARIA_HIDDEN | Flag.TEMPLATE | Flag.FALLBACK)
UNREAD |= int(Flag.SELECT | Flag.SVG | Flag.BUTTON | Flag.SPOKEN)

WORDLESS = tag_mask("meta time")  # they may have a value without a word
_READ = frozenset(b"class id itemprop itemtype rel href datetime data-testid role".split())
_NAMING = frozenset(b"id itemprop itemtype data-testid".split())  # besides the class
_TIME = TAG["time"]
_PLAIN = late_pattern(r"[a-z_-]*+")
_DIGITS = late_pattern(r"\d++")
_HUMP = late_pattern(r"(?<=[a-z0-9])(?=[A-Z])")

# Words of markup, at the edge of a word or as a whole: "comment" in "comment-list", not in
# "commentary".
_AUTHOR = late_pattern(
    r"(?:^|[-_.])(?:author|username|user-?name|user|nick|nick-?name|poster|posted-?by|byline"
    r"|commenter|member-?name|screen-?name|display-?name|fn|creator|handle|autor|auteur|user-?link"
    r"|post-?user)(?:s|name|link|[-_]name|[-_]link)?$"
)
_NO_AUTHOR = late_pattern(
    r"avatar|image|photo|signature|title|rank|stat|count|badge|info|detail|content|text|body|group"
    r"|role|level|extra|meta|tooltip|menu|action|location|banner|icon"
)
_PROFILE = late_pattern(
    r"/(?:users?|members?|profiles?|u|people|authors?|~|@)[/=?.-]|/@|memberlist|member\.php"
    r"|profile\.php|viewprofile|action=profile|[?&]u(?:id)?=\d|[?&]user=\w|user\?id=",
    re.IGNORECASE,
)
# Every match has one of these, in lower case.
_IN_PROFILES = ("user", "member", "profile", "people", "author", "/u", "/~", "/@", "u=", "uid=")
_DATE = late_pattern(
    r"(?:^|[-_.])(?:date|time|timestamp|time-?ago|datum|fecha|published|posted|age|date-?time|when)(?:$|[-_])"
)
_NO_DATE = late_pattern(r"edit|update|join|regist|member-since|last-|read-time|reading")


# Every word that one of the expressions for authors, avatars and dates finds has one of these.
_ANY_FIELD = late_pattern(
    r"aut|user|nick|post|byline|comm|name|fn|creat|handle|avatar|dat|time|fech|publ|age|when"
)
_AUTHOR_RANKS = {"author": 4, "creator": 4, "name": 3}  # of item properties
# A picture that links to a profile, or the first letter of the name.
_AVATAR = late_pattern(r"avatar|gravatar|userpic")
# Item types whose name is a title.
_NAMELESS = late_pattern(r"comment|answer|question|posting|article|work|thread|page")


# What the words of a class mean, as bits. Tuples and numbers are fast to make: a page has thousands.
_AUTHOR_WORD, _AVATAR_WORD, _DATE_WORD = 1, 2, 4
_Class = tuple[tuple[str, ...], int]  # the names in the class of an element, and what they mean
# What one opening tag says: its names, how surely it is an author and a date, and whether it has
# the item property "name".
_Names = tuple[list[int], int, int, bool]


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


def read_names(page: Page, among: Mask | None = None) -> ElementNames:
    """Read the names of the elements that hold text, or of those among some nodes."""
    nodes = page.nodes
    shown = np.where(page.runs.flags & UNREAD, 0, page.runs.words)
    is_read = (page.per_node(shown) > 0) | WORDLESS[nodes.tag]
    if among is not None:
        is_read &= among
    chosen = np.flatnonzero(is_read & (nodes.start < nodes.end))[:_MOST_ELEMENTS]
    source, reader = page.source, _TagReader()
    ends = np.minimum(nodes.end[chosen], nodes.start[chosen] + LONGEST_TAG)
    columns = (nodes.tag[chosen].tolist(), nodes.start[chosen].tolist(), ends.tolist())
    read = [reader[tag, source[start:end]] for tag, start, end in zip(*columns, strict=True)]
    found, authors, dates, are_names = zip(*read, strict=True) if read else ((), (), (), ())
    author, date = np.zeros(len(nodes.tag), np.int8), np.zeros(len(nodes.tag), np.int8)
    author[chosen], date[chosen] = authors, dates
    items: dict[int, bool] = {}
    for node in compress(chosen.tolist(), are_names):
        if _names_post(page, node, items):
            author[node] = 0
    keys = np.fromiter(chain.from_iterable(found), np.intp)
    node = chosen.repeat(list(map(len, found)))
    return ElementNames(list(reader.numbers), node, keys, author, date, shown)


class _TagReader(dict[tuple[int, bytes], _Names]):
    """Reads opening tags, each once: most elements share theirs with others."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}  # of the names, in the order of the page
        self._classes: dict[tuple[int, str], tuple[list[int], int]] = {}

    def __missing__(self, key: tuple[int, bytes]) -> _Names:
        tag, text = key
        attributes = read_raw_values(text, _READ)
        value = attributes.get(b"class", "")
        known = self._classes.get((tag, value))
        if known is None:
            words, meaning = _read_class(TAGS[tag] or "?", value)
            known = self._classes[tag, value] = self._number(words), meaning
        keys, meaning = known
        if not _NAMING.isdisjoint(attributes):
            keys = keys + self._number(_words(TAGS[tag] or "?", attributes))
        item_property = attributes.get(b"itemprop", "").lower()
        author = _rank_author(meaning, attributes, item_property)
        date = _rank_date(tag, meaning, attributes, item_property)
        names = self[key] = (keys, author, date, item_property == "name")
        return names

    def _number(self, words: Iterable[str]) -> list[int]:
        numbers = self.numbers
        return [numbers.setdefault(word, len(numbers)) for word in words]


def after_mark(marks: str) -> str:
    """An expression for what is before a word of a name: one of these marks, or words after it.

    The first mark of a line stands for all: a search that began at each would be quadratic.
    """
    return rf"(?:[{marks}]|(?:^|(?<=\n))[^{marks}\n]*+[{marks}].*[-_])"


def read_tag(page: Page, node: int) -> tuple[str, bytes]:
    """The name and the opening tag of an element, as much of it as is read."""
    nodes = page.nodes
    start, end = nodes.start.item(node), nodes.end.item(node)
    return TAGS[nodes.tag.item(node)] or "?", page.source[start : min(end, start + LONGEST_TAG)]


def name_words(name: str, tag: bytes) -> list[str]:
    """The names of an element with this name and opening tag."""
    attributes = read_raw_values(tag, _READ)
    return [*_read_class(name, attributes.get(b"class", ""))[0], *_words(name, attributes)]


def _read_class(tag: str, value: str) -> _Class:
    names, meaning = {tag: None}, 0
    for shape, means in map(_read_word, value.split()[:_MOST_WORDS]):
        names[f"{tag}.{shape}"] = None
        meaning |= means
    return (*names,), meaning


@lru_cache(maxsize=4_000)  # sites share their words, and the pages of a site have the same
def _read_word(word: str) -> tuple[str, int]:
    """The shape of one word of a class, and what it means."""
    shape = _shape(word)
    if not _ANY_FIELD.search(shape):
        return shape, 0
    meaning = _AVATAR_WORD if _AVATAR.search(shape) else 0
    if _AUTHOR.search(shape) and not _NO_AUTHOR.search(shape):
        meaning |= _AUTHOR_WORD
    if _DATE.search(shape) and not _NO_DATE.search(shape):
        meaning |= _DATE_WORD
    return shape, meaning


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
    word = word[:_LONGEST_NAME]
    if _PLAIN.fullmatch(word):  # most
        return word
    word = _DIGITS.sub("#", word)
    lowered = word.lower()
    return word if lowered == word else _HUMP.sub("-", word).lower()


def _rank_author(meaning: int, attributes: dict[bytes, str], item_property: str) -> int:
    """How surely an element is an author: by its property, its address or its class."""
    if item_property in _AUTHOR_RANKS:
        return _AUTHOR_RANKS[item_property]
    if meaning & _AVATAR_WORD:
        return 0
    if b"rel" in attributes and "author" in attributes[b"rel"].lower():
        return 3
    if b"href" in attributes and _is_profile(attributes[b"href"]):
        return 3
    return 2 if meaning & _AUTHOR_WORD else 0


def _is_profile(address: str) -> bool:
    """Whether an address is that of a person's page."""
    lowered = address.lower()
    for part in _IN_PROFILES:
        if part in lowered:
            return _PROFILE.search(address) is not None
    return False  # most: looking for a few letters is far faster than the expression


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
        item = read_raw_values(page.source[start : min(end, start + LONGEST_TAG)], _READ)
        if b"itemtype" in item or b"itemprop" in item:
            is_author = item.get(b"itemprop", "").lower() in _AUTHOR_RANKS
            answer = not is_author and bool(_NAMELESS.search(item.get(b"itemtype", "").lower()))
            break
    else:
        answer = known.get(node, False)
    known.update(dict.fromkeys(path, answer))
    return answer


def _rank_date(tag: int, meaning: int, attributes: dict[bytes, str], item_property: str) -> int:
    """How surely an element is a date: by <time>, its property or its class."""
    if tag == _TIME or b"datetime" in attributes:
        return 3
    if "date" in item_property or "time" in item_property:
        return 0 if "modified" in item_property else 3
    return 1 if meaning & _DATE_WORD else 0
