"""Find the nodes between the words of an article, in Python: the specification of `placement_native.pyx`.

They are those that could be its media, and those that are leaves of its structure.

A medium belongs to an interval of runs if it is between them or right next to them: there is no
visible text between, except the caption of a picture that leads the article. It belongs to kept
blocks if, besides, the nearest element around it with text has kept text in it: the picture of a
teaser is with the teaser's words.
"""

import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from bodytext.kernel.attributes import read_value
from bodytext.kernel.html import BLOCK_TAGS, TAG, TAGS, UNSEEN, Flag, NodeFlag
from bodytext.kernel.scanner import nearest_marked
from bodytext.kernel.table_columns import NodeColumn, RunColumn

Column = npt.NDArray[np.int32]
Columns = Sequence[Column] | Column  # or an array that has a row for each
Mask = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.intp]

# No honest page comes near this bound; it keeps time and memory linear for hostile ones.
MOST_MEDIA = 1_000
LONGEST_CAPTION = 10_000  # bytes of source; a longer one is a <figcaption> that was never closed
MOST_WORDS_BELOW_LEAD = (
    60  # byline, date and buttons between the picture that leads an article and its text
)
MOST_CAPTION_WORDS = 60
MOST_CAPTION_LINKED = 0.3  # of the characters
LEVELS_UP = 6  # elements around a medium whose class is read
LONGEST_CLASS = 1_000  # characters of it
CAPTION_LEVELS_UP = 3  # from a medium to the element that holds its caption too
CAPTION_NODES_ON = 32  # after a medium that are looked at

# Words of the classes of what is elsewhere, and of captions; more letters may follow those with "*".
ELSEWHERE = """
    ad ads adv advert* sponsor* related recommend* newsletter author authors avatar byline bio share sharing social logo
    icon comment comments sidebar outbrain taboola
"""
_CAPTION_PARTS = [
    thing + hyphen + part
    for thing in ("image", "img", "photo", "picture", "media", "foto")
    for hyphen in ("", "-")
    for part in ("caption", "credit", "title", "text", "description")
]
CAPTIONS = f"""
    caption captions captiontext caption-text legend legende cutline bildunterschrift bu pie-de-foto didascalia
    {" ".join(_CAPTION_PARTS)}
"""

MOST_RULES = 10_000

# Custom elements that are media, of AMP pages and of lazy players
CUSTOM = """
    amp-img amp-anim amp-video amp-audio amp-iframe amp-facebook amp-tiktok amp-youtube amp-vimeo amp-dailymotion
    amp-twitter amp-instagram amp-soundcloud lite-youtube lite-vimeo youtube-video
"""
_CUSTOM = frozenset(CUSTOM.split())
_TAG_NAME = re.compile(rb"[^\t\n\f\r />]*")

# What a tag is to the media in and around it, as bits
MEDIUM, FIGURE, CONCEALING, ASIDE, COPYING, HOLDING, BLOCK = (1 << bit for bit in range(7))
_ROLES = {
    MEDIUM: "img video audio embed object iframe blockquote",
    FIGURE: "figure figcaption",
    CONCEALING: "template",
    ASIDE: "nav aside footer",
    COPYING: "noscript",  # for a lazy image, a copy of it
    HOLDING: "video audio object",  # media in them are shown only where they themselves cannot be
    BLOCK: " ".join(BLOCK_TAGS),
}
ROLE_OF_TAG = bytes(
    sum(role for role, names in _ROLES.items() if tag in names.split()) for tag in TAGS
)
_ROLE = np.frombuffer(ROLE_OF_TAG, np.uint8)
_HIDDEN, _LINK = int(NodeFlag.HIDDEN), int(Flag.LINK)
_HR, _MATH, _SCRIPT = (TAG[name] for name in ("hr", "math", "script"))
_QUOTE = TAG["blockquote"]


def _any_of(words: str) -> str:
    """An expression for a class that has one of these words."""
    listed = "|".join(words.replace("*", r"\w*").split())
    return rf"(?:^|[\s_-])(?:{listed})(?:$|[\s_-])"


_ELSEWHERE = re.compile(_any_of(ELSEWHERE), re.IGNORECASE)
_CAPTION = re.compile(_any_of(CAPTIONS), re.IGNORECASE)


