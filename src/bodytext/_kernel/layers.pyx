# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""What a network does to its tables between two products, native. `layers_reference.py` is the same in numpy.

The products of large matrices are left to numpy, which is fastest at them. Loops are written so that a compiler can
do several numbers at once: no calls, no sums over a row in one variable.
"""

from cpython.buffer cimport PyBUF_C_CONTIGUOUS, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport int32_t
from libc.string cimport memcpy, memset

import numpy as np

cdef enum:
    LANES = 8  # numbers at a time; a step of a range must stand there as a number

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


cdef inline float exp_of(float x) noexcept nogil:
    """exp for x <= 0: a power of two, and a polynomial for the rest.

    The numbers stand here themselves: a variable could change while a table is written, for all that a compiler knows.
    """
    cdef int32_t power, bits
    cdef float rest, factor
    x = x if x > <float>-60 else <float>-60  # below it is 0 as good as, and not so small that processors are slow at it
    power = <int32_t>(x * <float>1.44269504 - <float>0.5)  # of 2; cut towards zero, so to the nearest
    rest = x - power * <float>0.693359375 + power * <float>2.12194440e-4  # ln 2 in two parts: the first product is exact
    bits = (power + 127) << 23
    memcpy(&factor, &bits, 4)
    return factor * (<float>1 + rest * (<float>1 + rest * (<float>0.5 + rest * (<float>(1 / 6.0) + rest * (
        <float>(1 / 24.0) + rest * (<float>(1 / 120.0) + rest * <float>(1 / 720.0)))))))


def standardise(rows, mean, scale, float limit):
    """(rows - mean) * scale in place, cut at the limit on both sides."""
    cdef Table t, m, s
    cdef Py_ssize_t row, column
    cdef float* at
    cdef float value
    take(&t, rows, PyBUF_WRITABLE)
    take(&m, mean, 0)
    take(&s, scale, 0)
    demand(m.width == t.width and s.width == t.width)
    with nogil:
        for row in range(t.rows):
            at = t.data + row * t.width
            for column in range(t.width):
                value = (at[column] - m.data[column]) * s.data[column]
                value = value if value < limit else limit
                at[column] = value if value > -limit else -limit


def dense(values, weights, bias):
    """The product of one row with a matrix, and a bias: a row."""
    cdef Table v, w, b, f
    cdef Py_ssize_t row, column
    cdef float* at
    cdef float value
    take(&v, values, 0)
    take(&w, weights, 0)
    take(&b, bias, 0)
    demand(v.rows * v.width == w.rows and b.rows * b.width == w.width)
    found = np.empty((1, w.width), dtype=np.float32)
    take(&f, found, PyBUF_WRITABLE)
    with nogil:
        memcpy(f.data, b.data, w.width * sizeof(float))
        for row in range(w.rows):
            at = w.data + row * w.width
            value = v.data[row]
            for column in range(w.width):
                f.data[column] += value * at[column]
    return found


def rectify(values, bias):
    """max(values + bias, 0) in place."""
    cdef Table v, b
    cdef Py_ssize_t row, column
    cdef float* at
    cdef float value
    take(&v, values, PyBUF_WRITABLE)
    take(&b, bias, 0)
    demand(b.rows * b.width == v.width)
    with nogil:
        for row in range(v.rows):
            at = v.data + row * v.width
            for column in range(v.width):
                value = at[column] + b.data[column]
                at[column] = value if value > 0 else 0


def add_rectified(values, product, bias):
    """Add to values: max(product + bias, 0), in place."""
    cdef Table v, p, b
    cdef Py_ssize_t row, column
    cdef float* at
    cdef const float* other
    cdef float value
    take(&v, values, PyBUF_WRITABLE)
    take(&p, product, 0)
    take(&b, bias, 0)
    demand(p.rows == v.rows and p.width == v.width and b.rows * b.width == v.width)
    with nogil:
        for row in range(v.rows):
            at, other = v.data + row * v.width, p.data + row * v.width
            for column in range(v.width):
                value = other[column] + b.data[column]
                at[column] += value if value > 0 else 0


def mix(values, before, own, behind, Py_ssize_t step):
    """Each row times `own`, the one `step` rows before times `before`, and the one behind times `behind`."""
    cdef Table v, a, o, z, f
    cdef Py_ssize_t row, column
    cdef float* at
    cdef const float* here
    cdef const float* other
    take(&v, values, 0)
    take(&a, before, 0)
    take(&o, own, 0)
    take(&z, behind, 0)
    demand(a.width == v.width and o.width == v.width and z.width == v.width and step > 0)
    found = np.empty((v.rows, v.width), dtype=np.float32)
    take(&f, found, PyBUF_WRITABLE)
    with nogil:
        for row in range(v.rows):
            at, here = f.data + row * v.width, v.data + row * v.width
            for column in range(v.width):
                at[column] = here[column] * o.data[column]
            if row >= step:
                other = here - step * v.width
                for column in range(v.width):
                    at[column] += other[column] * a.data[column]
            if row + step < v.rows:
                other = here + step * v.width
                for column in range(v.width):
                    at[column] += other[column] * z.data[column]
    return found


cdef Py_ssize_t count_groups(const int32_t* group, Py_ssize_t rows) except -1:
    """One more than the highest number; no number may lead out of a table of as many rows."""
    cdef Py_ssize_t row
    cdef int32_t highest = -1, lowest = 0
    for row in range(rows):
        highest = max(highest, group[row])
        lowest = min(lowest, group[row])
    demand(lowest == 0 and highest < rows)
    return highest + 1


def group_means(values, group, weights):
    """The weighted mean of the rows of each group, and the groups' weights."""
    cdef Table v, g, w, f, s
    cdef Py_ssize_t row, column
    cdef const int32_t* of
    cdef float* at
    cdef const float* here
    cdef float weight
    take(&v, values, 0)
    take(&g, group, 0)
    take(&w, weights, 0)
    demand(g.rows == 1 and g.width == v.rows and w.rows == 1 and w.width == v.rows)
    of = <const int32_t*>g.data
    count = count_groups(of, v.rows)
    means, sums = np.zeros((count, v.width), dtype=np.float32), np.zeros(count, dtype=np.float32)
    take(&f, means, PyBUF_WRITABLE)
    take(&s, sums, PyBUF_WRITABLE)
    with nogil:
        for row in range(v.rows):
            at, here, weight = f.data + of[row] * v.width, v.data + row * v.width, w.data[row]
            s.data[of[row]] += weight
            for column in range(v.width):
                at[column] += here[column] * weight
        for row in range(f.rows):
            weight = 1 / s.data[row] if s.data[row] > 0 else 0
            at = f.data + row * v.width
            for column in range(v.width):
                at[column] *= weight
    return means, sums


