"""Take elements out of a page: the same tables without some of their rows.

The source stays as it is, so all offsets stay true.
"""

import numpy as np
import numpy.typing as npt

from bodytext.kernel import nearest_marked
from bodytext.page.tables import (
    BlockTable,
    NodeTable,
    Page,
    RunTable,
    or_above,
    running_sum,
    tag_mask,
)

_SKELETON = tag_mask("html head body")  # these stay, empty
_COPIED = ("start", "end", "tags", "words", "chars", "bytes", "flags")  # columns of runs


def prune(page: Page, nodes: npt.NDArray[np.intp]) -> Page:
    """Return the page without these elements and all that is in them."""
    if not len(nodes):
        return page
    marked = np.zeros(len(page.nodes.tag), np.bool_)
    marked[nodes] = True
    taken = or_above(marked, page.nodes.parent)
    kept, kept_runs = ~taken | _SKELETON[page.nodes.tag], ~taken[page.runs.node]
    node_number = running_sum(kept.astype(np.int32)) - 1
    run_number = running_sum(kept_runs.astype(np.int32))
    first, stop = run_number[page.blocks.first_run], run_number[page.blocks.stop_run]
    kept_blocks = first < stop
    holder = nearest_marked(kept, page.nodes.parent)  # html is always kept
    columns = page.nodes
    pruned = Page(
        page.source,
        page.url,
        page.encoding,
        NodeTable(
            columns.tag[kept],
            np.where(columns.parent < 0, -1, node_number[holder[columns.parent] + 1])[kept],
            run_number[columns.first_run][kept],
            run_number[columns.stop_run][kept],
            columns.start[kept],
            columns.end[kept],
            columns.flags[kept],
        ),
        RunTable(
            **{name: getattr(page.runs, name)[kept_runs] for name in _COPIED},
            node=node_number[page.runs.node[kept_runs] + 1],
        ),
        BlockTable(
            first[kept_blocks],
            stop[kept_blocks],
            page.blocks.kind[kept_blocks],
            node_number[holder[page.blocks.node[kept_blocks]] + 1],
        ),
        page.tags,
    )
    for table in (pruned.nodes, pruned.runs, pruned.blocks):
        for column in table:
            column.setflags(write=False)
    return pruned