def place_media(
    source: bytes,
    tables: tuple[Columns, Columns],
    interval: tuple[int, int],
    kept: tuple[Column, Column] | None,
) -> list[tuple[int, bool, int, int]]:
    """Return the nodes that could be media, in order, each with what is around it.

    Arguments:
        source: the page.
        tables: the columns of its nodes, and those of its runs.
        interval: the first run and the stop run of the text.
        kept: the first runs and the stop runs of its blocks; None if all runs between are kept.

    Returns:
        For each medium its node; whether it is in a <noscript>; the medium that holds it, or -1;
        its caption, or -1.
    """
    nodes, runs = tables
    tag, first, stop = (
        nodes[column] for column in (NodeColumn.TAG, NodeColumn.FIRST_RUN, NodeColumn.STOP_RUN)
    )
    marked = (_ROLE[tag] & MEDIUM) != 0
    for node in (tag == 0).nonzero()[0].tolist():
        marked[node] = read_tag_name(source, nodes[NodeColumn.START].item(node)) in _CUSTOM
    numbers = marked.nonzero()[0]
    low, high = _widen(nodes, runs, interval)
    if kept is None:
        near = (stop[numbers] >= low) & (first[numbers] <= high)
        shown = _shown(nodes, numbers[near][:MOST_MEDIA], interval)
        return _describe(source, nodes, runs, shown)
    in_kept, foreign = _weigh(nodes, runs, kept)
    before = _running_sum(foreign)
    lead = int(before.searchsorted(before[interval[0]] - MOST_WORDS_BELOW_LEAD))
    near = (stop[numbers] >= min(low, lead)) & (first[numbers] <= high)
    numbers = _shown(nodes, numbers[near][:MOST_MEDIA], interval)
    kept_before = _running_sum(in_kept)
    kept_of, foreign_of = kept_before[stop] - kept_before[first], before[stop] - before[first]
    numbers = numbers[_belong(nodes, runs, numbers, (kept_of, foreign_of))]
    around = (_is_elsewhere(source, nodes, kept_of, node) for node in numbers.tolist())
    return _describe(source, nodes, runs, numbers[~np.fromiter(around, np.bool_, len(numbers))])


def _describe(
    source: bytes, nodes: Columns, runs: Columns, numbers: Numbers
) -> list[tuple[int, bool, int, int]]:
    """Add to nodes whether they are copies, what holds them, and their captions."""
    tag, parent = nodes[NodeColumn.TAG], nodes[NodeColumn.PARENT]
    role = _ROLE[tag]
    is_copy = nearest_marked((role & COPYING) != 0, parent)[numbers] >= 0
    above = parent[numbers]
    holder = np.where(above >= 0, nearest_marked((role & HOLDING) != 0, parent)[above], -1)
    figure = nearest_marked(tag == TAG["figure"], parent)
    captions = (tag == TAG["figcaption"]).nonzero()[0]
    caption_of = np.full(len(tag) + 1, -1)
    caption_of[figure[captions[::-1]]] = captions[::-1]  # the first one stays
    caption_of[-1] = -1  # no figure
    columns = (numbers, is_copy, holder, caption_of[figure[numbers]])
    return [
        (node, copy, held, caption if caption >= 0 else _find_caption(source, nodes, runs, node))
        for node, copy, held, caption in zip(*(column.tolist() for column in columns), strict=True)
    ]


def read_tag_name(source: bytes, start: int) -> str:
    """The name of the tag at an offset, in the small letters of ASCII."""
    name = _TAG_NAME.match(source, start + 1)[0]  # type: ignore[index]
    return name.lower().decode("utf-8", "replace")


def is_called_elsewhere(names: str) -> bool:
    """Whether the class of an element around a medium says that it is not part of the text."""
    return _ELSEWHERE.search(names[:LONGEST_CLASS]) is not None


def is_called_caption(names: str) -> bool:
    """Whether the class of an element says that it is a caption."""
    return _CAPTION.search(names) is not None


def _read_class(source: bytes, nodes: Columns, node: int) -> str:
    start, end = nodes[NodeColumn.START].item(node), nodes[NodeColumn.END].item(node)
    return read_value(source, start, end, b"class")


def _find_caption(source: bytes, nodes: Columns, runs: Columns, medium: int) -> int:
    """The first node after a medium, in an element around it, whose class says caption; or -1."""
    tag, first, stop = (
        nodes[column] for column in (NodeColumn.TAG, NodeColumn.FIRST_RUN, NodeColumn.STOP_RUN)
    )
    end = stop[_find_frame(nodes, runs, medium)]
    for node in range(medium + 1, min(medium + 1 + CAPTION_NODES_ON, len(tag))):
        is_medium = _ROLE[tag[node]] & MEDIUM and tag[node] != _QUOTE
        if stop[node] > end or first[node] >= end or is_medium:
            break
        if first[node] < stop[node] and is_called_caption(_read_class(source, nodes, node)):
            return node
    return -1


