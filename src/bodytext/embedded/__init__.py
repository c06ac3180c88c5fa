"""What a page carries beside its visible blocks: data in its scripts, and body text that is not shown."""

from bodytext.embedded.hidden import HiddenText, hidden_text
from bodytext.embedded.linked_data import json_ld, of_type, types_of

__all__ = ["HiddenText", "hidden_text", "json_ld", "of_type", "types_of"]
