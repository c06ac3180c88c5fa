"""Methods, formats, stages and commands: ours are entry points, and other packages add theirs."""

import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import pytest

from bodytext.cli.commands import COMMANDS
from bodytext.corpus.stages import STAGES
from bodytext.methods import METHODS
from bodytext.methods.registry import Registry
from bodytext.output.formats import FORMATS

ROOT = Path(__file__).parent.parent
REGISTRIES: dict[str, Registry[Any]] = {
    "bodytext.methods": METHODS,
    "bodytext.commands": COMMANDS,
    "bodytext.stages": STAGES,
    "bodytext.formats": FORMATS,
}

PLUGIN = '''
"""A package that adds a method, a format and a command."""

from dataclasses import dataclass

import numpy as np

from bodytext import Page, Scores
from bodytext.cli.command import Command
from bodytext.output.format import Format


@dataclass(frozen=True)
class FirstBlocks:
    """The first blocks of a page."""

    count: int = 1

    def score(self, page: Page) -> Scores:
        return Scores((np.arange(len(page)) < self.count).astype(np.float32))


def to_shout(document, *, source=""):
    return f"{source.rpartition('/')[2]}: {document.text.upper()}"


SHOUT = Format(
    to_shout,
    suffix=".shout",
    media_type="text/plain",
    description="capital letters",
    options=("source",),
    stream_suffixes=(".shout",),
)


def add_options(parser):
    parser.add_argument("name")
    parser.set_defaults(run=greet)


def greet(options):
    print(f"hello {options.name}")
    return 0


GREET = Command("print a greeting", add_options)
'''
ENTRY_POINTS = """
[bodytext.methods]
first = plugin:FirstBlocks
finn = plugin:FirstBlocks
[bodytext.formats]
shout = plugin:SHOUT
[bodytext.commands]
greet = plugin:GREET
"""


@pytest.mark.parametrize("group", REGISTRIES)
def test_our_own_are_entry_points(group: str) -> None:
    points = {
        point.name: point.value
        for point in distribution("bodytext").entry_points.select(group=group)
    }
    assert points == REGISTRIES[group].own, (
        "run pip install --no-deps -e . after a change in a table"
    )


@pytest.mark.parametrize("group", REGISTRIES)
def test_all_of_them_can_be_imported(group: str) -> None:
    registry = REGISTRIES[group]
    assert [registry[name] for name in registry.own]


def test_an_unknown_name_says_which_there_are() -> None:
    with pytest.raises(ValueError, match="there is no method 'finnn'; choose one of finn, runs"):
        METHODS.find("finnn")
    assert "finnn" not in METHODS
    assert METHODS.get("finnn") is None


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    """A folder with an installed package that adds to our groups."""
    (tmp_path / "plugin.py").write_text(PLUGIN, "utf-8")
    info = tmp_path / "plugin-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: plugin\nVersion: 1.0\n", "utf-8")
    (info / "entry_points.txt").write_text(ENTRY_POINTS, "utf-8")
    return tmp_path


def run(plugin: Path, *words: str) -> str:
    code = f"import sys; sys.path.insert(0, {str(plugin)!r}); from bodytext.cli import main; sys.exit(main(sys.argv[1:]))"
    done = subprocess.run(
        [sys.executable, "-c", code, *words], capture_output=True, check=True, text=True
    )
    return done.stdout


@pytest.mark.slow
def test_a_method_of_another_package(plugin: Path) -> None:
    page = plugin / "page.html"
    page.write_text("<p>one two</p><p>three four</p><p>five six</p>", "utf-8")
    assert run(plugin, str(page), "--method", "first") == "one two\n"
    assert run(plugin, str(page), "--method", "first:count=2") == "one two\n\nthree four\n"
    assert "first" in run(plugin, "methods")


@pytest.mark.slow
def test_a_format_of_another_package(plugin: Path) -> None:
    pages = plugin / "pages"
    pages.mkdir()
    for name in ("a", "b"):
        (pages / f"{name}.html").write_text(f"<p>one {name}</p>", "utf-8")
    assert (
        run(plugin, str(pages / "a.html"), "--method", "finn", "--format", "shout")
        == "a.html: ONE A\n"
    )
    run(
        plugin, str(pages), "--method", "finn", "--format", "shout", "-o", str(plugin / "all.shout")
    )
    assert (plugin / "all.shout").read_text("utf-8") == "a.html: ONE A\nb.html: ONE B\n"


def test_a_name_of_ours_cannot_be_taken(plugin: Path) -> None:
    page = plugin / "page.html"
    page.write_text("<p>one two</p><p>three four</p>", "utf-8")
    assert run(plugin, str(page), "--method", "finn") == "one two\n\nthree four\n"


def test_a_command_of_another_package(plugin: Path) -> None:
    assert run(plugin, "greet", "reader") == "hello reader\n"
    assert "print a greeting" in run(plugin, "--help")
