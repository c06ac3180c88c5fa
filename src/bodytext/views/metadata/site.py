"""find_site: Statements -> the name of the site; site_names: everything that the site is called, for taking it out."""

import re
from collections.abc import Iterator

from bodytext.page.urls import host_of
from bodytext.views.metadata.candidates import Candidate, first_candidate
from bodytext.views.metadata.statements import Statements

_WORD = re.compile(r"\w+")
_SITE_METAS = ("og:site_name", "application-name", "apple-mobile-web-app-title", "al:ios:app_name", "dc:publisher")
_ORGANISATION_TYPES = "website organization newsmediaorganization corporation localbusiness educationalorganization"
_ORGANISATIONS = frozenset(_ORGANISATION_TYPES.split())
_LONGEST_NAME = 80  # characters; longer ones are slogans


def fold(text: str) -> str:
    """Letters and digits alone, in lower case: what two texts are compared by.

    >>> fold("The Daily-Mail!") == fold("the daily mail")
    True
    """
    folded = text.casefold()
    return folded if folded.isalnum() else "".join(_WORD.findall(folded))


def find_site(statements: Statements) -> Candidate:
    """The name of the site, by the order og:site_name, JSON-LD, other metas, the host."""
    return first_candidate(one for one in _candidates(statements) if len(one.value) <= _LONGEST_NAME)


def _candidates(statements: Statements) -> Iterator[Candidate]:
    yield Candidate(statements.first("og:site_name"), "open graph", 0.95)
    yield from (Candidate(value, "json-ld", 0.9) for value in _said_in_data(statements))
    yield from (Candidate(value, "meta", 0.8) for value in statements.all(*_SITE_METAS[1:]))
    yield Candidate(host_of(statements.canonical), "address", 0.5)


def _said_in_data(statements: Statements) -> list[str]:
    found = statements.texts(statements.main.get("publisher"), "name")
    for types, one in statements.typed:
        if not _ORGANISATIONS.isdisjoint(types):
            found += statements.texts(one.get("name")) + statements.texts(one.get("alternateName"))
    return found


def site_names(statements: Statements) -> frozenset[str]:
    """Everything that the site is called, folded: its names in metas and data, its host and the host's main label."""
    names = [*statements.all(*_SITE_METAS), *_said_in_data(statements)]
    names += [name.lstrip("@") for name in statements.all("twitter:site")]
    labels = host_of(statements.canonical).split(".")
    if len(labels) > 1:
        names += [".".join(labels), labels[-2] if len(labels[-2]) > 3 or len(labels) == 2 else labels[-3]]
    return frozenset(folded for name in names[:50] if len(name) <= _LONGEST_NAME and (folded := fold(name)))
