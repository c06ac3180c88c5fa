# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""What names and letters hint at, native: `clues_reference.py` is the same in plain Python and says why."""

from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memchr

import numpy as np

from bodytext._kernel.letters import (
    CLASS_OF, LONGEST_NAME, LONGEST_REFERENCE, SHAPES, SHORTEST_WORD, STRETCHES, VOCABULARY, Class, Shape,
)
from bodytext.names import EDGE

cdef enum:
    COLUMNS = 14

cdef const uint8_t* class_of
cdef object class_table = CLASS_OF
class_of = <const uint8_t*><char*>class_table
cdef uint32_t CLASSES = len(CLASS_OF), WORDS = VOCABULARY, SLOTS = STRETCHES
cdef int C_WORD = Class.WORD, C_DIGIT = Class.DIGIT, C_UPPER = Class.UPPER, C_END = Class.END, C_SPACE = Class.SPACE
cdef int S_TITLE = Shape.TITLE_WORDS, S_DESCRIPTION = Shape.DESCRIPTION_WORDS, S_FINAL = Shape.FINAL
cdef int S_CAPITAL = Shape.CAPITAL, S_TEXT = Shape.TEXT, S_PAIRS = Shape.TOLD_PAIRS, S_REPEATED = Shape.REPEATED
cdef Py_ssize_t NAME_LIMIT = LONGEST_NAME, REFERENCE_LIMIT = LONGEST_REFERENCE, WORD_LIMIT = SHORTEST_WORD
cdef int NAME_EDGE = EDGE
cdef uint32_t OFFSET = 2166136261u, PRIME = 16777619u

if SHAPES != COLUMNS:
    raise ImportError("the table of shapes has changed")


cdef inline bint is_space(uint8_t byte) noexcept nogil:
    return byte == 32 or byte == 10 or byte == 9 or byte == 13 or byte == 12


cdef inline bint is_letter(uint8_t byte) noexcept nogil:
    return 97 <= (byte | 0x20) <= 122


cdef inline bint named(const uint8_t* text, Py_ssize_t length, const char* name, Py_ssize_t size) noexcept nogil:
    cdef Py_ssize_t index
    if length != size:
        return False
    for index in range(size):
        if (text[index] | 0x20) != <uint8_t>name[index]:
            return False
    return True


cdef struct Reading:
    const uint16_t* following
    const uint64_t* found
    uint64_t topics
    uint32_t signature


cdef void read_name(Reading* r, const uint8_t* text, Py_ssize_t length) noexcept nogil:
    """Run the automaton over one name; an edge stands before, behind and between the words of it."""
    cdef int state = r.following[NAME_EDGE]
    cdef Py_ssize_t index
    cdef bint small = False
    cdef uint8_t byte
    for index in range(min(length, NAME_LIMIT)):
        byte = text[index]
        if is_letter(byte):
            if small and byte < 97:
                state = r.following[state * 27 + NAME_EDGE]
                r.topics |= r.found[state]
            small = byte >= 97
            state = r.following[state * 27 + (byte | 0x20) - 97]
        else:
            small = False
            state = r.following[state * 27 + NAME_EDGE]
        r.topics |= r.found[state]
    state = r.following[state * 27 + NAME_EDGE]
    r.topics |= r.found[state]


cdef void sign(Reading* r, const uint8_t* text, Py_ssize_t length) noexcept nogil:
    """Hash a class, its digits left out: they number the items of a list."""
    cdef Py_ssize_t index
    if r.signature:
        return
    r.signature = OFFSET
    for index in range(min(length, NAME_LIMIT)):
        if not 48 <= text[index] <= 57:
            r.signature = (r.signature ^ text[index]) * PRIME


