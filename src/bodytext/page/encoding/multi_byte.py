"""Score a page in a multi-byte encoding: the logarithm of the frequencies of its characters."""

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bodytext.page.encoding.codecs import MULTI_BYTE_CODECS
from bodytext.page.encoding.frequent_characters import (
    COMMON_HANGUL,
    COMMON_HIRAGANA,
    COMMON_KANJI,
    COMMON_KATAKANA,
    COMMON_SIMPLIFIED,
    COMMON_TRADITIONAL,
    FIRST_LEVEL,
    WIDE_MARKS,
)

_RARE_CHARACTER = -15.0
_IMPOSSIBLE_CHARACTER = -25.0
# East Asian words come in runs; a single such character between ASCII letters is likelier an
# accented letter.
_RUN_START = -2.0
# The frequency of the r-th commonest character falls roughly with this power of r.
_RANK_POWER = -0.65


class _Pool(NamedTuple):
    """Characters that make up `share` of a text together; `ranked` ones in falling frequency."""

    characters: str
    share: float
    ranked: bool


def multi_byte_score(evidence: NDArray[np.uint8], encoding: str) -> float:
    """Return how likely the page is in `encoding`."""
    text = evidence.tobytes().decode(MULTI_BYTE_CODECS[encoding], "replace")
    points = np.frombuffer(text.encode("utf-32-le", "replace"), np.uint32)
    starts = np.count_nonzero((points[1:] >= 0x80) & (points[:-1] < 0x80))
    return (
        float(_character_scores(encoding)[np.minimum(points, 0xFFFF)].sum(dtype=np.float64))
        + starts * _RUN_START
    )


@cache
def _character_scores(encoding: str) -> NDArray[np.float32]:
    """Return the logarithm of each character's frequency in an encoding's language; 0 for ASCII."""
    shares = np.full(1 << 16, np.exp(_RARE_CHARACTER))
    for pool in reversed(_pools(encoding)):
        points = np.array([ord(character) for character in dict.fromkeys(pool.characters)])
        falling = np.arange(1, len(points) + 1) ** (_RANK_POWER if pool.ranked else 0.0)
        shares[points] = pool.share * falling / falling.sum()
    scores: NDArray[np.float32] = np.log(shares).astype(np.float32)
    scores[:0x80] = 0.0
    scores[0x80:0xA0] = scores[0xE000:0xF900] = scores[0xFFFD:] = _IMPOSSIBLE_CHARACTER
    return scores


def _pools(encoding: str) -> list[_Pool]:
    """Return the characters of a language, the commoner pools first; each counts in its first pool.

    The shares are rounded estimates of running text; the rest is for rare characters.
    """
    if encoding in {"shift_jis", "euc-jp"}:
        return [
            _Pool(COMMON_HIRAGANA, 0.45, True),
            _Pool(COMMON_KATAKANA, 0.10, True),
            _Pool(WIDE_MARKS, 0.10, False),
            _Pool(COMMON_KANJI, 0.15, True),
            _Pool(_first_level("euc-jp"), 0.19, False),
        ]
    if encoding == "euc-kr":
        return [
            _Pool(COMMON_HANGUL, 0.65, True),
            _Pool(WIDE_MARKS, 0.02, False),
            _Pool(_first_level(encoding), 0.32, False),
        ]
    common = COMMON_SIMPLIFIED if encoding == "gb18030" else COMMON_TRADITIONAL
    return [
        _Pool(common, 0.50, True),
        _Pool(WIDE_MARKS, 0.12, False),
        _Pool(_first_level(encoding), 0.37, False),
    ]


def _first_level(encoding: str) -> str:
    first, last = FIRST_LEVEL[encoding]
    first_trail = 0x40 if encoding == "big5" else 0xA1
    pairs = (
        bytes([lead, trail])
        for lead in range(first, last + 1)
        for trail in range(first_trail, 0xFF)
    )
    decoded = (pair.decode(MULTI_BYTE_CODECS[encoding], "ignore") for pair in pairs)
    return "".join(
        character for character in decoded if len(character) == 1 and not character.isascii()
    )
