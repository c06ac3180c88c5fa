# All columns of a page at once, after "columns.pxi".

from libc.stdint cimport uint8_t

cdef extern from "tables.h" nogil:
    ctypedef struct PageTables:
        const uint8_t* source
        Py_ssize_t size, nodes, runs, blocks
        Column tag, parent, node_first, node_stop, node_start, node_end
        Column start, end, tags, words, chars, bytes, run_node, flags
        Column first_run, stop_run, kind, node

    bint page_fits(const PageTables* page)


cdef Py_ssize_t take_table(Column* columns, object table, Py_ssize_t wanted) except -1:
    """Point into the first columns of a table, which the caller keeps, and return how many rows it has.

    It is an array that has a row for each column, which takes less time, or a tuple of columns.
    """
    cdef Py_buffer view
    cdef Py_ssize_t column, rows
    if isinstance(table, (tuple, list)):
        rows = len(table[0])
        for column in range(wanted):
            take(columns + column, table[column], rows)
        return rows
    PyObject_GetBuffer(table, &view, PyBUF_STRIDED_RO)
    cdef bint fits = view.ndim == 2 and view.itemsize == 4 and view.shape[0] >= wanted
    if fits:
        rows = view.shape[1]
        for column in range(wanted):
            columns[column].data = <const char*>view.buf + column * view.strides[0]
            columns[column].stride = view.strides[1]
    PyBuffer_Release(&view)
    if not fits:
        raise ValueError("the tables do not fit each other: an array with a row for each column is wanted")
    return rows


cdef inline int take_page(PageTables* page, bytes source, object tables) except -1:
    """Point into the tables of a page, which the caller keeps, and make sure that they fit each other."""
    nodes, runs, blocks = tables
    page.source, page.size = <const uint8_t*><const char*>source, len(source)
    # Columns come one after the other in PageTables.
    page.nodes = take_table(&page.tag, nodes, 6)
    page.runs = take_table(&page.start, runs, 8)
    page.blocks = take_table(&page.first_run, blocks, 4)
    return demand(page_fits(page))
