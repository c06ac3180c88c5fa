"""find_units: Page + Names -> the elements that hold one post each, in order.

Every name that says post, author or date proposes a group: its bearers, each widened to the largest element around it
that holds no other bearer. In a group that is a discussion most units hold an author and a date. Of such groups, those
with the most text count, and of these the one with the most units that have both.
"""

import math
import re
from collections import Counter
from dataclasses import dataclass

import numpy as np

from bodytext._kernel import nearest_marked
from bodytext.discussion.names import Mask, Names, Numbers
from bodytext.discussion.sections import is_comment
from bodytext.markup import TAG, TAGS, NodeFlag
from bodytext.page import Column, Page, or_above, tag_mask

# Bounds that no honest page comes near: they keep hostile ones linear.
_MOST_GROUPS = 128
_MOST_UNITS = 5_000
_HIGHEST_CLIMB = 40  # levels from a bearer of a name up to its unit

_SIGNED = 0.6  # of the units must hold an author or a date: some users are deleted, some dates are icons
_COVERED = 0.75  # of the text of the best group, for a finer one to replace it
_FEWEST_UNITS = 2
_SIGN_WORTH = np.array([-0.5, 0.3, 1.0])  # of a unit with none, one, both of author and date
_EMPTY = 0.5  # is taken off for each unit without text

_POST = re.compile(
    r"comment|komment|coment|repl(?:y|ies)|respon[sd]|(?:^|[-_.#~@$])(?:post|msg|message|answer|question|antwort|"
    r"thread|topic|chat|bubble|tweet|status|entry|item|row|box|discussion)"
)
_HEADING = tag_mask("h1 h2 h3 h4")
_WHOLE = tag_mask("html body main head")


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """The elements that hold one post each, in order, and to which of them each node of the page belongs."""

    node: Numbers
    owner: Numbers  # of each node of the page: a position in `node`, or -1
    author: Mask  # which of the units have one
    date: Mask
    form: Mask
    words: Numbers  # of each, without links

    @property
    def valid(self) -> Mask:
        """Which ones look like a post."""
        return (self.words > 0) & (self.author | self.date)

    @property
    def worth(self) -> float:
        """How much of a discussion the group is: its posts count by the logarithm of their words.

        So more posts count more, but not the halves into which a name can cut each of them, one of them without text.
        """
        signs = self.author.astype(np.intp) + self.date
        return float((np.log1p(self.words) * _SIGN_WORTH[signs]).sum() - _EMPTY * (self.words == 0).sum())


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """What the names and dates of a page hold against a group, by node or by run."""

    author: Mask  # nodes
    dated: Mask  # nodes right around a date
    dates: Column  # runs that are dates, as 0 and 1
    prose: Column  # words of each run that are in no link
    comment: Mask  # nodes in something called a comment, or comments


def gather_evidence(page: Page, names: Names, dates: Mask) -> Evidence:
    """Bring what is known of nodes and runs together."""
    dated = names.date > 1
    dated[page.runs.node[dates]] = True
    linked = page.runs.linked > 0
    called = np.array([is_comment(key) for key in names.keys], np.bool_)
    comment = np.zeros(len(page.nodes.tag), np.bool_)
    if len(called):
        comment[names.node[called[names.key]]] = True
    comment &= ~_WHOLE[page.nodes.tag]
    inside = or_above(comment, page.nodes.parent)
    return Evidence(
        names.author > 0, dated, dates.astype(np.int32), np.where(linked, 0, names.shown).astype(np.int32), inside
    )


def find_units(page: Page, names: Names, evidence: Evidence, comments_only: bool) -> Units | None:
    """Choose the group of a page whose units are posts; None where there is none."""
    votes: Counter[bytes] = Counter()
    groups: dict[bytes, Units] = {}
    for members, bearers in _promising(names, evidence):
        units = _unite(page, evidence, members, comments_only)
        if units and _is_discussion(units, comments_only):
            votes[units.node.tobytes()] += bearers
            groups[units.node.tobytes()] = units
    if not groups:
        return None
    if any(len(units.node) >= _FEWEST_UNITS for units in groups.values()):
        groups = {one: units for one, units in groups.items() if len(units.node) >= _FEWEST_UNITS}
    most = max(int(units.words[units.valid].sum()) for units in groups.values())
    large = [one for one, units in groups.items() if int(units.words[units.valid].sum()) >= _COVERED * most]
    return groups[max(large, key=lambda one: groups[one].worth * math.sqrt(votes[one]))]


