"""Choose the nodes with the text of each unit.

The texts of all posts share a name: of the names whose nodes hold neither author nor date, the one
with the most words outside links. A name for text counts a little more, and of names with about the
same words the tightest wins.
"""

from functools import lru_cache

import numpy as np
import numpy.typing as npt

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
    node, key, free = _candidates(page, names, units, fields)
    bodies: list[list[int]] = [[] for _ in units.node]
    if not free.any():
        return bodies
    worth = _weigh(page, names, evidence, units, (node, key, free))
    node, key = node[free], key[free]
    owner = units.owner[node]
    order = np.lexsort((-node, -worth[key], owner))
    owners, first = np.unique(owner[order], return_index=True)
    best = np.full(len(units.node), -1, np.intp)
    best[owners] = key[order][first]
    chosen = (key == best[owner]) & (worth[key] > 0)
    stop = -1
    for body, unit in sorted(zip(node[chosen].tolist(), owner[chosen].tolist(), strict=True)):
        if page.nodes.first_run[body] >= stop:  # not inside the one before it
            bodies[unit].append(body)
            stop = int(page.nodes.stop_run[body])
    return bodies


def _candidates(
    page: Page, names: ElementNames, units: Units, fields: tuple[Numbers, Numbers]
) -> tuple[Numbers, Numbers, Mask]:
    """The named nodes in units, their keys, and which hold no author, date or other unit."""
    first, stop = page.nodes.first_run, page.nodes.stop_run
    inside = (units.owner[names.node] >= 0) & (first[names.node] < stop[names.node])
    node, key = names.node[inside], names.key[inside]
    owner = units.owner[node]
    free = np.ones(len(node), np.bool_)
    for field in fields:
        run = field[owner]
        free &= ~((first[node] <= run) & (run < stop[node]))
    starts = first[units.node]
    within = np.searchsorted(starts, stop[node]) - np.searchsorted(starts, first[node])
    return node, key, free & (within - (starts[owner] >= first[node]) <= 0)


def _weigh(
    page: Page,
    names: ElementNames,
    evidence: Evidence,
    units: Units,
    candidates: tuple[Numbers, Numbers, Mask],
) -> npt.NDArray[np.float64]:
    """How likely each name is that of the text."""
    node, key, free = candidates
    count = len(names.keys)
    total = np.bincount(key[free], page.per_node(evidence.prose)[node[free]], count)
    free_share = np.bincount(key, free, count) / np.maximum(np.bincount(key, minlength=count), 1)
    pairs = np.unique(key[free] * len(units.node) + units.owner[node[free]])
    cover = np.bincount(pairs // len(units.node), minlength=count) / len(units.node)
    liking = np.ones(count)
    for number in total.nonzero()[0].tolist():
        liking[number] = _liking(names.keys[number])
    worth: npt.NDArray[np.float64] = total * liking * np.where(free_share < _FREE, _DISLIKED, 1.0)
    common = np.where(cover >= _COVER, worth, 0)
    for name in _TEXT_PROPERTIES:
        if name in names.keys and cover[names.keys.index(name)] >= _FREE:
            common[names.keys.index(name)] *= _CERTAIN
    best = int(common.argmax())
    is_near = (common >= _NEAR * common[best]) & (cover >= cover[best])
    near = np.flatnonzero(is_near & (liking >= 1) & (common > 0))
    if len(near):
        shown = np.bincount(key[free], page.per_node(names.shown)[node[free]], count)
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
