"""Page + every method's scores -> a table of blocks to read."""

from collections.abc import Mapping

import numpy as np

from bodytext.page import Page, kind_name
from bodytext.selection import Scores

TEXT_WIDTH = 60


def to_table(page: Page, scores: Mapping[str, Scores]) -> str:
    """A line a block: number, kind, words, share of linked text, each method's score, the start of its text."""
    words, chars, linked = (page.per_block(column) for column in (page.runs.words, page.runs.chars, page.runs.linked))
    links = np.round(100 * linked / np.maximum(chars, 1)).astype(int)
    heading = f"{'block':>5} {'kind':<10} {'words':>5} {'links':>5} " + "".join(f"{name:>9}" for name in scores)
    lines = [f"{heading}  text"]
    for block, text in enumerate(page.texts()):
        shown = "".join(f"{_mark(float(column[block])):>9}" for column in scores.values())
        start = " ".join(text.split())
        start = start if len(start) <= TEXT_WIDTH else start[: TEXT_WIDTH - 1] + "…"
        kind = kind_name(page.blocks.kind[block])
        lines.append(f"{block:>5} {kind:<10} {words[block]:>5} {links[block]:>4}% {shown}  {start}")
    return "\n".join(lines)


def _mark(score: float) -> str:
    """A score; a star says that the block is kept at the usual threshold."""
    return f"{score:.2f}{'*' if score >= 0.5 else ' '}"