def means_between(values, first, stop):
    """The mean of the rows first to stop for each pair of them, equal neighbours once; and which mean is whose."""
    cdef Table v, a, z, r, f, o
    cdef Py_ssize_t row, column, count = 0
    cdef const int32_t* start
    cdef const int32_t* end
    cdef int32_t* of
    cdef float* at
    cdef const float* low
    cdef const float* high
    cdef float scale
    cdef bint fit = True
    take(&v, values, 0)
    take(&a, first, 0)
    take(&z, stop, 0)
    demand(a.rows == 1 and z.rows == 1 and a.width == z.width)
    owner = np.empty(a.width, dtype=np.int32)
    take(&o, owner, PyBUF_WRITABLE)
    start, end, of = <const int32_t*>a.data, <const int32_t*>z.data, <int32_t*>o.data
    for row in range(a.width):
        fit = fit and 0 <= start[row] and start[row] <= end[row] and end[row] <= v.rows
        if not row or start[row] != start[row - 1] or end[row] != end[row - 1]:
            count += 1
        of[row] = <int32_t>(count - 1)
    demand(fit)
    running, found = np.empty((v.rows + 1, v.width), dtype=np.float32), np.empty((count, v.width), dtype=np.float32)
    take(&r, running, PyBUF_WRITABLE)
    take(&f, found, PyBUF_WRITABLE)
    with nogil:
        memset(r.data, 0, v.width * sizeof(float))
        for row in range(v.rows):
            at, low, high = r.data + (row + 1) * v.width, r.data + row * v.width, v.data + row * v.width
            for column in range(v.width):
                at[column] = low[column] + high[column]
        for row in range(a.width):
            if row and of[row] == of[row - 1]:
                continue
            at = f.data + of[row] * v.width
            low, high = r.data + start[row] * v.width, r.data + end[row] * v.width
            scale = 1 / <float>max(end[row] - start[row], 1)
            for column in range(v.width):
                at[column] = (high[column] - low[column]) * scale
    return found, owner


cdef int take_group(Table* table, const int32_t** group, tuple part, Table* values) except -1:
    """A table, and for each row of `values` one of its rows."""
    cdef Table g
    take(table, part[0], 0)
    take(&g, part[1], 0)
    demand(g.rows == 1 and g.width == values.rows and table.width == values.width)
    group[0] = <const int32_t*>g.data
    demand(count_groups(group[0], values.rows) <= table.rows)
    return 0


def add_pooled(values, bias, tuple first, tuple second, tuple third):
    """Add to values: max(bias + the rows of three tables, 0), in place; each a table, and which row of it is whose."""
    cdef Table v, b, x, y, z
    cdef const int32_t* of_x
    cdef const int32_t* of_y
    cdef const int32_t* of_z
    cdef Py_ssize_t row, column
    cdef float* at
    cdef const float* one
    cdef const float* two
    cdef const float* three
    cdef float value
    take(&v, values, PyBUF_WRITABLE)
    take(&b, bias, 0)
    demand(b.rows * b.width == v.width)
    take_group(&x, &of_x, first, &v)
    take_group(&y, &of_y, second, &v)
    take_group(&z, &of_z, third, &v)
    with nogil:
        for row in range(v.rows):
            at, one = v.data + row * v.width, x.data + of_x[row] * v.width
            two, three = y.data + of_y[row] * v.width, z.data + of_z[row] * v.width
            for column in range(v.width):
                value = one[column] + two[column] + three[column] + b.data[column]
                at[column] += value if value > 0 else 0


