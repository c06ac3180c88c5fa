"""Read the captions of media."""

import re
from functools import lru_cache

import numpy as np

from bodytext.kernel import read_value
from bodytext.kernel.html import TAG
from bodytext.kernel.placement import LONGEST_CAPTION, is_short
from bodytext.page.tables import Page

_LEVELS_UP = 3  # from a medium to the element that holds its caption too
_NODES_ON = 32  # after a medium that are looked at
_MEDIA = frozenset(TAG[name] for name in ("img", "video", "audio", "iframe", "embed", "object"))
_CALLED = re.compile(
    r"(?:^|[\s_-])(?:caption|captions|caption-?text|legend|legende|cutline|bildunterschrift|bu|pie-de-foto|didascalia|"
    r"(?:image|img|photo|picture|media|foto)-?(?:caption|credit|title|text|description))(?:$|[\s_-])",
    re.IGNORECASE,
)


def read_text(page: Page, node: int) -> str:
    """The text of a short node on one line; nothing for others."""
    if not is_short(page.nodes, page.runs, node):
        return ""
    first, stop = np.searchsorted(
        page.blocks.first_run, (page.nodes.first_run[node], page.nodes.stop_run[node])
    )
    blocks = np.arange(first, stop)
    nothing = bytes(len(blocks))
    buffer, spans = page.write_texts(blocks, nothing, nothing)
    return " ".join(
        " ".join(buffer[start:end].decode("utf-8") for start, end in spans.T.tolist()).split()
    )


class Captions:
    """Reads the captions of media."""

    def __init__(self, page: Page) -> None:
        nodes, runs = page.nodes, page.runs
        self._page, self._source = page, page.source
        self._texts: dict[int, str] = {-1: ""}
        # A memoryview gives one number several times as fast as an array.
        self._tag, self._parent = nodes.tag.data, nodes.parent.data
        self._first, self._stop = nodes.first_run.data, nodes.stop_run.data
        self._tag_start, self._tag_end = nodes.start.data, nodes.end.data
        self._start, self._end = runs.start.data, runs.end.data

    def read(self, medium: int, caption: int) -> str:
        """The caption of a medium: that of its figure, else a text next to it that is called one."""
        if caption < 0:
            caption = self._find_caption(medium)
        if caption not in self._texts:
            self._texts[caption] = read_text(self._page, caption)
        return self._texts[caption]

    def _find_caption(self, medium: int) -> int:
        """The first node after a medium, in an element around it, whose class says caption; or -1."""
        first, stops, tags = self._first, self._stop, self._tag
        stop = stops[self._find_frame(medium)]
        for node in range(medium + 1, min(medium + 1 + _NODES_ON, len(tags))):
            start = first[node]
            if stops[node] > stop or start >= stop or tags[node] in _MEDIA:
                break
            if start < stops[node] and _is_called_caption(self._read_class(node)):
                return node
        return -1

    def _read_class(self, node: int) -> str:
        return read_value(self._source, self._tag_start[node], self._tag_end[node], b"class")

    def _find_frame(self, medium: int) -> int:
        """The outermost element around a medium that holds no more text than a caption."""
        frame = medium
        for _ in range(_LEVELS_UP):
            above = self._parent[frame]
            if above < 0:
                break
            first, stop = self._first[above], self._stop[above]
            if first < stop and self._end[stop - 1] - self._start[first] > LONGEST_CAPTION:
                break
            frame = above
        return frame


@lru_cache(maxsize=1_000)
def _is_called_caption(names: str) -> bool:
    return _CALLED.search(names) is not None
