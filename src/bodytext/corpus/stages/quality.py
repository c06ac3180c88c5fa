"""Drop rows that break a published rule for good text, and remove lines that a rule forbids."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from bodytext.corpus.row import Row
from bodytext.corpus.stages import c4, gopher
from bodytext.corpus.stages.quality_rule import QualityRule, QualitySample
from bodytext.corpus.stages.stage import DropReason, Stage, option

_RULES: dict[str, QualityRule] = {rule.name: rule for rule in (*gopher.RULES, *c4.RULES)}
_SETS = {
    "gopher": tuple(rule.name for rule in gopher.RULES),
    "c4": (*c4.LINE_RULES, *(rule.name for rule in c4.RULES)),
}
RULES = tuple(name for names in _SETS.values() for name in names)


def _read_rules(rules: str) -> str:
    return "" if rules == "none" else rules


@dataclass(frozen=True)
class Quality(Stage):
    """Keep rows that follow the rules.

    `quality` names rules or the sets gopher and c4. A minus takes a rule out.

    >>> len(Quality().names), Quality("c4,-c4-curly-brackets").names[-1]
    (20, 'c4-sentences')
    """

    name = "quality"
    description = "drops texts, and removes lines, that break published rules for good text"
    position = 50
    reasons = (
        DropReason(
            "quality",
            label="low quality",
            has_rules=True,
            lead="The first rule that each of these records broke; docs/stages.md says what they ask.",
        ),
    )

    quality: str = option(
        "gopher", 'gopher, c4, names of rules, or "none"', metavar="RULES", parse=_read_rules
    )
    names: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", _choose(self.quality))

    def inspect(self, row: Row) -> None:
        """Remove the lines that a rule forbids, then drop the row if it breaks another rule."""
        line_rules = {name: c4.LINE_RULES[name] for name in self.names if name in c4.LINE_RULES}
        text, removed = _clean(row.text, row.language, line_rules)
        if removed and not text:
            name = removed.most_common(1)[0][0]
            row.dropped = f"quality {name}: no line is left of {removed.total()}"
            return
        sample = QualitySample(text, row.language)
        for name in self.names:
            fault = _RULES[name].find_fault(sample) if name in _RULES else ""
            if fault:
                row.dropped = f"quality {name}: {fault}"
                return
        row.text = text


def _choose(rules: str) -> tuple[str, ...]:
    chosen: dict[str, None] = {}
    for word in filter(None, map(str.strip, rules.split(","))):
        name = word.removeprefix("-")
        if name not in _SETS and name not in RULES:
            raise ValueError(
                f"{name!r} is not a quality rule; choose from: {', '.join((*_SETS, *RULES))}"
            )
        for rule in _SETS.get(name, (name,)):
            if word == name:
                chosen[rule] = None
            else:
                chosen.pop(rule, None)
    return tuple(chosen)


def _clean(
    text: str, language: str, rules: dict[str, Callable[[str, str], bool]]
) -> tuple[str, Counter[str]]:
    """The text without the lines that a rule forbids, and how many lines each rule took."""
    removed: Counter[str] = Counter()
    if not rules:
        return text, removed
    kept: list[str] = []
    for line in text.split("\n"):
        bare = line.strip()
        name = (
            next((name for name, forbids in rules.items() if forbids(bare, language)), "")
            if bare
            else ""
        )
        if name:
            removed[name] += 1
        elif bare or (kept and kept[-1]):  # removed lines leave no run of blank ones
            kept.append(line)
    return "\n".join(kept).strip("\n"), removed
