"""Keep blocks together that belong together, in numpy: the specification of `units_native.pyx`.

The network scores blocks one by one. But half a table says something else, and so does a list
without its second item, or a sentence that ends in a colon without what it announces. Such blocks
are a unit: all get the mean of their scores, weighted by words, so that every threshold keeps or
drops them as one. Code and tables score no less than the text around them. What only announces a
text, a heading or a lead-in, scores no more than the best of that text. Readers' comments, the line
with the author, offers to subscribe and links to other articles are not the article. The numbers
of these rules are in `unit_rules`.
"""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from bodytext.kernel.html import TAG, UNSEEN, Kind
from bodytext.kernel.layers import BlockNetwork, CutRule, Matrix, Sums, add_up_answer, decide
from bodytext.kernel.network_shape import COPY_WORDS, IS_TELLING, PAGE_TYPES, TELLING_WORDS
from bodytext.kernel.scanner import choose_copies, find_originals
from bodytext.kernel.table_columns import NodeColumn, RunColumn
from bodytext.kernel.unit_rules import (
    ANNOUNCING_WORDS,
    AROUND,
    ASIDES,
    BESIDE,
    ENDINGS,
    ENOUGH_WORDS,
    FEW,
    LABEL_WORDS,
    LEAST_COLUMNS,
    LEAST_WEIGHT,
    LINKED,
    LOWEST_RANK,
    MAIN_SHARE,
    MANY,
    MOST_IN_A_PIECE,
    MOST_LINKED,
    NEVER_SHOWN,
    OUTSIDE_SHARE,
    PASSED_OVER,
    PROSE_WORDS,
    REACH,
    ROLES,
    SURE_ANSWER,
    TAIL,
    TEXT_WORDS,
    TORN_SCORE,
    TORN_SHARE,
    TORN_WORDS,
    TRAITS,
    UNEVEN,
    UNLIKELY,
    WHOLE,
    PageTrait,
    UnitRole,
)

if TYPE_CHECKING:
    from bodytext.kernel.survey import Survey

Column = npt.NDArray[np.int32]
Columns = tuple[Column, ...] | Column
Mask = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.intp]
Topics = npt.NDArray[np.uint64]
Values = npt.NDArray[np.float32]
Answer = tuple[Values, Values, str, tuple[float, ...]]

_ROLES = np.array(ROLES, dtype=np.uint16)
_BESIDE = np.array(BESIDE, dtype=np.bool_)
_PARAGRAPH, _CODE, _CONTROL = int(Kind.PARAGRAPH), int(Kind.CODE), int(Kind.CONTROL)
_WHOLE_PAGE = (TAG["html"], TAG["body"])
_HEADING, _CAPTION = int(Kind.HEADING), int(Kind.CAPTION)
_NODES = (NodeColumn.TAG, NodeColumn.FIRST_RUN, NodeColumn.STOP_RUN)
_RUNS = (RunColumn.END, RunColumn.WORDS, RunColumn.FLAGS)
_TEXTS = (RunColumn.START, RunColumn.END, RunColumn.FLAGS)
_IS_TELLING = np.array(IS_TELLING, dtype=np.bool_)
_COLONS = (b":", "\uff1a".encode())
_ENDINGS = np.zeros(256, dtype=np.bool_)
_ENDINGS[list(ENDINGS)] = True


class _Blocks(NamedTuple):
    """What is known of each block. The scores are changed in place."""

    scores: Values
    words: Values
    kind: Column
    unlinked: Column  # words that are seen and in no link
    end: Column  # in the source


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

    role: npt.NDArray[np.uint16]
    tag: Column
    first: Numbers
    stop: Numbers

    def count_in(self, others: _Stretches, role: int) -> Numbers:
        """Return how many of these elements with a role begin in each of some stretches."""
        places = self.first[self.role == role]
        number: Numbers = places.searchsorted(others.stop) - places.searchsorted(others.first)
        return number

    def cover(self, chosen: Mask, blocks: int) -> Mask:
        """Return which of the blocks are in some of these elements."""
        steps = np.bincount(self.first[chosen], minlength=blocks + 1)
        steps -= np.bincount(self.stop[chosen], minlength=blocks + 1)
        covered: Mask = steps.cumsum()[:-1] > 0
        return covered


