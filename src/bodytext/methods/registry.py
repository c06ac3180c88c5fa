"""Find methods, formats, stages and commands by name, in this package and in others.

Each kind has an entry-point group, such as `bodytext.methods`. Ours are entry points too, and a table repeats them
here, so that the usual case needs no search through the installed packages.
"""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Generic, TypeVar

Item = TypeVar("Item")


class Registry(Mapping[str, Item], Generic[Item]):
    """The items of an entry-point group by name. An item is imported when it is first asked for."""

    def __init__(self, group: str, own: Mapping[str, str]) -> None:
        self.group = group  # such as "bodytext.methods"
        self.own = dict(own)  # name -> "module:object", as an entry point has it
        self._loaded: dict[str, Item] = {}
        self._others: dict[str, str] | None = None

    def __getitem__(self, name: str) -> Item:
        if name not in self._loaded:
            self._loaded[name] = self._load(self.own.get(name) or self._find_others()[name])
        return self._loaded[name]

    def find(self, name: str) -> Item:
        """Return an item, or raise a ValueError that says which there are."""
        if name not in self:
            kind = self.group.rpartition(".")[2].removesuffix("s")
            raise ValueError(f"there is no {kind} {name!r}; choose one of {', '.join(self)}")
        return self[name]

    def __contains__(self, name: object) -> bool:
        return name in self.own or name in self._find_others()

    def __iter__(self) -> Iterator[str]:
        yield from self.own
        yield from self._find_others()

    def __len__(self) -> int:
        return len(self.own) + len(self._find_others())

    def _load(self, place: str) -> Item:
        module, _, attribute = place.partition(":")
        item: Item = getattr(import_module(module), attribute)
        return item

    def _find_others(self) -> dict[str, str]:
        """Return the items of other packages: they cannot take a name of ours."""
        if self._others is None:
            from importlib.metadata import entry_points

            places = {point.name: point.value for point in entry_points(group=self.group)}
            self._others = {name: place for name, place in places.items() if name not in self.own}
        return self._others
