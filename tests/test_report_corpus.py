"""Report, stats and samples of a corpus: true counts from either format, a self-contained page, fair samples."""

import json
import os
import random
import tracemalloc
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from bodytext.corpus.report import stats as stats_module
from bodytext.corpus.report.html_report import render_report, write_report
from bodytext.corpus.report.sample import render_sample, take_sample
from bodytext.corpus.report.stats import LENGTH_EDGES, Stats, collect_stats
from bodytext.corpus.report.stats_text import describe_stats

HOSTILE = "<script>alert(1)</script>\x1b[31m\"'&"
VOID = {"meta", "link", "br", "img", "input", "hr"}


def row(number: int, **values: Any) -> dict[str, Any]:
    return {
        "url": f"https://www.site{number % 3}.vn/{number}",
        "time": "2026-11-15T00:00:00Z",
        "title": f"Title {number}",
        "text": "word " * (number + 1),
        "metadata": "{}",
        "language": "vi" if number % 2 else "en",
        "confidence": number / 10 if number < 10 else None,
        "page_type": "article",
        "source": "pages.warc.gz",
        "offset": number,
        **values,
    }


KEPT = [row(number) for number in range(8)]
DROPPED = [
    row(10, dropped="too short: 3 words"),
    row(11, dropped="too short: 4 words"),
    row(12, dropped="wrong language: en"),
    row(13, dropped="quality gopher-letters: 0.71"),
    row(14, dropped="quality gopher-symbols: 0.30"),
    row(15, dropped="duplicate: of pages.warc.gz at 3"),
    row(16, dropped="near duplicate: 0.83 like pages.warc.gz at 4"),
    row(17, dropped="low confidence: 0.21", confidence=0.21),
]
FAILED = [
    row(20, text="", error="took too long: 30 s"),
    row(21, text="", error="HTTP 404: not found"),
]


def write_corpus(folder: Path, form: str, kept: list[dict[str, Any]] = KEPT) -> Path:
    for part, rows in (("data", kept), ("dropped", DROPPED), ("errors", FAILED)):
        (folder / part).mkdir(parents=True)
        half = len(rows) // 2
        for number, some in enumerate((rows[:half], rows[half:])):
            path = folder / part / f"part-{number:05}.{form}"
            if form == "jsonl":
                path.write_text("".join(json.dumps(row) + "\n" for row in some), "utf-8")
            else:
                pyarrow = pytest.importorskip("pyarrow")
                pytest.importorskip("pyarrow.parquet").write_table(
                    pyarrow.Table.from_pylist(some), path
                )
    timing = {"seconds": {"extract": 2.0, "write": 0.5}, "workers": 2, "records": 18}
    (folder / "timing.json").write_text(json.dumps(timing))
    (folder / "counts.json").write_text("{}")
    (folder / "run.json").write_text(
        json.dumps({"version": "1", "order": {"quality": "gopher"}, "inputs": [["a"]]})
    )
    return folder


