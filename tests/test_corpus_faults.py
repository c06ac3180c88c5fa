"""Kills, hangs, full disks and broken files: every record is there once, and a resumed run gives the same bytes."""

import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from threading import Event, Thread

import pytest

from bodytext.corpus.atomic_files import TEMPORARY
from bodytext.corpus.record_counts import read_counts
from bodytext.corpus.run.build import CorpusBuild
from bodytext.corpus.run.engines import LocalEngine
from bodytext.corpus.run.pipeline import UnfinishedError
from bodytext.corpus.run.shard import Shard, read_shard
from bodytext.corpus.run.spec import KEEP, LEAST_MEMORY
from bodytext.sources.source_kinds import PAGES
from corpora import (
    POISON,
    SPEC,
    build,
    build_here,
    count_places,
    digest_files,
    make_page,
    read_rows,
    write_warc,
)
from processes import list_processes

TESTS = Path(__file__).parent
SLOW_PAGES = [make_page(number, "poison-slow") for number in range(120)]
# A run in a process of its own, which can be killed. Arguments: the folder, the source.
RUN = """
import sys
from pathlib import Path
from corpora import build
build(Path(sys.argv[1]), [sys.argv[2]])
"""


def find_children(parent: int) -> list[int]:
    """The worker processes that a process started."""
    return [
        process.number
        for process in list_processes()
        if process.parent == parent and "bodytext.corpus.run.jobs" in process.command
    ]


