"""find_leaves: Page + kept blocks -> what stands between the words: images, rules, formulas."""

from operator import itemgetter
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bodytext.kernel import nearest_marked
from bodytext.kernel.html import BLOCK_TAGS, TAG, NodeFlag
from bodytext.page.tables import Page, or_above, tag_mask
from bodytext.views.media import MOST_MEDIA
from bodytext.views.media.decoration import is_decoration
from bodytext.views.media.images import best_address
from bodytext.views.structure.element import Element
from bodytext.views.structure.formulas import find_formulas, is_math_script
from bodytext.views.structure.links import Links, clean
from bodytext.views.structure.segments import Numbers

_IS_BLOCK = tag_mask(" ".join(BLOCK_TAGS))
_UNSEEN = tag_mask("template svg video audio canvas object select")
_IS_LEAF = tag_mask("img hr math script")
_MOST_RULES = 10_000
_HIDDEN = int(NodeFlag.HIDDEN)
_IMG, _HR, _MATH, _SCRIPT, _NOSCRIPT = (TAG[name] for name in ("img", "hr", "math", "script", "noscript"))


class Leaf(NamedTuple):
    """Something without text, and where it stands."""

    run: int  # it comes before this one
    stop: int  # the runs up to here are another form of it
    node: int
    block: int  # the place of the kept block whose line it stands in, or -1 where it stands alone
    element: Element


def find_leaves(page: Page, blocks: Numbers, links: Links) -> list[Leaf]:
    """The leaves in or right beside the kept blocks, in the order of the page."""
    numbers = _IS_LEAF[page.nodes.tag].nonzero()[0]
    if not len(numbers):
        return []
    beside = _Beside(page, blocks)
    before, behind = beside.around(page.nodes.first_run[numbers])
    kinds = page.nodes.tag[numbers]
    near = (before >= 0) | (behind >= 0)
    scripts = numbers[near & (kinds == _SCRIPT)].tolist()
    found: list[tuple[int, int, int, Element]] = []
    if np.count_nonzero(kinds == _MATH) or any(is_math_script(page, node) for node in scripts):
        formulas = [one for one in find_formulas(page) if beside.touches(one.first_run, one.stop_run)]
        found += [(one.first_run, one.stop_run, one.node, one.element) for one in formulas]
    images = numbers[near & (kinds == _IMG)]
    if len(images):
        places = {run for first, stop, _, _ in found for run in (first, stop)}
        found += [(run, run, node, element) for run, node, element in _read_images(page, images, links.base, places)]
    rules = numbers[(before >= 0) & (behind >= 0) & (kinds == _HR)][:_MOST_RULES].tolist()
    found += [(int(page.nodes.first_run[node]), 0, node, Element("hr")) for node in rules]
    return beside.settle(found) if found else []


class _Beside:
    """Answers which kept blocks a place between two runs touches."""

    def __init__(self, page: Page, blocks: Numbers) -> None:
        self._page, self._blocks = page, blocks
        self._first, self._stop = page.blocks.first_run[blocks], page.blocks.stop_run[blocks]

    def around(self, runs: npt.NDArray[np.int32]) -> tuple[Numbers, Numbers]:
        """The places of the kept blocks that hold the run before each of these, and the run itself, or -1."""
        place = self._first.searchsorted(runs, side="right") - 1
        behind = np.where((place >= 0) & (runs < self._stop[place]), place, -1)
        place -= (place >= 0) & (self._first[place] == runs)
        return np.where((place >= 0) & (runs <= self._stop[place]), place, -1), behind

    def touches(self, first: int, stop: int) -> bool:
        """Whether an interval begins in a kept block, or, where it is empty, right behind one."""
        before, behind = self.around(np.array([first], dtype=np.int32))
        return bool(behind[0] >= 0 or (first == stop and before[0] >= 0))

    def settle(self, found: list[tuple[int, int, int, Element]]) -> list[Leaf]:
        """Put leaves in order, each with the kept block whose line it stands in."""
        page = self._page
        found.sort(key=itemgetter(0, 2))
        before, behind = self.around(np.array([one[0] for one in found], dtype=np.int32))
        held = page.blocks.node[self._blocks]
        own = nearest_marked(_IS_BLOCK[page.nodes.tag], page.nodes.parent)[[one[2] for one in found]]
        in_before = (before >= 0) & ((before == behind) | (held[before] == own))
        in_behind = (behind >= 0) & (held[behind] == own)
        owners = np.where(in_before, before, np.where(in_behind, behind, -1)).tolist()
        return [
            Leaf(run, stop, node, -1 if element.name == "hr" else owner, element)
            for (run, stop, node, element), owner in zip(found, owners, strict=True)
        ]


def _read_images(page: Page, images: Numbers, base: str, formulas: set[int]) -> list[tuple[int, int, Element]]:
    """The run behind each image, its node and the element; the copy of a lazy image in a <noscript> counts once."""
    nodes = page.nodes
    unseen = ((nodes.flags & _HIDDEN) != 0) | _UNSEEN[nodes.tag]
    images = images[~or_above(unseen, nodes.parent)[images]][:MOST_MEDIA]
    copies = set(images[or_above(nodes.tag == _NOSCRIPT, nodes.parent)[images]].tolist())
    found: list[tuple[int, int, Element]] = []
    taken: set[int] = set()
    places = nodes.first_run.data
    numbers = sorted(images.tolist(), key=copies.__contains__) if copies else images.tolist()
    for node in numbers:  # those in a <noscript> last
        run = places[node]
        if (node in copies and run in taken) or (run in formulas and _stands_for_formula(page, node)):
            continue
        attributes = page.attributes(node)
        address = clean(best_address(page, node, attributes, base))
        if address and not is_decoration(attributes, address):
            taken.add(run)
            text = " ".join(attributes["alt"].split()) if "alt" in attributes else ""
            found.append((run, node, Element("img", [], {"src": address, "alt": text})))
    return found


def _stands_for_formula(page: Page, node: int) -> bool:
    start, end = int(page.nodes.start[node]), int(page.nodes.end[node])
    return b"math" in page.source[start:end].lower()