def decide_page(
    source: bytes,
    tables: tuple[Columns, Columns, Columns],
    values: tuple[Values, Values, Topics],
    types: Values,
    rule: tuple[CutRule, float],
) -> Answer:
    """Decide which blocks of a page to keep.

    Of texts that the page has more than once, one copy is kept; in documentation all are. Then the
    logits are cut, and what belongs together is kept together.

    Arguments:
        source: the page.
        tables: the columns of the page's nodes, runs and blocks.
        values: logit and words of each block, and the topics around each node.
        types: how likely each of PAGE_TYPES is.
        rule: how the logits are cut, and the score of a block that is kept.

    Returns:
        The chance of each block, its score, the likeliest page type (or nothing if the page has few
        words), what `measure_answer` returns, and the types.
    """
    logits, words, topics = values
    nodes, runs, (first_run, stop_run, kind, node) = tables
    kept = np.arange(len(logits), dtype=np.intp)
    page_type = PAGE_TYPES[int(types.argmax())]
    traits = TRAITS.get(page_type, 0)
    if not traits & PageTrait.REPEATS:
        wanted = (words >= COPY_WORDS) & _IS_TELLING[kind]
        texts = [runs[column] for column in _TEXTS]
        first = find_originals(source, texts, (first_run, stop_run), wanted)
        is_thread = bool(traits & PageTrait.THREAD)
        kept = choose_copies(tuple(nodes[:2]), (kind, node), first, logits, is_thread=is_thread)
    cut, boundary = rule
    chances, scores, expected = decide(logits, words, kept, cut)
    settle_scores(source, tables, (scores, words, topics), page_type, boundary)
    sums = add_up_answer(scores, chances, words, boundary)
    measures = measure_answer(expected, sums, len(words))
    page_type = page_type if sums[1] >= TELLING_WORDS else ""
    return chances, scores, page_type, (*measures, *types.tolist())


def answer_page(
    network: BlockNetwork,
    survey: "Survey",
    page: tuple[bytes, tuple[Columns, Columns, Columns]],
    rule: tuple[CutRule, float],
) -> tuple[tuple[Matrix, Matrix], Answer]:
    """Run a network over the survey of a page, and decide which blocks of the page to keep.

    Return what both of them return. `page` is its source and its tables.
    """
    logits, types = network.run(survey)
    values = (logits, survey.words, survey.topics)
    return (logits, types), decide_page(*page, values, types, rule)


def measure_answer(expected: float, sums: Sums, blocks: int) -> tuple[float, ...]:
    """Measure what the confidence depends on, besides the page types."""
    inside, total, likely, doubt, highest = sums
    return (
        expected,
        likely / (inside + 1),
        inside / (total + 1e-6),
        math.log1p(inside) / 8,
        min(doubt / (inside + 1), 2.0),
        highest,
        math.log1p(blocks) / 8,
    )


def estimate_f1(curve: Sequence[float], measures: Sequence[float]) -> float:
    """Estimate the F1 of an answer by a logistic curve over its measures and their squares.

    The curve is a bias, the weights of the measures, and those of their squares.
    """
    logit, count = curve[0], len(measures)
    for number, measure in enumerate(measures):
        logit += curve[1 + number] * measure
    for number, measure in enumerate(measures):
        logit += curve[1 + count + number] * (measure * measure)
    return 1 / (1 + math.exp(-min(max(logit, -SURE_ANSWER), SURE_ANSWER)))


