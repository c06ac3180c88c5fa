"""A page's blocks + its reference text -> which blocks are content.

Words of the page and of the reference are aligned by their longest common subsequence, so that a word that stands both
in a menu and in the text is matched once and in order. A block is content when at least half of its words are matched.
A second pass finds blocks that the reference has as a line of its own, but elsewhere in the order. Where people have
marked the content in the page's source, nothing needs to be aligned.
"""

import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from bodytext.page.tables import Page
from bodytext.studio.labels.labelled_set import LabelledPage
from bodytext.studio.labels.spans import cover_blocks

WORD = re.compile(r"\w+")
CONTENT_SHARE = 0.5
MIN_LINE_WORDS = 3  # shorter lines match by chance


def find_content(page: Page, source: LabelledPage) -> npt.NDArray[np.bool_]:
    """Which blocks of a page are content: as people have marked it in the source, or by its reference text."""
    if source.content is None:
        return label_blocks(page.texts(), source.reference or "")
    return cover_blocks(page, source.content) >= CONTENT_SHARE


def label_blocks(texts: Sequence[str], reference: str) -> npt.NDArray[np.bool_]:
    """Whether each block is content."""
    blocks = [WORD.findall(text.lower()) for text in texts]
    wanted = WORD.findall(reference.lower())
    matched = match_in_order([word for block in blocks for word in block], wanted)
    labels = np.zeros(len(texts), dtype=np.bool_)
    position = 0
    for index, block in enumerate(blocks):
        covered = sum(matched[position : position + len(block)])
        position += len(block)
        labels[index] = bool(block) and covered >= CONTENT_SHARE * len(block)
    missing = {tuple(WORD.findall(line.lower())) for line in reference.splitlines()}
    missing -= {tuple(block) for block, kept in zip(blocks, labels, strict=True) if kept}
    for index, block in enumerate(blocks):
        if len(block) >= MIN_LINE_WORDS and tuple(block) in missing:
            missing.discard(tuple(block))
            labels[index] = True
    return labels


def match_in_order(words: Sequence[str], reference: Sequence[str]) -> list[bool]:
    """Which words are in a longest common subsequence with the reference.

    The bit-parallel algorithm: a row of the table is one long integer whose zero bits mark where the subsequence
    grows, so a row costs a few operations on integers instead of one per reference word.
    """
    places: dict[str, int] = {}
    for index, word in enumerate(reference):
        places[word] = places.get(word, 0) | 1 << index
    full = (1 << len(reference)) - 1
    width = len(reference) // 8 + 1
    row, rows = full, [full.to_bytes(width, "little")]
    for word in words:
        match = row & places.get(word, 0)
        row = ((row + match) | (row - match)) & full
        rows.append(row.to_bytes(width, "little"))
    return _walk_back(rows, len(words), len(reference))


def _walk_back(rows: list[bytes], length: int, column: int) -> list[bool]:
    matched = [False] * length
    row = length
    while row and column:
        byte, bit = (column - 1) >> 3, 1 << ((column - 1) & 7)
        if rows[row][byte] & bit:
            column -= 1
        elif rows[row - 1][byte] & bit:
            row, column = row - 1, column - 1
            matched[row] = True
        else:
            row -= 1
    return matched
