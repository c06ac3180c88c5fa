# Columns of tables and arrays that a caller keeps, as the native modules read them.

from cpython.buffer cimport PyBUF_SIMPLE, PyBUF_STRIDED_RO, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport int32_t

cdef extern from "tables.h" nogil:
    ctypedef struct Column:
        const char* data
        Py_ssize_t stride

    int32_t get(const Column* column, Py_ssize_t row)


cdef inline int demand(bint fit) except -1:
    if not fit:
        raise ValueError("the tables do not fit each other")
    return 0


cdef int take(Column* column, object array, Py_ssize_t count, Py_ssize_t width=4, int flags=0) except -1:
    """Point into an array of numbers of so many bytes, which the caller keeps."""
    cdef Py_buffer view
    PyObject_GetBuffer(array, &view, PyBUF_STRIDED_RO | flags)
    cdef bint fits = view.ndim == 1 and view.itemsize == width and view.shape[0] == count
    if fits:
        column.data, column.stride = <const char*>view.buf, view.strides[0]
    PyBuffer_Release(&view)
    if not fits:
        raise ValueError("the tables do not fit each other: columns must have one length and one size of numbers")
    return 0


cdef inline void* point(object array, Py_ssize_t size) except? NULL:
    """The address of an array of so many bytes without gaps."""
    cdef Py_buffer view
    PyObject_GetBuffer(array, &view, PyBUF_SIMPLE)
    cdef void* start = view.buf
    cdef bint fits = view.len == size
    PyBuffer_Release(&view)
    if not fits:
        raise ValueError("an array of another size is wanted")
    return start


cdef inline Py_ssize_t find_after(const Column* column, Py_ssize_t count, int32_t number) noexcept nogil:
    """The first row of a sorted column that has more than a number."""
    cdef Py_ssize_t low = 0, high = count, middle
    while low < high:
        middle = (low + high) // 2
        if get(column, middle) <= number:
            low = middle + 1
        else:
            high = middle
    return low
