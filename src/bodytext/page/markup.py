"""Take what callers have as a page: bytes, text, or the tree of another parser."""

from typing import Any

Markup = bytes | str
PAGES = (bytes, str)  # what most callers have; a tuple takes less time than a union

# What people pass by mistake, by a part of the type's name, and what they should pass.
_INSTEAD = (
    ("Path", "path.read_bytes()"),
    ("Response", "response.content, and url=response.url"),
    ("TextIOWrapper", "file.read()"),
    ("Buffered", "file.read()"),
    ("BytesIO", "file.getvalue()"),
    ("NoneType", "what you fetched: there is nothing in it"),
    ("Selector", "response.text"),
    ("HTMLParser", "parser.html"),
    ("Record", "record.html, with url=record.url and charset=record.charset"),
    ("Page", "the HTML that it was parsed from; select(page, scores) makes a document of a page"),
    ("Document", "the HTML that it was made from"),
)


def read_markup(page: Any) -> Markup:
    """Return a page as bytes or text, if it is a tree of lxml or BeautifulSoup too.

    Raises a TypeError that says what to pass instead of anything else.
    """
    if isinstance(page, PAGES):
        return page
    if isinstance(page, bytearray | memoryview):
        return bytes(page)
    library = type(page).__module__.partition(".")[0]
    if library == "lxml":
        return _write_lxml(page)
    if library == "bs4":
        return str(page.decode())
    name = type(page).__name__
    instead = next((hint for part, hint in _INSTEAD if part in name), "")
    advice = f"pass {instead}" if instead else "read the file first"
    raise TypeError(f"a page is bytes or str, not {name}; {advice}")


def _write_lxml(tree: Any) -> str:
    """Write a tree or an element of lxml as HTML."""
    from lxml import etree

    return str(etree.tostring(tree, encoding="unicode", method="html"))
