"""Make units, the elements that hold one post each, of the nodes that share a name."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from bodytext.kernel import measure_parts, own_parts
from bodytext.page.tables import Column, Page
from bodytext.views.comments.element_names import Mask, Numbers
from bodytext.views.comments.evidence import Evidence

_HIGHEST_CLIMB = 40  # levels from a node up to its unit: a bound that no honest page comes near
_AT_ONCE = 10_000  # members of the groups that are widened at once
_SIGN_WORTH = np.array([0.0, 0.3, 1.0])  # of a unit with none, one or both of author and date
_EMPTY = 0.5  # is subtracted for each unit without text


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """The elements that hold or begin one post each, and the unit of each node and run."""

    node: Numbers
    owner: Numbers  # of each node of the page: a position in `node`, or -1
    owner_of_run: Numbers
    author: Mask  # which of the units have one
    date: Mask
    form: Mask
    words: Numbers  # of each, without links
    valid: Mask  # which of the units look like a post

    @property
    def worth(self) -> float:
        """How much the group is like a discussion: its posts count by the logarithm of their words.

        So more posts count more, but not the halves of posts, one of them without text, that some
        names give.
        """
        signs = self.author.astype(np.intp) + self.date
        empty = (self.words == 0).sum()
        return float((np.log1p(self.words) * _SIGN_WORTH[signs]).sum() - _EMPTY * empty)

    @property
    def signed(self) -> int:
        """How many have text, author and date."""
        return int((self.author & self.date & (self.words > 0)).sum())


def widen(page: Page, groups: Sequence[Numbers], allowed: Mask) -> Iterator[Numbers]:
    """The nodes of each group, each widened to the largest allowed element with no other of it.

    Nodes inside each other stay as they are. Many groups are widened at once: most are small.
    """
    count = 0
    while count < len(groups):
        first, members = count, 0
        while count < len(groups) and (members < _AT_ONCE or count == first):
            members += len(groups[count])
            count += 1
        yield from _widen(page, groups[first:count], allowed)


def _widen(page: Page, groups: Sequence[Numbers], allowed: Mask) -> Iterator[Numbers]:
    nodes, sizes = page.nodes, np.array([len(group) for group in groups])
    members, stops = np.concatenate(groups), sizes.cumsum()
    low, high = np.empty_like(members), np.empty_like(members)
    low[1:], high[:-1] = nodes.stop_run[members[:-1]], nodes.first_run[members[1:]]
    low[stops - sizes], high[stops - 1] = -1, len(page.runs.words) + 1
    group_of = np.arange(len(groups)).repeat(sizes)
    is_nested = np.bincount(group_of, nodes.stop_run[members] > high) > 0
    climbs = ~is_nested & (sizes > 1)
    units = _climb(page, members, climbs[group_of].nonzero()[0], (low, high), allowed)
    is_unsorted = (units[1:] <= units[:-1]) & (group_of[1:] == group_of[:-1])
    is_mixed = climbs & (np.bincount(group_of[1:], is_unsorted, len(groups)) > 0)
    for start, stop, mixed in zip(
        (stops - sizes).tolist(), stops.tolist(), is_mixed.tolist(), strict=True
    ):
        yield np.unique(units[start:stop]) if mixed else units[start:stop]


def join(page: Page, evidence: Evidence, chosen: Numbers) -> Units:
    """Units of nodes; an element inside several of them belongs to the innermost."""
    owners = own_parts(page.nodes.parent, page.runs.node, chosen)
    return _measure(evidence, chosen, owners)


def segment(page: Page, evidence: Evidence, members: Numbers) -> Units | None:
    """Units of members with one parent, each up to the next member; None for several parents.

    It is for posts without an element of their own: <dt> author, <dd> text, <dd> date.
    """
    nodes = page.nodes
    parent = int(nodes.parent[members[0]])
    starts = nodes.first_run[members]
    if parent < 0 or (nodes.parent[members] != parent).any() or (np.diff(starts) <= 0).any():
        return None
    stop = nodes.stop_run[parent]

    def owners(first: Numbers | Column, inside: Mask) -> Numbers:
        numbers = np.searchsorted(starts, first, "right") - 1
        return np.where(inside & (first >= starts[0]), numbers, -1)

    runs = np.arange(len(page.runs.words))
    inside = (np.arange(len(nodes.tag)) > parent) & (nodes.stop_run <= stop)
    return _measure(evidence, members, (owners(nodes.first_run, inside), owners(runs, runs < stop)))


def _measure(evidence: Evidence, chosen: Numbers, owners: tuple[Numbers, Numbers]) -> Units:
    """Count the words of units, and mark those with an author, a date or a form."""
    nodes = (evidence.author_nodes, evidence.dated_nodes, evidence.form_nodes)
    author, date, form, words = measure_parts(
        owners, len(chosen), nodes, evidence.date_runs, evidence.prose
    )
    return Units(chosen, *owners, author, date, form, words, (words > 0) & (author | date))


def _climb(
    page: Page,
    members: Numbers,
    climbing: Numbers,
    between: tuple[Numbers, Numbers],
    allowed: Mask,
) -> Numbers:
    """The members, some of them climbed to the largest element around them that holds no other.

    `between` has the runs that each must stay between.
    """
    nodes, (low, high) = page.nodes, between
    first, stop = nodes.first_run, nodes.stop_run
    units = members.copy()
    for _ in range(_HIGHEST_CLIMB):
        above = nodes.parent[units[climbing]]
        free = (above >= 0) & (first[above] >= low[climbing]) & (stop[above] <= high[climbing])
        free &= allowed[above]
        climbing = climbing[free]
        if not len(climbing):
            break
        units[climbing] = above[free]
    return units
