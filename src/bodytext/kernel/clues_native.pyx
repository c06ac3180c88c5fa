# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Read clues from names and letters: the native twin of `clues.py`, which explains how."""

from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memchr, memcmp, memcpy

include "constants.pxi"
include "columns.pxi"

import numpy as np

from bodytext.kernel.feature_columns import NAMED_TAGS
from bodytext.kernel.letters import CLASS_OF, LEARNT

cdef enum:
    # What a byte is to the loop over a text, apart from a class of characters.
    BYTE_REFERENCE = CLASS_SPACE + 1  # the "&" of a character reference, perhaps
    BYTE_WIDE = CLASS_SPACE + 2  # the first byte of a character of several
    # Parts of what is known of a byte.
    BYTE_KIND = 0xF00
    BYTE_UPPER = CLASS_UPPER << 8
    BYTE_COUNTS = 16
    # Bytes that mean something between the names of a tag.
    SPACE = 1
    SLASH = 2
    CLOSE = 4
    EQUALS = 8
    REMEMBERED = 512  # values of attributes whose topics are kept for the next tag that has them
    LOWER_BIT = 0x20  # tells a small letter of ASCII from its capital

cdef const uint8_t* class_of
cdef object class_table = CLASS_OF
class_of = <const uint8_t*><char*>class_table

cdef uint8_t has_names[TAGS_COUNT]
cdef uint64_t known_of[256]  # of a byte: a letter in lower case, the class, and what it adds to the counters
cdef uint8_t letter_of[256]  # of the automaton
cdef uint8_t mark_of[256]
cdef uint64_t counter_of[3]  # letters, digits and capitals in one number: 32 bits for digits, 32 for capitals


cdef int fill_tables() except -1:
    cdef int index, kind
    counter_of[CLASS_WORD], counter_of[CLASS_DIGIT], counter_of[CLASS_UPPER] = 0, 1ULL << 32, 1
    for index in range(TAGS_COUNT):
        has_names[index] = NAMED_TAGS[index]
    for index in range(256):
        kind = BYTE_WIDE if index >= 0x80 else class_of[index]
        if index == c'&':
            kind = BYTE_REFERENCE
        known_of[index] = (index | LOWER_BIT if is_letter(index) else index) | kind << 8
        if kind <= CLASS_UPPER:
            known_of[index] |= counter_of[kind] << BYTE_COUNTS
        mark_of[index] = SPACE if index in b"\t\n\f\r " else 0
        letter_of[index] = (index | LOWER_BIT) - c'a' if is_letter(index) else EDGE
    mark_of[c'/'], mark_of[c'>'], mark_of[c'='] = SLASH, CLOSE, EQUALS
    return 0


cdef inline bint is_letter(uint8_t byte) noexcept nogil:
    return c'a' <= (byte | LOWER_BIT) <= c'z'


fill_tables()


cdef inline bint named(const uint8_t* text, Py_ssize_t length, const char* name) noexcept nogil:
    cdef Py_ssize_t index
    for index in range(length):
        if (text[index] | LOWER_BIT) != <uint8_t>name[index]:
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
    """Run the automaton over one name. An edge comes before, after and between its words.

    The signature is a hash of the name without its digits, which number the items of a list.
    """
    cdef const uint16_t* following = r.following
    cdef const uint64_t* found = r.found
    cdef const uint8_t* text = value.text
    cdef uint64_t topics = 0
    cdef uint32_t signature = FNV_OFFSET
    cdef int state = following[EDGE]
    cdef Py_ssize_t index
    cdef bint small = False
    cdef uint8_t byte
    for index in range(min(value.length, LONGEST_CLASS)):
        byte = text[index]
        if small and c'A' <= byte <= c'Z':
            state = following[(state * ALPHABET | EDGE)]
            topics |= found[state]
        small = c'a' <= byte <= c'z'
        state = following[state * ALPHABET + letter_of[byte]]
        topics |= found[state]
        if not c'0' <= byte <= c'9':
            signature = (signature ^ byte) * FNV_PRIME
    value.topics = topics | found[following[(state * ALPHABET | EDGE)]]
    value.signature = signature


