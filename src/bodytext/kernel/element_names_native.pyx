# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Read the names of elements: the native twin of `element_names.py`, which explains how.

The twin reads what is not ASCII. Pages repeat their classes and names, so those read last are kept.
"""

from libc.stdint cimport int32_t, uint8_t, uint64_t
from libc.string cimport memcpy, memset

import numpy as np

from _thread import allocate_lock

include "constants.pxi"
include "columns.pxi"
include "page_tables.pxi"
include "tags.pxi"

from bodytext.kernel.html import TAGS

cdef extern from "bytes.h" nogil:
    uint64_t read_eight(const uint8_t* text, Py_ssize_t length, Py_ssize_t left)

cdef enum:
    CLASS, ID, TEST_ID, TYPE, PROPERTY, REL, HREF, DATETIME, UNREAD  # attributes
    CREATOR = 1  # bits, as the twin has them
    NAME = 2
    PROFILE = 4
    DATE = 8
    CHANGE = 16
    LONGEST_READ = 4096  # bounds, as the twin has them
    MOST_WORDS = 16
    MOST_ITEM_WORDS = 2
    LONGEST_WORD = 64
    MOST_NAMES = 1 + MOST_WORDS + 2 + 2 * MOST_ITEM_WORDS  # of one element
    LONGEST_KEY = LONGEST_TAG + 1 + 2 * LONGEST_WORD  # a hyphen may come before each letter
    MOST_PARTS = 32  # of addresses
    REMEMBERED = 512  # names and classes

cdef object twin = None
cdef object filling = allocate_lock()  # first calls may come at once
cdef list tag_names = [(name or "?").encode() for name in TAGS]
cdef uint64_t NAME_ID, NAME_REL, NAME_HREF, NAME_CLASS, NAME_PROPERTY, NAME_TYPE, NAME_DATETIME, NAME_TEST, NAME_TEST_END


cdef inline uint64_t letters_of(bytes name):
    return read_eight(name, len(name), len(name))


NAME_ID, NAME_REL, NAME_HREF, NAME_CLASS = letters_of(b"id"), letters_of(b"rel"), letters_of(b"href"), letters_of(b"class")
NAME_PROPERTY, NAME_TYPE, NAME_DATETIME = letters_of(b"itemprop"), letters_of(b"itemtype"), letters_of(b"datetime")
NAME_TEST, NAME_TEST_END = letters_of(b"data-tes"), letters_of(b"tid")


cdef enum:
    ANYTHING, SEPARATOR, DIGIT, WORD  # what follows a part of an address


cdef struct Part:
    const char* text
    int size, follower


cdef Part parts[MOST_PARTS]  # of the addresses of people's pages, in the order of their first bytes
cdef uint8_t first_part[257]  # with each first byte
cdef list part_texts = []


cdef int load_twin() except -1:
    """Import the twin, no sooner than it is needed, and take its table."""
    global twin
    cdef int number, byte
    from bodytext.kernel import element_names

    names = "CREATOR NAME PROFILE DATE CHANGE LONGEST_READ MOST_WORDS MOST_ITEM_WORDS LONGEST_WORD".split()
    numbers = CREATOR, NAME, PROFILE, DATE, CHANGE, LONGEST_READ, MOST_WORDS, MOST_ITEM_WORDS, LONGEST_WORD
    if numbers != tuple(getattr(element_names, name) for name in names):
        raise ImportError("element_names.py and element_names_native.pyx differ")
    listed = sorted(
        (part.encode(), follower)
        for follower, texts in enumerate(element_names.PROFILE_PARTS.values())
        for part in texts.split()
    )
    if len(listed) > MOST_PARTS or len(element_names.PROFILE_PARTS) != WORD + 1:
        raise ImportError("there are other parts of addresses than element_names_native.pyx knows")
    part_texts.extend([text for text, _ in listed])  # keeps them
    for number, (text, follower) in enumerate(listed):
        parts[number].text, parts[number].size, parts[number].follower = <const char*><bytes>text, len(text), follower
    for byte in range(257):
        first_part[byte] = sum([text[0] < byte for text, _ in listed])
    twin = element_names
    return 0


cdef struct Value:
    const uint8_t* text  # NULL if the tag has no such attribute
    Py_ssize_t size


cdef struct Key:
    const char* text
    Py_ssize_t size, number


cdef struct Class:
    const uint8_t* text  # NULL if there is none
    Py_ssize_t size, first, count  # where the names of an element with this class are
    int tag


cdef inline bint splits(uint8_t byte) noexcept nogil:
    """Whether Python splits an ASCII text here."""
    return byte == c' ' or 9 <= byte <= 13 or 28 <= byte <= 31


cdef inline int find_attribute(const uint8_t* name, Py_ssize_t size, Py_ssize_t left) noexcept nogil:
    """Which attribute has this name."""
    cdef uint64_t letters
    if size > 11:
        return UNREAD
    letters = read_eight(name, size, left)
    if size == 2:
        return ID if letters == NAME_ID else UNREAD
    if size == 3:
        return REL if letters == NAME_REL else UNREAD
    if size == 4:
        return HREF if letters == NAME_HREF else UNREAD
    if size == 5:
        return CLASS if letters == NAME_CLASS else UNREAD
    if size == 8:
        if letters == NAME_PROPERTY:
            return PROPERTY
        return TYPE if letters == NAME_TYPE else DATETIME if letters == NAME_DATETIME else UNREAD
    if size == 11 and letters == NAME_TEST and read_eight(name + 8, 3, left - 8) == NAME_TEST_END:
        return TEST_ID
    return UNREAD


cdef bint read_values(const uint8_t* text, Py_ssize_t size, Value* values) noexcept nogil:
    """Find the values of a tag's attributes; return whether all names in them are ASCII."""
    cdef Attribute attribute
    cdef Py_ssize_t position = 0
    cdef int number
    cdef bint is_plain = True
    memset(values, 0, UNREAD * sizeof(Value))
    while True:
        position = read_raw(text, position, size, &attribute)
        if position < 0:
            break
        number = find_attribute(text + attribute.name, attribute.name_end - attribute.name, size - attribute.name)
        if number != UNREAD and values[number].text is NULL:
            values[number].text, values[number].size = text + attribute.value, attribute.value_end - attribute.value
            is_plain = is_plain and is_ascii(values[number].text, values[number].size)
    if values[CLASS].text is NULL:
        values[CLASS].text = text
    return is_plain


