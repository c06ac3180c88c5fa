"""bodytext corpus build: every record once, the same bytes with any number of workers, and no work repeated."""

import gzip
import io
import json
import os
import shutil
import sys
import zipfile
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bodytext.cli import main
from bodytext.cli.corpus import _summarise
from bodytext.corpus.progress import ProgressLine, format_duration
from bodytext.corpus.run.inputs import find_inputs
from bodytext.corpus.run.pipeline import BuildPipeline
from bodytext.corpus.run.spec import EXACT, KEEP, CorpusSpec
from bodytext.corpus.run.tasks import RowExtractor
from bodytext.sources.record import Record
from corpora import (
    SPEC,
    SameProcess,
    count_places,
    digest_files,
    make_page,
    make_record,
    make_records,
    read_rows,
    write_warc,
)
from corpora import build as build_in_processes
from corpora import build_here as build

PAGES = [make_page(number) for number in range(60)]


@pytest.fixture
def same_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the command do the work in this process, too."""
    monkeypatch.setattr("bodytext.corpus.run.engines.LocalEngine", SameProcess)


@pytest.mark.slow
def test_a_corpus_has_every_page_of_an_archive(tmp_path: Path) -> None:
    source = write_warc(tmp_path / "a.warc.gz", PAGES)
    counts = build_in_processes(tmp_path / "out", [source])
    rows = read_rows(tmp_path / "out", "data")
    assert counts["records"] == counts["kept"] == len(rows) == 60
    assert [row["url"] for row in rows] == [f"https://example.org/{number}" for number in range(60)]
    first = rows[0]
    assert first["title"] == "Page 0"
    assert first["time"] == "2026-01-02T03:04:05Z"
    assert first["text"].startswith("This is page 0 of many.\n\n")
    assert first["language"] == "en"
    assert 0 < first["confidence"] <= 1
    assert first["page_type"]
    assert json.loads(first["metadata"])["title"] == "Page 0"
    assert (first["source"], first["offset"]) == (str(source), 0)
    assert gzip.decompress(source.read_bytes()[rows[7]["offset"] :]).startswith(
        make_records(PAGES)[7]
    )
    assert not (tmp_path / "out" / "work").exists()


@pytest.mark.slow
def test_the_bytes_do_not_depend_on_the_number_of_workers(tmp_path: Path) -> None:
    source = write_warc(tmp_path / "a.warc.gz", PAGES)
    build_in_processes(tmp_path / "one", [source], workers=1)
    build_in_processes(tmp_path / "three", [source], workers=3)
    assert len(list((tmp_path / "one" / "data").iterdir())) > 1
    assert digest_files(tmp_path / "one") == digest_files(tmp_path / "three")


def test_finished_work_is_not_repeated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = write_warc(tmp_path / "a.warc.gz", PAGES)
    counts = build(tmp_path / "out", [source])
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "out").rglob("*")}
    monkeypatch.setattr(BuildPipeline, "run", None)  # nothing may be run
    assert build(tmp_path / "out", [source]) == counts
    assert {
        path: path.stat().st_mtime_ns for path in (tmp_path / "out").rglob("*") if path.is_file()
    }.items() <= (before.items())


def test_another_spec_in_the_same_folder_is_refused(tmp_path: Path) -> None:
    source = write_warc(tmp_path / "a.warc.gz", PAGES[:3])
    build(tmp_path / "out", [source])
    with pytest.raises(ValueError, match=r"words was 50, is now 7\); name another folder"):
        build(
            tmp_path / "out",
            [source],
            replace(SPEC, stage_options={**SPEC.stage_options, "words": 7}),
        )
    write_warc(source, PAGES[:4])
    with pytest.raises(ValueError, match=r"inputs that changed, came or went: .*a\.warc\.gz"):
        build(tmp_path / "out", [source])


def test_a_system_without_locks_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fcntl", None)
    with pytest.raises(
        ValueError, match="building a corpus needs Linux, macOS or another POSIX system"
    ):
        build(tmp_path / "out", [write_warc(tmp_path / "a.warc.gz", PAGES[:1])])
    assert not (tmp_path / "out").exists()


def test_the_spec_is_stored_as_before(tmp_path: Path) -> None:
    """A build that an older version began can be continued: its keys keep their names and order."""
    build(tmp_path / "out", [write_warc(tmp_path / "a.warc.gz", PAGES[:3])])
    run = json.loads((tmp_path / "out" / "run.json").read_text("utf-8"))
    assert list(run) == ["version", "order", "inputs"]
    old = [
        "text", "format", "metadata", "method", "model", "threshold", "column", "templates", "duplicates", "likeness",
        "words", "confidence", "languages", "quality", "tones", "seconds", "memory", "shard", "part", "weights",
    ]  # fmt: skip
    assert [name for name in run["order"] if name in old] == old


def begin_without(folder: Path, source: Path, *options: str) -> None:
    """Begin a corpus as if some options had not been there yet."""
    build(folder, [source])
    run = json.loads((folder / "run.json").read_text("utf-8"))
    for option in options:
        del run["order"][option]
    shutil.rmtree(folder)
    folder.mkdir()
    (folder / "run.json").write_text(json.dumps(run), "utf-8")


def test_an_option_that_came_later_counts_as_its_default(tmp_path: Path) -> None:
    source = write_warc(tmp_path / "a.warc.gz", PAGES[:3])
    begin_without(tmp_path / "out", source, "tones", "likeness")
    with pytest.raises(ValueError, match=r"begun here \(likeness was 0.7, is now 0.8\); name"):
        build(tmp_path / "out", [source], replace(SPEC, likeness=0.8))
    assert build(tmp_path / "out", [source])["kept"] == 3


def test_a_corpus_continues_without_a_stage_that_came_later(tmp_path: Path) -> None:
    short = [make_page(number, words=12) for number in range(3)]
    source = write_warc(tmp_path / "a.warc.gz", short)
    assert build(tmp_path / "other", [source])["kept"] == 0
    begin_without(tmp_path / "out", source, "words")
    assert build(tmp_path / "out", [source])["kept"] == 3
    with pytest.raises(ValueError, match="words was 50, is now 7"):
        build(tmp_path / "out", [source], replace(SPEC, stage_options={"quality": "", "words": 7}))


def test_a_corpus_cannot_continue_without_a_stage_that_it_had(tmp_path: Path) -> None:
    source = write_warc(tmp_path / "a.warc.gz", PAGES[:3])
    build(tmp_path / "out", [source])
    with pytest.raises(ValueError, match=r"begun here \(the stage length is missing now\);"):
        build(tmp_path / "out", [source], SPEC.with_stages(set(SPEC.stages) - {"length"}))


def test_a_spec_travels_as_json() -> None:
    spec = replace(SPEC, text="markdown", stage_options={"languages": ("vi", "en"), "words": 7})
    assert CorpusSpec.from_json(json.loads(json.dumps(spec.to_json()))).to_json() == spec.to_json()
    some = CorpusSpec(stages=("length",))
    assert [stage.name for stage in some.build_stages()] == ["length"]
    assert CorpusSpec.from_json(some.to_json()) == some
    with pytest.raises(ValueError, match="no stage has an option 'colour'; there are words"):
        CorpusSpec(stage_options={"colour": 1})
    with pytest.raises(ValueError, match="there is no stage 'magic'"):
        CorpusSpec(stages=("magic",))


def test_a_folder_with_other_files_is_refused(tmp_path: Path) -> None:
    source = write_warc(tmp_path / "a.warc.gz", PAGES[:3])
    with pytest.raises(ValueError, match="no corpus; name an empty one"):
        build(tmp_path, [source])
    assert list(tmp_path.iterdir()) == [source]


@pytest.mark.parametrize("name", ["notes/a.txt", "work/a.txt"])
def test_files_of_somebody_else_do_not_change(tmp_path: Path, name: str) -> None:
    (tmp_path / "a.html").write_bytes(PAGES[0])
    other = tmp_path / "other" / name
    other.parent.mkdir(parents=True)
    other.write_text("mine")
    with pytest.raises(ValueError, match="files in it that are no corpus; name an empty one"):
        build(tmp_path / "other", [tmp_path / "a.html"])
    assert [path for path in (tmp_path / "other").rglob("*") if path.is_file()] == [other]


def test_a_run_that_was_killed_at_its_first_file_continues(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_bytes(PAGES[0])
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "run.json.0123.unfinished").write_text("{")
    assert build(tmp_path / "out", [tmp_path / "a.html"])["records"] == 1
    assert not list((tmp_path / "out").glob("*.unfinished"))


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"spec": 3}', "[" * 100_000])
def test_a_damaged_description_of_a_run_is_an_error_that_names_it(
    tmp_path: Path, text: str
) -> None:
    (tmp_path / "a.html").write_bytes(PAGES[0])
    build(tmp_path / "out", [tmp_path / "a.html"])
    (tmp_path / "out" / "run.json").write_text(text)
    with pytest.raises(ValueError, match=r"run\.json: this file was changed or cut off"):
        build(tmp_path / "out", [tmp_path / "a.html"])


def test_a_refused_spec_does_not_change_a_corpus(tmp_path: Path) -> None:
    for number in range(2):
        (tmp_path / f"{number}.html").write_bytes(PAGES[number])
    build(tmp_path / "out", [tmp_path / "0.html"])
    before = sorted((tmp_path / "out").rglob("*"))
    with pytest.raises(ValueError, match="another corpus was begun here"):
        build(tmp_path / "out", [tmp_path / "1.html"])
    assert sorted((tmp_path / "out").rglob("*")) == before


def test_a_corpus_may_be_in_the_folder_of_its_sources(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_warc(tmp_path / "a.warc.gz", PAGES[:3])
    assert find_inputs([".", "a.warc.gz"], "", tmp_path / "out", print)[0].source == "a.warc.gz"
    counts = build(Path("out"), ["."])
    assert counts["records"] == 3
    assert build(Path("out"), ["."]) == build(tmp_path / "out", ["."]) == counts


def test_a_file_that_is_named_twice_is_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_warc(tmp_path / "a.warc.gz", PAGES[:2])
    (tmp_path / "b.html").write_bytes(PAGES[2])
    sources = [
        "a.warc.gz",
        "./a.warc.gz",
        str(tmp_path),
        f"{tmp_path}/../{tmp_path.name}/b.html",
        "b.html",
    ]
    assert build(tmp_path / "out", sources)["records"] == 3


@pytest.mark.usefixtures("same_process")
def test_files_that_are_no_sources_are_reported(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "pages").mkdir()
    for name in ("a.html", "notes.txt", "b.pdf"):
        (tmp_path / "pages" / name).write_bytes(PAGES[0])
    (tmp_path / "pages" / "more.html").symlink_to(tmp_path / "pages")
    (tmp_path / "pages" / "gone.html").symlink_to(tmp_path / "pages" / "nowhere")
    assert main(["corpus", "build", str(tmp_path / "pages"), "-o", str(tmp_path / "out")]) == 0
    assert (
        "passed over 4 files that are no pages by their names, or links" in capfd.readouterr().err
    )
    for name in ("b.pdf", "more.html", "gone.html"):
        (tmp_path / "pages" / name).unlink()
    main(["corpus", "build", str(tmp_path / "pages"), "-o", str(tmp_path / "other")])
    assert "passed over 1 file that is no page by its name, or a link" in capfd.readouterr().err


@pytest.mark.usefixtures("same_process")
def test_links_that_lead_out_of_a_folder_are_reported_and_not_followed(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "pages" / "below").mkdir(parents=True)
    (tmp_path / "secret.html").write_bytes(PAGES[0])
    (tmp_path / "pages" / "a.html").write_bytes(PAGES[1])
    (tmp_path / "pages" / "below" / "inside.html").symlink_to("../a.html")
    (tmp_path / "pages" / "out.html").symlink_to("../secret.html")
    (tmp_path / "pages" / "folder").symlink_to(tmp_path)
    (tmp_path / "linked").symlink_to("pages")
    assert build(tmp_path / "out", [str(tmp_path / "linked")])["records"] == 2
    main(["corpus", "build", str(tmp_path / "pages"), "-o", str(tmp_path / "more")])
    said = capfd.readouterr().err
    assert "passed over 2 links that lead out of this folder, such as" in said


def test_file_names_that_are_not_utf_8_and_halves_of_characters(tmp_path: Path) -> None:
    pages = tmp_path / "pages"
    pages.mkdir()
    for number, name in enumerate((b"caf\xe9.html", b"caf\xe8.html", b"new\nline.html")):
        Path(os.fsdecode(bytes(pages) + b"/" + name)).write_bytes(PAGES[number])
    archive = Path(os.fsdecode(bytes(pages) + b"/\xff.warc.gz"))
    write_warc(archive, PAGES[3:5])
    (pages / "rows.jsonl").write_text(
        json.dumps({"html": PAGES[5].decode(), "url": "https://a.example/\ud800"})
    )
    out = Path(os.fsdecode(bytes(tmp_path) + b"/\xff"))
    counts = build(out, [pages])
    assert counts["kept"] == 6
    assert build(out, [pages]) == counts
    assert set(count_places(out).values()) == {1}
    assert f"{pages}/caf\\udce9.html" in {row["source"] for row in read_rows(out, "data")}


def test_a_folder_that_cannot_be_written_is_reported(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    source = write_warc(tmp_path / "a.warc.gz", PAGES[:2])
    assert main(["corpus", "build", str(source), "-o", str(source / "out")]) == 1
    message = capfd.readouterr().err
    assert f"cannot write to {source}/out" in message
    assert "name another folder with -o" in message


@pytest.mark.parametrize("name", ["a.warc.gz", "a.zip", "a.txt", "a.parquet"])
def test_a_file_that_may_not_be_read_is_reported_before_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    (tmp_path / name).write_bytes(b"")
    monkeypatch.setattr("os.access", lambda path, _: not str(path).endswith(name))
    with pytest.raises(
        ValueError, match="may not be read; change its permissions, or leave it out"
    ):
        build(tmp_path / "out", [tmp_path / name])
    assert not (tmp_path / "out").exists()


@pytest.mark.usefixtures("same_process")
def test_sources_without_a_page_are_reported(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("notes.txt", "no page")
    (tmp_path / "b.warc.gz").write_bytes(b"")
    (tmp_path / "c.jsonl").write_bytes(b"")
    assert main(["corpus", "build", str(tmp_path), "-o", str(tmp_path / "out")]) == 3
    problems = [row["error"] for row in read_rows(tmp_path / "out", "errors")]
    assert problems == [
        "no pages: nothing in this archive is a page (.html) by its name",
        "broken archive: the file is empty",
    ]
    assert main(["corpus", "build", str(tmp_path / "c.jsonl"), "-o", str(tmp_path / "other")]) == 3
    assert "there is no page in these sources" in capfd.readouterr().out


def test_a_feed_without_an_address_leaves_no_folder(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="after feed: there should be an http"):
        build(tmp_path / "out", ["feed:news.example"])
    assert not (tmp_path / "out").exists()


def test_a_table_without_the_column_leaves_no_folder(tmp_path: Path) -> None:
    pq.write_table(pa.table({"page": PAGES[:3]}), tmp_path / "a.parquet")
    with pytest.raises(
        ValueError, match="there is no column 'html', only page; name one with --column"
    ):
        build(tmp_path / "out", [tmp_path / "a.parquet"])
    assert not (tmp_path / "out").exists()


def test_the_title_that_a_feed_gave_helps_cuter() -> None:
    words = "The harbour was quiet all night and the boats lay still beside the wall. " * 4
    html = f"<div><p>An older story. {words}</p></div><h1>The quiet night</h1><div><p>{words}</p></div>".encode()
    extraction = RowExtractor(CorpusSpec(method="cuter"))
    assert "older story" in extraction.make_row(Record(html)).text
    assert "older story" not in extraction.make_row(Record(html, title="The quiet night")).text


def test_tables_and_page_files_are_sources_too(tmp_path: Path) -> None:
    inputs = tmp_path / "in"
    (inputs / "pages").mkdir(parents=True)
    for number in range(4):
        (inputs / "pages" / f"{number}.html").write_bytes(PAGES[number])
    values = [
        {"html": PAGES[number].decode(), "url": f"u{number}", "title": "given"}
        for number in range(4, 9)
    ]
    (inputs / "a.jsonl").write_text("".join(json.dumps(value) + "\n" for value in values))
    (inputs / "b.jsonl.gz").write_bytes(
        gzip.compress(json.dumps({"html": PAGES[9].decode()}).encode())
    )
    table = pa.table(
        {"html": PAGES[10:20], "url": [f"p{number}" for number in range(10)], "other": range(10)}
    )
    pq.write_table(table, inputs / "c.parquet", row_group_size=3)
    with zipfile.ZipFile(inputs / "d.zip", "w") as archive:
        archive.writestr("one.html", PAGES[20])
    counts = build(tmp_path / "out", [inputs])
    assert counts["records"] == counts["kept"] == 21
    rows = {int(row["text"].split()[3]): row for row in read_rows(tmp_path / "out", "data")}
    assert sorted(rows) == list(range(21))
    assert rows[5]["title"] == "given"
    assert rows[12]["offset"] == 2
    assert rows[2]["source"].endswith("pages/2.html")
    assert set(count_places(tmp_path / "out").values()) == {1}


def test_jsonl_has_the_rows_of_parquet(tmp_path: Path) -> None:
    source = write_warc(tmp_path / "a.warc.gz", [*PAGES[:9], PAGES[0], b"", b"<p>short"])
    build(tmp_path / "parquet", [source])
    build(tmp_path / "jsonl", [source], replace(SPEC, format="jsonl"))
    for kind in ("data", "dropped", "errors"):
        assert read_rows(tmp_path / "parquet", kind) == read_rows(tmp_path / "jsonl", kind)
    dropped = [row["dropped"].partition(":")[0] for row in read_rows(tmp_path / "jsonl", "dropped")]
    assert dropped == ["duplicate", "empty", "too short"]


def test_duplicates_name_what_they_repeat(tmp_path: Path) -> None:
    near = PAGES[3].replace(b"house", b"home", 1)
    source = write_warc(tmp_path / "a.warc.gz", [b"<p>short", *PAGES[:30], b"", PAGES[3], near])
    counts = build(tmp_path / "out", [source])
    _, _, exact, alike = read_rows(tmp_path / "out", "dropped")
    place = next(
        row["offset"] for row in read_rows(tmp_path / "out", "data") if row["url"].endswith("/4")
    )
    assert exact["dropped"] == f"duplicate: of {source} at {place}"
    assert alike["dropped"].startswith("near duplicate: 0.")
    assert alike["dropped"].endswith(f"like {source} at {place}")
    others = {"empty": 1, "too short": 1}
    assert counts["dropped"] == {"duplicate": 1, "near duplicate": 1} | others
    exact_only = build(tmp_path / "exact", [source], replace(SPEC, duplicates=EXACT))
    assert exact_only["dropped"] == {"duplicate": 1} | others
    assert build(tmp_path / "keep", [source], replace(SPEC, duplicates=KEEP))["dropped"] == others


def test_a_page_that_looks_like_an_archive_is_one_record(tmp_path: Path) -> None:
    nested = b"<pre>" + b"".join(make_records(PAGES[20:40]))
    records = [
        make_record("u", page) for page in (PAGES[0], nested, PAGES[1], nested + b"!", PAGES[2])
    ]
    source = tmp_path / "a.warc"
    source.write_bytes(b"".join(records))
    spec = replace(SPEC, shard=len(nested) // 3, duplicates=KEEP)
    assert build(tmp_path / "out", [source], spec)["records"] == 5
    assert sorted(count_places(tmp_path / "out")) == [
        (str(source), sum(map(len, records[:number]))) for number in range(5)
    ]


# Twice for its border, twice for its part
def test_borders_are_corrected_in_one_pass(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    fakes = b"WARC/1.0\r\nWARC-Type: request\r\nContent-Length: 10\r\n\r\n" + b"x" * 200
    source = tmp_path / "a.warc"
    source.write_bytes(
        b"".join(make_record(f"https://example.org/{number}", fakes * 60) for number in range(20))
    )
    files_read: list[Path] = []

    def count(path: Path) -> Any:
        files_read.append(path)
        return json.loads(path.read_text("utf-8"))

    monkeypatch.setattr("bodytext.corpus.run.pipeline._read_json", count)
    shard = 2**13
    capfd.readouterr()
    assert (
        build(tmp_path / "out", [source], replace(SPEC, shard=shard, duplicates=KEEP))["records"]
        == 20
    )
    assert capfd.readouterr().err.count("extract") == 1
    assert len(files_read) <= 4 * (source.stat().st_size // shard + 1)


def test_markdown_and_no_metadata(tmp_path: Path) -> None:
    source = write_warc(tmp_path / "a.warc.gz", PAGES[:2])
    build(tmp_path / "out", [source], replace(SPEC, text="markdown", metadata=False))
    row = read_rows(tmp_path / "out", "data")[0]
    assert row["text"].startswith("This is page 0 of **many**.\n\n")
    assert (row["metadata"], row["title"]) == ("", "Page 0")


@pytest.mark.slow
def test_the_command_and_its_errors(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    source = write_warc(tmp_path / "a.warc.gz", [*PAGES[:5], b"<p>short"])
    out = str(tmp_path / "out")
    assert (
        main(
            ["corpus", "build", str(source), "-o", out, "--quality", "none", "--language", "en,vi"]
        )
        == 0
    )
    output = capfd.readouterr()
    assert "6 records: 5 kept" in output.out
    assert "1 dropped: too short" in output.out
    assert "extract: 6 records in" in output.err
    (tmp_path / "notes.md").write_text("")
    for arguments, words in (
        ([str(tmp_path / "absent.warc")], "there is no such file"),
        ([str(tmp_path / "notes.md")], "cannot tell what this is"),
        ([str(source), "--language", "tlh"], "not a language that can be recognised"),
        ([str(source), "--quality", "good"], "is not a quality rule"),
        ([str(source), "--threshold", "2"], "threshold must be"),
        ([str(source), "--likeness", "0"], "likeness must be"),
        ([str(source), "--time-limit", "0"], "a record needs more time"),
        ([str(source), "--method", "magic"], "there is no method"),
        ([str(source), "--address", "head:6379"], "so it needs --engine ray"),
    ):
        assert main(["corpus", "build", *arguments, "-o", str(tmp_path / "other")]) == 2
        assert words in capfd.readouterr().err
        assert not (tmp_path / "other").exists()
    assert main(["corpus", "build", str(source), "-o", str(tmp_path / "notes.md")]) == 2
    assert "this is a file; name a folder" in capfd.readouterr().err


def test_many_reasons_are_summarised_in_few_lines() -> None:
    errors = {f"HTTP {status}": status for status in range(400, 450)}
    lines = _summarise(
        {"records": 21225, "kept": 0, "dropped": {"empty": 3}, "errors": errors}, Path("out")
    ).splitlines()
    assert lines[1:3] == ["         3 dropped: empty", "       449 failed: HTTP 449"]
    assert lines[-1] == f"{sum(range(400, 430)):>10,} failed for 30 more reasons: out/counts.json"


@pytest.mark.usefixtures("same_process")
def test_a_list_of_archives_is_read_from_its_root(tmp_path: Path) -> None:
    (tmp_path / "crawl").mkdir()
    write_warc(tmp_path / "crawl" / "a.warc.gz", PAGES[:3])
    (tmp_path / "warc.paths.gz").write_bytes(gzip.compress(b"crawl/a.warc.gz\n"))
    arguments = ["corpus", "build", str(tmp_path / "warc.paths.gz"), "-o", str(tmp_path / "out")]
    assert main([*arguments, "--root", f"file://{tmp_path}/", "--quality", "none"]) == 0
    assert {row["source"] for row in read_rows(tmp_path / "out", "data")} == {
        f"file://{tmp_path}/crawl/a.warc.gz"
    }
    assert main(arguments) == 2


def test_templates_remove_what_repeats_on_a_site(tmp_path: Path) -> None:
    repeated = (
        b"<p>"
        + b"Subscribe to the letter of this house and have the best of every morning with you. " * 4
    )
    pages = [page.replace(b"<article>", b"<article>" + repeated) for page in PAGES[:12]]
    source = write_warc(tmp_path / "a.warc.gz", pages)
    build(tmp_path / "plain", [source])
    build(tmp_path / "with", [source], replace(SPEC, templates=True))
    plain, shifted = (read_rows(tmp_path / folder, "data") for folder in ("plain", "with"))
    assert sum("Subscribe" in row["text"] for row in plain) == 12
    assert sum("Subscribe" in row["text"] for row in shifted) == 0
    assert len(shifted) == 12


@pytest.mark.usefixtures("same_process")
def test_pages_of_the_web_are_fetched_once(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    asked: list[str] = []

    class Site(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            number = self.path.strip("/")
            page = PAGES[int(number)] if number.isdigit() else b""
            self.send_response(200 if page else 404)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(page)

        def log_message(self, *_: object) -> None: ...

    with HTTPServer(("127.0.0.1", 0), Site) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        root = f"http://127.0.0.1:{server.server_port}"
        (tmp_path / "urls.txt").write_text(
            "".join(f"{root}/{name}\n" for name in ("1", "2", "absent", "3"))
        )
        command = [
            "corpus",
            "build",
            str(tmp_path / "urls.txt"),
            "-o",
            str(tmp_path / "out"),
            "--quality",
            "none",
        ]
        command += ["--delay", "0", "--allow-private"]
        assert main(command) == 0
        before = len(asked)
        assert main(command) == 0
        (tmp_path / "urls.txt").write_text(f"{root}/4\n")
        assert main(command) == 2  # another list
        server.shutdown()
        thread.join()
    assert len(asked) == before
    assert "4 records: 3 kept" in capfd.readouterr().out
    assert [row["url"] for row in read_rows(tmp_path / "out", "data")] == [
        f"{root}/{number}" for number in (1, 2, 3)
    ]
    assert "404" in read_rows(tmp_path / "out", "errors")[0]["error"]


@pytest.mark.usefixtures("same_process")
def test_private_addresses_are_fetched_on_request_from_the_beginning(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("protego")
    (tmp_path / "urls.txt").write_text("http://127.0.0.1:8000/\n")
    command = ["corpus", "build", str(tmp_path / "urls.txt"), "-o", str(tmp_path / "out")]
    assert main(command) == 3
    assert "--allow-private fetches from private networks too" in capfd.readouterr().out
    assert main([*command, "--allow-private"]) == 2
    assert "begun here (without --allow-private); name another" in capfd.readouterr().err


def test_stats_and_samples(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    build(
        tmp_path / "out", [write_warc(tmp_path / "a.warc.gz", [*PAGES[:9], PAGES[4], b"<p>short"])]
    )
    assert (tmp_path / "out" / "report.html").read_text("utf-8").count("<svg") > 2
    capfd.readouterr()
    assert main(["corpus", "stats", str(tmp_path / "out")]) == 0
    text = capfd.readouterr().out
    assert "11 records" in text
    assert "too short" in text
    assert main(["corpus", "sample", str(tmp_path / "out"), "-n", "2"]) == 0
    assert "of many." in capfd.readouterr().out
    assert main(["corpus", "sample", str(tmp_path / "out"), "--reason", "too short"]) == 0
    assert "too short: 1 word" in capfd.readouterr().out
    assert main(["corpus", "sample", str(tmp_path / "out"), "--errors"]) == 3
    assert main(["corpus", "stats", str(tmp_path)]) == 2


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_on_a_terminal_and_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("bodytext.corpus.progress.monotonic", lambda: now[0])
    terminal, plain = Terminal(), io.StringIO()
    for stream in (terminal, plain):
        now[0] = 100.0
        progress = ProgressLine("extract", 200, "records", stream)
        for done in (0, 50, 100):
            now[0] += 20
            progress.show(done, done * 10)
        progress.finish(2000)
    assert terminal.getvalue().split("\r")[1:] == [
        "extract: 0 records, 0 a second\x1b[K",
        "extract: 25%, 500 records, 12 a second, about 2 min 0 s left\x1b[K",
        "extract: 50%, 1,000 records, 17 a second, about 1 min 0 s left\x1b[K",
        "extract: 2,000 records in 1 min 0 s, 33 a second\x1b[K\n",
    ]
    assert plain.getvalue().splitlines() == [
        "bodytext: extract: 25%, 500 records, 12 a second, about 2 min 0 s left",
        "bodytext: extract: 2,000 records in 1 min 0 s, 33 a second",
    ]
    assert [format_duration(seconds) for seconds in (0.4, 75, 9000, 400_000)] == [
        "0.4 s",
        "1 min 15 s",
        "2 h 30 min",
        "4 d 15 h",
    ]
