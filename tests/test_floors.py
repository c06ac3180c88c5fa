"""No method may fall below its accuracy floor on the available sets."""

import json
import os
from pathlib import Path

import pytest

from bodytext.studio.labels.labelled_set import digest_of
from floors import find_falls, main, measure, read_sample

ROOT = Path(__file__).parents[1]
DATA = Path(os.environ.get("BODYTEXT_DATA", ROOT.parent / "shared" / "data"))
FLOORS = Path(__file__).with_name("floors.json")
STORED = json.loads(FLOORS.read_text("utf-8"))


@pytest.mark.slow
@pytest.mark.parametrize("name", STORED)
def test_no_method_falls_below_its_floor(name: str) -> None:
    folder = next((parent / name for parent in (ROOT, DATA) if (parent / name).is_dir()), None)
    if folder is None:
        pytest.skip(f"{name} is not here; set BODYTEXT_DATA to the folder that has it")
    pages = read_sample(folder)
    assert digest_of(pages) == STORED[name]["digest"], (
        f"{name} has changed: measure its floors again"
    )
    assert find_falls(STORED[name]["floors"], measure(pages)) == []


def test_lowering_a_floor_needs_an_option(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "set" / "html").mkdir(parents=True)
    (tmp_path / "set" / "ground-truth").mkdir()
    (tmp_path / "set" / "html" / "a.html").write_text("<p>one two three four")
    (tmp_path / "set" / "ground-truth" / "a.json").write_text(
        '{"ground_truth": {"main_content": "one two five six"}}'
    )
    file = tmp_path / "floors.json"
    assert main([str(file), str(tmp_path / "set")]) == 0
    stored = json.loads(file.read_text())
    assert stored["set"]["floors"]["finn"] == 0.5
    stored["set"]["floors"]["finn"] = 0.9
    file.write_text(json.dumps(stored))
    assert main([str(file), str(tmp_path / "set")]) == 1
    assert "finn has fallen to 0.5000 from 0.9000" in capsys.readouterr().err
    assert json.loads(file.read_text())["set"]["floors"]["finn"] == 0.9
    assert main([str(file), str(tmp_path / "set"), "--lower"]) == 0
    assert json.loads(file.read_text())["set"]["floors"]["finn"] == 0.5
