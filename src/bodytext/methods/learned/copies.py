"""Find texts that a page has more than once.

Pages repeat text for other screens, in teasers and in quotes of posts. A reader wants it once: the
copy that the network finds most likely, in its own place. But paragraphs that are alike among the
children of one element, or in one list that is no thread, are no copies: a refrain, a form of
address. Nor is a list item that recurs in another list, unless a neighbour recurs as well.
`bodytext.kernel.choose_copies` chooses.
"""

import numpy as np
import numpy.typing as npt

from bodytext.kernel import add_words, find_originals
from bodytext.kernel.network_shape import COPY_WORDS, IS_TELLING
from bodytext.page.tables import Page

Numbers = npt.NDArray[np.intp]

_IS_TELLING = np.array(IS_TELLING, dtype=np.bool_)


def find_copies(page: Page) -> Numbers:
    """Return for each block the first block with the same text; the block itself if it is the first or too short."""
    runs, blocks = page.runs, page.blocks
    words, _ = add_words(runs.words, blocks.first_run, blocks.stop_run)
    wanted = (words >= COPY_WORDS) & _IS_TELLING[blocks.kind]
    texts, all_blocks = (runs.start, runs.end, runs.flags), (blocks.first_run, blocks.stop_run)
    return find_originals(page.source, texts, all_blocks, wanted)
