"""What people say of pages: labels kept as source offsets in a folder of JSON files, and read back for training."""

from bodytext.studio.labels.conversion import read_set
from bodytext.studio.labels.labelling import COMMENT, CONTENT, NEITHER, Labelling, Span, digest_source
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
