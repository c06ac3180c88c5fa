"""Tell the words that can be keywords from function words, adverbs and bare verbs.

There is no dictionary. A word is judged by how the article itself uses it: a name is written with a
capital within sentences; a noun follows an article, a preposition or a number at least once, and
more often than it follows a pronoun or an auxiliary; in German it has a capital. Languages without
articles are judged by the endings of their verbs and adverbs. Common words are never keywords.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from bodytext.reader.analysis.languages import UNSPACED, can_cut, list_common_words
from bodytext.reader.analysis.terms import Term

_CAPITALISING = frozenset({"de", "lb"})  # languages that write nouns with a capital
# Endings of adjectives in these languages, which may begin a phrase.
_ADJECTIVE = ("e", "en", "er", "es", "em")
# Words that a noun, and words that a verb often follows.
_BEFORE_NOUNS = {
    "en": "the a an this that these those of in on at by for from with about against between into "
    "over under during through without within per via my your his her its our their whose no some "
    "any each every many much more most few several all other another new first last next own same "
    "such and or as like one two three four five",
    "fr": "le la les l un une des du de d ce cet cette ces mon ma mes ton ta tes son sa ses notre nos "
    "votre vos leur leurs au aux en dans sur sous par avec sans entre vers contre chaque plusieurs "
    "quelques aucun aucune tout toute tous toutes autre autres nouveau nouvelle nouveaux et ou",
    "es": "el la los las un una unos unas del al de este esta estos estas ese esa esos esas su sus mi "
    "mis tu tus nuestro nuestra en con por para sin sobre entre contra desde hasta cada varios varias "
    "muchos muchas otro otra otros otras nuevo nueva todo toda todos todas y o",
    "it": "il lo la i gli le l un uno una del dello della dei degli delle al allo alla ai agli alle dal "
    "dalla nel nello nella nei negli nelle sul sulla sui sulle di in con per tra fra da senza contro "
    "questo questa questi queste quel quella quei suo sua suoi sue loro ogni altro altra altri altre "
    "nuovo nuova tutti tutte e o",
    "pt": "o a os as um uma uns umas do da dos das no na nos nas ao à aos às pelo pela de em com por "
    "para sem sobre entre contra este esta esse essa seu sua seus suas cada outro outra outros outras "
    "novo nova todos todas e ou",
    "nl": "de het een van in op aan bij met voor door over naar uit tegen zonder tussen deze dit die dat "
    "mijn jouw zijn haar ons onze hun elke elk andere nieuwe alle veel geen en of",
    "sv": "en ett den det de av i på med för från till om mot utan mellan under denna detta dessa min "
    "din sin sina vår våra alla andra nya varje många inga och eller",
    "no": "en ei et den det de av i på med for fra til om mot uten mellom under denne dette disse min "
    "din sin sine vår våre alle andre nye hver mange ingen og eller",
    "da": "en et den det de af i på med for fra til om mod uden mellem under denne dette disse min din "
    "sin sine vores alle andre nye hver mange ingen og eller",
}  # fmt: skip
# Of these, articles and pronouns: no verb follows them.
_ARTICLES = {
    "en": "the a an this that these those my your his her its our their no",
    "fr": "le la les l un une des du ce cet cette ces son sa ses leur au aux",
    "es": "el los las un una unos unas del este esta estos estas ese esa su sus",
    "it": "il lo i gli un uno una del dello della dei degli delle questo questa quel quella suo sua",
    "pt": "o os um uma uns umas do da dos das no na nos nas este esta esse essa seu sua",
}
# Endings of nouns as well as of verbs: such a word must follow an article once.
_VERBAL_NOUNS = {
    "en": "ing", "fr": "er|ir|re|é|ée|és|ées", "es": "ar|er|ir|ado|ada|ido|ida",
    "it": "are|ere|ire|ato|ata|uto", "pt": "ar|er|ir|ado|ada|ido|ida",
}  # fmt: skip
_BEFORE_VERBS = {
    "en": "to will would can could may might must shall should do does did not i you he she it we they "
    "who t ll ve d let lets cannot please is are was were be been being has have had",
    "fr": "je tu il elle on nous vous ils elles qui ne n pas se s y à va vont a ont avait avaient est "
    "sont était peut peuvent doit doivent veut veulent fait faire",
    "es": "yo tú él ella ellos ellas nosotros usted ustedes que no se le les lo me te nos ha han había "
    "puede pueden debe deben va van a es son fue quiere para",
    "it": "io tu lui lei noi voi loro che non si mi ti ci vi ha hanno aveva può possono deve devono va "
    "vanno è sono era a per",
    "pt": "eu tu ele ela eles elas nós você vocês que não se lhe me te nos há tem têm tinha pode podem "
    "deve vai vão é são foi a para",
    "nl": "ik jij je hij zij ze we wij jullie men die niet te kan kunnen moet moeten wil willen zal zou "
    "heeft hebben had is zijn was wordt worden werd",
    "sv": "jag du han hon vi ni de man som inte att kan ska vill måste skulle har hade är var blir",
    "no": "jeg du han hun vi dere de man som ikke å kan skal vil må skulle har hadde er var blir",
    "da": "jeg du han hun vi i de man som ikke at kan skal vil må skulle har havde er var bliver",
}  # fmt: skip
# Endings of adverbs and verbs, of words without a capital.
_ENDINGS = {
    "en": "ly|ed", "fr": "amment|emment|aient|èrent|iser", "es": "mente|aron|ieron|aban|ando|iendo",
    "it": "mente|arono|ando|endo|avano|evano", "pt": "mente|aram|eram|avam|ando|endo",
    "nl": "lijks", "tr": "yor|acak|ecek|mak|mek|dığı|diği|duğu|düğü|arak|erek|ıldı|ildi|uldu|üldü|"
    "ırdı|irdi|urdu|ürdü|ırken|irken|urken|ürken|caksın|ceksin",
    "ru": "ться|тся|лся|лась|лись|лось|овать|ировать|ировали|ировал|ывает|ивает|ает|яет|ует|ают|яют|уют|ился",
    "uk": "тися|ться|вся|лася|лися|увати|ував|ували|ає|ють|ував",
    "pl": "ować|ował|owała|owali|ają|ąc|ając|uje|ują|ował", "cs": "ovat|oval|ovala|ovali|uje|ují",
    "fi": "vat|vät|taan|tään|nut|nyt", "id": "kannya",
}  # fmt: skip
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
    _common: frozenset[str] = frozenset()
    _endings: tuple[str, ...] = ()
    _verbal_nouns: tuple[str, ...] = ()

    @classmethod
    def read(cls, sentences: Sequence[Sequence[Term]], language: str) -> "NounJudge":
        """Read how the sentences of an article use their words."""
        judge = cls(
            language,
            {},
            list_common_words(language),
            _split(_ENDINGS.get(language)),
            _split(_VERBAL_NOUNS.get(language)),
        )
        nouns = frozenset(_BEFORE_NOUNS.get(language, "").split())
        articles = frozenset(_ARTICLES.get(language, "").split())
        verbs = frozenset(_BEFORE_VERBS.get(language, "").split())
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

    @property
    def common(self) -> frozenset[str]:
        """The common words of the language."""
        return self._common

    def is_name(self, word: str) -> bool:
        """Whether a word is mostly written with a capital within sentences."""
        uses = self._uses.get(word)
        return uses is not None and uses.capitals * 2 > uses.within

    def can_be_keyword(self, word: str) -> bool:
        """Whether a word can be a keyword by itself."""
        is_piece = word[0] in _UNCUT and not can_cut(self.language)  # of four characters
        if is_piece or word in self._common:
            return False
        if self.is_name(word) or self.language in UNSPACED:
            return True
        return self.language not in _CAPITALISING and self._is_noun(word)

    def _is_noun(self, word: str) -> bool:
        """Whether a word without a capital is used like a noun."""
        uses = self._uses.get(word)
        if self._has_ending(word) or uses is None:
            return False
        if self.language not in _BEFORE_NOUNS:
            return True
        if word.endswith(self._verbal_nouns) and not uses.after_articles:
            return False
        return uses.after_nouns_words > uses.after_verbs_words

    def can_begin(self, word: str) -> bool:
        """Whether a phrase can begin with a word."""
        if self.language in _CAPITALISING and word not in self._common:
            return self.is_name(word) or word.endswith(_ADJECTIVE)
        return self._can_be_in_phrase(word)

    def can_end(self, previous: str, word: str) -> bool:
        """Whether a phrase can end with a word after another: a number only after a name."""
        if word.isdigit():
            return self.is_name(previous)
        if self.language in _CAPITALISING:
            return word not in self._common and self.is_name(word)
        return self._can_be_in_phrase(word)

    def _can_be_in_phrase(self, word: str) -> bool:
        if word in self._common:
            return False
        uses = self._uses.get(word)
        if self.is_name(word) or uses is None:
            return True
        return uses.after_verbs_words <= uses.after_nouns_words and not self._has_ending(word)

    def _has_ending(self, word: str) -> bool:
        """Whether a word ends like an adverb or a verb of its language."""
        return word.endswith(self._endings)


def _split(endings: str | None) -> tuple[str, ...]:
    return tuple(endings.split("|")) if endings else ()
