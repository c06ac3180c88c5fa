"""Recognise Vietnamese in windows-1258 that is labelled windows-1252.

Old programs wrote Vietnamese in the encoding of Windows under the label of the West. windows-1258
writes most tones after the vowel, and three of the five marks are the bytes of Ì, Ò and Þ in
windows-1252, which shows "người" as "ngýõÌi". No language has these capital letters after a small
vowel.
"""

import numpy as np

_RISEN = b"\xcc\xd2\xde"  # grave, hook above, tilde, as windows-1252 shows them: Ì Ò Þ
_MARKS = _RISEN + b"\xec\xf2"  # acute, dot below: ì ò
_SMALL_VOWELS = b"aeiouy\xe2\xe3\xea\xf4\xf5\xfd"  # the last six are â ă ê ô ơ ư
_CAPITAL_VOWELS = b"AEIOUY\xc2\xc3\xca\xd4\xd5\xdd"

# Of 6,000 stretches in 530 other languages, of the Universal Declaration of Human Rights in
# windows-1252, none had one such capital after a small vowel. Pages in a third encoding may, but
# most of their marks are elsewhere.
LEAST_RISEN = 3
LEAST_KINDS = 2  # of marks
LEAST_SHARE = 0.9  # of the marks come after vowels

_IS_RISEN, _IS_MARK, _IS_SMALL, _IS_VOWEL = (
    np.isin(np.arange(256), np.frombuffer(kind, np.uint8))
    for kind in (_RISEN, _MARKS, _SMALL_VOWELS, _SMALL_VOWELS + _CAPITAL_VOWELS)
)


def is_vietnamese(data: bytes) -> bool:
    """Return whether bytes cannot be windows-1252 and are most likely windows-1258."""
    if not any(risen in data for risen in (b"\xcc", b"\xd2", b"\xde")):
        return False
    page = np.frombuffer(data, np.uint8)
    places = np.flatnonzero(_IS_MARK[page[1:]])
    vowels, marks = page[places], page[places + 1]
    after_small = marks[_IS_SMALL[vowels]]
    risen, kinds = np.count_nonzero(_IS_RISEN[after_small]), len(np.unique(after_small))
    if (
        risen < LEAST_RISEN
        or kinds < LEAST_KINDS
        or np.count_nonzero(_IS_VOWEL[vowels]) < len(marks) * LEAST_SHARE
    ):
        return False
    from bodytext.page.encoding.detection import guess

    return guess(data) == "windows-1258"
