"""Find the images, rules and formulas between the words of kept blocks."""

from operator import itemgetter

import numpy as np
import numpy.typing as npt

from bodytext.kernel import place_leaves
from bodytext.kernel.images import is_called_decoration
from bodytext.kernel.lines import Leaf
from bodytext.kernel.placement import find_around, find_owners
from bodytext.page.tables import Column, Page
from bodytext.views.media.pictures import Pictures
from bodytext.views.structure.element import Element
from bodytext.views.structure.formulas import find_formulas, is_math_script
from bodytext.views.structure.links import clean

Numbers = npt.NDArray[np.intp]
Kept = tuple[Column, Column, Column]  # the first run, the stop run and the node of each kept block


def find_leaves(page: Page, blocks: Numbers, pictures: Pictures) -> list[Leaf]:
    """The leaves in or right next to the kept blocks, in the order of the page."""
    table = page.blocks
    kept = (table.first_run[blocks], table.stop_run[blocks], table.node[blocks])
    has_math, scripts, images, rules = place_leaves(page.tables[0], kept)
    leaves: list[Leaf] = []
    if has_math or any(is_math_script(page, node) for node in scripts):
        leaves += _read_formulas(page, kept)
    if images:
        places = {run for leaf in leaves for run in (leaf.run, leaf.stop)}
        leaves += _read_images(pictures, images, places)
    leaves += [Leaf(run, 0, node, -1, Element("hr")) for run, node in rules]
    leaves.sort(key=itemgetter(0, 2))
    return leaves


def _read_formulas(page: Page, kept: Kept) -> list[Leaf]:
    """The formulas that begin in a kept block, or, where they have no text, right after one."""
    formulas = find_formulas(page)
    runs = np.array([formula.first_run for formula in formulas], dtype=np.int32)
    nodes = np.array([formula.node for formula in formulas], dtype=np.intp)
    before, after = find_around(kept, runs)
    owners = find_owners(page.nodes, kept, nodes, runs).tolist()
    return [
        Leaf(formula.first_run, formula.stop_run, formula.node, owner, formula.element)
        for formula, owner, left, right in zip(formulas, owners, before, after, strict=True)
        if right >= 0 or (formula.first_run == formula.stop_run and left >= 0)
    ]


def _read_images(
    pictures: Pictures, images: list[tuple[int, int, int, bool]], formulas: set[int]
) -> list[Leaf]:
    """The images that show no formula; a lazy image and its copy in a <noscript> are one."""
    pictures.read(node for _, node, _, _ in images)
    leaves: list[Leaf] = []
    taken: set[int] = set()
    for run, node, owner, is_copy in sorted(images, key=itemgetter(3)):  # the copies last
        if is_copy and run in taken:
            continue
        if run in formulas and _shows_formula(pictures.page, node):
            continue
        if image := _read_image(pictures, node):
            taken.add(run)
            leaves.append(Leaf(run, run, node, owner, image))
    return leaves


def _read_image(pictures: Pictures, node: int) -> Element | None:
    stated, _, _, is_small, is_decoration, alt, _, _ = pictures[node]
    address = "" if is_small else clean(stated)
    if not address:
        return None
    if address != stated:
        is_decoration = is_called_decoration(pictures.page.attributes(node), address)
    if is_decoration:
        return None
    return Element("img", (), {"src": address, "alt": alt})


def _shows_formula(page: Page, node: int) -> bool:
    start, end = int(page.nodes.start[node]), int(page.nodes.end[node])
    return b"math" in page.source[start:end].lower()
