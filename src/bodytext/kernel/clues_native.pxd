# What the survey reads of a page without Python; `page` are the PageTables of tables.h.

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t

cdef struct Told:
    const uint8_t* text
    Py_ssize_t length

cdef void read_all_names(const void* page, uint64_t* near, uint64_t* far, uint32_t* signature, int32_t* up) noexcept nogil
cdef int read_all_shapes(const void* page, const Told* told, int32_t* shapes) noexcept nogil
