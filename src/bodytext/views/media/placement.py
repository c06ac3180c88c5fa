"""Find the nodes that could be the media of an article; `bodytext.kernel.placement` says which."""

import numpy as np
import numpy.typing as npt

from bodytext.kernel import place_media
from bodytext.page.tables import Page

Numbers = npt.NDArray[np.intp]
# A node that could be a medium; whether it is in a <noscript>; the medium that holds it, or -1; its
# caption, or -1.
PlacedMedium = tuple[int, bool, int, int]


def media_near(page: Page, first_run: int, stop_run: int) -> list[PlacedMedium]:
    """Find the nodes that could be media of an interval of runs."""
    return place_media(page.source, (page.nodes, page.runs), (first_run, stop_run), None)


def media_among(page: Page, blocks: Numbers) -> list[PlacedMedium]:
    """Find the nodes that could be media of kept blocks."""
    kept = (page.blocks.first_run[blocks], page.blocks.stop_run[blocks])
    interval = (kept[0].item(0), kept[1].item(-1))
    return place_media(page.source, (page.nodes, page.runs), interval, kept)
