"""Find texts that a page has more than once, and choose which of the copies to keep.

Pages repeat text for other screens, in teasers and in quotes of posts. A reader wants it once: the
copy that the network finds most likely, in its own place. But paragraphs that are alike among the
children of one element, or in one list, are no copies: a refrain, a form of address, an entry.
"""

import numpy as np
import numpy.typing as npt

from bodytext.kernel import find_originals, nearest_marked
from bodytext.kernel.html import Kind
from bodytext.page.tables import Page, tag_mask

Numbers = npt.NDArray[np.intp]
Words = npt.NDArray[np.float32]

COPY_WORDS = 5  # a shorter text may well occur twice
# Whether a text of a kind that occurs twice is a copy.
_TELLING = ~np.isin(np.arange(len(Kind)), (Kind.CODE, Kind.CELL, Kind.TERM, Kind.DEFINITION))
_ITEM = int(Kind.ITEM)
_IS_LIST = tag_mask("ul ol menu")


def find_copies(page: Page, words: Words | None = None) -> Numbers:
    """Return for each block the first block with the same text; the block itself if it is the first or too short.

    `words` are the words of the blocks, if they are known already.
    """
    numbers = np.arange(len(page))
    if words is None:
        words = page.per_block(page.runs.words).astype(np.float32)
    candidates = ((words >= COPY_WORDS) & _TELLING[page.blocks.kind]).nonzero()[0]
    runs, blocks = page.runs, page.blocks
    chosen = (blocks.first_run[candidates], blocks.stop_run[candidates])
    numbers[candidates] = candidates[
        find_originals(page.source, (runs.start, runs.end, runs.flags), chosen)
    ]
    return numbers


def choose_copies(page: Page, first: Numbers, logits: Words, page_type: str) -> Numbers:
    """Return for each block the copy of it that is kept, by `first` of `find_copies`.

    In documentation every block is. Elsewhere all blocks with the same text in the same place are
    kept, in the place where the network finds one of them most likely. A list item that recurs in
    another list is kept in both, unless a neighbour recurs as well.
    """
    numbers = np.arange(len(first))
    is_copy = first != numbers
    if page_type == "documentation" or not is_copy.any():
        return numbers
    is_copied = is_copy.copy()
    is_copied[first[is_copy]] = True
    is_copied[_find_lone_items(page, first, is_copy)] = False
    members = is_copied.nonzero()[0]
    text, place = first[members], _find_places(page, members)
    # The members by text, of each text the likeliest first.
    order = np.lexsort((-logits[members], text))
    in_order = text[order]
    leads = np.ones(len(order), dtype=np.bool_)
    leads[1:] = in_order[1:] != in_order[:-1]
    lead = np.empty(len(members), dtype=np.intp)
    lead[order] = order[leads][leads.cumsum() - 1]
    dropped = place != place[lead]
    numbers[members[dropped]] = members[lead[dropped]]
    return numbers


def _find_places(page: Page, blocks: Numbers) -> npt.NDArray[np.int32]:
    """Return the list around each block, or else the element around the one that holds it."""
    parent = page.nodes.parent
    node = page.blocks.node[blocks]
    around = nearest_marked(_IS_LIST[page.nodes.tag], parent)[node]
    places: npt.NDArray[np.int32] = np.where(around >= 0, around, parent[node])
    return places


def _find_lone_items(page: Page, first: Numbers, is_copy: npt.NDArray[np.bool_]) -> Numbers:
    """Return the list items that are copies without their neighbours."""
    copies = is_copy.nonzero()[0]
    items = copies[page.blocks.kind[copies] == _ITEM]
    # The block before it is the same in copy and original
    follows = np.zeros(len(first) + 1, dtype=np.bool_)
    follows[1:-1] = is_copy[1:] & is_copy[:-1] & (first[1:] == first[:-1] + 1)
    lone: Numbers = items[~follows[items] & ~follows[items + 1]]
    return lone
