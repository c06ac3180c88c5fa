# New arrays of numbers. To look their types up in numpy would take as long as to make one.

import numpy as np

cdef object make_array = np.empty
cdef object FLOAT32 = np.dtype(np.float32)
cdef object INT32 = np.dtype(np.int32)
cdef object UINT64 = np.dtype(np.uint64)


cdef inline object new_floats(Py_ssize_t count):
    return make_array(count, FLOAT32)
