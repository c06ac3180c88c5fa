"""Labels are training targets, the networks of density train on them, and training jobs report and can be stopped."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bodytext
from bodytext.cli import main
from bodytext.methods.learned.weights import shipped_weights
from bodytext.page.parser import parse
from bodytext.studio.labels import Labelling, digest_source, open_store
from bodytext.studio.labels.spans import mark_spans
from bodytext.studio.training.training_pages import read_training_pages
from labelling_pages import write_folder

PATIENCE_S = 300


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six pages, in which the paragraphs and the box before the comments are content."""
    folder = write_folder(tmp_path_factory.mktemp("labelled") / "pages", 6)
    store = open_store(folder)
    for number in range(6):
        page = parse((folder / f"page{number}.html").read_bytes())
        content = [("paragraph" in text or text.startswith("Subscribe")) for text in page.texts()]
        spans = mark_spans(page, np.array(content, dtype=np.uint8))
        url = f"https://site{number % 2}.example/{number}"
        path, source = f"page{number}.html", digest_source(page.source)
        store.save(
            Labelling(path, source, "ann", spans, page_type="article", url=url, done=True), ""
        )
    return folder


def test_labels_are_the_targets_of_blocks(folder: Path) -> None:
    pages = read_training_pages([folder], workers=1)
    assert len(pages) == 6
    assert pages.by_site
    for number, source in enumerate(pages.sources):
        first, stop = pages.offsets[number : number + 2]
        texts = parse(source.read()).texts()
        assert [
            text for text, kept in zip(texts, pages.labels[first:stop], strict=True) if kept
        ] == [text for text in texts if "paragraph" in text or text.startswith("Subscribe")]


def test_the_networks_of_density_are_trained_and_used(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = folder / "own.npz"
    command = ["train", "--labels", str(folder), "-o", str(model), "--false-positive-cost", "2"]
    assert main([*command, "--method", "density"]) == 0
    printed = capsys.readouterr().out
    assert [line.split()[0] for line in printed.splitlines()[1:8]] == [
        "threshold", "average", "two-normal", "1A", "3A", "3L", "mlp",
    ]  # fmt: skip
    card = json.loads(model.with_suffix(".json").read_text("utf-8"))
    assert card["data"]["pages"] == 6
    assert card["false_positive_cost"] == 2
    assert main([*command, "--method", "density"]) == 2
    assert "own.npz and 1 more exist already; --overwrite replaces them" in capsys.readouterr().err
    assert main(command) == 2
    assert "is an option of --method density" in capsys.readouterr().err
    page = (folder / "page0.html").read_bytes()
    text = str(bodytext.extract(page, method=f"density:model={model}"))
    assert "paragraph 3" in text
    with pytest.raises(ValueError, match="holds no network"):
        bodytext.extract(page, method=f"density:rule=mlp,model={learned_weights()}")


def learned_weights() -> str:
    from bodytext.methods.learned.weights import shipped_weights

    return shipped_weights()


def make_jobs(folder: Path, model: str = "") -> Any:
    pytest.importorskip(
        "starlette", reason="the browser app wants starlette: pip install 'bodytext[web]'"
    )
    from bodytext.sources.files import find_pages
    from bodytext.studio.labelling.labelling_session import LabellingSession
    from bodytext.studio.labelling.training_jobs import TrainingJobs
    from bodytext.studio.web.workspace import Workspace

    workspace = Workspace(model)
    return TrainingJobs(
        LabellingSession(
            workspace,
            open_store(folder),
            "ann",
            workspace.add_files(find_pages(folder, print), folder),
        )
    )


def wait(jobs: Any) -> dict[str, Any]:
    deadline = time.monotonic() + PATIENCE_S
    while jobs.state()["state"] == "running":
        assert time.monotonic() < deadline, jobs.state()
        time.sleep(0.05)
    state: dict[str, Any] = jobs.state()
    return state


def test_a_training_job_reports_its_progress_and_outcome(folder: Path) -> None:
    jobs = make_jobs(folder)
    assert jobs.state() == {"state": "idle"}
    jobs.start("density", cost=5)
    with pytest.raises(ValueError, match="running already"):
        jobs.start("density")
    state = wait(jobs)
    assert state["state"] == "done", state
    assert [row["name"] for row in state["outcome"]["errors"]][-1] == "mlp"
    assert (folder / "models" / "density-1.npz").is_file()
    card = json.loads((folder / "models" / "density-1.json").read_text("utf-8"))
    assert card["false_positive_cost"] == 5
    assert jobs.models() == []  # it is of another method
    with pytest.raises(ValueError, match="there is no model"):
        jobs.use("density-1.npz")


def test_the_model_that_the_command_was_given_can_be_chosen_again(tmp_path: Path) -> None:
    given, made = tmp_path / "model-1.npz", tmp_path / "pages" / "models" / "model-1.npz"
    made.parent.mkdir(parents=True)
    for path in (given, made):
        path.write_bytes(Path(shipped_weights()).read_bytes())
    jobs = make_jobs(tmp_path / "pages", str(given))
    assert jobs.models() == [str(given), "model-1.npz"]
    for name in ("model-1.npz", "", str(given)):
        jobs.use(name)
        assert jobs.model_in_use() == name
    assert make_jobs(tmp_path / "pages", str(made)).models() == ["model-1.npz"]


def test_a_training_can_be_stopped(folder: Path) -> None:
    jobs = make_jobs(folder)
    jobs.start("density")
    jobs.stop()
    assert wait(jobs)["state"] == "stopped"
    jobs.stop()  # nothing is running, which is not an error


def test_a_training_without_labels_says_what_is_missing(tmp_path: Path) -> None:
    jobs = make_jobs(write_folder(tmp_path / "pages", 2))
    jobs.start("density")
    state = wait(jobs)
    assert state["state"] == "failed"
    assert "is not a labelled set" in state["error"]


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="processes are not grouped here")
def test_a_training_does_not_outlive_its_server(folder: Path) -> None:
    code = (
        "import time; from bodytext.studio.labelling import training_process as process; from unittest import mock\n"
        "with mock.patch.object(process, '_train_density', lambda *_: time.sleep(600)): process.main()"
    )
    order = json.dumps({"labels": str(folder), "output": "none.npz", "method": "density"})
    task = subprocess.Popen(
        [sys.executable, "-c", code, order], stdin=subprocess.PIPE, start_new_session=True
    )
    assert task.stdin
    assert task.poll() is None
    task.stdin.close()
    assert task.wait(PATIENCE_S) < 0
