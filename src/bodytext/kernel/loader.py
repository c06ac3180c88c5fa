"""Choose between each native module and its Python twin.

A native module that was never built is replaced by its twin, with one warning. A native module that is there but does
not fit the package is an error: it would be wrong, or slow, without anybody noticing.
"""

import os
import warnings
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

from bodytext.kernel.constants import find_checksum

# What each module gives to the package.
EXPORTS: dict[str, tuple[str, ...]] = {
    "scanner": ("count_sequences", "find_originals", "nearest_marked", "scan", "write_texts"),
    "clues": ("find_tags", "read_names", "read_shapes", "read_topics"),
    "survey": ("Survey",),
    "layers": ("BlockNetwork", "CutRule", "add_up_answer", "decide"),
    "attributes": ("read_values",),
    "shingles": ("find_lowest",),
    "ngrams": ("measure_grams",),
}
SETTING = "BODYTEXT_KERNEL"  # an environment variable; "python" leaves the native modules alone
_REBUILD = "Build it again with `pip install -e .` in a checkout, or with `pip install --force-reinstall bodytext`."


def load_modules() -> dict[str, ModuleType]:
    """Return the module in use for each name in EXPORTS."""
    if os.environ.get(SETTING, "") == "python":
        absent = set(EXPORTS)
    else:
        absent = {name for name in EXPORTS if find_spec(_native_name(name)) is None}
        if absent:
            _warn(sorted(absent))
    checksum = find_checksum()
    return {name: _load_twin(name) if name in absent else _load_native(name, checksum) for name in EXPORTS}


def _load_twin(name: str) -> ModuleType:
    return import_module(f"{__package__}.{name}")


def _load_native(name: str, checksum: int) -> ModuleType:
    native = _native_name(name)
    try:
        module = import_module(native)
    except Exception as error:
        raise ImportError(f"{native} cannot be loaded: {error}. {_REBUILD}") from error
    if getattr(module, "CONSTANTS", None) != checksum:
        raise ImportError(f"{native} was built with other constants than those of this package. {_REBUILD}")
    missing = [export for export in EXPORTS[name] if not hasattr(module, export)]
    if missing:
        raise ImportError(f"{native} lacks {', '.join(missing)}. {_REBUILD}")
    return module


def _native_name(name: str) -> str:
    return f"{__package__}.{name}_native"


def _warn(absent: list[str]) -> None:
    warnings.warn(
        f"native modules of bodytext are not built ({', '.join(absent)}). Their Python twins are used instead, which "
        "are some ninety times slower. To build them, run `pip install -e .` in a checkout or `pip install "
        "--force-reinstall --no-binary bodytext bodytext`, with a C compiler installed. "
        f"{SETTING}=python silences this warning.",
        RuntimeWarning,
        stacklevel=2,
    )
