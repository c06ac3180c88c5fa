"""Before numpy is imported: one thread for its matrix products, so that CPU times tell how work grows."""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