def _find_frame(nodes: Columns, runs: Columns, medium: int) -> int:
    """The outermost element around a medium that holds no more text than a caption."""
    frame = medium
    for _ in range(CAPTION_LEVELS_UP):
        above = nodes[NodeColumn.PARENT].item(frame)
        if above < 0:
            break
        first, stop = nodes[NodeColumn.FIRST_RUN][above], nodes[NodeColumn.STOP_RUN][above]
        if first < stop and not is_short(nodes, runs, above):
            break
        frame = above
    return frame


def is_short(nodes: Columns, runs: Columns, node: int) -> bool:
    """Whether a node holds some text, and no more than a caption does."""
    first, stop = nodes[NodeColumn.FIRST_RUN].item(node), nodes[NodeColumn.STOP_RUN].item(node)
    if first >= stop:
        return False
    size = runs[RunColumn.END].item(stop - 1) - runs[RunColumn.START].item(first)
    return bool(size <= LONGEST_CAPTION)


def _shown(nodes: Columns, numbers: Numbers, interval: tuple[int, int]) -> Numbers:
    """Leave out hidden nodes, and those next to the interval in a <nav>, <aside> or <footer>."""
    role = _ROLE[nodes[NodeColumn.TAG]]
    first, stop = nodes[NodeColumn.FIRST_RUN][numbers], nodes[NodeColumn.STOP_RUN][numbers]
    hidden = (nodes[NodeColumn.FLAGS] & _HIDDEN) != 0
    concealed = _within(nodes, numbers, hidden | ((role & CONCEALING) != 0), interval)
    outside = (stop <= interval[0]) | (first >= interval[1])
    elsewhere = outside & _within(nodes, numbers, (role & ASIDE) != 0, interval)
    shown: Numbers = numbers[~(concealed | elsewhere)]
    return shown


def _widen(nodes: Columns, runs: Columns, interval: tuple[int, int]) -> tuple[int, int]:
    """Widen the interval over unseen text, and over the caption of a leading picture."""
    first, stop = nodes[NodeColumn.FIRST_RUN], nodes[NodeColumn.STOP_RUN]
    unseen = (runs[RunColumn.FLAGS] & UNSEEN) != 0
    seen = (~unseen).nonzero()[0]
    if not len(seen):
        seen = np.arange(len(unseen))
    low = _after_last(seen, interval[0])
    captions = (nodes[NodeColumn.TAG] == TAG["figcaption"]).nonzero()[0]
    leading = captions[(first[captions] < low) & (stop[captions] >= low)]
    leading = leading[stop[leading] <= interval[0]]
    if len(leading) and is_short(nodes, runs, int(leading[-1])):
        low = _after_last(seen, int(first[leading[-1]]))
    after = int(seen.searchsorted(interval[1]))
    high = int(seen[after]) if after < len(seen) else len(unseen)
    return low, high


def _after_last(seen: Numbers, run: int) -> int:
    """The run after the last visible one before a run."""
    before = int(seen.searchsorted(run))
    return int(seen[before - 1]) + 1 if before else 0


def _within(nodes: Columns, numbers: Numbers, marked: Mask, interval: tuple[int, int]) -> Mask:
    """Which nodes lie in a marked one that does not hold the whole interval too."""
    first, stop = nodes[NodeColumn.FIRST_RUN], nodes[NodeColumn.STOP_RUN]
    marked = marked & ~((first <= interval[0]) & (stop >= interval[1]))
    return nearest_marked(marked, nodes[NodeColumn.PARENT])[numbers] >= 0


def _weigh(nodes: Columns, runs: Columns, kept: tuple[Column, Column]) -> tuple[Column, Column]:
    """The kept words of each run, and its visible words that are neither kept nor in a figure."""
    words = runs[RunColumn.WORDS]
    in_kept = np.zeros(len(words), np.bool_)
    for first, stop in zip(*(column.tolist() for column in kept), strict=True):
        in_kept[first:stop] = True
    others = ~in_kept & ((runs[RunColumn.FLAGS] & UNSEEN) == 0)
    figures = (_ROLE[nodes[NodeColumn.TAG]] & FIGURE) != 0
    in_figure = nearest_marked(figures, nodes[NodeColumn.PARENT]) >= 0
    others &= ~in_figure[runs[RunColumn.NODE]]
    return words * in_kept, words * others


def _running_sum(column: Column) -> Column:
    total = np.zeros(len(column) + 1, dtype=np.int32)
    np.cumsum(column, out=total[1:], dtype=np.int32)
    return total


