"""A feature that is counted by a table needs one line: the rest of CONTRIBUTING's recipe follows."""

import json
import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from bodytext.kernel import is_native

ROOT = Path(__file__).parents[1]
# A text in feature_columns.py, and the same with one more entry. New elements come first, so that
# nothing can rely on the order of the old ones.
ADDITIONS = {
    "an element to count": ("COUNTED = {\n", 'COUNTED = {\n    "tables": "table",\n'),
    "a group of tags": ('TAG_GROUPS = (\n    "div",', 'TAG_GROUPS = (\n    "details", "div",'),
    "a flag": ("Flag.PRE, Flag.LINK", "Flag.PRE, Flag.BUTTON, Flag.LINK"),
    "a topic": ("breadcrumb date\n", "breadcrumb date recipe\n"),
}
PAGE = """
<title>Soup</title><h1>Soup</h1><img src=a.png><div class=recipe><p>Cut two onions. Boil them!</p>
<table><tr><td>Onions<td>2<tr><td>Water<td>1 litre</table></div><button>Print this page</button>
<details><p>First note.</p><p>Second note.</p></details><ul><li><a href=/>Home</a><li>More</ul>
"""
NEW_COLUMNS = [
    "around 1: log tables", "tag details ^", "in button", "near recipe", "within recipe",
]  # fmt: skip
NEW_PAGE_COLUMNS = ["page tables", "page tables a word", "page tags details", "page in button"]
CHECK = """
import json
import sys

import numpy as np

from bodytext import parse
from bodytext.kernel import layers, layers_native, survey, survey_native
from bodytext.kernel.constants import find_checksum
from bodytext.methods.learned import features, network, weights

def read(module):
    features.Survey = module.Survey
    return features.read_features(parse(sys.argv[2]))

def find_differences(names, first, second):
    same = np.isclose(first, second, rtol=1e-5, atol=1e-6).all(0)
    return [name for name, is_same in zip(names, same, strict=True) if not is_same]

def run(module):
    return network.read_blocks(module.BlockNetwork(weights.read_weights(sys.argv[1])), plain)

plain, native = read(survey), read(survey_native)
random = np.random.default_rng(1)
arrays = {name: random.normal(0, 0.1, shape) for name, shape in weights.SHAPES.items()}
np.savez(sys.argv[1], **{name: array.astype(np.float32) for name, array in arrays.items()})
try:
    weights.read_weights()
    refusal = ""
except ValueError as error:
    refusal = str(error)
print(json.dumps({
    "fit": {survey_native.CONSTANTS, layers_native.CONSTANTS} == {find_checksum()},
    "differences": find_differences(features.block_names(), plain.blocks, native.blocks)
    + find_differences(features.page_names(), plain.page, native.page),
    "columns": dict(zip(features.block_names(), native.blocks.max(0).tolist(), strict=True)),
    "page": dict(zip(features.page_names(), native.page[0].tolist(), strict=True)),
    "networks agree": bool(np.allclose(run(layers).logits, run(layers_native).logits, atol=1e-4)),
    "refusal": refusal,
}))
"""


def copy_project(folder: Path) -> Path:
    """Copy what a build needs, and let it build some of the native modules."""
    ignored = shutil.ignore_patterns(
        "__pycache__", "*.so", "*.pyd", "*.c", "constants.h", "constants.pxi", "*.egg-info"
    )
    shutil.copytree(ROOT / "src", folder / "src", ignore=ignored)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    setup = (ROOT / "setup.py").read_text("utf-8")
    some, count = re.subn(r"(?m)^NAMES = \([^)]*\)", 'NAMES = ("clues", "survey", "layers")', setup)
    assert count == 1
    quick = some.replace('"-O3"', '"-O0"')  # the result is the same, and it is there sooner
    assert quick != some
    (folder / "setup.py").write_text(quick, "utf-8")
    return folder


def run(folder: Path, *words: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, *words],
        cwd=folder,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.skipif(not is_native("survey"), reason="nothing was compiled here")
@pytest.mark.skipif(
    find_spec("Cython") is None or not (ROOT / "setup.py").exists(),
    reason="this is no checkout with Cython",
)
def test_a_line_in_each_table_is_enough(tmp_path: Path) -> None:
    folder = copy_project(tmp_path)
    columns = folder / "src/bodytext/kernel/feature_columns.py"
    source = columns.read_text("utf-8")
    for old, new in ADDITIONS.values():
        assert source.count(old) == 1, old
        source = source.replace(old, new)
    columns.write_text(source, "utf-8")
    run(folder, "setup.py", "-q", "build_ext", "--inplace")
    # The other modules are not built, so the package runs in Python.
    environment = {"PYTHONPATH": str(folder / "src"), "BODYTEXT_KERNEL": "python"}
    model = str(tmp_path / "model.npz")
    result = json.loads(run(folder, "-c", CHECK, model, PAGE, **environment))
    assert result["fit"]
    assert result["differences"] == []
    assert all(result["columns"][name] > 0 for name in NEW_COLUMNS)
    assert all(result["page"][name] > 0 for name in NEW_PAGE_COLUMNS)
    assert result["networks agree"]
    assert result["refusal"].startswith("the package's weights do not fit its features (mean is")
    assert "train new ones" in result["refusal"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("breadcrumb date\n", "breadcrumb dates\n", "BLOCK_TOPICS has a topic 'dates' that is not"),
        ('"times": "time",', '"times": "tiem",', "there is no tag 'tiem' in kernel/html.py"),
        ('"times": "time",', '"times": "time li",', "the tag 'li' can be counted in one set only"),
        ('"times": "time",', '"tags": "time",', "cannot have the same name: tags"),
    ],
)
def test_a_mistake_in_a_table_is_named(tmp_path: Path, old: str, new: str, message: str) -> None:
    kernel = tmp_path / "bodytext" / "kernel"
    shutil.copytree(
        ROOT / "src/bodytext/kernel", kernel, ignore=shutil.ignore_patterns("*.so", "*.c", "*.pyd")
    )
    for package in (kernel.parent, kernel):
        (package / "__init__.py").write_text("")
    source = (kernel / "feature_columns.py").read_text("utf-8")
    assert source.count(old) == 1
    (kernel / "feature_columns.py").write_text(source.replace(old, new), "utf-8")
    done = subprocess.run(
        [sys.executable, "-c", "import bodytext.kernel.feature_columns"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert message in done.stderr
