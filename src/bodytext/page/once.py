"""A property that is found once."""

from collections.abc import Callable
from typing import Any, Generic, TypeVar, cast

Value = TypeVar("Value")


class once(Generic[Value]):  # noqa: N801 - it is used like `property`
    """A property that is found on first access, and an ordinary attribute from then on.

    It is `functools.cached_property` without its checks, and without the lock that it has before
    Python 3.12: a page has dozens of such properties. Two threads would find the same.
    """

    def __init__(self, func: Callable[[Any], Value]) -> None:
        self.func, self.name, self.__doc__ = func, func.__name__, func.__doc__

    def __get__(self, owner: Any, _: type | None = None) -> Value:
        if owner is None:  # asked of the class, as `help` does
            return cast("Value", self)
        value = owner.__dict__[self.name] = self.func(owner)
        return value
