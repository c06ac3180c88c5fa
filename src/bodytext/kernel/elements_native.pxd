# Elements and what holds them, as the native modules make them.

cimport cython
from libc.stdint cimport int32_t

cdef struct NodeColumns

cdef class Tagged:
    cdef readonly str name
    cdef readonly tuple children
    cdef readonly object attributes

cdef Tagged make_tagged(type make, str name, tuple children, object attributes=*)
cdef int demand_elements(type make) except -1

@cython.final
cdef class Draft:
    cdef readonly str name
    cdef readonly int32_t node
    cdef public object attributes
    cdef readonly list children
    cdef public list pieces
    cdef int32_t place  # among all drafts
    cdef int kind
    cdef bint is_nested  # there are drafts among the children

    cpdef list gather(self)

@cython.final
cdef class Containers:
    cdef bytes source
    cdef object kept  # the arrays that the columns point into
    cdef NodeColumns* columns
    cdef Py_ssize_t nodes
    cdef int32_t* nearest  # what holds something, at or above each node
    cdef int32_t* level
    cdef int32_t* place  # of the draft of each, or -1
    cdef int32_t* waiting
    cdef list drafts  # each after the one that holds it
    cdef type make
    cdef object details
    cdef readonly dict item_nodes

    cpdef add_line(self, Py_ssize_t node, pieces)
    cpdef bint add_leaf(self, Py_ssize_t node, pieces) except -1
    cpdef add_rule(self, Py_ssize_t node)
    cpdef add_verbatim(self, Py_ssize_t node, str text)
    cdef bint find_nearest(self) noexcept nogil
    cdef int attach(self, Draft draft, pieces) except -1
    cdef int attach_to_line(self, Draft draft, pieces) except -1
    cdef Draft find(self, Py_ssize_t node)
    cdef Draft add(self, int32_t node, Draft above)
    cdef Draft start_draft(self, int kind, int32_t node)
    cdef bint may_have_value(self, int32_t node)
    cdef Draft find_holder(self, int kind, Draft above)
    cdef Draft find_owner(self, int kind, Draft above)
    cdef Draft flow(self, Draft draft)
    cdef Draft imply(self, Draft holder, int kind)
    cdef Draft hang(self, Draft draft, Draft holder)
    cdef Draft keep(self, Draft draft)
    cdef list make_pieces(self, Draft draft)
