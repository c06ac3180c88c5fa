"""Find the name of a site, and every other name that it goes by."""

import re
from collections.abc import Iterator
from functools import lru_cache
from unicodedata import normalize

from bodytext.page.late_pattern import late_pattern
from bodytext.page.urls import host_of
from bodytext.views.metadata.candidates import Candidate, Proposal, first_candidate
from bodytext.views.metadata.statements import Statements

_WORD = late_pattern(r"\w+")
_NO_WORD = {code: None for code in range(128) if not (chr(code).isalnum() or chr(code) == "_")}
_OTHER_METAS = ("application-name", "apple-mobile-web-app-title", "al:ios:app_name", "dc:publisher")
_OWNER_METAS = ("copyright", "publisher")
_NOBODY: frozenset[str] = frozenset()
_NOTICE = late_pattern(r"[©\d]|\(c\)|copyright|all\s++rights\s++reserved", re.IGNORECASE)
_ORGANISATION_TYPES = """
    website organization newsmediaorganization corporation localbusiness educationalorganization
"""
_ORGANISATIONS = frozenset(_ORGANISATION_TYPES.split())
_MOST_NAMES = 50
_LONGEST_NAME = 80  # characters; longer ones are slogans
_LONGEST_NOTICE = 200  # characters


@lru_cache(maxsize=64)  # the names and titles of one page are compared again and again
def fold(text: str) -> str:
    """The letters and digits of a text in lower case, to compare it with another.

    >>> fold("The Daily-Mail!") == fold("the daily mail")
    True
    """
    folded = text.casefold()
    if folded.isascii():
        return folded.translate(_NO_WORD)
    return "".join(_WORD.findall(normalize("NFC", folded)))


def find_site(statements: Statements) -> Candidate:
    """The name of the site in og:site_name, in data or in other metas, or its host."""
    proposals = _propose(statements)
    return first_candidate(proposal for proposal in proposals if len(proposal[0]) <= _LONGEST_NAME)


def _propose(statements: Statements) -> Iterator[Proposal]:
    yield statements.first("og:site_name"), "open graph", 0.95
    yield from ((value, "json-ld", 0.9) for value in _names_in_data(statements))
    yield from ((value, "meta", 0.8) for value in statements.all(*_OTHER_METAS))
    yield host_of(statements.canonical), "address", 0.5


def _names_in_data(statements: Statements) -> list[str]:
    names = statements.texts(statements.main.get("publisher"), "name")
    for types, item in statements.typed:
        if not _ORGANISATIONS.isdisjoint(types):
            names += statements.texts(item.get("name"))
            names += statements.texts(item.get("alternateName"))
    return names


def site_names(statements: Statements) -> frozenset[str]:
    """Every name of the site, folded: in metas and data, its host and the host's main label."""
    names = [*statements.all("og:site_name", *_OTHER_METAS), *_names_in_data(statements)]
    names += [name.lstrip("@") for name in statements.all("twitter:site")]
    host = host_of(statements.canonical)
    if "." in host:
        names += [host, _main_label(host)]
    folded = (fold(name) for name in names[:_MOST_NAMES] if len(name) <= _LONGEST_NAME)
    return frozenset(filter(None, folded))


def owner_names(statements: Statements) -> frozenset[str]:
    """The names in metas of copyright and publisher, folded: of a company, or of a person."""
    notices = statements.all(*_OWNER_METAS)
    if not notices:
        return _NOBODY  # most
    return frozenset(fold(_NOTICE.sub("", notice[:_LONGEST_NOTICE])) for notice in notices)


def _main_label(host: str) -> str:
    """The label of a host that names the site.

    >>> _main_label("news.example.org"), _main_label("example.co.uk")
    ('example', 'example')
    """
    labels = host.split(".")
    is_registry = len(labels) > 2 and len(labels[-2]) <= 3  # such as "co" in "co.uk"
    return labels[-3] if is_registry else labels[-2]
