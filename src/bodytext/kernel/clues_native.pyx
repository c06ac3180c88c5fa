# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""What names and letters hint at, native: `clues.py` is the same in plain Python and says why."""

from cpython.buffer cimport PyBUF_STRIDED_RO, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memchr, memcmp, memcpy

import numpy as np

from bodytext.kernel import letters
from bodytext.kernel.columns import HOLDS
from bodytext.kernel.letters import LEARNT, Class, Shape
from bodytext.kernel.class_names import EDGE

cdef enum:
    COLUMNS = 13
    MAX_TAGS = 256
    ALPHABET = 32
    NAME_EDGE = 26
    NAME_LIMIT = 512
    REFERENCE_LIMIT = 12
    WORD_LIMIT = 3
    WORDS = 1 << 16
    SLOTS = 1 << 17
    # Classes of characters; the last two are what a byte is to the loop over a text.
    C_WORD = 0
    C_DIGIT = 1
    C_UPPER = 2
    C_END = 3
    C_SPACE = 8
    C_REFERENCE = 9
    C_WIDE = 10  # the first byte of a character of several
    # What is told of a byte.
    T_KIND = 0xF00
    T_UPPER = 0x200
    T_COUNTS = 16
    # Columns of a shape.
    S_TITLE = 7
    S_DESCRIPTION = 8
    S_PAIRS = 9
    S_REPEATED = 10
    S_FINAL = 11
    S_TEXT = 12
    # Bytes that mean something between the names of a tag.
    SPACE = 1
    SLASH = 2
    CLOSE = 4
    EQUALS = 8
    # FNV-1a
    OFFSET = 2166136261u
    PRIME = 16777619u
    REMEMBERED = 512  # values of attributes whose topics are kept for the next tag that has them

cdef const uint8_t* class_of
cdef object class_table = letters.CLASS_OF
class_of = <const uint8_t*><char*>class_table
cdef int tags = len(HOLDS)

cdef uint8_t holds[MAX_TAGS]
cdef uint64_t told_of[256]  # of a byte: a letter in lower case, the class, and what it adds to the counters
cdef uint8_t letter_of[256]  # of the automaton
cdef uint8_t mark_of[256]
cdef uint64_t counter_of[3]  # letters, digits and capitals in one number: 32 bits for digits, 32 for capitals


cdef int fill_tables() except -1:
    known = (
        letters.SHAPES, EDGE, letters.LONGEST_NAME, letters.LONGEST_REFERENCE, letters.SHORTEST_WORD,
        letters.VOCABULARY, letters.STRETCHES, Class.WORD, Class.DIGIT, Class.UPPER, Class.END, Class.SPACE, Shape.TITLE_WORDS,
        Shape.DESCRIPTION_WORDS, Shape.TOLD_PAIRS, Shape.REPEATED, Shape.FINAL, Shape.TEXT,
    )
    if known != (
        COLUMNS, NAME_EDGE, NAME_LIMIT, REFERENCE_LIMIT, WORD_LIMIT, WORDS, SLOTS, C_WORD, C_DIGIT, C_UPPER, C_END, C_SPACE,
        S_TITLE, S_DESCRIPTION, S_PAIRS, S_REPEATED, S_FINAL, S_TEXT,
    ) or tags > MAX_TAGS:
        raise ImportError("the tables have changed")
    cdef int index, kind
    counter_of[C_WORD], counter_of[C_DIGIT], counter_of[C_UPPER] = 0, 1ULL << 32, 1
    for index in range(tags):
        holds[index] = HOLDS[index]
    for index in range(256):
        kind = C_WIDE if index >= 0x80 else C_REFERENCE if index == 38 else class_of[index]
        told_of[index] = (index | 0x20 if is_letter(index) else index) | kind << 8
        if kind <= C_UPPER:
            told_of[index] |= counter_of[kind] << T_COUNTS
        mark_of[index] = (
            SPACE if index in b"\t\n\f\r " else SLASH if index == 47 else CLOSE if index == 62 else EQUALS if index == 61 else 0
        )
        letter_of[index] = (index | 0x20) - 97 if is_letter(index) else NAME_EDGE
    return 0


