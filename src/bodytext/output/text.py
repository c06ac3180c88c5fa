"""Write a document as plain text."""

from bodytext.output.format import Format
from bodytext.output.readable import Readable


def to_text(document: Readable) -> str:
    """The text: blank lines between paragraphs, items on lines of their own, tabs between cells."""
    return document.text


FORMAT = Format(
    to_text,
    suffix=".txt",
    media_type="text/plain",
    description="the text alone",
    stream_suffixes=(".txt",),
)
