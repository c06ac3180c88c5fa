"""Page + every method's scores, and reasons -> a table of blocks to read."""

import re
from collections.abc import Mapping, Sequence

import numpy as np

from bodytext.kernel.html import KIND_NAMES
from bodytext.page.tables import Page
from bodytext.selection import BOUNDARY, Scores

TEXT_WIDTH = 60
CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f]")  # a page must not steer the terminal


def to_table(page: Page, scores: Mapping[str, Scores], reasons: Sequence[str] = ()) -> str:
    """A line a block: number from 1 on, kind, words, share of linked text, each method's score, how its text starts.

    Reasons, where there are any, stand in a line under their block; a last line says what the stars mean.
    """
    words, chars, linked = (page.per_block(column) for column in (page.runs.words, page.runs.chars, page.runs.linked))
    links = np.round(100 * linked / np.maximum(chars, 1)).astype(int)
    heading = f"{'block':>5} {'kind':<10} {'words':>5} {'links':>5} " + "".join(f"{name:>9}" for name in scores)
    lines = [f"{heading}  text"]
    for block, text in enumerate(page.texts()):
        shown = "".join(f"{_mark(float(column[block])):>9}" for column in scores.values())
        start = CONTROLS.sub("", " ".join(text.split()))
        start = start if len(start) <= TEXT_WIDTH else start[: TEXT_WIDTH - 1] + "…"
        kind = KIND_NAMES[page.blocks.kind[block]]
        lines.append(f"{block + 1:>5} {kind:<10} {words[block]:>5} {links[block]:>4}% {shown}  {start}")
        if block < len(reasons) and reasons[block]:
            lines.append(f"{'':>6}{reasons[block]}")
    lines.append(f"* kept at the usual threshold: a score of {BOUNDARY} or more")
    return "\n".join(lines)


def _mark(score: float) -> str:
    """A score; a star says that the block is kept at the usual threshold."""
    return f"{score:.2f}{'*' if score >= BOUNDARY else ' '}"
