"""render: Document + the name of a format -> its text; the formats by their names."""

from collections.abc import Callable
from dataclasses import dataclass

from bodytext.document import Document
from bodytext.output.csv import to_csv
from bodytext.output.html import to_html
from bodytext.output.json import to_json
from bodytext.output.markdown import to_markdown
from bodytext.output.references import Choice, check_choices
from bodytext.output.tei import to_tei
from bodytext.output.text import to_text
from bodytext.output.xml import to_xml


@dataclass(frozen=True, slots=True)
class Wish:
    """What the formats can be asked for; each takes from it what concerns it."""

    source: str = ""  # the name of the page, for the formats that tell it
    links: Choice = "keep"
    images: Choice = "keep"
    header: bool = True  # of CSV: a line that names the columns


@dataclass(frozen=True, slots=True)
class Format:
    """How a format is written, and what its files are called."""

    suffix: str
    write: Callable[[Document, Wish], str]
    listed: bool  # several documents can follow each other in one stream


FORMATS = {
    "text": Format(".txt", lambda document, _: to_text(document), listed=True),
    "markdown": Format(".md", lambda one, wish: to_markdown(one, links=wish.links, images=wish.images), listed=True),
    "html": Format(".html", lambda one, wish: to_html(one, links=wish.links, images=wish.images), listed=False),
    "json": Format(
        ".json",
        lambda one, wish: to_json(one, source=wish.source, links=wish.links, images=wish.images),
        listed=True,
    ),
    "xml": Format(".xml", lambda document, _: to_xml(document), listed=False),
    "tei": Format(".tei.xml", lambda one, wish: to_tei(one, links=wish.links, images=wish.images), listed=False),
    "csv": Format(".csv", lambda one, wish: to_csv(one, source=wish.source, header=wish.header), listed=True),
}


def render(document: Document, name: str, wish: Wish | None = None) -> str:
    """The document in a format; which text is in it never depends on the format."""
    if name not in FORMATS:
        raise ValueError(f"there is no format {name!r}; there are {', '.join(FORMATS)}")
    wish = wish or Wish()
    check_choices(wish.links, wish.images)
    return FORMATS[name].write(document, wish)
