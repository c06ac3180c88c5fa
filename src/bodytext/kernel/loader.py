"""Choose between each native module and its Python twin, when it is first needed.

A native module that was never built is replaced by its twin, with one warning. A native module that
is there but does not fit the package is an error: it would be wrong, or slow, without anybody
noticing.
"""

import os
import warnings
from functools import cache
from importlib import import_module
from types import ModuleType

from bodytext.kernel.constants import find_checksum

# What each module gives to the package.
EXPORTS: dict[str, tuple[str, ...]] = {
    "scanner": (
        "choose_copies",
        "count_controls",
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
    "units": ("answer_page", "decide_page", "estimate_f1", "settle_scores"),
    "head": ("find_content", "read_address", "read_head", "read_title"),
    "attributes": ("read_contents", "read_raw_values", "read_value", "read_values"),
    "element_names": ("name_elements",),
    "images": ("make_leaves", "read_images"),
    "elements": ("Containers", "Tagged"),
    "lines": ("add_lines",),
    "placement": ("place_leaves", "place_media"),
    "spans": (
        "add_words",
        "count_shown",
        "count_unseen",
        "count_without",
        "find_assigned",
        "find_data",
        "find_hinted",
        "find_marked",
        "find_places",
        "find_rows",
        "find_short_blocks",
        "find_spans",
        "holds_any",
        "may_have_blank_lines",
    ),
    "discussion": (
        "add_up",
        "choose_nodes",
        "choose_texts",
        "measure_groups",
        "measure_parts",
        "own_parts",
        "weigh_names",
        "widen_groups",
    ),
    "small_elements": ("find_small", "read_element", "read_first_runs", "read_runs"),
    "markdown_lines": ("MarkdownLines",),
    "shingles": ("find_lowest",),
    "ngrams": ("measure_grams",),
}
SETTING = "BODYTEXT_KERNEL"  # an environment variable; "python" leaves the native modules alone
_REBUILD = "Build it again with `pip install -e .` in a checkout, or with `pip install --force-reinstall bodytext`."


@cache
def load_module(name: str) -> ModuleType:
    """Return the module in use for a name in EXPORTS. It is loaded when it is first needed."""
    native = None if os.environ.get(SETTING) == "python" else _load_native(name)
    return native or import_module(f"{__package__}.{name}")


def _load_native(name: str) -> ModuleType | None:
    """Return a native module, None if it was never built."""
    module = _import_native(f"{__package__}.{name}_native")
    if module is None:
        _warn()
    else:
        _check(module, find_checksum(), EXPORTS[name])
    return module


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


@cache
def _warn() -> None:
    from importlib.util import find_spec

    absent = [name for name in EXPORTS if find_spec(f"{__package__}.{name}_native") is None]
    warnings.warn(
        f"native modules of bodytext are not built ({', '.join(absent)}). Their Python twins are used instead, which "
        "are some ninety times slower. To build them, run `pip install -e .` in a checkout or `pip install "
        "--force-reinstall --no-binary bodytext bodytext`, with a C compiler installed. "
        f"{SETTING}=python silences this warning.",
        RuntimeWarning,
        stacklevel=2,
    )
