# The attributes of tags and the addresses in them, as the native modules read them.

from libc.string cimport memchr, memcmp, memcpy, strlen

include "characters.pxi"

from bodytext.kernel.tokens import BARE_NAMES, unescape

cdef extern from "Python.h":
    object PyUnicode_DecodeUTF8(const char* text, Py_ssize_t size, const char* errors)
    object PyUnicode_Replace(object text, object sought, object put, Py_ssize_t most)
    const char* PyUnicode_AsUTF8AndSize(object text, Py_ssize_t* size) except NULL

cdef enum:
    LONGEST_LINK = 8192  # bytes of an address that needs no cleaning
    PLAIN = 1  # characters of an address
    IN_HOST = 2
    BLANK = 1  # bytes of a tag that is read quickly
    ENDS_NAME = 2
    ENDS_VALUE = 4
    MOST_BARE = 128  # names of references that need no semicolon
    LONGEST_BARE = 6

cdef uint8_t address_class[256]
cdef uint8_t raw_class[256]


cdef char bare_names[MOST_BARE][LONGEST_BARE + 2]
cdef int bare_count = 0


cdef int fill_bare_names() except -1:
    global bare_count
    for name in BARE_NAMES:
        data = name.encode()
        if bare_count == MOST_BARE or len(data) > LONGEST_BARE:
            raise ImportError("there are more or longer names of references than tags.pxi has room for")
        memcpy(bare_names[bare_count], <const char*><bytes>data, len(data) + 1)
        bare_count += 1
    return 0


cdef void fill_address_class() noexcept:
    cdef int byte
    for byte in range(1, 128):
        if is_letter(byte) or is_digit(byte) or byte == c'_' or byte == c'-':
            address_class[byte] = PLAIN | IN_HOST
        elif memchr("/%=&,:@!*~+", byte, 11) is not NULL:
            address_class[byte] = PLAIN


cdef void fill_raw_class() noexcept:
    cdef int byte
    for byte in (c' ', c'\t', c'\n', c'\v', c'\f', c'\r'):
        raw_class[byte] = BLANK | ENDS_NAME | ENDS_VALUE
    for byte in (c'>', c'"', c"'"):
        raw_class[byte] = ENDS_NAME | ENDS_VALUE
    raw_class[c'/'] = raw_class[c'='] = ENDS_NAME


fill_bare_names()
fill_address_class()
fill_raw_class()


cdef struct Attribute:
    Py_ssize_t name, name_end, value, value_end


cdef bint stays(const uint8_t* text, Py_ssize_t size) noexcept nogil:
    """Whether an ampersand before a text surely stays as it is: it begins no reference."""
    cdef Py_ssize_t end = 0, length
    cdef int number
    if size and text[0] == c'#':
        return False
    while end < size and (c'a' <= (text[end] | 0x20) <= c'z' or c'0' <= text[end] <= c'9'):
        end += 1
    if end < size and text[end] == c';':
        return False
    for number in range(bare_count):
        length = strlen(bare_names[number])
        if length <= end and not memcmp(text, bare_names[number], length):
            return False
    return True


cdef object resolve_references(object value, const uint8_t* text, Py_ssize_t size):
    """A text with its references resolved; addresses have hardly any but &amp;, and many ampersands that are none."""
    cdef const uint8_t* end = text + size
    cdef bint is_escaped = False
    while text < end:
        text = <const uint8_t*>memchr(text, c'&', end - text)
        if text is NULL:
            break
        text += 1
        if end - text >= 4 and not memcmp(text, b"amp;", 4):
            is_escaped = True
        elif not stays(text, end - text):
            return unescape(value)
    return PyUnicode_Replace(value, "&amp;", "&", -1) if is_escaped else value


cdef inline object decode_value(const uint8_t* text, Py_ssize_t size):
    """The value of an attribute."""
    value = PyUnicode_DecodeUTF8(<const char*>text, size, NULL)
    return resolve_references(value, text, size) if size and memchr(text, c'&', size) is not NULL else value


cdef inline object read_value_of(const uint8_t* text, Attribute* attribute):
    return decode_value(text + attribute.value, attribute.value_end - attribute.value)


cdef inline Py_ssize_t skip_tag_name(const uint8_t* text, Py_ssize_t position, Py_ssize_t end) noexcept nogil:
    position += 1
    while position < end and not is_space(text[position]) and text[position] != c'/' and text[position] != c'>':
        position += 1
    return position


