"""Before numpy and torch are imported: one thread for their matrix products, so that CPU times tell how work grows, and
because threads that wait for each other take many times as long where other work has the cores.

Examples of property tests have no deadline: on a busy machine any of them may take long, and be right all the same.
They are the same in every run, so that a test that fails was broken by a change; BODYTEXT_EXAMPLES=random draws others.
"""

import os

from hypothesis import HealthCheck, settings

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")
IS_RANDOM = os.environ.get("BODYTEXT_EXAMPLES") == "random"
settings.register_profile(
    "bodytext",
    deadline=None,
    derandomize=not IS_RANDOM,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("bodytext")
