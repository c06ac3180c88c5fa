# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Read the attributes of a tag: the native twin of `attributes.py`."""

from cpython.bytes cimport PyBytes_FromStringAndSize

include "constants.pxi"
include "tags.pxi"

cdef enum:
    SHORT = 64  # bytes of a name that is put in lower case here; longer ones are rare


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


def read_values(bytes source, Py_ssize_t start, Py_ssize_t end):
    """The values of the attributes of the tag at an offset, by name."""
    cdef dict found = {}
    if not 0 <= start < end <= len(source):
        return found
    cdef const uint8_t* text = <const uint8_t*><const char*>source
    cdef Attribute attribute
    cdef Py_ssize_t position = skip_tag_name(text, start, end)
    while True:
        position = read_next(text, position, end, &attribute)
        if position < 0:
            return found
        key = read_name(text + attribute.name, attribute.name_end - attribute.name)
        if key not in found:
            found[key] = read_value_of(text, &attribute)


cdef bint is_called(const uint8_t* text, Attribute* attribute, const char* name, Py_ssize_t length) noexcept nogil:
    cdef Py_ssize_t index
    cdef uint8_t byte
    if attribute.name_end - attribute.name != length:
        return False
    for index in range(length):
        byte = text[attribute.name + index]
        if (byte | 0x20 if c'A' <= byte <= c'Z' else byte) != <uint8_t>name[index]:
            return False
    return True


def read_value(bytes source, Py_ssize_t start, Py_ssize_t end, bytes name):
    """The value of one attribute of the tag at an offset, or nothing."""
    if not 0 <= start < end <= len(source):
        return ""
    cdef const uint8_t* text = <const uint8_t*><const char*>source
    cdef const char* wanted = name
    cdef Py_ssize_t length = len(name)
    cdef Attribute attribute
    cdef Py_ssize_t position = skip_tag_name(text, start, end)
    while True:
        position = read_next(text, position, end, &attribute)
        if position < 0:
            return ""
        if is_called(text, &attribute, wanted, length):
            return read_value_of(text, &attribute)


def read_raw_values(bytes tag, wanted):
    """The values of some attributes of an opening tag as the page has them, by name."""
    cdef dict found = {}
    cdef const uint8_t* text = <const uint8_t*><const char*>tag
    cdef uint8_t small[SHORT]
    cdef Attribute attribute
    cdef Py_ssize_t position = 0, end = len(tag), length, index
    while True:
        position = read_raw(text, position, end, &attribute)
        if position < 0:
            return found
        length = attribute.name_end - attribute.name
        if length > SHORT:
            continue  # no wanted name is that long
        for index in range(length):
            small[index] = text[attribute.name + index]
            small[index] |= 0x20 if c'A' <= small[index] <= c'Z' else 0
        key = PyBytes_FromStringAndSize(<const char*>small, length)
        if key in wanted and key not in found:
            found[key] = PyUnicode_DecodeUTF8(
                <const char*>text + attribute.value, attribute.value_end - attribute.value, b"replace"
            )
