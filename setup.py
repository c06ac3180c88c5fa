"""Build the native modules; with BODYTEXT_PURE=1 build a package of Python alone, for any platform."""

import ast
import os
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.errors import BaseError, CCompilerError

STABLE_ABI = "0x030B0000"
SOURCE = Path("src")
KERNEL = SOURCE / "bodytext" / "kernel"
TABLES = (
    "methods/__init__.py",
    "output/formats.py",
    "corpus/stages/__init__.py",
    "cli/commands.py",
)
NAMES = ("scanner", "clues", "survey", "layers", "attributes", "shingles", "ngrams")
NO_COMPILER = """The native modules of bodytext cannot be compiled.
Install a C compiler (gcc, clang or Visual C++) and try again,
or set BODYTEXT_PURE=1 to build without them: the result is the same, some ninety times slower."""


def read_entry_points() -> dict[str, list[str]]:
    """Read the methods, formats, stages and commands from their tables, without importing them."""
    groups = {"console_scripts": ["bodytext = bodytext.cli:main"]}
    for table in TABLES:
        for node in ast.walk(ast.parse((SOURCE / "bodytext" / table).read_text("utf-8"))):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id == "Registry"
            ):
                group, places = map(ast.literal_eval, node.args)
                groups[group] = [f"{name} = {place}" for name, place in places.items()]
    return groups


def write_constants() -> list[str]:
    """Write the constants that C needs, where they have changed, and return the files."""
    constants = import_constants()
    texts = {
        "constants.h": constants.write_header(),
        "constants.pxi": constants.write_declarations(),
    }
    for name, text in texts.items():
        path = KERNEL / name
        if not path.exists() or path.read_text("utf-8") != text:
            path.write_text(text, "utf-8")
    return [(KERNEL / name).as_posix() for name in texts]


def import_constants() -> ModuleType:
    """Import the module that has the constants, but not the package around it: that needs numpy."""
    for name in ("bodytext", "bodytext.kernel"):
        package = ModuleType(name)
        package.__path__ = [str(SOURCE.joinpath(*name.split(".")))]
        sys.modules[name] = package
    return import_module("bodytext.kernel.constants")


class BuildExtensions(build_ext):
    """Compile the native modules, or say how to go on without a compiler."""

    def run(self) -> None:
        """Compile all."""
        try:
            super().run()
        except (BaseError, CCompilerError) as error:
            raise BaseError(f"{error}\n\n{NO_COMPILER}") from error


def list_extensions() -> list[Extension]:
    """Return the native modules."""
    depends = [*write_constants(), (KERNEL / "layers.h").as_posix()]
    return [
        Extension(
            f"bodytext.kernel.{name}_native",
            [(KERNEL / f"{name}_native.pyx").as_posix()],
            depends=depends,
            define_macros=[("Py_LIMITED_API", STABLE_ABI)],
            py_limited_api=True,
            # The second lets more loops do several numbers at once
            extra_compile_args=[
                "-O3",
                "-fno-trapping-math",
            ],
        )
        for name in NAMES
    ]


if os.environ.get("BODYTEXT_PURE") == "1":
    setup(entry_points=read_entry_points())
else:
    setup(
        entry_points=read_entry_points(),
        ext_modules=list_extensions(),
        cmdclass={"build_ext": BuildExtensions},
        options={"bdist_wheel": {"py_limited_api": "cp311"}},
    )
