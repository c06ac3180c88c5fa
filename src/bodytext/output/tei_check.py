"""Check that a text is well-formed XML with the elements of TEI that we write, where they may be.

The table is the part of the corpus customisation of TEI P5 that `tei.py` uses; the tests compare
whole documents with its DTD.
"""

import xml.etree.ElementTree as ET

_NAMESPACE = "{http://www.tei-c.org/ns/1.0}"
_XML = "{http://www.w3.org/XML/1998/namespace}"
_INLINE = "hi ref graphic lb seg del"
_BLOCKS = "p list quote ab milestone note"
# Each element: what may be in it; a star if text may be too.
_CONTENT = {
    "TEI": "teiHeader text",
    "teiHeader": "fileDesc profileDesc",
    "fileDesc": "titleStmt publicationStmt notesStmt sourceDesc",
    "titleStmt": "title author",
    "publicationStmt": "publisher availability date",
    "availability": "p",
    "notesStmt": "note",
    "sourceDesc": "bibl",
    "bibl": "ptr",
    "profileDesc": "abstract langUsage textClass",
    "abstract": "p",
    "langUsage": "language",
    "textClass": "keywords",
    "keywords": "term",
    "text": "body",
    "body": "div",
    "div": f"div head opener {_BLOCKS} {_INLINE}",
    "opener": "name date *",
    "list": "head item label",
    "item": f"label {_BLOCKS} {_INLINE} *",
    "quote": f"label {_BLOCKS} {_INLINE} *",
    "note": f"label {_BLOCKS} {_INLINE} *",
    "ab": f"ab list quote {_INLINE} *",
    "graphic": "desc",
    **dict.fromkeys(("p", "head", "label", "hi", "ref", "seg", "del"), f"{_INLINE} *"),
    **dict.fromkeys(
        ("title", "author", "publisher", "date", "language", "term", "name", "desc"), "*"
    ),
    **dict.fromkeys(("ptr", "lb", "milestone"), ""),
}
_ALLOWED = {name: frozenset(content.split()) for name, content in _CONTENT.items()}
_ATTRIBUTES = frozenset(
    {"type", "subtype", "rend", "n", "target", "url", "unit", "ident", "place", f"{_XML}id", f"{_XML}space"}
)  # fmt: skip
_REQUIRED = ("teiHeader/fileDesc/titleStmt/title", "text/body/div")


def check_tei(text: str) -> list[str]:
    """Return what is wrong with a TEI document, in words; nothing if all is well."""
    try:
        root = ET.fromstring(text)  # noqa: S314  our own output, without a DOCTYPE
    except ET.ParseError as error:
        return [f"not well-formed: {error}"]
    if root.tag != f"{_NAMESPACE}TEI":
        return [f"the first element is {_name(root)}, not TEI"]
    problems = [
        f"there is no {path.rpartition('/')[2]}"
        for path in _REQUIRED
        if root.find("/".join(_NAMESPACE + part for part in path.split("/"))) is None
    ]
    for element in root.iter():
        problems += _check_element(element)
    return problems


def _check_element(element: ET.Element) -> list[str]:
    name = _name(element)
    allowed = _ALLOWED.get(name)
    if allowed is None:
        return [f"there is no element {name}"]
    problems = [
        f"{_name(child)} may not be in {name}" for child in element if _name(child) not in allowed
    ]
    if "*" not in allowed and _has_text(element):
        problems.append(f"text may not be in {name}")
    problems += [
        f"{name} has no attribute {key}" for key in element.attrib if key not in _ATTRIBUTES
    ]
    return problems


def _has_text(element: ET.Element) -> bool:
    texts = [element.text, *(child.tail for child in element)]
    return any(text and text.strip() for text in texts)


def _name(element: ET.Element) -> str:
    return element.tag.removeprefix(_NAMESPACE)
