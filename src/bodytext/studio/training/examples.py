"""A labelled set -> parsed pages with the labels of their blocks."""

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
    """A page, parsed, and which of its blocks are content."""

    source: LabelledPage
    page: Page
    labels: npt.NDArray[np.bool_]


def read_examples(folder: Path) -> Iterator[TrainingExample]:
    """The labelled pages of a folder in the order of their names. A page without a reference text is left out."""
    for source in read_set(folder):
        if source.reference:
            page = parse(source.read(), url=source.url)
            yield TrainingExample(source, page, find_content(page, source))
