"""A format: how documents are written in it, and all else that is known about it."""

from collections.abc import Callable
from dataclasses import dataclass

from bodytext.output.references import Choice


@dataclass(frozen=True, slots=True)
class RenderOptions:
    """The options of all formats together."""

    source: str = ""  # the name of the page, for the formats that write it
    links: Choice = "keep"
    images: Choice = "keep"
    header: bool = True  # of CSV: a line with the names of the columns
    title: bool = False  # of text and Markdown: the headline above the text
    front_matter: bool = False  # of text and Markdown: what is known about the page, as YAML


@dataclass(frozen=True, slots=True)
class Format:
    """All that the command line, the service and the documentation say about a format."""

    write: Callable[..., str]  # takes the document, and the options by their names
    suffix: str  # of a file with one document
    media_type: str  # of a response
    description: str  # in half a line
    options: tuple[str, ...] = ()  # those of RenderOptions that `write` takes
    stream_suffixes: tuple[
        str, ...
    ] = ()  # of a file with several documents; none if they cannot be in one file
    other_suffixes: tuple[str, ...] = ()  # that a file with one document may have too

    @property
    def suffixes(self) -> tuple[str, ...]:
        """All endings that tell the format."""
        return (self.suffix, *self.other_suffixes, *self.stream_suffixes)
