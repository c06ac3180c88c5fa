"""Write a document as CUTER's XML: the answer for one page; exchange.xsd has the schema."""

import re
import xml.etree.ElementTree as ET

from bodytext.output.format import Format
from bodytext.output.readable import Readable
from bodytext.views.media import find_media

VERSION = "1"  # of the schema; it grows when an element changes its meaning
FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # in XML 1.0


def to_xml(document: Readable) -> str:
    """The document as the only answer in a list, without the nodes, which only CUTER labels."""
    answers = ET.Element("answers", version=VERSION)
    answer = ET.SubElement(answers, "answer")
    add_text(answer, "url", document.url)
    add_text(answer, "title", document.metadata.title or document.title)
    add_document(answer, document)
    ET.SubElement(answer, "nodes")
    ET.indent(answers)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(answers, encoding="unicode")


def add_document(parent: ET.Element, document: Readable) -> None:
    """Add the page's own title, the paragraphs and the multimedia."""
    add_text(parent, "page-title", document.title if document.page is None else document.page.title)
    reason = {"reason": FORBIDDEN.sub("", document.reason)} if document.reason else {}
    text = ET.SubElement(parent, "text", reason)
    for paragraph in document.paragraphs:
        places = {"start": str(paragraph.start), "end": str(paragraph.end)}
        add_text(text, "paragraph", paragraph.text, kind=paragraph.kind, **places)
    _add_media(ET.SubElement(parent, "multimedia"), document)


def _add_media(parent: ET.Element, document: Readable) -> None:
    if document.page is None or not len(document.blocks):
        return
    blocks = document.page.blocks
    first, stop = (
        int(blocks.first_run[document.blocks[0]]),
        int(blocks.stop_run[document.blocks[-1]]),
    )
    for medium in find_media(document.page, first, stop):
        source = FORBIDDEN.sub("", medium.source)
        element = ET.SubElement(
            parent, "medium", kind=medium.kind, source=source, start=str(medium.start)
        )
        add_text(element, "text", medium.text)
        add_text(element, "caption", medium.caption)


def add_text(parent: ET.Element, name: str, text: str, **attributes: str) -> None:
    """Add an element with a text, without the characters that XML forbids."""
    ET.SubElement(parent, name, attributes).text = FORBIDDEN.sub("", text)


FORMAT = Format(
    to_xml,
    suffix=".xml",
    media_type="application/xml",
    description="CUTER's answer for one page",
)
