"""The kernel's loader: native modules that are built are used, those that do not fit are refused."""

import ast
import os
import re
import shutil
import subprocess
import sys
import tarfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import bodytext.kernel
from bodytext.kernel import constants
from bodytext.kernel.loader import EXPORTS, SETTING
from bodytext.kernel.network_shape import COLUMNS, PAGE_COLUMNS, PAGE_TYPES, TYPES
from bodytext.kernel.table_columns import BlockColumn, NodeColumn, RunColumn
from bodytext.methods.learned.features import block_names, page_names
from bodytext.page.tables import BlockTable, NodeTable, RunTable
from kernel_twins import SHARED, compiled, import_native, import_twin

KERNEL = Path(bodytext.kernel.__file__).parent
ROOT = KERNEL.parents[2]
IS_FORCED = os.environ.get(SETTING) == "python"
# A file, a text in it, and another: each mutation changes a constant that native code was built with or reads.
MUTATIONS = {
    "a class": ("html.py", '"sr-only":', '"for-ears": NodeFlag.SPOKEN, "sr-only":'),
    "a style": ("html.py", '"visibility:hidden"', '"visibility:collapse"'),
    "a flag": ("html.py", "LINK = 1 << 17", "LINK = 1 << 28"),
    "a set of tags": ("html.py", "TagRule.MARKER: ", 'TagRule.MARKER: "div " '),
    "a column": ("table_columns.py", "WORDS = 3\n    CHARS = 4", "CHARS = 3\n    WORDS = 4"),
    "a letter": ("words.py", "(0x09, 0x0D)", "(0x09, 0x0C)"),
    "a character": ("letters.py", '".!?', '".!'),
    "a limit": ("letters.py", "LONGEST_CLASS = 512", "LONGEST_CLASS = 511"),
    "a word of a topic": ("class_names.py", "byline |author|", "byliner |author|"),
    "a feature": ("feature_columns.py", "LEVELS = 4", "LEVELS = 5"),
    "a hash": ("hashing.py", "BIN_BITS = 7", "BIN_BITS = 6"),
    "the network": ("network_shape.py", "GROUP_WEIGHT = 0.3", "GROUP_WEIGHT = 0.25"),
}


def copy_kernel(folder: Path) -> Path:
    """Copy the kernel into an empty package; return its folder."""
    package = folder / "bodytext"
    shutil.copytree(
        KERNEL, package / "kernel", ignore=shutil.ignore_patterns("__pycache__", "*.c", "*.pyx")
    )
    (package / "__init__.py").touch()
    return package / "kernel"


def import_copy(
    kernel: Path, code: str = "kernel.describe()", **environment: str
) -> subprocess.CompletedProcess[str]:
    """Import the copy of a kernel, and run code that loads its modules."""
    environment = {key: value for key, value in os.environ.items() if key != SETTING} | environment
    environment["PYTHONPATH"] = str(kernel.parents[1])
    command = [sys.executable, "-c", f"import bodytext.kernel as kernel; {code}"]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


@compiled
@pytest.mark.skipif(IS_FORCED, reason=f"{SETTING}=python")
@pytest.mark.parametrize("name", EXPORTS)
def test_what_is_built_is_in_use(name: str) -> None:
    assert bodytext.kernel.is_native(name)
    assert f"{name} native" in bodytext.kernel.describe()
    for export in EXPORTS[name]:
        assert getattr(bodytext.kernel, export) is getattr(import_native(name), export)


@compiled
def test_a_module_is_loaded_when_it_is_needed(tmp_path: Path) -> None:
    loaded = "print(sorted(name for name in sys.modules if name.endswith('_native')))"
    code = f"import sys; {loaded}; kernel.find_rows; kernel.find_spans; {loaded}"
    done = import_copy(copy_kernel(tmp_path), code, **{SETTING: "native"})
    assert done.stdout == "[]\n['bodytext.kernel.spans_native']\n"


def test_the_kernel_has_no_other_names() -> None:
    with pytest.raises(AttributeError, match="read_minds"):
        _ = bodytext.kernel.read_minds


@compiled
@pytest.mark.parametrize("name", EXPORTS)
def test_no_native_function_is_its_twin(name: str) -> None:
    native, twin = import_native(name), import_twin(name)
    same = {export for export in EXPORTS[name] if getattr(native, export) is getattr(twin, export)}
    assert same <= SHARED


def test_types_are_known_of_all_that_is_loaded() -> None:
    tree = ast.parse((KERNEL / "__init__.py").read_text("utf-8"))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module]
    typed = {
        (str(node.module).rpartition(".")[2], alias.name)
        for node in imports
        for alias in node.names
        if alias.asname
    }
    assert typed == {(name, export) for name, exports in EXPORTS.items() for export in exports}


def test_what_is_not_built_is_replaced_with_one_warning(tmp_path: Path) -> None:
    kernel = copy_kernel(tmp_path)
    for extension in [*kernel.glob("*.so"), *kernel.glob("*.pyd")]:
        extension.unlink()
    done = import_copy(kernel, "print(kernel.describe())")
    assert done.stdout == ", ".join(f"{name} Python" for name in EXPORTS) + "\n"
    assert done.stderr.count("RuntimeWarning") == 1
    assert "pip install" in done.stderr
    assert "ninety times slower" in done.stderr


