"""Variants of pages have the same body text in different markup."""

import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from bodytext.page.parser import parse
from bodytext.page.tables import Page
from bodytext.studio.labels.labelled_set import read_labelled
from bodytext.studio.training import augmentation, content_variants
from bodytext.studio.training.alignment import label_blocks
from bodytext.studio.training.augmentation import find_boxes, vary
from bodytext.studio.training.content_variants import find_pieces, vary_content
from bodytext.studio.training.training_pages import ReadOptions, add_variants, read_training_pages
from hostile_pages import KINDS

LABELLED = Path(__file__).parent.parent / "labelled"
STORY = (
    "<html><head><meta name=x content=y><title>t</title></head><body><nav class='top menu'><ul>"
    "<li><a href=/>Home page</a></ul></nav><main id=main>"
    "<article class='story body'><h1>The lamp</h1><p>First of all the lamp was lit.</p>"
    "<div class='box offer'><p>Buy our fine paper today, and never read for free again.</p></div>"
    "<p>Then the lamp went out again.</p></article></main><footer><div class=legal>"
    "<p>All of the many rights are ours.</p></div></footer></body></html>"
)
NEVER = {
    "SCRAMBLE": 0.0,
    "PLAIN": 0.0,
    "PLAIN_PARAGRAPHS": 0.0,
    "LEAVE_OUT": 0.0,
    "PUT_IN": 0.0,
    "NO_META": 0.0,
}


def only(monkeypatch: pytest.MonkeyPatch, **chances: float) -> None:
    """Always make this kind of change, and no other."""
    for name, chance in (NEVER | {"NO_LINKED_DATA": 0.0} | chances).items():
        monkeypatch.setattr(augmentation, name, chance)


def texts(html: str) -> list[str]:
    return parse(html).texts()


def test_without_changes_the_page_stays_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    only(monkeypatch)
    assert vary(parse(STORY), [b"<p>box</p>"], np.random.default_rng(0)) == STORY


def test_equal_names_are_scrambled_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    only(monkeypatch, SCRAMBLE=1.0)
    monkeypatch.setattr(augmentation, "SCRAMBLED_SHARES", (1.0,))
    page = "<div class='a b'><p id=a>one</p></div><div class=b>two</div>"
    variant = vary(parse(page), [], np.random.default_rng(0))
    names = re.findall(r"q[0-9a-f]+", variant)
    assert (names[0], names[1]) == (names[2], names[3])
    assert "class='a" not in variant
    assert texts(variant) == ["one", "two"]


def test_sections_become_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    only(monkeypatch, PLAIN=1.0, PLAIN_SHARE=1.0, PLAIN_PARAGRAPHS=1.0)
    variant = vary(parse(STORY), [], np.random.default_rng(0))
    assert not re.search(r"</?(main|article|nav|footer|p)\b", variant)
    assert texts(variant) == texts(STORY)


def test_an_element_is_left_out_without_its_neighbours(monkeypatch: pytest.MonkeyPatch) -> None:
    only(monkeypatch, LEAVE_OUT=1.0, LEFT_OUT_SHARE=0.5)
    all_texts, gone = texts(STORY), set()
    for seed in range(40):
        rest = texts(vary(parse(STORY), [], np.random.default_rng(seed)))
        assert not Counter(rest) - Counter(all_texts)
        gone |= set(all_texts) - set(rest)
    assert {"First of all the lamp was lit.", "All of the many rights are ours."} <= gone


def test_boxes_are_inserted_whole_and_the_page_continues_around_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    only(monkeypatch, PUT_IN=1.0)
    variant = vary(
        parse(STORY), [b"<div class=ad><p>Quite another thing</p></div>"], np.random.default_rng(1)
    )
    assert "Quite another thing" in texts(variant)
    assert [text for text in texts(variant) if text != "Quite another thing"] == texts(STORY)


