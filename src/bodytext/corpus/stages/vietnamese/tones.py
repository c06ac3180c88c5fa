"""A Vietnamese text in, the same text with every tone mark on the letter where one style puts it out."""

import re

from bodytext.corpus.stages.vietnamese.syllables import MARKS, compose, strip_tones, tone_places

STYLES = ("old", "new")

_VOWEL = "aăâeêioôơuưyAĂÂEÊIOÔƠUƯY"
_TONED = "".join(compose(vowel, mark) for vowel in _VOWEL for mark in MARKS)
# A syllable in which a vowel with a tone has a vowel beside it: in all others there is nothing to choose.
_CHOICE = re.compile(rf"(?<!\w)\w{{0,3}}?(?:[{_TONED}][{_VOWEL}]|[{_VOWEL}][{_TONED}])\w{{0,4}}(?!\w)")


def unify_tones(text: str, style: str = "new") -> str:
    """Move tone marks to where a style puts them; words that are no Vietnamese syllables stay as they are.

    The styles differ in three finals: old hòa, khỏe, thúy; new hoà, khoẻ, thuý. Marks that both call misplaced
    (qúy, gía, tòan) are mended too.

    >>> unify_tones("Hòa, qúy bà, khỏe, HỦY, hoàn, của"), unify_tones("Hoà, quý bà, khoẻ, HUỶ", "old")
    ('Hoà, quý bà, khoẻ, HUỶ, hoàn, của', 'Hòa, quý bà, khỏe, HỦY')
    """
    # Most words come back in a text: each is looked up once.
    known: dict[str, str] = {}

    def place(found: re.Match[str]) -> str:
        word = found[0]
        if word not in known:
            known[word] = _place_tone(word, style)
        return known[word]

    return _CHOICE.sub(place, text)


def _place_tone(word: str, style: str) -> str:
    bare, mark, place = strip_tones(word)
    places = tone_places().get(bare.lower())
    if not mark or places is None:
        return word
    wanted = getattr(places, style)
    if wanted == place:
        return word
    return bare[:wanted] + compose(bare[wanted], mark) + bare[wanted + 1 :]
