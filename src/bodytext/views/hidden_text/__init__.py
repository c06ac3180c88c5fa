"""Find the body text that a page carries but does not show."""

from bodytext.views.hidden_text.search import HiddenText, hidden_text

__all__ = ["HiddenText", "hidden_text"]
