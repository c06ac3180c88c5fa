"""Read what a page says about itself: title, authors, dates and other fields, each with its source.

`fields` has the table of all fields. `statements` reads the data in a page, `surroundings` the
lines near its headline; every other module finds one field in them. docs/metadata.md has the order
in which sources settle a conflict.
"""

from bodytext.views.metadata.fields import METADATA_FIELDS, Metadata, MetadataField
from bodytext.views.metadata.metadata_reader import read_metadata
from bodytext.views.metadata.provenance import Source

__all__ = ["METADATA_FIELDS", "Metadata", "MetadataField", "Source", "read_metadata"]
