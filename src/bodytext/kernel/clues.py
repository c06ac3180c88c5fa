"""Read clues from names and letters, in Python: the specification of `clues_native.pyx`.

No clue depends on a language. A name in the markup gives the topics of its words. A text gives the
numbers of its digits, capitals and ends of sentences, and of its words that are also in the page's
title, description and structured data. Words are compared by hash, without a table of words: a page
has so few that collisions rarely matter.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from bodytext.kernel.attributes import read_attributes
from bodytext.kernel.class_names import TOPIC_WORDS
from bodytext.kernel.feature_columns import NAMED_TAGS
from bodytext.kernel.hashing import FNV_OFFSET, FNV_PRIME, HASH_BASE
from bodytext.kernel.letters import (
    CLASS_OF,
    DESCRIPTION_WORD,
    KNOWN_PAIR,
    LEARNT,
    LONGEST_CLASS,
    LONGEST_REFERENCE,
    SHORTEST_WORD,
    STRETCHES,
    TITLE_WORD,
    VOCABULARY,
    CharacterClass,
    Shape,
)
from bodytext.kernel.table_columns import NodeColumn

Table = npt.NDArray[np.int32]
Bits = npt.NDArray[np.uint64]
Hashes = npt.NDArray[np.uint32]

_MASK = 0xFFFFFFFF  # hashes have 32 bits
_STRETCH = 4  # words
_NAMED = {b"class", b"id", b"role", b"itemprop", b"itemtype"}  # attributes whose values are names
_TAG_NAME = re.compile(rb"[^\t\n\f\r />]*")
_CAMEL = re.compile(rb"(?<=[a-z])(?=[A-Z])")
_DIGITS = re.compile(rb"[0-9]")
_NO_LETTER = re.compile(rb"[^a-z]")
_WORDS = tuple(  # of names, with the bit of their topic
    (word.encode(), 1 << topic)
    for topic, words in enumerate(TOPIC_WORDS.values())
    for word in words.split()
)
# A character reference, or the bytes of one character; one that is cut off is what is left of it.
_CHARACTER = re.compile(
    rb"(&[A-Za-z0-9#]{0,%d};)|[\x00-\x7f]|[\x80-\xdf].?|[\xe0-\xef].{0,2}|[\xf0-\xff].{0,3}"
    % (LONGEST_REFERENCE - 2),
    re.DOTALL,
)


@lru_cache(10_000)
def read_topics(name: bytes) -> int:
    """Return the topics of one name, as bits. An edge comes before, after and between its words."""
    small = _CAMEL.sub(b"|", name[:LONGEST_CLASS]).lower()
    text = b"|" + _NO_LETTER.sub(b"|", small) + b"|"
    topics = 0
    for word, bit in _WORDS:
        if word in text:
            topics |= bit
    return topics


def _read_tag(tag: bytes) -> tuple[int, int]:
    """Return the topics of all names in a tag, and a hash of its class.

    The hash leaves out the digits, which number the items of lists.
    """
    topics = signature = 0
    for name, name_end, start, end in read_attributes(tag, _TAG_NAME.match(tag, 1).end()):  # type: ignore[union-attr]
        if end < 0:
            break
        attribute = tag[name:name_end].lower()
        if attribute in _NAMED:
            topics |= read_topics(tag[start:end])
        if attribute == b"class":
            value = tag[start : min(end, start + LONGEST_CLASS)]
            signature = signature or _hash(_DIGITS.sub(b"", value), FNV_OFFSET)
    return topics, signature


class _NodeNames:
    """What the names of the nodes that were read so far say, a number a node."""

    def __init__(self) -> None:
        self.near: list[int] = []
        self.far: list[int] = []
        self.signatures: list[int] = []
        self.larger: list[int] = []

    def add(self, names: tuple[int, int], above: int, *, same: bool) -> None:
        """Add a node; `same` means that the node above holds the same text and no more."""
        topics, signature = names
        self.far.append(topics | self.far[above] if above >= 0 else topics)
        if same:
            self.near.append(topics | self.near[above])
            self.signatures.append(_join((self.signatures[above],), signature))
            self.larger.append(self.larger[above])
        else:
            self.near.append(topics)
            self.signatures.append(signature)
            self.larger.append(max(above, 0))


def read_names(source: bytes, nodes: Sequence[Table]) -> tuple[Bits, Bits, Hashes, Table]:
    """Read the topics of each node and of those around it, and find the next larger node.

    Returns the topics of its names and of those nodes around it that hold the same text and no
    more; the topics of all nodes around it; a hash of tag and class of the former; the next larger
    node. `nodes` are tag, parent, first_run, stop_run, start and end.
    """
    names = _NodeNames()
    firsts, stops = nodes[2].tolist(), nodes[3].tolist()
    for tag, above, first, stop, start, end in zip(
        *(column.tolist() for column in nodes), strict=True
    ):
        has_names = first < stop and NAMED_TAGS[tag] and start < end
        topics, signature = _read_tag(source[start:end]) if has_names else (0, 0)
        same = above >= 0 and (first, stop) == (firsts[above], stops[above])
        names.add((topics, _join((tag,), signature)), above, same=same)
    return (
        np.array(names.near, dtype=np.uint64),
        np.array(names.far, dtype=np.uint64),
        np.array(names.signatures, dtype=np.uint32),
        np.array(names.larger, dtype=np.int32),
    )


def find_tags(
    source: bytes,
    nodes: Sequence[Table] | Table,
    tags: Sequence[int],
    words: Sequence[bytes],
    most: int,
) -> list[int]:
    """Return the elements whose opening tags hold one of the words.

    The first `most` elements with one of the tags are searched. `nodes` is the page's whole table.
    """
    starts, ends = nodes[NodeColumn.START], nodes[NodeColumn.END]
    return [
        node
        for node in np.isin(nodes[NodeColumn.TAG], tags).nonzero()[0][:most].tolist()
        if any(word in source[starts[node] : ends[node]] for word in words)
    ]


class _Vocabulary:
    """The words of a page so far, by hash."""

    def __init__(self) -> None:
        self.words = bytearray(VOCABULARY)
        self.stretches = bytearray(STRETCHES)

    def learn(self, text: bytes, bits: int) -> None:
        """Learn words, or pairs of words, of title, description or structured data."""
        before = 0
        for word, size in _split(text, [0] * len(Shape)):
            if size >= SHORTEST_WORD:
                self.words[_fold(word, VOCABULARY)] |= bits & (TITLE_WORD | DESCRIPTION_WORD)
            self.words[_fold(_join((before, word)), VOCABULARY)] |= bits & KNOWN_PAIR
            before = word

    def read(self, text: bytes) -> list[int]:
        """Return the shape of a text."""
        counts = [0] * len(Shape)
        hashes, pairs = [0], [0]
        for word, size in _split(text, counts):
            known = self.words[_fold(word, VOCABULARY)] if size >= SHORTEST_WORD else 0
            counts[Shape.TITLE_WORDS] += bool(known & TITLE_WORD)
            counts[Shape.DESCRIPTION_WORDS] += bool(known & DESCRIPTION_WORD)
            pairs.append(_join((hashes[-1], word)))
            hashes.append(word)
            counts[Shape.TOLD_PAIRS] += bool(self.words[_fold(pairs[-1], VOCABULARY)] & KNOWN_PAIR)
            if len(hashes) > _STRETCH:
                stretch = _fold(_join((pairs[-3], pairs[-1])), STRETCHES)
                counts[Shape.REPEATED] += self.stretches[stretch]
                self.stretches[stretch] = 1
        counts[Shape.TEXT] = _signed(_join(hashes[1:], FNV_OFFSET))
        return counts


def _join(words: Iterable[int], start: int = 0) -> int:
    """Return one hash of many, by FNV-1a."""
    for word in words:
        start = (start ^ word) * FNV_PRIME & _MASK
    return start


def _fold(value: int, slots: int) -> int:
    return (value ^ value >> 15) & (slots - 1)


def _signed(value: int) -> int:
    return value - (1 << 32) if value >> 31 else value


def _split(text: bytes, counts: list[int]) -> Iterator[tuple[int, int]]:
    """Yield the hash and the bytes of each word.

    Add to `counts` the classes of characters and how the text ends.
    """
    word = b""
    last = CharacterClass.SPACE
    for match in _CHARACTER.finditer(text):
        character = match[0]
        kind = CharacterClass.SPACE if match[1] else _class_of(character)
        if CharacterClass.WORD < kind < CharacterClass.SPACE:
            counts[kind - 1] += 1
        if kind <= CharacterClass.UPPER:
            word += character
        elif word:
            yield _hash_word(word), len(word)
            word = b""
        if match[1] or kind != CharacterClass.SPACE:
            last = CharacterClass.WORD if match[1] else kind
    if word:
        yield _hash_word(word), len(word)
    counts[Shape.FINAL] = int(last == CharacterClass.END)


def _hash_word(word: bytes) -> int:
    """Return a hash, the same for small letters and capitals of ASCII."""
    return _hash(word.lower(), 0)


def _hash(text: bytes, mixed: int) -> int:
    """Return a hash of 32 bits, by eight bytes at a time."""
    for at in range(0, len(text), 8):
        mixed ^= int.from_bytes(text[at : at + 8], "little")
        mixed = mixed * HASH_BASE & 0xFFFFFFFFFFFFFFFF
        mixed ^= mixed >> 32
    return mixed & _MASK


def _class_of(character: bytes) -> CharacterClass:
    lead = character[0]
    if lead < 0x80:
        return CharacterClass(CLASS_OF[lead])
    if len(character) == 2 and lead < 0xE0:
        return CharacterClass(CLASS_OF[(lead & 0x1F) << 6 | character[1] & 0x3F])
    if len(character) == 3 and lead < 0xF0:
        return CharacterClass(
            CLASS_OF[(lead & 0x0F) << 12 | (character[1] & 0x3F) << 6 | character[2] & 0x3F]
        )
    return CharacterClass.WORD


def read_shapes(source: bytes, start: Table, end: Table, known: Sequence[bytes]) -> Table:
    """Return a row of `Shape` for each text from `start` to `end`.

    `known` are the page's title, description and structured data.
    """
    vocabulary = _Vocabulary()
    for text, bits in zip(known, LEARNT, strict=True):
        vocabulary.learn(text, bits)
    spans = zip(start.tolist(), end.tolist(), strict=True)
    rows = [vocabulary.read(source[first:last]) for first, last in spans]
    return np.array(rows, dtype=np.int32).reshape(len(rows), len(Shape))
