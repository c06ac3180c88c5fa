"""Record where each value of the metadata came from."""

from dataclasses import dataclass
from typing import Any, NoReturn


@dataclass(frozen=True, slots=True)
class Source:
    """Where a value came from, and how sure it is, from 0 to 1."""

    name: str
    confidence: float


class Sources(dict[str, Source]):
    """The source of each field with a value. It cannot change, but can be copied and pickled."""

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError("the sources of a page's metadata cannot change")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[Any, ...]:
        return Sources, (dict(self),)
