"""Find the title of a page: its headline, without the name of the site.

Four places have a title: the headline that a reader sees (<h1>), the title for sharing (og:title,
twitter:title), the one in data (JSON-LD, item properties, other metas) and <title>.
docs/metadata.md has the order that settles their conflicts; its numbers were counted on WCXB's
development pages and on news of 21 countries.
"""

from dataclasses import dataclass
from unicodedata import normalize
from urllib.parse import urlsplit

from bodytext.kernel import find_places
from bodytext.page.late_pattern import late_pattern
from bodytext.page.once import once
from bodytext.views.metadata.candidates import Candidate
from bodytext.views.metadata.site import fold
from bodytext.views.metadata.statements import Statements, clean

LONGEST_TITLE = 400  # characters
_FOOT = 30_000  # bytes at the end of a page, where the copyright sign is
_COPYRIGHT = ("©".encode(), b"&copy;")
_LONGEST_OWNER = 200  # bytes after it
_LONGEST_SITE_PART = 6  # words of a part with the site's name and more ("Aura Official Site")
_SHORTEST_NAME = 4  # letters of a site's name that counts inside a longer part
_LONGER_THAN_SITE = 3  # times as long as the name of the site after it a headline is, at least
_LONG_HEADLINE = 4  # words from which on an <h1> of an article is its headline in any case
_SHARED_WORDS = 0.5  # of the shorter headline: from here on two headlines are about the same thing

# Expressions that are searched begin with a class of characters: that is several times as fast.
_BLANKS = r"(?<=\s)(?<!\s\s)\s*+"  # all of a row of them, after the first
_APART = r"[|–—\-·•:/~>‹›⋆]{1,2}\s++"
_SEPARATOR = late_pattern(
    rf"[\s|｜:](?:{_BLANKS}(?:{_APART}|(?:[|｜]|::)\s*+)|(?<=[|｜])\s*+|(?<=:):\s*+)"
)
# These separate the site's name too, but occur in headlines as well: quotation marks, those of East
# Asia, and a colon or a hyphen right after one of its letters.
_SITE_SEPARATOR = late_pattern(
    rf"[\s|｜:：_│丨〡-](?:{_BLANKS}(?:{_APART}|(?:[|｜：_│丨〡]|::)\s*+|[»«]\s++)"
    r"|(?<=[|｜：_│丨〡])\s*+|(?<=:):\s*+|(?<=[^\x00-\x7f][:-]))"
)
_TIGHT = frozenset(":-")  # without spaces; they count before the site's name only
_EAST_ASIAN = "\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af"
# Chinese titles have the section and the site after low lines without spaces.
_SECTIONS = late_pattern(rf"_(?<![A-Za-z0-9_]_)_*+(?=[{_EAST_ASIAN}])")
_EAST_ASIAN_PART = late_pattern(rf"[{_EAST_ASIAN}]{{2,12}}")
_QUOTATION_MARKS = frozenset("\"'")
_NETS = ("网", "網")  # names of sites end so
_MARK = late_pattern(r"[|｜–—\-·•:/~>‹›⋆»«：_│丨〡]")  # every separator has one
_PERMALINK = late_pattern(r"(?<![\s¶#§🔗])[\s¶#§🔗]++$")
_WORD = late_pattern(r"\w+")
_DATA_METAS = ("parsely-title", "sailthru:title", "dc:title", "dcterms:title", "citation_title")


@dataclass(frozen=True)
class _Titles:
    """The title in the four places, without the site's name."""

    statements: Statements
    site_names: frozenset[str]

    @once
    def shared(self) -> str:
        return self._without_site(self.statements.first("og:title", "twitter:title"))

    @once
    def written(self) -> str:
        return self._without_site(clean(self.statements.page.title))

    @once
    def data(self) -> str:
        statements = self.statements
        headline = clean(statements.main.get("headline"))
        headline = headline or statements.first("item:headline", *_DATA_METAS)
        if headline.endswith(("...", "…")):  # cut off: another place has all of it
            return ""
        return self._without_site(headline)

    @once
    def seen(self) -> str:
        """The <h1> that agrees best with the other titles, the first where none does."""
        headlines = self._headlines()
        if len(headlines) < 2:
            return headlines[0] if headlines else ""
        others = list(map(_words, {self.data, self.shared, self.written}))
        return max(headlines, key=lambda text: _likeness(_words(text), others))

    def _headlines(self) -> list[str]:
        """The texts of the <h1> elements, without those that are the site's name."""
        texts = [text for _, text in self.statements.headlines if len(text) <= LONGEST_TITLE]
        titles = [self._without_site(_without_permalink(text)) for text in texts]
        return [title for title in titles if title and fold(title) not in self.site_names]

    def _without_site(self, text: str) -> str:
        """A title without the parts at its ends that name the site. Several places have the same."""
        if not text:
            return ""
        if text not in self._bare:
            self._bare[text] = self._find_bare(text)
        return self._bare[text]

    @once
    def _bare(self) -> dict[str, str]:
        return {}

    def _find_bare(self, text: str) -> str:
        text = text[:LONGEST_TITLE]
        if (first_mark := _MARK.search(text)) is None:
            return text.strip() or text
        marks = list(_SITE_SEPARATOR.finditer(text, len(text[: first_mark.start()].rstrip())))
        first, last = 0, len(text)
        while marks and self._is_site(text[marks[-1].end() : last]):
            last = marks.pop().start()
        if marks and (self.is_home or marks[0][0] in _TIGHT):
            return text[:last].strip() or text
        while marks and self._is_site(text[first : marks[0].start()]):
            first = marks.pop(0).end()
        return text[first:last].strip() or text

    @once
    def is_home(self) -> bool:
        """Whether this is the site's start page: there its name is the title."""
        try:
            path = urlsplit(self.statements.canonical).path
        except ValueError:  # the caller's address is not valid
            return False
        return path in {"", "/"} and bool(self.statements.canonical)

    @once
    def _owner(self) -> str:
        """The text after the last copyright sign, folded: the site's name is in it."""
        source = self.statements.page.source
        start = max(len(source) - _FOOT, 0)
        places = [place for sign in _COPYRIGHT for place in find_places(source, sign, _FOOT, start)]
        if not places:
            return ""
        place = max(places)
        return fold(clean(source[place : place + _LONGEST_OWNER].decode("utf-8", "ignore")))

    def _is_site(self, part: str) -> bool:
        folded = fold(part)
        if not folded or folded in self.site_names:
            return True
        if len(part.split()) > _LONGEST_SITE_PART:
            return False
        if len(folded) >= _SHORTEST_NAME and folded in self._owner:
            return True
        return any(len(name) >= _SHORTEST_NAME and name in folded for name in self.site_names)


