"""Site templates: repeated blocks fall, varying blocks stay, in any order of pages and shards."""

import pickle
import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bodytext import Page, extract, parse
from bodytext.corpus.templates.method import Templated, find_shift, shift_values
from bodytext.corpus.templates.observations import (
    MOST_PAGES,
    OBSERVATION,
    describe,
    mark_of,
    observe,
    sample,
    sample_all,
    site_of,
)
from bodytext.corpus.templates.site_templates import Templates, merge
from bodytext.methods import as_method
from hostile_pages import KINDS

DOCS = Path(__file__).parent.parent / "docs" / "templates.md"
BOX = "Our newsletter brings the best stories of the week into your letter box every Friday morning, free of charge."
WORDS = [
    a + b
    for a in ("ba", "ke", "li", "mo", "nu", "ra", "se", "ti")
    for b in ("dan", "mor", "nit", "pel", "rus")
]


def sentence(chance: random.Random) -> str:
    return " ".join(chance.choices(WORDS, k=chance.randint(12, 25))).capitalize() + "."


def write_page(number: int, title: str = "", site: str = "http://news.example") -> Page:
    chance = random.Random(number)
    body = "".join(f"<p>{sentence(chance)}</p>" for _ in range(6))
    html = (
        f"<title>{title or f'Story {number}'}</title><nav><ul><li><a href=/>Home</a><li><a href=/w>World</a></ul></nav>"
        f"<main class=story><h1>{sentence(chance)}</h1>{body}<p class=box>{BOX}</p></main>"
        "<footer><p>All rights reserved by the publishers of this paper and those who write for it.</p></footer>"
    )
    return parse(html, url=f"{site}/{number}")


def build(folder: Path, shards: Sequence[Sequence[Page]], memory: int = 1 << 20) -> Templates:
    paths = []
    folder.mkdir(parents=True, exist_ok=True)
    for number, pages in enumerate(shards):
        paths.append(folder / f"{number}.sightings")
        parts = list(sample_all(map(observe, pages)))
        np.concatenate((np.zeros(0, OBSERVATION), *parts)).tofile(paths[-1])
    merge(paths, folder / "work", folder / "templates", memory)
    assert not list((folder / "work").iterdir())
    return Templates(folder / "templates")


def read_tables(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (folder / "templates").iterdir()}


def shift_of(templates: Templates, page: Page) -> dict[str, float]:
    template = templates.of(page.url)
    assert template is not None
    shift = find_shift(page, template)
    assert shift is not None
    return dict(zip(page.texts(), shift.tolist(), strict=True))


def test_repeated_blocks_fall_and_varying_blocks_rise(tmp_path: Path) -> None:
    pages = [write_page(number) for number in range(6)]
    templates = build(tmp_path, [pages])
    shift = shift_of(templates, pages[0])
    assert shift[BOX] == -8  # four more after the first
    assert shift["Home"] == 0  # too short to tell
    varied = [
        value
        for text, value in shift.items()
        if text.endswith(".") and not text.startswith(("Our", "All"))
    ]
    assert len(varied) == 7
    assert min(varied) >= 0
    assert max(varied) > 0.3


def test_a_box_inside_the_body_is_dropped_from_the_text(tmp_path: Path) -> None:
    pages = [write_page(number) for number in range(6)]
    method = Templated(as_method("learned"), build(tmp_path, [pages]))
    document = extract(pages[0].source, url=pages[0].url, method=method)
    assert isinstance(method, Templated)
    box = pages[0].texts().index(BOX)
    assert method.score(pages[0]).values[box] < as_method("learned").score(pages[0]).values[box]
    assert BOX not in str(document)
    assert len(document.paragraphs) >= 6
    assert document.page_type
    assert document.confidence is not None


@pytest.mark.parametrize("name", ["cuter", "finn", "density"])
def test_any_method_can_use_templates(tmp_path: Path, name: str) -> None:
    pages = [write_page(number) for number in range(6)]
    templates = build(tmp_path, [pages])
    document = extract(
        pages[1].source, url=pages[1].url, method=Templated(as_method(name), templates)
    )
    assert BOX not in str(document)
    assert len(document.paragraphs) >= 6


def test_a_method_with_templates_can_be_pickled(tmp_path: Path) -> None:
    pages = [write_page(number) for number in range(4)]
    method = Templated(as_method("learned"), build(tmp_path, [pages]))
    copy = pickle.loads(pickle.dumps(method))  # noqa: S301
    assert np.array_equal(copy.score(pages[0]).values, method.score(pages[0]).values)


def test_a_site_with_one_page_has_no_template(tmp_path: Path) -> None:
    page = write_page(0)
    templates = build(tmp_path, [[page]])
    assert templates.of(page.url) is None
    assert (
        Templated(as_method("learned"), templates).score(page).values.tolist()
        == as_method("learned").score(page).values.tolist()
    )
    assert templates.of("") is None
    assert templates.of("http://[bad") is None
    assert templates.of("http://other.example/") is None


def test_pages_with_the_same_title_count_as_one(tmp_path: Path) -> None:
    """Two copies of an article do not make boilerplate of it."""
    page, other = write_page(0, "Same"), write_page(1)
    copy = replace(page, url="http://news.example/copy")
    shift = shift_of(build(tmp_path, [[page, copy, other]]), page)
    assert [
        text
        for text, value in shift.items()
        if value < -1 and text != BOX and not text.startswith("All")
    ] == []
    assert shift[BOX] < -3


def test_a_page_that_was_not_observed_is_shifted_too(tmp_path: Path) -> None:
    templates = build(tmp_path, [[write_page(number) for number in range(5)]])
    assert shift_of(templates, write_page(77))[BOX] == -8


