# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Find the smallest hash of each bin over all shingles of a text: the native twin of `shingles.py`."""

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc

include "constants.pxi"

cdef enum:
    MOST_TOKENS = 16  # of a shingle


cdef inline uint64_t mix(uint64_t value) noexcept nogil:
    value = (value ^ (value >> 30)) * MIX_FIRST
    value = (value ^ (value >> 27)) * MIX_SECOND
    return value ^ (value >> 31)


cdef struct State:
    uint64_t tokens[MOST_TOKENS]  # hashes of the last tokens, in a ring
    Py_ssize_t count
    uint64_t* lowest


cdef inline void note(State* state) noexcept nogil:
    """Hash the shingle of the last tokens."""
    cdef uint64_t value = 0
    cdef Py_ssize_t first = state.count - SHINGLE_SIZE if state.count > SHINGLE_SIZE else 0, index
    for index in range(first, state.count):
        value = value * HASH_BASE + state.tokens[index % MOST_TOKENS]
    value = mix(value)
    if value < state.lowest[value >> (64 - BIN_BITS)]:
        state.lowest[value >> (64 - BIN_BITS)] = value


cdef inline void add(State* state, uint64_t token) noexcept nogil:
    state.tokens[state.count % MOST_TOKENS] = token
    state.count += 1
    if state.count >= SHINGLE_SIZE:
        note(state)


cdef Py_ssize_t scan(const uint32_t* codes, Py_ssize_t length, const uint8_t* classes, uint16_t* units,
                     State* state) noexcept nogil:
    cdef Py_ssize_t index, written = 0
    cdef uint32_t code
    cdef uint8_t kind
    cdef uint64_t token = 0
    cdef bint inside = False
    for index in range(length):
        code = codes[index]
        kind = classes[code if code < SHINGLE_CLASSES else SHINGLE_CLASSES]
        if kind != 1 and inside:
            add(state, token)
            inside = False
        if kind == 0:
            continue
        if not inside:
            if written:
                units[written] = c' '
                written += 1
            token = 0
        inside = kind == 1
        token = token * HASH_BASE + code
        if code < SHINGLE_CLASSES:
            units[written] = <uint16_t>code
            written += 1
        else:
            units[written] = <uint16_t>(0xD800 + ((code - SHINGLE_CLASSES) >> 10))
            units[written + 1] = <uint16_t>(0xDC00 + ((code - SHINGLE_CLASSES) & 0x3FF))
            written += 2
        if kind == 2:
            add(state, token)
    if inside:
        add(state, token)
    if 0 < state.count < SHINGLE_SIZE:
        note(state)
    return written


def find_lowest(bytes codes, bytes classes):
    """As the function of this name in the twin."""
    cdef const uint32_t* text = <const uint32_t*><const char*>codes
    cdef Py_ssize_t length = len(codes) // 4, written
    cdef const uint8_t* table = <const uint8_t*><const char*>classes
    if len(classes) != SHINGLE_CLASSES + 1:
        raise ValueError("a class is needed for each of 65,536 code points and one for all beyond")
    cdef Py_ssize_t bins = <Py_ssize_t>1 << BIN_BITS, index
    cdef bytes lowest = PyBytes_FromStringAndSize(NULL, bins * 8)
    cdef uint16_t* units = <uint16_t*>malloc((2 * length + 1) * 3)  # a space and two units for each, at the worst
    cdef State state
    if units is NULL:
        raise MemoryError
    state.count = 0
    state.lowest = <uint64_t*><char*>lowest
    try:
        with nogil:
            for index in range(bins):
                state.lowest[index] = EMPTY_BIN
            written = scan(text, length, table, units, &state)
        return lowest, PyBytes_FromStringAndSize(<const char*>units, written * 2), state.count
    finally:
        free(units)
