"""Read a DTD of our own, and check XML by it, with the line of each fault; no package is needed.

It reads what `tei.dtd` uses: elements, attributes, parameter entities, comments. A content model
becomes an automaton whose states are the places of names in it, so that a fault says what may
stand there instead.
"""

import re
from dataclasses import dataclass, field
from functools import reduce
from typing import NamedTuple
from xml.parsers import expat

MOST_PROBLEMS = 20
_START = 0  # the state before the first child
_TEXT = "#PCDATA"
_WORD = re.compile(r"[\w:#]+|\([^()]*\)|\"[^\"]*\"")
_TOKEN = re.compile(r"[\w:]+|[(),|?*+]")


class AttributeRule(NamedTuple):
    """What an attribute may be."""

    values: frozenset[str]  # nothing if any text may be
    is_required: bool = False
    is_id: bool = False


class _ContentModel(NamedTuple):
    """A part of a content model: where it begins and ends, and what follows what in it."""

    first: frozenset[int]
    last: frozenset[int]
    follows: frozenset[tuple[int, int]]
    may_be_empty: bool


@dataclass(slots=True)
class ElementRule:
    """What an element may hold: children by an automaton, or text and children in any order."""

    names: list[str] = field(default_factory=lambda: [""])  # of each state; 0 is the start
    steps: dict[int, dict[str, int]] = field(default_factory=dict)
    ends: frozenset[int] = frozenset({_START})
    mixed: frozenset[str] | None = None
    attributes: dict[str, AttributeRule] = field(default_factory=dict)

    def expect(self, state: int) -> str:
        """Say what may stand after a state."""
        names = sorted(self.steps.get(state, ()))
        if state in self.ends:
            names.append("its end")
        return " or ".join(names)


def read_dtd(text: str) -> dict[str, ElementRule]:
    """Return the rule of each element."""
    entities: dict[str, str] = {}
    rules: dict[str, ElementRule] = {}
    for part in text.split("<!")[1:]:
        declaration = part.partition(">")[0]
        for name, value in entities.items():
            declaration = declaration.replace(f"%{name};", value)
        kind, _, rest = declaration.partition(" ")
        name, _, value = rest.strip().removeprefix("% ").partition(" ")
        if kind == "ENTITY":
            entities[name] = value.strip('"')
        elif kind == "ELEMENT":
            rules[name] = _read_content(value)
        elif kind == "ATTLIST":
            first, *words = _WORD.findall(rest)
            rules[first].attributes = _read_attributes(words)
    return rules


def _read_attributes(words: list[str]) -> dict[str, AttributeRule]:
    """Read names, kinds and defaults: ["type", "(main | sub)", "#REQUIRED", ...]."""
    found = {}
    rest = iter(words)
    for name in rest:
        kind, default = next(rest), next(rest)
        values = kind.strip("()").replace("|", " ").split() if kind.startswith("(") else []
        if default == "#FIXED":
            values = [next(rest).strip('"')]
        found[name] = AttributeRule(frozenset(values), default == "#REQUIRED", kind == "ID")
    return found


def _read_content(model: str) -> ElementRule:
    if model.strip() == "EMPTY":
        return ElementRule()
    if _TEXT in model:
        return ElementRule(mixed=frozenset(_TOKEN.findall(model.replace(_TEXT, ""))) - set("()|*"))
    reader = _ModelReader(_TOKEN.findall(model))
    whole = reader.read()
    rule = ElementRule(reader.names, ends=whole.last | ({_START} if whole.may_be_empty else set()))
    pairs = [*((_START, place) for place in whole.first), *whole.follows]
    for place, following in pairs:
        rule.steps.setdefault(place, {})[reader.names[following]] = following
    return rule


