# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Read the attributes of a tag: the native twin of `attributes.py`."""

from libc.stdint cimport uint8_t
from libc.string cimport memchr

include "constants.pxi"

from bodytext.kernel.tokens import unescape

cdef extern from "Python.h":
    object PyUnicode_DecodeUTF8(const char* text, Py_ssize_t size, const char* errors)

cdef enum:
    SHORT = 64  # bytes of a name that is put in lower case here; longer ones are rare


cdef inline bint is_space(uint8_t byte) noexcept nogil:
    return byte == c' ' or byte == c'\n' or byte == c'\t' or byte == c'\r' or byte == c'\f'


cdef object read_name(const uint8_t* text, Py_ssize_t length):
    cdef uint8_t small[SHORT]
    cdef Py_ssize_t index
    if length <= SHORT:
        for index in range(length):
            if text[index] >= 0x80:
                break
            small[index] = text[index] | 0x20 if c'A' <= text[index] <= c'Z' else text[index]
        else:
            return PyUnicode_DecodeUTF8(<const char*>small, length, NULL)
    return PyUnicode_DecodeUTF8(<const char*>text, length, NULL).lower()


cdef object read_value(const uint8_t* text, Py_ssize_t length):
    value = PyUnicode_DecodeUTF8(<const char*>text, length, NULL)
    return unescape(value) if length and memchr(text, c'&', length) is not NULL else value


def read_values(bytes source, Py_ssize_t start, Py_ssize_t end):
    """The values of the attributes of the tag at an offset, by name."""
    cdef dict found = {}
    if not 0 <= start < end <= len(source):
        return found
    cdef const uint8_t* text = <const uint8_t*><const char*>source
    cdef const uint8_t* close
    cdef Py_ssize_t position = start + 1, name, name_end, value, value_end
    while position < end and not is_space(text[position]) and text[position] != c'/' and text[position] != c'>':
        position += 1
    while True:
        while position < end and (is_space(text[position]) or text[position] == c'/'):
            position += 1
        if position >= end:
            return found
        if text[position] == c'>':
            position += 1
            continue
        name = position
        position += 1  # a name may begin with "="
        while position < end and not is_space(text[position]) and text[position] not in (c'/', c'>', c'='):
            position += 1
        name_end = value = value_end = position
        while position < end and is_space(text[position]):
            position += 1
        if position < end and text[position] == c'=':
            position += 1
            while position < end and is_space(text[position]):
                position += 1
            value = value_end = position
            close = NULL
            if position < end and (text[position] == c'"' or text[position] == c"'"):
                close = <const uint8_t*>memchr(text + position + 1, text[position], end - position - 1)
            if close is not NULL:
                value, value_end = position + 1, close - text
                position = value_end + 1
            else:
                while position < end and not is_space(text[position]) and text[position] != c'>':
                    position += 1
                value_end = position
        key = read_name(text + name, name_end - name)
        if key not in found:
            found[key] = read_value(text + value, value_end - value)
