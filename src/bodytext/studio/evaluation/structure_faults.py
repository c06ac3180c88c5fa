"""Find what an answer tears apart: tables, lists, headings and lead-ins, gaps, islands.

A fault is seen in the page's blocks and in which of them an answer keeps. Nothing here asks a method what belongs
together, and no label is needed, so methods, peers and pages without labels are judged alike. Blocks that a reader
does not see, blocks without a word, and buttons are passed over.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bodytext.kernel.html import TAG, Flag, Kind
from bodytext.page.tables import Page, tag_mask

Mask = npt.NDArray[np.bool_]

TORN_TABLE, TORN_LIST = "torn tables", "torn lists"
BARE_HEADING, LEAD_IN = "headings without text", "lead-ins without sequel"
GAP, ISLAND = "gaps", "islands"
FAULTS = (TORN_TABLE, TORN_LIST, BARE_HEADING, LEAD_IN, GAP, ISLAND)
WHOLE_TABLE, WHOLE_LIST = "whole tables", "whole lists"

BLOCKS_IN_A_PIECE = 1.5  # a cell or an item with more blocks is a part of the page, not a value
TEXT_WORDS = 5  # outside of links; a date or a label under a heading is not its text
TITLE_WORDS = 15  # a longer heading is a text
SENTENCE_WORDS = 25  # a longer block that ends in a colon says more than what it announces
NEAR = 3  # blocks after a lead-in in which it is answered; kept blocks on either side of a gap
FAR = 25  # dropped blocks between an island and everything else
ISLAND_SHARE = 0.1  # of the words that are kept

_COLONS = (":", "\uff1a")
_RANKS = {TAG[f"h{rank}"]: rank for rank in range(1, 7)}
_IS_TABLE, _IS_ROW, _IS_CELL = tag_mask("table"), tag_mask("tr"), tag_mask("td th")
_IS_LIST, _IS_ITEM = tag_mask("ul ol dl menu dir"), tag_mask("li dt dd")


class Finding(NamedTuple):
    """What is wrong, or kept whole, and the blocks where it is."""

    name: str
    first: int
    stop: int


class _Answer(NamedTuple):
    """A page, the blocks that count, those that are kept, and the words of all, in and out of links."""

    page: Page
    counts: Mask
    kept: Mask
    words: npt.NDArray[np.int32]
    unlinked: npt.NDArray[np.int32]


def inspect_answer(page: Page, kept: Mask) -> list[Finding]:
    """Return the faults of an answer that keeps these blocks of a page, and its whole tables and lists."""
    if not kept.any():
        return []
    words = page.per_block(page.runs.words)
    counts = page.seen & (words > 0) & (page.blocks.kind != Kind.CONTROL)
    unlinked = page.per_block(np.where(page.runs.flags & Flag.LINK, 0, page.runs.words))
    answer = _Answer(page, counts, kept & (words > 0), words, unlinked)
    return [
        *_judge(answer, (TORN_TABLE, WHOLE_TABLE), _find_tables(page)),
        *_judge(answer, (TORN_LIST, WHOLE_LIST), _find_lists(page)),
        *_find_bare_headings(answer),
        *_find_lead_ins(answer),
        *_find_gaps(answer),
        *_find_islands(answer),
    ]


class _Spans(NamedTuple):
    """The first and the stop block of elements that hold any, in the page's order."""

    first: npt.NDArray[np.intp]
    stop: npt.NDArray[np.intp]

    def count_in(self, others: "_Spans") -> npt.NDArray[np.intp]:
        """Return how many of these elements begin in each of the others."""
        return np.searchsorted(self.first, others.stop) - np.searchsorted(self.first, others.first)


def _find_spans(page: Page, is_tag: Mask) -> _Spans:
    nodes = np.flatnonzero(is_tag[page.nodes.tag])
    first = np.searchsorted(page.blocks.first_run, page.nodes.first_run[nodes])
    stop = np.searchsorted(page.blocks.first_run, page.nodes.stop_run[nodes])
    return _Spans(first[first < stop], stop[first < stop])


def _find_tables(page: Page) -> _Spans:
    """Return the tables of at least two rows and columns that hold values, and no other tables."""
    tables = _find_spans(page, _IS_TABLE)
    rows = _find_spans(page, _IS_ROW).count_in(tables)
    cells = _find_spans(page, _IS_CELL).count_in(tables)
    holds_values = (rows > 1) & (cells >= 1.5 * rows) & (tables.count_in(tables) == 1)
    return _choose(tables, holds_values & _is_plain(tables, cells))


def _find_lists(page: Page) -> _Spans:
    """Return the lists of at least two short items that are in no other such list."""
    lists = _find_spans(page, _IS_LIST)
    items = _find_spans(page, _IS_ITEM).count_in(lists)
    tables = _find_spans(page, _IS_TABLE).count_in(lists)
    lists = _choose(lists, (items > 1) & (tables == 0) & _is_plain(lists, items))
    reach = np.maximum.accumulate(lists.stop) if len(lists.stop) else lists.stop
    outermost = np.ones(len(lists.first), dtype=np.bool_)
    outermost[1:] = lists.first[1:] >= reach[:-1]
    return _choose(lists, outermost)


