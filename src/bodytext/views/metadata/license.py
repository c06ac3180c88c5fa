"""Find the licence of a page."""

from bodytext.kernel import find_places
from bodytext.views.metadata.candidates import NO_CANDIDATE, Candidate
from bodytext.views.metadata.element_text import find_links
from bodytext.views.metadata.statements import Statements, clean

_NAMES_OF_METAS = "dcterms:license dc:rights dcterms:rights dc:rights:license license item:license"
_METAS = tuple(_NAMES_OF_METAS.split())
_CREATIVE_COMMONS = "creativecommons.org/"
_MARK = b"tivecommons.org/"
_LICENSES = ("/licenses/", "/publicdomain/")
_FOOT = 50_000  # bytes at the end of a page, where it links to its licence


def find_license(statements: Statements) -> Candidate:
    """The licence in <link rel=license>, in data, linked at the foot of the page, or in metas."""
    if address := statements.linked("license"):
        return Candidate(address, "rel=license", 0.95)
    if in_data := statements.texts(statements.main.get("license"), "url", "@id", "name"):
        return Candidate(in_data[0], "json-ld", 0.9)
    if address := _linked_at_foot(statements):
        return Candidate(address, "link", 0.8)
    value = clean(statements.first(*_METAS))
    return Candidate(value, "meta", 0.6) if value else NO_CANDIDATE


def _linked_at_foot(statements: Statements) -> str:
    """The Creative Commons licence that the page links to near its end."""
    page = statements.page
    start = max(len(page.source) - _FOOT, 0)
    if not find_places(page.source, _MARK, 1, start):
        return ""  # most
    for node in find_links(page, _MARK, start):
        address = statements.address(page.attribute(node, b"href"))
        if _CREATIVE_COMMONS in address and any(part in address for part in _LICENSES):
            return address
    return ""