cdef void read_tag(Reading* r, const uint8_t* source, Py_ssize_t position, Py_ssize_t length) noexcept nogil:
    """Read the names in a tag's attributes. `length` is where the tag ends."""
    cdef Py_ssize_t name, name_end, value, value_end
    cdef const uint8_t* quote
    while position < length and not is_space(source[position]) and source[position] != 47 and source[position] != 62:
        position += 1
    while True:
        while position < length and (is_space(source[position]) or source[position] == 47):
            position += 1
        if position >= length or source[position] == 62:
            return
        name = position
        position += 1
        while position < length and source[position] != 61 and source[position] != 62 and source[position] != 47 \
                and not is_space(source[position]):
            position += 1
        name_end = value = value_end = position
        while position < length and is_space(source[position]):
            position += 1
        if position < length and source[position] == 61:
            position += 1
            while position < length and is_space(source[position]):
                position += 1
            value = position
            if position < length and (source[position] == 34 or source[position] == 39):
                value += 1
                quote = <const uint8_t*>memchr(source + value, source[position], length - value)
                if quote == NULL:
                    return
                value_end = quote - source
                position = value_end + 1
            else:
                while position < length and source[position] != 62 and not is_space(source[position]):
                    position += 1
                value_end = position
        else:
            position = name_end
        if named(source + name, name_end - name, b"class", 5):
            sign(r, source + value, value_end - value)
            read_name(r, source + value, value_end - value)
        elif named(source + name, name_end - name, b"id", 2) or named(source + name, name_end - name, b"role", 4) \
                or named(source + name, name_end - name, b"itemprop", 8) \
                or named(source + name, name_end - name, b"itemtype", 8):
            read_name(r, source + value, value_end - value)


def read_names(source: bytes, nodes, wanted, apart, automaton):
    """Topics of each node's names, joined with those of the nodes around it that hold the same text and no more,
    joined with those of all nodes around it, and a hash of tag and class of the first kind.

    `nodes` are start, end, parent and tag; `apart` marks those that hold less text than their parent.
    """
    cdef const uint8_t* text = <const uint8_t*><char*>source
    cdef const int32_t[:] start = nodes[0], end = nodes[1], parent = nodes[2], tag = nodes[3]
    cdef const uint8_t[:] want = wanted.view(np.uint8), alone = apart.view(np.uint8)
    cdef const uint16_t[:, ::1] following = automaton[0]
    cdef const uint64_t[::1] found = automaton[1]
    cdef Py_ssize_t count = min(start.shape[0], end.shape[0], parent.shape[0], tag.shape[0]), length = len(source)
    cdef Py_ssize_t node, above
    cdef Reading r
    if want.shape[0] < count or alone.shape[0] < count:
        raise ValueError("a mark for every node is wanted")
    near_topics, far_topics = np.zeros(count, dtype=np.uint64), np.zeros(count, dtype=np.uint64)
    signatures = np.zeros(count, dtype=np.uint32)
    cdef uint64_t[::1] near = near_topics, far = far_topics
    cdef uint32_t[::1] signature = signatures
    r.following, r.found = &following[0, 0], &found[0]
    with nogil:
        for node in range(count):
            r.topics, r.signature = 0, 0
            if want[node] and 0 <= start[node] < end[node] <= length:
                read_tag(&r, text, start[node] + 1, end[node])
            above = parent[node]
            r.signature = (r.signature ^ <uint32_t>tag[node]) * PRIME
            near[node] = far[node] = r.topics
            if 0 <= above < node:
                far[node] |= far[above]
                if not alone[node]:
                    near[node] |= near[above]
                    r.signature = (r.signature ^ signature[above]) * PRIME
            signature[node] = r.signature
    return near_topics, far_topics, signatures


cdef struct Text:
    uint8_t* vocabulary
    uint8_t* stretches
    uint32_t word, previous, second, third
    Py_ssize_t words
    Py_ssize_t size
    int32_t counts[COLUMNS]
    uint32_t text
    int last


cdef inline void end_word(Text* t, uint8_t marked) noexcept nogil:
    """Close the word that was being read: learn it where `marked`, else look it up."""
    cdef uint8_t known
    cdef uint32_t pair
    if t.size:
        pair = ((t.previous * PRIME) ^ t.word) * PRIME
        pair ^= pair >> 15
        if marked:
            t.vocabulary[(t.word ^ t.word >> 15) & (WORDS - 1)] |= marked & 3 if t.size >= WORD_LIMIT else 0
            t.vocabulary[pair & (WORDS - 1)] |= marked & 4
        else:
            if t.size >= WORD_LIMIT:
                known = t.vocabulary[(t.word ^ t.word >> 15) & (WORDS - 1)]
                t.counts[S_TITLE] += known & 1
                t.counts[S_DESCRIPTION] += known >> 1 & 1
            t.counts[S_PAIRS] += t.vocabulary[pair & (WORDS - 1)] >> 2 & 1
            if t.words >= 3:
                pair = ((((t.third * PRIME) ^ t.second) * PRIME ^ t.previous) * PRIME ^ t.word) * PRIME
                pair ^= pair >> 15
                t.counts[S_REPEATED] += t.stretches[pair & (SLOTS - 1)]
                t.stretches[pair & (SLOTS - 1)] = 1
        t.text = (t.text ^ t.word) * PRIME
        t.third, t.second, t.previous = t.second, t.previous, t.word
        t.words += 1
    t.word, t.size = OFFSET, 0