def soften(values, float scale, lift):
    """exp(values * scale + lift) in place, by row over their sum: shares that sum to 1."""
    cdef Table v, b
    cdef Py_ssize_t row, column, lane, whole
    cdef float* at
    cdef float highest, total
    cdef float lanes[LANES]
    take(&v, values, PyBUF_WRITABLE)
    take(&b, lift, 0)
    demand(b.rows * b.width == v.width and v.width > 0)
    with nogil:
        whole = v.width - v.width % LANES
        for row in range(v.rows):
            at = v.data + row * v.width
            for column in range(v.width):
                at[column] = at[column] * scale + b.data[column]
            highest = at[0]
            for lane in range(LANES):
                lanes[lane] = highest
            for column in range(0, whole, 8):
                for lane in range(LANES):
                    lanes[lane] = lanes[lane] if lanes[lane] > at[column + lane] else at[column + lane]
            for column in range(whole, v.width):
                highest = highest if highest > at[column] else at[column]
            for lane in range(LANES):
                highest = highest if highest > lanes[lane] else lanes[lane]
            for column in range(v.width):
                at[column] = exp_of(at[column] - highest)
            memset(lanes, 0, sizeof(lanes))
            for column in range(0, whole, 8):
                for lane in range(LANES):
                    lanes[lane] += at[column + lane]
            total = 0
            for lane in range(LANES):
                total += lanes[lane]
            for column in range(whole, v.width):
                total += at[column]
            total = 1 / total
            for column in range(v.width):
                at[column] *= total


def sum_rectified(values, bias, weights, float lift):
    """The sum of max(values + bias, 0) * weights over each row, and the lift."""
    cdef Table v, b, w, f
    cdef Py_ssize_t row, column, lane, whole
    cdef const float* at
    cdef float total, value
    cdef float lanes[LANES]
    take(&v, values, 0)
    take(&b, bias, 0)
    take(&w, weights, 0)
    demand(b.rows * b.width == v.width and w.rows * w.width == v.width)
    found = np.empty(v.rows, dtype=np.float32)
    take(&f, found, PyBUF_WRITABLE)
    with nogil:
        whole = v.width - v.width % LANES
        for row in range(v.rows):
            at = v.data + row * v.width
            memset(lanes, 0, sizeof(lanes))
            for column in range(0, whole, 8):
                for lane in range(LANES):
                    value = at[column + lane] + b.data[column + lane]
                    lanes[lane] += (value if value > 0 else 0) * w.data[column + lane]
            total = lift
            for lane in range(LANES):
                total += lanes[lane]
            for column in range(whole, v.width):
                value = at[column] + b.data[column]
                total += (value if value > 0 else 0) * w.data[column]
            f.data[row] = total
    return found


def find_chances(logits, float limit):
    """1 / (1 + exp(-logits)), of logits cut at the limit on both sides."""
    cdef Table v, f
    cdef Py_ssize_t row
    cdef float value, low, high
    take(&v, logits, 0)
    demand(v.rows == 1)
    found = np.empty(v.width, dtype=np.float32)
    take(&f, found, PyBUF_WRITABLE)
    with nogil:
        for row in range(v.width):
            value = v.data[row]
            value = value if value < limit else limit
            value = value if value > -limit else -limit
            low = value if value < 0 else 0  # one of the two is 0, so that exp is of no positive number
            high = -value if value > 0 else 0
            f.data[row] = exp_of(low) / (exp_of(low) + exp_of(high))
    return found


def find_cut(chances, words, order, double weight):
    """Of the blocks in this order, the last to keep so that the expected F1 is highest, and that F1.

    `weight` is that of the words that may be content beside those that are kept.
    """
    cdef Table c, w
    cdef Py_buffer view
    cdef Py_ssize_t row, count, best = 0
    cdef const Py_ssize_t* at
    cdef double all_likely = 0, likely = 0, taken = 1e-6, expected, highest = -1
    cdef bint fit = True
    take(&c, chances, 0)
    take(&w, words, 0)
    PyObject_GetBuffer(order, &view, PyBUF_C_CONTIGUOUS)
    at, count = <const Py_ssize_t*>view.buf, view.shape[0]
    fit = view.ndim == 1 and view.itemsize == sizeof(Py_ssize_t)
    PyBuffer_Release(&view)
    demand(fit and c.rows == 1 and w.rows == 1 and c.width == count and w.width == count)
    with nogil:
        for row in range(count):
            fit = fit and 0 <= at[row] and at[row] < count
            all_likely += <double>c.data[row] * w.data[row]
        if fit:
            for row in range(count):
                likely += <double>c.data[at[row]] * w.data[at[row]]
                taken += w.data[at[row]]
                expected = 2 * likely / (taken + weight * all_likely)
                if expected > highest:
                    highest, best = expected, row
    demand(fit)
    return best, highest
