"""A finished corpus is copied to a store; a copy that stopped continues, and another corpus is not overwritten."""

from importlib.util import find_spec
from pathlib import Path

import pytest

from bodytext.cli import main
from bodytext.corpus.run import upload
from bodytext.corpus.run.upload import upload_corpus
from bodytext.sources import storage
from corpora import build, digest_files, make_page, write_warc

fsspec = pytest.importorskip("fsspec")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus")
    source = write_warc(folder / "a.warc.gz", [make_page(number) for number in range(30)])
    build(folder / "out", [source], workers=1)
    return folder / "out"


def test_a_copy_that_stopped_continues(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address, said, copied = f"file://{tmp_path}/store", list[str](), list[str]()

    def copy(path: Path, target: str) -> None:
        if len(copied) == 3:
            raise KeyboardInterrupt
        copied.append(target)
        Path(target.removeprefix("file://")).parent.mkdir(parents=True, exist_ok=True)
        Path(target.removeprefix("file://")).write_bytes(path.read_bytes())

    monkeypatch.setattr(upload, "upload_file", copy)
    with pytest.raises(KeyboardInterrupt):
        upload_corpus(corpus, address, said.append)
    assert copied[0].endswith("run.json")
    assert not (tmp_path / "store" / "counts.json").exists()  # it is not whole

    def copy_on(path: Path, target: str) -> None:
        copied.clear()
        copy(path, target)

    monkeypatch.setattr(upload, "upload_file", copy_on)
    upload_corpus(corpus, address, said.append)
    assert digest_files(tmp_path / "store") == digest_files(corpus)
    assert said


def test_another_corpus_is_not_overwritten(corpus: Path, tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text("{}")
    with pytest.raises(ValueError, match="another corpus is there"):
        upload_corpus(corpus, f"file://{tmp_path}", lambda _: None)


@pytest.mark.parametrize(
    ("options", "words"),
    [(["-o", "s3://a/b"], "--upload"), (["-o", "out", "--upload", "b"], "s3://bucket/name")],
)
def test_places_that_cannot_be_are_refused(
    options: list[str], words: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "a.html").write_text("<p>A")
    assert main(["corpus", "build", str(tmp_path), *options]) == 2
    assert words in capsys.readouterr().err


def test_a_missing_package_is_named_before_the_work(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.html").write_text("<p>A")
    monkeypatch.setattr(
        storage, "find_spec", lambda name: None if name == "s3fs" else find_spec(name)
    )
    command = ["corpus", "build", str(tmp_path), "-o", str(tmp_path / "out")]
    assert main([*command, "--upload", "s3://bucket/name"]) == 2
    needed = "writing s3:// addresses needs s3fs: pip install 'bodytext[s3]'"
    assert needed in capsys.readouterr().err
    assert main([*command, "--upload", "nowhere://bucket/name"]) == 2
    assert not (tmp_path / "out").exists()
