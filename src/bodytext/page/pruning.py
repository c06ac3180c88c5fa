"""Take elements out of a page: the same tables without some of their rows.

The source stays as it is, so all offsets stay true.
"""

import numpy as np
import numpy.typing as npt

from bodytext.kernel import nearest_marked
from bodytext.page.tables import Page, or_above, running_sum, tag_mask

_SKELETON = tag_mask("html head body")  # these stay, empty


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
    parent = page.nodes.parent
    node_columns = page.nodes._replace(
        parent=np.where(parent < 0, -1, node_number[holder[parent] + 1]),
        first_run=run_number[page.nodes.first_run],
        stop_run=run_number[page.nodes.stop_run],
    )
    run_columns = page.runs._replace(node=node_number[page.runs.node + 1])
    block_node = node_number[holder[page.blocks.node] + 1]
    block_columns = page.blocks._replace(first_run=first, stop_run=stop, node=block_node)
    tables = (
        np.stack(node_columns)[:, kept],
        np.stack(run_columns)[:, kept_runs],
        np.stack(block_columns)[:, kept_blocks],
    )
    for table in tables:
        table.setflags(write=False)
    return Page(page.source, page.url, page.encoding, tables, page.tags)
