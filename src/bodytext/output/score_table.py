"""Write the blocks of a page and every method's scores as a table to read."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from bodytext.kernel.html import KIND_NAMES
from bodytext.methods import LEARNED, METHODS, as_method
from bodytext.methods.scores import BOUNDARY, Values
from bodytext.output.terminal import drop_controls
from bodytext.page.tables import Page

if TYPE_CHECKING:
    from bodytext.methods.learned.explanation import Reason

TEXT_WIDTH = 60


def explain_page(page: Page, model: str = "", most: int = 2) -> str:
    """The table of all methods, with so many reasons for and against each block, and the page type."""
    from bodytext.methods.learned.explanation import explain_blocks
    from bodytext.methods.learned.method import Learned

    learned = Learned(model)
    scores = learned.score(page)
    values = {name: as_method(name).score(page).values for name in METHODS if name != LEARNED}
    explained = explain_blocks(page, learned) if most and scores.confidence is not None else []
    reasons = [_join_reasons(block, most) for block in explained]
    table = format_score_table(page, values | {LEARNED: scores.values}, reasons)
    if scores.confidence is None:
        last = f"the page has {len(page):,} blocks, too many for it; these are cuter's scores"
    else:
        last = f"page type {scores.page_type or 'unknown'}, expected F1 {scores.confidence:.2f}"
    return f"{table}\n{LEARNED}: {last}"


def _join_reasons(reasons: Sequence["Reason"], most: int) -> str:
    """Join the weightiest reasons for and against a block in one line."""
    sides = {
        "for:": [reason for reason in reasons if reason.weight > 0],
        "against:": [reason for reason in reasons if reason.weight <= 0],
    }
    parts = [
        f"{word} {', '.join(reason.words for reason in side[:most])}"
        for word, side in sides.items()
        if side
    ]
    return "; ".join(parts)


def format_score_table(
    page: Page, scores: Mapping[str, Values], reasons: Sequence[str] = ()
) -> str:
    """One line per block: number, kind, words, share of linked text, each method's score, text.

    The reasons for a block, if there are any, are on a line below it. The last line explains the
    stars.
    """
    runs = page.runs
    words, chars, linked = (
        page.per_block(column) for column in (runs.words, runs.chars, runs.linked)
    )
    links = np.round(100 * linked / np.maximum(chars, 1)).astype(int)
    heading = f"{'block':>5} {'kind':<10} {'words':>5} {'links':>5} "
    lines = [heading + "".join(f"{name:>9}" for name in scores) + "  text"]
    for block, text in enumerate(page.texts()):
        kind = KIND_NAMES[page.blocks.kind[block]]
        columns = "".join(f"{_mark(float(values[block])):>9}" for values in scores.values())
        facts = f"{block + 1:>5} {kind:<10} {words[block]:>5} {links[block]:>4}%"
        lines.append(f"{facts} {columns}  {_shorten(text)}")
        if block < len(reasons) and reasons[block]:
            lines.append(f"{'':>6}{reasons[block]}")
    lines.append(f"* kept at the usual threshold: a score of {BOUNDARY} or more")
    return "\n".join(lines)


def _mark(score: float) -> str:
    """A score, with a star if the block is kept at the usual threshold."""
    return f"{score:.2f}{'*' if score >= BOUNDARY else ' '}"


def _shorten(text: str) -> str:
    start = drop_controls(" ".join(text.split()))
    return start if len(start) <= TEXT_WIDTH else start[: TEXT_WIDTH - 1] + "…"
