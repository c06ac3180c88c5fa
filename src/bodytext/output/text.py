"""Document -> plain text: what `str(document)` gives."""

from bodytext.document import Document


def to_text(document: Document) -> str:
    """Paragraphs apart by a blank line, items on lines of their own, the cells of a row apart by tabs."""
    return str(document)