cdef inline Py_ssize_t read_next(const uint8_t* text, Py_ssize_t position, Py_ssize_t end, Attribute* found) noexcept nogil:
    """Read the attribute after a position; return where it ends, or -1 if there is none."""
    cdef const uint8_t* close = NULL
    while position < end and (is_space(text[position]) or text[position] == c'/' or text[position] == c'>'):
        position += 1
    if position >= end:
        return -1
    found.name = position
    position += 1  # a name may begin with "="
    while position < end and not is_space(text[position]) and text[position] not in (c'/', c'>', c'='):
        position += 1
    found.name_end = found.value = found.value_end = position
    while position < end and is_space(text[position]):
        position += 1
    if position >= end or text[position] != c'=':
        return position
    position += 1
    while position < end and is_space(text[position]):
        position += 1
    found.value = position
    if position < end and (text[position] == c'"' or text[position] == c"'"):
        close = <const uint8_t*>memchr(text + position + 1, text[position], end - position - 1)
    if close is not NULL:
        found.value, found.value_end = position + 1, close - text
        return found.value_end + 1
    while position < end and not is_space(text[position]) and text[position] != c'>':
        position += 1
    found.value_end = position
    return position


cdef inline bint is_attribute(const uint8_t* text, Attribute* attribute, const char* name, Py_ssize_t length) noexcept nogil:
    """Whether an attribute has a name, which is in lower case."""
    cdef Py_ssize_t index
    if attribute.name_end - attribute.name != length:
        return False
    for index in range(length):
        if lower(text[attribute.name + index]) != <uint8_t>name[index]:
            return False
    return True


cdef inline object find_value(const uint8_t* text, Py_ssize_t start, Py_ssize_t end, const char* name, Py_ssize_t length):
    """The value of one attribute of a tag, or nothing."""
    cdef Attribute attribute
    cdef Py_ssize_t position = skip_tag_name(text, start, end)
    while True:
        position = read_next(text, position, end, &attribute)
        if position < 0:
            return ""
        if is_attribute(text, &attribute, name, length):
            return read_value_of(text, &attribute)


cdef inline Py_ssize_t read_raw(const uint8_t* text, Py_ssize_t position, Py_ssize_t end, Attribute* found) noexcept nogil:
    """Read the attribute after a position, quickly, as names are; return where it ends, or -1 if there is none."""
    cdef const uint8_t* close = NULL
    cdef Py_ssize_t value
    while position < end and raw_class[text[position]] & ENDS_NAME:
        position += 1
    if position >= end:
        return -1
    found.name = position
    while position < end and not raw_class[text[position]] & ENDS_NAME:
        position += 1
    found.name_end = found.value = found.value_end = value = position
    while value < end and raw_class[text[value]] & BLANK:
        value += 1
    if value >= end or text[value] != c'=':
        return position
    value += 1
    while value < end and raw_class[text[value]] & BLANK:
        value += 1
    if value < end and (text[value] == c'"' or text[value] == c"'"):
        close = <const uint8_t*>memchr(text + value + 1, text[value], end - value - 1)
    if close is not NULL:
        found.value, found.value_end = value + 1, close - text
        return found.value_end + 1
    found.value = value
    while value < end and not raw_class[text[value]] & ENDS_VALUE:
        value += 1
    found.value_end = value
    return value


cdef inline bint is_plain_rest(const uint8_t* text, Py_ssize_t place, Py_ssize_t size) noexcept nogil:
    """Whether an address needs no cleaning from its first slash on."""
    cdef uint8_t byte, last = c'/'
    while place < size:
        byte = text[place]
        if not address_class[byte] & PLAIN:
            # A plain character follows each of these, and no slash precedes a dot
            if not (byte == c'?' or byte == c'#' or (byte == c'.' and last != c'/')):
                return False
            place += 1
            if place >= size or not address_class[text[place]] & PLAIN:
                return False
        last = text[place]
        place += 1
    return True


cdef inline bint is_rooted(const uint8_t* text, Py_ssize_t size) noexcept nogil:
    """Whether an address starts from the root and needs no cleaning, as `bodytext.page.urls.is_rooted` says it."""
    if not 0 < size <= LONGEST_LINK or text[0] != c'/' or (size > 1 and text[1] == c'/'):
        return False
    return is_plain_rest(text, 0, size)


cdef inline bint is_whole(const uint8_t* text, Py_ssize_t size) noexcept nogil:
    """Whether an address is absolute and needs no cleaning, as `bodytext.page.urls.is_whole` says it."""
    cdef Py_ssize_t place = 0, label
    if size > LONGEST_LINK or size < 8 or memcmp(text, "http", 4):
        return False
    place = 5 if text[4] == c's' else 4
    if memcmp(text + place, "://", 3):
        return False
    place += 3
    label = place
    while place < size and (address_class[text[place]] & IN_HOST or (text[place] == c'.' and place > label)):
        label = place + 1 if text[place] == c'.' else label
        place += 1
    if place >= size or text[place] != c'/' or place == label:
        return False
    return is_plain_rest(text, place, size)
