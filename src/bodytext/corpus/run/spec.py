"""Order: all that is asked of a corpus and that its bytes depend on (type); it travels to the workers as JSON."""

from dataclasses import asdict, dataclass
from typing import Any

from bodytext.methods import DEFAULT, as_method
from bodytext.selection import read_threshold
from bodytext.sources.tables import HTML_COLUMN

MEBIBYTE = 2**20
TEXT, MARKDOWN = "text", "markdown"
NEAR, EXACT, KEEP = "near", "exact", "keep"  # which duplicates are dropped
FORMATS = ("parquet", "jsonl")
LEAST_MEMORY = 64  # MiB: an ordinary page needs some, and a batch of rows


@dataclass(frozen=True, slots=True)
class Order:
    """What is asked of a corpus."""

    text: str = TEXT  # or MARKDOWN
    format: str = "parquet"  # or "jsonl"
    metadata: bool = True
    method: str = DEFAULT
    model: str = ""  # a file of weights for the learned method
    threshold: float = 0.5
    column: str = HTML_COLUMN  # of tables: where their HTML stands
    templates: bool = False  # learn what repeats on each site first
    duplicates: str = NEAR  # drops equal texts too; EXACT those alone, KEEP none
    likeness: float = 0.7  # from which on a text is a near duplicate
    words: int = 50  # a text needs; as Rae et al. (2021) ask of a page
    confidence: float = 0.5  # the F1 that is to be expected of a text
    languages: tuple[str, ...] = ()  # codes of those that are wanted; none: all
    quality: str = "gopher"  # names of rules, and of sets of them
    tones: str = ""  # the style of Vietnamese tone marks: "old", "new", or as they are
    seconds: float = 30.0  # a record may take; real pages take milliseconds, 10 MB of hostile ones about one second
    memory: int = 2048  # MiB that a record may take beside what the worker has
    shard: int = 32 * MEBIBYTE  # bytes of input that are worked on at once: a few seconds, so that little is done again
    part: int = 128 * MEBIBYTE  # characters of text in an output file, about

    def __post_init__(self) -> None:
        if not 0 < self.likeness <= 1:
            raise ValueError(f"likeness must be more than 0 and at most 1, not {self.likeness}")
        if not self.seconds > 0:
            raise ValueError(f"a record needs some time; {self.seconds:g} seconds are none")
        if self.memory < LEAST_MEMORY:
            raise ValueError(f"a record needs memory: at least {LEAST_MEMORY} MiB, not {self.memory}")
        read_threshold(self.threshold)
        as_method(self.method)
        for name, value, known in (
            ("text", self.text, (TEXT, MARKDOWN)),
            ("format", self.format, FORMATS),
            ("duplicates", self.duplicates, (NEAR, EXACT, KEEP)),
        ):
            if value not in known:
                raise ValueError(f"{name} must be one of {', '.join(known)}, not {value!r}")

    def to_json(self) -> dict[str, Any]:
        """As a JSON object."""
        return asdict(self) | {"languages": list(self.languages)}
