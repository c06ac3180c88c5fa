"""Find small elements and read their texts, in Python: the specification of `small_elements_native.pyx`.

Metadata needs dozens of them in a page: headlines, bylines, dates, steps of a path.
"""

from bisect import bisect_right
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from bodytext.kernel.html import Flag
from bodytext.kernel.table_columns import BlockColumn, NodeColumn, RunColumn
from bodytext.kernel.tokens import unescape

Column = npt.NDArray[np.int32]
Columns = Sequence[Column] | Column

MOST_WORDS = 32
_READ = (RunColumn.START, RunColumn.END, RunColumn.FLAGS)
_VERBATIM = int(Flag.VERBATIM)
_APART = int(Flag.SPACE | Flag.LINE)


def read_runs(source: bytes, tables: Sequence[Columns], first: int, stop: int, without: int) -> str:
    """Return the text of some runs, white space folded; a space separates blocks and lines.

    `without` has the flags of runs that are left out.
    """
    _, runs, blocks = tables
    begins = blocks[BlockColumn.FIRST_RUN].tolist()
    block = bisect_right(begins, first)  # the first that begins inside
    rows = zip(*(runs[column][first:stop].tolist() for column in _READ), strict=True)
    parts: list[str] = []
    for run, (start, end, flags) in enumerate(rows, first):
        if block < len(begins) and run == begins[block]:
            block += 1
            parts.append(" ")
        if flags & without:
            continue
        if flags & _APART:
            parts.append(" ")
        text = source[start:end].decode("utf-8", "replace")
        parts.append(text if flags & _VERBATIM else unescape(text))
    return " ".join("".join(parts).split())


def read_element(
    source: bytes, tables: Sequence[Columns], node: int, without: int, most: int
) -> str:
    """Return the text of an element; nothing if it has more than so many runs."""
    first, stop = (
        int(tables[0][column][node]) for column in (NodeColumn.FIRST_RUN, NodeColumn.STOP_RUN)
    )
    return read_runs(source, tables, first, stop, without) if stop - first <= most else ""


def read_first_runs(source: bytes, runs: Columns, most: int) -> bytes:
    """Return the source of the first runs with spaces between them, so many bytes of it at most."""
    pieces = []
    columns = (runs[column].tolist() for column in (RunColumn.START, RunColumn.END))
    for start, end in zip(*columns, strict=True):
        pieces.append(source[start : min(end, start + most)])
        most -= end - start
        if most <= 0:
            break
    return b" ".join(pieces)


def find_small(
    source: bytes,
    tables: Sequence[Columns],
    runs: tuple[int, int],
    longest: int,
    words: Sequence[bytes],
) -> list[int]:
    """Return the elements that begin with one of some runs and have one of the words in their tags.

    `runs` are the first and the one after the last. The text of an element has two characters or
    more, and no more than the longest. Words are in small letters, and they are found in capitals
    too.
    """
    if not all(words) or len(words) > MOST_WORDS:
        raise ValueError("there may be a few words, and none is empty")
    nodes, chars = tables[0], tables[1][RunColumn.CHARS]
    first_run, stop_run = nodes[NodeColumn.FIRST_RUN], nodes[NodeColumn.STOP_RUN]
    total = np.concatenate(([0], np.cumsum(chars, dtype=np.int64)))
    size = total[stop_run] - total[first_run]
    is_near = (first_run >= runs[0]) & (first_run < runs[1])
    starts, ends = nodes[NodeColumn.START], nodes[NodeColumn.END]
    return [
        node
        for node in (is_near & (size > 1) & (size <= longest)).nonzero()[0].tolist()
        if any(word in source[starts[node] : ends[node]].lower() for word in words)
    ]
