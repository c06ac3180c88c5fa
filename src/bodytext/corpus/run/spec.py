"""Define the spec of a corpus: everything its bytes depend on, apart from its sources."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, Self

from bodytext.corpus.stages import STAGES, build_stages, collect_options
from bodytext.corpus.stages.stage import Stage
from bodytext.corpus.workers.worker import WorkerLimits
from bodytext.methods import DEFAULT, as_method
from bodytext.methods.scores import BOUNDARY, read_threshold
from bodytext.sources.table_files import HTML_COLUMN

MEBIBYTE = 2**20
TEXT, MARKDOWN = "text", "markdown"
NEAR, EXACT, KEEP = "near", "exact", "keep"  # which duplicates are dropped
LEAST_MEMORY = 64  # MiB: an ordinary page needs some, and so does a batch of rows
CHOICES = {
    "text": (TEXT, MARKDOWN),
    "format": ("parquet", "jsonl"),
    "duplicates": (NEAR, EXACT, KEEP),
}
_STAGES, _STAGE_OPTIONS = "stages", "stage_options"


@dataclass(frozen=True, slots=True)
class CorpusSpec:
    """What a corpus is to be. It travels to the workers as JSON, and run.json keeps it."""

    text: str = TEXT
    format: str = "parquet"
    metadata: bool = True
    method: str = DEFAULT
    model: str = ""  # a file of weights for the learned method
    threshold: float = BOUNDARY
    column: str = HTML_COLUMN  # of tables: the one with the HTML
    templates: bool = False  # learn first what repeats on each site
    duplicates: str = NEAR  # drops equal texts too; EXACT drops only those, KEEP none
    likeness: float = 0.7  # from which on a text is a near duplicate
    # Those that differ from defaults
    stage_options: Mapping[str, Any] = field(default_factory=dict)
    seconds: float = 30.0  # for a record; real pages take milliseconds, hostile ones a second
    memory: int = 2048  # MiB that a record may take in addition to what the worker has
    shard: int = 32 * MEBIBYTE  # bytes of input in a shard: a few seconds of work
    part: int = 128 * MEBIBYTE  # characters of text in an output file, about
    stages: tuple[str, ...] = field(default_factory=lambda: tuple(STAGES))  # their names

    def __post_init__(self) -> None:
        if not 0 < self.likeness <= 1:
            raise ValueError(f"likeness must be more than 0 and at most 1, not {self.likeness}")
        if not self.seconds > 0:
            raise ValueError(f"a record needs more time than {self.seconds:g} seconds")
        if self.memory < LEAST_MEMORY:
            raise ValueError(
                f"a record needs at least {LEAST_MEMORY} MiB of memory, not {self.memory}"
            )
        for name, choices in CHOICES.items():
            if getattr(self, name) not in choices:
                raise ValueError(
                    f"{name} must be one of {', '.join(choices)}, not {getattr(self, name)!r}"
                )
        read_threshold(self.threshold)
        as_method(self.method)
        object.__setattr__(self, _STAGE_OPTIONS, self._complete_options())

    def _complete_options(self) -> dict[str, Any]:
        """The values of all options of the stages."""
        options = collect_options(map(STAGES.find, self.stages))
        taken = options.keys() & {entry.name for entry in fields(self)}
        if taken:
            raise ValueError(
                f"a stage cannot have an option {taken.pop()!r}: a corpus has one already; rename it"
            )
        unknown = self.stage_options.keys() - options.keys()
        if unknown:
            raise ValueError(
                f"no stage has an option {unknown.pop()!r}; there are {', '.join(options)}"
            )
        return {name: option.default for name, option in options.items()} | dict(self.stage_options)

    @property
    def limits(self) -> WorkerLimits:
        """What a record may take."""
        return WorkerLimits(self.seconds, self.memory * MEBIBYTE)

    def build_stages(self) -> list[Stage]:
        """Make the stages. A stage raises a ValueError if it refuses an option."""
        return build_stages(map(STAGES.find, self.stages), self.stage_options)

    def with_stages(self, stages: Iterable[str]) -> Self:
        """Return the same spec with these of its stages alone."""
        names = tuple(stages)
        options = collect_options(map(STAGES.find, names))
        kept = {name: value for name, value in self.stage_options.items() if name in options}
        return replace(self, stages=names, stage_options=kept)

    def to_json(self) -> dict[str, Any]:
        """A JSON object with the options of stages among the others.

        The stages are named only if they are not exactly our own: older corpora name none.
        """
        values: dict[str, Any] = {}
        for name, value in asdict(self).items():
            values |= value if name == _STAGE_OPTIONS else {name: value}
        if values[_STAGES] == tuple(STAGES.own):
            del values[_STAGES]
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in values.items()
        }

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Self:
        """Read the spec back."""
        names = {entry.name for entry in fields(cls)}
        own = {name: value for name, value in values.items() if name in names}
        own[_STAGES] = tuple(values.get(_STAGES, STAGES.own))
        options = {name: value for name, value in values.items() if name not in names}
        return cls(**own, stage_options=options)


def find_stages(values: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of the stages that a stored spec has.

    A spec that names none has our own, apart from those that came later: it knows none of their
    options.
    """
    if _STAGES in values:
        return tuple(values[_STAGES])
    return tuple(name for name in STAGES.own if _has_options(values, STAGES[name]))


def _has_options(values: Mapping[str, Any], stage: type[Stage]) -> bool:
    options = stage.options()
    return not options or any(option.name in values for option in options)


def find_changes(stored: Mapping[str, Any], asked: Mapping[str, Any]) -> list[str]:
    """Say how a spec differs from a stored one. An option that came later had its default before."""
    gone = [name for name in find_stages(stored) if name not in find_stages(asked)]
    if gone:
        return [f"the stage {name} is missing now" for name in gone]
    before = {**CorpusSpec().to_json(), **stored}
    names = [name for name in dict.fromkeys((*asked, *stored)) if name != _STAGES]
    return [
        f"{name} was {before.get(name)!r}, is now {asked.get(name)!r}"
        for name in names
        if before.get(name) != asked.get(name)
    ]
