"""Read and write labels: which parts of a page are body text, according to people.

Labels are offsets in a page's source. They are stored as JSON files in a folder, one file for each
page and annotator.
"""

from bodytext.studio.labels.conversion import read_set
from bodytext.studio.labels.labelling import (
    COMMENT,
    CONTENT,
    NEITHER,
    Labelling,
    Span,
    digest_source,
)
from bodytext.studio.labels.store import Conflict, LabelStore, open_store

__all__ = [
    "COMMENT",
    "CONTENT",
    "NEITHER",
    "Conflict",
    "LabelStore",
    "Labelling",
    "Span",
    "digest_source",
    "open_store",
    "read_set",
]
