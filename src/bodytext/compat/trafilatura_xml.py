"""Write a structure in the form of trafilatura's XML: doc, main, head, p, list, item, row, cell ..."""

import xml.etree.ElementTree as ET
from collections.abc import Mapping

from bodytext.output.references import Choice, choose
from bodytext.output.xml import FORBIDDEN
from bodytext.views.structure.element import HEADINGS, Element

_NAMES = {
    "ul": "list", "ol": "list", "dl": "list", "li": "item", "dt": "item", "dd": "item", "blockquote": "quote",
    "pre": "code", "code": "code", "tr": "row", "td": "cell", "th": "cell", "a": "ref", "img": "graphic", "br": "lb",
    "table": "table", "p": "p", "del": "del", "em": "hi", "strong": "hi", "sub": "hi", "sup": "hi", "mark": "hi",
    "caption": "head", "figcaption": "p", "figure": "p", "note": "item", "notes": "list",
}  # fmt: skip
_RENDS = {"em": "#i", "strong": "#b", "sub": "#sub", "sup": "#sup", "mark": "#t", "ul": "ul", "ol": "ol", "dl": "dl"}  # fmt: skip


def write_xml(
    structure: Element, facts: Mapping[str, str], comments: str, choices: Mapping[str, Choice]
) -> str:
    """Return the document as XML, with what is known about it as attributes."""
    clean = {name: FORBIDDEN.sub("", value) for name, value in facts.items()}
    root = ET.Element("doc", clean)
    main = ET.SubElement(root, "main")
    _fill(main, choose(structure, choices["links"], choices["images"]))
    below = ET.SubElement(root, "comments")
    for line in comments.splitlines():
        ET.SubElement(below, "p").text = FORBIDDEN.sub("", line)
    return ET.tostring(root, encoding="unicode")


def _fill(parent: ET.Element, element: Element) -> None:
    """Put the children of an element into one of XML; structures nest no deeper than forty."""
    for child in element.children:
        if isinstance(child, str):
            _add_text(parent, child)
            continue
        name = "head" if child.name in HEADINGS else _NAMES.get(child.name)
        if name is None:  # a formula, the mark of a note, a rule: its text
            _fill(parent, child)
            continue
        _fill(ET.SubElement(parent, name, _attributes(child)), child)


def _add_text(parent: ET.Element, text: str) -> None:
    text = FORBIDDEN.sub("", text)
    if len(parent):
        parent[-1].tail = (parent[-1].tail or "") + text
    else:
        parent.text = (parent.text or "") + text


def _attributes(element: Element) -> dict[str, str]:
    name, values = element.name, element.attributes
    if name in HEADINGS:
        return {"rend": name}
    if name in _RENDS:
        return {"rend": _RENDS[name]}
    if name == "th":
        return {"role": "head"}
    if name == "a":
        return {"target": values["href"]}
    return {"src": values["src"], "alt": values["alt"]} if name == "img" else {}
