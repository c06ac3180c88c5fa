# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Measure how much of a text is in repeated n-grams: the native twin of `ngrams.py`."""

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memset

include "constants.pxi"


cdef inline uint64_t mix(uint64_t value) noexcept nogil:
    value = (value ^ (value >> 30)) * MIX_FIRST
    value = (value ^ (value >> 27)) * MIX_SECOND
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
    pieces.words += (seen & HAS_WORD) != 0
    pieces.lettered += (seen & HAS_LETTER) != 0
    pieces.unspaced += (seen & PIECE_UNSPACED) > PIECE_SPACED


cdef void cut(const uint32_t* codes, Py_ssize_t length, const uint8_t* classes, Pieces* pieces) noexcept nogil:
    cdef Py_ssize_t index
    cdef uint32_t code
    cdef uint8_t flags, kind, current = 0, seen = 0
    cdef uint64_t value = 0
    cdef int32_t size = 0
    for index in range(length):
        code = codes[index]
        flags = classes[code if code < NGRAM_CLASSES else NGRAM_CLASSES]
        kind = flags & PIECE_UNSPACED  # the two lowest bits
        if kind != current or (kind == PIECE_IDEOGRAPH and size == IDEOGRAPHIC_LIMIT) \
                or (kind == PIECE_UNSPACED and size == UNSPACED_LIMIT):
            if current:
                finish(pieces, value, size, seen)
            current, seen, value, size = kind, kind, 1, 0
        if kind:
            seen |= flags
            value = value * HASH_BASE + code
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
    """The shares of all sizes; 0 if there is no memory for them."""
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
            grams[index] = grams[index] * HASH_BASE + pieces.hashes[index + size - 1]
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
    """As the function of this name in the twin."""
    cdef const uint32_t* text = <const uint32_t*><const char*>codes
    cdef const uint8_t* table = <const uint8_t*><const char*>classes
    cdef Py_ssize_t length = len(codes) // 4
    cdef Pieces pieces
    cdef double shares[LARGEST_SIZE]
    cdef int size, done = 0
    if len(classes) != NGRAM_CLASSES + 1:
        raise ValueError("a class is needed for each code point below NGRAM_CLASSES and one for all beyond")
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
