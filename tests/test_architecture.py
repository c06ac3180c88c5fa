"""The shape of the package: imports point downwards, the public names are these, the core needs numpy alone."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import bodytext

SOURCE = Path(bodytext.__file__).parent
# A module may import only what stands in a line above its own, or in its own package.
LEVELS = (
    ("markup", "words", "names"),
    ("_kernel", "network", "weights"),
    ("encoding", "page"),
    ("addresses",),
    ("embedded",),  # what a page carries beside its blocks
    ("media",),
    ("metadata", "structure"),  # what can be asked of a page and its kept blocks
    ("discussion",),
    ("document", "parser", "features"),
    ("block_network",),
    ("selection", "condition"),
    ("coherence",),  # what is known of blocks together
    ("methods", "output"),
    ("reasons",),
    ("pipeline", "exchange"),
    ("__init__",),
    ("sources",),
    ("corpus", "labels", "integrations"),
    ("train",),
    ("evaluate",),
    ("web",),
    ("reader",),
    ("cli",),
    ("__main__",),
)
# A document writes itself as Markdown where it is asked to: a view from below, imported only then.
UPWARDS = {("document.py", "bodytext.output.markdown")}
LEVEL = {name: level for level, names in enumerate(LEVELS) for name in names}


def top(module: str) -> str:
    """The part of a module's name that stands in LEVELS."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "__init__"


def imports(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module == "bodytext":
            found |= {f"bodytext.{alias.name}" if (f"{alias.name}") in LEVEL else "bodytext" for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    return found


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_point_downwards(path: Path) -> None:
    relative = path.relative_to(SOURCE)
    own = relative.parts[0].removesuffix(".py")
    for module in imports(path):
        if module == "bodytext" or module.startswith("bodytext."):
            used = top(module)
            below = used == own or LEVEL[used] < LEVEL[own]
            assert below or (str(relative), module) in UPWARDS, f"{relative} imports {module}"


def test_the_public_names() -> None:
    assert bodytext.__all__ == [
        "METHODS", "Document", "Method", "Page", "Paragraph", "Scores", "extract", "parse", "select",
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