def _is_plain(spans: _Spans, pieces: npt.NDArray[np.intp]) -> Mask:
    return (spans.stop - spans.first) <= BLOCKS_IN_A_PIECE * pieces


def _choose(spans: _Spans, chosen: Mask) -> _Spans:
    return _Spans(spans.first[chosen], spans.stop[chosen])


def _judge(answer: _Answer, names: tuple[str, str], spans: _Spans) -> Iterator[Finding]:
    """Find the tables or lists that are torn, and those that are kept whole."""
    for first, stop in zip(spans.first.tolist(), spans.stop.tolist(), strict=True):
        kept = answer.kept[first:stop][answer.counts[first:stop]]
        if kept.any():
            yield Finding(names[bool(kept.all())], first, stop)


def _find_bare_headings(answer: _Answer) -> Iterator[Finding]:
    """Find kept headings whose sections have text, a table or a list, with nothing of it kept.

    A section ends before the next heading of the same rank or a higher one.
    """
    page = answer.page
    is_heading = (page.blocks.kind == Kind.HEADING) & (answer.words <= TITLE_WORDS)
    is_text = answer.counts & ~is_heading & (answer.unlinked >= TEXT_WORDS)
    for spans in (_find_tables(page), _find_lists(page)):
        for first, stop in zip(*spans, strict=True):
            is_heading[first:stop] = False
            is_text[first:stop] |= answer.counts[first:stop]
    kept_text = answer.kept & ~is_heading
    headings = np.flatnonzero(is_heading & answer.counts).tolist()
    ends = _find_ends([_rank(page, block) for block in headings], [*headings, len(page)])
    for first, end in zip(headings, ends, strict=True):
        if answer.kept[first] and is_text[first:end].any() and not kept_text[first:end].any():
            yield Finding(BARE_HEADING, first, end)


def _find_ends(ranks: list[int], blocks: list[int]) -> list[int]:
    """Return where the sections of headings end, given their ranks and blocks, and the page's end."""
    ends, waiting = [blocks[-1]] * len(ranks), list[int]()
    for number, rank in enumerate(ranks):
        while waiting and ranks[waiting[-1]] >= rank:
            ends[waiting.pop()] = blocks[number]
        waiting.append(number)
    return ends


def _rank(page: Page, block: int) -> int:
    """Return the rank of the heading that a block is in, 1 for the highest."""
    node = page.blocks.node.item(block)
    while page.nodes.tag.item(node) not in _RANKS:
        node = page.nodes.parent.item(node)
    return _RANKS[page.nodes.tag.item(node)]


def _find_lead_ins(answer: _Answer) -> Iterator[Finding]:
    """Find kept sentences that end in a colon, with none of the next few blocks kept.

    Captions do not count among these: the picture may be what was announced.
    """
    texts = answer.page.texts()
    is_caption = answer.page.blocks.kind == Kind.CAPTION
    counted = np.flatnonzero(answer.counts & ~is_caption).tolist()
    for number, block in enumerate(counted[:-1]):
        if not answer.kept[block] or answer.words[block] > SENTENCE_WORDS:
            continue
        stop = counted[number + 1 : number + 1 + NEAR][-1] + 1
        is_open = texts[block].rstrip().endswith(_COLONS)
        if is_open and not answer.kept[block + 1 : stop].any():
            yield Finding(LEAD_IN, block, stop)


def _find_gaps(answer: _Answer) -> Iterator[Finding]:
    """Find dropped blocks with kept ones around them, all of one kind and in one element.

    A block of links is no gap: it may well lead to another page.
    """
    counted = np.flatnonzero(answer.counts)
    kept, is_linked = answer.kept[counted], (2 * answer.unlinked < answer.words)[counted]
    blocks, parent = answer.page.blocks, answer.page.nodes.parent
    alike = np.stack((blocks.kind[counted], parent[blocks.node[counted]]))
    for place in range(NEAR, len(counted) - NEAR):
        around = slice(place - NEAR, place + NEAR + 1)
        is_hole = not kept[place] and kept[around].sum() == 2 * NEAR and not is_linked[place]
        if is_hole and (alike[:, around] == alike[:, place, None]).all():
            yield Finding(GAP, int(counted[place]), int(counted[place]) + 1)


def _find_islands(answer: _Answer) -> Iterator[Finding]:
    """Find kept blocks with few words that are far from all others."""
    counted = np.flatnonzero(answer.counts)
    places = np.flatnonzero(answer.kept[counted])
    if not len(places):
        return
    total = answer.words[counted[places]].sum()
    for group in np.split(places, np.flatnonzero(np.diff(places) > FAR) + 1):
        if answer.words[counted[group]].sum() < ISLAND_SHARE * total:
            yield Finding(ISLAND, int(counted[group[0]]), int(counted[group[-1]]) + 1)