def settle_scores(
    source: bytes,
    tables: tuple[Columns, Columns, Columns],
    values: tuple[Values, Values, Topics],
    page_type: str,
    boundary: float,
) -> None:
    """Change the scores so that what belongs together is kept together.

    Arguments:
        source: the page.
        tables: the columns of the page's nodes, runs and blocks.
        values: score and words of each block, and the topics around each node.
        page_type: such as "article".
        boundary: the score of blocks that are kept.
    """
    nodes = tuple(tables[0][column] for column in _NODES)
    ends, run_words, flags = (tables[1][column] for column in _RUNS)
    first_run, stop_run, kind, node = tables[2]
    scores, words, topics = values
    traits = TRAITS.get(page_type, 0)
    if not len(scores):
        return
    seen = np.where(flags & PASSED_OVER, 0, run_words)
    unlinked = np.add.reduceat(seen, first_run, dtype=np.int32)
    blocks = _Blocks(scores, words, kind, unlinked, ends[stop_run - 1])
    elements = _find_elements(nodes, first_run)
    is_outside = np.logical_and.reduceat(flags & NEVER_SHOWN != 0, first_run)
    is_outside |= _find_outside(blocks, elements, has_buttons=bool(traits & PageTrait.BUTTONS))
    _drop_outside(blocks, is_outside, boundary)
    _lower_asides(blocks, topics[node], page_type, boundary)
    if traits & (PageTrait.ARTICLE | PageTrait.OFFERS):
        _lower_links(blocks, boundary, are_buttons=bool(traits & PageTrait.OFFERS))
    if traits & PageTrait.ARTICLE:
        _mend(blocks, (nodes, first_run), boundary)
        _raise_headings(blocks, boundary)
    units, data_tables = _find_units(elements)
    _raise_figures(blocks, data_tables)
    lead_ins = _find_lead_ins(source, blocks)
    following = _find_following(blocks, lead_ins)
    units = _add_lead_ins(blocks, units, (lead_ins, following))
    inside = _level(blocks, units, boundary, may_part=bool(traits & PageTrait.PARTS))
    alone = ~inside[lead_ins] & (words[lead_ins] <= ANNOUNCING_WORDS)
    _lower_lead_ins(scores, lead_ins[alone].tolist(), following[alone].tolist())
    ranks = np.where(inside, 0, _rank_headings(blocks, elements))
    if traits & PageTrait.NAMES:
        ranks[2 * unlinked < words] = 0
    if ranks.any() and not traits & PageTrait.HEADLINES:
        is_unseen = np.logical_and.reduceat(flags & UNSEEN != 0, first_run)
        ranks[is_unseen & (ranks > 0)] = LOWEST_RANK
        is_text = (unlinked >= TEXT_WORDS) & (kind != _CONTROL)
        is_text[units.first] = True
        _lower_headings(scores, ranks, is_text, boundary)


def _find_outside(blocks: _Blocks, elements: _Elements, *, has_buttons: bool) -> Mask:
    """Return what is in a navigation, footer or dialog, links in an aside, names of fields, buttons."""
    words, role, stop = blocks.words, elements.role, elements.stop
    # The end of quotations so far: a footer in one names its source.
    quoted = np.maximum.accumulate(np.where(role == UnitRole.SHORT, stop, 0))
    is_outside = elements.cover(role == UnitRole.ASIDE, len(words)) & (2 * blocks.unlinked <= words)
    is_outside |= elements.cover((role == UnitRole.OUTSIDE) & (stop > quoted), len(words))
    is_field = elements.cover(role == UnitRole.FIELD, len(words))
    if has_buttons:
        is_button = blocks.kind == _CONTROL
        is_field |= is_button & ~elements.cover(role == UnitRole.HEADING, len(words))
    is_field[:-1] &= is_field[1:] | (blocks.unlinked[1:] < PROSE_WORDS)  # a question has its answer
    is_outside |= is_field
    return is_outside


def _drop_outside(blocks: _Blocks, is_outside: Mask, boundary: float) -> None:
    """Drop blocks, if enough is kept elsewhere."""
    is_kept = blocks.scores >= boundary
    prose = (blocks.unlinked * is_kept).astype(np.float64)
    if blocks.words[is_kept & ~is_outside].sum(dtype=np.float64) < ENOUGH_WORDS:
        return
    if prose[is_outside].sum() <= OUTSIDE_SHARE * prose.sum():
        blocks.scores[is_outside] = 0


