"""A comment, or a post of a thread, as a value."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Post:
    """A comment, or a post of a thread. A field that the page does not give is empty."""

    author: str
    date: str  # in ISO form
    date_text: str  # as the page shows it
    text: str
    depth: int  # in replies; 0 answers nothing but the page
    start: int  # offsets of the text in the page's UTF-8 source; both 0 for posts in JSON-LD
    end: int
