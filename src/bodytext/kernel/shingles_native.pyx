# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Code points -> the smallest hash of each bin over all shingles, native; `shingles.py` is the same in numpy."""

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc

from bodytext.kernel.shingles import BASE as _BASE, BIN_BITS as _BIN_BITS, NOTHING as _NOTHING, SIZE as _SIZE

cdef uint64_t BASE = _BASE, NOTHING = _NOTHING
cdef int SIZE = _SIZE, BIN_BITS = _BIN_BITS
cdef enum:
    MOST_SIZE = 16
    WIDE = 65536  # code points from here on share one class and are written as two units


cdef inline uint64_t mix(uint64_t value) noexcept nogil:
    value = (value ^ (value >> 30)) * <uint64_t>0xBF58476D1CE4E5B9
    value = (value ^ (value >> 27)) * <uint64_t>0x94D049BB133111EB
    return value ^ (value >> 31)


cdef struct State:
    uint64_t tokens[MOST_SIZE]  # hashes of the last tokens, around and around
    Py_ssize_t count
    uint64_t* lowest


cdef inline void note(State* state) noexcept nogil:
    """The shingle that the last tokens are."""
    cdef uint64_t value = 0
    cdef Py_ssize_t first = state.count - SIZE if state.count > SIZE else 0, index
    for index in range(first, state.count):
        value = value * BASE + state.tokens[index % MOST_SIZE]
    value = mix(value)
    if value < state.lowest[value >> (64 - BIN_BITS)]:
        state.lowest[value >> (64 - BIN_BITS)] = value


cdef inline void add(State* state, uint64_t token) noexcept nogil:
    state.tokens[state.count % MOST_SIZE] = token
    state.count += 1
    if state.count >= SIZE:
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
        kind = classes[code if code < WIDE else WIDE]
        if kind != 1 and inside:
            add(state, token)
            inside = False
        if kind == 0:
            continue
        if not inside:
            if written:
                units[written] = 32
                written += 1
            token = 0
        inside = kind == 1
        token = token * BASE + code
        if code < WIDE:
            units[written] = <uint16_t>code
            written += 1
        else:
            units[written] = <uint16_t>(0xD800 + ((code - WIDE) >> 10))
            units[written + 1] = <uint16_t>(0xDC00 + ((code - WIDE) & 0x3FF))
            written += 2
        if kind == 2:
            add(state, token)
    if inside:
        add(state, token)
    if 0 < state.count < SIZE:
        note(state)
    return written


def find_lowest(bytes codes, bytes classes):
    """As the function of this name in the reference."""
    cdef const uint32_t* text = <const uint32_t*><const char*>codes
    cdef Py_ssize_t length = len(codes) // 4, written
    cdef const uint8_t* table = <const uint8_t*><const char*>classes
    if len(classes) != WIDE + 1:
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
                state.lowest[index] = NOTHING
            written = scan(text, length, table, units, &state)
        return lowest, PyBytes_FromStringAndSize(<const char*>units, written * 2), state.count
    finally:
        free(units)