def test_boxes_have_no_content_and_close_their_tags() -> None:
    page = parse(STORY)
    content = np.array([not re.search("Home|paper|rights", text) for text in page.texts()])
    boxes = find_boxes(page, content, np.random.default_rng(0))
    assert any(b"fine paper" in box for box in boxes)
    for box in boxes:
        assert b"lamp" not in box
        assert len(re.findall(rb"<\w", box)) == len(re.findall(rb"</\w", box))


REPORT = [
    f"Paragraph {number} of the report on a lamp that went out last night." for number in range(6)
]
HEADLINES = [f"The harbour opens in {year}" for year in range(2000, 2009)]


def test_a_short_report_has_headlines_of_other_pages_beside_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    only(monkeypatch, SILENT=0.0)
    for name in ("BARE", "FRAGMENT", "SHORT", "CROWD", "STORY", "LONG"):
        monkeypatch.setattr(content_variants, name, 0.0)
    monkeypatch.setattr(content_variants, "TEASERS", 1.0)
    links = "".join(f"<li><a href=/>{headline}</a>" for headline in HEADLINES)
    nothing = np.zeros(len(HEADLINES), dtype=np.bool_)
    stock = find_pieces(parse(f"<ul>{links}</ul>"), nothing, "listing", np.random.default_rng(0))
    assert sorted(stock.headlines) == HEADLINES
    body = "".join(f"<p>{paragraph}</p>" for paragraph in REPORT)
    page = parse(
        f"<!doctype html><html><body><p>The editor wrote this</p><div><section>{body}</section></div></body></html>"
    )
    content = np.array([text in REPORT for text in page.texts()])
    editors = set()
    for seed in range(20):
        variant = vary_content(page, content, True, stock, np.random.default_rng(seed))
        blocks = texts(variant.html)
        kept = [text for text in blocks if text in REPORT]
        assert kept == REPORT[: len(kept)] == (variant.reference or "").split("\n")
        assert len(kept) in (1, 2, 3)
        assert set(blocks) & set(HEADLINES)
        assert not set(blocks) - {"The editor wrote this", *REPORT, *HEADLINES}
        editors.add("The editor wrote this" in blocks)
    assert editors == {True, False}


def test_a_variant_keeps_the_body_text_of_real_pages() -> None:
    kept = []
    for source in read_labelled(LABELLED)[::3]:
        page = parse(source.read(), url=source.url)
        reference = source.reference or ""
        words = content_words(page, reference)
        varied = content_words(
            parse(vary(page, [], np.random.default_rng(5)), url=source.url), reference
        )
        kept.append((words & varied).total() / max(words.total(), 1))
    assert np.mean(kept) > 0.8  # elements may be left out


def content_words(page: Page, reference: str) -> Counter[str]:
    blocks = page.texts()
    return Counter(" ".join(np.array(blocks)[label_blocks(blocks, reference)].tolist()).split())


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_hostile_pages_have_variants_too(kind: str) -> None:
    page = parse(KINDS[kind].make(3_000))
    random = np.random.default_rng(0)
    boxes = find_boxes(page, np.zeros(len(page), dtype=np.bool_), random)
    for _ in range(3):
        parse(vary(page, boxes or [b"<p>box"], random))


@pytest.mark.slow
def test_variants_follow_the_pages_and_are_reproducible() -> None:
    pages = read_training_pages([LABELLED], workers=1)
    varied, original = add_variants(pages, 2, 0, ReadOptions(1))
    again, _ = add_variants(pages, 2, 0, ReadOptions(2))
    assert len(varied) == 3 * len(pages) == len(original)
    assert np.array_equal(original[: len(pages)], np.arange(len(pages)))
    assert [varied.sources[number] for number in original] == list(varied.sources)
    assert np.array_equal(varied.rows, again.rows)
    assert np.array_equal(varied.rows[: len(pages.rows)], pages.rows)
    assert not np.array_equal(varied.page[len(pages) : 2 * len(pages)], pages.page)
