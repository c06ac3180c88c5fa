"""Paragraphs -> plain text."""

import re
from collections.abc import Sequence
from typing import Protocol

_BLANK_LINES = re.compile(r"\n(?:[ \t]*\n){2,}")


class _Part(Protocol):
    @property
    def text(self) -> str: ...
    @property
    def gap(self) -> str: ...


def to_text(paragraphs: Sequence[_Part]) -> str:
    """Paragraphs apart by a blank line, items on lines of their own, the cells of a row apart by tabs.

    Blank lines never come in runs, not even inside code; a paragraph's own `text` has them as they were.
    """
    pieces: list[str] = []
    for index, paragraph in enumerate(paragraphs):
        text = paragraph.text
        if index:
            pieces.append(paragraph.gap)
        in_row = paragraph.gap == "\t" or (index + 1 < len(paragraphs) and paragraphs[index + 1].gap == "\t")
        pieces.append(text.replace("\n", " ") if in_row else text)
    return _BLANK_LINES.sub("\n\n", "".join(pieces))
