# What a decision needs of the network's module without Python.

cdef enum:
    SUMS = 5  # of an answer

cdef struct Logits:
    const float* logits
    const float* words
    Py_ssize_t count
    double weight  # the rule by which they are cut
    float least, lean

cdef int cut_logits(const Logits* given, const Py_ssize_t* first, float* chances, float* scores, double* found) noexcept nogil
cdef void add_up(const float* s, const float* c, const float* w, Py_ssize_t count, float boundary, double* sums) noexcept nogil
