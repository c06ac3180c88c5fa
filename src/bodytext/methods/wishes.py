"""What a caller wants kept or left out, whatever a method finds."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from bodytext.methods.scores import Scores
from bodytext.page.tables import Page, or_above

if TYPE_CHECKING:
    from bodytext.page.selectors import Matcher

Comments = Literal["with", "apart", "without"]
_CHOICES = get_args(Comments)
_YES_NO = (True, False)
_FORUM = "forum"  # its posts are its text, whatever they are called

Mask = npt.NDArray[np.bool_]


class Wishes(NamedTuple):
    """Which parts of a page are always kept or always left out."""

    tables: bool = True
    comments: Comments | None = None  # as the method finds them
    pruned: "Matcher | None" = None
    kept: "Matcher | None" = None

    def prune(self, page: Page) -> Page:
        """Return the page without the elements that were to be pruned."""
        if self.pruned is None:
            return page
        from bodytext.page.pruning import prune
        from bodytext.page.selectors import Elements

        return prune(page, np.flatnonzero(self.pruned(Elements(page))))

    def adjust(self, page: Page, scores: Scores, threshold: float) -> Scores:
        """Return the scores with 1 for what is always kept, and 0 for what is always left out."""
        if self is _NONE:  # most
            return scores
        values = scores.values.copy()
        if self.comments is not None:
            marked = _find_comments(page)
            if self.comments == "with":
                values[marked] = 1
            elif scores.page_type != _FORUM or not _are_most(page, marked, values >= threshold):
                values[marked] = 0
        if self.kept is not None:
            from bodytext.page.selectors import Elements

            inside = or_above(self.kept(Elements(page)), page.nodes.parent)
            values[inside[page.blocks.node]] = 1
        if not self.tables:
            values[_in_tables(page, np.flatnonzero(values >= threshold))] = 0
        return scores._replace(values=values)


_NONE = Wishes()


def read_wishes(
    tables: bool,
    comments: Comments | None,
    prune: str | Sequence[str],
    keep: str | Sequence[str],
) -> Wishes:
    """Check what a caller wants, and return it."""
    if comments is not None and comments not in _CHOICES:
        raise ValueError(f"comments must be one of {', '.join(_CHOICES)}, not {comments!r}")
    if tables not in _YES_NO:
        raise ValueError(f"tables must be True or False, not {tables!r}")
    if tables and comments is None and not prune and not keep:  # most
        return _NONE
    return Wishes(tables, comments, _read("prune", prune), _read("keep", keep))


def _read(name: str, selectors: str | Sequence[str]) -> "Callable[..., Mask] | None":
    from bodytext.page.selectors import SelectorError, read_selectors

    if not selectors:
        return None
    try:
        return read_selectors(selectors)
    except SelectorError as error:
        raise SelectorError(f"{name}: {error}") from None


def _find_comments(page: Page) -> Mask:
    """Which blocks are in comments, or in an element that is called so."""
    from bodytext.views.comments import comment_blocks, find_posts

    in_posts = np.zeros(len(page) + 1, np.int32)
    starts = page.runs.start[page.blocks.first_run]
    order = np.argsort(starts, kind="stable")  # what a table cannot hold is before it
    starts = starts[order]
    for post in find_posts(page, "article"):
        in_posts[np.searchsorted(starts, post.start)] += 1
        in_posts[np.searchsorted(starts, post.end)] -= 1
    marked = comment_blocks(page)
    marked[order[np.cumsum(in_posts[:-1]) > 0]] = True
    return marked


def _are_most(page: Page, marked: Mask, kept: Mask) -> bool:
    """Whether most words of the kept blocks are in the marked ones: then they are a forum's posts."""
    words = page.per_block(page.runs.words)
    return 2 * int(words[marked & kept].sum()) > int(words[kept].sum())


def _in_tables(page: Page, blocks: npt.NDArray[np.intp]) -> Mask:
    """Which blocks are in a table of data; one that only lays out a page is none."""
    from bodytext.views.structure.tree import find_tables

    marked = np.zeros(len(page.nodes.tag), np.bool_)
    marked[find_tables(page, blocks)] = True
    return or_above(marked, page.nodes.parent)[page.blocks.node]