class _ModelReader:
    """Reads a content model such as (head?, (item+ | (label, item)+))."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens[::-1]
        self.names = [""]

    def read(self) -> _ContentModel:
        token = self.tokens.pop()
        if token == "(":  # noqa: S105
            parts = [self.read()]
            separator = ","
            while (separator_or_end := self.tokens.pop()) != ")":
                separator = separator_or_end
                parts.append(self.read())
            model = reduce(_choose if separator == "|" else _join, parts)
        else:
            self.names.append(token)
            place = frozenset({len(self.names) - 1})
            model = _ContentModel(place, place, frozenset(), False)
        return self._repeat(model)

    def _repeat(self, model: _ContentModel) -> _ContentModel:
        sign = self.tokens.pop() if self.tokens and self.tokens[-1] in {"?", "*", "+"} else ""
        if sign in {"*", "+"}:
            again = {(last, first) for last in model.last for first in model.first}
            model = model._replace(follows=model.follows | again)
        return model._replace(may_be_empty=model.may_be_empty or sign in {"?", "*"})


def _choose(one: _ContentModel, other: _ContentModel) -> _ContentModel:
    return _ContentModel(
        one.first | other.first,
        one.last | other.last,
        one.follows | other.follows,
        one.may_be_empty or other.may_be_empty,
    )


def _join(one: _ContentModel, other: _ContentModel) -> _ContentModel:
    between = {(last, first) for last in one.last for first in other.first}
    return _ContentModel(
        one.first | other.first if one.may_be_empty else one.first,
        one.last | other.last if other.may_be_empty else other.last,
        one.follows | other.follows | between,
        one.may_be_empty and other.may_be_empty,
    )


@dataclass(slots=True)
class _CheckedElement:
    name: str
    rule: ElementRule | None
    state: int = _START
    has_text: bool = False


class XmlCheck:
    """Checks a document by the rules of a DTD, in one pass."""

    def __init__(self, rules: dict[str, ElementRule], root: str) -> None:
        self.problems: list[str] = []
        self._rules = rules
        self._root = root
        self._open: list[_CheckedElement] = []
        self._ids: set[str] = set()
        self._parser = expat.ParserCreate()

    def run(self, text: str) -> list[str]:
        """Return what is wrong, in words, at most some twenty; nothing if all is well."""
        parser = self._parser
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._read_text
        parser.StartDoctypeDeclHandler = self._refuse_doctype
        try:
            parser.Parse(text.encode("utf-8", "replace"), True)
        except expat.ExpatError as error:
            self._report(f"not well-formed: {expat.ErrorString(error.code)}")
        except _EnoughError:
            pass
        return self.problems

    def _report(self, problem: str) -> None:
        self.problems.append(f"line {self._parser.CurrentLineNumber}: {problem}")
        if len(self.problems) >= MOST_PROBLEMS:
            raise _EnoughError

    def _refuse_doctype(self, *_: object) -> None:
        self._report("there is a DOCTYPE, which we never write")
        raise _EnoughError

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        rule = self._rules.get(name)
        if self._open:
            self._enter(self._open[-1], name)
        elif name != self._root:
            self._report(f"the first element is {name}, not {self._root}")
        self._open.append(_CheckedElement(name, rule))
        if rule is not None:
            self._check_attributes(name, rule, attributes)

    def _enter(self, parent: _CheckedElement, name: str) -> None:
        """Check that a child may stand here."""
        rule = parent.rule
        if rule is None:
            return  # it was reported itself
        if rule.mixed is not None:
            if name not in rule.mixed:
                self._report(f"{name} may not be in {parent.name}")
            return
        following = rule.steps.get(parent.state, {}).get(name)
        if following is None:
            expected = rule.expect(parent.state)
            self._report(f"{name} may not be here in {parent.name}: expected {expected}")
        else:
            parent.state = following

    def _end(self, name: str) -> None:
        element = self._open.pop()
        rule = element.rule
        if rule is not None and rule.mixed is None and element.state not in rule.ends:
            self._report(f"{name} ends too early: expected {rule.expect(element.state)}")

    def _read_text(self, text: str) -> None:
        element = self._open[-1]
        rule = element.rule
        if rule is None or rule.mixed is not None or element.has_text:
            return
        if rule.steps and not text.strip():
            return  # space between children
        element.has_text = True  # said once
        self._report(f"text may not be in {element.name}")

    def _check_attributes(
        self, element: str, rule: ElementRule, attributes: dict[str, str]
    ) -> None:
        for name, value in attributes.items():
            known = rule.attributes.get(name)
            if known is None:
                self._report(f"{element} has no attribute {name}")
            elif known.values and value not in known.values:
                choices = " or ".join(sorted(known.values))
                self._report(f'{name}="{value}" of {element} must be {choices}')
            elif known.is_id:
                self._check_id(name, value)
        for name, known in rule.attributes.items():
            if known.is_required and name not in attributes:
                self._report(f"{element} needs the attribute {name}")

    def _check_id(self, name: str, value: str) -> None:
        if value in self._ids:
            self._report(f'{name}="{value}" is there twice')
        self._ids.add(value)


class _EnoughError(Exception):
    """There are enough problems to report."""
