"""Find the elements of a page by CSS selectors, over the tables: no tree is built.

A selector is read into functions from `Elements` to a mask of nodes. Each step of it is a few
operations on whole columns, so the time is linear in the page for each step.

    find_elements(parse(html), ["nav a", "div.ad:not(#keep)"])
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bodytext.kernel.html import TAG
from bodytext.page.tables import Column, Page, or_above

Mask = npt.NDArray[np.bool_]
Matcher = Callable[["Elements"], Mask]

MOST_CHARACTERS = 10_000  # of all selectors together: each part of one costs a pass over the page
_MOST_NESTED = 8  # :not() in :not()

_ESCAPED = r"\\(?:[0-9a-fA-F]{1,6}[ \t\n]?|[^0-9a-fA-F\n])"
_NAME = re.compile(rf"(?:[\w-]|{_ESCAPED})+")
_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})[ \t\n]?|(.))")
_SPACE = re.compile(r"[ \t\r\n\f]*")
_COMBINATOR = re.compile(r"[ \t\r\n\f]*([>+~])[ \t\r\n\f]*|[ \t\r\n\f]+(?![,)]|\Z)")
_OPERATOR = re.compile(r"[~|^$*]?=")
_NTH = re.compile(r"(?:([+-]?\d{0,6})n(?:([+-])(\d{1,6}))?|([+-]?\d{1,6}))", re.IGNORECASE)
_TAG_NAME = re.compile(rb"<([^\t\n\f\r />]*)")


class SelectorError(ValueError):
    """A text that is not a selector; the message says where it goes wrong."""


@dataclass(frozen=True, eq=False)
class Elements:
    """The elements of a page, with what selectors ask about them, each read once."""

    page: Page
    _values: dict[int, dict[str, str]] = field(default_factory=dict)

    def attributes(self, node: int) -> dict[str, str]:
        """The attributes of an element."""
        if node not in self._values:
            self._values[node] = self.page.attributes(node)
        return self._values[node]

    def naming(self, text: str) -> npt.NDArray[np.intp]:
        """The nodes whose opening tag holds a text, or a reference that may stand for it."""
        # As bytes, which are lowered in ASCII alone, as in the page
        places = _find_all(self._lower, text.encode("utf-8", "replace").lower())
        offsets = np.array(places + self._references, np.intp)
        found = self.page.find_nodes(offsets)
        inside = (found >= 0) & (offsets < self.page.nodes.end[found])
        return np.unique(found[inside])

    @cached_property
    def _lower(self) -> bytes:
        return self.page.source.lower()

    @cached_property
    def _references(self) -> list[int]:
        return _find_all(self.page.source, b"&")

    def mark(self, nodes: Iterable[int]) -> Mask:
        """A mask of these nodes."""
        marked = np.zeros(len(self.page.nodes.tag), np.bool_)
        marked[list(nodes)] = True
        return marked

    @cached_property
    def positions(self) -> Column:
        """The place of each element among the children of its parent, from 1."""
        parent = self.page.nodes.parent
        order = np.argsort(parent, kind="stable")
        grouped = parent[order]
        begins = np.flatnonzero(np.concatenate(([True], grouped[1:] != grouped[:-1])))
        lengths = np.diff(np.concatenate((begins, [len(order)])))
        places = np.empty(len(order), np.int32)
        places[order] = np.arange(len(order)) - begins.repeat(lengths) + 1
        return places

    @cached_property
    def previous(self) -> Column:
        """The sibling right before each element, or -1."""
        parent = self.page.nodes.parent
        order = np.argsort(parent, kind="stable")
        before = np.full(len(order), -1, np.int32)
        same = parent[order][1:] == parent[order][:-1]
        before[order[1:][same]] = order[:-1][same]
        return before

    @cached_property
    def is_last(self) -> Mask:
        """Which elements have no sibling after them."""
        last = np.ones(len(self.previous), np.bool_)
        last[self.previous[self.previous >= 0]] = False
        return last


def _find_all(source: bytes, text: bytes) -> list[int]:
    places = []
    place = source.find(text)
    while place >= 0:
        places.append(place)
        place = source.find(text, place + len(text))
    return places


def find_elements(page: Page, selectors: str | Sequence[str]) -> npt.NDArray[np.intp]:
    """Return the numbers of the elements that match any of the selectors, in the page's order.

    Raises a SelectorError for a text that is not a selector.
    """
    matcher = read_selectors(selectors)
    return np.flatnonzero(matcher(Elements(page)))


def read_selectors(selectors: str | Sequence[str]) -> Matcher:
    """Return a function that marks the elements of a page that match any of the selectors."""
    texts: list[Any] = [selectors]
    if isinstance(selectors, Iterable) and not isinstance(selectors, str):
        texts = list(selectors)
    for text in texts:
        if not isinstance(text, str):
            raise SelectorError(f'a selector is text, such as "nav", not {type(text).__name__}')
    if sum(map(len, texts)) > MOST_CHARACTERS:
        raise SelectorError(f"selectors of more than {MOST_CHARACTERS:,} characters")
    return _either([_SelectorReader(text).read() for text in texts])


# What a selector can ask about elements.


def _either(matchers: Sequence[Matcher]) -> Matcher:
    def match(elements: Elements) -> Mask:
        found = elements.mark(())
        for matcher in matchers:
            found |= matcher(elements)
        return found

    return match


def _tag(name: str) -> Matcher:
    """Elements of a name; of those that HTML does not know the source has the name."""
    name = name.lower()

    def match(elements: Elements) -> Mask:
        nodes = elements.page.nodes
        if name in TAG:
            return np.equal(nodes.tag, TAG[name])
        wanted = name.encode("utf-8", "replace")
        unknown = np.flatnonzero((nodes.tag == 0) & (nodes.start < nodes.end)).tolist()
        source = elements.page.source
        heads = {node: _TAG_NAME.match(source, nodes.start.item(node)) for node in unknown}
        return elements.mark(
            node for node, head in heads.items() if head and head[1].lower() == wanted
        )

    return match


def _attribute(name: str, text: str, accepts: Callable[[str], bool]) -> Matcher:
    """Elements with an attribute whose value is accepted; their tags hold `text`."""
    name = name.lower()

    def match(elements: Elements) -> Mask:
        values = (
            (node, elements.attributes(node).get(name)) for node in elements.naming(text).tolist()
        )
        return elements.mark(node for node, value in values if value is not None and accepts(value))

    return match


_TESTS: dict[str, Callable[[str, str], bool]] = {
    "=": lambda value, wanted: value == wanted,
    "~=": lambda value, wanted: wanted in value.split(),
    "|=": lambda value, wanted: value == wanted or value.startswith(f"{wanted}-"),
    "^=": lambda value, wanted: bool(wanted) and value.startswith(wanted),
    "$=": lambda value, wanted: bool(wanted) and value.endswith(wanted),
    "*=": lambda value, wanted: bool(wanted) and wanted in value,
}


def _nth(step: int, offset: int) -> Matcher:
    """Elements whose place is offset, offset + step, offset + 2 step ..."""

    def match(elements: Elements) -> Mask:
        distance = elements.positions - offset
        if step == 0:
            return np.equal(distance, 0)
        return np.equal(distance % step, 0) & np.greater_equal(distance // step, 0)

    return match


_PLACES: dict[str, Matcher] = {
    "first-child": _nth(0, 1),
    "last-child": lambda elements: elements.is_last,
    "only-child": lambda elements: elements.is_last & (elements.positions == 1),
    "root": lambda elements: np.less(elements.page.nodes.parent, 0),
}


# How steps of a selector follow each other: from the elements of the step before to those beside
# or below them.


def _below(elements: Elements, marked: Mask) -> Mask:
    parent = elements.page.nodes.parent
    return or_above(marked, parent)[parent] & (parent >= 0)


def _right_below(elements: Elements, marked: Mask) -> Mask:
    parent = elements.page.nodes.parent
    return marked[parent] & (parent >= 0)


def _right_after(elements: Elements, marked: Mask) -> Mask:
    previous = elements.previous
    return marked[previous] & (previous >= 0)


def _after(elements: Elements, marked: Mask) -> Mask:
    parent, positions = elements.page.nodes.parent, elements.positions
    first = np.full(len(parent) + 1, len(parent) + 1, np.int32)
    np.minimum.at(first, parent[marked], positions[marked])  # the root's -1 is the last place
    return positions > first[parent]


_STEPS = {" ": _below, ">": _right_below, "+": _right_after, "~": _after}


class _Step(NamedTuple):
    combinator: str  # between this part and the one before it
    matcher: Matcher
    text: str

    @property
    def is_implied(self) -> bool:
        """Whether browsers add the element: selectors copied from them have a tbody in every table."""
        return self.combinator == ">" and self.text.lower() == "tbody"


def _path(steps: Sequence[_Step]) -> Matcher:
    def match(elements: Elements) -> Mask:
        found = steps[0].matcher(elements)
        for step in steps[1:]:
            found = _STEPS[step.combinator](elements, found) & step.matcher(elements)
        return found

    return match


class _SelectorReader:
    """Reads one selector list, from left to right."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._place = 0
        self._nested = 0

    def read(self) -> Matcher:
        matcher = self._read_list()
        if self._place < len(self._text):
            raise self._error("this is not expected")
        return matcher

    def _read_list(self) -> Matcher:
        matchers = [self._read_path()]
        while self._takes(","):
            matchers.append(self._read_path())
        return matchers[0] if len(matchers) == 1 else _either(matchers)

    def _read_path(self) -> Matcher:
        self._match(_SPACE)
        steps = [self._read_step("")]
        while between := self._match(_COMBINATOR):
            steps.append(self._read_step(between[1] or " "))
        self._match(_SPACE)
        if len(steps) == 1:
            return steps[0].matcher
        kept = [step for step in steps if not step.is_implied]
        return _path(steps) if kept == steps else _either([_path(steps), _path(kept)])

    def _read_step(self, combinator: str) -> _Step:
        begin = self._place
        matcher = self._read_compound()
        return _Step(combinator, matcher, self._text[begin : self._place])

    def _read_compound(self) -> Matcher:
        """A type, and whatever follows it without a space."""
        matchers: list[Matcher] = []
        begin = self._place
        if self._takes("*"):
            matchers.append(lambda elements: ~elements.mark(()))
        elif self._match(_NAME, keep=True):
            matchers.append(_tag(self._read_name("the name of an element")))
        readers = {"#": self._read_id, ".": self._read_class, "[": self._read_attribute}
        readers[":"] = self._read_pseudo
        while reader := readers.get(self._text[self._place : self._place + 1]):
            self._place += 1
            matchers.append(reader())
        if self._place == begin:
            raise self._error("a name, *, #, ., [ or : is expected")
        return matchers[0] if len(matchers) == 1 else _all(matchers)

    def _read_id(self) -> Matcher:
        name = self._read_name("an id")
        return _attribute("id", name, lambda value: value == name)

    def _read_class(self) -> Matcher:
        name = self._read_name("a class")
        return _attribute("class", name, lambda value: name in value.split())

    def _read_attribute(self) -> Matcher:
        self._match(_SPACE)
        name = self._read_name("the name of an attribute")
        self._match(_SPACE)
        operator = self._match(_OPERATOR)
        if not operator:
            self._expect("]")
            return _attribute(name, name, lambda _: True)
        self._match(_SPACE)
        wanted = self._read_value()
        self._match(_SPACE)
        folded = self._takes("i") or self._takes("I")
        self._match(_SPACE)
        self._expect("]")
        test = _TESTS[operator[0]]
        if folded:
            lower = wanted.lower()
            return _attribute(name, name, lambda value: test(value.lower(), lower))
        return _attribute(name, name, lambda value: test(value, wanted))

    def _read_value(self) -> str:
        quote = self._text[self._place : self._place + 1]
        if quote in {'"', "'"}:
            return self._read_string(quote)
        # Browsers want quotation marks around numbers; people forget them.
        match = self._match(_NAME)
        if not match:
            raise self._error("a value is expected")
        return _unescape(match[0])

    def _read_string(self, quote: str) -> str:
        begin = end = self._place + 1
        while end < len(self._text) and self._text[end] != quote:
            end += 2 if self._text[end] == "\\" else 1
        if end >= len(self._text):
            raise self._error("the quotation mark is not closed")
        self._place = end + 1
        return _unescape(self._text[begin:end])

    def _read_pseudo(self) -> Matcher:
        begin = self._place
        name = self._read_name("a name such as not or first-child").lower()
        if name in _PLACES:
            return _PLACES[name]
        if name in {"not", "is", "where"}:
            inner = self._read_inner()
            return (lambda elements: ~inner(elements)) if name == "not" else inner
        if name == "nth-child":
            return self._read_nth()
        self._place = begin
        known = ", ".join([*_PLACES, "nth-child()", "not()", "is()"])
        raise self._error(f"{name} is not among {known}")

    def _read_inner(self) -> Matcher:
        self._expect("(")
        self._nested += 1
        if self._nested > _MOST_NESTED:
            raise self._error(f"more than {_MOST_NESTED} brackets in each other")
        matcher = self._read_list()
        self._nested -= 1
        self._expect(")")
        return matcher

    def _read_nth(self) -> Matcher:
        self._expect("(")
        close = self._text.find(")", self._place)
        inner = "".join(self._text[self._place : max(close, self._place)].split()).lower()
        inner = {"odd": "2n+1", "even": "2n"}.get(inner, inner)
        match = _NTH.fullmatch(inner)
        if close < 0 or not match:
            raise self._error("a place such as 3, odd or 2n+1 is expected")
        self._place = close + 1
        if match[4]:
            return _nth(0, int(match[4]))
        step = {"": 1, "+": 1, "-": -1}.get(match[1])
        offset = int(match[2] + match[3]) if match[3] else 0
        return _nth(int(match[1]) if step is None else step, offset)

    # Characters.

    def _match(self, pattern: re.Pattern[str], *, keep: bool = False) -> re.Match[str] | None:
        match = pattern.match(self._text, self._place)
        if match and not keep:
            self._place = match.end()
        return match

    def _takes(self, character: str) -> bool:
        taken = self._text.startswith(character, self._place)
        self._place += taken
        return taken

    def _expect(self, character: str) -> None:
        if not self._takes(character):
            raise self._error(f"{character} is expected")

    def _read_name(self, what: str) -> str:
        match = self._match(_NAME)
        if not match or match[0][0].isdigit():
            self._place = match.start() if match else self._place
            raise self._error(f"{what} is expected; it begins with a letter")
        return _unescape(match[0])

    def _error(self, problem: str) -> SelectorError:
        place = f"at character {self._place + 1}"
        if self._place >= len(self._text):
            place = "at its end"
        return SelectorError(f"not a CSS selector: {self._text!r}: {place}, {problem}")


def _all(matchers: Sequence[Matcher]) -> Matcher:
    def match(elements: Elements) -> Mask:
        found = matchers[0](elements)
        for matcher in matchers[1:]:
            found = found & matcher(elements)
        return found

    return match


def _unescape(text: str) -> str:
    if "\\" not in text:
        return text
    return _ESCAPE.sub(_read_escape, text)


def _read_escape(match: re.Match[str]) -> str:
    if not match[1]:
        return match[2]
    code = int(match[1], 16)
    return chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd"
