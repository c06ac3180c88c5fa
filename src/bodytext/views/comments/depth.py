"""Measure how deep each post is in replies; a post that answers no other has depth 0.

Replies are inside the element of the post that they answer, or inside an answer by its item type,
or the page states their level, or indents them.
"""

from collections.abc import Iterable
from itertools import chain

import numpy as np

from bodytext.kernel import find_marked, nearest_marked
from bodytext.kernel.html import TAGS
from bodytext.page.late_pattern import late_pattern
from bodytext.page.tables import Column, Page
from bodytext.views.comments.element_names import ElementNames, Numbers

_LEVELS_UP = 8  # from a text to the element that nests
_COVER = 0.9  # of the units must have an element of their own that nests
_LOOKED_AT = 6  # first nodes of a unit that may state its level
_STATED = ("data-depth", "data-level", "data-indent", "aria-level", "indent", "depth")
_INDENT = late_pattern(r"(?:margin|padding)-left\s*+:\s*+(\d{1,4})")
_CLASS_LEVEL = late_pattern(r"(?:^|[\s_-])(?:depth|level|indent|lvl|nested)[-_]?(\d{1,2})(?:\s|$)")
# The opening tag of what states a level has one of these words, or bytes that stand for others.
_HINTS = (b"depth", b"level", b"indent", b"lvl", b"nested", b"-left")
_MARKS = b"&\0"
# Bare tags that may be inside each other for any reason.
_NO_NESTING = frozenset({*TAGS, "?"} - {"li", "details", "article"})
_TYPES = ("@question", "@answer", "@comment")
_DEEPEST = 100


def measure_depth(page: Page, names: ElementNames, units: Numbers, texts: Numbers) -> Numbers:
    """The depth of each unit; `texts` are nodes inside them, as a unit may be too wide to nest.

    If all others are inside the first post, it opens the thread, and those that answer it alone
    have depth 0 too.
    """
    depth = _nesting(page, names, texts)
    if not depth.any():
        depth = _declared(page, names, texts)
    if not depth.any():
        return _stated(page, units)
    if len(depth) > 2 and not depth[0] and (depth[1:] > 0).all():
        depth[1:] -= 1
    return depth


def _stated(page: Page, units: Numbers) -> Numbers:
    """The rank of the level that each unit states; 0 for all where too few do."""
    around = [_find_stating(page, node) for node in units.tolist()]
    nodes = np.array(sorted(set(chain.from_iterable(around))), np.intp)
    columns = page.nodes.start[nodes], page.nodes.end[nodes]
    hinted = set(nodes[find_marked(page.source, *columns, _MARKS, _HINTS)].tolist())
    stated = [_stated_level(page, filter(hinted.__contains__, near)) for near in around]
    known = sorted({level for level in stated if level is not None})
    if len(known) < 2 or sum(level is None for level in stated) > (1 - _COVER) * len(stated):
        return np.zeros(len(units), np.intp)
    ranks: dict[int | None, int] = {level: min(rank, _DEEPEST) for rank, level in enumerate(known)}
    return np.array([ranks.get(level, 0) for level in stated], np.intp)


def _nesting(page: Page, names: ElementNames, units: Numbers) -> Numbers:
    """How many elements of a name are around each unit's own, for the name that nests most."""
    is_near = np.zeros(len(page.nodes.tag), np.bool_)
    is_near[_find_near(page, units)] = True
    counts = np.bincount(names.key[is_near[names.node]], minlength=len(names.keys))
    deepest = np.zeros(len(units), np.intp)
    for key in np.flatnonzero(counts >= _COVER * len(units)).tolist():
        if names.keys[key] in _NO_NESTING or not _are_nested(page, members := names.members(key)):
            continue
        depth = _depth_under(page, members, units)
        if depth is not None and int(depth.max()) > int(deepest.max()):
            deepest = depth
    return np.minimum(deepest, _DEEPEST)


def _find_near(page: Page, units: Numbers) -> list[int]:
    """The units and the elements a few levels around them."""
    parent, level = page.nodes.parent.item, set(units.tolist())
    near = set(level)
    for _ in range(_LEVELS_UP):
        level = {parent(node) for node in level} - {-1}
        near |= level
    return list(near)


def _are_nested(page: Page, members: Numbers) -> bool:
    """Whether some nodes may be inside each other: a quick no for most names."""
    first, stop = page.nodes.first_run[members], page.nodes.stop_run[members]
    return bool((first == stop).any() or (stop[:-1] > first[1:]).any())


def _depth_under(page: Page, members: Numbers, units: Numbers) -> Numbers | None:
    """How many members of other units are around each unit's own; None if units share one."""
    own = _holders(page, members)[units]
    if (own < 0).sum() > (1 - _COVER) * len(units) or len(np.unique(own)) < _COVER * len(units):
        return None
    used = np.unique(own[own >= 0]).astype(np.intp)
    around = _holders(page, used)[page.nodes.parent[used]]
    level: dict[int, int] = {}
    for node, outer in zip(used.tolist(), around.tolist(), strict=True):
        level[node] = level[outer] + 1 if outer in level else 0
    return np.array([level.get(node, 0) for node in own.tolist()], np.intp)


def _holders(page: Page, members: Numbers) -> Column:
    """For each node of a page the innermost member that it is or is inside, or -1."""
    marked = np.zeros(len(page.nodes.tag), np.bool_)
    marked[members] = True
    return nearest_marked(marked, page.nodes.parent)


def _declared(page: Page, names: ElementNames, units: Numbers) -> Numbers:
    """How many answers and comments, by their item types, are around each unit's own."""
    level: dict[int, int] = {}
    typed = [names.members(names.keys.index(name)) for name in _TYPES if name in names.keys]
    if not typed:
        return np.zeros(len(units), np.intp)
    members = np.unique(np.concatenate(typed))
    comments: set[int] = set()
    if "@comment" in names.keys:
        comments = set(names.members(names.keys.index("@comment")).tolist())
    holder = _holders(page, members)
    outer = holder[page.nodes.parent[members]].tolist()
    for node, around in zip(members.tolist(), outer, strict=True):
        level[node] = level[around] + 1 if node in comments and around in level else 0
    return np.array([level.get(node, 0) for node in holder[units].tolist()], np.intp)


def _find_stating(page: Page, unit: int) -> list[int]:
    """The nodes that may state the level of a unit: it, the one around it and its first ones."""
    stop = min(unit + 1 + _LOOKED_AT, len(page.nodes.tag))
    nodes = (unit, page.nodes.parent.item(unit), *range(unit + 1, stop))
    return [node for node in nodes if node >= 0]


def _stated_level(page: Page, nodes: Iterable[int]) -> int | None:
    """The level that the first of some nodes states."""
    for node in nodes:
        attributes = page.attributes(node)
        for name in _STATED:
            if (value := attributes.get(name, "").strip()).isdecimal() and len(value) < 6:
                return int(value)
        for pattern, name in ((_CLASS_LEVEL, "class"), (_INDENT, "style")):
            if match := pattern.search(attributes.get(name, "")):
                return int(match[1])
    return None
