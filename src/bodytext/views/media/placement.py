"""Find the nodes that could be the media of an article.

A medium belongs to an interval of runs if it is between them or right next to them: there is no
visible text between, except the caption of a picture that leads the article. It belongs to kept
blocks if, besides, the nearest element around it with text has kept text in it: the picture of a
teaser is with the teaser's words.
"""

import re
from collections.abc import Iterable
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from bodytext.kernel import nearest_marked, read_value
from bodytext.kernel.html import TAG, UNSEEN, Flag, NodeFlag
from bodytext.page.tables import Column, Page, or_above, running_sum, tag_mask
from bodytext.views.media.captions import is_short

Mask = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.intp]

# No honest page comes near this bound; it keeps time and memory linear for hostile ones.
MOST_MEDIA = 1_000

_MEDIA = tag_mask("img video audio embed object iframe blockquote")
_TEMPLATE, _FIGURE = tag_mask("template"), tag_mask("figure figcaption")
_ASIDE = tag_mask("nav aside footer")
_HIDDEN, _LINK = int(NodeFlag.HIDDEN), int(Flag.LINK)
_MOST_WORDS_BELOW_LEAD = (
    60  # byline, date and buttons between the picture that leads an article and its text
)
_MOST_CAPTION_WORDS = 60
_MOST_CAPTION_LINKED = 0.3  # of the characters
_LEVELS_UP = 6  # elements around a medium whose class is read
_LONGEST_CLASS = 1_000  # characters of it
_ELSEWHERE = re.compile(
    r"(?:^|[\s_-])(?:ads?|adv|advert\w*|sponsor\w*|related|recommend\w*|newsletter|author|authors|avatar|byline|bio|"
    r"share|sharing|social|logo|icon|comments?|sidebar|outbrain|taboola)(?:$|[\s_-])",
    re.IGNORECASE,
)


def media_near(page: Page, custom: Iterable[int], first_run: int, stop_run: int) -> Numbers:
    """Find the nodes that could be media of an interval of runs; `custom` are custom elements."""
    nodes = page.nodes
    low, high = _widen(page, first_run, stop_run)
    numbers = _candidates(page, custom)
    near = (nodes.stop_run[numbers] >= low) & (nodes.first_run[numbers] <= high)
    return _shown(page, numbers[near][:MOST_MEDIA], (first_run, stop_run))


def media_among(page: Page, custom: Iterable[int], blocks: Numbers) -> Numbers:
    """Find the nodes that could be media of kept blocks; `custom` are custom elements."""
    nodes = page.nodes
    numbers = _candidates(page, custom)
    if not len(numbers):
        return numbers
    first_run, stop_run = (
        int(page.blocks.first_run[blocks[0]]),
        int(page.blocks.stop_run[blocks[-1]]),
    )
    kept, foreign = _weigh(page, blocks)
    low, high = _widen(page, first_run, stop_run)
    before = running_sum(foreign)
    lead = int(before.searchsorted(before[first_run] - _MOST_WORDS_BELOW_LEAD))
    near = (nodes.stop_run[numbers] >= min(low, lead)) & (nodes.first_run[numbers] <= high)
    numbers = _shown(page, numbers[near][:MOST_MEDIA], (first_run, stop_run))
    if not len(numbers):
        return numbers
    foreign_of = before[nodes.stop_run] - before[nodes.first_run]
    return numbers[_belong(page, numbers, page.per_node(kept), foreign_of)]


def _candidates(page: Page, custom: Iterable[int]) -> Numbers:
    marked = _MEDIA[page.nodes.tag]
    for node in custom:
        marked[node] = True
    return marked.nonzero()[0]


def _shown(page: Page, numbers: Numbers, interval: tuple[int, int]) -> Numbers:
    """Leave out hidden nodes, and those next to the interval in a <nav>, <aside> or <footer>."""
    if not len(numbers):
        return numbers
    nodes = page.nodes
    first_run, stop_run = interval
    hidden = (nodes.flags & _HIDDEN) != 0
    concealed = _within(page, numbers, hidden | _TEMPLATE[nodes.tag], interval)
    outside = (nodes.stop_run[numbers] <= first_run) | (nodes.first_run[numbers] >= stop_run)
    elsewhere = outside & _within(page, numbers, _ASIDE[nodes.tag], interval)
    return numbers[~(concealed | elsewhere)]