def _lower_asides(blocks: _Blocks, topics: Topics, page_type: str, boundary: float) -> None:
    """Lower what is beside the text by its name, but for captions that are marked as such."""
    kept = blocks.words * (blocks.scores >= boundary)
    total = kept.sum(dtype=np.float64)
    for of_type, topic, most, factor in ASIDES:
        if of_type != page_type:
            continue
        inside = (topics & np.uint64(1 << topic) != 0) & (blocks.kind != _CAPTION)
        if kept[inside].sum(dtype=np.float64) <= min(most * total, total - ENOUGH_WORDS):
            blocks.scores[inside] *= factor


def _lower_links(blocks: _Blocks, boundary: float, *, are_buttons: bool) -> None:
    """Halve the scores of short paragraphs of links after kept prose: they lead to other articles.

    After them there is prose again, or the text ends. If they are buttons, anything may follow, and
    they are as short as headings.
    """
    scores, words, unlinked = blocks.scores, blocks.words, blocks.unlinked
    is_plain, is_kept = blocks.kind <= _PARAGRAPH, scores >= boundary
    most = ANNOUNCING_WORDS if are_buttons else MOST_LINKED
    leads_away = is_plain & (words <= most) & (unlinked <= (1 - LINKED) * words)
    is_prose = is_plain & (words >= PROSE_WORDS) & (2 * unlinked >= words)
    steps = np.diff(leads_away.astype(np.int8), prepend=0, append=0)
    first, stop = (steps > 0).nonzero()[0], (steps < 0).nonzero()[0]
    follows = np.append(is_prose | ~is_kept, True)[stop] | are_buttons
    follows &= (is_prose & is_kept)[first - 1] & (first > 0)
    scores[_Stretches(first[follows], stop[follows]).blocks()] /= 2


def _mend(blocks: _Blocks, places: tuple[Columns, Column], boundary: float) -> None:
    """Raise prose that was torn out of an article, and the headings before it.

    It is in the smallest element around nearly all of the article, and there is much of it.
    """
    scores, words, kind = blocks.scores, blocks.words, blocks.kind
    (tag, first_run, stop_run), starts = places
    kept = np.zeros(len(words) + 1)
    kept[1:] = np.where(scores >= boundary, words, 0).cumsum(dtype=np.float64)
    first, stop = starts.searchsorted(first_run), starts.searchsorted(stop_run)
    is_around = (kept[stop] - kept[first] >= AROUND * kept[-1]) & ~np.isin(tag, _WHOLE_PAGE)
    if not kept[-1] or not is_around.any():
        return
    around = is_around.nonzero()[0][-1]
    torn = np.zeros(len(words), dtype=np.bool_)
    torn[first[around] : stop[around]] = True
    torn &= (scores < boundary) & (scores >= np.float32(TORN_SCORE)) & ~_BESIDE[kind]
    torn &= (words >= TORN_WORDS) & (5 * blocks.unlinked >= 4 * words)
    if torn.sum() > 1 and words[torn].sum(dtype=np.float64) >= TORN_SHARE * kept[-1]:
        is_heading = (kind == _HEADING) & (scores > 0) & (scores < boundary)
        torn[:-1] |= torn[1:] & is_heading[:-1]
        scores[torn] = boundary


def _raise_headings(blocks: _Blocks, boundary: float) -> None:
    """Raise short headings between kept prose and a kept text, unless they are links."""
    scores, words, unlinked, kind = blocks.scores, blocks.words, blocks.unlinked, blocks.kind
    is_kept, is_text = scores >= boundary, (words > 0) & ~_BESIDE[kind]
    has_begun = np.logical_or.accumulate(is_kept & is_text & (unlinked >= PROSE_WORDS))
    chosen = has_begun & ~is_kept & (kind == _HEADING) & (words <= ANNOUNCING_WORDS)
    chosen &= (scores > np.float32(UNLIKELY)) & (2 * unlinked >= words)
    headings, texts = chosen.nonzero()[0], is_text.nonzero()[0]
    place = texts.searchsorted(headings)
    has_text = place < len(texts)
    headings, after = headings[has_text], texts[place[has_text]]
    scores[headings[is_kept[after] & (unlinked[after] >= TEXT_WORDS)]] = boundary


