# Elements, as the native modules make them.

cdef class Tagged:
    cdef readonly str name
    cdef readonly tuple children
    cdef readonly object attributes

cdef Tagged make_tagged(type make, str name, tuple children, object attributes=*)
cdef int demand_elements(type make) except -1
