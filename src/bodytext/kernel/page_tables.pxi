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


cdef inline int take_columns(Column* columns, object table, Py_ssize_t wanted, Py_ssize_t count) except -1:
    """Point into the first columns of a table, which come one after the other in PageTables."""
    cdef Py_ssize_t column
    for column in range(wanted):
        take(columns + column, table[column], count)
    return 0


cdef inline int take_page(PageTables* page, bytes source, object tables) except -1:
    """Point into the tables of a page, which the caller keeps, and make sure that they fit each other."""
    nodes, runs, blocks = tables
    page.source, page.size = <const uint8_t*><const char*>source, len(source)
    page.nodes, page.runs, page.blocks = len(nodes[0]), len(runs[0]), len(blocks[0])
    take_columns(&page.tag, nodes, 6, page.nodes)
    take_columns(&page.start, runs, 8, page.runs)
    take_columns(&page.first_run, blocks, 4, page.blocks)
    return demand(page_fits(page))
