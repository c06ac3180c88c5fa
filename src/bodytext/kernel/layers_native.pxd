# What a decision needs of the network's module without Python.

cdef enum:
    SUMS = 5  # of an answer
    # Why a network cannot be run.
    NO_FIT = 1
    NO_MEMORY = 2

cdef struct NetworkRun:
    const void* weights
    const void* steps
    const void* source  # of rows
    float added  # to the words of each block
    float* logits
    float* types

cdef bint is_network(object network)
cdef int take_network(NetworkRun* r, object network, object survey) except -1
cdef int run_network(NetworkRun* given) noexcept nogil

cdef struct Logits:
    const float* logits
    const float* words
    Py_ssize_t count
    double weight  # the rule by which they are cut
    float least, lean

cdef int cut_logits(const Logits* given, const Py_ssize_t* first, float* chances, float* scores, double* found) noexcept nogil
cdef void add_up(const float* s, const float* c, const float* w, Py_ssize_t count, float boundary, double* sums) noexcept nogil
