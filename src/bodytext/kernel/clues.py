"""Names in tags and letters in texts -> what they hint at, in plain Python: the specification of `clues.pyx`.

Nothing here knows a language. Of a name in the markup it is asked what topics its words speak of; of a text how many of
its characters are digits, capitals, ends of sentences, and which of its words the page's own title, description and
structured data have. Words are compared by hash, without a table of them: a page has few enough that it rarely matters.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from bodytext.kernel.class_names import EDGE
from bodytext.kernel.columns import HOLDS
from bodytext.kernel.letters import (
    CLASS_OF,
    LEARNT,
    LONGEST_NAME,
    LONGEST_REFERENCE,
    SHAPES,
    SHORTEST_WORD,
    STRETCHES,
    VOCABULARY,
    Class,
    Shape,
)
from bodytext.kernel.tokens import read_attributes

Table = npt.NDArray[np.int32]
Bits = npt.NDArray[np.uint64]
Hashes = npt.NDArray[np.uint32]
Automaton = tuple[npt.NDArray[np.uint16], Bits]

_OFFSET, _PRIME, _MASK = 2166136261, 16777619, 0xFFFFFFFF  # FNV-1a
_NAMED = {b"class", b"id", b"role", b"itemprop", b"itemtype"}  # attributes whose values are names
_TAG_NAME = re.compile(rb"[^\t\n\f\r />]*")
_CAMEL = re.compile(rb"(?<=[a-z])(?=[A-Z])")
_DIGITS = re.compile(rb"[0-9]")
_TITLE, _DESCRIPTION, _PAIR = 1, 2, 4  # what is known of a hash
# A character reference, or the bytes of one character; one that is cut off is what is left of it.
_CHARACTER = re.compile(
    rb"(&[A-Za-z0-9#]{0,%d};)|[\x00-\x7f]|[\x80-\xdf].?|[\xe0-\xef].{0,2}|[\xf0-\xff].{0,3}" % (LONGEST_REFERENCE - 2),
    re.DOTALL,
)


def read_topics(name: bytes, automaton: Automaton) -> int:
    """The topics of one name, as bits: an edge stands before, behind and between the words of it."""
    following, found = automaton
    state = int(following[0, EDGE])
    topics = 0
    for byte in _CAMEL.sub(b"-", name[:LONGEST_NAME]).lower() + b"-":
        state = int(following[state, byte - 97 if 97 <= byte <= 122 else EDGE])
        topics |= int(found[state])
    return topics


def _read_tag(tag: bytes, automaton: Automaton) -> tuple[int, int]:
    """The topics of all names in a tag, and a hash of its class without digits: they number the items of a list."""
    topics = signature = 0
    for name, name_end, start, end in read_attributes(tag, _TAG_NAME.match(tag, 1).end()):  # type: ignore[union-attr]
        if end < 0:
            break
        attribute = tag[name:name_end].lower()
        if attribute in _NAMED:
            topics |= read_topics(tag[start:end], automaton)
            if attribute == b"class":
                signature = signature or _join(_DIGITS.sub(b"", tag[start : min(end, start + LONGEST_NAME)]), _OFFSET)
    return topics, signature


def read_names(source: bytes, nodes: Sequence[Table], automaton: Automaton) -> tuple[Bits, Bits, Hashes, Table]:
    """What the names of each node and of those around it say, and which node around it holds more text.

    The topics of its own names joined with those of the nodes around it that hold the same text and no more; joined
    with those of all nodes around it; a hash of tag and class of the first kind; the next larger node. `nodes` are
    tag, parent, first_run, stop_run, start and end.
    """
    near: list[int] = []
    far: list[int] = []
    signatures: list[int] = []
    larger: list[int] = []
    firsts, stops = nodes[2].tolist(), nodes[3].tolist()
    for tag, above, first, stop, start, end in zip(*(column.tolist() for column in nodes), strict=True):
        holds = first < stop and HOLDS[tag] and start < end
        topics, signature = _read_tag(source[start:end], automaton) if holds else (0, 0)
        signature = (signature ^ tag) * _PRIME & _MASK
        same = above >= 0 and first == firsts[above] and stop == stops[above]
        far.append(topics | far[above] if above >= 0 else topics)
        near.append(topics | near[above] if same else topics)
        signatures.append((signature ^ signatures[above]) * _PRIME & _MASK if same else signature)
        larger.append(larger[above] if same else max(above, 0))
    return (
        np.array(near, dtype=np.uint64),
        np.array(far, dtype=np.uint64),
        np.array(signatures, dtype=np.uint32),
        np.array(larger, dtype=np.int32),
    )


def find_tags(
    source: bytes, nodes: Sequence[Table], tag: int, words: Sequence[bytes], most: int
) -> list[tuple[int, int]]:
    """Of the first `most` tags with this number those that hold one of the words: where each starts and ends.

    `nodes` are tag, start and end.
    """
    found = np.flatnonzero(nodes[0] == tag)[:most]
    spans = zip(nodes[1][found].tolist(), nodes[2][found].tolist(), strict=True)
    return [(start, end) for start, end in spans if any(word in source[start:end] for word in words)]


class _Vocabulary:
    """What a page has said so far, by hash."""

    def __init__(self) -> None:
        self.words = bytearray(VOCABULARY)
        self.stretches = bytearray(STRETCHES)

    def learn(self, text: bytes, what: int) -> None:
        """Words, or pairs of them, of what the page tells of itself."""
        before = 0
        for word, size in _split(text, [0] * SHAPES):
            if size >= SHORTEST_WORD:
                self.words[_fold(word, VOCABULARY)] |= what & (_TITLE | _DESCRIPTION)
            self.words[_fold(_join((before, word)), VOCABULARY)] |= what & _PAIR
            before = word

    def read(self, text: bytes) -> list[int]:
        """The shape of a text."""
        counts = [0] * SHAPES
        had = [0]
        for word, size in _split(text, counts):
            known = self.words[_fold(word, VOCABULARY)] if size >= SHORTEST_WORD else 0
            counts[Shape.TITLE_WORDS] += bool(known & _TITLE)
            counts[Shape.DESCRIPTION_WORDS] += bool(known & _DESCRIPTION)
            counts[Shape.TOLD_PAIRS] += bool(self.words[_fold(_join((had[-1], word)), VOCABULARY)] & _PAIR)
            had.append(word)
            if len(had) > 4:
                stretch = _fold(_join(had[-4:]), STRETCHES)
                counts[Shape.REPEATED] += self.stretches[stretch]
                self.stretches[stretch] = 1
        counts[Shape.TEXT] = _signed(_join(had[1:], _OFFSET))
        return counts


def _join(words: Iterable[int], start: int = 0) -> int:
    """One hash of many."""
    for word in words:
        start = (start ^ word) * _PRIME & _MASK
    return start


def _fold(value: int, slots: int) -> int:
    return (value ^ value >> 15) & (slots - 1)


def _signed(value: int) -> int:
    return value - (1 << 32) if value >> 31 else value


def _split(text: bytes, counts: list[int]) -> Iterator[tuple[int, int]]:
    """The hash and the bytes of each word; `counts` takes the classes of characters and how the text ends."""
    word, size = _OFFSET, 0
    last = Class.SPACE
    for match in _CHARACTER.finditer(text):
        character = match[0]
        kind = Class.SPACE if match[1] else _class_of(character)
        if Class.WORD < kind < Class.SPACE:
            counts[kind - 1] += 1
        if kind <= Class.UPPER:
            word, size = _join(character.lower(), word), size + len(character)
        elif size:
            yield word, size
            word, size = _OFFSET, 0
        if match[1] or kind != Class.SPACE:
            last = Class.WORD if match[1] else kind
    if size:
        yield word, size
    counts[Shape.FINAL] = int(last == Class.END)


def _class_of(character: bytes) -> Class:
    lead = character[0]
    if lead < 0x80:
        return Class(CLASS_OF[lead])
    if len(character) == 2 and lead < 0xE0:
        return Class(CLASS_OF[(lead & 0x1F) << 6 | character[1] & 0x3F])
    if len(character) == 3 and lead < 0xF0:
        return Class(CLASS_OF[(lead & 0x0F) << 12 | (character[1] & 0x3F) << 6 | character[2] & 0x3F])
    return Class.WORD


def read_shapes(source: bytes, start: Table, end: Table, told: Sequence[bytes]) -> Table:
    """For each text from `start` to `end` a row of `Shape`. `told` are title, description and structured data."""
    vocabulary = _Vocabulary()
    for text, what in zip(told, LEARNT, strict=True):
        vocabulary.learn(text, what)
    spans = zip(start.tolist(), end.tolist(), strict=True)
    rows = [vocabulary.read(source[first:last]) for first, last in spans]
    return np.array(rows, dtype=np.int32).reshape(len(rows), SHAPES)
