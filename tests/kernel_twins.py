"""The native modules and their Python twins, for tests that compare them: never a thing with itself."""

import os
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

import pytest

from bodytext.kernel.loader import EXPORTS, SETTING

IS_BUILT = any(find_spec(f"bodytext.kernel.{name}_native") for name in EXPORTS)
compiled = pytest.mark.skipif(not IS_BUILT, reason="the native modules are not built here")
# Native modules make no elements of a class that is based on the twin's.
with_elements = pytest.mark.skipif(
    not IS_BUILT or os.environ.get(SETTING) == "python", reason="elements are not native here"
)
SHARED = {"CutRule"}  # a plain tuple, which both use


@cache
def import_twin(name: str) -> ModuleType:
    return import_module(f"bodytext.kernel.{name}")


@cache
def import_native(name: str) -> ModuleType:
    """The native module, of which every function is another than its twin's; an error if one of several is missing."""
    native, twin = import_module(f"bodytext.kernel.{name}_native"), import_twin(name)
    for export in set(EXPORTS[name]) - SHARED:
        assert getattr(native, export) is not getattr(twin, export), export
    return native


def import_both(name: str) -> list[ModuleType]:
    """What a test is parametrised with: the twin and, if it is built, the native module."""
    return [import_twin(name), import_native(name)] if IS_BUILT else [import_twin(name)]