cdef struct Column:
    const char* data
    Py_ssize_t stride


cdef inline int32_t get(Column* column, Py_ssize_t row) noexcept nogil:
    return (<const int32_t*>(column.data + row * column.stride))[0]


cdef int take(Column* column, object array, Py_ssize_t count) except -1:
    """Point into an array of 32-bit integers, which the caller keeps."""
    cdef Py_buffer view
    PyObject_GetBuffer(array, &view, PyBUF_STRIDED_RO)
    column.data, column.stride = <const char*>view.buf, view.strides[0]
    cdef bint fits = view.ndim == 1 and view.itemsize == 4 and view.shape[0] == count
    PyBuffer_Release(&view)
    if not fits:
        raise ValueError("columns of 32-bit integers of one length are wanted")
    return 0


cdef inline bint is_letter(uint8_t byte) noexcept nogil:
    return 97 <= (byte | 0x20) <= 122


fill_tables()


cdef inline bint named(const uint8_t* text, Py_ssize_t length, const char* name) noexcept nogil:
    cdef Py_ssize_t index
    for index in range(length):
        if (text[index] | 0x20) != <uint8_t>name[index]:
            return False
    return True


cdef inline int sort_of(const uint8_t* name, Py_ssize_t length) noexcept nogil:
    """2 for a class, 1 for another attribute whose value is a name, else 0."""
    if length == 5:
        return 2 if named(name, 5, b"class") else 0
    if length == 2:
        return named(name, 2, b"id")
    if length == 4:
        return named(name, 4, b"role")
    return length == 8 and (named(name, 8, b"itemprop") or named(name, 8, b"itemtype"))


cdef struct Value:
    const uint8_t* text
    Py_ssize_t length
    uint64_t topics
    uint32_t signature


cdef struct Reading:
    const uint16_t* following
    const uint64_t* found
    uint64_t topics
    uint32_t signature
    Value values[REMEMBERED]


cdef void read_name(Reading* r, Value* value) noexcept nogil:
    """Run the automaton over one name; an edge stands before, behind and between the words of it.

    The signature hashes it without its digits: they number the items of a list.
    """
    cdef const uint16_t* following = r.following
    cdef const uint64_t* found = r.found
    cdef const uint8_t* text = value.text
    cdef uint64_t topics = 0
    cdef uint32_t signature = OFFSET
    cdef int state = following[NAME_EDGE]
    cdef Py_ssize_t index
    cdef bint small = False
    cdef uint8_t byte
    for index in range(min(value.length, NAME_LIMIT)):
        byte = text[index]
        if small and 65 <= byte <= 90:
            state = following[(state * ALPHABET | NAME_EDGE)]
            topics |= found[state]
        small = 97 <= byte <= 122
        state = following[state * ALPHABET + letter_of[byte]]
        topics |= found[state]
        if not 48 <= byte <= 57:
            signature = (signature ^ byte) * PRIME
    value.topics = topics | found[following[(state * ALPHABET | NAME_EDGE)]]
    value.signature = signature


cdef inline Value* recall(Reading* r, const uint8_t* text, Py_ssize_t length) noexcept nogil:
    """What a name says. Pages repeat their classes, so the last ones read are kept."""
    cdef uint64_t mixed = <uint64_t>length * 0x9E3779B97F4A7C15u, part
    cdef Py_ssize_t index = 0
    cdef Value* value
    while index + 8 <= length and index < 64:
        memcpy(&part, text + index, 8)
        mixed = (mixed ^ part) * 0x9E3779B97F4A7C15u
        mixed ^= mixed >> 29
        index += 8
    part = 0
    if index < length:
        memcpy(&part, text + index, min(length - index, 8))
        mixed = (mixed ^ part) * 0x9E3779B97F4A7C15u
    value = r.values + (mixed >> 32) % REMEMBERED
    if value.text == NULL or value.length != length or memcmp(value.text, text, length):
        value.text, value.length = text, length
        read_name(r, value)
    return value


