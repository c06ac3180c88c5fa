"""Find the nodes that could be the media of an article; `bodytext.kernel.placement` says which."""

import re
from collections.abc import Iterable
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from bodytext.kernel import place_media, read_value
from bodytext.page.tables import Page

Numbers = npt.NDArray[np.intp]
# A node that could be a medium; how many of the nearest elements around it have no kept text;
# whether it is in a <noscript>; the medium that holds it, or -1; the caption of its figure, or -1.
PlacedMedium = tuple[int, int, bool, int, int]

_LONGEST_CLASS = 1_000  # characters of it
_ELSEWHERE = re.compile(
    r"(?:^|[\s_-])(?:ads?|adv|advert\w*|sponsor\w*|related|recommend\w*|newsletter|author|authors|avatar|byline|bio|"
    r"share|sharing|social|logo|icon|comments?|sidebar|outbrain|taboola)(?:$|[\s_-])",
    re.IGNORECASE,
)


def media_near(
    page: Page, custom: Iterable[int], first_run: int, stop_run: int
) -> list[PlacedMedium]:
    """Find the nodes that could be media of an interval of runs; `custom` are custom elements."""
    return place_media(page.nodes, page.runs, (first_run, stop_run), None, custom)


def media_among(page: Page, custom: Iterable[int], blocks: Numbers) -> list[PlacedMedium]:
    """Find the nodes that could be media of kept blocks; `custom` are custom elements."""
    kept = (page.blocks.first_run[blocks], page.blocks.stop_run[blocks])
    interval = (kept[0].item(0), kept[1].item(-1))
    around = _NamesAround(page)
    placed = place_media(page.nodes, page.runs, interval, kept, custom)
    return [medium for medium in placed if not around.are_elsewhere(medium[0], medium[1])]


class _NamesAround:
    """Says whether an element without kept text around a medium is called something else."""

    def __init__(self, page: Page) -> None:
        nodes = page.nodes
        self._source = page.source
        # A memoryview gives one number several times as fast as an array.
        self._parent, self._start, self._end = nodes.parent.data, nodes.start.data, nodes.end.data
        self._called: dict[int, bool] = {}  # media share the elements around them

    def are_elsewhere(self, node: int, levels: int) -> bool:
        """Whether any of the nearest elements around a node is."""
        above = node
        for _ in range(levels):
            above = self._parent[above]
            if above not in self._called:
                names = read_value(self._source, self._start[above], self._end[above], b"class")
                self._called[above] = _is_called_elsewhere(names[:_LONGEST_CLASS])
            if self._called[above]:
                return True
        return False


@lru_cache(maxsize=1_000)
def _is_called_elsewhere(names: str) -> bool:
    return _ELSEWHERE.search(names) is not None
