"""The shape of the package: ten layers, imports that point downwards, no cycle, one name for one thing."""

import ast
import re
import subprocess
import sys
from collections import defaultdict
from functools import cache
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from pathlib import Path

import pytest

import bodytext

SOURCE = Path(bodytext.__file__).parent
# A module may import from its own room and from layers above its own in this list, never from rooms beside it.
LAYERS = (
    ("kernel",),
    ("page",),
    ("views", "sources"),
    ("methods",),
    ("output",),
    ("document", "selection", "diagnosis", "extraction", "batch", "__init__"),
    ("corpus", "integrations", "compat"),
    ("studio",),
    ("reader",),
    ("cli", "__main__"),
)
# Modules that are one room: they import each other, in one direction.
TOGETHER = (frozenset(LAYERS[5]), frozenset(LAYERS[9]))
LAYER = {room: layer for layer, rooms in enumerate(LAYERS) for room in rooms}
MODULE_NAME = re.compile(r"bodytext(?:\.[a-z_0-9]+)+")
# What has the same name on purpose: a room's door.
SHARED_NAMES = {"__init__"}


def module_of(path: Path) -> str:
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_of(path): path for path in sorted(SOURCE.rglob("*.py"))}


def room_of(module: str) -> str:
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "__init__"


def nearest_module(dotted: str) -> str:
    """The module that a dotted name is in: `bodytext.page.tables.Page` is in `bodytext.page.tables`."""
    while dotted not in MODULES:
        dotted = dotted.rpartition(".")[0]
    return dotted


@cache
def nodes_of(module: str) -> list[ast.AST]:
    return list(ast.walk(ast.parse(MODULES[module].read_text("utf-8"))))


@cache
def imports_of(module: str) -> frozenset[str]:
    """The modules that a module imports: at its top, late, for types alone, or by a name in a string."""
    names: set[str] = set()
    docstrings = {
        id(node.value)
        for node in nodes_of(module)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in nodes_of(module):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in docstrings
        ):
            names |= {
                name
                for name in MODULE_NAME.findall(node.value)
                if nearest_module(name) != "bodytext"
            }
    own = {name for name in names if name == "bodytext" or name.startswith("bodytext.")}
    return frozenset({nearest_module(name) for name in own} - {module})


def test_imports_point_downwards() -> None:
    wrong = []
    for module in MODULES:
        room = room_of(module)
        for imported in imports_of(module):
            used = room_of(imported)
            together = used == room or any({room, used} <= rooms for rooms in TOGETHER)
            if not together and LAYER[used] >= LAYER[room]:
                wrong.append(f"{module} imports {imported}")
    assert wrong == []


def test_no_module_imports_itself_by_way_of_others() -> None:
    try:
        TopologicalSorter({module: imports_of(module) for module in MODULES}).prepare()
    except CycleError as error:
        pytest.fail("a cycle: " + " -> ".join(error.args[1]))


def test_sources_import_nothing_above_page() -> None:
    for module in MODULES:
        if room_of(module) == "sources":
            assert {room_of(name) for name in imports_of(module)} <= {
                "kernel",
                "page",
                "sources",
            }, module


def test_every_name_at_the_top_says_what_belongs_there() -> None:
    rooms = {room_of(module) for module in MODULES} - {"__init__", "__main__"}
    assert len(rooms) <= 17
    assert rooms | {"__init__", "__main__"} == set(LAYER)
    for room in rooms:
        docstring = (
            ast.get_docstring(ast.parse(MODULES[f"bodytext.{room}"].read_text("utf-8"))) or ""
        )
        assert docstring.partition("\n")[0].endswith("."), (
            f"the first line of {room}'s docstring is no sentence"
        )


@pytest.mark.slow
def test_no_class_name_occurs_twice() -> None:
    places = defaultdict(list)
    for module in MODULES:
        for node in nodes_of(module):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(module)
    assert {name: modules for name, modules in places.items() if len(modules) > 1} == {}


def test_module_names_are_unique_within_a_layer() -> None:
    places = defaultdict(list)
    for module, path in MODULES.items():
        if path.stem not in SHARED_NAMES:
            places[LAYER[room_of(module)], path.stem].append(module)
    assert {name: modules for name, modules in places.items() if len(modules) > 1} == {}


@pytest.mark.slow
def test_conditional_expressions_are_not_nested() -> None:
    nested = [
        f"{module}:{node.lineno}"
        for module in MODULES
        for node in nodes_of(module)
        if isinstance(node, ast.IfExp)
        and any(isinstance(inner, ast.IfExp) for inner in ast.walk(node) if inner is not node)
    ]
    assert nested == []


@pytest.mark.slow
def test_functions_are_simple() -> None:
    """By radon's count, which has boolean operators, conditional expressions and comprehensions in it."""
    cc_visit = pytest.importorskip("radon.complexity").cc_visit
    counts: list[tuple[int, str]] = []
    for module, path in MODULES.items():
        blocks = [
            block for block in cc_visit(path.read_text("utf-8")) if not hasattr(block, "methods")
        ]
        counts += [(block.complexity, f"{module}:{block.name}") for block in blocks]
    over = sorted((complexity, name) for complexity, name in counts if complexity > 10)
    assert [name for complexity, name in over if complexity > 15] == []
    assert len(over) < 0.01 * len(counts), over


def test_the_layers_are_in_the_architecture_page() -> None:
    text = (SOURCE.parents[1] / "ARCHITECTURE.md").read_text("utf-8")
    places = [text.index(f"`{rooms[0]}`") for rooms in LAYERS]
    assert all(earlier < later for earlier, later in pairwise(places))


def test_the_public_names() -> None:
    assert bodytext.__all__ == [
        "METHODS", "Chunk", "Document", "FetchError", "Method", "Page", "Paragraph", "Record", "Scores", "all_text",
        "extract", "extract_async", "extract_many", "extract_many_async", "extract_url", "fetch", "parse", "select",
    ]  # fmt: skip
    assert all(hasattr(bodytext, name) for name in bodytext.__all__)


def test_the_core_needs_numpy_alone() -> None:
    code = (
        "import sys, bodytext; bodytext.extract('<p>x'); "
        "own = {m.partition('.')[0] for m in sys.modules} - set(sys.stdlib_module_names); "
        "print(sorted(name for name in own if not name.startswith('_') and 'cython' not in name))"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path = {sys.path!r}; {code}"],
        capture_output=True,
        check=True,
        text=True,
    )
    assert set(ast.literal_eval(done.stdout)) <= {"bodytext", "numpy"}
