# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Run the learned method's network and cut its logits: the native twin of `layers.py`.

`layers.h` has the forward pass. This module connects it with Python, and makes sure that no number in a table leads out
of the table.
"""

from cpython.buffer cimport PyBUF_C_CONTIGUOUS, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.stdint cimport int32_t, uint32_t, uintptr_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

import numpy as np

from bodytext.kernel import layers as twin

include "constants.pxi"

cdef extern from "layers.h":
    enum:
        SPARE_ROWS

    ctypedef struct RowState:
        pass

    ctypedef struct RowSource:
        const void* tables
        Py_ssize_t rows
        void (*fill)(const void* tables, RowState* state, Py_ssize_t row, float* columns) noexcept nogil

    ctypedef struct Weights:
        pass

    ctypedef struct Run:
        Py_ssize_t rows, around_count, alike_count, path_count
        const int32_t* first
        const int32_t* stop
        const int32_t* alike
        const int32_t* path
        const float* words
        double* sums
        float* values
        float* other
        float* table
        float* logits
        float types[NETWORK_TYPES]

    ctypedef struct Pass:
        void (*begin)(const Weights* w, Run* r, float* page) noexcept nogil
        void (*read_rows)(const Weights* w, const Run* r, const RowSource* source) noexcept nogil
        void (*go_on)(const Weights* w, Run* r) noexcept nogil

    const char* ROW_SOURCE
    void give_row(const void* table, RowState* state, Py_ssize_t row, float* columns) noexcept nogil
    const Pass* find_pass(int most_bytes) noexcept nogil
    float exp_of(float x) noexcept nogil

cdef enum:
    LINE = 64  # bytes of the processor's cache

# The arrays of a file of weights in the order of `Weights` in layers.h.
ORDER = (
    "start", "input.weights", "input.page", "input.bias", "page.weights", "page.bias",
    *(f"mix{layer}.{part}" for layer in range(NETWORK_STEPS_COUNT) for part in ("before", "own", "behind", "weights", "bias")),
    "pool.around", "pool.alike", "pool.path", "pool.whole", "pool.page", "pool.bias",
    "asked", "lifted", "look.value", "look.value.bias",
    "type.weights", "type.early", "type.early.bias", "type.late",
    "last.weights", "last.bias", "output.weights", "lift.weights",
    "zero", "mean", "scale", "page.mean", "page.scale", "type.bias", "output.bias", "lift.bias",
)


cdef struct Table:
    float* data
    Py_ssize_t rows, width


cdef int take(Table* table, object array, int flags) except -1:
    """A table of 32-bit numbers without gaps, or a vector as a table of one row; the caller keeps it."""
    cdef Py_buffer view
    PyObject_GetBuffer(array, &view, PyBUF_C_CONTIGUOUS | flags)
    cdef bint fit = view.itemsize == 4 and 1 <= view.ndim <= 2
    if fit:
        table.data = <float*>view.buf
        table.rows, table.width = view.shape[0] if view.ndim == 2 else 1, view.shape[view.ndim - 1]
    PyBuffer_Release(&view)
    if not fit:
        raise ValueError("tables of 32-bit numbers are wanted")
    return 0


cdef int demand(bint fit) except -1:
    if not fit:
        raise ValueError("the tables do not fit each other")
    return 0


cdef int demand_size(str name, Py_ssize_t size, Py_ssize_t needed) except -1:
    if size != needed:
        raise ValueError(f"the weights do not fit the network: {name} is {size}, must be {needed}; train new weights")
    return 0


cdef float* take_row(object array, Py_ssize_t width, int flags=0) except NULL:
    cdef Table table
    take(&table, array, flags)
    demand(table.rows == 1 and table.width == width)
    return table.data


cdef inline void* aligned(void* memory) noexcept nogil:
    """The first address at or after one where a line begins."""
    return <void*>(<uintptr_t>memory + LINE - 1 & ~<uintptr_t>(LINE - 1))


cdef Py_ssize_t count_groups(const int32_t* group, Py_ssize_t rows) except -1:
    """One more than the highest number; no number may lead out of a table of as many rows."""
    cdef Py_ssize_t row
    cdef int32_t highest = -1, lowest = 0
    for row in range(rows):
        highest = max(highest, group[row])
        lowest = min(lowest, group[row])
    demand(lowest == 0 and highest < rows)
    return highest + 1


cdef Py_ssize_t count_spans(const int32_t* first, const int32_t* stop, Py_ssize_t rows) except -1:
    """Count the spans, equal neighbours once; none may lead out of the rows."""
    cdef Py_ssize_t row, count = 0
    cdef bint fit = True
    for row in range(rows):
        fit = fit and 0 <= first[row] <= stop[row] <= rows
        count += not row or first[row] != first[row - 1] or stop[row] != stop[row - 1]
    demand(fit)
    return count


cdef class BlockNetwork:
    """The weights of a network, ready to be run.

    `most_bytes` are multiplied at a time at most, as on a processor that can do no more.
    """

    cdef void* memory
    cdef Weights* weights
    cdef const Pass* steps

    def __cinit__(self, arrays, int most_bytes=64):
        self.steps = find_pass(most_bytes)
        zero = np.clip(-arrays["mean"] * arrays["scale"], np.float32(-NETWORK_LIMIT), np.float32(NETWORK_LIMIT))
        key, query = arrays["look.key"], arrays["look.query"]
        known = {
            **arrays, "zero": zero, "start": zero @ arrays["input.weights"],
            "asked": key @ query.T, "lifted": key @ arrays["look.query.bias"],
        }
        demand_size("the number of features of a block", len(zero), NETWORK_COLUMNS)
        demand_size("the number of features of a page", len(known["page.mean"]), NETWORK_PAGE_COLUMNS)
        demand_size("the width of the network", len(known["start"]), NETWORK_WIDTH)
        numbers = np.concatenate([known[name].ravel() for name in ORDER], dtype=np.float32)
        demand_size("the size of all arrays in bytes", numbers.nbytes, sizeof(Weights))
        self.memory = malloc(sizeof(Weights) + LINE)
        if self.memory == NULL:
            raise MemoryError
        self.weights = <Weights*>aligned(self.memory)
        memcpy(self.weights, take_row(numbers, len(numbers)), sizeof(Weights))

    def __dealloc__(self):
        free(self.memory)

    def run(self, rows, page, plan):
        """A logit for each block, and how likely each kind of page is. `rows` is a survey, or a table of rows."""
        cdef Run r
        cdef Table table, own
        cdef float state[NETWORK_PAGE_COLUMNS]
        cdef RowSource given
        cdef const RowSource* source = &given
        cdef Py_ssize_t size, row
        cdef char* memory
        cdef float* counts
        cdef const float* given_words
        cdef float added
        alike, path, first, stop, words, added = plan
        take(&table, words, 0)
        r.rows, given_words = table.width, table.data
        demand(table.rows == 1 and r.rows > 0)
        r.first, r.stop = <const int32_t*>take_row(first, r.rows), <const int32_t*>take_row(stop, r.rows)
        r.alike, r.path = <const int32_t*>take_row(alike, r.rows), <const int32_t*>take_row(path, r.rows)
        r.around_count = count_spans(r.first, r.stop, r.rows)
        r.alike_count, r.path_count = count_groups(r.alike, r.rows), count_groups(r.path, r.rows)
        if hasattr(rows, "source"):
            made = rows.source
            source = <const RowSource*>PyCapsule_GetPointer(made, ROW_SOURCE)
        else:
            made = rows.rows(0, r.rows) if hasattr(rows, "rows") else rows
            take(&table, made, 0)
            demand(table.width == NETWORK_COLUMNS)
            given.tables, given.rows, given.fill = table.data, table.rows, give_row
        demand(source.rows == r.rows)
        take(&own, page, 0)
        demand(own.rows == 1 and own.width == NETWORK_PAGE_COLUMNS)
        memcpy(state, own.data, sizeof(state))
        logits, types = np.empty(r.rows, np.float32), np.empty(NETWORK_TYPES, np.float32)
        r.logits = take_row(logits, r.rows, PyBUF_WRITABLE)
        size = LINE + r.rows * (sizeof(double) + sizeof(float)) + sizeof(float) * NETWORK_WIDTH * (
            2 * (r.rows + SPARE_ROWS) + r.around_count + r.alike_count + r.path_count + SPARE_ROWS
        )
        memory = <char*>malloc(size)
        if memory == NULL:
            raise MemoryError
        r.values = <float*>aligned(memory)
        r.other = r.values + (r.rows + SPARE_ROWS) * NETWORK_WIDTH
        r.table = r.other + (r.rows + SPARE_ROWS) * NETWORK_WIDTH
        r.sums = <double*>(r.table + (r.around_count + r.alike_count + r.path_count + SPARE_ROWS) * NETWORK_WIDTH)
        r.words = counts = <float*>(r.sums + r.rows)
        with nogil:
            for row in range(r.rows):
                counts[row] = given_words[row] + added
            memset(r.values + r.rows * NETWORK_WIDTH, 0, SPARE_ROWS * NETWORK_WIDTH * sizeof(float))
            memset(r.other + r.rows * NETWORK_WIDTH, 0, SPARE_ROWS * NETWORK_WIDTH * sizeof(float))
            self.steps.begin(self.weights, &r, state)
            self.steps.read_rows(self.weights, &r, source)
            self.steps.go_on(self.weights, &r)
        free(memory)
        memcpy(take_row(types, NETWORK_TYPES, PyBUF_WRITABLE), r.types, sizeof(r.types))
        return logits, types


cdef enum:
    DIGIT_BITS = 8  # of a number, sorted by at a time
    DIGITS = 1 << DIGIT_BITS
    PASSES = 4

CutRule = twin.CutRule


cdef inline float find_chance(float logit, float limit) noexcept nogil:
    """1 / (1 + exp(-logit)), of a logit cut at the limit on both sides."""
    cdef float low, high
    logit = logit if logit < limit else limit
    logit = logit if logit > -limit else -limit
    low = logit if logit < 0 else 0  # one of the two is 0, so that exp is of no positive number
    high = -logit if logit > 0 else 0
    return exp_of(low) / (exp_of(low) + exp_of(high))


cdef void sort_down(const float* values, Py_ssize_t count, int32_t* sorted, int32_t* order, uint32_t* keys) noexcept nogil:
    """The rows of the highest values first, of equal ones the earlier: by digits of the bits, the lowest digit first."""
    cdef int32_t* other = sorted  # the result is there again after an even number of passes
    cdef int32_t starts[PASSES][DIGITS]
    cdef Py_ssize_t row
    cdef int step, digit
    cdef int32_t at, here
    cdef float value
    memset(starts, 0, sizeof(starts))
    for row in range(count):
        value = values[row] + 0.0  # -0 is 0
        memcpy(&keys[row], &value, sizeof(value))
        keys[row] ^= 0 if keys[row] >> 31 else 0x7FFFFFFFu  # now a higher value has a lower key
        for step in range(PASSES):
            starts[step][keys[row] >> step * DIGIT_BITS & DIGITS - 1] += 1
        other[row] = <int32_t>row
    for step in range(PASSES):
        at = 0
        for digit in range(DIGITS):
            here, starts[step][digit] = starts[step][digit], at
            at += here
        for row in range(count):
            digit = keys[other[row]] >> step * DIGIT_BITS & DIGITS - 1
            order[starts[step][digit]] = other[row]
            starts[step][digit] += 1
        order, other = other, order


def decide(logits, words, original, rule):
    """Return the chance of each block, its score (the chance moved so that the cut is at 0.5), and the expected F1."""
    cdef Table v, w, c, s
    cdef Py_buffer view
    cdef Py_ssize_t row, count, last = 0
    cdef const Py_ssize_t* first
    cdef double weight = rule.weight, all_likely = 0, likely = 0, taken = 1e-6, here, expected = -1
    cdef float least = rule.least, lean = rule.lean, highest, cut, above, stretch = 1
    cdef float* best
    cdef int32_t* order
    cdef bint fit
    take(&v, logits, 0)
    take(&w, words, 0)
    count = v.width
    PyObject_GetBuffer(original, &view, PyBUF_C_CONTIGUOUS)
    first, fit = <const Py_ssize_t*>view.buf, view.ndim == 1 and view.itemsize == sizeof(Py_ssize_t) and view.shape[0] == count
    PyBuffer_Release(&view)
    demand(fit and count > 0 and v.rows == 1 and w.rows == 1 and w.width == count)
    for row in range(count):
        fit = fit and 0 <= first[row] and first[row] < count
    demand(fit)
    chances, scores = np.empty(count, np.float32), np.empty(count, np.float32)
    take(&c, chances, PyBUF_WRITABLE)
    take(&s, scores, PyBUF_WRITABLE)
    best = <float*>malloc(count * (sizeof(float) + 2 * sizeof(int32_t) + sizeof(uint32_t)))
    if best == NULL:
        raise MemoryError
    order = <int32_t*>(best + count)
    with nogil:
        memcpy(best, v.data, count * sizeof(float))
        for row in range(count):
            if first[row] != row:
                best[first[row]] = max(best[first[row]], v.data[row])
        for row in range(count):
            best[row] = best[row] if first[row] == row else -NETWORK_CERTAIN
            c.data[row] = find_chance(best[row], NETWORK_SURE) if first[row] == row else 0
            all_likely += <double>c.data[row] * w.data[row]
        sort_down(best, count, order, order + count, <uint32_t*>(order + 2 * count))
        for row in range(count):
            likely += <double>c.data[order[row]] * w.data[order[row]]
            taken += w.data[order[row]]
            here = 2 * likely / (taken + weight * all_likely)
            if here > expected:
                expected, last = here, row
        highest = best[order[0]]
        if c.data[order[0]] < least:
            cut, expected = highest + 1, 0
        else:
            cut = best[order[last]]
            above = best[order[last + 1]] if last + 1 < count else cut - NETWORK_MOST_BETWEEN
            cut = (cut + max(above, cut - NETWORK_MOST_BETWEEN)) / 2
        if 0 < highest - cut < NETWORK_TOP:
            stretch = NETWORK_TOP / (highest - cut)
        for row in range(count):
            above = best[row] - cut
            above = above * stretch if above > 0 else above
            s.data[row] = find_chance(above - lean, NETWORK_CERTAIN) if first[row] == row else 0
    free(best)
    return chances, scores, expected


def add_up_answer(scores, chances, words, float boundary):
    """Return the kept words, all words, the likely content among the kept words, and the doubt over all words."""
    cdef Table s, c, w
    cdef Py_ssize_t row
    cdef double kept = 0, total = 0, likely_kept = 0, likely, doubt = 0
    take(&s, scores, 0)
    take(&c, chances, 0)
    take(&w, words, 0)
    demand(s.rows == 1 and c.rows == 1 and w.rows == 1 and c.width == s.width and w.width == s.width)
    with nogil:
        for row in range(s.width):
            likely = <double>c.data[row] * w.data[row]
            total += w.data[row]
            doubt += likely * (1 - <double>c.data[row])
            if s.data[row] >= boundary:
                kept += w.data[row]
                likely_kept += likely
    return kept, total, likely_kept, doubt
