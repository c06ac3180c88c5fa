"""A Vietnamese text in, the same text with every tone mark on the letter where one style puts it out."""

import re
from functools import cache

from bodytext.corpus.stages.vietnamese.syllables import spell, tone_places

STYLES = ("old", "new")
_WORD = re.compile(r"\w+")
_EDGES = ".,;:!?…()[]{}\"'“”‘’«»–-\n\t"
_INNER = re.compile(r"\w\W+\w")  # several words that no space parts


def unify_tones(text: str, style: str = "new") -> str:
    """Move tone marks to where a style puts them; words that are no Vietnamese syllables stay as they are.

    The styles differ in three finals: old hòa, khỏe, thúy; new hoà, khoẻ, thuý. Marks that both call misplaced
    (qúy, gía, tòan) are mended too.

    >>> unify_tones("Hòa, qúy bà, khỏe, HỦY, hoàn, của"), unify_tones("Hoà, quý bà, khoẻ, HUỶ", "old")
    ('Hoà, quý bà, khoẻ, HUỶ, hoàn, của', 'Hòa, quý bà, khỏe, HỦY')
    """
    misplaced = _misplaced(style)
    # A text has half as many different tokens as tokens, and few are misplaced: only those are looked at closely.
    tokens = text.split(" ")
    different = set(tokens)
    mended = {token: misplaced[token] for token in misplaced.keys() & different}
    for token in different:
        if not token.isalpha():
            word = token.strip(_EDGES)
            if word in misplaced or _INNER.search(word):
                mended[token] = _WORD.sub(lambda found: misplaced.get(found[0], found[0]), token)
    return " ".join([mended.get(token, token) for token in tokens]) if mended else text


@cache
def _misplaced(style: str) -> dict[str, str]:
    """Every syllable with its mark on another vowel -> the same as the style has it; small, capital, all capitals."""
    table: dict[str, str] = {}
    for bare, places in tone_places().items():
        wanted = places.old if style == "old" else places.new
        for spellings in spell(bare):
            right = next(one for one in spellings if one[wanted] != bare[wanted])
            for wrong in spellings:
                if wrong != right:
                    table |= {wrong: right, wrong.capitalize(): right.capitalize(), wrong.upper(): right.upper()}
    return table
