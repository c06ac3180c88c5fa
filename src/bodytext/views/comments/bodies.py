"""Choose the nodes with the text of each unit.

The texts of all posts share a name: of the names whose nodes hold neither author nor date, the one
with the most words outside links. A name for text counts a little more, and of names with about the
same words the tightest wins.
"""

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from bodytext.kernel import choose_texts, weigh_names
from bodytext.page.late_pattern import late_pattern
from bodytext.page.tables import Page
from bodytext.views.comments.element_names import ElementNames, Mask, Numbers, after_mark
from bodytext.views.comments.evidence import Evidence
from bodytext.views.comments.units import Units

_COVER = 0.5  # of the units must have the name of the text
_FREE = 0.8  # of its nodes must hold neither author nor date
_PREFERRED = 1.3  # the weight of a name for text
_DISLIKED = 0.3  # the weight of a name for something else
_PLAIN = 0.8  # the weight of a bare tag, which may be anywhere in the unit
_NEAR = 0.85  # of the words of the best name are enough for one that holds less besides the text
_TEXT_PROPERTIES = ("$text", "$article-body", "$comment-text")  # item properties
_CERTAIN = 10.0  # their weight

_TEXT = late_pattern(
    after_mark(".#$~")
    + r"(?:content|contents|body|text|message|msg|prose|markdown|md|copy|bb-wrapper)(?:$|[-_#])"
)
_NO_TEXT = late_pattern(
    r"signature|[.-]sig(?:$|-)|quote|user|author|profile|avatar|sidebar|footer|action|button|form"
    r"|reaction|header|meta|vote|menu|attach|title|poll|share|social|related|promo|advert"
)
_MARK = late_pattern(r"[.#$~@]")
# Of elements whose words are not the author's
_CONTROL = late_pattern(
    r"^(?:div|span|ul|li|p|aside)\.(?:\S*[-_])?"
    r"(?:votes?|voting|votecell|upvotes?|tooltip|popover|popup)(?:$|[-_])"
)


def choose_bodies(
    page: Page,
    names: ElementNames,
    evidence: Evidence,
    units: Units,
    fields: tuple[Numbers, Numbers],
) -> list[list[int]]:
    """For each unit the nodes of its text; an empty list where no name is that of the text.

    `fields` has the first runs of author and date, or -1.
    """
    pairs, sums = weigh_names(
        (names.node, names.key),
        len(names.keys),
        page.tables[0],
        (units.owner, units.node, *fields),
        (evidence.sums.prose, evidence.sums.shown),
    )
    if not len(pairs[0]):
        return [[] for _ in units.node]
    worth = _weigh(names.keys, len(units.node), sums)
    return choose_texts(pairs, page.tables[0], units.owner, len(units.node), worth)


def find_controls(names: ElementNames) -> Mask:
    """Which nodes are called a vote, a tooltip or a popup: nobody wrote their words in a post."""
    return names.called(_is_control)


@lru_cache(maxsize=4_000)
def _is_control(name: str) -> bool:
    return _CONTROL.search(name) is not None


def _weigh(keys: list[str], units: int, sums: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """How likely each name is that of the text."""
    nodes, free, bearers, total, shown = sums
    free_share, cover = free / np.maximum(nodes, 1), bearers / units
    liking = np.ones(len(keys))
    for number in total.nonzero()[0].tolist():
        liking[number] = _liking(keys[number])
    worth: npt.NDArray[np.float64] = total * liking * np.where(free_share < _FREE, _DISLIKED, 1.0)
    common = np.where(cover >= _COVER, worth, 0)
    for name in _TEXT_PROPERTIES:
        if name in keys and cover[keys.index(name)] >= _FREE:
            common[keys.index(name)] *= _CERTAIN
    best = int(common.argmax())
    is_near = (common >= _NEAR * common[best]) & (cover >= cover[best])
    near = np.flatnonzero(is_near & (liking >= 1) & (common > 0))
    if len(near):
        best = int(near[shown[near].argmin()])
    worth[best] = worth.max() + 1
    return worth


@lru_cache(maxsize=4_000)
def _liking(name: str) -> float:
    if _NO_TEXT.search(name):
        return _DISLIKED
    if _TEXT.search(name):
        return _PREFERRED
    return 1.0 if _MARK.search(name) else _PLAIN
