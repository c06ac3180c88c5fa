"""Made pages of rare kinds: small, old, very long, and short reports among headlines."""

import numpy as np
import pytest

import bodytext
from bodytext.methods.scores import Scores
from bodytext.page.tables import Page
from bodytext.studio.evaluation.metrics import compare_words
from made_pages import KINDS, LONG, make_long, make_pages, read_stories

LEAST_F1 = 0.97  # on average
FEW_WORDS = (
    "<p>Three words here</p>",
    "<pre>one two three</pre>",
    "<a href=/there>There is only a link on this page</a>",
    "<p>The same sentence.</p>" * 9,
    "<td>A cell alone",
)


@pytest.fixture(scope="module")
def f1_by_kind() -> dict[str, list[float]]:
    scores: dict[str, list[float]] = {}
    for page in make_pages():
        document = bodytext.extract(page.html)
        assert document, (page.kind, page.language)
        scores.setdefault(page.kind, []).append(compare_words(str(document), page.body).f1)
    return scores


def test_the_mean_over_kinds_is_high(f1_by_kind: dict[str, list[float]]) -> None:
    assert np.mean([np.mean(values) for values in f1_by_kind.values()]) >= LEAST_F1


@pytest.mark.parametrize("kind", KINDS)
def test_no_kind_is_bad(kind: str, f1_by_kind: dict[str, list[float]]) -> None:
    assert np.mean(f1_by_kind[kind]) >= 0.9


@pytest.mark.parametrize("count", [*LONG, 19_000, 21_000])
def test_a_long_text_is_kept_whole(count: int) -> None:
    for page in make_long(read_stories()["en"], count):
        assert compare_words(str(bodytext.extract(page.html)), page.body).recall > 0.999, page.kind


@pytest.mark.parametrize("html", FEW_WORDS)
def test_a_page_that_shows_a_text_is_never_empty(html: str) -> None:
    document = bodytext.extract(html)
    assert document
    assert not document.reason


def test_a_page_of_few_words_has_no_type() -> None:
    assert bodytext.extract("<p>Three words here</p>").page_type == ""


class Hesitant:
    """A method that finds nothing likely, and the third block likeliest."""

    def score(self, page: Page) -> Scores:
        return Scores(np.zeros(len(page), dtype=np.float32), "listing", 0.1)

    def guess(self, page: Page) -> Scores:
        scores = np.zeros(len(page), dtype=np.float32)
        scores[2] = 1
        return Scores(scores, "listing", 0.2)


def test_of_a_page_without_a_likely_text_the_likeliest_is_given() -> None:
    html = "".join(f"<p>Line {number} of the timetable of the ferry</p>" for number in range(30))
    document = bodytext.extract(html, method=Hesitant())
    assert str(document) == "Line 2 of the timetable of the ferry"
    assert document.confidence == 0.2
    assert len(bodytext.extract(html[: len(html) // 3], method=Hesitant()).blocks) > 1