def _raise_figures(blocks: _Blocks, tables: _Stretches) -> None:
    """Raise code and tables to the lower score of the texts before and after them."""
    scores = blocks.scores
    is_figure = blocks.kind == _CODE
    is_figure[tables.blocks()] = True
    figures = is_figure.nonzero()[0]
    texts = (~is_figure & (blocks.words > LABEL_WORDS) & ~_BESIDE[blocks.kind]).nonzero()[0]
    place = texts.searchsorted(figures)
    is_between = (place > 0) & (place < len(texts))
    figures, place = figures[is_between], place[is_between]
    around = np.minimum(scores[texts[place - 1]], scores[texts[place]])
    scores[figures] = np.maximum(scores[figures], around)


# Units.


def _find_elements(nodes: Columns, starts: Column) -> _Elements:
    tag, first_run, stop_run = nodes
    role = _ROLES[tag]
    chosen = ((role != 0) & (first_run < stop_run)).nonzero()[0]
    first = starts.searchsorted(first_run[chosen])
    stop = starts.searchsorted(stop_run[chosen])
    has_blocks = first < stop
    chosen = chosen[has_blocks]
    return _Elements(role[chosen], tag[chosen], first[has_blocks], stop[has_blocks])


def _find_units(elements: _Elements) -> tuple[_Stretches, _Stretches]:
    """Return tables of data, lists of plain items, short quotations and answers; and those tables."""
    chosen = (elements.role & WHOLE).nonzero()[0]
    role, found = elements.role[chosen], _Stretches(elements.first[chosen], elements.stop[chosen])
    size, pieces = found.stop - found.first, elements.count_in(found, UnitRole.PIECE)
    rows = elements.count_in(found, UnitRole.ROW)
    is_table = role == UnitRole.TABLE
    is_whole = size <= MOST_IN_A_PIECE * pieces
    is_whole &= ~is_table | ((rows > 1) & (pieces >= LEAST_COLUMNS * rows))
    is_whole &= elements.count_in(found, UnitRole.TABLE) == is_table  # no table is inside
    is_whole &= is_table | (elements.count_in(found, UnitRole.SHORT) == 0)  # items are no posts
    is_table &= is_whole
    is_whole |= (role == UnitRole.SHORT) & (size <= FEW)
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
    blocks: _Blocks, units: _Stretches, lead_ins: tuple[Numbers, Numbers]
) -> _Stretches:
    """Join lead-ins, given with the blocks after them, with the unit or the code that they announce."""
    announcing, following = lead_ins
    stops = np.where(blocks.kind == _CODE, np.arange(1, len(blocks.kind) + 1), 0)
    stops[units.first] = units.stop
    near = following[:, 0]
    is_label = (stops[near] == 0) & (blocks.words[near] <= LABEL_WORDS)
    near = np.where(is_label, following[:, 1], near)
    announces = (stops[near] > 0) & (near > announcing)
    first = np.concatenate((units.first, announcing[announces]))
    stop = np.concatenate((units.stop, stops[near[announces]]))
    order = first.argsort(kind="stable")
    return _join(first[order], stop[order])


