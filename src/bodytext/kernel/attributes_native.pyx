# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Read the attributes of a tag: the native twin of `attributes.py`."""

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.string cimport memcpy, strlen

include "constants.pxi"
include "columns.pxi"
include "page_tables.pxi"
include "tags.pxi"

cdef enum:
    SHORT = 64  # bytes of a name that is put in lower case here; longer ones are rare
    NAMINGS = 4  # the attributes that name a <meta>; the two with its content come after them
    ROLES = 6
    CONTENT = 4
    VALUE = 5
    LONGEST_NAMES = 500  # characters of the names of a <meta>

cdef const char** roles = ["property", "name", "itemprop", "http-equiv", "content", "value"]
cdef const char** prefixes = ["", "", "item:", ""]


cdef object read_name(const uint8_t* text, Py_ssize_t length):
    cdef uint8_t small[SHORT]
    cdef Py_ssize_t index
    if length <= SHORT:
        for index in range(length):
            if text[index] >= 0x80:
                break
            small[index] = lower(text[index])
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


def read_value(bytes source, Py_ssize_t start, Py_ssize_t end, bytes name):
    """The value of one attribute of the tag at an offset, or nothing."""
    if not 0 <= start < end <= len(source):
        return ""
    return find_value(<const uint8_t*><const char*>source, start, end, name, len(name))


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
            small[index] = lower(text[attribute.name + index])
        key = PyBytes_FromStringAndSize(<const char*>small, length)
        if key in wanted and key not in found:
            found[key] = PyUnicode_DecodeUTF8(
                <const char*>text + attribute.value, attribute.value_end - attribute.value, b"replace"
            )


cdef int find_role(const uint8_t* text, Attribute* attribute) noexcept nogil:
    """The number of an attribute that a <meta> needs, or -1."""
    cdef int role
    for role in range(ROLES):
        if is_attribute(text, attribute, roles[role], strlen(roles[role])):
            return role
    return -1


cdef Py_ssize_t fold_name(const uint8_t* text, Attribute* attribute, const char* prefix, uint8_t* folded) noexcept nogil:
    """Write one plain name in lower case after its prefix, and return its length; 0 for anything else."""
    cdef Py_ssize_t length = attribute.value_end - attribute.value, before = strlen(prefix), index
    cdef uint8_t byte
    if length == 0 or before + length > SHORT:
        return 0
    memcpy(folded, prefix, before)
    for index in range(length):
        byte = text[attribute.value + index]
        if not c'!' <= byte <= c'~' or byte == c'&':
            return 0
        folded[before + index] = c':' if byte == c'.' else lower(byte)
    return before + length


cdef object split_names(const uint8_t* text, Attribute* attribute, int role):
    """The names of a <meta> in the value of one of its attributes."""
    cdef uint8_t small[SHORT]
    cdef Py_ssize_t length = fold_name(text, attribute, prefixes[role], small)
    if length:
        return (PyUnicode_DecodeUTF8(<const char*>small, length, NULL),)  # most
    names = read_value_of(text, attribute)
    if len(names) > LONGEST_NAMES:
        return ()
    prefix = prefixes[role].decode()
    return [prefix + name for name in names.lower().replace(".", ":").split()]


cdef int read_meta(const uint8_t* text, Py_ssize_t start, Py_ssize_t end, dict contents) except -1:
    """Add the content of a <meta> under each of its names."""
    cdef Attribute found[ROLES]
    cdef Attribute attribute
    cdef int order[NAMINGS]
    cdef int count = 0, known = 0, role, place
    cdef Py_ssize_t position = skip_tag_name(text, start, end)
    while True:
        position = read_next(text, position, end, &attribute)
        if position < 0:
            break
        role = find_role(text, &attribute)
        if role < 0 or known >> role & 1:
            continue
        known |= 1 << role
        found[role] = attribute
        if role < NAMINGS:
            order[count] = role
            count += 1
    role = CONTENT if known >> CONTENT & 1 and found[CONTENT].value < found[CONTENT].value_end else VALUE
    if not known >> role & 1 or found[role].value == found[role].value_end:
        return 0
    content = PyUnicode_DecodeUTF8(<const char*>text + found[role].value, found[role].value_end - found[role].value, NULL)
    for place in range(count):
        for name in split_names(text, &found[order[place]], order[place]):
            if name in contents:
                (<list>contents[name]).append(content)
            else:
                contents[name] = [content]
    return 0


def read_contents(bytes source, nodes, int tag, Py_ssize_t most):
    """The contents of the first `most` <meta>s as the page has them, by their names."""
    cdef const uint8_t* text = <const uint8_t*><const char*>source
    cdef PageTables page
    cdef Py_ssize_t node, length = len(source)
    cdef int32_t start, end
    cdef dict contents = {}
    page.nodes = take_table(&page.tag, nodes, 6)
    for node in range(page.nodes):
        if get(&page.tag, node) != tag:
            continue
        if most <= 0:
            break
        most -= 1
        start, end = get(&page.node_start, node), get(&page.node_end, node)
        if 0 <= start < end <= length:
            read_meta(text, start, end, contents)
    return contents
