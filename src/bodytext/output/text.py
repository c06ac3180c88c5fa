"""Write a document as plain text."""

from bodytext.output.format import Format
from bodytext.output.front_matter import find_headline, write_front_matter
from bodytext.output.readable import Readable


def to_text(document: Readable, *, title: bool = False, front_matter: bool = False) -> str:
    """The text: blank lines between paragraphs, items on lines of their own, tabs between cells."""
    parts = [write_front_matter(document)] if front_matter else []
    if title:
        headline = find_headline(document)
        parts += [] if document.text.partition("\n")[0] == headline else [headline]
    return "\n\n".join(part for part in (*parts, document.text) if part)


FORMAT = Format(
    to_text,
    suffix=".txt",
    media_type="text/plain",
    description="the text alone",
    options=("title", "front_matter"),
    stream_suffixes=(".txt",),
)
