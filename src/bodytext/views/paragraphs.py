"""The paragraphs of a document: the kept blocks of a page."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, overload

import numpy as np
import numpy.typing as npt

from bodytext.kernel.html import GAPS, KIND_NAMES
from bodytext.page.once import once


class Paragraph(NamedTuple):
    """One kept block of the page."""

    text: str
    kind: str  # paragraph, heading, item, cell, caption, term, definition, quote, code, control, other
    start: int  # offsets in the page's UTF-8 source, or in the markup made of hidden text
    end: int
    score: float
    gap: str  # what separates it from the paragraph before it in plain text: a blank line, a line end, a tab


class Paragraphs(Sequence[Paragraph]):
    """The kept blocks as columns over one buffer of text; a Paragraph is made on access.

    Otherwise a page of millions of tiny paragraphs would need many times its size in memory. Arrays
    are made of the columns on access, too: the text alone needs none.
    """

    def __init__(  # noqa: PLR0913, PLR0917
        self,
        buffer: bytes = b"",
        spans: bytes = b"",
        gaps: bytes = b"",
        kinds: bytes = b"",
        offsets: bytes = b"",
        scores: bytes = b"",
    ) -> None:
        """Take what `write_kept` of the kernel returns."""
        self.buffer = buffer  # UTF-8: every text with its gap before it
        self.gaps = gaps  # indexes of GAPS
        self._columns = (spans, kinds, offsets, scores)

    @once
    def spans(self) -> npt.NDArray[np.int32]:
        """The starts and ends of the texts in the buffer."""
        return np.frombuffer(self._columns[0], np.int32).reshape(2, len(self))

    @once
    def kinds(self) -> npt.NDArray[np.int32]:
        """The kinds of the blocks: indexes of KIND_NAMES."""
        return np.frombuffer(self._columns[1], np.int32)

    @once
    def offsets(self) -> npt.NDArray[np.int32]:
        """The starts and ends of the blocks in the source."""
        return np.frombuffer(self._columns[2], np.int32).reshape(2, len(self))

    @once
    def scores(self) -> npt.NDArray[np.float32]:
        """The scores of the blocks."""
        return np.frombuffer(self._columns[3], np.float32)

    def __len__(self) -> int:
        return len(self.gaps)

    @overload
    def __getitem__(self, index: int) -> Paragraph: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Paragraph, ...]: ...
    def __getitem__(self, index: int | slice) -> Paragraph | tuple[Paragraph, ...]:
        if isinstance(index, slice):
            return tuple(self[position] for position in range(*index.indices(len(self))))
        if not -len(self) <= index < len(self):
            raise IndexError(index)
        start, end = self.spans[:, index]
        return Paragraph(
            self.buffer[start:end].decode("utf-8"),
            KIND_NAMES[self.kinds[index]],
            int(self.offsets[0, index]),
            int(self.offsets[1, index]),
            float(self.scores[index]),
            GAPS[self.gaps[index]],
        )

    def __iter__(self) -> Iterator[Paragraph]:
        columns = (*self.spans, self.kinds, *self.offsets, self.scores)
        for start, end, kind, first, last, score, gap in zip(
            *(column.tolist() for column in columns), self.gaps, strict=True
        ):
            text = self.buffer[start:end].decode("utf-8")
            yield Paragraph(text, KIND_NAMES[kind], first, last, score, GAPS[gap])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Paragraphs):
            return NotImplemented
        return len(self) == len(other) and all(
            mine == theirs for mine, theirs in zip(self, other, strict=True)
        )

    def __hash__(self) -> int:
        return hash(self.buffer)

    def __repr__(self) -> str:
        return f"<{len(self)} paragraphs>"


EMPTY_PARAGRAPHS = Paragraphs()