cdef Py_ssize_t write_shape(const Value* word, char* out) noexcept nogil:
    """Write the shape of an ASCII word; return its size."""
    cdef Py_ssize_t at, count = 0
    cdef uint8_t byte, last = 0
    for at in range(min(word.size, LONGEST_WORD)):
        byte = word.text[at]
        if c'0' <= byte <= c'9':
            if last == c'#' and c'0' <= word.text[at - 1] <= c'9':
                continue
            byte = c'#'
        elif c'A' <= byte <= c'Z' and c'a' <= last <= c'z':
            out[count] = c'-'
            count += 1
        out[count] = lower(byte)
        count += 1
        last = byte
    return count


cdef inline uint64_t mix(const uint8_t* text, Py_ssize_t size, uint64_t mixed) noexcept nogil:
    cdef uint64_t part
    cdef Py_ssize_t at = 0
    mixed = (mixed ^ <uint64_t>size) * 0x9E3779B97F4A7C15u
    while at + 8 <= size:
        memcpy(&part, text + at, 8)
        mixed = (mixed ^ part) * 0x9E3779B97F4A7C15u
        mixed ^= mixed >> 29
        at += 8
    part = 0
    memcpy(&part, text + at, size - at)
    mixed = (mixed ^ part) * 0x9E3779B97F4A7C15u
    return mixed >> 32


cdef inline Py_ssize_t next_word(const Value* value, Py_ssize_t at, Value* word) noexcept nogil:
    """Find the word of a value after a place; return where it ends, or -1 if there is none."""
    while at < value.size and splits(value.text[at]):
        at += 1
    if at >= value.size:
        return -1
    word.text = value.text + at
    while at < value.size and not splits(value.text[at]):
        at += 1
    word.size = value.text + at - word.text
    return at


cdef Py_ssize_t write_tag(int tag, char* out) except -1:
    cdef bytes name = tag_names[tag]
    memcpy(out, <const char*>name, len(name))
    return len(name)