@pytest.fixture(params=["jsonl", "parquet"])
def corpus(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return write_corpus(tmp_path / "corpus", request.param)


def test_counts_are_true(corpus: Path) -> None:
    report = collect_stats(corpus).to_json()
    assert (report["records"], report["kept"], report["dropped"], report["failed"]) == (18, 8, 8, 2)
    assert report["reasons"]["too short"] == 2
    assert report["reasons"]["quality gopher-letters"] == 1
    assert report["failures"] == {"took too long": 1, "HTTP 404": 1}
    assert report["wrong_languages"] == {"en": 1}
    assert report["characters"]["total"] == sum(len(kept["text"]) for kept in KEPT)
    assert report["languages"] == [
        {"language": "en", "records": 4, "characters": 5 * (1 + 3 + 5 + 7)},
        {"language": "vi", "records": 4, "characters": 5 * (2 + 4 + 6 + 8)},
    ]
    assert report["sites"] == {
        "number": 3,
        "complete": True,
        "top": {"site0.vn": 3, "site1.vn": 3, "site2.vn": 2},
    }
    assert report["page_types"] == {"article": 8}
    assert report["lengths"][0] == {"from": 0, "records": 8}
    assert report["confidence"]["data"][14] == {"from": 0.7, "records": 1}
    assert report["confidence"]["dropped"][4]["records"] == 1
    assert (report["duplicates"]["exact"], report["duplicates"]["near"]) == (1, 1)
    assert report["duplicates"]["likeness"][16] == {"from": 0.8, "records": 1}
    assert report["throughput"]["records_per_second"] == 9.0
    assert report["run"] == {"version": "1", "order": {"quality": "gopher"}, "inputs": 1}


def test_lengths_and_their_median() -> None:
    stats = Stats()
    chance = random.Random(4)
    lengths = sorted(int(chance.lognormvariate(8, 1)) for _ in range(2_001))
    for length in lengths:
        stats.add_kept("", "vi", 0.9, "article", length)
    counted = Counter(max(edge for edge in LENGTH_EDGES if edge <= length) for length in lengths)
    assert dict(zip(LENGTH_EDGES, stats.lengths, strict=True)) == {
        edge: counted[edge] for edge in LENGTH_EDGES
    }
    assert stats.median_length == lengths[1_000]
    stats.add_kept("", "vi", 0.9, "article", lengths[-1] + 1)
    assert stats.median_length == lengths[1_000]  # the smaller of two
    assert Stats().median_length == 0


class Checker(HTMLParser):
    """Checks that tags are closed in order, and collects what a page could load or run."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: Counter[str] = Counter()
        self.outside: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.outside += [
            name
            for name, _ in attributes
            if name in {"src", "href", "style"} or name.startswith("on")
        ]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attributes)
        self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def check(page: str) -> Checker:
    checker = Checker()
    checker.feed(page)
    checker.close()
    assert checker.open == []
    assert checker.outside == []
    assert not {"script", "link", "img", "iframe"} & set(checker.tags)
    return checker


def test_the_report_is_self_contained(corpus: Path) -> None:
    write_report(corpus)
    checked = check((corpus / "report.html").read_text("utf-8"))
    for expected in (
        "Why records were dropped",
        "gopher-letters",
        "site0.vn",
        "took too long",
        "Languages",
        "Time",
    ):
        assert expected in checked.text
    assert checked.tags["svg"] > 10
    assert (
        json.loads((corpus / "report.json").read_text("utf-8")) == collect_stats(corpus).to_json()
    )


def test_texts_of_pages_are_escaped(tmp_path: Path) -> None:
    rows = [
        row(
            1,
            url=f"https://{HOSTILE}/",
            language=HOSTILE,
            page_type=HOSTILE,
            title=HOSTILE,
            text=HOSTILE,
        )
    ]
    corpus = write_corpus(tmp_path / "corpus", "jsonl", rows)
    write_report(corpus)
    check((corpus / "report.html").read_text("utf-8"))
    assert "\x1b" not in describe_stats(collect_stats(corpus))
    assert "\x1b" not in render_sample(take_sample(corpus))


def test_names_that_are_not_utf_8_are_reported(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / os.fsdecode(b"caf\xe9"), "jsonl")
    (corpus / "run.json").write_text(json.dumps({"order": {"model": "\udce9.npz"}}))
    write_report(corpus)
    assert "Corpus caf?" in check((corpus / "report.html").read_text("utf-8")).text


def test_an_empty_corpus_has_a_report(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    assert write_report(tmp_path).records == 0
    check((tmp_path / "report.html").read_text("utf-8"))
    assert describe_stats(collect_stats(tmp_path)).startswith("0 records")


def test_a_folder_that_is_no_corpus(tmp_path: Path) -> None:
    for call in (collect_stats, take_sample, write_report):
        with pytest.raises(ValueError, match="bodytext corpus build makes one"):
            call(tmp_path / "nowhere")
        with pytest.raises(ValueError, match="this is not a corpus"):
            call(tmp_path)


def test_a_corpus_that_is_unfinished(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text("{}")
    (tmp_path / "data").mkdir()
    for call in (collect_stats, take_sample, write_report):
        with pytest.raises(
            ValueError, match="unfinished; the same bodytext corpus build continues"
        ):
            call(tmp_path)


def test_a_truncated_file_is_named(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "corpus", "jsonl")
    (corpus / "data" / "part-00001.jsonl").write_text('{"url": "x", ')
    with pytest.raises(ValueError, match=r"part-00001.jsonl: a line is not JSON"):
        collect_stats(corpus)


def test_stats_for_the_terminal(corpus: Path) -> None:
    text = describe_stats(collect_stats(corpus))
    assert text.startswith(
        "18 records\n  kept                8   44.4%\n  dropped             8   44.4%\n  failed "
    )
    assert (
        "\n  too short                         2   25.0%  ██████████████████████████████\n" in text
    )
    assert all(len(line) < 100 for line in text.splitlines())


def test_samples_are_rows_of_the_corpus(corpus: Path) -> None:
    rows = take_sample(corpus, 3, seed=1)
    assert [row["title"] for row in rows] == sorted({row["title"] for row in rows})
    originals = {original["title"]: original for original in KEPT}
    assert all(sampled.items() <= originals[sampled["title"]].items() for sampled in rows)
    assert take_sample(corpus, 3, seed=1) == rows
    assert len(take_sample(corpus, 100)) == len(KEPT)
    dropped = take_sample(corpus, 10, "dropped", "quality")
    assert [row["dropped"] for row in dropped] == [
        "quality gopher-letters: 0.71",
        "quality gopher-symbols: 0.30",
    ]
    assert take_sample(corpus, 1, "errors", "HTTP")[0]["error"] == "HTTP 404: not found"
    with pytest.raises(
        ValueError, match=r"nothing was dropped for 'x'; the reasons are: duplicate, low confidence"
    ):
        take_sample(corpus, 1, "dropped", "x")
    with pytest.raises(ValueError, match="one row or more"):
        take_sample(corpus, 0)


# 150 expected; the bounds are 4.7 deviations away
def test_samples_are_fair(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "corpus", "jsonl")
    taken = Counter(
        sampled["title"] for seed in range(600) for sampled in take_sample(corpus, 2, seed=seed)
    )
    assert len(taken) == len(KEPT)
    assert all(100 < count < 200 for count in taken.values())


def test_a_sample_reads_well() -> None:
    long = row(1, text="Một câu. " * 400)
    text = render_sample([long, row(2, dropped="too short: 3 words")])
    assert "── 1 ─" in text
    assert (
        "vi · article · confidence 0.10 · 3,600 characters · 2026-11-15T00:00:00Z · pages.warc.gz at 1"
        in text
    )
    assert text.count("…") == 1
    assert "dropped: too short: 3 words" in text
    assert max(map(len, text.splitlines())) <= 100
    assert render_sample([long], whole=True).count("Một") == 400
    assert render_sample([]) == ""


def test_many_sites_take_little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stats_module, "_NAMES_HELD", 1_000)
    stats = Stats()
    tracemalloc.start()
    for number in range(12_000):
        stats.add_kept(f"https://{number}.example/", "vi", 0.9, "article", 100)
        stats.add_kept("https://often.example/", "vi", 0.9, "article", 100)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2**20
    assert stats.sites.counts.most_common(1) == [("often.example", 12_000)]
    assert stats.sites.counts.total() + stats.sites.forgotten == stats.kept
    assert "of more than" in render_report(stats, "many")


def test_bars_are_as_long_as_their_values() -> None:
    stats = Stats()
    for language in ["vi"] * 10 + ["en"] * 5:
        stats.add_kept("", language, 0.9, "article", 100)
    page = render_report(stats, "bars")
    assert 'class="kept" width="100.00%"' in page
    assert 'class="kept" width="50.00%"' in page
