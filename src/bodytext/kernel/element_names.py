"""Read the names of elements, in Python: the specification of `element_names_native.pyx`.

A name is a word of an element's class, the shape of its id or test id, or its item type or
property, together with its tag. In a shape all numbers are the same.
"""

import re
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from bodytext.kernel.attributes import read_raw_values
from bodytext.kernel.html import TAG, TAGS
from bodytext.kernel.table_columns import NodeColumn

Column = npt.NDArray[np.int32]
Numbers = npt.NDArray[np.intp]
Bits = npt.NDArray[np.uint8]

LONGEST_READ = 4_096  # bytes of an opening tag: a bound that no honest page comes near
MOST_WORDS = 16  # of a class
MOST_ITEM_WORDS = 2  # of an item type or property
LONGEST_WORD = 64  # characters

# What attributes other than the class say of an element, as bits
CREATOR, NAME, PROFILE, DATE, CHANGE = (1 << bit for bit in range(5))

_READ = frozenset(b"class id itemprop itemtype rel href datetime data-testid".split())
_TIME = TAG["time"]
_PLAIN = re.compile(r"[a-z_-]*+")
_DIGITS = re.compile(r"\d++")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
# Parts of the addresses of people's pages, by what follows them
PROFILE_PARTS = {
    "": "/@ memberlist member.php profile.php viewprofile action=profile user?id=",
    r"[/=?.-]": "/user /users /member /members /profile /profiles /u /people /author /authors /~",
    r"\d": "?u= &u= ?uid= &uid=",
    r"\w": "?user= &user=",
}
_PROFILE = re.compile(
    "|".join(
        re.escape(part) + follower
        for follower, parts in PROFILE_PARTS.items()
        for part in parts.split()
    ),
    re.IGNORECASE,
)


def name_elements(
    source: bytes, nodes: Sequence[Column] | Column, numbers: Numbers
) -> tuple[list[str], Numbers, Numbers, Bits]:
    """Return the names of some nodes, and what else their opening tags say.

    These are all names, each once, in the order of the nodes; the numbers of the names of each
    node, one node after the other; how many each node has; and the bits of each node.
    """
    known: dict[str, int] = {}
    found: list[int] = []
    counts: list[int] = []
    signs: list[int] = []
    columns = (nodes[column] for column in (NodeColumn.TAG, NodeColumn.START, NodeColumn.END))
    for tag, start, end in zip(*(column[numbers].tolist() for column in columns), strict=True):
        fits = 0 <= start < end <= len(source)
        text = source[start : min(end, start + LONGEST_READ)] if fits else b""
        names, sign = read_element(tag, text)
        found += [known.setdefault(name, len(known)) for name in names]
        counts.append(len(names))
        signs.append(sign)
    return (
        list(known),
        np.array(found, np.intp),
        np.array(counts, np.intp),
        np.array(signs, np.uint8),
    )


def read_element(tag: int, text: bytes) -> tuple[list[str], int]:
    """Return the names of one element and the bits of its opening tag."""
    attributes = read_raw_values(text, _READ)
    name = TAGS[tag] or "?"
    words = attributes.get(b"class", "").split()[:MOST_WORDS]
    names = dict.fromkeys([name, *(f"{name}.{_shape(word)}" for word in words)])
    return [*names, *_read_others(name, attributes)], _read_signs(tag, attributes)


def _read_others(tag: str, attributes: dict[bytes, str]) -> Iterator[str]:
    """The names of an element besides its class."""
    if b"id" in attributes:
        yield f"{tag}#{_shape(attributes[b'id'])}"
    if b"data-testid" in attributes:
        yield f"{tag}~{_shape(attributes[b'data-testid'])}"
    for mark, name in (("@", b"itemtype"), ("$", b"itemprop")):
        if name in attributes:
            for word in attributes[name].split()[:MOST_ITEM_WORDS]:
                yield mark + _shape(word.rstrip("/").rpartition("/")[2])


def _shape(word: str) -> str:
    word = word[:LONGEST_WORD]
    if _PLAIN.fullmatch(word):  # most
        return word
    word = _DIGITS.sub("#", word)
    lowered = word.lower()
    return word if lowered == word else _HUMP.sub("-", word).lower()


def _read_signs(tag: int, attributes: dict[bytes, str]) -> int:
    """The bits of an element: whether it is an author or a date by its property or its address."""
    item = attributes.get(b"itemprop", "").lower()
    signs = {"author": CREATOR, "creator": CREATOR, "name": NAME}.get(item, 0)
    if "author" in attributes.get(b"rel", "").lower() or _PROFILE.search(
        attributes.get(b"href", "")
    ):
        signs |= PROFILE
    if tag == _TIME or b"datetime" in attributes:
        signs |= DATE
    elif "date" in item or "time" in item:
        signs |= CHANGE if "modified" in item else DATE
    return signs
