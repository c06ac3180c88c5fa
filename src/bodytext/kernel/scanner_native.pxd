# What a decision needs of the scanner's module without Python; `page` are the PageTables of tables.h.

from libc.stdint cimport uint8_t

cdef int find_all_originals(const void* page, const uint8_t* is_wanted, Py_ssize_t* original) noexcept nogil
cdef int choose_all_copies(
    const void* page, const Py_ssize_t* first, const float* logits, bint is_thread, Py_ssize_t* kept
) noexcept nogil
