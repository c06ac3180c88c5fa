"""Find the nodes that could be the media of an article.

A medium belongs to an interval of runs if it is between them or right next to them: there is no
visible text between, except the caption of a picture that leads the article. It belongs to kept
blocks if, besides, the nearest element around it with text has kept text in it: the picture of a
teaser is with the teaser's words.
"""

import re

import numpy as np
import numpy.typing as npt

from bodytext.kernel import nearest_marked
from bodytext.kernel.html import TAG, UNSEEN, Flag, NodeFlag
from bodytext.page.tables import Column, Page, or_above, running_sum, tag_mask
from bodytext.views.media.captions import is_short
from bodytext.views.media.embeds import custom_nodes

Mask = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.intp]

# No honest page comes near this bound; it keeps time and memory linear for hostile ones.
MOST_MEDIA = 1_000

_MEDIA = tag_mask("img video audio embed object iframe blockquote")
_TEMPLATE, _FIGURE = tag_mask("template"), tag_mask("figure figcaption")
_ASIDE = tag_mask("nav aside footer")
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


def media_near(page: Page, first_run: int, stop_run: int) -> Numbers:
    """Find the nodes that could be media of an interval of runs."""
    nodes = page.nodes
    low, high = _widen(page, first_run, stop_run)
    numbers = _candidates(page, (nodes.stop_run >= low) & (nodes.first_run <= high))
    return _shown(page, numbers, (first_run, stop_run))


def media_among(page: Page, blocks: Numbers) -> Numbers:
    """Find the nodes that could be media of kept blocks."""
    nodes = page.nodes
    first_run, stop_run = (
        int(page.blocks.first_run[blocks[0]]),
        int(page.blocks.stop_run[blocks[-1]]),
    )
    kept, foreign = _weigh(page, blocks)
    low, high = _widen(page, first_run, stop_run)
    before = running_sum(foreign)
    lead = int(np.searchsorted(before, before[first_run] - _MOST_WORDS_BELOW_LEAD))
    numbers = _candidates(page, (nodes.stop_run >= min(low, lead)) & (nodes.first_run <= high))
    numbers = _shown(page, numbers, (first_run, stop_run))
    return numbers[_belong(page, numbers, page.per_node(kept), page.per_node(foreign))]


def _candidates(page: Page, near: Mask) -> Numbers:
    marked = _MEDIA[page.nodes.tag]
    if custom := custom_nodes(page):
        marked[list(custom)] = True
    return np.flatnonzero(marked & near)[:MOST_MEDIA]


def _shown(page: Page, numbers: Numbers, interval: tuple[int, int]) -> Numbers:
    """Leave out hidden nodes, and those next to the interval in a <nav>, <aside> or <footer>."""
    if not len(numbers):
        return numbers
    nodes = page.nodes
    first_run, stop_run = interval
    hidden = (nodes.flags & NodeFlag.HIDDEN) != 0
    concealed = _within(page, numbers, hidden | _TEMPLATE[nodes.tag], interval)
    outside = (nodes.stop_run[numbers] <= first_run) | (nodes.first_run[numbers] >= stop_run)
    elsewhere = outside & _within(page, numbers, _ASIDE[nodes.tag], interval)
    return numbers[~(concealed | elsewhere)]


def _widen(page: Page, first_run: int, stop_run: int) -> tuple[int, int]:
    """Widen the interval over unseen text, and over the caption of a leading picture."""
    unseen = (page.runs.flags & UNSEEN) != 0
    seen = np.flatnonzero(~unseen) if not unseen.all() else np.arange(len(unseen))
    low = _after_last(seen, first_run)
    captions = np.flatnonzero(page.nodes.tag == TAG["figcaption"])
    leading = captions[
        (page.nodes.first_run[captions] < low) & (page.nodes.stop_run[captions] >= low)
    ]
    leading = leading[page.nodes.stop_run[leading] <= first_run]
    if len(leading) and is_short(page, int(leading[-1])):
        low = _after_last(seen, int(page.nodes.first_run[leading[-1]]))
    after = int(np.searchsorted(seen, stop_run))
    high = int(seen[after]) if after < len(seen) else len(unseen)
    return low, high


def _after_last(seen: Numbers, run: int) -> int:
    """The run after the last visible one before a run."""
    before = int(np.searchsorted(seen, run))
    return int(seen[before - 1]) + 1 if before else 0


def _within(page: Page, numbers: Numbers, marked: Mask, interval: tuple[int, int]) -> Mask:
    """Which nodes lie in a marked one that does not hold the whole interval too."""
    nodes = page.nodes
    marked = marked & ~((nodes.first_run <= interval[0]) & (nodes.stop_run >= interval[1]))
    return nearest_marked(marked, nodes.parent)[numbers] >= 0


def _weigh(page: Page, blocks: Numbers) -> tuple[Column, Column]:
    """The kept words of each run, and its visible words that are neither kept nor in a figure."""
    steps = np.zeros(len(page.runs.words) + 1, np.int32)
    steps[page.blocks.first_run[blocks]] += 1
    np.add.at(steps, page.blocks.stop_run[blocks], -1)
    in_kept = np.cumsum(steps[:-1]) > 0
    in_figure = or_above(_FIGURE[page.nodes.tag], page.nodes.parent)[page.runs.node]
    seen = (page.runs.flags & UNSEEN) == 0
    words = page.runs.words
    kept = np.where(in_kept, words, 0).astype(np.int32)
    return kept, np.where(~in_kept & seen & ~in_figure, words, 0).astype(np.int32)


def _belong(page: Page, numbers: Numbers, kept: Column, foreign: Column) -> Mask:
    """Whether the nearest element around each medium that has words in it has kept ones.

    A few words with hardly a link may be a caption: then the next element with more words decides.
    """
    parent = page.nodes.parent
    first = nearest_marked((kept > 0) | (foreign > 0), parent)[numbers]
    next_one = nearest_marked((kept > 0) | (foreign > _MOST_CAPTION_WORDS), parent)[numbers]
    belong = (first >= 0) & (kept[first] > 0)
    for place in np.flatnonzero(
        (first >= 0) & (next_one >= 0) & ~belong & (kept[next_one] > 0)
    ).tolist():
        belong[place] = _is_caption(page, int(first[place]))
    for place in np.flatnonzero(belong).tolist():
        belong[place] = not _is_elsewhere(page, int(numbers[place]), kept)
    return belong


def _is_elsewhere(page: Page, node: int, kept: Column) -> bool:
    """Whether an element without kept text around a medium is called something else."""
    above = int(page.nodes.parent[node])
    for _ in range(_LEVELS_UP):
        if above < 0 or kept[above] > 0:
            return False
        if _ELSEWHERE.search(page.attributes(above).get("class", "")[:_LONGEST_CLASS]):
            return True
        above = int(page.nodes.parent[above])
    return False


def _is_caption(page: Page, node: int) -> bool:
    runs = slice(int(page.nodes.first_run[node]), int(page.nodes.stop_run[node]))
    chars = int(page.runs.chars[runs].sum())
    linked = int(page.runs.chars[runs][(page.runs.flags[runs] & int(Flag.LINK)) != 0].sum())
    return (
        int(page.runs.words[runs].sum()) <= _MOST_CAPTION_WORDS
        and linked <= _MOST_CAPTION_LINKED * chars
    )
