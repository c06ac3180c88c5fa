"""Read a labelled set as parsed pages with a label for each block."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from bodytext.page.parser import parse
from bodytext.page.tables import Page
from bodytext.studio.labels import read_set
from bodytext.studio.labels.labelled_set import LabelledPage
from bodytext.studio.training.alignment import find_content


@dataclass(frozen=True, slots=True)
class TrainingExample:
    """A parsed page, and whether each of its blocks is content."""

    source: LabelledPage
    page: Page
    labels: npt.NDArray[np.bool_]


def read_examples(folder: Path) -> Iterator[TrainingExample]:
    """The pages of a labelled set by name, without those that have no reference text."""
    for source in read_set(folder):
        if source.reference:
            page = parse(source.read(), url=source.url)
            yield TrainingExample(source, page, find_content(page, source))
