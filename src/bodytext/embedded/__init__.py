"""What a page carries beside its blocks: data in its scripts."""

from bodytext.embedded.linked_data import json_ld, of_type, types_of

__all__ = ["json_ld", "of_type", "types_of"]
