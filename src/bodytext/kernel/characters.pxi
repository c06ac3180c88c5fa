# What a byte is as a character of ASCII, as the native modules ask it.

from libc.stdint cimport uint8_t


cdef inline uint8_t lower(uint8_t byte) noexcept nogil:
    return byte | 0x20 if c'A' <= byte <= c'Z' else byte


cdef inline bint is_letter(uint8_t byte) noexcept nogil:
    return c'a' <= (byte | 0x20) <= c'z'


cdef inline bint is_digit(uint8_t byte) noexcept nogil:
    return c'0' <= byte <= c'9'


cdef inline bint is_space(uint8_t byte) noexcept nogil:
    """Whether HTML takes a byte for white space."""
    return byte == c' ' or byte == c'\n' or byte == c'\t' or byte == c'\r' or byte == c'\f'


cdef inline bint is_ascii(const uint8_t* text, Py_ssize_t size) noexcept nogil:
    cdef Py_ssize_t at
    cdef uint8_t joined = 0
    for at in range(size):
        joined |= text[at]
    return joined < 0x80


cdef inline bint begins_with(const uint8_t* text, const uint8_t* end, const char* word, Py_ssize_t size) noexcept nogil:
    """Whether a text begins with a word, in small letters or capitals."""
    cdef Py_ssize_t at = 0
    if size > end - text:
        return False
    while at < size and lower(text[at]) == <uint8_t>word[at]:
        at += 1
    return at == size
