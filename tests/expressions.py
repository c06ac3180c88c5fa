"""Find the regular expressions of the package, and the ways in which each is used."""

import ast
import importlib
import importlib.util
import pkgutil
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import bodytext
from bodytext.page.late_pattern import LatePattern

Expression = tuple[str | bytes, int]  # with its flags

# Modules that start a program or need a package that is not installed with the tests.
LEFT_OUT = ("bodytext.__main__", "bodytext.integrations", "bodytext.studio.evaluation.peers")
# Values for the variables of functions that compile an expression.
VARIABLES: dict[str, dict[str, Any]] = {
    "bodytext.corpus.stages.vietnamese.encodings": {"longest_first": ["ao\u00e1", "a\u00e1"]},
    "bodytext.kernel.scanner": {"names": b"title|noscript"},
    "bodytext.page.tables": {"name": b"title"},
    "bodytext.studio.training.augmentation": {"name": "section"},
    "bodytext.reader.analysis.terms": {
        "word": r"a-zà-ÿ0-9",
        "invisible": r"\u00ad\u200b",
        "ideographs": "\u3040-\u9fff",
        "unspaced": "\u0e00-\u0e7f",
    },
}
# Places where an expression is used on what the package itself has written: names and tables.
OWN_TEXT = {
    ("bodytext.corpus.stages.tokens", "pattern"),
    ("bodytext.kernel.words", "b'[%s]+' % re.escape(bytes(letters))"),
    ("bodytext.methods.learned.explanation", "pattern"),
    ("bodytext.page.late_pattern", "self.pattern"),  # they are found by their names
}


@dataclass(frozen=True)
class Use:
    """An expression, and the way in which it is used."""

    pattern: str | bytes
    flags: int
    way: str
    place: str  # the module, and the name if there is one


def _match_on(pattern: re.Pattern[Any], text: Any) -> None:
    """Match again and again, each time after the last match or one character further."""
    position = 0
    while position < len(text):
        match = pattern.match(text, position)
        position = max(match.end() if match else 0, position + 1)


# "match on" is `match` with a position.
WAYS: dict[str, Callable[[re.Pattern[Any], Any], Any]] = {
    "match": lambda pattern, text: pattern.match(text),
    "match on": _match_on,
    "fullmatch": lambda pattern, text: pattern.fullmatch(text),
    "search": lambda pattern, text: pattern.search(text),
    "findall": lambda pattern, text: pattern.findall(text),
    "finditer": lambda pattern, text: list(pattern.finditer(text)),
    "split": lambda pattern, text: pattern.split(text),
    "sub": lambda pattern, text: pattern.sub(text[:0], text),
    "subn": lambda pattern, text: pattern.subn(text[:0], text),
}
UNKNOWN = ("fullmatch", "finditer")  # the ways where the use cannot be read
_TO_THE_END = ("finditer", "findall", "split", "sub", "subn")  # all do the same work


def leave_out_contained(ways: set[str]) -> set[str]:
    """Leave out ways whose work is the beginning of another's: what finds all matches finds the first."""
    whole = [way for way in _TO_THE_END if way in ways][:1] or ways & {"search"}
    contained = {"match", "search", *_TO_THE_END} if whole else set()
    return ways - contained | set(whole)


@contextmanager
def recorded() -> Iterator[set[Expression]]:
    """Record what modules of the package compile, or will when it is first used."""
    found: set[Expression] = set()
    compile_pattern, make_late = re.compile, LatePattern.__init__

    def record(pattern: Any, flags: Any = 0) -> Any:
        caller = sys._getframe(1).f_globals["__name__"]
        if isinstance(pattern, str | bytes) and caller.startswith("bodytext"):
            found.add((pattern, int(flags)))
        return compile_pattern(pattern, flags)

    def record_late(self: LatePattern, pattern: str | bytes, flags: int) -> None:
        found.add((pattern, int(flags)))
        make_late(self, pattern, flags)

    re.compile, LatePattern.__init__ = record, record_late  # type: ignore[method-assign]
    try:
        yield found
    finally:
        re.compile, LatePattern.__init__ = compile_pattern, make_late  # type: ignore[method-assign]


