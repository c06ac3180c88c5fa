"""Long texts for a regular expression, and how the time for them grows."""

import re
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from re import _constants, _parser  # type: ignore[attr-defined]
from typing import Any

from example_counts import IS_RANDOM
from expressions import WAYS, Use

CHARACTERS = " \n\t.a0<>\"',\\-/=&é"
_MOST_CHARACTERS = 12  # that an expression tells apart
SIZE = 1_000 if IS_RANDOM else 500
TIMES_LARGER = 4
MOST_GROWTH = 8  # of the time at TIMES_LARGER: linear work takes 4 times as long, quadratic 16
_FAST = SIZE / 20_000_000  # CPU seconds at SIZE; quadratic work takes longer on any machine
_LONGEST = 1  # CPU second for one text; linear work takes less than a tenth of it

_SINGLE = {_constants.LITERAL, _constants.NOT_LITERAL, _constants.ANY, _constants.IN}
_REPEATS = {_constants.MAX_REPEAT, _constants.MIN_REPEAT, _constants.POSSESSIVE_REPEAT}
_CLASSES = {"DIGIT": re.compile(r"\d"), "SPACE": re.compile(r"\s"), "WORD": re.compile(r"\w")}


@dataclass(frozen=True, order=True)
class LongText:
    """A start, rows of repeated text, and an end."""

    start: str
    rows: tuple[str, ...]
    end: str = ""

    def make(self, size: int) -> str:
        """Return the text with rows of about this many characters in all."""
        share = size // len(self.rows)
        rows = (row * (share // len(row) + 1) for row in self.rows)
        return self.start + "".join(rows) + self.end


@cache
def list_texts(pattern: str | bytes, flags: int) -> list[LongText]:
    """The texts that might take long: rows of characters, and rows after what is matched first."""
    tree = _parser.parse(pattern, flags)
    letters = _distinct_characters(tree)
    texts = {LongText("", (letter,)) for letter in letters}
    for first in letters:
        for second in letters:
            texts.add(LongText("", (first + second,)))
            texts.add(LongText("", (first, second)))
    for start, row in set(_repetitions(tree, "", "".join(letters))):
        texts.add(LongText("", (start + row,)))
        texts.add(LongText("", (start or row,)))
        texts.update(LongText(start, (row,), end) for end in ("", "\0", "\n!"))
    return sorted(texts)


def _distinct_characters(tree: Any) -> list[str]:
    """One of all characters between which an expression makes no difference."""
    nodes = list({str(node): node for node in _single_nodes(tree)}.values())
    own = "".join(_own_characters(node) for node in nodes)
    chosen: dict[tuple[bool, ...], str] = {}
    for letter in dict.fromkeys(CHARACTERS + own):
        kind = (letter == "\n", letter.isspace(), letter.isalnum())
        chosen.setdefault((*kind, *(_accepts(node, letter) for node in nodes)), letter)
    return list(chosen.values())[:_MOST_CHARACTERS]


def _single_nodes(tree: Any) -> Iterator[Any]:
    """Yield the nodes of an expression that match one character."""
    for node in tree:
        if node[0] in _SINGLE:
            yield node
        for part in parts_of(node[1]):
            yield from _single_nodes(part)


def parts_of(value: Any) -> Iterator[Any]:
    """Yield the expressions within a node."""
    for part in value if isinstance(value, tuple | list) else (value,):
        for inner in part if isinstance(part, list) else (part,):
            if isinstance(inner, _parser.SubPattern):
                yield inner


def _own_characters(node: Any) -> str:
    """The characters that a node names."""
    operator, value = node
    if operator in {_constants.LITERAL, _constants.NOT_LITERAL}:
        return chr(value)
    if operator is _constants.RANGE:
        return chr(value[0])
    return "".join(map(_own_characters, value)) if operator is _constants.IN else ""


def _accepts(node: Any, letter: str) -> bool:
    """Whether a node matches a character, in either case."""
    return any(_matches(node, each) for each in {letter, letter.lower(), letter.upper()})


def _matches(node: Any, letter: str) -> bool:
    operator, value = node
    if operator is _constants.IN:
        negated = value[0][0] is _constants.NEGATE
        return negated != any(_matches(item, letter) for item in value)
    if operator in {_constants.LITERAL, _constants.NOT_LITERAL}:
        return bool((letter == chr(value)) == (operator is _constants.LITERAL))
    if operator is _constants.RANGE:
        return bool(chr(value[0]) <= letter <= chr(value[1]))
    if operator is _constants.CATEGORY:
        name = str(value)
        found = _CLASSES[name.rpartition("_")[2]].match(letter) is not None
        return found != ("_NOT_" in name)
    return operator is _constants.ANY


def _repetitions(tree: Any, before: str, letters: str) -> Iterator[tuple[str, str]]:
    """Yield what is matched before each repetition, and what is repeated, of these characters."""
    for operator, value in tree:
        if operator in _REPEATS and value[1] > 1:
            for row in _rows(value[2], letters):
                yield before, row
        for part in parts_of(value):
            yield from _repetitions(part, before, letters)
        before += _sample([(operator, value)])
    if before:
        yield before, before[-1]


def _rows(tree: Any, letters: str) -> list[str]:
    """Texts that a repetition repeats: of a single character, all of these that it accepts."""
    if len(tree) > 1 or tree[0][0] not in _SINGLE:
        return list(filter(None, [_sample(tree)]))
    accepted = [letter for letter in letters if _accepts(tree[0], letter)]
    return accepted or list(_sample(tree))


def _sample(tree: Any) -> str:
    """A short text that an expression might match."""
    text = ""
    for operator, value in tree:
        if operator in _SINGLE:
            known = CHARACTERS + _own_characters((operator, value))
            text += next((each for each in known if _accepts((operator, value), each)), "")
        elif operator in _REPEATS:
            text += _sample(value[2]) * value[0]
        elif operator is _constants.BRANCH:
            text += _sample(value[1][0])
        elif operator in {_constants.SUBPATTERN, _constants.ATOMIC_GROUP}:
            text += "".join(map(_sample, parts_of(value)))
    return text


class TooLongError(Exception):
    """A text took longer than linear work ever takes."""


def find_growth(use: Use) -> tuple[float, LongText | None]:
    """How much longer some text takes if it is TIMES_LARGER, and that text."""
    pattern = re.compile(use.pattern, use.flags)
    before = signal.signal(signal.SIGVTALRM, _stop)
    try:
        for text in list_texts(use.pattern, use.flags):
            growth = _measure(use, pattern, text)
            if growth > MOST_GROWTH:
                return growth, text
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
    return 0.0, None


def _measure(use: Use, pattern: re.Pattern[Any], text: LongText) -> float:
    """How much longer a text takes if it is TIMES_LARGER; 0 if it is fast."""
    signal.setitimer(signal.ITIMER_VIRTUAL, _LONGEST)
    try:
        if (
            _time(use, pattern, text, SIZE, time.perf_counter) < _FAST
        ):  # reading that clock is quick
            return 0.0
        return min(_compare(use, pattern, text))
    except TooLongError:
        return float("inf")


def _stop(*_: object) -> None:
    raise TooLongError


def _compare(use: Use, pattern: re.Pattern[Any], text: LongText) -> Iterator[float]:
    """Yield the growth, several times as long as it is too much; at last with longer texts.

    A repetition with a bound is quadratic up to its bound.
    """
    for size, times in ((SIZE, 1), (SIZE, 3), (SIZE * TIMES_LARGER, 2)):
        small = min(_time(use, pattern, text, size) for _ in range(times))
        if small < _FAST:
            yield 0.0
            break
        large = min(_time(use, pattern, text, size * TIMES_LARGER) for _ in range(times))
        yield large / small
        if large < MOST_GROWTH * small:
            break


def _time(
    use: Use,
    pattern: re.Pattern[Any],
    text: LongText,
    size: int,
    clock: Callable[[], float] = time.thread_time,
) -> float:
    """Seconds of one use, of this thread alone if no other clock is given."""
    made = text.make(size)
    given = made.encode("latin-1", "replace") if isinstance(use.pattern, bytes) else made
    start = clock()
    WAYS[use.way](pattern, given)
    return clock() - start