cdef inline Py_ssize_t reference_end(const uint8_t* text, Py_ssize_t position, Py_ssize_t length) noexcept nogil:
    """Where the character reference at "&" ends, or 0 where there is none."""
    cdef Py_ssize_t index = position + 1
    while index < length and index < position + REFERENCE_LIMIT:
        if text[index] == 59:
            return index + 1
        if not (is_letter(text[index]) or 48 <= text[index] <= 57 or text[index] == 35):
            return 0
        index += 1
    return 0


cdef void read_text(Text* t, const uint8_t* text, Py_ssize_t position, Py_ssize_t length, uint8_t marked) noexcept nogil:
    cdef uint32_t code
    cdef Py_ssize_t size, after
    cdef int kind
    cdef uint8_t byte
    cdef bint begun = False
    t.word, t.previous, t.second, t.third, t.words = OFFSET, 0, 0, 0, 0
    t.size, t.text, t.last = 0, OFFSET, C_SPACE
    while position < length:
        byte = text[position]
        if byte < 0x80:
            if byte == 38:
                after = reference_end(text, position, length)
                if after:
                    end_word(t, marked)
                    t.last = C_WORD
                    begun = True
                    position = after
                    continue
            size, code = 1, byte
        elif byte < 0xE0:
            size = 2
            code = (byte & 0x1F) << 6 | (text[position + 1] & 0x3F) if position + 1 < length else 0
        elif byte < 0xF0:
            size = 3
            code = (byte & 0x0F) << 12 | (text[position + 1] & 0x3F) << 6 | (text[position + 2] & 0x3F) \
                if position + 2 < length else 0
        else:
            size, code = 4, 0x10000
        kind = class_of[code] if code < CLASSES else C_WORD
        if kind <= C_UPPER:  # a letter or a digit
            if kind:
                t.counts[kind - 1] += 1
                if kind == C_UPPER and not begun:
                    t.counts[S_CAPITAL] = 1
            for after in range(position, min(position + size, length)):
                byte = text[after]
                t.word = (t.word ^ (byte | 0x20 if is_letter(byte) else byte)) * PRIME
                t.size += 1
            t.last = kind
            begun = True
        else:
            end_word(t, marked)
            if kind != C_SPACE:
                t.counts[kind - 1] += 1
                t.last = kind
                begun = True
        position += size
    end_word(t, marked)
    t.counts[S_FINAL] = t.last == C_END
    t.counts[S_TEXT] = <int32_t>t.text


def read_shapes(source: bytes, start, end, title: bytes, description: bytes, told: bytes):
    """For each text from `start` to `end` a row of `Shape`."""
    cdef const uint8_t* text = <const uint8_t*><char*>source
    cdef const uint8_t* words
    cdef const int32_t[:] first = start, last = end
    cdef Py_ssize_t count = min(first.shape[0], last.shape[0]), length = len(source), index
    cdef int column
    cdef Text t
    vocabulary, stretches = np.zeros(WORDS, dtype=np.uint8), np.zeros(SLOTS, dtype=np.uint8)
    shapes = np.zeros((count, COLUMNS), dtype=np.int32)
    cdef uint8_t[::1] known = vocabulary, had = stretches
    cdef int32_t[:, ::1] shape = shapes
    t.vocabulary, t.stretches = &known[0], &had[0]
    words = <const uint8_t*><char*>title
    read_text(&t, words, 0, len(title), 1)
    words = <const uint8_t*><char*>description
    read_text(&t, words, 0, len(description), 6)
    words = <const uint8_t*><char*>told
    read_text(&t, words, 0, len(told), 4)
    with nogil:
        for index in range(count):
            for column in range(COLUMNS):
                t.counts[column] = 0
            if 0 <= first[index] < last[index] <= length:
                read_text(&t, text, first[index], last[index], 0)
            for column in range(COLUMNS):
                shape[index, column] = t.counts[column]
    return shapes