cdef bint holds(const Value* value, const char* word, Py_ssize_t size) noexcept nogil:
    """Whether a value holds a word in small letters."""
    cdef Py_ssize_t at, place
    for at in range(value.size - size + 1):
        place = 0
        while place < size and lower(value.text[at + place]) == <uint8_t>word[place]:
            place += 1
        if place == size:
            return True
    return False


cdef bint is_word(const Value* value, const char* word, Py_ssize_t size) noexcept nogil:
    return value.size == size and holds(value, word, size)


cdef inline bint follows(int follower, uint8_t byte) noexcept nogil:
    if follower == SEPARATOR:
        return byte in (c'/', c'=', c'?', c'.', c'-')
    if c'0' <= byte <= c'9':
        return True
    return follower == WORD and (byte == c'_' or c'a' <= lower(byte) <= c'z')


cdef bint is_profile(const Value* address) noexcept nogil:
    """Whether an ASCII address is that of a person's page."""
    cdef Py_ssize_t at, left
    cdef const Part* part
    cdef int number, place
    cdef uint8_t byte
    for at in range(address.size):
        byte = lower(address.text[at])
        left = address.size - at
        for number in range(first_part[byte], first_part[byte + 1]):
            part = parts + number
            place = 1
            while place < part.size and place < left and lower(address.text[at + place]) == <uint8_t>part.text[place]:
                place += 1
            if place == part.size and (
                part.follower == ANYTHING or (place < left and follows(part.follower, address.text[at + place]))
            ):
                return True
    return False


cdef int read_signs(int tag, const Value* values) noexcept nogil:
    """The bits of an element."""
    cdef const Value* item = values + PROPERTY
    cdef int signs = 0
    if is_word(item, "author", 6) or is_word(item, "creator", 7):
        signs = CREATOR
    elif is_word(item, "name", 4):
        signs = NAME
    if holds(values + REL, "author", 6) or is_profile(values + HREF):
        signs |= PROFILE
    if tag == TAG_TIME or values[DATETIME].text is not NULL:
        signs |= DATE
    elif holds(item, "date", 4) or holds(item, "time", 4):
        signs |= CHANGE if holds(item, "modified", 8) else DATE
    return signs


