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

from bodytext.kernel import layers as twin

include "constants.pxi"

include "row_source.pxi"
include "new_arrays.pxi"

cdef extern from "layers.h":
    enum:
        SPARE_ROWS

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

    Py_ssize_t give_row(const void* table, RowState* state, Py_ssize_t row, float* columns) noexcept nogil
    const Pass* find_pass(int most_bytes) noexcept nogil
    float exp_of(float x) noexcept nogil

cdef enum:
    LINE = 64  # bytes of the processor's cache

# The arrays of a file of weights in the order of `Weights` in layers.h.
ORDER = (
    "start", "input.weights", "input.page", "input.bias", "page.weights", "page.bias",
    *(f"mix{layer}.{part}" for layer in range(NETWORK_STEPS_COUNT) for part in ("before", "own", "behind", "weights", "bias")),
    "pool.around", "pool.alike", "pool.path", "pool.whole", "pool.page", "pool.bias",
    "asked", "lifted", "look.own", "look.seen", "look.seen.bias", "look.told", "look.told.bias",
    "type.weights", "type.early", "type.early.bias", "type.late",
    "whole.weights", "whole.bias", "whole.told", "last.weights", "last.bias", "output.weights", "lift.weights",
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


cdef Py_ssize_t count_groups(const int32_t* group, Py_ssize_t rows) noexcept nogil:
    """One more than the highest number; -1 if a number leads out of a table of as many rows."""
    cdef Py_ssize_t row
    cdef int32_t highest = -1, lowest = 0
    for row in range(rows):
        highest = max(highest, group[row])
        lowest = min(lowest, group[row])
    return highest + 1 if lowest == 0 and highest < rows else -1


cdef Py_ssize_t count_spans(const int32_t* first, const int32_t* stop, Py_ssize_t rows) noexcept nogil:
    """Count the spans, equal neighbours once; -1 if one leads out of the rows."""
    cdef Py_ssize_t row, count = 0
    cdef bint fit = True
    for row in range(rows):
        fit = fit and 0 <= first[row] <= stop[row] <= rows
        count += not row or first[row] != first[row - 1] or stop[row] != stop[row - 1]
    return count if fit else -1


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

    def run(self, rows, page=None, plan=None):
        """A logit for each block, and how likely each kind of page is.

        `rows` is a survey, or a table of rows. Without a page and a plan, those of the survey are taken.
        """
        cdef NetworkRun r
        cdef Table table, own
        cdef RowSource given
        cdef RowSource* source = NULL
        cdef int problem
        r.added = NETWORK_LEAST_WORDS
        made = getattr(rows, "source", None)
        if plan is None and made is None:
            page, plan = rows.page, twin.plan_whole(rows)
        if made is not None:
            source = <RowSource*>PyCapsule_GetPointer(made, ROW_SOURCE)
            given = source[0]
        else:
            made = rows.rows(0, len(plan.words)) if hasattr(rows, "rows") else rows
            take(&table, made, 0)
            demand(table.width == NETWORK_COLUMNS)
            given.tables, given.rows, given.fill, given.state = table.data, table.rows, give_row, READY
        if plan is not None:
            alike, path, first, stop, words, r.added = plan
            given.first, given.stop = <const int32_t*>take_row(first, given.rows), <const int32_t*>take_row(stop, given.rows)
            given.alike, given.path = <const int32_t*>take_row(alike, given.rows), <const int32_t*>take_row(path, given.rows)
            given.words = take_row(words, given.rows)
            take(&own, page, 0)
            demand(own.rows == 1)
            given.page, given.page_columns = own.data, own.width
        demand(given.rows > 0 and given.page_columns == NETWORK_PAGE_COLUMNS)
        logits, types = new_floats(given.rows), new_floats(NETWORK_TYPES)
        r.weights, r.steps, r.source = self.weights, self.steps, &given
        r.logits, r.types = take_row(logits, given.rows, PyBUF_WRITABLE), take_row(types, NETWORK_TYPES, PyBUF_WRITABLE)
        with nogil:
            problem = run_network(&r)
        if source != NULL and problem != NO_MEMORY:
            source.state = READY
        demand(problem != NO_FIT)
        if problem:
            raise MemoryError
        return logits, types


cdef bint is_network(object network):
    return isinstance(network, BlockNetwork)


cdef int take_network(NetworkRun* r, object network, object survey) except -1:
    """Make a network ready to be run over a survey that its module has counted or is to count."""
    cdef RowSource* source = <RowSource*>PyCapsule_GetPointer(survey, ROW_SOURCE)
    demand(source.rows > 0 and source.page_columns == NETWORK_PAGE_COLUMNS)
    r.weights, r.steps = (<BlockNetwork>network).weights, (<BlockNetwork>network).steps
    r.source, r.added = source, NETWORK_LEAST_WORDS
    return 0


cdef int run_network(NetworkRun* given) noexcept nogil:
    """Run a network over the rows of a source; 0, or why that is not possible."""
    cdef const Pass* steps = <const Pass*>given.steps
    cdef const Weights* weights = <const Weights*>given.weights
    cdef const RowSource* s = <const RowSource*>given.source
    cdef float page[NETWORK_PAGE_COLUMNS]
    cdef Run r
    cdef Py_ssize_t row, spare, tables
    cdef char* memory
    cdef float* counts
    if s.state != READY and s.count(s.tables):
        return NO_MEMORY
    memcpy(page, s.page, sizeof(page))
    r.rows, r.first, r.stop, r.alike, r.path, r.logits = s.rows, s.first, s.stop, s.alike, s.path, given.logits
    r.around_count = count_spans(r.first, r.stop, r.rows)
    r.alike_count, r.path_count = count_groups(r.alike, r.rows), count_groups(r.path, r.rows)
    if r.around_count < 0 or r.alike_count < 0 or r.path_count < 0:
        return NO_FIT
    spare = SPARE_ROWS * NETWORK_WIDTH
    tables = 2 * r.rows + r.around_count + r.alike_count + r.path_count
    memory = <char*>malloc(
        LINE + r.rows * (sizeof(double) + sizeof(float)) + sizeof(float) * (tables * NETWORK_WIDTH + 4 * spare)
    )
    if memory == NULL:
        return NO_MEMORY
    r.values = <float*>aligned(memory) + spare
    r.other = r.values + r.rows * NETWORK_WIDTH + spare
    r.table = r.other + r.rows * NETWORK_WIDTH + spare
    r.sums = <double*>(r.values + tables * NETWORK_WIDTH + 3 * spare)
    r.words = counts = <float*>(r.sums + r.rows)
    for row in range(r.rows):
        counts[row] = s.words[row] + given.added
    memset(r.values - spare, 0, spare * sizeof(float))
    memset(r.other - spare, 0, spare * sizeof(float))
    memset(r.table - spare, 0, spare * sizeof(float))
    steps.begin(weights, &r, page)
    steps.read_rows(weights, &r, s)
    steps.go_on(weights, &r)
    memcpy(given.types, r.types, sizeof(r.types))
    free(memory)
    return 0


cdef enum:
    DIGIT_BITS = 8  # of a number, sorted by at a time
    DIGITS = 1 << DIGIT_BITS
    PASSES = 4
    FEW_ROWS = 48  # are sorted sooner without digits

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
    """The rows of the highest values first, of equal ones the earlier.

    Few are put in their places one by one. Many are sorted by digits of the bits, the lowest digit first.
    """
    cdef int32_t* other = sorted  # the result is there again after an even number of passes
    cdef int32_t starts[PASSES][DIGITS]
    cdef Py_ssize_t row
    cdef int step, digit
    cdef int32_t at, here
    cdef float value
    for row in range(count):
        value = values[row] + 0.0  # -0 is 0
        memcpy(&keys[row], &value, sizeof(value))
        keys[row] ^= 0 if keys[row] >> 31 else 0x7FFFFFFFu  # now a higher value has a lower key
    if count <= FEW_ROWS:
        for row in range(count):
            at = <int32_t>row
            while at > 0 and keys[sorted[at - 1]] > keys[row]:
                sorted[at] = sorted[at - 1]
                at -= 1
            sorted[at] = <int32_t>row
        return
    memset(starts, 0, sizeof(starts))
    for row in range(count):
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


cdef int cut_logits(const Logits* given, const Py_ssize_t* first, float* chances, float* scores, double* found) noexcept nogil:
    """Cut logits as `decide` does; `found` is the expected F1. -1 if there is no memory."""
    cdef const float* logits = given.logits
    cdef const float* words = given.words
    cdef Py_ssize_t row, count = given.count, last = 0
    cdef double all_likely = 0, likely = 0, taken = 1e-6, here, expected = -1
    cdef float highest, cut, above, stretch = 1
    cdef float* best = <float*>malloc(count * (sizeof(float) + 2 * sizeof(int32_t) + sizeof(uint32_t)))
    cdef int32_t* order = <int32_t*>(best + count)
    if best == NULL:
        return -1
    memcpy(best, logits, count * sizeof(float))
    for row in range(count):
        if first[row] != row:
            best[first[row]] = max(best[first[row]], logits[row])
    for row in range(count):
        best[row] = best[row] if first[row] == row else -NETWORK_CERTAIN
        chances[row] = find_chance(best[row], NETWORK_SURE) if first[row] == row else 0
        all_likely += <double>chances[row] * words[row]
    sort_down(best, count, order, order + count, <uint32_t*>(order + 2 * count))
    for row in range(count):
        likely += <double>chances[order[row]] * words[order[row]]
        taken += words[order[row]]
        here = 2 * likely / (taken + given.weight * all_likely)
        if here > expected:
            expected, last = here, row
    highest = best[order[0]]
    if chances[order[0]] < given.least:
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
        scores[row] = find_chance(above - given.lean, NETWORK_CERTAIN) if first[row] == row else 0
    free(best)
    found[0] = expected
    return 0


def decide(logits, words, original, rule):
    """Return the chance of each block, its score (the chance moved so that the cut is at 0.5), and the expected F1."""
    cdef Table v, w
    cdef Logits given
    cdef Py_buffer view
    cdef Py_ssize_t row
    cdef const Py_ssize_t* first
    cdef double expected
    cdef bint fit
    take(&v, logits, 0)
    take(&w, words, 0)
    given.count, given.logits, given.words = v.width, v.data, w.data
    given.weight, given.least, given.lean = rule
    PyObject_GetBuffer(original, &view, PyBUF_C_CONTIGUOUS)
    first = <const Py_ssize_t*>view.buf
    fit = view.ndim == 1 and view.itemsize == sizeof(Py_ssize_t) and view.shape[0] == given.count
    PyBuffer_Release(&view)
    demand(fit and given.count > 0 and v.rows == 1 and w.rows == 1 and w.width == given.count)
    for row in range(given.count):
        fit = fit and 0 <= first[row] and first[row] < given.count
    demand(fit)
    chances, scores = new_floats(given.count), new_floats(given.count)
    if cut_logits(&given, first, take_row(chances, given.count, PyBUF_WRITABLE), take_row(scores, given.count, PyBUF_WRITABLE), &expected):
        raise MemoryError
    return chances, scores, expected


cdef void add_up(const float* s, const float* c, const float* w, Py_ssize_t count, float boundary, double* sums) noexcept nogil:
    """What `add_up_answer` returns."""
    cdef Py_ssize_t row
    cdef double likely
    memset(sums, 0, SUMS * sizeof(double))
    for row in range(count):
        likely = <double>c[row] * w[row]
        sums[1] += w[row]
        sums[3] += likely * (1 - <double>c[row])
        sums[4] = max(sums[4], c[row])
        if s[row] >= boundary:
            sums[0] += w[row]
            sums[2] += likely


def add_up_answer(scores, chances, words, float boundary):
    """Return the kept words, all words, the likely content of the kept words, the doubt, and the highest chance."""
    cdef Table s, c, w
    cdef double sums[SUMS]
    take(&s, scores, 0)
    take(&c, chances, 0)
    take(&w, words, 0)
    demand(s.rows == 1 and c.rows == 1 and w.rows == 1 and c.width == s.width and w.width == s.width)
    add_up(s.data, c.data, w.data, s.width, boundary, sums)
    return sums[0], sums[1], sums[2], sums[3], sums[4]