def holds_teasers(page: Page, units: Units) -> bool:
    """Whether most units have a heading that leads to another page: they list posts instead of being some."""
    nodes = page.nodes
    linked = np.flatnonzero((nodes.flags & NodeFlag.LINK) != 0)
    linked = linked[(units.owner[linked] >= 0) & or_above(_HEADING[nodes.tag], nodes.parent)[linked]]
    headed = {int(units.owner[one]) for one in linked.tolist() if "#" not in page.attributes(one).get("href", "")}
    return 2 * len(headed) > len(units.node)


def _promising(names: Names, evidence: Evidence) -> list[tuple[Numbers, int]]:
    """The bearers of the names that may tell posts apart, and how many names they share; the most borne names first.

    Such a name says post, or most of its bearers are authors or dates.
    """
    if not names.keys:
        return []
    counts = np.bincount(names.key, minlength=len(names.keys))
    signed = np.bincount(names.key, (evidence.author | evidence.dated)[names.node], len(names.keys)) * 2 > counts
    called = np.array([bool(_POST.search(key)) for key in names.keys], np.bool_)
    plain = np.array([key in TAGS and key != "time" for key in names.keys], np.bool_)
    chosen = np.flatnonzero((called | signed) & ~plain & (counts <= _MOST_UNITS))
    order = np.argsort(names.key, kind="stable")
    starts = np.concatenate(([0], np.cumsum(counts)))
    shared: dict[bytes, tuple[Numbers, int]] = {}
    for key in chosen[np.argsort(-counts[chosen], kind="stable")].tolist():
        members = names.node[order[starts[key] : starts[key + 1]]]
        shared[members.tobytes()] = (members, shared.get(members.tobytes(), (members, 0))[1] + 1)
    return list(shared.values())[:_MOST_GROUPS]


def _unite(page: Page, evidence: Evidence, members: Numbers, comments_only: bool) -> Units | None:
    """Make the units of a name's bearers, and count what is in them."""
    nodes = page.nodes
    allowed = ~_WHOLE[nodes.tag]
    if comments_only:
        allowed &= evidence.comment
    members = members[allowed[members]]
    if not len(members):
        return None
    nested = bool((nodes.stop_run[members[:-1]] > nodes.first_run[members[1:]]).any())
    units = members if nested or len(members) < _FEWEST_UNITS else _widen(page, members, allowed)
    marked = np.zeros(len(nodes.tag), np.bool_)
    marked[units] = True
    holder = nearest_marked(marked, nodes.parent)
    position = np.full(len(nodes.tag) + 1, -1, np.intp)
    position[units] = np.arange(len(units))
    owner = position[holder]

    def count(chosen: Numbers) -> Numbers:
        return np.bincount(chosen[chosen >= 0], minlength=len(units))

    author, date = count(owner[evidence.author]) > 0, count(owner[evidence.dated]) > 0
    form = count(owner[nodes.tag == TAG["textarea"]]) > 0
    of_run = owner[page.runs.node]
    inside = of_run >= 0
    words = np.bincount(of_run[inside], evidence.prose[inside], len(units)).astype(np.intp)
    return Units(units, owner, author, date, form, words)


def _widen(page: Page, members: Numbers, allowed: Mask) -> Numbers:
    """Climb from each bearer to the largest element around it that holds no other bearer."""
    nodes = page.nodes
    first, stop = nodes.first_run, nodes.stop_run
    low = np.concatenate(([-1], stop[members[:-1]]))
    high = np.concatenate((first[members[1:]], [len(page.runs.words) + 1]))
    units = members.copy()
    for _ in range(_HIGHEST_CLIMB):
        above = nodes.parent[units]
        free = (above >= 0) & (first[above] >= low) & (stop[above] <= high) & allowed[above]
        if not free.any():
            break
        units = np.where(free, above, units)
    return np.unique(units)


def _is_discussion(units: Units, comments_only: bool) -> bool:
    """Whether most units look like posts. A single comment must have both author and date, and no form to write one."""
    full, valid = int((units.words > 0).sum()), int(units.valid.sum())
    if not valid or valid < _SIGNED * full:
        return False
    if len(units.node) >= _FEWEST_UNITS:
        return True
    return comments_only and bool(units.author.all() and units.date.all()) and not units.form.any()
