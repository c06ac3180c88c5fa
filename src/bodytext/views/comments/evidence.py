"""Gather the signs of a discussion in the nodes and runs of a page."""

from dataclasses import dataclass

import numpy as np

from bodytext.kernel.html import TAG
from bodytext.page.tables import Column, Page, or_above, tag_mask
from bodytext.views.comments.element_names import ElementNames, Mask, Numbers
from bodytext.views.comments.sections import is_comment

WHOLE = tag_mask("html body main head")  # they hold all of the page: no post and no comment section


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """The authors, dates and comments of a page by node, and its dates and words by run."""

    author: Mask  # nodes
    dated: Mask  # nodes right around a date
    dates: Column  # runs that are dates, as 0 and 1
    prose: Column  # the words of each run outside links
    comment: Mask  # nodes in an element called comment or comments
    # The same as numbers: few nodes are any of these, and every group of names is held against them.
    author_nodes: Numbers
    dated_nodes: Numbers
    form_nodes: Numbers
    date_runs: Numbers


def gather_evidence(page: Page, names: ElementNames, dates: Mask) -> Evidence:
    """Gather the signs; `dates` marks the runs that are dates."""
    dated = names.date > 1
    dated[page.runs.node[dates]] = True
    linked = page.runs.linked > 0
    called = np.array([is_comment(key) for key in names.keys], np.bool_)
    comment = np.zeros(len(page.nodes.tag), np.bool_)
    if len(called):
        comment[names.node[called[names.key]]] = True
    comment &= ~WHOLE[page.nodes.tag]
    inside = or_above(comment, page.nodes.parent)
    prose = np.where(linked, 0, names.shown).astype(np.int32)
    author = names.author > 0
    return Evidence(
        author,
        dated,
        dates.astype(np.int32),
        prose,
        inside,
        *map(np.flatnonzero, (author, dated, page.nodes.tag == TAG["textarea"], dates)),
    )
