"""What a page carries beside its visible blocks: data in its scripts, and body text that is not shown."""

from bodytext.page.json_ld import json_ld, of_type, types_of
from bodytext.views.hidden_text.search import HiddenText, hidden_text

__all__ = ["HiddenText", "hidden_text", "json_ld", "of_type", "types_of"]
