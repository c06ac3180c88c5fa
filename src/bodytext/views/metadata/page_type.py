"""find_page_type: Statements -> what kind of page it is, in the words of `Document.page_type`."""

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
_BY_OPEN_GRAPH = {"article": "article", "product": "product", "og:product": "product", "profile": "profile"}


def find_page_type(statements: Statements) -> Candidate:
    """The kind that a method said, or what JSON-LD or Open Graph say; nothing where they leave it open."""
    if statements.page_type:
        return Candidate(statements.page_type, "method", 0.9)
    for one in types_of(statements.main):
        if kind := _BY_TYPE.get(one.lower()):
            return Candidate(kind, "json-ld", 0.85)
    kind = _BY_OPEN_GRAPH.get(statements.first("og:type").lower(), "")
    return Candidate(kind, "open graph", 0.7) if kind else NO_CANDIDATE
