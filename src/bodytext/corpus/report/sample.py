"""Choose rows of a corpus at random, and show them for people to read."""

import random
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from bodytext.corpus.record_counts import name_of
from bodytext.corpus.report.corpus_files import (
    DROPPED,
    FAILED,
    KEPT,
    list_files,
    read_columns,
    require_corpus,
)
from bodytext.corpus.row import Row
from bodytext.output.terminal import drop_controls

_UNSHOWN = frozenset({"metadata", "dropped", "error"})
_REASONS = {DROPPED: "dropped", FAILED: "error"}  # the column that says why
_COLUMNS = tuple(entry.name for entry in fields(Row) if entry.name not in _UNSHOWN)
_WIDTH = 100
_SHOWN_CHARACTERS = 1200  # of a text, unless the whole is asked for

Place = tuple[Path, int]


def take_sample(
    folder: Path, number: int = 5, part: str = KEPT, reason: str = "", seed: int = 0
) -> list[dict[str, Any]]:
    """Choose rows of a part of a corpus, all with the same chance, and return them in their order.

    `reason` is how the reason of a row begins: "too short", "quality", "quality gopher-letters".
    The same seed gives the same rows.
    """
    require_corpus(folder)
    if number < 1:
        raise ValueError(f"a sample needs one row or more, not {number}")
    chosen, count = _choose(_find_places(folder, part, reason), number, seed)
    if reason and not count:
        known = ", ".join(sorted(_find_reasons(folder, part))) or "none"
        raise ValueError(
            f"{folder}: nothing was {_REASONS.get(part, 'kept')} for {reason!r}; the reasons are: {known}"
        )
    return list(_read_places(sorted(chosen), part))


def render_sample(rows: Sequence[dict[str, Any]], *, whole: bool = False) -> str:
    """Format rows for a terminal: headline, facts, and the text, shortened unless `whole`."""
    return "\n\n".join(_render(place, row, whole) for place, row in enumerate(rows, 1))


def _choose(places: Iterator[Place], number: int, seed: int) -> tuple[list[Place], int]:
    """Choose places at random in one pass (Waterman's reservoir); also count all places."""
    generator = random.Random(seed)  # noqa: S311 - a sample to look at
    chosen: list[Place] = []
    count = 0
    for place in places:
        count += 1
        if len(chosen) < number:
            chosen.append(place)
        elif (slot := generator.randrange(count)) < number:
            chosen[slot] = place
    return chosen, count


def _find_places(folder: Path, part: str, reason: str) -> Iterator[Place]:
    """The file and number of every row, or of those with a reason. No text is read."""
    column = _REASONS.get(part, "offset")
    for path in list_files(folder, part):
        row = 0
        for batch in read_columns(path, (column,)):
            for value in batch[column]:
                if not reason or str(value).startswith(reason):
                    yield path, row
                row += 1


def _find_reasons(folder: Path, part: str) -> set[str]:
    column = _REASONS.get(part, "")
    if not column:
        return set()
    files = list_files(folder, part)
    return {
        name_of(value)
        for path in files
        for batch in read_columns(path, (column,))
        for value in batch[column]
    }


def _read_places(places: Sequence[Place], part: str) -> Iterator[dict[str, Any]]:
    names = (*_COLUMNS, _REASONS[part]) if part in _REASONS else _COLUMNS
    for path in dict.fromkeys(path for path, _ in places):
        wanted = {row for file, row in places if file == path}
        start = 0
        for batch in read_columns(path, names):
            count = len(batch["text"])
            for row in range(start, start + count):
                if row in wanted:
                    yield {name: batch[name][row - start] for name in names}
            start += count


def _render(number: int, row: dict[str, Any], whole: bool) -> str:
    lines = [
        f"── {number} " + "─" * (_WIDTH - 5 - len(str(number))),
        str(row["title"] or "no title"),
    ]
    if row["url"]:
        lines.append(row["url"])
    confidence = row["confidence"]
    sure = f"confidence {confidence:.2f}" if isinstance(confidence, float) else ""
    length = f"{len(row['text']):,} characters"
    facts = (
        row["language"],
        row["page_type"],
        sure,
        length,
        row["time"],
        f"{row['source']} at {row['offset']}",
    )
    lines.append(" · ".join(str(fact) for fact in facts if fact))
    why = row.get("dropped") or row.get("error")
    if why:
        lines.append(f"{'dropped' if row.get('dropped') else 'failed'}: {why}")
    lines += ["", *_wrap(row["text"], whole)]
    return "\n".join(map(drop_controls, lines)).rstrip()


def _wrap(text: str, whole: bool) -> Iterator[str]:
    shown = (
        text
        if whole or len(text) <= _SHOWN_CHARACTERS
        else text[:_SHOWN_CHARACTERS].rstrip() + " …"
    )
    for line in shown.expandtabs(4).split("\n"):
        yield from textwrap.wrap(line, _WIDTH, break_long_words=False) or [""]
