"""find_leaves: Page + kept blocks -> what stands between the words: images, rules, formulas."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bodytext._kernel import nearest_marked
from bodytext.markup import BLOCK_TAGS, TAG, NodeFlag
from bodytext.media import MOST_MEDIA, image_address
from bodytext.page import Page, or_above, tag_mask
from bodytext.structure.element import Element
from bodytext.structure.formulas import find_formulas
from bodytext.structure.links import clean
from bodytext.structure.segments import Numbers

_IS_BLOCK = tag_mask(" ".join(BLOCK_TAGS))
_UNSEEN = tag_mask("template svg video audio canvas object select")
_MAX_RULES = 10_000


class Leaf(NamedTuple):
    """Something without text, and where it stands."""

    run: int  # it comes before this one
    stop: int  # the runs up to here are another form of it
    node: int
    block: int  # the place of the kept block whose line it stands in, or -1 where it stands alone
    element: Element


def find_leaves(page: Page, blocks: Numbers, base: str) -> list[Leaf]:
    """The leaves in or right beside the kept blocks, in the order of the page."""
    beside = _Beside(page, blocks)
    found: list[tuple[int, int, int, Element]] = []
    tags = page.nodes.tag
    has_formulas = (tags == TAG["math"]).any() or b"math/tex" in page.source
    if has_formulas:
        formulas = [one for one in find_formulas(page) if beside.in_kept(one.first_run, one.stop_run)]
        found += [(one.first_run, one.stop_run, one.node, one.element) for one in formulas]
    covered = [(first, stop, node) for first, stop, node, _ in found]
    images = beside.choose(np.flatnonzero(tags == TAG["img"]), both=False)
    if len(images):
        found += [(run, run, node, element) for run, node, element in _read_images(page, images, base, covered)]
    rules = beside.choose(np.flatnonzero(tags == TAG["hr"]), both=True)[:_MAX_RULES]
    found += [(int(page.nodes.first_run[node]), 0, node, Element("hr")) for node in rules.tolist()]
    if not found:
        return []
    found.sort(key=lambda one: (one[0], one[2]))
    owners = beside.lines([one[0] for one in found], [one[2] for one in found])
    return [
        Leaf(run, stop, node, -1 if element.name == "hr" else owner, element)
        for (run, stop, node, element), owner in zip(found, owners, strict=True)
    ]


class _Beside:
    """Answers which kept blocks a place between two runs touches."""

    def __init__(self, page: Page, blocks: Numbers) -> None:
        self._page, self._blocks = page, blocks
        self._first, self._stop = page.blocks.first_run[blocks], page.blocks.stop_run[blocks]

    def _block_at(self, runs: npt.NDArray[np.int32]) -> Numbers:
        """For each run, the place of the kept block that holds it, or -1."""
        place = np.searchsorted(self._first, runs, side="right") - 1
        return np.where((place >= 0) & (runs < self._stop[place]), place, -1)

    def choose(self, nodes: Numbers, *, both: bool) -> Numbers:
        """The nodes with a kept run right before or behind them, or on both sides."""
        if not len(nodes):
            return nodes
        run = self._page.nodes.first_run[nodes]
        before, behind = self._block_at(run - 1) >= 0, self._block_at(run) >= 0
        return nodes[before & behind if both else before | behind]

    def in_kept(self, first: int, stop: int) -> bool:
        """Whether an interval lies in a kept block, or an empty one beside it."""
        around = self._block_at(np.array([first - 1, first], dtype=np.int32))
        return bool(around[1] >= 0 or (first == stop and around[0] >= 0))

    def lines(self, runs: list[int], nodes: list[int]) -> list[int]:
        """For each place the kept block whose line it stands in, or -1."""
        page = self._page
        place = np.array(runs, dtype=np.int32)
        before, behind = self._block_at(place - 1), self._block_at(place)
        own = nearest_marked(_IS_BLOCK[page.nodes.tag], page.nodes.parent)[nodes]
        held = page.blocks.node[self._blocks]
        in_before = (before >= 0) & ((before == behind) | (held[before] == own))
        in_behind = (behind >= 0) & (held[behind] == own)
        lines: list[int] = np.where(in_before, before, np.where(in_behind, behind, -1)).tolist()
        return lines


def _read_images(
    page: Page, images: Numbers, base: str, covered: list[tuple[int, int, int]]
) -> list[tuple[int, int, Element]]:
    """The run behind each image, its node and the element; the copy of a lazy image in a <noscript> counts once."""
    nodes = page.nodes
    unseen = ((nodes.flags & NodeFlag.HIDDEN) != 0) | _UNSEEN[nodes.tag]
    images = images[~or_above(unseen, nodes.parent)[images]][:MOST_MEDIA]
    copies = or_above(nodes.tag == TAG["noscript"], nodes.parent)[images]
    found: dict[int, Element] = {}
    taken: set[int] = set()
    formula_places = {run for first, stop, _ in covered for run in (first, stop)}
    for node in (*images[~copies].tolist(), *images[copies].tolist()):
        run = int(nodes.first_run[node])
        if run in formula_places and _stands_for_formula(page, node):
            continue
        if nodes.tag[nodes.parent[node]] == TAG["noscript"] and run in taken:
            continue
        address = clean(image_address(page, node, base))
        if address:
            taken.add(run)
            text = " ".join(page.attributes(node).get("alt", "").split())
            found[node] = Element("img", [], {"src": address, "alt": text})
    return [(int(nodes.first_run[node]), node, element) for node, element in sorted(found.items())]


def _stands_for_formula(page: Page, node: int) -> bool:
    start, end = int(page.nodes.start[node]), int(page.nodes.end[node])
    return b"math" in page.source[start:end].lower()
