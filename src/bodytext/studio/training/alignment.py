"""Find the content blocks of a page by aligning the page with its reference text.

The words of the page and of the reference are aligned by their longest common subsequence. So a
word that occurs both in a menu and in the text is matched once, in order. A block is content when
at least half of its words are matched. A second pass adds blocks that are a whole line of the
reference at another place in the order. Where people have marked the content in the page's source,
their marks are used and nothing is aligned.
"""

import re
from collections.abc import Sequence
from unicodedata import normalize

import numpy as np
import numpy.typing as npt

from bodytext.page.tables import Page
from bodytext.studio.labels.labelled_set import LabelledPage
from bodytext.studio.labels.spans import cover_blocks

# Chinese and Japanese have no blanks between words, so each of their characters counts as one.
_CHARACTERS = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
WORD = re.compile(rf"[{_CHARACTERS}]|[^\W{_CHARACTERS}]+")
CONTENT_SHARE = 0.5
MIN_LINE_WORDS = 3  # shorter lines would match by chance


def find_content(page: Page, source: LabelledPage) -> npt.NDArray[np.bool_]:
    """Whether each block of a page is content, by marks in its source or its reference text."""
    if source.content is None:
        return label_blocks(page.texts(), source.reference or "")
    return cover_blocks(page, source.content) >= CONTENT_SHARE


def label_blocks(texts: Sequence[str], reference: str) -> npt.NDArray[np.bool_]:
    """Whether each block is content, by the reference text alone."""
    blocks = [_words(text) for text in texts]
    labels = _match_blocks(blocks, _words(reference))
    missing = {_words(line) for line in reference.splitlines()}
    missing -= {block for block, is_content in zip(blocks, labels, strict=True) if is_content}
    for index, block in enumerate(blocks):
        if len(block) >= MIN_LINE_WORDS and block in missing:
            missing.discard(block)
            labels[index] = True
    return labels


def _words(text: str) -> tuple[str, ...]:
    return tuple(WORD.findall(normalize("NFC", text.lower())))


def _match_blocks(
    blocks: Sequence[tuple[str, ...]], reference: Sequence[str]
) -> npt.NDArray[np.bool_]:
    """Whether enough words of each block are aligned with the reference."""
    matched = match_in_order([word for block in blocks for word in block], reference)
    labels = np.zeros(len(blocks), dtype=np.bool_)
    position = 0
    for index, block in enumerate(blocks):
        covered = sum(matched[position : position + len(block)])
        position += len(block)
        labels[index] = bool(block) and covered >= CONTENT_SHARE * len(block)
    return labels


def match_in_order(words: Sequence[str], reference: Sequence[str]) -> list[bool]:
    """Whether each word is in a longest common subsequence with the reference.

    This is the bit-parallel algorithm. A row of the table is one long integer whose zero bits mark
    where the subsequence grows. So a row costs a few integer operations instead of one for each
    word of the reference.
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
