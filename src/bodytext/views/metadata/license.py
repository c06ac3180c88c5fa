"""find_license: Statements -> the licence of the page: an address where one is given, else its name."""

from bodytext.views.metadata.candidates import NO_CANDIDATE, Candidate
from bodytext.views.metadata.statements import Statements, clean

_METAS = ("dcterms:license", "dc:rights", "dcterms:rights", "dc:rights:license", "license", "item:license")
_CREATIVE_COMMONS = "creativecommons.org/"
_FOOT = 50_000  # bytes at the end of a page, where licences stand


def find_license(statements: Statements) -> Candidate:
    """The licence that <link rel=license>, data or metas name, or the Creative Commons one that its foot links."""
    if address := statements.linked("license"):
        return Candidate(address, "rel=license", 0.95)
    said = statements.texts(statements.main.get("license"), "url", "@id", "name")
    if said:
        return Candidate(said[0], "json-ld", 0.9)
    page = statements.page
    foot = len(page.source) - _FOOT
    for node in (node for node in statements.anchors if page.nodes.start[node] >= foot):
        address = statements.address(page.attributes(node).get("href", ""))
        if _CREATIVE_COMMONS in address and ("/licenses/" in address or "/publicdomain/" in address):
            return Candidate(address, "link", 0.8)
    value = clean(statements.first(*_METAS))
    return Candidate(value, "meta", 0.6) if value else NO_CANDIDATE