def _belong(nodes: Columns, runs: Columns, numbers: Numbers, words: tuple[Column, Column]) -> Mask:
    """Whether the nearest element around each medium that has words in it has kept ones.

    A few words with hardly a link may be a caption: then the next element with more words decides.
    """
    (kept, foreign), parent = words, nodes[NodeColumn.PARENT]
    first = nearest_marked((kept > 0) | (foreign > 0), parent)[numbers]
    next_one = nearest_marked((kept > 0) | (foreign > MOST_CAPTION_WORDS), parent)[numbers]
    belong = (first >= 0) & (kept[first] > 0)
    may_be_captioned = (first >= 0) & (next_one >= 0) & ~belong & (kept[next_one] > 0)
    for place in may_be_captioned.nonzero()[0].tolist():
        belong[place] = _is_caption(nodes, runs, int(first[place]))
    return belong


def _is_caption(nodes: Columns, runs: Columns, node: int) -> bool:
    first, stop = nodes[NodeColumn.FIRST_RUN].item(node), nodes[NodeColumn.STOP_RUN].item(node)
    words, chars, flags = (
        runs[column][first:stop] for column in (RunColumn.WORDS, RunColumn.CHARS, RunColumn.FLAGS)
    )
    if words.sum() > MOST_CAPTION_WORDS:
        return False
    return int(chars[(flags & _LINK) != 0].sum()) <= MOST_CAPTION_LINKED * int(chars.sum())


def _is_elsewhere(source: bytes, nodes: Columns, kept: Column, node: int) -> bool:
    """Whether one of the nearest elements around a node, which have no kept text, is called so."""
    parent = nodes[NodeColumn.PARENT]
    above = parent.item(node)
    for _ in range(LEVELS_UP):
        if above < 0 or kept[above] > 0:
            return False
        if is_called_elsewhere(_read_class(source, nodes, above)):
            return True
        above = parent.item(above)
    return False


# Leaves


def place_leaves(
    nodes: Columns, kept: tuple[Column, Column, Column], images: Sequence[int]
) -> tuple[bool, list[int], list[tuple[int, int]], list[tuple[int, int]]]:
    """Return the nodes that could be leaves of kept blocks, and the places of their images.

    Arguments:
        nodes: the columns of the page's nodes.
        kept: the first run, the stop run and the node of each kept block.
        images: the nodes of the blocks' images, in order.

    Returns:
        Whether the page has any <math>; the <script>s in kept blocks or right next to them; for
        each image the run after it and the kept block whose line it is in, or -1; the <hr>s between
        two kept blocks, each as the run after it and its node.
    """
    tag, first_run = nodes[NodeColumn.TAG], nodes[NodeColumn.FIRST_RUN]
    numbers = np.isin(tag, (_HR, _SCRIPT)).nonzero()[0]
    tags, runs = tag[numbers], first_run[numbers]
    before, after = find_around(kept, runs)
    is_script = ((before >= 0) | (after >= 0)) & (tags == _SCRIPT)
    is_rule = (before >= 0) & (after >= 0) & (tags == _HR)
    rules = zip(runs[is_rule].tolist(), numbers[is_rule].tolist(), strict=True)
    chosen = np.array(images, np.intp)
    places = first_run[chosen]
    owners = find_owners(nodes, kept, chosen, places)
    return (
        bool((tag == _MATH).any()),
        numbers[is_script].tolist(),
        list(zip(places.tolist(), owners.tolist(), strict=True)),
        list(rules)[:MOST_RULES],
    )


def find_around(
    kept: tuple[Column, Column, Column], runs: npt.NDArray[np.int32]
) -> tuple[Numbers, Numbers]:
    """Return the kept block with the run before each of these, and the one with the run; or -1."""
    first, stop, _ = kept
    # a place of -1 stays one, whatever is compared
    place = first.searchsorted(runs, side="right") - 1
    after = np.where(runs < stop[place], place, -1)
    place -= first[place] == runs
    return np.where(runs <= stop[place], place, -1), after


def find_owners(
    nodes: Columns, kept: tuple[Column, Column, Column], numbers: Numbers, runs: Column
) -> Numbers:
    """Return the kept block whose line each leaf is in, or -1 if it has a line of its own."""
    before, after = find_around(kept, runs)
    is_block = (_ROLE[nodes[NodeColumn.TAG]] & BLOCK) != 0
    own = nearest_marked(is_block, nodes[NodeColumn.PARENT])[numbers]
    held = kept[2]
    in_before = (before >= 0) & ((before == after) | (held[before] == own))
    in_after = (after >= 0) & (held[after] == own)
    return np.where(in_before, before, np.where(in_after, after, -1))
