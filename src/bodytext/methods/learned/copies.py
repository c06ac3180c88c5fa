"""Find texts that a page has more than once, and choose which of the copies to keep.

Pages repeat text for other screens, in teasers and in quotes of posts. A reader wants it once: the
copy that the network finds most likely, in its own place. But paragraphs that are alike among the
children of one element, or in one list, are no copies: a refrain, a form of address, an entry.
"""

import numpy as np
import numpy.typing as npt

from bodytext.kernel import add_words, find_originals
from bodytext.kernel import choose_copies as choose
from bodytext.kernel.network_shape import COPY_WORDS, IS_TELLING
from bodytext.page.tables import Page

Numbers = npt.NDArray[np.intp]
Words = npt.NDArray[np.float32]

_IS_TELLING = np.array(IS_TELLING, dtype=np.bool_)


def find_copies(page: Page) -> Numbers:
    """Return for each block the first block with the same text; the block itself if it is the first or too short."""
    runs, blocks = page.runs, page.blocks
    words, _ = add_words(runs.words, blocks.first_run, blocks.stop_run)
    wanted = (words >= COPY_WORDS) & _IS_TELLING[blocks.kind]
    texts, all_blocks = (runs.start, runs.end, runs.flags), (blocks.first_run, blocks.stop_run)
    return find_originals(page.source, texts, all_blocks, wanted)


def choose_copies(page: Page, first: Numbers, logits: Words, page_type: str) -> Numbers:
    """Return for each block the copy of it that is kept, by `first` of `find_copies`.

    In documentation every block is. Elsewhere all blocks with the same text in the same place are
    kept, in the place where the network finds one of them most likely. A list item that recurs in
    another list is kept in both, unless a neighbour recurs as well.
    """
    if page_type == "documentation":
        return np.arange(len(first), dtype=np.intp)
    nodes, blocks = page.nodes, page.blocks
    return choose((nodes.tag, nodes.parent), (blocks.kind, blocks.node), first, logits)