def test_a_label_among_varying_values_does_not_change(tmp_path: Path) -> None:
    def product(number: int) -> Page:
        chance = random.Random(number)
        rows = "".join(
            f"<tr><td>{label}</td><td>{sentence(chance)}</td></tr>"
            for label in ("Weight", "Colour", "Size")
        )
        return parse(
            f"<title>Thing {number}</title><table>{rows}</table>",
            url=f"http://shop.example/{number}",
        )

    pages = [product(number) for number in range(8)]
    shift = shift_of(build(tmp_path, [pages]), pages[0])
    assert shift["Colour"] == 0


def test_the_canonical_address_counts_if_no_other_is_known(tmp_path: Path) -> None:
    pages = [write_page(number) for number in range(5)]
    named = [
        parse(page.source + f"<link rel=canonical href={page.url}>".encode()) for page in pages
    ]
    method = Templated(as_method("learned"), build(tmp_path, [named]))
    box = named[0].texts().index(BOX)
    assert method.score(named[0]).values[box] < as_method("learned").score(named[0]).values[box]


@pytest.mark.parametrize("shards", [1, 2, 5, 40])
def test_order_shards_and_memory_make_no_difference(tmp_path: Path, shards: int) -> None:
    pages = [write_page(number, site=f"http://{'abc'[number % 3]}.example") for number in range(40)]
    build(tmp_path / "one", [pages])
    random.Random(shards).shuffle(pages)
    parts = [pages[start::shards] for start in range(shards)]
    build(tmp_path / "other", parts, memory=4_000)
    assert read_tables(tmp_path / "other") == read_tables(tmp_path / "one")


def test_a_large_site_is_sampled(tmp_path: Path) -> None:
    pages = [write_page(number) for number in range(3 * MOST_PAGES)]
    template = build(tmp_path / "all", [pages]).of(pages[0].url)
    assert template is not None
    assert template.marks.tolist() == sorted(mark_of(page) for page in pages)[:MOST_PAGES]
    kept = [page for page in pages if mark_of(page) in set(template.marks.tolist())]
    build(tmp_path / "kept", [kept])
    assert read_tables(tmp_path / "all") == read_tables(tmp_path / "kept")


def test_samples_of_parts_are_a_sample_of_all() -> None:
    rows = [
        observe(write_page(number, site=f"http://{number % 2}.example")) for number in range(200)
    ]
    whole = sample(np.concatenate(rows))
    parts = list(sample_all(rows, most=300))
    assert len(parts) > 1
    assert sample(np.concatenate(parts)).tobytes() == whole.tobytes()


def test_equal_blocks_at_equal_places_have_equal_hashes() -> None:
    traits = describe(parse("<ul><li>one<li>two<li>one</ul><p>one"))
    assert traits is not None
    assert traits.block[0] == traits.block[2] != traits.block[1]
    assert traits.place[0] == traits.place[1]
    assert traits.block[0] != traits.block[3]
    assert traits.words.tolist() == [1, 1, 1, 1]


def test_hosts_are_distinguished() -> None:
    assert (
        site_of("https://www.Example.com:8080/a")
        == site_of("http://example.com/b?c")
        != site_of("http://m.example.com/")
    )
    assert site_of("") == site_of("/a/b") == site_of("http://[bad") == 0


@pytest.mark.parametrize("text", ["", "<p>", "<table>" * 3, "<p hidden>x", "\0"])
def test_pages_with_almost_nothing(tmp_path: Path, text: str) -> None:
    page = parse(text, url="http://a.example/")
    templates = build(
        tmp_path,
        [[page, write_page(0, site="http://a.example"), write_page(1, site="http://a.example")]],
    )
    scores = Templated(as_method("learned"), templates).score(page).values
    assert len(scores) == len(page)


def test_floods_are_not_observed() -> None:
    flood = "<p>A boat" * 30_000
    assert describe(parse(flood)) is None
    assert len(observe(parse(flood, url="http://a.example/"))) == 0
    assert describe(parse("<p>" + "x" * (3 << 20))) is None


@pytest.mark.parametrize("name", sorted(KINDS))
def test_hostile_pages_are_observed(name: str) -> None:
    html = KINDS[name].make(20_000)
    rows = observe(parse(html, url="http://a.example/"))
    assert rows.dtype == OBSERVATION


@given(st.lists(st.floats(0, 1, width=32), min_size=1, max_size=9))
@settings(max_examples=50, deadline=None)
def test_scores_do_not_change_without_a_shift(values: list[float]) -> None:
    scores = np.array(values, np.float32)
    assert shift_values(scores, np.zeros(len(values), np.float32)).tolist() == scores.tolist()


def test_half_a_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "torn"
    path.write_bytes(observe(write_page(0)).tobytes()[:-1])
    with pytest.raises(ValueError, match="torn: this file of observations is not complete"):
        merge([path], tmp_path / "work", tmp_path / "templates")
    assert not (tmp_path / "templates").exists()
    pages = [write_page(number) for number in range(3)]
    build(tmp_path / "b", [pages])
    (tmp_path / "b" / "templates" / "blocks").write_bytes(b"12345")
    with pytest.raises(ValueError, match="blocks: this table of templates is not complete"):
        Templates(tmp_path / "b" / "templates")


def test_no_pages_make_no_templates(tmp_path: Path) -> None:
    assert len(build(tmp_path, [[], []])) == 0


def test_the_documented_example_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pages").mkdir()
    for number in range(4):
        (tmp_path / "pages" / f"{number}.html").write_bytes(write_page(number).source)
    (program,) = DOCS.read_text("utf-8").split("```python\n")[1:]
    exec(program.partition("```")[0], {})  # noqa: S102
    printed = capsys.readouterr().out
    assert "." in printed
    assert BOX not in printed