cdef class Naming:
    """The names of the elements that were read so far."""

    cdef list names  # each once
    cdef dict numbers  # of the names
    cdef Py_ssize_t* found  # the numbers of the names of all elements
    cdef Py_ssize_t count
    cdef Key keys[REMEMBERED]
    cdef Class classes[REMEMBERED]

    def __cinit__(self):
        self.names, self.numbers = [], {}

    cdef int add(self, const char* text, Py_ssize_t size) except -1:
        """Add the number of a name."""
        self.found[self.count] = self.find_number(text, size)
        self.count += 1
        return 0

    cdef Py_ssize_t find_number(self, const char* text, Py_ssize_t size) except -1:
        cdef Key* key = self.keys + mix(<const uint8_t*>text, size, 0) % REMEMBERED
        if key.text is not NULL and key.size == size and not memcmp(key.text, text, size):
            return key.number
        name = PyUnicode_DecodeUTF8(text, size, NULL)
        number = self.numbers.get(name)
        if number is None:
            number = self.numbers[name] = len(self.names)
            self.names.append(name)
        key.number = number
        key.text = PyUnicode_AsUTF8AndSize(self.names[key.number], &key.size)  # as long as the list keeps it
        return key.number

    cdef int add_class(self, int tag, const Value* value) except -1:
        """Add the tag of an element, and its names in a class, each once. Most classes were read before."""
        cdef Class* known = self.classes + mix(value.text, value.size, tag) % REMEMBERED
        if known.text is not NULL and known.tag == tag and known.size == value.size \
                and not memcmp(known.text, value.text, value.size):
            memcpy(self.found + self.count, self.found + known.first, known.count * sizeof(Py_ssize_t))
            self.count += known.count
            return 0
        known.text = NULL
        known.first = self.count
        self.read_class(tag, value)
        known.text, known.size, known.tag, known.count = value.text, value.size, tag, self.count - known.first
        return 0

    cdef int read_class(self, int tag, const Value* value) except -1:
        cdef Py_ssize_t at = 0, first = self.count, prefix, number, place
        cdef char name[LONGEST_KEY]
        cdef Value word
        prefix = write_tag(tag, name)
        self.add(name, prefix)
        name[prefix] = c'.'
        prefix += 1
        for _ in range(MOST_WORDS):
            at = next_word(value, at, &word)
            if at < 0:
                break
            number = self.find_number(name, prefix + write_shape(&word, name + prefix))
            for place in range(first, self.count):
                if self.found[place] == number:
                    break
            else:
                self.found[self.count] = number
                self.count += 1
        return 0

    cdef int add_marked(self, int tag, char mark, const Value* value) except -1:
        """Add the name of an element in an attribute that has a mark; one of an item is without its tag."""
        cdef char name[LONGEST_KEY]
        cdef Py_ssize_t prefix = write_tag(tag, name) if tag >= 0 else 0
        name[prefix] = mark
        prefix += 1
        return self.add(name, prefix + write_shape(value, name + prefix))

    cdef int add_item(self, char mark, const Value* value) except -1:
        """Add the words of an item type or property, each without the address before it."""
        cdef Py_ssize_t at = 0, start
        cdef Value word
        for _ in range(MOST_ITEM_WORDS):
            at = next_word(value, at, &word)
            if at < 0:
                break
            while word.size and word.text[word.size - 1] == c'/':
                word.size -= 1
            start = word.size
            while start and word.text[start - 1] != c'/':
                start -= 1
            word.text, word.size = word.text + start, word.size - start
            self.add_marked(-1, mark, &word)
        return 0

    cdef int add_element(self, int tag, const Value* values) except -1:
        """Add the names of an element whose attributes are ASCII; return its bits."""
        self.add_class(tag, values + CLASS)
        if values[ID].text is not NULL:
            self.add_marked(tag, c'#', values + ID)
        if values[TEST_ID].text is not NULL:
            self.add_marked(tag, c'~', values + TEST_ID)
        self.add_item(c'@', values + TYPE)
        self.add_item(c'$', values + PROPERTY)
        return read_signs(tag, values)

    cdef int add_odd(self, int tag, bytes text) except -1:
        """Add the names that the twin reads in a tag; return its bits."""
        cdef Py_ssize_t size
        cdef const char* name
        names, signs = twin.read_element(tag, text)
        demand(len(names) <= MOST_NAMES)
        for each in names:
            name = PyUnicode_AsUTF8AndSize(each, &size)
            self.add(name, size)
        return signs


def name_elements(bytes source, nodes, numbers):
    """The names of some nodes, and what else their opening tags say."""
    if twin is None:
        with filling:
            if twin is None:
                load_twin()
    cdef PageTables p
    cdef Column chosen
    cdef Naming naming = Naming()
    cdef Value values[UNREAD]
    cdef Py_ssize_t rows = len(numbers), row, node, before, size = len(source), start, end
    cdef const uint8_t* text = <const uint8_t*><const char*>source
    cdef Py_ssize_t* count
    cdef uint8_t* sign
    cdef int tag
    p.nodes = take_table(&p.tag, nodes, 6)
    take(&chosen, numbers, rows, sizeof(Py_ssize_t))
    found, counts, signs = np.empty(rows * MOST_NAMES, np.intp), np.empty(rows, np.intp), np.empty(rows, np.uint8)
    naming.found = <Py_ssize_t*>point(found, rows * MOST_NAMES * sizeof(Py_ssize_t))
    count, sign = <Py_ssize_t*>point(counts, rows * sizeof(Py_ssize_t)), <uint8_t*>point(signs, rows)
    for row in range(rows):
        node = (<const Py_ssize_t*>(chosen.data + row * chosen.stride))[0]
        demand(0 <= node < p.nodes)
        tag, start, end = get(&p.tag, node), get(&p.node_start, node), get(&p.node_end, node)
        demand(0 <= tag < TAGS_COUNT)
        if not 0 <= start < end <= size:
            start = end = 0
        end, before = min(end, start + LONGEST_READ), naming.count
        if read_values(text + start, end - start, values):
            sign[row] = naming.add_element(tag, values)
        else:
            sign[row] = naming.add_odd(tag, source[start:end])
        count[row] = naming.count - before
    return naming.names, found[: naming.count].copy(), counts, signs
