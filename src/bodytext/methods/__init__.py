"""The ways to score the blocks of a page: five published methods, and the learned one that is the default.

A method is a frozen dataclass whose fields are its published parameters. CONTRIBUTING.md says how to add one.
"""

import dataclasses
import re
from functools import cache
from typing import Any, Protocol, cast, runtime_checkable

from bodytext.methods.registry import Registry
from bodytext.methods.scores import Scores, Values
from bodytext.page.tables import Page

LEARNED = "learned"
DEFAULT = LEARNED
METHODS: Registry[type[Any]] = Registry(
    "bodytext.methods",
    {
        "finn": "bodytext.methods.finn:Finn",
        "runs": "bodytext.methods.runs:Runs",
        "cuter": "bodytext.methods.cuter:Cuter",
        "spread": "bodytext.methods.spread:Spread",
        "density": "bodytext.methods.density:Density",
        "learned": "bodytext.methods.learned.method:Learned",
    },
)

# a comma inside a value, such as a title, separates nothing
_NEXT_PARAMETER = re.compile(r",(?=\w+=)")
_BOOLEANS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_NUMBERS = {int: "a whole number", float: "a number"}


@runtime_checkable
class Method(Protocol):
    """A way to find the body text."""

    def score(self, page: Page) -> Scores:
        """Score each block from 0 to 1; 0.5 is the boundary."""


@runtime_checkable
class Shiftable(Method, Protocol):
    """A method that can take outside knowledge into account before it decides."""

    def score_shifted(self, page: Page, shift: Values) -> Scores:
        """Score each block after adding a number to its logit."""


@runtime_checkable
class Guessing(Method, Protocol):
    """A method that may find nothing likely, but knows what is likeliest."""

    def guess(self, page: Page) -> Scores:
        """Score each block as `score` does, with the boundary where the best answer is, however unlikely."""


def as_method(method: str | Method, model: str = "") -> Method:
    """Return a method, given one or its name, which parameters may follow: "spread:stop=8".

    `model` is a file of weights that the method named "learned" uses in place of the package's own.
    """
    if not isinstance(method, str):
        if isinstance(method, type) or not callable(getattr(method, "score", None)):
            raise TypeError(f"a method is a name or an object with score(page), not {method!r}")
        return method
    if method == DEFAULT and not model:  # most
        return _default_method()
    name, _, parameters = method.partition(":")
    kind = METHODS.find(name)
    values = dict(_read_parameter(kind, part) for part in _NEXT_PARAMETER.split(parameters) if part)
    if model and method == LEARNED:
        values["model"] = model
    made: Method = kind(**values)
    return made


@cache
def _default_method() -> Method:
    """Return the default method, which is made once: methods do not change."""
    return cast("Method", METHODS[DEFAULT]())


def with_title(method: Method, title: str) -> Method:
    """Return the method with the page's title, if the method has a parameter for it."""
    if title and dataclasses.is_dataclass(method) and "title" in _field_types(type(method)):
        return dataclasses.replace(method, title=title)
    return method


def _field_types(method: type[Any]) -> dict[str, type]:
    return {field.name: type(field.default) for field in dataclasses.fields(method)}


def _read_parameter(method: type[Any], part: str) -> tuple[str, object]:
    name, equals, value = part.partition("=")
    types = _field_types(method)
    if not equals or name not in types:
        known = ", ".join(types) or "none"
        raise ValueError(
            f"{part!r} is not a parameter of this method; write name=value, with a name of: {known}"
        )
    return name, _convert(name, value, types[name])


def _convert(name: str, value: str, kind: type) -> object:
    """Convert a parameter from its text to the type of its default."""
    if kind is bool:
        if value.lower() not in _BOOLEANS:
            raise ValueError(f"{name} must be true or false, not {value!r}")
        return _BOOLEANS[value.lower()]
    if kind not in _NUMBERS:
        return value
    try:
        return kind(value)
    except ValueError:
        raise ValueError(f"{name} must be {_NUMBERS[kind]}, not {value!r}") from None
