"""Find the images, rules and formulas between the words of kept blocks."""

from operator import itemgetter

import numpy as np

from bodytext.kernel import make_leaves, place_leaves
from bodytext.kernel.lines import PlacedLeaf
from bodytext.kernel.placement import find_around, find_owners
from bodytext.page.tables import Column, Page
from bodytext.views.media import KeptMedia
from bodytext.views.structure.element import Element
from bodytext.views.structure.formulas import find_formulas, is_math_script
from bodytext.views.structure.links import clean

Kept = tuple[Column, Column, Column]  # the first run, the stop run and the node of each kept block


def find_leaves(media: KeptMedia) -> list[PlacedLeaf]:
    """The leaves of kept blocks, in the order of the page."""
    page, images = media.page, media.images()
    kept = (media.first_runs, media.stop_runs, page.blocks.node[media.blocks])
    has_math, scripts, places, rules = place_leaves(page.tables[0], kept, [*images])
    leaves: list[PlacedLeaf] = []
    if has_math or any(is_math_script(page, node) for node in scripts):
        leaves += _read_formulas(page, kept)
    in_formulas = {run for leaf in leaves for run in leaf[:2]}
    leaves += [
        leaf
        for leaf in make_leaves(places, images, Element, clean)
        if leaf[0] not in in_formulas or not _shows_formula(page, leaf[2])
    ]
    leaves += [(run, 0, node, -1, Element("hr")) for run, node in rules]
    leaves.sort(key=itemgetter(0, 2))
    return leaves


def _read_formulas(page: Page, kept: Kept) -> list[PlacedLeaf]:
    """The formulas that begin in a kept block, or, where they have no text, right after one."""
    formulas = find_formulas(page)
    runs = np.array([formula.first_run for formula in formulas], dtype=np.int32)
    stops = np.array([formula.stop_run for formula in formulas], dtype=np.int32)
    nodes = np.array([formula.node for formula in formulas], dtype=np.intp)
    before, after = find_around(kept, runs)
    # A block that begins with a formula and goes on after it is held by an element of the formula.
    begins = (after >= 0) & (kept[0][after] == runs) & (stops > runs) & (stops < kept[1][after])
    owners = np.where(begins, after, find_owners(page.nodes, kept, nodes, runs)).tolist()
    return [
        (formula.first_run, formula.stop_run, formula.node, owner, formula.element)
        for formula, owner, left, right in zip(formulas, owners, before, after, strict=True)
        if right >= 0 or (formula.first_run == formula.stop_run and left >= 0)
    ]


def _shows_formula(page: Page, node: int) -> bool:
    start, end = int(page.nodes.start[node]), int(page.nodes.end[node])
    return b"math" in page.source[start:end].lower()
