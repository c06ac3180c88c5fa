"""What became of records, one by one -> counts by the names of the reasons."""

from collections import Counter
from collections.abc import Mapping
from typing import Any


class Tally:
    """Counts of what was kept, dropped and failed. Of kept text the characters are counted too."""

    def __init__(self) -> None:
        """Start with nothing."""
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
        """Add what another tally counted."""
        self.kept += counts["kept"]
        self.characters += counts["characters"]
        self.dropped.update(counts["dropped"])
        self.errors.update(counts["errors"])

    def to_json(self) -> dict[str, Any]:
        """As a JSON object, always in the same order."""
        return {
            "records": self.kept + self.dropped.total() + self.errors.total(),
            "kept": self.kept,
            "characters": self.characters,
            "dropped": dict(sorted(self.dropped.items())),
            "errors": dict(sorted(self.errors.items())),
        }


def name_of(reason: str) -> str:
    """The name of a reason: what stands before its first colon.

    >>> name_of("too short: 12 words")
    'too short'
    """
    return reason.partition(":")[0]
