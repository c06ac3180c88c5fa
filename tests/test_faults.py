"""Disks that are full or read-only, and clocks that jump: a message and no loss."""

import json
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bodytext.reader.collection.feed_updates import FeedUpdater
from bodytext.reader.store.articles import ArticleQuery
from bodytext.reader.store.store import Store
from bodytext.sources.fetch import FetchLimits
from bodytext.sources.fetch_options import FetchOptions
from bodytext.sources.politeness.policy import Politeness
from loopback.newspaper import Newspaper, make_press, make_story

TESTS = Path(__file__).parent
BENCHMARK = TESTS.parent / "benchmarks" / "faults.py"
LABELLED = TESTS.parent / "labelled"
NAMESPACE = ["unshare", "--map-root-user", "--mount"]
COMMANDS = ("extract", "corpus build", "reader import", "train", "labels")
YEAR = 365 * 24 * 3600


def can_mount(folder: Path) -> bool:
    command = [*NAMESPACE, "mount", "-t", "tmpfs", "tmpfs", str(folder)]
    try:
        return subprocess.run(command, check=False, capture_output=True).returncode == 0
    except FileNotFoundError:
        return False


@pytest.mark.slow
def test_full_and_read_only_disks_give_messages_and_then_the_same_commands_work(
    tmp_path: Path,
) -> None:
    disk, inputs = tmp_path / "disk", tmp_path / "inputs"
    disk.mkdir()
    if not can_mount(disk):
        pytest.skip("a mount namespace cannot be made here (unshare)")
    for part in ("html", "ground-truth"):
        (inputs / "labelled" / part).mkdir(parents=True)
        for path in sorted((LABELLED / part).iterdir())[:4]:
            shutil.copy(path, inputs / "labelled" / part)
    shutil.copy(TESTS.parent / "examples" / "article.html", inputs / "page.html")
    outlines = "".join(f'<outline xmlUrl="http://a{n}.test/feed" text="A"/>' for n in range(50))
    (inputs / "feeds.opml").write_text(f"<opml><body>{outlines}</body></opml>")
    done = subprocess.run(
        [*NAMESPACE, sys.executable, str(TESTS / "disk_run.py"), str(disk), str(inputs)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    results = json.loads(done.stdout.splitlines()[-1])
    for state in ("full", "read-only"):
        for command in COMMANDS:
            status, said = results[f"{command}, {state}"]
            assert status > 0, f"{command}, {state}: {said}"
            assert said.strip(), f"{command}, {state}"
            assert "Traceback" not in said
    for command in COMMANDS:
        status, said = results[f"{command}, with room"]
        assert status == 0, f"{command}: {said}"


@pytest.mark.parametrize("jump", [-30 * YEAR, -3600, 3600, 10 * YEAR])
def test_a_clock_that_jumps_costs_no_article_and_no_feed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jump: int
) -> None:
    paper = Newspaper("daily.test", [make_story(number) for number in range(3)])
    real = time.time
    with make_press([paper]) as web, Store(tmp_path / "reader.sqlite") as store:
        store.feeds.add(web.url("daily.test", "/feed"))
        fetching = FetchOptions(
            FetchLimits(allow_private=True),
            Politeness(delay_seconds=0, retries=0, backoff_seconds=0),
            resolve=web.resolve,
        )

        def update() -> int:
            return FeedUpdater(store, fetching).update(store.feeds.list_all()).stored

        assert update() == 3
        monkeypatch.setattr("time.time", lambda: real() + jump)
        paper.stories.append(make_story(10))
        assert update() == 1
        monkeypatch.setattr("time.time", real)
        assert store.feeds.list_due(int(real()) + 7 * 24 * 3600)  # it is read again within a week
        paper.stories.append(make_story(11))
        assert update() == 1
        assert update() == 0
        assert len(store.articles.list_cards(ArticleQuery(profile=1, limit=100))) == 5


@pytest.mark.slow
def test_labels_that_were_saved_are_there_after_a_kill() -> None:
    """The benchmark exits with 1 if a save is lost or a file damaged; it has kills of other work too."""
    command = [sys.executable, str(BENCHMARK), "--part", "labels", "--kills", "3"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "| labelling | 3 |" in done.stdout
