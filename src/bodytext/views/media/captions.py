"""Read the captions of media."""

import re

import numpy as np
import numpy.typing as npt

from bodytext.kernel import nearest_marked
from bodytext.kernel.html import TAG
from bodytext.page.tables import Page, tag_mask

LONGEST_CAPTION = 10_000  # bytes of source; a longer one is a <figcaption> that was never closed
_LEVELS_UP = 3  # from a medium to the element that holds its caption too
_NODES_ON = 32  # after a medium that are looked at
_FIGURE = tag_mask("figure")
_MEDIA = tag_mask("img video audio iframe embed object")
_CALLED = re.compile(
    r"(?:^|[\s_-])(?:caption|captions|caption-?text|legend|legende|cutline|bildunterschrift|bu|pie-de-foto|didascalia|"
    r"(?:image|img|photo|picture|media|foto)-?(?:caption|credit|title|text|description))(?:$|[\s_-])",
    re.IGNORECASE,
)


def read_captions(page: Page, numbers: npt.NDArray[np.intp]) -> dict[int, str]:
    """The caption of each medium: that of its figure, else a text next to it that is called one."""
    nodes = page.nodes
    captions = np.flatnonzero(nodes.tag == TAG["figcaption"])
    figure = nearest_marked(_FIGURE[nodes.tag], nodes.parent)
    owners, firsts = (
        np.unique(figure[captions], return_index=True) if len(captions) else (captions, captions)
    )
    first_caption = dict(zip(owners.tolist(), captions[firsts].tolist(), strict=True))
    texts: dict[int, str] = {}
    by_medium: dict[int, str] = {}
    for number in numbers.tolist():
        caption = first_caption.get(int(figure[number]), -1) if figure[number] >= 0 else -1
        caption = caption if caption >= 0 else _called_caption(page, number)
        if caption >= 0 and caption not in texts:
            texts[caption] = read_text(page, caption)
        by_medium[number] = texts.get(caption, "")
    return by_medium


def is_short(page: Page, node: int) -> bool:
    """Whether a node holds some text, and no more than a caption does."""
    first, stop = int(page.nodes.first_run[node]), int(page.nodes.stop_run[node])
    return (
        first < stop
        and int(page.runs.end[stop - 1]) - int(page.runs.start[first]) <= LONGEST_CAPTION
    )


def read_text(page: Page, node: int) -> str:
    """The text of a short node on one line; nothing for others."""
    if not is_short(page, node):
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


def _called_caption(page: Page, medium: int) -> int:
    """The first node after a medium, in an element around it, whose class says caption; or -1."""
    nodes = page.nodes
    stop = int(nodes.stop_run[_find_frame(page, medium)])
    for node in range(medium + 1, min(medium + 1 + _NODES_ON, len(nodes.tag))):
        if nodes.stop_run[node] > stop or nodes.first_run[node] >= stop or _MEDIA[nodes.tag[node]]:
            break
        if nodes.first_run[node] < nodes.stop_run[node] and _CALLED.search(
            page.attributes(node).get("class", "")
        ):
            return node
    return -1


def _find_frame(page: Page, medium: int) -> int:
    """The outermost element around a medium that holds no more text than a caption."""
    nodes, frame = page.nodes, medium
    for _ in range(_LEVELS_UP):
        above = int(nodes.parent[frame])
        if above < 0 or not (
            is_short(page, above) or nodes.first_run[above] == nodes.stop_run[above]
        ):
            break
        frame = above
    return frame
