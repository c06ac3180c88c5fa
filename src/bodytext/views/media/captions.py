"""Read the captions of media."""

from bisect import bisect_left

import numpy as np

from bodytext.kernel.placement import is_short
from bodytext.page.tables import Page


def read_text(page: Page, node: int) -> str:
    """The text of a short node on one line; nothing for others."""
    if not is_short(page.nodes, page.runs, node):
        return ""
    starts = page.blocks.first_run.data  # a memoryview, in which a search takes less time
    first = bisect_left(starts, page.nodes.first_run.item(node))
    blocks = np.arange(first, bisect_left(starts, page.nodes.stop_run.item(node), first))
    nothing = bytes(len(blocks))
    buffer, spans = page.write_texts(blocks, nothing, nothing)
    return " ".join(
        " ".join(buffer[start:end].decode("utf-8") for start, end in spans.T.tolist()).split()
    )


class Captions(dict[int, str]):
    """The captions of media by node; looking one up reads it. Media without one have that of -1."""

    def __init__(self, page: Page) -> None:
        super().__init__({-1: ""})
        self._page = page

    def __missing__(self, node: int) -> str:
        text = self[node] = read_text(self._page, node)
        return text
