# How a survey hands the network its rows, for both of them.

from libc.stdint cimport int32_t, uint64_t

cdef extern from "layers_rows.h":
    ctypedef struct Around:
        int32_t node, first
        float a_block, a_word

    ctypedef struct RowState:
        Around around[LEVELS]
        Around holders[SHARES_COUNT]
        uint64_t marks, near, far
        int32_t section

    enum:
        READY, UNCOUNTED, HANDED_OVER

    ctypedef struct RowSource:
        void* tables
        int state
        int (*count)(void* tables) noexcept nogil
        Py_ssize_t rows
        Py_ssize_t (*fill)(const void* tables, RowState* state, Py_ssize_t row, float* columns) noexcept nogil
        const float* page
        const float* words
        Py_ssize_t page_columns
        const int32_t* alike
        const int32_t* path
        const int32_t* first
        const int32_t* stop
        const void* page_tables
        const uint64_t* topics

    const char* ROW_SOURCE
