"""Move the tone marks of a Vietnamese text to the letters where one style puts them."""

import re
from functools import cache

from bodytext.corpus.stages.vietnamese.syllables import spell, tone_places

STYLES = ("old", "new")
_WORD = re.compile(r"\w+")
_EDGES = ".,;:!?…()[]{}\"'“”‘’«»–-\n\t"
_INNER = re.compile(r"\w\W+\w")  # several words without a space between them


def unify_tones(text: str, style: str = "new") -> str:
    """Move tone marks to where a style puts them. Words that are not syllables do not change.

    The styles differ in three finals: old hòa, khỏe, thúy; new hoà, khoẻ, thuý. Marks that are
    misplaced in both styles (qúy, gía, tòan) are moved too.

    >>> unify_tones("Hòa, qúy bà, khỏe, HỦY, hoàn, của"), unify_tones("Hoà, quý bà, khoẻ, HUỶ", "old")
    ('Hoà, quý bà, khoẻ, HUỶ, hoàn, của', 'Hòa, quý bà, khỏe, HỦY')
    """
    misplaced = _misplaced(style)
    # Half of the tokens of a text are different, and few have a misplaced mark: only those are
    # examined.
    tokens = text.split(" ")
    different = set(tokens)
    corrected = {token: misplaced[token] for token in misplaced.keys() & different}
    for token in different:
        if not token.isalpha():
            word = token.strip(_EDGES)
            if word in misplaced or _INNER.search(word):
                corrected[token] = _WORD.sub(lambda match: misplaced.get(match[0], match[0]), token)
    return " ".join([corrected.get(token, token) for token in tokens]) if corrected else text


@cache
def _misplaced(style: str) -> dict[str, str]:
    """The right spelling of every syllable with a misplaced mark, in small and capital letters."""
    table: dict[str, str] = {}
    for bare, places in tone_places().items():
        wanted = places.old if style == "old" else places.new
        for spellings in spell(bare):
            right = next(spelling for spelling in spellings if spelling[wanted] != bare[wanted])
            for wrong in spellings:
                if wrong != right:
                    table |= {
                        wrong: right,
                        wrong.capitalize(): right.capitalize(),
                        wrong.upper(): right.upper(),
                    }
    return table
