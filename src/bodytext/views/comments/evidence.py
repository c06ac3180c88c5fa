"""gather_evidence: Page + Names + dates -> which nodes and runs speak for a discussion."""

from dataclasses import dataclass

import numpy as np

from bodytext.page.tables import Column, Page, or_above, tag_mask
from bodytext.views.comments.element_names import Mask, Names
from bodytext.views.comments.sections import is_comment

WHOLE = tag_mask("html body main head")  # they hold the page, so they are no post and no comment section


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
    comment &= ~WHOLE[page.nodes.tag]
    inside = or_above(comment, page.nodes.parent)
    return Evidence(
        names.author > 0, dated, dates.astype(np.int32), np.where(linked, 0, names.shown).astype(np.int32), inside
    )
