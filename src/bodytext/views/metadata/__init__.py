"""read_metadata: Page -> Metadata, a file a field.

`statements` reads what the page says about itself, `surroundings` what stands beside its headline; every other file
finds one field in them. docs/metadata.md has the order in which sources settle a conflict.
"""

from bodytext.views.metadata.reader import read_metadata
from bodytext.views.metadata.record import Metadata, Source

__all__ = ["Metadata", "Source", "read_metadata"]
