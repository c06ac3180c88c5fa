# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Find the stretches of a page that hold some words: the native twin of `spans.py`.

Every word has three bytes or more, so one of its first two pairs of bytes is at an even offset of
the span. A table of all such pairs says whether to look closer; few do.
"""

from libc.stdint cimport int32_t, uint8_t
from libc.string cimport memcmp, memset

include "constants.pxi"
include "columns.pxi"

cdef enum:
    SHORTEST = 3
    MOST_WORDS = 64
    PAIRS = 65536


cdef struct Words:
    const char* text[MOST_WORDS]
    Py_ssize_t length[MOST_WORDS]
    int count
    uint8_t starts_at[PAIRS]  # bit 0: a word has the pair first; bit 1: after its first byte


cdef inline int pair_at(const char* text) noexcept nogil:
    return <uint8_t>text[0] << 8 | <uint8_t>text[1]


cdef bint has_word_at(Words* words, const char* text, const char* end) noexcept nogil:
    cdef int word
    for word in range(words.count):
        if words.length[word] <= end - text and memcmp(text, words.text[word], words.length[word]) == 0:
            return True
    return False


cdef bint holds_word(Words* words, const char* text, const char* end) noexcept nogil:
    cdef const char* start = text
    cdef uint8_t found
    while text + 1 < end:
        found = words.starts_at[pair_at(text)]
        if found:
            if found & 1 and has_word_at(words, text, end):
                return True
            if found & 2 and text > start and has_word_at(words, text - 1, end):
                return True
        text += 2
    return False


cdef int prepare(Words* words, object listed) except -1:
    cdef const char* text
    memset(words.starts_at, 0, PAIRS)
    words.count = 0
    for word in listed:
        if len(word) < SHORTEST:
            raise ValueError(f"each word must have {SHORTEST} bytes or more")
        if words.count == MOST_WORDS:
            raise ValueError(f"there may be {MOST_WORDS} words at most")
        text = <const char*><bytes>word
        words.text[words.count], words.length[words.count] = text, len(word)
        words.starts_at[pair_at(text)] |= 1
        words.starts_at[pair_at(text + 1)] |= 2
        words.count += 1
    return 0


def find_spans(bytes source, starts, ends, words):
    """The numbers of the spans that hold any of the words, in order."""
    cdef Words table
    cdef Column first, last
    cdef const char* text = source
    cdef Py_ssize_t count = len(starts), size = len(source), number
    cdef int32_t start, end
    words = tuple(words)  # keeps the words
    prepare(&table, words)
    take(&first, starts, count)
    take(&last, ends, count)
    found = []
    for number in range(count):
        start, end = get(&first, number), get(&last, number)
        if 0 <= start < end <= size and holds_word(&table, text + start, text + end):
            found.append(number)
    return found
