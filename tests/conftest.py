"""Before numpy and torch are imported: one thread for their matrix products, so that CPU times tell how work grows, and
because threads that wait for each other take many times as long where other work has the cores.

Where no native module was built, Python is asked for: the tests make errors of warnings, and the one that says so would
stop them all. Where only some were built, they do stop.

Examples of property tests have no deadline: on a busy machine any of them may take long, and be right all the same.
They are the same in every run, so that a test that fails was broken by a change; BODYTEXT_EXAMPLES=random draws others,
and more of them.

Once all tests are found, the garbage collector leaves them alone: there are ten thousand.
"""

import gc
import os
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec
from pathlib import Path

from hypothesis import HealthCheck, settings

from example_counts import IS_RANDOM, some_of


def is_built() -> bool:
    """Whether there is any native module, found without importing the package."""
    package = find_spec("bodytext")
    assert package, "bodytext is not installed: make run"
    return any(
        any(Path(place, "kernel").glob(f"*_native{suffix}"))
        for place in package.submodule_search_locations or ()
        for suffix in EXTENSION_SUFFIXES
    )


os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")
if not is_built():
    os.environ.setdefault("BODYTEXT_KERNEL", "python")
settings.register_profile(
    "bodytext",
    max_examples=some_of(100),
    deadline=None,
    derandomize=not IS_RANDOM,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("bodytext")


def pytest_collection_finish() -> None:
    gc.collect()
    gc.freeze()
