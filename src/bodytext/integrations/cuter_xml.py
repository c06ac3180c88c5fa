"""Answer requests in CUTER's exchange format: XML with items (url, title, html) gives XML with their text.

The paper (see `bodytext.methods.cuter`) has XML on both sides and gives no schema. Ours is
`output/exchange.xsd`, with the root elements `items` and `answers`.
"""

import base64
import re
import xml.etree.ElementTree as ET
from dataclasses import dataclass

import numpy as np

from bodytext.kernel.html import TAGS
from bodytext.methods.cuter import Cuter, holds_media, label_nodes, linked_bytes
from bodytext.output.xml import FORBIDDEN, VERSION, add_document, add_text
from bodytext.page.parser import foreign_format, not_html, parse
from bodytext.page.tables import Page
from bodytext.selection import select

_FORM = "<items><item><url/><title/><html/></item>...</items>"
_TAG_NAME = re.compile(rb"[^\t\n\f\r />]*")


@dataclass(frozen=True, slots=True)
class _Item:
    """A page to extract from, as it was given."""

    url: str
    title: str
    html: ET.Element | None

    def page(self) -> Page:
        """Parse the page; raise a ValueError if there is none."""
        if self.html is None:
            raise ValueError("the item has no html element")
        if len(self.html):
            raise ValueError(
                "html holds elements: escape the page's markup, or put it into a CDATA section"
            )
        data = _decode(self.html.text or "", self.html.get("encoding"))
        if format_name := foreign_format(data):
            raise ValueError(not_html(format_name))
        return parse(data, url=self.url.strip())


class _DoctypeError(ValueError):
    """A document that declares its own type."""


class _NoDoctypeBuilder(ET.TreeBuilder):
    """Refuses a DOCTYPE: it could declare entities that grow without end or read files."""

    def doctype(self, name: str, *_: str | None) -> None:
        raise _DoctypeError(
            f"the input declares a DOCTYPE ({name}): remove it, no entities but XML's own are read"
        )


def answer(document: bytes) -> bytes:
    """Extract from every item of an XML document; the answer is XML in UTF-8 with an element for each item.

    An item that fails gives an error in its place, and the others go on. Input that is not a
    document of items raises a ValueError.
    """
    answers = ET.Element("answers", version=VERSION)
    for item in _read(document):
        element = ET.SubElement(answers, "answer")
        add_text(element, "url", item.url)
        add_text(element, "title", item.title)
        try:
            page = item.page()
        except ValueError as problem:
            add_text(element, "error", str(problem))
        else:
            _add_page(element, page, Cuter(title=item.title))
    ET.indent(answers)
    written: bytes = ET.tostring(answers, encoding="utf-8", xml_declaration=True)
    return written + b"\n"


def _read(document: bytes) -> list[_Item]:
    try:
        # A DOCTYPE is refused before anything in it is read; nothing else in XML reads files or
        # grows.
        root = ET.fromstring(document, ET.XMLParser(target=_NoDoctypeBuilder()))  # noqa: S314
    except _DoctypeError:
        raise
    except (ET.ParseError, LookupError, ValueError) as problem:  # the last two: unknown encodings
        raise ValueError(
            f"the input is not well-formed XML ({problem}); expected is {_FORM}"
        ) from None
    if root.tag != "items":
        raise ValueError(
            f"the root element is {root.tag[:100]!r}, not 'items'; expected is {_FORM}"
        )
    return [
        _Item(item.findtext("url", ""), item.findtext("title", ""), item.find("html"))
        for item in root.iterfind("item")
    ]


def _decode(text: str, encoding: str | None) -> bytes | str:
    if encoding is None:
        return text
    if encoding != "base64":
        raise ValueError(
            f"html has the encoding {encoding[:100]!r}: only 'base64' is known, or none for text"
        )
    try:
        return base64.b64decode("".join(text.split()), validate=True)
    except ValueError as problem:
        raise ValueError(f"html is not base64 ({problem})") from None


def _add_page(parent: ET.Element, page: Page, method: Cuter) -> None:
    add_document(parent, select(page, method.score(page)))
    _add_nodes(ET.SubElement(parent, "nodes"), page, method)


def _add_nodes(parent: ET.Element, page: Page, method: Cuter) -> None:
    """Add the nodes with text or media, each with its SL, LP and TP of the paper."""
    size = page.per_node(page.runs.bytes)
    linked = page.per_node(linked_bytes(page))
    link_share = linked / np.maximum(size, 1)
    text_share = size / max(int(page.runs.bytes.sum()), 1)
    labels = label_nodes(page, method)
    for node in np.flatnonzero((size > 0) | holds_media(page)).tolist():
        ET.SubElement(
            parent,
            "node",
            {
                "number": str(node + 1),
                "tag": _tag_name(page, node),
                "label": labels[node],
                "start": str(page.nodes.start[node]),
                "size": str(size[node]),
                "link-share": f"{link_share[node]:.4f}",
                "text-share": f"{text_share[node]:.4f}",
            },
        )


def _tag_name(page: Page, node: int) -> str:
    """The name of a tag; as the page has it if HTML does not know it."""
    known: str = TAGS[page.nodes.tag[node]]
    if known:
        return known
    name: bytes = _TAG_NAME.match(page.source, int(page.nodes.start[node]) + 1).group()  # type: ignore[union-attr]
    return FORBIDDEN.sub("", name.decode("utf-8", "replace").lower())
