"""Make the scores of a page's blocks consistent: tables, headings, comments.

The network scores blocks one by one. These rules hold whatever it says: a
table without some of its cells says something else; a heading needs text under it; readers' comments are not the
article. The numbers were chosen on WCXB's development split (docs/learned.md).
"""

import numpy as np
import numpy.typing as npt

from bodytext.kernel import nearest_marked
from bodytext.kernel.class_names import TOPIC_NAMES
from bodytext.kernel.html import Kind
from bodytext.methods.scores import BOUNDARY, Values
from bodytext.page.tables import Page, tag_mask

Topics = npt.NDArray[np.uint64]
Words = npt.NDArray[np.float32]

MOST_COMMENTS = (
    0.8  # share of the kept words; above it, what is called comments holds the article too
)
LEAST_COLUMNS = 1.5  # cells per row of a table that holds data
MOST_IN_A_CELL = 1.5  # blocks per cell of such a table
_UNLIKELY = 0.1  # if no cell scores more, there is no table to complete, whatever the threshold
_CELL, _HEADING = int(Kind.CELL), int(Kind.HEADING)
_IS_TABLE, _IS_CELL = tag_mask("table"), tag_mask("td th")
_COMMENT = np.uint64(1 << TOPIC_NAMES.index("comment"))


def settle(page: Page, scores: Values, words: Words, page_type: str, topics: Topics) -> None:
    """Change the scores so that what belongs together is kept together. `topics` are those around each node."""
    if page_type == "article":
        inside = topics[page.blocks.node] & _COMMENT
        if inside.any():
            _leave_comments(scores, words, inside != 0)
    kind = page.blocks.kind
    cells = scores[kind == _CELL]
    if len(cells) and cells.max() > _UNLIKELY:
        _keep_tables(page, scores, words)
    if page_type != "listing":  # the content of a listing may be headings alone
        _leave_bare_headings(scores, kind == _HEADING)


def _leave_comments(scores: Values, words: Words, inside: npt.NDArray[np.bool_]) -> None:
    kept = words * (scores >= BOUNDARY)
    if kept[inside].sum() <= MOST_COMMENTS * kept.sum():
        scores[inside] = 0


def _keep_tables(page: Page, scores: Values, words: Words) -> None:
    """Raise each block of a data table to the table's mean score, weighted by words."""
    tag, parent = page.nodes.tag, page.nodes.parent
    cell = nearest_marked(_IS_CELL[tag], parent)[page.blocks.node]
    table_of = nearest_marked(_IS_TABLE[tag], parent)
    table = table_of[page.blocks.node]
    inside = np.flatnonzero(table >= 0)
    if not len(inside):
        return
    cells = np.unique(cell[inside[cell[inside] > table[inside]]])
    tables, number = np.unique(table[inside], return_inverse=True)
    cell_count = np.bincount(np.searchsorted(tables, table_of[cells]), minlength=len(tables))
    row_count = np.bincount(
        np.searchsorted(tables, table_of[np.unique(parent[cells])]), minlength=len(tables)
    )
    block_count = np.bincount(number)
    weight = words[inside] + np.float32(0.5)  # so that a cell of one or two characters counts
    mean = np.bincount(number, scores[inside] * weight) / np.bincount(number, weight)
    holds_data = (row_count > 1) & (cell_count >= LEAST_COLUMNS * row_count)
    holds_data &= block_count <= MOST_IN_A_CELL * cell_count
    least = np.where(holds_data, mean, 0)[number].astype(np.float32)
    scores[inside] = np.maximum(scores[inside], least)


def _leave_bare_headings(scores: Values, is_heading: npt.NDArray[np.bool_]) -> None:
    """Lower each heading to the best text after it, if the page has any text but headings."""
    texts = scores * ~is_heading
    after = np.maximum.accumulate(texts[::-1])[::-1]
    if after[0] >= BOUNDARY:
        np.minimum(scores, after, out=scores, where=is_heading)
