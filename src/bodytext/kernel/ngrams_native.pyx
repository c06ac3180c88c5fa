# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Code points -> pieces of a text and how much of it lies in repeated n-grams, native; `ngrams.py` in numpy."""

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memset

from bodytext.kernel.ngrams import LARGEST_SIZE as _LARGEST, LIMITS as _LIMITS, TOP_SIZES as _TOP_SIZES
from bodytext.kernel.ngrams import WIDE as _WIDE

cdef uint64_t BASE = <uint64_t>0x9E3779B97F4A7C15  # odd, so that no multiplication loses a bit; the golden ratio
cdef uint32_t WIDE = _WIDE
cdef int TOP_SIZES = _TOP_SIZES, LARGEST_SIZE = _LARGEST
cdef int LIMIT_OF_IDEOGRAPHS = _LIMITS[2], LIMIT_OF_UNSPACED = _LIMITS[3]


cdef inline uint64_t mix(uint64_t value) noexcept nogil:
    value = (value ^ (value >> 30)) * <uint64_t>0xBF58476D1CE4E5B9
    value = (value ^ (value >> 27)) * <uint64_t>0x94D049BB133111EB
    return value ^ (value >> 31)


cdef struct Pieces:
    uint64_t* hashes
    int32_t* lengths
    Py_ssize_t count
    Py_ssize_t words
    Py_ssize_t lettered
    Py_ssize_t unspaced
    Py_ssize_t characters


cdef struct Table:
    uint64_t* keys
    int32_t* counts
    Py_ssize_t mask
    uint64_t seed


cdef inline void finish(Pieces* pieces, uint64_t value, int32_t length, uint8_t seen) noexcept nogil:
    pieces.hashes[pieces.count] = mix(value)
    pieces.lengths[pieces.count] = length
    pieces.count += 1
    pieces.characters += length
    pieces.words += (seen >> 2) & 1
    pieces.lettered += (seen >> 3) & 1
    pieces.unspaced += (seen & 3) > 1


cdef void cut(const uint32_t* codes, Py_ssize_t length, const uint8_t* classes, Pieces* pieces) noexcept nogil:
    cdef Py_ssize_t index
    cdef uint32_t code
    cdef uint8_t flags, kind, current = 0, seen = 0
    cdef uint64_t value = 0
    cdef int32_t size = 0
    for index in range(length):
        code = codes[index]
        flags = classes[code if code < WIDE else WIDE]
        kind = flags & 3
        if kind != current or (kind == 2 and size == LIMIT_OF_IDEOGRAPHS) or (kind == 3 and size == LIMIT_OF_UNSPACED):
            if current:
                finish(pieces, value, size, seen)
            current, seen, value, size = kind, kind, 1, 0
        if kind:
            seen |= flags
            value = value * BASE + code
            size += 1
    if current:
        finish(pieces, value, size, seen)


cdef inline Py_ssize_t find(Table* table, uint64_t key) noexcept nogil:
    """The slot of a key, or where it belongs."""
    cdef Py_ssize_t slot = mix(key ^ table.seed) & table.mask
    while table.counts[slot] and table.keys[slot] != key:
        slot = (slot + 1) & table.mask
    return slot


cdef double share_top(Pieces* pieces, uint64_t* grams, int size, Table* table) noexcept nogil:
    cdef Py_ssize_t index, slot, count = pieces.count - size + 1, window = 0, longest = 0
    cdef int32_t most = 1
    for index in range(size - 1):
        window += pieces.lengths[index]
    for index in range(count):
        window += pieces.lengths[index + size - 1]
        slot = find(table, grams[index])
        table.keys[slot] = grams[index]
        table.counts[slot] += 1
        if table.counts[slot] > most:
            most, longest = table.counts[slot], window
        elif table.counts[slot] == most and window > longest:
            longest = window
        window -= pieces.lengths[index]
    return <double>most * longest / pieces.characters if most > 1 else 0.0


cdef double share_repeated(Pieces* pieces, uint64_t* grams, int size, Table* table) noexcept nogil:
    cdef Py_ssize_t index, slot, inner, count = pieces.count - size + 1, covered = 0, characters = 0
    for index in range(count):
        slot = find(table, grams[index])
        if table.counts[slot]:
            for inner in range(index if index > covered else covered, index + size):
                characters += pieces.lengths[inner]
            covered = index + size
        else:
            table.keys[slot] = grams[index]
            table.counts[slot] = 1
    return <double>characters / pieces.characters


cdef int measure(Pieces* pieces, double* shares, uint64_t seed) noexcept nogil:
    """The shares of all sizes; 0 where there is no memory for them."""
    cdef Py_ssize_t slots = 16, index, count
    cdef Table table
    cdef uint64_t* grams = <uint64_t*>malloc((pieces.count + 1) * sizeof(uint64_t))
    cdef int size
    while slots < 2 * pieces.count:
        slots *= 2
    table.keys = <uint64_t*>malloc(slots * sizeof(uint64_t))
    table.counts = <int32_t*>malloc(slots * sizeof(int32_t))
    table.mask, table.seed = slots - 1, seed
    if grams is NULL or table.keys is NULL or table.counts is NULL:
        free(grams)
        free(table.keys)
        free(table.counts)
        return 0
    for index in range(pieces.count):
        grams[index] = pieces.hashes[index]
    for size in range(2, LARGEST_SIZE + 1):
        count = pieces.count - size + 1
        shares[size - 2] = 0
        if count < 2 or (size > TOP_SIZES + 1 and shares[size - 3] == 0):
            continue  # where no shorter one is repeated, no longer one is
        for index in range(count):
            grams[index] = grams[index] * BASE + pieces.hashes[index + size - 1]
        memset(table.counts, 0, slots * sizeof(int32_t))
        if size <= TOP_SIZES:
            shares[size - 2] = share_top(pieces, grams, size, &table)
        else:
            shares[size - 2] = share_repeated(pieces, grams, size, &table)
    free(grams)
    free(table.keys)
    free(table.counts)
    return 1


def measure_grams(bytes codes, bytes classes, uint64_t seed):
    """As the function of this name in the reference."""
    cdef const uint32_t* text = <const uint32_t*><const char*>codes
    cdef const uint8_t* table = <const uint8_t*><const char*>classes
    cdef Py_ssize_t length = len(codes) // 4
    cdef Pieces pieces
    cdef double shares[32]
    cdef int size, done = 0
    if len(classes) != WIDE + 1 or LARGEST_SIZE > 32:
        raise ValueError("a class is needed for each code point below WIDE and one for all beyond")
    memset(&pieces, 0, sizeof(pieces))
    pieces.hashes = <uint64_t*>malloc((length + 1) * sizeof(uint64_t))
    pieces.lengths = <int32_t*>calloc(length + 1, sizeof(int32_t))
    try:
        if pieces.hashes is not NULL and pieces.lengths is not NULL:
            with nogil:
                cut(text, length, table, &pieces)
                done = measure(&pieces, shares, seed)
        if not done:
            raise MemoryError
        found = (pieces.count, pieces.words, pieces.lettered, pieces.unspaced, pieces.characters)
        return found, [shares[size] for size in range(LARGEST_SIZE - 1)]
    finally:
        free(pieces.hashes)
        free(pieces.lengths)
