"""Document -> CUTER's XML: the answer for one page, after `bodytext/exchange.xsd`."""

import re
import xml.etree.ElementTree as ET

from bodytext.document import Document
from bodytext.views.media import find_media

VERSION = "1"  # of the schema; it grows when an element changes its meaning
FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # in XML 1.0


def to_xml(document: Document) -> str:
    """The document as the one answer in a list of answers; the nodes, which only CUTER labels, are left out."""
    answers = ET.Element("answers", version=VERSION)
    answer = ET.SubElement(answers, "answer")
    add_text(answer, "url", document.url)
    add_text(answer, "title", document.metadata.title or document.title)
    add_document(answer, document)
    ET.SubElement(answer, "nodes")
    ET.indent(answers)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(answers, encoding="unicode")


def add_document(parent: ET.Element, document: Document) -> None:
    """Add the page's own title, the paragraphs and the multimedia."""
    add_text(parent, "page-title", document.page.title if document.page is not None else document.title)
    reason = {"reason": FORBIDDEN.sub("", document.reason)} if document.reason else {}
    text = ET.SubElement(parent, "text", reason)
    for one in document.paragraphs:
        add_text(text, "paragraph", one.text, kind=one.kind, start=str(one.start), end=str(one.end))
    multimedia = ET.SubElement(parent, "multimedia")
    if document.page is None or not len(document.blocks):
        return
    blocks = document.page.blocks
    first, stop = int(blocks.first_run[document.blocks[0]]), int(blocks.stop_run[document.blocks[-1]])
    for medium in find_media(document.page, first, stop):
        source = FORBIDDEN.sub("", medium.source)
        element = ET.SubElement(multimedia, "medium", kind=medium.kind, source=source, start=str(medium.start))
        add_text(element, "text", medium.text)
        add_text(element, "caption", medium.caption)


def add_text(parent: ET.Element, name: str, text: str, **attributes: str) -> None:
    """Add an element with a text, less what XML cannot hold."""
    ET.SubElement(parent, name, attributes).text = FORBIDDEN.sub("", text)