@compiled
def test_one_that_is_missing_is_replaced_alone(tmp_path: Path) -> None:
    kernel = copy_kernel(tmp_path)
    next(kernel.glob("survey_native.*")).unlink()
    done = import_copy(kernel, "print(kernel.describe())")
    assert "survey Python, layers native" in done.stdout
    assert "(survey)" in done.stderr


def test_python_can_be_asked_for(tmp_path: Path) -> None:
    done = import_copy(copy_kernel(tmp_path), "print(kernel.describe())", **{SETTING: "python"})
    assert "native" not in done.stdout
    assert done.stderr == ""


@pytest.mark.slow
@compiled
@pytest.mark.parametrize("mutation", MUTATIONS)
def test_a_changed_constant_needs_a_new_build(tmp_path: Path, mutation: str) -> None:
    name, old, new = MUTATIONS[mutation]
    kernel = copy_kernel(tmp_path)
    source = (kernel / name).read_text("utf-8")
    assert old in source
    (kernel / name).write_text(source.replace(old, new, 1), "utf-8")
    done = import_copy(kernel)
    assert done.returncode == 1
    assert "ImportError" in done.stderr
    assert "pip install -e ." in done.stderr


@compiled
def test_a_broken_module_is_an_error(tmp_path: Path) -> None:
    kernel = copy_kernel(tmp_path)
    next(kernel.glob("clues_native.*")).write_bytes(b"no library")
    done = import_copy(kernel)
    assert done.returncode == 1
    assert "clues_native cannot be loaded" in done.stderr
    assert "pip install -e ." in done.stderr


@compiled
def test_a_module_without_a_function_is_an_error(tmp_path: Path) -> None:
    kernel = copy_kernel(tmp_path)
    loader = kernel / "loader.py"
    loader.write_text(
        loader.read_text("utf-8").replace('"read_topics")', '"read_topics", "read_minds")'), "utf-8"
    )
    done = import_copy(kernel)
    assert "clues_native lacks read_minds" in done.stderr


# Constants


def test_the_checksum_depends_on_nothing_else() -> None:
    code = "from bodytext.kernel.constants import find_checksum; print(find_checksum())"
    checksums = {
        subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"PYTHONHASHSEED": str(seed)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for seed in (1, 2)
    }
    assert checksums == {str(constants.find_checksum())}


def test_the_columns_of_a_page_are_those_of_its_tables() -> None:
    for table, columns in (
        (NodeTable, NodeColumn),
        (RunTable, RunColumn),
        (BlockTable, BlockColumn),
    ):
        assert list(table._fields) == [column.name.lower() for column in columns]


def test_the_network_has_a_column_for_each_feature() -> None:
    assert (len(block_names()), len(page_names()), len(PAGE_TYPES)) == (
        COLUMNS,
        PAGE_COLUMNS,
        TYPES,
    )


# Building


def copy_project(folder: Path) -> Path:
    ignored = shutil.ignore_patterns(
        "__pycache__", "*.so", "*.c", "constants.h", "constants.pxi", "*.egg-info"
    )
    shutil.copytree(ROOT / "src", folder / "src", ignore=ignored)
    for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    return folder


def build(folder: Path, kind: str, **environment: str) -> subprocess.CompletedProcess[str]:
    code = f"from setuptools.build_meta import build_{kind}; print(build_{kind}('dist'))"
    blocked = "import sys; sys.modules['numpy'] = None; "  # a build has setuptools and Cython alone
    return subprocess.run(
        [sys.executable, "-c", blocked + code],
        cwd=folder,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )


buildable = pytest.mark.skipif(
    find_spec("Cython") is None or not (ROOT / "setup.py").exists(),
    reason="this is no checkout with Cython",
)


@pytest.mark.slow
@buildable
def test_without_a_compiler_a_build_says_how_to_go_on(tmp_path: Path) -> None:
    setup = copy_project(tmp_path) / "setup.py"
    one = re.sub(r"(?m)^NAMES = \([^)]*\)", 'NAMES = ("units",)', setup.read_text("utf-8"))
    setup.write_text(one, "utf-8")  # the first fails already
    done = build(tmp_path, "wheel", CC=str(tmp_path / "no-compiler"))
    assert done.returncode != 0
    assert "Install a C compiler" in done.stderr
    assert "BODYTEXT_PURE=1" in done.stderr


@pytest.mark.slow
@buildable
def test_a_wheel_of_python_alone_is_for_any_platform(tmp_path: Path) -> None:
    done = build(copy_project(tmp_path), "wheel", BODYTEXT_PURE="1")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1].endswith("-py3-none-any.whl")


@pytest.mark.slow
@buildable
def test_a_source_distribution_has_all_that_a_build_needs(tmp_path: Path) -> None:
    done = build(copy_project(tmp_path), "sdist")
    assert done.returncode == 0, done.stderr
    archive = tmp_path / "dist" / done.stdout.splitlines()[-1]
    # Newer versions of Python want a filter, and that of Debian 12 knows none.
    safely: dict[str, Any] = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
    shutil.unpack_archive(archive, tmp_path / "unpacked", **safely)
    kernel = next((tmp_path / "unpacked").glob("*/src/bodytext/kernel"))
    needed = {
        path.name
        for path in KERNEL.iterdir()
        if path.suffix in {".py", ".pyx", ".pxd", ".pxi", ".h"} and path.stem != "constants"
    }
    assert needed <= {path.name for path in kernel.iterdir()}