class ModuleSource:
    """A module of the package: its source, and what it compiles when it is imported."""

    def __init__(self, name: str) -> None:
        self.name = name
        importlib.import_module(name)  # and what it imports: only its own is recorded then
        spec = importlib.util.find_spec(name)
        assert spec is not None
        assert spec.loader is not None
        self.module: ModuleType = importlib.util.module_from_spec(spec)
        with recorded() as self.compiled:
            spec.loader.exec_module(self.module)
        self.nodes = list(ast.walk(ast.parse(Path(str(spec.origin)).read_bytes())))
        self.attributes = {
            id(node.value): node for node in self.nodes if isinstance(node, ast.Attribute)
        }
        self.imported = {
            alias.asname or alias.name: f"{node.module}.{alias.name}"
            for node in self.nodes
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }

    def named(self) -> dict[str, re.Pattern[Any] | LatePattern]:
        """The expressions that have a name in this module."""
        return {
            name: value
            for name, value in vars(self.module).items()
            if isinstance(value, re.Pattern | LatePattern) and name not in self.imported
        }

    def ways_of_names(self) -> Iterator[tuple[str, str]]:
        """Yield each name, with the module that it is from, and a way in which it is used."""
        calls = {id(node.func): node for node in self.nodes if isinstance(node, ast.Call)}
        for node in self.nodes:
            if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load):
                continue
            name = self.imported.get(node.id, f"{self.name}.{node.id}")
            attribute = self.attributes.get(id(node))
            if attribute is None:  # it is handed on
                yield from ((name, way) for way in UNKNOWN)
            elif attribute.attr in WAYS:
                call = calls.get(id(attribute))
                has_position = attribute.attr == "match" and call and len(call.args) > 1
                yield name, "match on" if has_position else attribute.attr

    def calls(self) -> Iterator[tuple[ast.Call, str]]:
        """Yield the calls of functions of `re`, and the way in which each uses its expression."""
        for node in self.nodes:
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
                continue
            way = node.func.attr
            if ast.unparse(node.func.value) != "re" or way not in {*WAYS, "compile"}:
                continue
            if way == "compile":
                attribute = self.attributes.get(id(node))
                way = attribute.attr if attribute else ""
            yield node, way

    def evaluate(self, call: ast.Call) -> Expression | None:
        """The expression of a call; None if it depends on an unknown variable of a function."""
        flags = [item.value for item in call.keywords if item.arg == "flags"]
        if isinstance(call.func, ast.Attribute) and call.func.attr == "compile":
            flags += call.args[1:2]
        known = {**vars(self.module), **VARIABLES.get(self.name, {})}
        try:
            pattern, *given = (
                eval(compile(ast.Expression(part), self.name, "eval"), known)  # noqa: S307  our own source
                for part in (call.args[0], *flags)
            )
        except NameError:
            return None
        return pattern, int(sum(given))


@cache
def list_modules() -> list[ModuleSource]:
    """Import every module again."""
    names = [module.name for module in pkgutil.walk_packages(bodytext.__path__, "bodytext.")]
    return [
        ModuleSource(name)
        for name in names
        if not name.startswith(LEFT_OUT) and not name.endswith("_native") and can_be_imported(name)
    ]


def can_be_imported(name: str) -> bool:
    """Whether the packages are here that a module needs, such as torch."""
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        if str(error.name).startswith("bodytext"):
            raise
        return False
    return True


@cache
def list_uses() -> frozenset[Use]:
    """All uses of expressions, by name, in containers, and in calls of functions of `re`."""
    ways: dict[str, set[str]] = {}
    for module in list_modules():
        for name, way in module.ways_of_names():
            ways.setdefault(name, set()).add(way)
    uses: set[Use] = set()
    for module in list_modules():
        named = module.named()
        for name, pattern in named.items():
            place = f"{module.name}.{name}"
            for way in leave_out_contained(ways.get(place, set(UNKNOWN))):
                uses.add(Use(pattern.pattern, pattern.flags, way, place))
        texts = {pattern.pattern for pattern in named.values()}
        uses.update(_uses_in_calls(module, texts))
        uses.update(
            Use(text, flags, way, module.name)
            for text, flags in module.compiled
            if text not in texts
            for way in UNKNOWN
        )
    return frozenset(uses)


def _uses_in_calls(module: ModuleSource, named: set[str | bytes]) -> Iterator[Use]:
    """Yield the uses in calls of functions of `re`, but those that give an expression its name."""
    for call, way in module.calls():
        expression = module.evaluate(call)
        if expression and (way or expression[0] not in named):
            for each in (way,) if way else UNKNOWN:
                yield Use(*expression, each, module.name)


def list_unread() -> set[tuple[str, str]]:
    """The places where an expression depends on a variable that has no value here."""
    return {
        (module.name, ast.unparse(call.args[0]))
        for module in list_modules()
        for call, _ in module.calls()
        if module.evaluate(call) is None
    }
