"""Find the images, rules and formulas between the words of kept blocks."""

from operator import itemgetter

import numpy as np
import numpy.typing as npt

from bodytext.kernel import make_leaves, place_leaves
from bodytext.kernel.images import PlacedImage, is_called_decoration
from bodytext.kernel.lines import PlacedLeaf
from bodytext.kernel.placement import find_around, find_owners
from bodytext.page.tables import Column, Page
from bodytext.views.media.pictures import Pictures
from bodytext.views.structure.element import Element
from bodytext.views.structure.formulas import find_formulas, is_math_script
from bodytext.views.structure.links import clean

Numbers = npt.NDArray[np.intp]
Kept = tuple[Column, Column, Column]  # the first run, the stop run and the node of each kept block


def find_leaves(page: Page, blocks: Numbers, pictures: Pictures) -> list[PlacedLeaf]:
    """The leaves in or right next to the kept blocks, in the order of the page."""
    table = page.blocks
    kept = (table.first_run[blocks], table.stop_run[blocks], table.node[blocks])
    has_math, scripts, images, rules = place_leaves(page.tables[0], kept)
    leaves: list[PlacedLeaf] = []
    if has_math or any(is_math_script(page, node) for node in scripts):
        leaves += _read_formulas(page, kept)
    if images:
        places = {run for leaf in leaves for run in leaf[:2]}
        leaves += _read_images(pictures, images, places)
    leaves += [(run, 0, node, -1, Element("hr")) for run, node in rules]
    leaves.sort(key=itemgetter(0, 2))
    return leaves


def _read_formulas(page: Page, kept: Kept) -> list[PlacedLeaf]:
    """The formulas that begin in a kept block, or, where they have no text, right after one."""
    formulas = find_formulas(page)
    runs = np.array([formula.first_run for formula in formulas], dtype=np.int32)
    nodes = np.array([formula.node for formula in formulas], dtype=np.intp)
    before, after = find_around(kept, runs)
    owners = find_owners(page.nodes, kept, nodes, runs).tolist()
    return [
        (formula.first_run, formula.stop_run, formula.node, owner, formula.element)
        for formula, owner, left, right in zip(formulas, owners, before, after, strict=True)
        if right >= 0 or (formula.first_run == formula.stop_run and left >= 0)
    ]


def _read_images(
    pictures: Pictures, images: list[PlacedImage], formulas: set[int]
) -> list[PlacedLeaf]:
    """The images that show no formula and are no decoration."""
    page = pictures.page
    if formulas:
        images = [
            image
            for image in images
            if image[0] not in formulas or not _shows_formula(page, image[1])
        ]
    pictures.read(node for _, node, _, _ in images)

    def clean_image(node: int, stated: str) -> str:
        address = clean(stated)
        if address != stated and is_called_decoration(page.attributes(node), address):
            return ""
        return address

    return make_leaves(images, pictures, Element, clean_image)


def _shows_formula(page: Page, node: int) -> bool:
    start, end = int(page.nodes.start[node]), int(page.nodes.end[node])
    return b"math" in page.source[start:end].lower()