def _widen(page: Page, first_run: int, stop_run: int) -> tuple[int, int]:
    """Widen the interval over unseen text, and over the caption of a leading picture."""
    unseen = (page.runs.flags & UNSEEN) != 0
    seen = (~unseen).nonzero()[0]
    if not len(seen):
        seen = np.arange(len(unseen))
    low = _after_last(seen, first_run)
    captions = (page.nodes.tag == TAG["figcaption"]).nonzero()[0]
    leading = captions[
        (page.nodes.first_run[captions] < low) & (page.nodes.stop_run[captions] >= low)
    ]
    leading = leading[page.nodes.stop_run[leading] <= first_run]
    if len(leading) and is_short(page, int(leading[-1])):
        low = _after_last(seen, int(page.nodes.first_run[leading[-1]]))
    after = int(seen.searchsorted(stop_run))
    high = int(seen[after]) if after < len(seen) else len(unseen)
    return low, high


def _after_last(seen: Numbers, run: int) -> int:
    """The run after the last visible one before a run."""
    before = int(seen.searchsorted(run))
    return int(seen[before - 1]) + 1 if before else 0


def _within(page: Page, numbers: Numbers, marked: Mask, interval: tuple[int, int]) -> Mask:
    """Which nodes lie in a marked one that does not hold the whole interval too."""
    nodes = page.nodes
    marked = marked & ~((nodes.first_run <= interval[0]) & (nodes.stop_run >= interval[1]))
    return nearest_marked(marked, nodes.parent)[numbers] >= 0


def _weigh(page: Page, blocks: Numbers) -> tuple[Column, Column]:
    """The kept words of each run, and its visible words that are neither kept nor in a figure."""
    chosen = np.zeros(len(page), np.bool_)
    chosen[blocks] = True
    in_kept = chosen.repeat(page.blocks.stop_run - page.blocks.first_run)  # blocks tile the runs
    others = ~in_kept & ((page.runs.flags & UNSEEN) == 0)
    figures = _FIGURE[page.nodes.tag]
    if np.count_nonzero(figures):
        others &= ~or_above(figures, page.nodes.parent)[page.runs.node]
    return page.runs.words * in_kept, page.runs.words * others


def _belong(page: Page, numbers: Numbers, kept: Column, foreign: Column) -> Mask:
    """Whether the nearest element around each medium that has words in it has kept ones.

    A few words with hardly a link may be a caption: then the next element with more words decides.
    """
    parent = page.nodes.parent
    first = nearest_marked((kept > 0) | (foreign > 0), parent)[numbers]
    next_one = nearest_marked((kept > 0) | (foreign > _MOST_CAPTION_WORDS), parent)[numbers]
    belong = (first >= 0) & (kept[first] > 0)
    may_be_captioned = (first >= 0) & (next_one >= 0) & ~belong & (kept[next_one] > 0)
    for place in may_be_captioned.nonzero()[0].tolist():
        belong[place] = _is_caption(page, int(first[place]))
    around = _NamesAround(page, kept)
    for place in belong.nonzero()[0].tolist():
        belong[place] = not around.are_elsewhere(int(numbers[place]))
    return belong


class _NamesAround:
    """Says whether an element without kept text around a medium is called something else."""

    def __init__(self, page: Page, kept: Column) -> None:
        nodes = page.nodes
        self._source = page.source
        # A memoryview gives one number several times as fast as an array.
        self._parent, self._kept = nodes.parent.data, kept.data
        self._start, self._end = nodes.start.data, nodes.end.data
        self._called: dict[int, bool] = {}  # media share the elements around them

    def are_elsewhere(self, node: int) -> bool:
        """Whether any of the nearest elements around a node is."""
        above = self._parent[node]
        for _ in range(_LEVELS_UP):
            if above < 0 or self._kept[above] > 0:
                return False
            if above not in self._called:
                names = read_value(self._source, self._start[above], self._end[above], b"class")
                self._called[above] = _is_called_elsewhere(names[:_LONGEST_CLASS])
            if self._called[above]:
                return True
            above = self._parent[above]
        return False


@lru_cache(maxsize=1_000)
def _is_called_elsewhere(names: str) -> bool:
    return _ELSEWHERE.search(names) is not None


def _is_caption(page: Page, node: int) -> bool:
    runs = slice(page.nodes.first_run.item(node), page.nodes.stop_run.item(node))
    if page.runs.words[runs].sum() > _MOST_CAPTION_WORDS:
        return False
    chars, flags = page.runs.chars[runs], page.runs.flags[runs]
    return int(chars[(flags & _LINK) != 0].sum()) <= _MOST_CAPTION_LINKED * int(chars.sum())
