"""Choose between each native module and its Python twin.

A native module that was never built is replaced by its twin, with one warning. A native module that
is there but does not fit the package is an error: it would be wrong, or slow, without anybody
noticing.
"""

import os
import warnings
from importlib import import_module
from types import ModuleType

from bodytext.kernel.constants import find_checksum

# What each module gives to the package.
EXPORTS: dict[str, tuple[str, ...]] = {
    "scanner": (
        "choose_copies",
        "count_sequences",
        "find_originals",
        "nearest_marked",
        "scan",
        "write_kept",
        "write_texts",
    ),
    "clues": ("find_tags", "read_names", "read_shapes", "read_topics"),
    "survey": ("Survey",),
    "layers": ("BlockNetwork", "CutRule", "add_up_answer", "decide"),
    "units": ("settle_scores",),
    "attributes": ("read_raw_values", "read_value", "read_values"),
    "lines": ("read_lines",),
    "spans": ("add_words", "count_shown", "find_rows", "find_spans", "join_flags", "mark_long"),
    "shingles": ("find_lowest",),
    "ngrams": ("measure_grams",),
}
SETTING = "BODYTEXT_KERNEL"  # an environment variable; "python" leaves the native modules alone
_REBUILD = "Build it again with `pip install -e .` in a checkout, or with `pip install --force-reinstall bodytext`."


def load_modules() -> dict[str, ModuleType]:
    """Return the module in use for each name in EXPORTS."""
    natives = {} if os.environ.get(SETTING) == "python" else _load_natives()
    absent = [name for name, module in natives.items() if module is None]
    if absent:
        _warn(absent)
    return {name: natives.get(name) or import_module(f"{__package__}.{name}") for name in EXPORTS}


def _load_natives() -> dict[str, ModuleType | None]:
    """Return the native modules, None for each that was never built."""
    checksum = find_checksum()
    natives = {name: _import_native(f"{__package__}.{name}_native") for name in EXPORTS}
    for name, module in natives.items():
        if module is not None:
            _check(module, checksum, EXPORTS[name])
    return natives


def _import_native(native: str) -> ModuleType | None:
    try:
        return import_module(native)
    except Exception as error:
        if isinstance(error, ModuleNotFoundError) and error.name == native:
            return None
        raise ImportError(f"{native} cannot be loaded: {error}. {_REBUILD}") from error


def _check(module: ModuleType, checksum: int, exports: tuple[str, ...]) -> None:
    if getattr(module, "CONSTANTS", None) != checksum:
        raise ImportError(
            f"{module.__name__} was built with other constants than this package has. {_REBUILD}"
        )
    missing = [export for export in exports if not hasattr(module, export)]
    if missing:
        raise ImportError(f"{module.__name__} lacks {', '.join(missing)}. {_REBUILD}")


def _warn(absent: list[str]) -> None:
    warnings.warn(
        f"native modules of bodytext are not built ({', '.join(absent)}). Their Python twins are used instead, which "
        "are some ninety times slower. To build them, run `pip install -e .` in a checkout or `pip install "
        "--force-reinstall --no-binary bodytext bodytext`, with a C compiler installed. "
        f"{SETTING}=python silences this warning.",
        RuntimeWarning,
        stacklevel=2,
    )
