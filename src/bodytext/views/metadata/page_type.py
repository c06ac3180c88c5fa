"""Find the type of a page, in the words of `Document.page_type`."""

from bodytext.page.json_ld import types_of
from bodytext.views.metadata.candidates import NO_CANDIDATE, Candidate
from bodytext.views.metadata.statements import ARTICLE_TYPES, Statements

_BY_TYPE = {
    "discussionforumposting": "forum",
    "question": "forum",
    "qapage": "forum",
    "apireference": "documentation",
    "product": "product",
    "productgroup": "product",
    "collectionpage": "listing",
    "searchresultspage": "listing",
    "itemlist": "listing",
    "service": "service",
    "localbusiness": "service",
    "videoobject": "video",
    "profilepage": "profile",
} | dict.fromkeys(ARTICLE_TYPES - {"discussionforumposting", "apireference"}, "article")
_BY_OPEN_GRAPH = {
    "article": "article",
    "product": "product",
    "og:product": "product",
    "profile": "profile",
}


def find_page_type(statements: Statements) -> Candidate:
    """The type that the method found, or that JSON-LD or Open Graph declare."""
    if statements.page_type:
        return Candidate(statements.page_type, "method", 0.9)
    for name in types_of(statements.main):
        if page_type := _BY_TYPE.get(name.lower()):
            return Candidate(page_type, "json-ld", 0.85)
    page_type = _BY_OPEN_GRAPH.get(statements.first("og:type").lower(), "")
    return Candidate(page_type, "open graph", 0.7) if page_type else NO_CANDIDATE