@pytest.fixture
def poisoned(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let pages do what their marks say."""
    monkeypatch.syspath_prepend(str(POISON))


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """An archive, and the digests of its corpus from an undisturbed run."""
    folder = tmp_path_factory.mktemp("undisturbed")
    source = write_warc(folder / "slow.warc.gz", SLOW_PAGES)
    build(folder / "out", [source])
    return source, digest_files(folder / "out")


@pytest.mark.slow
@pytest.mark.usefixtures("poisoned")
def test_poison_pages_get_error_rows_and_do_not_harm_others(tmp_path: Path) -> None:
    marks = {5: "raise", 9: "hang", 10: "allocate", 17: "crash", 29: "raise"}
    pages = [
        make_page(number, f"poison-{marks[number]}" if number in marks else "")
        for number in range(30)
    ]
    source = write_warc(tmp_path / "a.warc.gz", pages)
    counts = build(tmp_path / "out", [source], replace(SPEC, seconds=5.0, memory=512))
    errors = {
        int(row["url"].rpartition("/")[2]): row["error"]
        for row in read_rows(tmp_path / "out", "errors")
    }
    assert errors == {
        5: "ArithmeticError: this page raises",
        9: "time: took longer than 5 seconds",
        10: "out of memory",
        17: "crash: the worker died (SIGSEGV)",
        29: "ArithmeticError: this page raises",
    }
    assert counts["errors"] == {"ArithmeticError": 2, "crash": 1, "out of memory": 1, "time": 1}
    assert counts["kept"] == 25
    clean = write_warc(
        tmp_path / "b.warc.gz", [page for number, page in enumerate(pages) if number not in marks]
    )
    build_here(tmp_path / "clean", [clean])
    texts = [
        [row["text"] for row in read_rows(tmp_path / folder, "data")] for folder in ("out", "clean")
    ]
    assert texts[0] == texts[1]


@pytest.mark.slow
@pytest.mark.usefixtures("poisoned")
def test_workers_killed_at_random_change_nothing(
    tmp_path: Path, undisturbed: tuple[Path, dict[str, str]]
) -> None:
    source, expected = undisturbed
    done = Event()
    killed: list[int] = []

    def kill() -> None:
        generator = random.Random(4)
        while not done.wait(generator.uniform(0.1, 0.8)) and len(killed) < 6:
            children = find_children(os.getpid())
            with suppress(ProcessLookupError):  # it may have ended in the meantime
                if children:
                    child = generator.choice(children)
                    os.kill(child, signal.SIGKILL)
                    killed.append(child)

    thread = Thread(target=kill)
    thread.start()
    try:
        build(tmp_path / "out", [source])
    finally:
        done.set()
        thread.join()
    assert len(killed) >= 2
    assert digest_files(tmp_path / "out") == expected


@pytest.mark.slow
def test_runs_killed_at_random_continue(
    tmp_path: Path, undisturbed: tuple[Path, dict[str, str]]
) -> None:
    source, expected = undisturbed
    generator = random.Random(3)
    environment = os.environ | {"PYTHONPATH": f"{POISON}:{TESTS}"}
    command = [sys.executable, "-c", RUN, str(tmp_path / "out"), str(source)]
    killed = 0
    for attempt in range(40):  # each lives longer than the one before: a busy machine starts slowly
        run = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)
        try:
            run.wait(generator.uniform(0.5, 1.0) * 1.4**attempt)
        except subprocess.TimeoutExpired:
            children = find_children(run.pid)
            run.kill()
            run.wait()
            killed += 1
            assert _are_gone(children)
        else:
            assert run.returncode == 0
            break
    assert killed >= 2
    assert digest_files(tmp_path / "out") == expected
    assert set(count_places(tmp_path / "out").values()) == {1}


def test_a_run_killed_while_it_writes_its_report_continues(tmp_path: Path) -> None:
    source, folder = (
        write_warc(tmp_path / "a.warc.gz", [make_page(1), make_page(2)]),
        tmp_path / "out",
    )
    build_here(folder, [source])
    expected = digest_files(folder)
    (folder / "report.html").rename(folder / f"0123{TEMPORARY}")
    build_here(folder, [source])
    assert digest_files(folder) == expected


# A shell starts background processes, and their children, so that they ignore Ctrl-C.
LISTENING = (
    "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "from bodytext.cli import main; sys.exit(main(sys.argv[1:]))"
)


@pytest.mark.slow
def test_an_interrupt_stops_with_a_message(
    tmp_path: Path, undisturbed: tuple[Path, dict[str, str]]
) -> None:
    source, _ = undisturbed
    environment = os.environ | {"PYTHONPATH": str(POISON)}
    command = [
        sys.executable,
        "-c",
        LISTENING,
        "corpus",
        "build",
        str(source),
        "-o",
        str(tmp_path / "out"),
    ]
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as run:
        while not (children := find_children(run.pid)) and run.poll() is None:
            time.sleep(0.05)
        run.send_signal(signal.SIGINT)
        _, messages = run.communicate()
    assert run.returncode == 130
    assert (
        messages.strip().splitlines()[-1]
        == "bodytext: stopped; the same command continues from here"
    )
    assert "Traceback" not in messages
    assert _are_gone(children)


def _are_gone(processes: list[int]) -> bool:
    """Whether processes end soon: working ones at once, starting ones after they have started."""
    for _ in range(1000):
        if not any(Path(f"/proc/{process}").exists() for process in processes):
            return True
        time.sleep(0.02)
    return False


@pytest.mark.slow
def test_a_run_continues_after_a_full_disk(tmp_path: Path) -> None:
    source = write_warc(
        tmp_path / "a.warc.gz", [make_page(number, words=3000) for number in range(20)]
    )
    build(tmp_path / "expected", [source], workers=1)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2**14, limits[1]))  # no larger file can be written
    try:
        with pytest.raises(
            UnfinishedError, match=r"disk is full.*make room.*the same command continues"
        ):
            build(tmp_path / "out", [source], workers=1)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert not (tmp_path / "out" / "counts.json").exists()
    assert not list((tmp_path / "out").rglob("*.unfinished"))
    build(tmp_path / "out", [source], workers=1)
    assert digest_files(tmp_path / "out") == digest_files(tmp_path / "expected")


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["pages", "archive"])
def test_a_page_too_large_for_its_memory_does_not_harm_others(tmp_path: Path, kind: str) -> None:
    pages = [make_page(number) for number in range(12)]
    pages.insert(5, b"<p>" + random.Random(1).randbytes(20 * 2**20).hex().encode())
    source = tmp_path / "pages"
    source.mkdir()
    if kind == "archive":
        write_warc(source / "a.warc.gz", pages)
    else:
        for number, page in enumerate(pages):
            (source / f"{number:02}.html").write_bytes(page)
    counts = build(
        tmp_path / "out",
        [source],
        replace(SPEC, memory=LEAST_MEMORY, shard=2**26, duplicates=KEEP),
        1,
    )
    assert (counts["kept"], counts["errors"]) == (12, {"out of memory": 1})


def test_a_page_file_that_is_to_blame_is_not_opened_again(tmp_path: Path) -> None:
    listed = tmp_path / "pages.jsonl"
    (tmp_path / "b.html").write_bytes(make_page(1))
    listed.write_text(
        "".join(f"{json.dumps(str(tmp_path / name))}\n" for name in ("a.html", "b.html"))
    )
    first, second = read_shard(
        Shard(PAGES, str(listed)), "html", {"0": "time: took longer than 30 seconds"}
    )
    assert (first.source, first.problem) == (
        str(tmp_path / "a.html"),
        "time: took longer than 30 seconds",
    )
    assert second.html == make_page(1)


def test_a_truncated_archive_loses_only_its_last_record(tmp_path: Path) -> None:
    """One corpus of archives that end at different places of a record, each with pages of its own."""
    kept: dict[str, int] = {}
    lost: dict[str, int] = {}  # the offset of the last record
    begun = 0
    for number, cut in enumerate([-800, -300, -2, 0, 3, 12, 25, 200, None]):
        source = tmp_path / f"{number}.warc.gz"
        data = write_warc(source, map(make_page, range(40 * number, 40 * number + 40))).read_bytes()
        starts = [place for place in range(len(data)) if data[place : place + 10] == data[:10]]
        assert len(starts) == 40
        if cut is not None:
            source.write_bytes(data[: starts[20] + cut])
            starts = [start for start in starts if start < starts[20] + cut]
        begun += len(starts)
        kept[str(source)] = len(starts)
        # The last eight bytes of a member are a checksum.
        if cut is not None and not -8 <= cut <= 0:
            lost[str(source)] = starts[-1]
            kept[str(source)] -= 1
    counts = build_here(tmp_path / "out", list(map(Path, kept)))
    assert counts["records"] == begun
    assert Counter(row["source"] for row in read_rows(tmp_path / "out", "data")) == kept
    errors = read_rows(tmp_path / "out", "errors")
    assert sorted((row["source"], row["offset"]) for row in errors) == sorted(lost.items())


def test_a_file_that_is_no_archive_is_an_error_row(tmp_path: Path) -> None:
    good = write_warc(tmp_path / "good.warc.gz", [make_page(number) for number in range(5)])
    (tmp_path / "noise.warc.gz").write_bytes(random.Random(1).randbytes(50_000))
    (tmp_path / "noise.parquet").write_bytes(random.Random(2).randbytes(5000))
    (tmp_path / "noise.jsonl").write_bytes(b"{\n[1]\n{}\n")
    (tmp_path / "noise.jsonl.gz").write_bytes(b"\x1f\x8b no gzip")
    counts = build_here(tmp_path / "out", [tmp_path])
    assert counts["kept"] == 5
    problems = {
        row["source"].rpartition("/")[2]: row["error"]
        for row in read_rows(tmp_path / "out", "errors")
    }
    assert sorted(problems) == ["noise.jsonl", "noise.jsonl.gz", "noise.parquet", "noise.warc.gz"]
    assert len(read_rows(tmp_path / "out", "errors")) == 6
    assert good.exists()


@pytest.mark.slow
def test_a_second_run_in_the_folder_is_refused(
    tmp_path: Path, undisturbed: tuple[Path, dict[str, str]]
) -> None:
    source, _ = undisturbed
    environment = os.environ | {"PYTHONPATH": f"{POISON}:{TESTS}"}
    command = [sys.executable, "-c", RUN, str(tmp_path / "out"), str(source)]
    with subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL) as run:
        while not (tmp_path / "out" / "run.json").exists() and run.poll() is None:
            time.sleep(0.02)
        with pytest.raises(ValueError, match="another run is at work"):
            build(tmp_path / "out", [source])
        run.kill()


@pytest.mark.slow
def test_a_source_that_vanishes_is_reported_and_tried_again(tmp_path: Path) -> None:
    source = write_warc(tmp_path / "a.warc.gz", [make_page(number) for number in range(5)])
    hidden = tmp_path / "hidden"

    def start_late() -> LocalEngine:
        shutil.move(source, hidden)  # after all sources were listed
        return LocalEngine(SPEC.limits, 1)

    with pytest.raises(
        UnfinishedError, match=r"1 of 1 shards could not be done.*the same command continues"
    ):
        CorpusBuild(SPEC, [str(source)], tmp_path / "out").run(start_late)
    shutil.move(hidden, source)
    assert build_here(tmp_path / "out", [source])["kept"] == 5


@pytest.mark.parametrize("damage", ["", "{}", "[]", "null", '{"kept": "a"}', "[" * 100_000])
def test_damaged_counts_are_an_error_that_says_what_to_do(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "counts.json"
    path.write_text(damage)
    with pytest.raises(ValueError, match="remove it and run the same command again"):
        read_counts(path)