cdef inline Value* recall(Reading* r, const uint8_t* text, Py_ssize_t length) noexcept nogil:
    """The topics of a name. Pages repeat their classes, so those read last are kept."""
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
        if position >= length or source[position] == c'>':
            return
        name = position
        position += 1
        while position < length and not mark_of[source[position]]:
            position += 1
        name_end = value = value_end = position
        while position < length and mark_of[source[position]] & SPACE:
            position += 1
        if position < length and source[position] == c'=':
            position += 1
            while position < length and mark_of[source[position]] & SPACE:
                position += 1
            value = position
            if position < length and (source[position] == c'"' or source[position] == c"'"):
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
    """Read the topics of each node and of those around it, and find the node around it that holds more text."""
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
            if first < stop and 0 <= own < TAGS_COUNT and has_names[own] \
                    and 0 <= get(&start, node) < get(&end, node) <= length:
                read_tag(&r, text, get(&start, node) + 1, get(&end, node))
            above = get(&parent, node)
            r.signature = (r.signature ^ <uint32_t>own) * FNV_PRIME
            near[node] = far[node] = r.topics
            up[node] = 0
            if 0 <= above < node:
                far[node] |= far[above]
                up[node] = <int32_t>above
                if first == get(&first_run, above) and stop == get(&stop_run, above):
                    near[node] |= near[above]
                    r.signature = (r.signature ^ signature[above]) * FNV_PRIME
                    up[node] = up[above]
            signature[node] = r.signature
    return near_topics, far_topics, signatures, larger


