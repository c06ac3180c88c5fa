"""Tell the words that can be keywords from function words, adverbs and bare verbs.

There is no dictionary. A word is judged by how the article itself uses it: a name is written with a
capital within sentences; a noun follows an article, a preposition or a number at least once, and
more often than it follows a pronoun or an auxiliary; in German it has a capital. Languages without
articles are judged by the endings of their verbs and adverbs. Common words are never keywords.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from bodytext.reader.analysis.languages import UNSPACED, can_cut, list_common_words, read_words
from bodytext.reader.analysis.terms import Term

_CAPITALISING = frozenset({"de", "lb"})  # languages that write nouns with a capital
# Endings of adjectives in these languages, which may begin a phrase.
_ADJECTIVE = ("e", "en", "er", "es", "em")
_UNCUT = frozenset(map(chr, (*range(0x0E00, 0x10A0), *range(0x1780, 0x1800))))  # Thai to Khmer


@dataclass(slots=True)
class _Uses:
    """How often an article uses a word, and how."""

    capitals: int = 0
    within: int = 0  # not at the beginning of a sentence
    after_nouns_words: int = 0  # after a word that nouns follow
    after_verbs_words: int = 0
    after_articles: int = 0


@dataclass(slots=True)
class NounJudge:
    """Judges the words of an article."""

    language: str
    _uses: dict[str, _Uses] = field(default_factory=dict)
    common: frozenset[str] = frozenset()  # words of the language
    _endings: tuple[str, ...] = ()
    _verbal_nouns: tuple[str, ...] = ()

    @classmethod
    def read(cls, sentences: Sequence[Sequence[Term]], language: str) -> "NounJudge":
        """Read how the sentences of an article use their words."""
        judge = cls(
            language,
            {},
            list_common_words(language),
            tuple(_list_words(language, "endings")),
            tuple(_list_words(language, "verbal nouns")),
        )
        nouns = _list_words(language, "before nouns")
        articles = _list_words(language, "articles")
        verbs = _list_words(language, "before verbs")
        for terms in sentences:
            previous = ""
            for place, term in enumerate(terms):
                uses = judge._uses.setdefault(term.name, _Uses())
                if place:
                    uses.within += 1
                    uses.capitals += term.is_name
                uses.after_nouns_words += previous in nouns or previous.isdigit()
                uses.after_verbs_words += previous in verbs
                uses.after_articles += previous in articles
                previous = term.name
        return judge

    def is_name(self, word: str) -> bool:
        """Whether a word is mostly written with a capital within sentences."""
        uses = self._uses.get(word)
        return uses is not None and uses.capitals * 2 > uses.within

    def can_be_keyword(self, word: str) -> bool:
        """Whether a word can be a keyword by itself."""
        is_piece = word[0] in _UNCUT and not can_cut(self.language)  # of four characters
        if is_piece or word in self.common:
            return False
        if self.is_name(word) or self.language in UNSPACED:
            return True
        return self.language not in _CAPITALISING and self._is_noun(word)

    def _is_noun(self, word: str) -> bool:
        """Whether a word without a capital is used like a noun."""
        uses = self._uses.get(word)
        if self._has_ending(word) or uses is None:
            return False
        if not _list_words(self.language, "before nouns"):
            return True
        if word.endswith(self._verbal_nouns) and not uses.after_articles:
            return False
        return uses.after_nouns_words > uses.after_verbs_words

    def can_begin(self, word: str) -> bool:
        """Whether a phrase can begin with a word."""
        if self.language in _CAPITALISING and word not in self.common:
            return self.is_name(word) or word.endswith(_ADJECTIVE)
        return self._can_be_in_phrase(word)

    def can_end(self, previous: str, word: str) -> bool:
        """Whether a phrase can end with a word after another: a number only after a name."""
        if word.isdigit():
            return self.is_name(previous)
        if self.language in _CAPITALISING:
            return word not in self.common and self.is_name(word)
        return self._can_be_in_phrase(word)

    def _can_be_in_phrase(self, word: str) -> bool:
        if word in self.common:
            return False
        uses = self._uses.get(word)
        if self.is_name(word) or uses is None:
            return True
        return uses.after_verbs_words <= uses.after_nouns_words and not self._has_ending(word)

    def _has_ending(self, word: str) -> bool:
        """Whether a word ends like an adverb or a verb of its language."""
        return word.endswith(self._endings)


def _list_words(language: str, use: str) -> frozenset[str]:
    """List the words or endings of a language with a use, which noun_words.txt describes."""
    return read_words("noun_words.txt").get(f"{language} {use}", frozenset())
