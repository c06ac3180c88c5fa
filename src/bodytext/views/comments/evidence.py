"""Gather the signs of a discussion in the nodes and runs of a page."""

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from bodytext.kernel import add_up, find_spans
from bodytext.kernel.html import TAG, Flag
from bodytext.page.late_pattern import late_pattern
from bodytext.page.tables import Column, Page, or_above, tag_mask
from bodytext.views.comments.element_names import UNREAD, ElementNames, Mask, Numbers, read_names
from bodytext.views.comments.post_dates import mark_dates
from bodytext.views.comments.sections import find_comments, is_comment

WHOLE = tag_mask("html body main head")  # they hold all of the page: no post and no comment section
_NO_PROSE = int(Flag.LINK) | UNREAD
# The opening tag of a date holds one of these, if it is no <time>: datetime, itemprop.
_DATE_HINTS = (b"tetime", b"teTime", b"TETIME", b"temprop", b"temProp", b"TEMPROP")
_POST = late_pattern(
    r"comment|komment|coment|repl(?:y|ies)|respon[sd]|(?:^|[-_.#~@$])(?:post|msg|message|answer"
    r"|question|antwort|thread|topic|chat|bubble|tweet|status|entry|item|row|box|discussion)"
)


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """The authors, dates and comments of a page by node, and its dates and words by run."""

    author: Mask  # nodes
    dated: Mask  # nodes right around a date
    dates: Mask  # runs that are dates
    prose: Column  # the words of each run outside links
    comment: Mask  # nodes in an element called comment or comments
    called: Mask  # names that are words for a post or a comment
    # The nodes that are authors, dates and forms, and the runs that are dates, as numbers: few are
    # any of these, and every group of names is held against them.
    signs: tuple[Numbers, Numbers, Numbers, Numbers]
    sums: "NodeSums"


class NodeSums(NamedTuple):
    """What is in each node of a page."""

    chars: Column
    shown: Column  # words that a reader may see
    prose: Column  # words outside links
    dates: Column  # runs
    dated: Column  # words of dates


def may_hold_comments(page: Page) -> bool:
    """Whether elements called comments may hold posts: a quick no for most articles.

    There must be words outside links in them, and an author or a date. Where several such elements
    are side by side, all around them counts, since each may begin a post.
    """
    found = find_comments(page)
    if not len(found):
        return False  # most pages
    nodes = page.nodes
    found = found[~WHOLE[nodes.tag[found]]]
    if not len(found):
        return False
    called = np.zeros(len(nodes.tag), np.bool_)
    called[found] = True
    inside = or_above(called, nodes.parent)
    outer = nodes.parent[found]
    outer = outer[(outer >= 0) & ~inside[outer]]
    among, runs = inside.copy(), inside[page.runs.node]
    numbers, counts = np.unique(outer, return_counts=True)
    side_by_side = numbers[counts > 1]
    if len(side_by_side):
        steps = np.zeros(len(runs) + 2, np.intp)
        np.add.at(steps, nodes.first_run[side_by_side], 1)
        np.add.at(steps, nodes.stop_run[side_by_side] + 1, -1)  # up to an empty element at the end
        covered = np.cumsum(steps)[:-1] > 0
        among |= covered[nodes.first_run]
        runs |= covered[:-1]
    if not (runs & (page.runs.words > 0) & ((page.runs.flags & _NO_PROSE) == 0)).any():
        return False
    names = read_names(page, among)
    return bool((names.author > 0).any() or (names.date > 1).any() or mark_dates(page, runs).any())


def has_two_dates(page: Page, dates: Mask) -> bool:
    """Whether a page has two dates, in its text or in its tags; `dates` marks the runs that are dates."""
    nodes, count = page.nodes, np.count_nonzero(dates)
    if count > 1:
        return True
    may_be_date = nodes.tag == TAG["time"]
    may_be_date[find_spans(page.source, nodes.start, nodes.end, _DATE_HINTS)] = True
    return bool(count + np.count_nonzero(read_names(page, may_be_date).date > 1) > 1)


@lru_cache(maxsize=4_000)
def _is_post(name: str) -> bool:
    return _POST.search(name) is not None


def gather_evidence(page: Page, names: ElementNames, dates: Mask) -> Evidence:
    """Gather the signs; `dates` marks the runs that are dates."""
    dated = names.date > 1
    dated[page.runs.node[dates]] = True
    linked = page.runs.linked > 0
    count = len(names.keys)
    called = np.fromiter(map(is_comment, names.keys), np.bool_, count)
    is_post = np.fromiter(map(_is_post, names.keys), np.bool_, count)
    comment = np.zeros(len(page.nodes.tag), np.bool_)
    comment[names.node[called[names.key]]] = True
    comment &= ~WHOLE[page.nodes.tag]
    inside = or_above(comment, page.nodes.parent)
    prose = np.where(linked, 0, names.shown).astype(np.int32)
    author = names.author > 0
    marks = (author, dated, page.nodes.tag == TAG["textarea"], dates)
    authors, dated_nodes, forms, date_runs = (mark.nonzero()[0] for mark in marks)
    signs = (authors, dated_nodes, forms, date_runs)
    columns = (page.runs.chars, names.shown, prose, *_as_numbers(dates, names.shown))
    sums = NodeSums(*add_up(page.tables[0], columns))
    return Evidence(author, dated, dates, prose, inside, called | is_post, signs, sums)


def _as_numbers(dates: Mask, words: Column) -> tuple[Column, Column]:
    """The runs that are dates as 0 and 1, and their words."""
    numbers = dates.astype(np.int32)
    return numbers, numbers * words
