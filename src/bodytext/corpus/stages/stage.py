"""Define what a corpus stage is: its options, its reasons, and its function over rows."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Self

from bodytext.corpus.row import Row

_OPTION = "option"  # the key in a field's metadata


@dataclass(frozen=True, slots=True)
class StageOption:
    """An option of a stage, as the command line and the spec of a corpus know it."""

    name: str  # the field of the stage, and the key in the spec's JSON
    default: Any  # its type is the option's type: JSON must be able to hold it
    help: str
    flag: str  # on the command line, without the dashes
    metavar: str | None
    choices: tuple[str, ...] | None
    parse: Callable[[str], Any]  # reads the value from the command line


def option(  # noqa: PLR0913 - each is a word of the command line
    default: Any,
    description: str,
    *,
    flag: str = "",
    metavar: str | None = None,
    choices: tuple[str, ...] | None = None,
    parse: Callable[[str], Any] | None = None,
) -> Any:
    """Declare a field of a stage that the command line and the spec can set."""
    words = {"help": description, "flag": flag, "metavar": metavar, "choices": choices}
    return field(default=default, metadata={_OPTION: {**words, "parse": parse or type(default)}})


@dataclass(frozen=True, slots=True)
class DropReason:
    """A reason why a stage drops rows, and how reports show it.

    A row's reason is "NAME: detail". A stage with many rules says "NAME RULE: detail".
    """

    name: str
    label: str = ""  # what reports call it, if not by its name
    has_rules: bool = False  # reports count its rules separately
    details: str = ""  # reports count its details separately, under this key of report.json
    lead: str = ""  # the sentence above these counts

    @property
    def title(self) -> str:
        """What reports call it."""
        return self.label or self.name


class Stage:
    """A step of a corpus that looks at rows: a frozen dataclass whose fields are its parameters.

    It yields every row that it is given, once and in order. Rows that are dropped or in error pass
    untouched. A stage that looks at each row by itself defines `inspect`; any other defines
    `__call__`.
    """

    name: ClassVar[str]
    description: ClassVar[str]  # one line
    position: ClassVar[int] = 100  # rows go through the stage with the lowest position first
    reasons: ClassVar[tuple[DropReason, ...]] = ()

    @classmethod
    def options(cls) -> list[StageOption]:
        """The fields that were declared with `option`."""
        declared = [entry for entry in fields(cls) if _OPTION in entry.metadata]  # type: ignore[arg-type]
        return [
            _read_option(entry.name, entry.default, entry.metadata[_OPTION]) for entry in declared
        ]

    @classmethod
    def from_options(cls, values: Mapping[str, Any]) -> Self:
        """Make the stage from the options of a spec, which may hold those of other stages too."""
        return cls(**{entry.name: values[entry.name] for entry in cls.options()})

    def __call__(self, rows: Iterable[Row]) -> Iterator[Row]:
        """Yield every row after a look at it."""
        for row in rows:
            if row.kept:
                self.inspect(row)
            yield row

    def inspect(self, row: Row) -> None:
        """Change the row's text or language, or say in `dropped` why it goes."""
        raise NotImplementedError


def _read_option(name: str, default: Any, words: Mapping[str, Any]) -> StageOption:
    return StageOption(name, default, **{**words, "flag": words["flag"] or name})
