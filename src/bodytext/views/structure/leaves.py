"""Find the images, rules and formulas between the words of kept blocks."""

from operator import itemgetter
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bodytext.kernel import nearest_marked
from bodytext.kernel.html import BLOCK_TAGS, TAG, NodeFlag
from bodytext.kernel.images import is_called_decoration
from bodytext.page.tables import Page, or_above, tag_mask
from bodytext.views.media import MOST_MEDIA
from bodytext.views.media.pictures import Pictures
from bodytext.views.structure.element import Element
from bodytext.views.structure.formulas import find_formulas, is_math_script
from bodytext.views.structure.links import clean

Numbers = npt.NDArray[np.intp]

_IS_BLOCK = tag_mask(" ".join(BLOCK_TAGS))
_UNSEEN = tag_mask("template svg video audio canvas object select")
_IS_LEAF = tag_mask("img hr math script")
_MOST_RULES = 10_000
_HIDDEN = int(NodeFlag.HIDDEN)
_IMG, _HR, _MATH, _SCRIPT, _NOSCRIPT = (
    TAG[name] for name in ("img", "hr", "math", "script", "noscript")
)


class Leaf(NamedTuple):
    """Something without text, and its place."""

    run: int  # it comes before this one
    stop: int  # the runs up to here are another form of it
    node: int
    block: int  # the place of the kept block whose line it is in, or -1 if it has a line of its own
    element: Element


Found = tuple[int, int, int, Element]  # a leaf without its block


def find_leaves(page: Page, blocks: Numbers, pictures: Pictures) -> list[Leaf]:
    """The leaves in or right next to the kept blocks, in the order of the page."""
    numbers = _IS_LEAF[page.nodes.tag].nonzero()[0]
    if not len(numbers):
        return []
    kept = _KeptBlocks(page, blocks)
    before, after = kept.around(page.nodes.first_run[numbers])
    tags = page.nodes.tag[numbers]
    near = (before >= 0) | (after >= 0)
    leaves: list[Found] = []
    if np.count_nonzero(tags == _MATH) or _holds_math(page, numbers[near & (tags == _SCRIPT)]):
        leaves += _read_formulas(page, kept)
    images = numbers[near & (tags == _IMG)]
    if len(images):
        places = {run for first, stop, _, _ in leaves for run in (first, stop)}
        leaves += _read_images(pictures, images, places)
    rules = numbers[(before >= 0) & (after >= 0) & (tags == _HR)][:_MOST_RULES].tolist()
    leaves += [(int(page.nodes.first_run[node]), 0, node, Element("hr")) for node in rules]
    return kept.settle(leaves) if leaves else []


class _KeptBlocks:
    """Answers which kept blocks a place between two runs touches."""

    def __init__(self, page: Page, blocks: Numbers) -> None:
        self._page, self._blocks = page, blocks
        self._first, self._stop = page.blocks.first_run[blocks], page.blocks.stop_run[blocks]

    def around(self, runs: npt.NDArray[np.int32]) -> tuple[Numbers, Numbers]:
        """The places of the kept blocks with the run before each of these, and with the run; or -1."""
        # a place of -1 stays one, whatever is compared
        place = self._first.searchsorted(runs, side="right") - 1
        after = np.where(runs < self._stop[place], place, -1)
        place -= self._first[place] == runs
        return np.where(runs <= self._stop[place], place, -1), after

    def touches(self, first: int, stop: int) -> bool:
        """Whether an interval begins in a kept block, or, where it is empty, right after one."""
        before, after = self.around(np.array([first], dtype=np.int32))
        return bool(after[0] >= 0 or (first == stop and before[0] >= 0))

    def settle(self, leaves: list[Found]) -> list[Leaf]:
        """Put leaves in order, each with the kept block whose line it is in."""
        page = self._page
        leaves.sort(key=itemgetter(0, 2))
        before, after = self.around(np.array([run for run, _, _, _ in leaves], dtype=np.int32))
        held = page.blocks.node[self._blocks]
        own = nearest_marked(_IS_BLOCK[page.nodes.tag], page.nodes.parent)[
            [node for _, _, node, _ in leaves]
        ]
        in_before = (before >= 0) & ((before == after) | (held[before] == own))
        in_after = (after >= 0) & (held[after] == own)
        owners = np.where(in_before, before, np.where(in_after, after, -1)).tolist()
        return [
            Leaf(run, stop, node, -1 if element.name == "hr" else owner, element)
            for (run, stop, node, element), owner in zip(leaves, owners, strict=True)
        ]


def _holds_math(page: Page, scripts: Numbers) -> bool:
    return any(is_math_script(page, node) for node in scripts.tolist())


def _read_formulas(page: Page, kept: _KeptBlocks) -> list[Found]:
    return [
        (formula.first_run, formula.stop_run, formula.node, formula.element)
        for formula in find_formulas(page)
        if kept.touches(formula.first_run, formula.stop_run)
    ]


def _read_images(pictures: Pictures, images: Numbers, formulas: set[int]) -> list[Found]:
    """The images that show no formula; a lazy image and its copy in a <noscript> are one."""
    page = pictures.page
    nodes = page.nodes
    unseen = ((nodes.flags & _HIDDEN) != 0) | _UNSEEN[nodes.tag]
    images = images[~or_above(unseen, nodes.parent)[images]][:MOST_MEDIA]
    copies = set(images[or_above(nodes.tag == _NOSCRIPT, nodes.parent)[images]].tolist())
    leaves: list[Found] = []
    taken: set[int] = set()
    places = nodes.first_run.data
    nodes_in_order = sorted(images.tolist(), key=copies.__contains__)  # those in a <noscript> last
    pictures.read(nodes_in_order)
    for node in nodes_in_order:
        run = places[node]
        if (node in copies and run in taken) or (run in formulas and _shows_formula(page, node)):
            continue
        if image := _read_image(pictures, node):
            taken.add(run)
            leaves.append((run, run, node, image))
    return leaves


def _read_image(pictures: Pictures, node: int) -> Element | None:
    picture = pictures[node]
    address = "" if picture.is_small else clean(picture.address)
    if address == picture.address:  # most
        is_decoration = picture.is_decoration
    else:
        is_decoration = is_called_decoration(pictures.page.attributes(node), address)
    if not address or is_decoration:
        return None
    return Element("img", (), {"src": address, "alt": picture.alt})


def _shows_formula(page: Page, node: int) -> bool:
    start, end = int(page.nodes.start[node]), int(page.nodes.end[node])
    return b"math" in page.source[start:end].lower()
