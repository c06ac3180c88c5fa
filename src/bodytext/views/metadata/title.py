"""find_title: Statements + the site's names -> the headline of the page, without the name of the site.

Four places tell the title: the headline that a reader sees (<h1>), the one for sharing (og:title, twitter:title), the
one in data (JSON-LD, item properties, other metas) and <title>. docs/metadata.md has the order that settles what they
disagree on; its numbers were counted on WCXB's development pages and on news of 21 countries.
"""

import re
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import urlsplit

from bodytext.views.metadata.candidates import NO_CANDIDATE, Candidate
from bodytext.views.metadata.site import fold
from bodytext.views.metadata.statements import Statements, clean

LONGEST_TITLE = 400  # characters
_FOOT = 30_000  # bytes at the end of a page, where the sign of copyright stands
_COPYRIGHT = "©".encode()
_LONGEST_OWNER = 200  # bytes behind it
_LONGEST_SITE_PART = 6  # words of a part that holds the site's name and more ("Aura Official Site")
_SHORTEST_NAME = 4  # letters of a site's name that counts inside a longer part
_LONG_HEADLINE = 4  # words: an article's <h1> of so many is its headline, whatever the other titles say
_SHARED_WORDS = 0.5  # of the shorter headline: from here on two headlines speak of the same

_SEPARATOR = re.compile(r"\s++[|–—\-·•:/~>‹›⋆]{1,2}\s++|\s*+[|｜]\s*+|\s*+::\s*+")
# These part the site's name too, but stand inside headlines as well: quotation marks, and those of East Asia.
_SITE_SEPARATOR = re.compile(_SEPARATOR.pattern + r"|\s++[»«]\s++|\s*+[：_│丨〡]\s*+")
_MARK = re.compile(r"[|｜–—\-·•:/~>‹›⋆»«：_│丨〡]")  # every separator holds one
_PERMALINK = re.compile(r"[\s¶#§🔗]++$")
_WORD = re.compile(r"\w+")
_DATA_METAS = ("parsely-title", "sailthru:title", "dc:title", "dcterms:title", "citation_title")


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
        return max(texts, key=lambda text: max(_likeness(text, other) for other in others))

    def _without_site(self, text: str) -> str:
        """A title without the parts in front and behind that name the site."""
        text = text[:LONGEST_TITLE]
        if (first_mark := _MARK.search(text)) is None:
            return text.strip() or text
        marks = list(_SITE_SEPARATOR.finditer(text, len(text[: first_mark.start()].rstrip())))
        first, last = 0, len(text)
        while marks and self._is_site(text[marks[-1].end() : last]):
            last = marks.pop().start()
        while marks and not self.is_home and self._is_site(text[first : marks[0].start()]):
            first = marks.pop(0).end()
        return text[first:last].strip() or text

    @cached_property
    def is_home(self) -> bool:
        """Whether this is the site's start page: there its name is the title."""
        try:
            path = urlsplit(self.statements.canonical).path
        except ValueError:  # the caller's address is none
            return False
        return path in {"", "/"} and bool(self.statements.canonical)

    @cached_property
    def _owner(self) -> str:
        """What stands behind the last sign of copyright, folded: the site's name is in it."""
        foot = self.statements.page.source[-_FOOT:]
        place = max(foot.rfind(_COPYRIGHT), foot.rfind(b"&copy;"))
        line = foot[place : place + _LONGEST_OWNER].decode("utf-8", "ignore") if place >= 0 else ""
        return fold(clean(line))

    def _is_site(self, part: str) -> bool:
        folded = fold(part)
        if not folded or folded in self.names:
            return True
        if len(part.split()) > _LONGEST_SITE_PART:
            return False
        if len(folded) >= _SHORTEST_NAME and folded in self._owner:
            return True
        return any(len(name) >= _SHORTEST_NAME and name in folded for name in self.names)


def find_title(statements: Statements, names: frozenset[str]) -> Candidate:
    """The title of a page and where it was found."""
    titles = _Titles(statements, names)
    seen = titles.seen
    other, name = (titles.shared, "open graph") if titles.shared else (titles.written, "title")
    if not seen:
        return _without_headline(titles, other, name)
    headline, alike, data = Candidate(seen, "h1", 0.9), fold(seen), fold(titles.data)
    if not other or alike == fold(other):
        return headline
    if certainty := _certainty(titles, other):
        return Candidate(other, name, certainty)
    first = _SEPARATOR.split(other)[0]
    if alike == data or _is_most_of(alike, fold(first)):
        return headline
    if alike in fold(other):  # a word of the title, or behind it the name of the section
        return Candidate(first, name, 0.6)
    is_headline = name == "title" or (statements.is_article and len(seen.split()) >= _LONG_HEADLINE)
    is_headline = is_headline or _agreement(seen, other) >= _SHARED_WORDS
    return Candidate(seen, "h1", 0.5) if is_headline else Candidate(other, name, 0.5)


def _certainty(titles: _Titles, other: str) -> float:
    """How sure a title that differs from the headline is; 0 where nothing but itself speaks for it.

    Data agree with it; or it is news whose <h1> is that of <title>, made for searching, beside a headline for sharing.
    """
    if titles.data and fold(titles.data) == fold(other):
        return 0.5
    for_searching = titles.shared and fold(titles.seen) == fold(titles.written)
    return 0.65 if for_searching and "NewsArticle" in str(titles.statements.main.get("@type")) else 0.0


def _without_headline(titles: _Titles, other: str, name: str) -> Candidate:
    if titles.data:
        return Candidate(titles.data, "data", 0.8)
    if other == clean(titles.statements.page.title) and not titles.is_home:
        # Nothing was known of the site, so that the last part is most likely its name.
        marks = list(_SEPARATOR.finditer(other))
        before = other.partition("|")[0] if "|" in other else other[: marks[-1].start()] if marks else other
        other = before.strip() or other
    return Candidate(other, name, 0.75) if other else NO_CANDIDATE


def _is_most_of(text: str, whole: str) -> bool:
    return whole.startswith(text) or (text in whole and 2 * len(text) >= len(whole))


def _agreement(one: str, other: str) -> float:
    """The share of the shorter title's words that the other has."""
    mine, theirs = _words(one), _words(other)
    fewest = min(len(mine), len(theirs))
    return len(mine & theirs) / fewest if fewest else 0.0


def _likeness(one: str, other: str) -> float:
    """How like two titles are: the words they share among all that they have."""
    mine, theirs = _words(one), _words(other)
    return len(mine & theirs) / max(len(mine | theirs), 1)


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))