cdef void read_tag(Reading* r, const uint8_t* source, Py_ssize_t position, Py_ssize_t length) noexcept nogil:
    """Read the names in a tag's attributes. `length` is where the tag ends."""
    cdef Py_ssize_t name, name_end, value, value_end
    cdef const uint8_t* quote
    cdef Value* known
    cdef int sort
    while position < length and not mark_of[source[position]] & (SPACE | SLASH | CLOSE):
        position += 1
    while True:
        while position < length and mark_of[source[position]] & (SPACE | SLASH):
            position += 1
        if position >= length or source[position] == 62:
            return
        name = position
        position += 1
        while position < length and not mark_of[source[position]]:
            position += 1
        name_end = value = value_end = position
        while position < length and mark_of[source[position]] & SPACE:
            position += 1
        if position < length and source[position] == 61:
            position += 1
            while position < length and mark_of[source[position]] & SPACE:
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
                while position < length and not mark_of[source[position]] & (SPACE | CLOSE):
                    position += 1
                value_end = position
        else:
            position = name_end
        sort = sort_of(source + name, name_end - name)
        if sort:
            known = recall(r, source + value, value_end - value)
            r.topics |= known.topics
            if sort == 2 and not r.signature:
                r.signature = known.signature


def read_topics(name: bytes, automaton):
    """The topics of one name, as bits."""
    cdef const uint16_t[:, ::1] following = automaton[0]
    cdef const uint64_t[::1] found = automaton[1]
    cdef Reading r
    cdef Value value
    r.following, r.found = &following[0, 0], &found[0]
    value.text, value.length = <const uint8_t*><char*>name, len(name)
    read_name(&r, &value)
    return value.topics


def read_names(source: bytes, nodes, automaton):
    """What the names of each node and of those around it say, and which node around it holds more text."""
    cdef const uint8_t* text = <const uint8_t*><char*>source
    cdef const uint16_t[:, ::1] following = automaton[0]
    cdef const uint64_t[::1] found = automaton[1]
    cdef Column tag, parent, first_run, stop_run, start, end
    cdef Py_ssize_t count = len(nodes[0]), length = len(source), node, above
    cdef int32_t first, stop, own
    cdef Reading r
    take(&tag, nodes[0], count)
    take(&parent, nodes[1], count)
    take(&first_run, nodes[2], count)
    take(&stop_run, nodes[3], count)
    take(&start, nodes[4], count)
    take(&end, nodes[5], count)
    near_topics, far_topics = np.empty(count, dtype=np.uint64), np.empty(count, dtype=np.uint64)
    signatures, larger = np.empty(count, dtype=np.uint32), np.empty(count, dtype=np.int32)
    cdef uint64_t[::1] near = near_topics, far = far_topics
    cdef uint32_t[::1] signature = signatures
    cdef int32_t[::1] up = larger
    r.following, r.found = &following[0, 0], &found[0]
    with nogil:
        for node in range(REMEMBERED):
            r.values[node].text = NULL
        for node in range(count):
            r.topics, r.signature = 0, 0
            first, stop, own = get(&first_run, node), get(&stop_run, node), get(&tag, node)
            if first < stop and 0 <= own < tags and holds[own] \
                    and 0 <= get(&start, node) < get(&end, node) <= length:
                read_tag(&r, text, get(&start, node) + 1, get(&end, node))
            above = get(&parent, node)
            r.signature = (r.signature ^ <uint32_t>own) * PRIME
            near[node] = far[node] = r.topics
            up[node] = 0
            if 0 <= above < node:
                far[node] |= far[above]
                up[node] = <int32_t>above
                if first == get(&first_run, above) and stop == get(&stop_run, above):
                    near[node] |= near[above]
                    r.signature = (r.signature ^ signature[above]) * PRIME
                    up[node] = up[above]
            signature[node] = r.signature
    return near_topics, far_topics, signatures, larger


