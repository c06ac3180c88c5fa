"""List the Vietnamese syllables, and find the letter that carries the tone mark.

A syllable is an initial, a final (vowels, and maybe a consonant) and one of six tones. Initials and
finals are few, so all syllables that the spelling allows can be listed without a dictionary: about
4,000 without their tones, some of which no word uses. Vietnamese puts spaces between syllables, so
the words of a text are syllables.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

MARKS = "\u0300\u0301\u0303\u0309\u0323"  # huyền sắc ngã hỏi nặng
_SHARP, _HEAVY = "\u0301", "\u0323"
_VOWELS = "aăâeêioôơuưy"

_INITIALS = "b c ch d đ g gh gi h k kh l m n ng ngh nh p ph qu r s t th tr v x"
_FINALS = (
    "a ac ach ai am an ang anh ao ap at au ay ăc ăm ăn ăng ăp ăt âc âm ân âng âp ât âu ây "
    "e ec em en eng eo ep et ê êch êm ên êng ênh êp êt êu "
    "i ia ich im in inh ip it iu iêc iêm iên iêng iêp iêt iêu "
    "o oa oac oach oai oam oan oang oanh oao oap oat oay oăc oăm oăn oăng oăt oe oem oen oeo oet oi om on ong ooc oong "
    "op ot oc ô ôc ôi ôm ôn ông ôp ôt ơ ơi ơm ơn ơp ơt "
    "u ua uân uâng uât uây uc uê uêch uênh ui um un ung uơ up ut uy uya uych uynh uyt uyu uyn uyp uyên uyêt "
    "uôc uôi uôm uôn uông uôt ư ưa ưc ưi ưm ưn ưng ưt ưu ươc ươi ươm ươn ương ươp ươt ươu "
    "y yêm yên yêng yêt yêu"
)
# Two spellings of one sound: before e, ê and i, and before all other vowels.
_BEFORE_FRONT = {"k", "gh", "ngh"}
_BEFORE_OTHERS = {"c", "g", "ng"}
_FRONT = "eêiy"
_STOPS = ("c", "ch", "p", "t")
# In these finals the old style puts the tone mark on the first vowel (hòa, khỏe, thúy), the new
# style on the second.
_DISPUTED = {"oa", "oe", "uy"}

# Vowels with a mark of their own and a tone mark: no other language writes them.
DOUBLE_MARKED = re.compile("[\u1ea4-\u1eb7\u1ebe-\u1ec7\u1ed0-\u1ee3\u1ee8-\u1ef1]")
# Three to four in ten syllables of a Vietnamese text have one, fewer in a text about Vietnamese
# people.
_LEAST_DOUBLE_MARKED = 0.1  # of the words
_SAMPLE = 3000  # characters, which are enough


class Places(NamedTuple):
    """The letter of a syllable with the tone mark, by style."""

    old: int
    new: int


def is_vietnamese(text: str) -> bool:
    """Whether a text is Vietnamese with its tone marks, not one that only names people there.

    >>> is_vietnamese("Thành phố Hồ Chí Minh"), is_vietnamese("O Manuel põe a mesa à noite")
    (True, False)
    """
    sample = text[:_SAMPLE]
    words = sample.count(" ") + sample.count("\n") + 1
    return len(DOUBLE_MARKED.findall(sample)) > words * _LEAST_DOUBLE_MARKED


def compose(letter: str, mark: str) -> str:
    """Compose a letter and a tone mark into one character."""
    return unicodedata.normalize("NFC", letter + mark)


def is_syllable(word: str) -> bool:
    """Whether a word can be a syllable, with the tone mark on any vowel and in any case.

    >>> [is_syllable(word) for word in ("nghiêng", "Quyết", "ngiêng", "quyêt", "Straße")]
    [True, True, False, False, False]
    """
    return word.lower() in _syllables()


def is_written(word: str) -> bool:
    """Whether a word is a syllable with capitals only where people write them.

    >>> [is_written(word) for word in ("tiền", "Tiền", "TIỀN", "tiỀn")]
    [True, True, True, False]
    """
    return is_syllable(word) and (word[1:].islower() or word.isupper() or len(word) == 1)


@cache
def tone_places() -> dict[str, Places]:
    """The places of the tone mark for every syllable without its tone."""
    places: dict[str, Places] = {}
    for initial in ("", *_INITIALS.split()):
        for final in _FINALS.split():
            if _combines(initial, final):
                before = len(initial)
                old, new = _place(final, "old"), _place(final, "new")
                places.setdefault(initial + final, Places(before + old, before + new))
    # The i of gi is the vowel where no other follows: gì, gìn, giếng.
    for final in ("i", "im", "in", "iêc", "iêng", "iêt"):
        places["g" + final] = Places(1 + _place(final, "old"), 1 + _place(final, "new"))
    return places


@cache
def marked_letters() -> frozenset[str]:
    """The letters outside ASCII, small and capital.

    >>> "".join(sorted(marked_letters()))[:36]
    'ÀÁÂÃÈÉÊÌÍÒÓÔÕÙÚÝàáâãèéêìíòóôõùúýĂăĐđ'
    """
    toned = [compose(vowel, mark) for vowel in _VOWELS for mark in MARKS]
    return frozenset(case for letter in (*toned, *"ăâêôơưđ") for case in (letter, letter.upper()))


@cache
def plain_syllables() -> frozenset[str]:
    """Every syllable without any marks: nguoi for người."""
    table = str.maketrans("ăâêôơưđ", "aaeooud")
    return frozenset(syllable.translate(table) for syllable in tone_places())


@cache
def _syllables() -> frozenset[str]:
    """Every syllable with each of its possible tones on each of its vowels: some 30,000 strings."""
    level = {bare for bare in tone_places() if not bare.endswith(_STOPS)}
    return frozenset(
        level.union(*(spellings for bare in tone_places() for spellings in spell(bare)))
    )


def spell(bare: str) -> Iterator[list[str]]:
    """For each possible tone of a syllable, the spellings with the mark on each vowel."""
    vowels = [place for place, letter in enumerate(bare) if letter in _VOWELS]
    for mark in (_SHARP, _HEAVY) if bare.endswith(_STOPS) else MARKS:
        yield [bare[:place] + compose(bare[place], mark) + bare[place + 1 :] for place in vowels]


def _combines(initial: str, final: str) -> bool:
    if initial in _BEFORE_FRONT:
        return final[0] in _FRONT
    if initial in _BEFORE_OTHERS:
        return final[0] not in _FRONT
    if initial == "qu":
        return final[0] not in "uư" and not final.startswith(("oa", "oă", "oe", "oo"))
    return not (initial == "gi" and final[0] == "i")


def _place(final: str, style: str) -> int:
    """The vowel with the tone: the last that has a mark, or before a consonant, else by number."""
    vowels = [letter for letter in final if letter in _VOWELS]
    marked = [place for place, vowel in enumerate(vowels) if vowel in "ăâêôơư"]
    if marked:
        return marked[-1]
    if len(vowels) < len(final):
        return len(vowels) - 1
    if final in _DISPUTED:
        return int(style == "new")
    return len(vowels) // 2 if len(vowels) > 2 else 0
