"""Find the media of kept blocks, once: the list of them and the structure of the text ask for the same."""

import numpy as np
import numpy.typing as npt

from bodytext.kernel.images import Picture
from bodytext.page.once import once
from bodytext.page.tables import Page
from bodytext.views.media.media_nodes import MediaReader
from bodytext.views.media.medium import Medium, MediumKind
from bodytext.views.media.pictures import Pictures
from bodytext.views.media.placement import PlacedMedium, media_among

Numbers = npt.NDArray[np.intp]


class KeptMedia:
    """The media of kept blocks; decoration is left out."""

    def __init__(self, page: Page, blocks: Numbers) -> None:
        """Take the page, and the numbers of the blocks."""
        self.page, self.blocks = page, blocks
        self.first_runs, self.stop_runs = (
            page.blocks.first_run[blocks],
            page.blocks.stop_run[blocks],
        )
        self.pictures = Pictures(page)

    @once
    def _placed(self) -> list[PlacedMedium]:
        return media_among(self.page, self.first_runs, self.stop_runs)

    @once
    def _reader(self) -> MediaReader:
        return MediaReader(self.pictures)

    @once
    def _found(self) -> dict[int, Picture]:
        return self._reader.find(self._placed, has_decoration=False)

    def describe(self) -> tuple[Medium, ...]:
        """Describe all of them, each with its place among the blocks."""
        if not self._found:
            return ()
        starts = self.first_runs.tolist()
        return tuple(self._reader.describe(self._placed, self._found, starts))

    def images(self) -> dict[int, Picture]:
        """Return the images by node, in order."""
        kind_of = self._reader.kind_of
        return {
            node: picture
            for node, picture in self._found.items()
            if kind_of(node) == MediumKind.IMAGE
        }