cdef inline bint holds_word(
    const uint8_t* text, Py_ssize_t length, const uint8_t* word, Py_ssize_t size
) noexcept nogil:
    """Whether a word of three letters or more stands in a text. Its third letter is looked for: the first is an "e"."""
    cdef const uint8_t* stop = text + length - size + 3
    text += 2
    while text < stop:
        text = <const uint8_t*>memchr(text, word[2], stop - text)
        if text == NULL:
            return False
        if not memcmp(text - 2, word, size):
            return True
        text += 1
    return False


def find_tags(source: bytes, nodes, int tag, words, Py_ssize_t most):
    """Of the first `most` tags with this number those that hold one of the words: where each starts and ends.

    `nodes` are tag, start and end.
    """
    cdef const uint8_t* text = <const uint8_t*><char*>source
    cdef Column tags, starts, ends
    cdef Py_ssize_t count = len(nodes[0]), length = len(source), node
    cdef int32_t start, end
    cdef bytes word
    take(&tags, nodes[0], count)
    take(&starts, nodes[1], count)
    take(&ends, nodes[2], count)
    found = []
    for node in range(count):
        if get(&tags, node) != tag:
            continue
        if most <= 0:
            break
        most -= 1
        start, end = get(&starts, node), get(&ends, node)
        if not 0 <= start < end <= length:
            continue
        for word in words:
            if len(word) < 3:
                raise ValueError("words of three bytes or more are wanted")
            if holds_word(text + start, end - start, <const uint8_t*><char*>word, len(word)):
                found.append((start, end))
                break
    return found


cdef struct Vocabulary:
    uint8_t* words  # of title and description, pairs of words of what the page tells of itself
    uint8_t* stretches  # of four words that the page has had, a bit each


cdef struct Text:
    uint32_t previous, second, third, text
    int32_t words, titled, described, pairs, repeated


cdef inline void learn_word(Vocabulary* v, Text* t, uint32_t word, Py_ssize_t size, uint8_t marked) noexcept nogil:
    cdef uint32_t pair = ((t.previous * PRIME) ^ word) * PRIME
    if size >= WORD_LIMIT:
        v.words[(word ^ word >> 15) & (WORDS - 1)] |= marked & 3
    v.words[(pair ^ pair >> 15) & (WORDS - 1)] |= marked & 4
    t.previous = word


cdef inline void look_up(Vocabulary* v, Text* t, uint32_t word, Py_ssize_t size) noexcept nogil:
    cdef uint32_t hashed = ((t.previous * PRIME) ^ word) * PRIME
    cdef uint8_t known = v.words[(word ^ word >> 15) & (WORDS - 1)] if size >= WORD_LIMIT else 0
    t.titled += known & 1
    t.described += known >> 1 & 1
    t.pairs += v.words[(hashed ^ hashed >> 15) & (WORDS - 1)] >> 2 & 1
    if t.words >= 3:
        hashed = ((((t.third * PRIME) ^ t.second) * PRIME ^ t.previous) * PRIME ^ word) * PRIME
        hashed = (hashed ^ hashed >> 15) & (SLOTS - 1)
        known = v.stretches[hashed >> 3]
        t.repeated += known >> (hashed & 7) & 1
        v.stretches[hashed >> 3] = known | <uint8_t>(1 << (hashed & 7))
    t.text = (t.text ^ word) * PRIME
    t.third, t.second, t.previous = t.second, t.previous, word
    t.words += 1


cdef inline void end_word(Vocabulary* v, Text* t, uint32_t word, Py_ssize_t size, uint8_t marked) noexcept nogil:
    """Close the word that was being read: learn it where `marked`, else look it up."""
    if marked:
        learn_word(v, t, word, size, marked)
    else:
        look_up(v, t, word, size)


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


