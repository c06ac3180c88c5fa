"""Find the elements of a page that hold one post each, in order.

Every name for a post, an author or a date proposes a group: the nodes with that name, each widened
to the largest element around it that holds no other of them, or each up to the next. In a group
that is a discussion most units have an author and a date. Of such groups those with the most text
count, and of these the one with the most posts, weighted by how many names propose it. Comments on
posts are added to them.
"""

import math
from collections import Counter
from dataclasses import dataclass, field
from itertools import islice

import numpy as np

from bodytext.kernel import measure_groups, widen_groups
from bodytext.kernel.html import NodeFlag
from bodytext.page.tables import Page, or_above, tag_mask
from bodytext.views.comments.element_names import ElementNames, Mask, Numbers
from bodytext.views.comments.evidence import WHOLE, Evidence
from bodytext.views.comments.units import UnitGroup, Units, join, segment

# Bounds that no honest page comes near: they keep hostile ones linear.
_MOST_GROUPS = 128
_MOST_UNITS = 5_000

_COVERED = 0.75  # of the text of the best group, for a finer one to replace it
_FEWEST_POSTS, _FEWEST_COMMENTS = 2, 1
_KEPT = 0.8  # of the comments on posts must be whole where the posts are

_HEADING = tag_mask("h1 h2 h3 h4")
_Proposal = tuple[Numbers, int]  # the nodes of a name, and how many names share them


@dataclass(frozen=True, slots=True, eq=False)
class _Groups:
    """The groups that names propose, by their units, and how many names propose each."""

    units: dict[bytes, UnitGroup] = field(default_factory=dict)
    votes: Counter[bytes] = field(default_factory=Counter)

    def add(self, key: bytes, units: UnitGroup, names: int) -> None:
        self.units[key] = units
        self.votes[key] += names

    def best(self) -> UnitGroup | None:
        """The group with the most posts among those with the most text; a single post last."""
        several = {key: units for key, units in self.units.items() if len(units.node) > 1}
        groups = several or self.units
        words = {key: units.signed_words for key, units in groups.items()}
        least = _COVERED * max(words.values(), default=0)
        large = [key for key in groups if words[key] >= least]
        return groups[max(large, key=self.worth)] if large else None

    def worth(self, key: bytes) -> float:
        """How good a group is."""
        return self.units[key].worth * math.sqrt(self.votes[key])


def find_units(
    page: Page, names: ElementNames, evidence: Evidence, comments_only: bool
) -> Units | None:
    """Choose the group of a page whose units are posts; None if there is none."""
    allowed, proposed = ~WHOLE[page.nodes.tag], _promising(names, evidence)
    if comments_only:
        return _find_group(page, evidence, proposed, allowed & evidence.comment, _FEWEST_COMMENTS)
    posts = _find_group(page, evidence, proposed, allowed, _FEWEST_POSTS)
    if posts is None or evidence.comment[posts.node].any():
        return posts
    return _add_replies(page, evidence, proposed, posts)


def _find_group(
    page: Page, evidence: Evidence, proposed: list[_Proposal], allowed: Mask, fewest: int
) -> Units | None:
    """Choose the best group of allowed nodes."""
    if not allowed.any():
        return None
    proposed = [(nodes[allowed[nodes]], count) for nodes, count in proposed]
    proposed = [(members, count) for members, count in proposed if len(members)]
    widened = widen_groups(page.tables[0], [members for members, _ in proposed], allowed)
    keys = [nodes.tobytes() for nodes in widened]
    distinct = dict(zip(keys, widened, strict=True))  # most names lead to the units of others
    measured = measure_groups(
        page.tables, list(distinct.values()), evidence.signs, evidence.prose, fewest
    )
    known = dict(zip(distinct, measured, strict=True))
    groups = _Groups()
    for (members, count), key in zip(proposed, keys, strict=True):
        if (measures := known[key]) is not None:
            groups.add(key, UnitGroup(distinct[key], *measures), count)
        elif len(members) > 1 and (units := segment(page, evidence, members, fewest)):
            groups.add(members.tobytes(), units, count)
    best = groups.best()
    return best if best is None or isinstance(best, Units) else join(page, evidence, best.node)


def _add_replies(page: Page, evidence: Evidence, proposed: list[_Proposal], posts: Units) -> Units:
    """The posts with the comments inside them, if both are complete then."""
    inside = evidence.comment & (posts.owner >= 0)
    if not inside.any():
        return posts
    replies = _find_group(page, evidence, proposed, inside, _FEWEST_COMMENTS)
    if replies is None:
        return posts
    joined = join(page, evidence, np.union1d(posts.node, replies.node))
    return joined if joined.signed >= posts.signed + _KEPT * replies.signed else posts


def holds_teasers(page: Page, units: Units) -> bool:
    """Whether most units have a heading that links to another page: they only list posts."""
    nodes = page.nodes
    linked = np.flatnonzero((nodes.flags & NodeFlag.LINK) != 0)
    in_heading = or_above(_HEADING[nodes.tag], nodes.parent)
    linked = linked[(units.owner[linked] >= 0) & in_heading[linked]]
    leading = [node for node in linked.tolist() if "#" not in page.attributes(node).get("href", "")]
    headed = {int(units.owner[node]) for node in leading}
    return 2 * len(headed) > len(units.node)


def _promising(names: ElementNames, evidence: Evidence) -> list[_Proposal]:
    """The nodes of names that may separate posts, and how many names share them; common ones first.

    Such a name is a word for a post, or most of its nodes are authors or dates.
    """
    if not names.keys:
        return []
    counts = np.bincount(names.key, minlength=len(names.keys))
    is_field = (evidence.author | evidence.dated)[names.node]
    signed = np.bincount(names.key, is_field, len(names.keys)) * 2 > counts
    chosen = np.flatnonzero((evidence.called | signed) & (counts <= _MOST_UNITS))
    nodes, stops = names.node[np.argsort(names.key, kind="stable")], np.cumsum(counts)
    chosen = chosen[np.argsort(-counts[chosen], kind="stable")]
    places = zip((stops - counts)[chosen].tolist(), stops[chosen].tolist(), strict=True)
    shared: dict[bytes, list[Numbers]] = {}
    for start, stop in places:
        members = nodes[start:stop]
        shared.setdefault(members.tobytes(), []).append(members)
    return [(alike[0], len(alike)) for alike in islice(shared.values(), _MOST_GROUPS)]
