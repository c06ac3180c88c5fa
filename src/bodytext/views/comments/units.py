"""Make units, the elements that hold one post each, of the nodes that share a name."""

from dataclasses import dataclass

import numpy as np

from bodytext.kernel import measure_parts, own_parts
from bodytext.kernel.discussion import is_discussion
from bodytext.page.tables import Column, Page
from bodytext.views.comments.element_names import Mask, Numbers
from bodytext.views.comments.evidence import Evidence

_SIGN_WORTH = np.array([0.0, 0.3, 1.0])  # of a unit with none, one or both of author and date
_EMPTY = 0.5  # is subtracted for each unit without text


@dataclass(frozen=True, slots=True, eq=False)
class UnitGroup:
    """The elements that hold or begin one post each, and what is in each of them."""

    node: Numbers
    author: Mask  # which of the units have one
    date: Mask
    form: Mask
    words: Numbers  # of each, without links

    @property
    def valid(self) -> Mask:
        """Which of the units look like a post."""
        valid: Mask = (self.words > 0) & (self.author | self.date)
        return valid

    @property
    def signed_words(self) -> int:
        """The words of those with an author or a date."""
        return int(self.words[self.author | self.date].sum())

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


@dataclass(frozen=True, slots=True, eq=False)
class Units(UnitGroup):
    """Such elements, and the unit of each node and run of the page."""

    owner: Numbers  # of each node of the page: a position in `node`, or -1
    owner_of_run: Numbers


def join(page: Page, evidence: Evidence, chosen: Numbers) -> Units:
    """Units of nodes; an element inside several of them belongs to the innermost."""
    owners = own_parts(page.tables, chosen)
    measures = measure_parts(owners, len(chosen), evidence.signs, evidence.prose)
    return Units(chosen, *measures, *owners)


def segment(page: Page, evidence: Evidence, members: Numbers, fewest: int) -> Units | None:
    """A discussion of members with one parent, each up to the next; None if they are none.

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
    both = (owners(nodes.first_run, inside), owners(runs, runs < stop))
    measures = measure_parts(both, len(members), evidence.signs, evidence.prose)
    return Units(members, *measures, *both) if is_discussion(measures, fewest) else None
