"""Page -> Scores, a file a method. To add one: a file here and a line in METHODS."""

import dataclasses
import re
from importlib import import_module
from typing import Any, Protocol, runtime_checkable

from bodytext.page.tables import Page
from bodytext.selection import Scores

# Name -> (module, class). Modules load when their method is first asked for.
METHODS: dict[str, tuple[str, str]] = {
    "finn": ("bodytext.methods.finn", "Finn"),
    "runs": ("bodytext.methods.runs", "Runs"),
    "cuter": ("bodytext.methods.cuter", "Cuter"),
    "spread": ("bodytext.methods.spread", "Spread"),
    "density": ("bodytext.methods.density", "Density"),
    "learned": ("bodytext.methods.learned.method", "Learned"),
}
LEARNED = "learned"
DEFAULT = LEARNED

_NEXT_PARAMETER = re.compile(r",(?=\w+=)")  # a comma inside a value, such as a title, parts nothing
_TRUTHS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


@runtime_checkable
class Method(Protocol):
    """A way to find the body text: a frozen dataclass whose fields are its published parameters."""

    def score(self, page: Page) -> Scores:
        """A number from 0 to 1 for each block; 0.5 is the boundary."""
        ...


@runtime_checkable
class Judge(Method, Protocol):
    """A method that also tells the kind of page, and how good its answer is likely to be."""

    def judge(self, page: Page) -> tuple[Scores, str, float | None]:
        """Scores, the kind of page, and the F1 that is expected of what is kept at the boundary, where it is known."""
        ...


def method_class(name: str) -> type[Any]:
    """The class of a method by its name."""
    if name not in METHODS:
        raise ValueError(f"there is no method {name!r}; choose one of {', '.join(METHODS)}")
    module, class_name = METHODS[name]
    found: type[Any] = getattr(import_module(module), class_name)
    return found


def as_method(method: str | Method, model: str = "") -> Method:
    """A method from its name, or from a name with parameters such as "spread:stop=8" or "density:rule=average".

    `model` is a file of weights that the method named "learned" uses in place of the package's own.
    """
    if not isinstance(method, str):
        if isinstance(method, type) or not isinstance(method, Method):
            raise TypeError(f"a method is a name or an object with score(page), not {method!r}")
        return method
    name, _, parameters = method.partition(":")
    found = method_class(name)
    values = dict(_read_parameter(found, part) for part in _NEXT_PARAMETER.split(parameters) if part)
    if model and method == LEARNED:
        values["model"] = model
    made: Method = found(**values)
    return made


def _read_parameter(method: type[Any], part: str) -> tuple[str, object]:
    name, equals, value = part.partition("=")
    types = {field.name: type(field.default) for field in dataclasses.fields(method)}
    if not equals or name not in types:
        known = ", ".join(types) or "none"
        raise ValueError(f"{part!r} is no parameter of this method; write name=value, with a name of: {known}")
    if types[name] is bool:
        if value.lower() not in _TRUTHS:
            raise ValueError(f"{name} wants true or false, not {value!r}")
        return name, _TRUTHS[value.lower()]
    try:
        return name, float(value) if types[name] is float else value
    except ValueError:
        raise ValueError(f"{name} wants a number, not {value!r}") from None
