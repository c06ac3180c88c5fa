"""Build the native modules; with BODYTEXT_PURE=1 build a package of Python alone, for any platform."""

import ast
import os
import re
import sys
import sysconfig
from importlib import import_module
from pathlib import Path
from types import ModuleType

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.errors import BaseError, CCompilerError

STABLE_ABI = "0x030B0000"
HAS_STABLE_ABI = not sysconfig.get_config_var("Py_GIL_DISABLED")  # free threads have none yet
SOURCE = Path("src")
KERNEL = SOURCE / "bodytext" / "kernel"
TABLES = (
    "methods/__init__.py",
    "output/formats.py",
    "corpus/stages/__init__.py",
    "cli/commands.py",
)
ADDRESS = "https://github.com/bodytext/bodytext"
RELATIVE_LINK = re.compile(r'(\]\(|\b(?:href|src|srcset)=")(?![a-z]+:|#)([^)\s"]+)')
NAMES = (
    "scanner", "clues", "survey", "layers", "units", "head", "attributes", "element_names", "images", "elements", "lines",
    "placement", "spans", "discussion", "small_elements", "markdown_lines", "shingles", "ngrams",
)  # fmt: skip
NO_COMPILER = """The native modules of bodytext cannot be compiled.
Install a C compiler (gcc, clang or Visual C++) and try again,
or set BODYTEXT_PURE=1 to build without them: the result is the same, some ninety times slower."""


def read_version() -> str:
    """Read the version from the package, without importing it."""
    tree = ast.parse((SOURCE / "bodytext" / "__init__.py").read_text("utf-8"))
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__version__":
            return str(ast.literal_eval(node.value))
    raise ValueError("src/bodytext/__init__.py has no __version__")


def read_description(version: str) -> str:
    """Read the README with absolute links: the package index has none of the files around it."""

    def complete(link: re.Match[str]) -> str:
        kind = "raw" if link[2].endswith((".png", ".svg")) else "blob"
        return f"{link[1]}{ADDRESS}/{kind}/v{version}/{link[2]}"

    return RELATIVE_LINK.sub(complete, Path("README.md").read_text("utf-8"))


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

    def build_extensions(self) -> None:
        """Compile all with the options that the compiler at hand knows."""
        # The native modules keep nothing between calls, so a Python without a lock need not take one.
        self.cython_directives = {"freethreading_compatible": True}
        for extension in self.extensions:
            extension.extra_compile_args = find_options(extension, self.compiler.compiler_type)
        super().build_extensions()


def find_options(extension: Extension, compiler: str) -> list[str]:
    """Return the options of the compiler for a native module."""
    if compiler == "msvc":
        return ["/O2"]
    # The second lets more loops do several numbers at once; the third leaves out what debuggers read.
    options = ["-O3", "-fno-trapping-math", "-g0"]
    if extension.name == "bodytext.kernel.layers_native":
        # The network has finite numbers only. So told, the compiler finds minima and maxima without a branch.
        return [*options, "-ffinite-math-only", "-fno-signed-zeros"]
    # Products are rounded before they are added, as in Python. Else ARM would do both at once.
    return [*options, "-ffp-contract=off"]


def list_extensions() -> list[Extension]:
    """Return the native modules."""
    included = [*KERNEL.glob("*.px[di]"), *KERNEL.glob("*.h")]
    depends = [*write_constants(), *(path.as_posix() for path in included)]
    return [
        Extension(
            f"bodytext.kernel.{name}_native",
            [(KERNEL / f"{name}_native.pyx").as_posix()],
            depends=depends,
            define_macros=[("Py_LIMITED_API", STABLE_ABI)] if HAS_STABLE_ABI else [],
            py_limited_api=HAS_STABLE_ABI,
        )
        for name in NAMES
    ]


def list_native_arguments() -> dict[str, object]:
    """Return what setup needs for the native modules: nothing if they are not wanted."""
    if os.environ.get("BODYTEXT_PURE") == "1":
        return {}
    return {
        "ext_modules": list_extensions(),
        "cmdclass": {"build_ext": BuildExtensions},
        "options": {"bdist_wheel": {"py_limited_api": "cp311"}} if HAS_STABLE_ABI else {},
    }


setup(
    version=read_version(),
    long_description=read_description(read_version()),
    long_description_content_type="text/markdown",
    entry_points=read_entry_points(),
    **list_native_arguments(),
)