cdef inline bint holds_word(
    const uint8_t* text, Py_ssize_t length, const uint8_t* word, Py_ssize_t size
) noexcept nogil:
    """Whether a text has a word of three letters or more. Its third letter is looked for: many begin with an "e"."""
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
    """Find, among the first `most` tags with this number, those that hold one of the words: their starts and ends.

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
                raise ValueError("each word must have three bytes or more")
            if holds_word(text + start, end - start, <const uint8_t*><char*>word, len(word)):
                found.append((start, end))
                break
    return found


cdef struct Vocabulary:
    uint8_t* words  # of title and description, and pairs of words of description and structured data
    uint8_t* stretches  # of four words that the page has had, a bit each


cdef struct Text:
    uint32_t previous, second, third, text
    int32_t words, titled, described, pairs, repeated


cdef inline void learn_word(Vocabulary* v, Text* t, uint32_t word, Py_ssize_t size, uint8_t marked) noexcept nogil:
    cdef uint32_t pair = ((t.previous * FNV_PRIME) ^ word) * FNV_PRIME
    if size >= SHORTEST_WORD:
        v.words[(word ^ word >> 15) & (VOCABULARY - 1)] |= marked & (TITLE_WORD | DESCRIPTION_WORD)
    v.words[(pair ^ pair >> 15) & (VOCABULARY - 1)] |= marked & KNOWN_PAIR
    t.previous = word


cdef inline void look_up(Vocabulary* v, Text* t, uint32_t word, Py_ssize_t size) noexcept nogil:
    cdef uint32_t hashed = ((t.previous * FNV_PRIME) ^ word) * FNV_PRIME
    cdef uint8_t known = v.words[(word ^ word >> 15) & (VOCABULARY - 1)] if size >= SHORTEST_WORD else 0
    t.titled += (known & TITLE_WORD) != 0
    t.described += (known & DESCRIPTION_WORD) != 0
    t.pairs += (v.words[(hashed ^ hashed >> 15) & (VOCABULARY - 1)] & KNOWN_PAIR) != 0
    if t.words >= 3:
        hashed = ((((t.third * FNV_PRIME) ^ t.second) * FNV_PRIME ^ t.previous) * FNV_PRIME ^ word) * FNV_PRIME
        hashed = (hashed ^ hashed >> 15) & (STRETCHES - 1)
        known = v.stretches[hashed >> 3]
        t.repeated += known >> (hashed & 7) & 1
        v.stretches[hashed >> 3] = known | <uint8_t>(1 << (hashed & 7))
    t.text = (t.text ^ word) * FNV_PRIME
    t.third, t.second, t.previous = t.second, t.previous, word
    t.words += 1


cdef inline void end_word(Vocabulary* v, Text* t, uint32_t word, Py_ssize_t size, uint8_t marked) noexcept nogil:
    """Finish the word that was being read: learn it if `marked`, else look it up."""
    if marked:
        learn_word(v, t, word, size, marked)
    else:
        look_up(v, t, word, size)


cdef inline Py_ssize_t reference_end(const uint8_t* text, Py_ssize_t position, Py_ssize_t length) noexcept nogil:
    """Where the character reference at "&" ends, or 0 if there is none."""
    cdef Py_ssize_t index = position + 1
    while index < length and index < position + LONGEST_REFERENCE:
        if text[index] == c';':
            return index + 1
        if not (is_letter(text[index]) or c'0' <= text[index] <= c'9' or text[index] == c'#'):
            return 0
        index += 1
    return 0


cdef inline int wide_class(const uint8_t* text, Py_ssize_t left, Py_ssize_t* size) noexcept nogil:
    """The class of a character of several bytes, and how many they are; one that is cut off is part of a word."""
    if text[0] < 0xE0:
        size[0] = 2
        return class_of[(text[0] & 0x1F) << 6 | (text[1] & 0x3F)] if left > 1 else CLASS_WORD
    if text[0] < 0xF0:
        size[0] = 3
        return class_of[(text[0] & 0x0F) << 12 | (text[1] & 0x3F) << 6 | (text[2] & 0x3F)] if left > 2 else CLASS_WORD
    size[0] = 4
    return CLASS_WORD


cdef void read_text(
    Vocabulary* v, const uint8_t* text, Py_ssize_t length, int32_t* counts, uint8_t marked
) noexcept nogil:
    """Count what is in a text; if `marked`, only learn its words."""
    cdef Text t
    cdef uint32_t word = FNV_OFFSET
    cdef Py_ssize_t position = 0, letters = 0, size
    cdef int kind, last = CLASS_SPACE
    cdef uint64_t known, seen = 0  # digits and capitals
    t.previous, t.second, t.third, t.text = 0, 0, 0, FNV_OFFSET
    t.words, t.titled, t.described, t.pairs, t.repeated = 0, 0, 0, 0, 0
    while position < length:
        kind = (known_of[text[position]] & BYTE_KIND) >> 8
        if kind <= CLASS_UPPER:
            last, size = CLASS_WORD, position
            known = known_of[text[position]]
            while known & BYTE_KIND <= BYTE_UPPER:
                word = (word ^ <uint8_t>known) * FNV_PRIME
                seen += known >> BYTE_COUNTS
                position += 1
                if position >= length:
                    break
                known = known_of[text[position]]
            kind = (known & BYTE_KIND) >> 8
            letters += position - size
            if position >= length:
                break
        size = 1
        if kind == BYTE_REFERENCE:
            size = reference_end(text, position, length) - position
            if size > 0:
                kind, last = CLASS_SPACE, CLASS_WORD
            else:
                kind, size = class_of[c'&'], 1
        elif kind == BYTE_WIDE:
            kind = wide_class(text + position, length - position, &size)
            size = min(size, length - position)
            if kind <= CLASS_UPPER:
                last = CLASS_WORD
                letters += size
                seen += counter_of[kind]
                for size in range(position, position + size):
                    word = (word ^ <uint8_t>known_of[text[size]]) * FNV_PRIME
                    position += 1
                continue
        if letters:
            end_word(v, &t, word, letters, marked)
            word, letters = FNV_OFFSET, 0
        if kind != CLASS_SPACE:
            counts[kind - 1] += 1
            last = kind
        position += size
    if letters:
        end_word(v, &t, word, letters, marked)
    counts[CLASS_DIGIT - 1], counts[CLASS_UPPER - 1] = <int32_t>(seen >> 32), <int32_t>seen
    counts[SHAPE_TITLE_WORDS], counts[SHAPE_DESCRIPTION_WORDS], counts[SHAPE_TOLD_PAIRS] = t.titled, t.described, t.pairs
    counts[SHAPE_REPEATED], counts[SHAPE_FINAL] = t.repeated, last == CLASS_END
    counts[SHAPE_TEXT] = <int32_t>t.text


def read_shapes(source: bytes, start, end, known):
    """Return a row of `Shape` for each text from `start` to `end`. `known` are title, description and structured data."""
    cdef const uint8_t* text = <const uint8_t*><char*>source
    cdef Py_ssize_t count = len(start), length = len(source), index
    cdef const uint8_t* words
    cdef Column first, last
    cdef int32_t unused[SHAPE_COUNT]
    cdef Vocabulary v
    cdef bytes data
    take(&first, start, count)
    take(&last, end, count)
    shapes = np.zeros((count + 1, SHAPE_COUNT), dtype=np.int32)
    cdef int32_t[:, ::1] shape = shapes
    v.words = <uint8_t*>calloc(VOCABULARY + STRETCHES // 8, 1)
    if v.words == NULL:
        raise MemoryError
    v.stretches = v.words + VOCABULARY
    try:
        for data, mark in zip(known, LEARNT, strict=True):
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