def find_title(statements: Statements, names: frozenset[str]) -> Candidate:
    """The title of a page; `names` are those of the site, folded."""
    titles = _Titles(statements, names)
    other = Candidate(titles.shared, "open graph", 0.75) or Candidate(titles.written, "title", 0.75)
    if not titles.seen:
        return _without_headline(titles, other)
    if not other or fold(titles.seen) == fold(other.value) or _is_cut(other.value, titles.seen):
        return Candidate(titles.seen, "h1", 0.9)
    if certainty := _certainty(titles, other.value):
        return other._replace(confidence=certainty)
    return _settle(titles, other)


def _is_cut(title: str, headline: str) -> bool:
    """Whether a title ends where the headline has the quotation mark that ends an attribute."""
    return headline.startswith(title) and headline[len(title) :].lstrip()[:1] in _QUOTATION_MARKS


def _certainty(titles: _Titles, other: str) -> float:
    """How sure a title that differs from the headline is; 0 where nothing else speaks for it.

    Either data agree with it, or it is the title for sharing of news whose <h1> and <title> are
    made for searching.
    """
    if titles.data and fold(titles.data) == fold(other):
        return 0.5
    is_for_searching = titles.shared and fold(titles.seen) == fold(titles.written)
    is_news = "NewsArticle" in str(titles.statements.main.get("@type"))
    return 0.65 if is_for_searching and is_news else 0.0


def _settle(titles: _Titles, other: Candidate) -> Candidate:
    """The headline, or the title that differs from it, by how much they have in common."""
    seen = fold(titles.seen)
    first_part = _without_east_asian_parts(_SEPARATOR.split(other.value)[0])
    if seen == fold(titles.data) or _is_most_of(seen, fold(first_part)):
        return Candidate(titles.seen, "h1", 0.9)
    if seen in fold(other.value):
        if titles.statements.is_article and len(seen) > len(fold(first_part)):
            return Candidate(titles.seen, "h1", 0.9)  # after the name of the section
        # A word of the title, or the name of the section after it
        return Candidate(first_part, other.source, 0.6)
    is_long = titles.statements.is_article and len(titles.seen.split()) >= _LONG_HEADLINE
    if other.source == "title" or is_long or _speak_of_same(titles.seen, other.value):
        return Candidate(titles.seen, "h1", 0.5)
    return other._replace(confidence=0.5)


def _without_headline(titles: _Titles, other: Candidate) -> Candidate:
    """The title of a page without an <h1>."""
    if titles.data:
        return Candidate(titles.data, "data", 0.8)
    title = other.value
    if title == clean(titles.statements.page.title) and not titles.is_home:
        return other._replace(value=_without_last_part(title).strip() or title)
    return other


def _without_last_part(title: str) -> str:
    """A title without its last part, which most likely is the name of an unknown site."""
    if "|" in title:
        return title.partition("|")[0]
    marks = list(_SEPARATOR.finditer(title))
    if marks:
        return title[: marks[-1].start()]
    return _without_east_asian_parts(title)


def _without_east_asian_parts(title: str) -> str:
    """A title without what follows a low line, or without a site's name after a hyphen.

    >>> _without_east_asian_parts("港口今天重新开放_要闻_日报")
    '港口今天重新开放'
    >>> _without_east_asian_parts("港口今天重新开放--要闻"), _without_east_asian_parts("港口-海-船")
    ('港口今天重新开放', '港口-海-船')
    """
    if title.isascii():
        return title
    if sections := _SECTIONS.search(title):
        return title[: sections.start()]
    first, _, last = title.rpartition("-")
    first = first.rstrip("-")
    is_short = last.endswith(_NETS) or len(first) >= _LONGER_THAN_SITE * len(last)
    return first if first and is_short and _EAST_ASIAN_PART.fullmatch(last) else title


def _without_permalink(text: str) -> str:
    """A headline without the sign that links to it."""
    return text if text[-1:].isalnum() else _PERMALINK.sub("", text)


def _is_most_of(text: str, whole: str) -> bool:
    return whole.startswith(text) or (text in whole and 2 * len(text) >= len(whole))


def _speak_of_same(title: str, other: str) -> bool:
    """Whether two titles share enough of the words of the shorter one."""
    words, other_words = _words(title), _words(other)
    fewest = min(len(words), len(other_words))
    return fewest > 0 and len(words & other_words) / fewest >= _SHARED_WORDS


def _likeness(words: set[str], others: list[set[str]]) -> float:
    """The share of the words of two titles that both have, for the most similar of others."""
    return max(len(words & other) / max(len(words | other), 1) for other in others)


def _words(text: str) -> set[str]:
    return set(_WORD.findall(normalize("NFC", text.casefold())))