def _level(blocks: _Blocks, units: _Stretches, boundary: float, *, may_part: bool) -> Mask:
    """Give the blocks of each unit their mean score; return which blocks are in units.

    A unit that has most of the kept words is kept, whatever its other blocks score. But a large one
    may part if what is kept of it scores much more than the rest: the titles in a table of threads,
    say, beside columns of counts and dates.
    """
    scores, inside = blocks.scores, np.zeros(len(blocks.scores), dtype=np.bool_)
    if not len(units.first):
        return inside
    size, chosen = units.stop - units.first, units.blocks()
    offset = size.cumsum() - size
    score, is_kept = scores[chosen].astype(np.float64), scores[chosen] >= boundary
    weight = blocks.words[chosen].astype(np.float64) + LEAST_WEIGHT
    weights, high = np.add.reduceat(weight, offset), np.add.reduceat(weight * is_kept, offset)
    total = np.add.reduceat(weight * score, offset)
    best = np.add.reduceat(weight * score * is_kept, offset)
    low = weights - high
    # The means differ by more than UNEVEN; multiplied by both weights, since one may be 0.
    parts = best * low - (total - best) * high > UNEVEN * high * low
    parts &= (size >= MANY) & may_part
    kept = np.where(scores >= boundary, blocks.words, 0).astype(np.float64)
    is_main = np.add.reduceat(kept[chosen], offset) > MAIN_SHARE * kept.sum()
    mean = total / weights
    level = np.where(is_main, np.maximum(mean, boundary), mean)
    scores[chosen] = np.where(parts.repeat(size), score, level.repeat(size))
    inside[chosen] = ~parts.repeat(size)
    return inside


# What announces a text.


def _find_lead_ins(source: bytes, blocks: _Blocks) -> Numbers:
    """Return the blocks that end in a colon."""
    last = np.frombuffer(source, dtype=np.uint8)[blocks.end - 1]
    found = (_ENDINGS[last] & (blocks.scores > np.float32(UNLIKELY))).nonzero()[0]
    tails = (source[max(end - TAIL, 0) : end] for end in blocks.end[found].tolist())
    return found[np.array([_ends_in_colon(tail) for tail in tails], dtype=np.bool_)]


def _ends_in_colon(text: bytes) -> bool:
    if text.endswith((b";", b"\xa0")):
        text = text.replace(b"&nbsp;", b" ").replace(b"\xc2\xa0", b" ")
    return text.rstrip().endswith(_COLONS)


def _find_following(blocks: _Blocks, lead_ins: Numbers) -> Numbers:
    """Return a row for each lead-in: the next blocks of text."""
    texts = ((blocks.words > 0) & ~_BESIDE[blocks.kind]).nonzero()[0]
    texts = np.concatenate((texts, np.full(REACH, len(blocks.kind) - 1)))
    places = texts[:-REACH].searchsorted(lead_ins, "right")
    following: Numbers = texts[places[:, None] + np.arange(REACH)]
    return following


def _lower_lead_ins(scores: Values, lead_ins: list[int], following: list[list[int]]) -> None:
    """Lower lead-ins to the best of what follows, from the last to the first."""
    for block, after in zip(reversed(lead_ins), reversed(following), strict=True):
        scores[block] = min(scores[block], max(scores[other] for other in after))


def _rank_headings(blocks: _Blocks, elements: _Elements) -> Numbers:
    """Return the rank of each block that is a short heading, 0 for others. h1 to h6 are numbered in this order."""
    headings = (elements.role == UnitRole.HEADING).nonzero()[0]
    numbers = np.arange(len(blocks.kind))
    if not len(headings):
        return 0 * numbers
    last = headings[elements.first[headings].searchsorted(numbers, "right") - 1]
    is_heading = (elements.first[last] <= numbers) & (numbers < elements.stop[last])
    is_heading &= (blocks.kind == _HEADING) | (blocks.kind == _CONTROL)
    is_heading &= blocks.words <= ANNOUNCING_WORDS
    return np.where(is_heading, elements.tag[last], 0)


def _lower_headings(scores: Values, rank_of: Numbers, is_text: Mask, least: float) -> None:
    """Lower each heading to the best text of its section, or to the best after it if there is none.

    A section ends before the next heading of the same rank or a higher one. The content of a page
    without a text that scores `least` may be headings without sections.
    """
    first = rank_of.nonzero()[0]
    text = np.where(rank_of, 0, scores)
    is_text[first] = False
    ranks = rank_of[first].tolist()
    bests = np.maximum.reduceat(text, first).tolist()
    have_text = np.logical_or.reduceat(is_text, first).tolist()
    below: list[int] = []  # headings that may be in a section that begins before them
    after = 1.0 if text.max() < least else 0.0
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
