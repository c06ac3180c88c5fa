"""Guess the encoding of a page that is neither labelled nor UTF-8.

No library does this because the core depends on numpy only: the good detectors are compiled
dependencies, or larger than this whole library.
"""

import re

import numpy as np
from numpy.typing import NDArray

from bodytext.page.encoding.letter_models import LETTERS
from bodytext.page.encoding.multi_byte import multi_byte_score
from bodytext.page.encoding.single_byte import single_byte_scores

# More evidence than this no longer changes the winner, and it bounds the cost of a guess.
EVIDENCE_BYTES = 1 << 16
LANGUAGE_BYTES = 1 << 12

_LANGUAGE = re.compile(
    rb"<html[\t\n\f\r ][^<>]*?\blang[\t\n\f\r ]*+=[\t\n\f\r ]*+[\"']?([A-Za-z-]+)", re.IGNORECASE
)

# How much likelier a page is in the language that its <html lang> names than in any other (natural
# logarithm).
_LANGUAGE_BONUS = 5.0
_HINTED_MULTI_BYTE = {"ja": {"shift_jis", "euc-jp"}, "zh": {"gb18030", "big5"}, "ko": {"euc-kr"}}


def guess(data: bytes) -> str:
    """Return the likeliest encoding of bytes that are neither labelled nor UTF-8.

    The page belongs to the model, a language in an encoding, under which its non-ASCII bytes have
    the greatest likelihood. ASCII bytes count only as neighbours, so markup does not matter.
    """
    evidence = _evidence(data)
    hint = _language_hint(data[:LANGUAGE_BYTES])
    hinted = [language for language in LETTERS if language.partition("-")[0] == hint]
    scores = single_byte_scores(evidence, dict.fromkeys(hinted, _LANGUAGE_BONUS))
    for encoding in ("gb18030", "big5", "shift_jis", "euc-jp", "euc-kr"):
        bonus = _LANGUAGE_BONUS if encoding in _HINTED_MULTI_BYTE.get(hint, ()) else 0.0
        scores[encoding] = multi_byte_score(evidence, encoding) + bonus
    return max(scores, key=scores.__getitem__)


def _language_hint(head: bytes) -> str:
    match = _LANGUAGE.search(head)
    language = match[1].decode().lower().partition("-")[0] if match else ""
    return {"no": "nb", "nn": "nb", "bs": "hr", "iw": "he"}.get(language, language)


def _evidence(data: bytes) -> NDArray[np.uint8]:
    """Return the non-ASCII bytes with their neighbours: two bytes before and one after each."""
    everything = np.frombuffer(data, np.uint8)
    high = everything >= 0x80
    kept = high.copy()
    kept[1:] |= high[:-1]
    kept[:-1] |= high[1:]
    kept[:-2] |= high[2:]
    return everything[kept][:EVIDENCE_BYTES]