cdef inline int wide_class(const uint8_t* text, Py_ssize_t left, Py_ssize_t* size) noexcept nogil:
    """The class of a character of several bytes, and how many they are; one that is cut off is part of a word."""
    if text[0] < 0xE0:
        size[0] = 2
        return class_of[(text[0] & 0x1F) << 6 | (text[1] & 0x3F)] if left > 1 else C_WORD
    if text[0] < 0xF0:
        size[0] = 3
        return class_of[(text[0] & 0x0F) << 12 | (text[1] & 0x3F) << 6 | (text[2] & 0x3F)] if left > 2 else C_WORD
    size[0] = 4
    return C_WORD


cdef void read_text(
    Vocabulary* v, const uint8_t* text, Py_ssize_t length, int32_t* counts, uint8_t marked
) noexcept nogil:
    """Count what stands in a text; where `marked` only learn its words."""
    cdef Text t
    cdef uint32_t word = OFFSET
    cdef Py_ssize_t position = 0, letters = 0, size
    cdef int kind, last = C_SPACE
    cdef uint64_t told, seen = 0  # digits and capitals
    t.previous, t.second, t.third, t.text = 0, 0, 0, OFFSET
    t.words, t.titled, t.described, t.pairs, t.repeated = 0, 0, 0, 0, 0
    while position < length:
        kind = (told_of[text[position]] & T_KIND) >> 8
        if kind <= C_UPPER:
            last, size = C_WORD, position
            told = told_of[text[position]]
            while told & T_KIND <= T_UPPER:
                word = (word ^ <uint8_t>told) * PRIME
                seen += told >> T_COUNTS
                position += 1
                if position >= length:
                    break
                told = told_of[text[position]]
            kind = (told & T_KIND) >> 8
            letters += position - size
            if position >= length:
                break
        size = 1
        if kind == C_REFERENCE:
            size = reference_end(text, position, length) - position
            if size > 0:
                kind, last = C_SPACE, C_WORD
            else:
                kind, size = class_of[38], 1
        elif kind == C_WIDE:
            kind = wide_class(text + position, length - position, &size)
            size = min(size, length - position)
            if kind <= C_UPPER:
                last = C_WORD
                letters += size
                seen += counter_of[kind]
                for size in range(position, position + size):
                    word = (word ^ <uint8_t>told_of[text[size]]) * PRIME
                    position += 1
                continue
        if letters:
            end_word(v, &t, word, letters, marked)
            word, letters = OFFSET, 0
        if kind != C_SPACE:
            counts[kind - 1] += 1
            last = kind
        position += size
    if letters:
        end_word(v, &t, word, letters, marked)
    counts[C_DIGIT - 1], counts[C_UPPER - 1] = <int32_t>(seen >> 32), <int32_t>seen
    counts[S_TITLE], counts[S_DESCRIPTION], counts[S_PAIRS] = t.titled, t.described, t.pairs
    counts[S_REPEATED], counts[S_FINAL] = t.repeated, last == C_END
    counts[S_TEXT] = <int32_t>t.text


def read_shapes(source: bytes, start, end, told):
    """For each text from `start` to `end` a row of `Shape`. `told` are title, description and structured data."""
    cdef const uint8_t* text = <const uint8_t*><char*>source
    cdef Py_ssize_t count = len(start), length = len(source), index
    cdef const uint8_t* words
    cdef Column first, last
    cdef int32_t unused[COLUMNS]
    cdef Vocabulary v
    cdef bytes data
    take(&first, start, count)
    take(&last, end, count)
    shapes = np.zeros((count + 1, COLUMNS), dtype=np.int32)
    cdef int32_t[:, ::1] shape = shapes
    v.words = <uint8_t*>calloc(WORDS + SLOTS // 8, 1)
    if v.words == NULL:
        raise MemoryError
    v.stretches = v.words + WORDS
    try:
        for data, mark in zip(told, LEARNT, strict=True):
            words = <const uint8_t*><char*>data
            read_text(&v, words, len(data), unused, mark)
        with nogil:
            for index in range(count):
                if 0 <= get(&first, index) < get(&last, index) <= length:
                    read_text(
                        &v, text + get(&first, index), get(&last, index) - get(&first, index), &shape[index, 0], 0
                    )
    finally:
        free(v.words)
    return shapes[:count]
