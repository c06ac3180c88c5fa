"""Before numpy is imported: one thread for its matrix products, so that CPU times tell how work grows.

Examples of property tests have no deadline: on a busy machine any of them may take long, and be right all the same.
"""

import os

from hypothesis import settings

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
settings.register_profile("bodytext", deadline=None)
settings.load_profile("bodytext")
