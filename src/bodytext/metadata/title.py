"""find_title: Statements + the site's names -> the headline of the page, without the name of the site.

Four places tell the title: the headline that a reader sees (<h1>), the one for sharing (og:title, twitter:title), the
one in data (JSON-LD, item properties, other metas) and <title>. docs/metadata.md has the order that settles what they
disagree on; its numbers were counted on WCXB's development pages and on news of 21 countries.
"""

import re
from dataclasses import dataclass
from functools import cached_property

from bodytext.metadata.record import NOTHING, Candidate
from bodytext.metadata.site import fold
from bodytext.metadata.statements import Statements, clean

LONGEST_TITLE = 400  # characters
_LONGEST_SITE_PART = 6  # words of a part that holds the site's name and more ("Aura Official Site")
_SHORTEST_NAME = 4  # letters of a site's name that counts inside a longer part
_SHARED_WORDS = 0.5  # of the shorter headline: from here on two headlines speak of the same

_SEPARATOR = re.compile(r"\s++[|–—\-·•»«:/~>‹›⋆]{1,2}\s++|\s*+[|｜»]\s*+|\s*+::\s*+")
_PERMALINK = re.compile(r"[\s¶#§🔗]++$")
_WORD = re.compile(r"\w+")
_DATA_METAS = ("parsely-title", "sailthru:title", "dc:title", "dcterms:title", "citation_title", "title")


@dataclass(frozen=True)
class _Titles:
    """The title in the four places, without the site's name."""

    statements: Statements
    names: frozenset[str]

    @cached_property
    def shared(self) -> str:
        return self._without_site(self.statements.first("og:title", "twitter:title"))

    @cached_property
    def written(self) -> str:
        return self._without_site(clean(self.statements.page.title))

    @cached_property
    def data(self) -> str:
        statements = self.statements
        main = statements.main
        said = clean(main.get("headline")) or statements.first("item:headline", *_DATA_METAS)
        if said.endswith(("...", "…")):  # cut off: the whole stands elsewhere
            return ""
        return self._without_site(said)

    @cached_property
    def seen(self) -> str:
        """The <h1> that agrees best with the other titles, the first where none does."""
        texts = [_PERMALINK.sub("", text) for _, text in self.statements.headlines if len(text) <= LONGEST_TITLE]
        texts = [text for text in map(self._without_site, texts) if text and fold(text) not in self.names]
        if len(texts) < 2:
            return texts[0] if texts else ""
        others = [one for one in (self.data, self.shared, self.written) if one]
        if not others:
            return texts[0]
        return max(texts, key=lambda text: max(_agreement(text, other) for other in others))

    def _without_site(self, text: str) -> str:
        """A title without the parts in front and behind that name the site."""
        text = text[:LONGEST_TITLE]
        marks = list(_SEPARATOR.finditer(text))
        first, last = 0, len(text)
        while marks and self._is_site(text[marks[-1].end() : last]):
            last = marks.pop().start()
        while marks and self._is_site(text[first : marks[0].start()]):
            first = marks.pop(0).end()
        return text[first:last].strip() or text

    def _is_site(self, part: str) -> bool:
        folded = fold(part)
        if not folded or folded in self.names:
            return True
        if len(part.split()) > _LONGEST_SITE_PART:
            return False
        return any(len(name) >= _SHORTEST_NAME and name in folded for name in self.names)


def find_title(statements: Statements, names: frozenset[str]) -> Candidate:
    """The title of a page and where it was found."""
    titles = _Titles(statements, names)
    seen, shared = titles.seen, titles.shared
    other, name = (shared, "open graph") if shared else (titles.written, "title")
    if not seen:
        return _without_headline(titles.data, other, name)
    headline, alike, othered = Candidate(seen, "h1", 0.9), fold(seen), fold(other)
    if not other or alike == othered:
        return headline
    data = fold(titles.data)
    if data and data == othered:
        return Candidate(other, name, 0.8)
    if shared and _is_news(statements) and alike == fold(titles.written):
        return Candidate(shared, name, 0.7)
    if alike in othered or alike == data:
        return headline
    return Candidate(seen, "h1", 0.7) if _agreement(seen, other) >= _SHARED_WORDS else Candidate(other, name, 0.5)


def _without_headline(data: str, other: str, name: str) -> Candidate:
    if data:
        return Candidate(data, "data", 0.8)
    return Candidate(other, name, 0.7) if other else NOTHING


def _is_news(statements: Statements) -> bool:
    return "NewsArticle" in str(statements.main.get("@type"))


def _agreement(one: str, other: str) -> float:
    """How far two titles agree: 2 for equal ones, else the share of the shorter one's words that the other has."""
    if fold(one) == fold(other):
        return 2.0
    mine, theirs = set(_WORD.findall(one.casefold())), set(_WORD.findall(other.casefold()))
    fewest = min(len(mine), len(theirs))
    return len(mine & theirs) / fewest if fewest else 0.0
