"""Count the records that were kept, dropped and failed, by reason."""

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any


class RecordCounts:
    """Counts of records that were kept, dropped and failed, and the characters of kept text."""

    def __init__(self) -> None:
        """Start with none."""
        self.kept = self.characters = 0
        self.dropped: Counter[str] = Counter()
        self.errors: Counter[str] = Counter()

    def add(self, dropped: str, error: str, characters: int) -> None:
        """Count a record."""
        if error:
            self.errors[name_of(error)] += 1
        elif dropped:
            self.dropped[name_of(dropped)] += 1
        else:
            self.kept += 1
            self.characters += characters

    def add_counts(self, counts: Mapping[str, Any]) -> None:
        """Add other counts, as `to_json` gives them."""
        self.kept += counts["kept"]
        self.characters += counts["characters"]
        self.dropped.update(counts["dropped"])
        self.errors.update(counts["errors"])

    def to_json(self) -> dict[str, Any]:
        """A JSON object, always in the same order."""
        return {
            "records": self.kept + self.dropped.total() + self.errors.total(),
            "kept": self.kept,
            "characters": self.characters,
            "dropped": dict(sorted(self.dropped.items())),
            "errors": dict(sorted(self.errors.items())),
        }


def read_counts(path: Path) -> dict[str, Any]:
    """Read the counts of a corpus; a ValueError says what to do if the file is damaged."""
    try:
        counts: dict[str, Any] = json.loads(path.read_text("utf-8"))
        known = RecordCounts()
        known.add_counts(counts)
        return counts | known.to_json()
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise ValueError(
            f"{path}: damaged; remove it and run the same command again, which builds it again"
        ) from None


def name_of(reason: str) -> str:
    """The name of a reason: the part before its first colon.

    >>> name_of("too short: 12 words")
    'too short'
    """
    return reason.partition(":")[0]
