"""Make the scores of a page's blocks consistent: what belongs together is kept together.

The network scores blocks one by one. But half a table says something else, and so does a list
without its second item, or a sentence that ends in a colon without what it announces. Such blocks
are a unit: all get the mean of their scores, weighted by words, so that every threshold keeps or
drops them as one. Code and tables score no less than the text around them. What only announces a
text, a heading or a lead-in, scores no more than the best of that text. Readers' comments and links
to other articles are not the article. docs/learned.md says where the numbers come from.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bodytext.kernel.class_names import TOPIC_NAMES
from bodytext.kernel.html import TAGS, UNSEEN, Flag, Kind
from bodytext.methods.scores import BOUNDARY, Values
from bodytext.page.tables import Column, Page, tag_mask

Mask = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.intp]
Topics = npt.NDArray[np.uint64]
Words = npt.NDArray[np.float32]

MOST_COMMENTS = 0.8  # of the kept words; above it, what is called comments holds the article too
LINKED = 0.75  # of the words of a paragraph that leads elsewhere
PROSE_WORDS = 10  # at least, of the paragraphs before and after it
MOST_IN_A_PIECE = 1.5  # blocks per cell or item; one with more is a part of the page
LEAST_COLUMNS = 1.5  # cells per row of a table that holds data
FEW = 5  # blocks of a quotation, or of a question and its answer; a longer one may hold anything
TEXT_WORDS = 5  # outside of links, of a text that a heading may announce
HEADING_WORDS, LEAD_IN_WORDS = 15, 25  # a longer one is a text in itself
LABEL_WORDS = 2  # of what may be between a lead-in and its code, such as the language
REACH = 3  # blocks after a lead-in among which is what it announces
_UNLIKELY = 0.1  # a block that scores less announces nothing
_TAIL = 64  # bytes in which the last character of a block is found

_COMMENT = np.uint64(1 << TOPIC_NAMES.index("comment"))
_TABLE, _ROW, _PIECE, _LIST, _SHORT, _HEADING = (1 << bit for bit in range(6))
_UNIT = _TABLE | _LIST | _SHORT
_ROLES = np.zeros(len(TAGS), dtype=np.uint8)  # by tag
_ROLES[tag_mask("table")] = _TABLE
_ROLES[tag_mask("tr")] = _ROW
_ROLES[tag_mask("td th li dt dd")] = _PIECE
_ROLES[tag_mask("ul ol menu dir dl")] = _LIST
_ROLES[tag_mask("blockquote details")] = _SHORT
_ROLES[tag_mask("h1 h2 h3 h4 h5 h6")] = _HEADING
_PARAGRAPH, _CODE, _CONTROL = int(Kind.PARAGRAPH), int(Kind.CODE), int(Kind.CONTROL)
# Kinds that are not in the line of the text.
_BESIDE = np.isin(np.arange(len(Kind)), (Kind.CONTROL, Kind.CAPTION, Kind.HEADING))
_PASSED_OVER = UNSEEN | int(Flag.LINK)
_COLONS = (b":", "\uff1a".encode())
_ENDINGS = np.zeros(256, dtype=np.bool_)  # the last bytes of colons and of white space
_ENDINGS[list(b":\x9a\t\n\f\r ;\xa0")] = True


class _Stretches(NamedTuple):
    """Stretches of blocks: the first of each, and the one after its last."""

    first: Numbers
    stop: Numbers

    def blocks(self) -> Numbers:
        """Return all blocks of all stretches."""
        size = self.stop - self.first
        blocks: Numbers = (self.first - size.cumsum() + size).repeat(size)
        blocks += np.arange(len(blocks))
        return blocks


class _Elements(NamedTuple):
    """Elements with text: what they are, and their blocks."""

    role: npt.NDArray[np.uint8]
    tag: Column
    first: Numbers
    stop: Numbers

    def count_in(self, others: _Stretches, role: int) -> Numbers:
        """Return how many of these elements with a role begin in each of some stretches."""
        places = self.first[self.role == role]
        number: Numbers = places.searchsorted(others.stop) - places.searchsorted(others.first)
        return number


def settle(page: Page, scores: Values, words: Words, page_type: str, topics: Topics) -> None:
    """Change the scores so that what belongs together is kept together. `topics` are those around each node."""
    unlinked = page.per_block(np.where(page.runs.flags & _PASSED_OVER, 0, page.runs.words))
    if page_type == "article":
        in_comments = topics[page.blocks.node] & _COMMENT
        if in_comments.any():
            _leave_comments(scores, words, in_comments != 0)
        _lower_links(page, scores, words, unlinked)
    elements = _find_elements(page)
    units, tables = _find_units(elements)
    _raise_figures(page, scores, words, tables)
    lead_ins = _find_lead_ins(page, scores)
    if len(lead_ins):
        following = _find_following(page, words, lead_ins)
        units = _add_lead_ins(page, words, units, (lead_ins, following))
    inside = _level(scores, words, units)
    if len(lead_ins):
        alone = ~inside[lead_ins] & (words[lead_ins] <= LEAD_IN_WORDS)
        _lower_lead_ins(scores, lead_ins[alone].tolist(), following[alone].tolist())
    headings = (elements.role == _HEADING).nonzero()[0]
    first = elements.first[headings]
    is_alone = ~inside[first] & (words[first] <= HEADING_WORDS)
    if is_alone.any():
        is_text = (unlinked >= TEXT_WORDS) & (page.blocks.kind != _CONTROL)
        is_text[units.first] = True
        ranks = elements.tag[headings[is_alone]].tolist()  # h1 to h6 are numbered in this order
        _lower_headings(scores, first[is_alone], ranks, is_text, is_listing=page_type == "listing")


def _leave_comments(scores: Values, words: Words, inside: Mask) -> None:
    kept = words * (scores >= BOUNDARY)
    if kept[inside].sum() <= MOST_COMMENTS * kept.sum():
        scores[inside] = 0


def _lower_links(page: Page, scores: Values, words: Words, unlinked: Column) -> None:
    """Halve the score of each paragraph of links between two of prose: it leads to another article."""
    is_plain = page.blocks.kind <= _PARAGRAPH
    leads_away = is_plain & (unlinked <= (1 - LINKED) * words)
    is_prose = is_plain & (words >= PROSE_WORDS) & (2 * unlinked >= words)
    leads_away[1:] &= is_prose[:-1]
    leads_away[:-1] &= is_prose[1:]
    scores[leads_away] /= 2


def _raise_figures(page: Page, scores: Values, words: Words, tables: _Stretches) -> None:
    """Raise code and tables to the lower score of the texts before and after them."""
    kind = page.blocks.kind
    is_figure = kind == _CODE
    is_figure[tables.blocks()] = True
    figures = is_figure.nonzero()[0]
    if len(figures):
        texts = (~is_figure & (words > LABEL_WORDS) & ~_BESIDE[kind]).nonzero()[0]
        place = texts.searchsorted(figures)
        is_between = (place > 0) & (place < len(texts))
        figures, place = figures[is_between], place[is_between]
        around = np.minimum(scores[texts[place - 1]], scores[texts[place]])
        scores[figures] = np.maximum(scores[figures], around)


# Units.


def _find_elements(page: Page) -> _Elements:
    nodes, starts = page.nodes, page.blocks.first_run
    role = _ROLES[nodes.tag]
    chosen = ((role != 0) & (nodes.first_run < nodes.stop_run)).nonzero()[0]
    first = starts.searchsorted(nodes.first_run[chosen])
    stop = starts.searchsorted(nodes.stop_run[chosen])
    return _Elements(role[chosen], nodes.tag[chosen], first, stop)


def _find_units(elements: _Elements) -> tuple[_Stretches, _Stretches]:
    """Return tables of data, lists of plain items, short quotations and answers; and those tables."""
    chosen = (elements.role & _UNIT).nonzero()[0]
    role, found = elements.role[chosen], _Stretches(elements.first[chosen], elements.stop[chosen])
    size, pieces = found.stop - found.first, elements.count_in(found, _PIECE)
    is_whole = size <= MOST_IN_A_PIECE * pieces
    is_table = role == _TABLE
    if is_table.any():
        rows = elements.count_in(found, _ROW)
        is_whole &= ~is_table | ((rows > 1) & (pieces >= LEAST_COLUMNS * rows))
        is_whole &= elements.count_in(found, _TABLE) == is_table  # no table is inside
    is_table &= is_whole
    is_whole |= (role == _SHORT) & (size <= FEW)
    tables = _Stretches(found.first[is_table], found.stop[is_table])
    return _join(found.first[is_whole], found.stop[is_whole]), tables


def _join(first: Numbers, stop: Numbers) -> _Stretches:
    """Join stretches that overlap. They are in the order of their first blocks."""
    if len(first) < 2:
        return _Stretches(first, stop)
    is_apart = np.ones(len(first), dtype=np.bool_)
    is_apart[1:] = first[1:] >= np.maximum.accumulate(stop)[:-1]
    begins = is_apart.nonzero()[0]
    return _Stretches(first[begins], np.maximum.reduceat(stop, begins))


def _add_lead_ins(
    page: Page, words: Words, units: _Stretches, lead_ins: tuple[Numbers, Numbers]
) -> _Stretches:
    """Join lead-ins, given with the blocks after them, with the unit or the code that they announce."""
    blocks, following = lead_ins
    stops = np.where(page.blocks.kind == _CODE, np.arange(1, len(page) + 1), 0)
    stops[units.first] = units.stop
    near = following[:, 0]
    is_label = (stops[near] == 0) & (words[near] <= LABEL_WORDS)
    near = np.where(is_label, following[:, 1], near)
    announces = (stops[near] > 0) & (near > blocks)
    first = np.concatenate((units.first, blocks[announces]))
    stop = np.concatenate((units.stop, stops[near[announces]]))
    order = first.argsort(kind="stable")
    return _join(first[order], stop[order])


def _level(scores: Values, words: Words, units: _Stretches) -> Mask:
    """Give the blocks of each unit their mean score; return which blocks are in units."""
    inside = np.zeros(len(scores), dtype=np.bool_)
    if len(units.first):
        size, blocks = units.stop - units.first, units.blocks()
        offset = size.cumsum() - size
        weight = words[blocks] + np.float32(0.5)  # so that a cell of one or two characters counts
        mean = np.add.reduceat(weight * scores[blocks], offset) / np.add.reduceat(weight, offset)
        scores[blocks] = mean.repeat(size)
        inside[blocks] = True
    return inside


# What announces a text.


def _find_lead_ins(page: Page, scores: Values) -> Numbers:
    """Return the blocks that end in a colon."""
    ends = page.runs.end[page.blocks.stop_run - 1]
    last = np.frombuffer(page.source, dtype=np.uint8)[ends - 1]
    blocks = (_ENDINGS[last] & (scores > _UNLIKELY)).nonzero()[0]
    tails = (page.source[max(end - _TAIL, 0) : end] for end in ends[blocks].tolist())
    return blocks[np.array([_ends_in_colon(tail) for tail in tails], dtype=np.bool_)]


def _ends_in_colon(text: bytes) -> bool:
    if text.endswith((b";", b"\xa0")):
        text = text.replace(b"&nbsp;", b" ").replace(b"\xc2\xa0", b" ")
    return text.rstrip().endswith(_COLONS)


def _find_following(page: Page, words: Words, lead_ins: Numbers) -> Numbers:
    """Return a row for each lead-in: the next blocks of text."""
    last = len(page) - 1
    texts = ((words > 0) & ~_BESIDE[page.blocks.kind]).nonzero()[0]
    texts = np.concatenate((texts, np.full(REACH, last)))
    places = texts[:-REACH].searchsorted(lead_ins, "right")
    following: Numbers = texts[places[:, None] + np.arange(REACH)]
    return following


def _lower_lead_ins(scores: Values, lead_ins: list[int], following: list[list[int]]) -> None:
    """Lower lead-ins to the best of what follows, from the last to the first."""
    for block, after in zip(reversed(lead_ins), reversed(following), strict=True):
        scores[block] = min(scores[block], max(scores[other] for other in after))


def _lower_headings(
    scores: Values, first: Numbers, ranks: list[int], is_text: Mask, *, is_listing: bool
) -> None:
    """Lower each heading to the best text of its section, or to the best after it if there is none.

    A section ends before the next heading of the same rank or a higher one. The content of a
    listing, or of a page without other text, may be headings without sections.
    """
    text = scores.copy()
    text[first] = 0
    is_text[first] = False
    bests = np.maximum.reduceat(text, first).tolist()
    have_text = np.logical_or.reduceat(is_text, first).tolist()
    below: list[int] = []  # headings that may be in a section that begins before them
    after = 1.0 if is_listing or text.max() < BOUNDARY else 0.0
    limits = [0.0] * len(ranks)
    for number in range(len(ranks) - 1, -1, -1):
        rank, best = ranks[number], bests[number]
        after = max(after, best)
        while below and ranks[below[-1]] > rank:
            inner = below.pop()
            best = max(best, bests[inner])
            have_text[number] |= have_text[inner]
        below.append(number)
        bests[number] = best
        limits[number] = best if have_text[number] else after
    scores[first] = np.minimum(scores[first], np.array(limits, dtype=np.float32))
