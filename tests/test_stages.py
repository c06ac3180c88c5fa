"""Stages: every row comes through once and in order, drops say why, and what is dropped already is left alone."""

import copy
import pickle
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bodytext.corpus.run.row import Row, Stage
from bodytext.corpus.stages import Confidence, Language, Length, Normalisation, Quality
from bodytext.corpus.stages.tokens import Tokens
from bodytext.kernel.words import measure

STAGES: list[Stage] = [Normalisation("new"), Length(5), Confidence(), Language(("vi",)), Quality("gopher,c4")]
NAMES = ("too short", "low confidence", "wrong language", "quality ")
ENGLISH = (
    "The council met on Monday and said that the bridge, which is closed, will be open to traffic with some delay. "
)

texts = st.one_of(st.text(max_size=300), st.lists(st.sampled_from(["và", "the", "的", "#", "...", "\n"])).map(" ".join))
rows = st.builds(
    Row,
    text=texts,
    title=st.text(max_size=20),
    confidence=st.one_of(st.none(), st.floats(0, 1)),
    dropped=st.sampled_from(["", "", "empty: no text"]),
    error=st.sampled_from(["", "", "took too long: 30 s"]),
)


@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: type(stage).__name__)
@settings(max_examples=60, deadline=None)
@given(given_rows=st.lists(rows, max_size=8))
def test_every_row_comes_through_once_and_in_order(stage: Stage, given_rows: list[Row]) -> None:
    before = copy.deepcopy(given_rows)
    after = list(stage(iter(given_rows)))
    assert [id(row) for row in after] == [id(row) for row in given_rows]
    for old, new in zip(before, after, strict=True):
        if not old.kept:
            assert new == old
        assert (new.url, new.source, new.offset, new.error) == (old.url, old.source, old.offset, old.error)
        if new.dropped != old.dropped:
            assert new.dropped.startswith(NAMES)
            assert ": " in new.dropped


@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: type(stage).__name__)
def test_stages_are_lazy_and_can_be_sent_to_other_processes(stage: Stage) -> None:
    taken = []

    def source() -> Iterator[Row]:
        for number in range(3):
            taken.append(number)
            yield Row(text=ENGLISH * 5, confidence=0.9)

    moved: Stage = pickle.loads(pickle.dumps(stage))  # noqa: S301 - our own
    first = next(moved(source()))
    assert taken == [0]
    assert first == next(iter(stage(iter([Row(text=ENGLISH * 5, confidence=0.9)]))))


def drop(stage: Stage, row: Row) -> str:
    (after,) = stage(iter([row]))
    return after.dropped


def test_too_short() -> None:
    assert drop(Length(5), Row(text="one two three - four")) == "too short: 4 words"
    assert drop(Length(5), Row(text="one two three four five")) == ""
    assert drop(Length(1), Row(text="— …")) == "too short: 0 words"
    assert drop(Length(2), Row(text="word")) == "too short: 1 word"
    assert drop(Length(4), Row(text="你好世界再見朋友")) == ""
    assert drop(Length(0), Row(text="")) == ""
    assert drop(Length(50), Row(text="w" * 10_000)) == "too short: 1 word"
    assert drop(Length(50), Row(text="a" * 40 + " b" * 49)) == ""


def test_low_confidence() -> None:
    assert drop(Confidence(0.5), Row(text="x", confidence=0.314)) == "low confidence: 0.31"
    assert drop(Confidence(0.5), Row(text="x", confidence=0.5)) == ""
    assert drop(Confidence(0.5), Row(text="x", confidence=None)) == ""


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Length(-1), "0 keeps every length"),
        (lambda: Confidence(1.5), "between 0 and 1"),
        (lambda: Normalisation("both"), "there are old and new"),
        (lambda: Quality("gopher,good"), "'good' is no rule of quality; these are: gopher, c4, gopher-words"),
        (lambda: Language(("klingon",)), "'klingon' is no language that can be told"),
        (lambda: Language(("vn",)), "a country is meant\\? its language is vi"),
    ],
)
def test_what_a_stage_refuses_it_says_when_it_is_made(build: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        build()  # type: ignore[operator]


@given(st.text(alphabet=st.sampled_from("ab1 \n\t—,.!é한½\u3000\xa0"), max_size=80))
def test_words_are_counted_as_everywhere_else(text: str) -> None:
    assert Tokens(text).words == measure(text)[0]
    assert Tokens(text).pieces == len(text.split())
    assert Tokens(text).characters == sum(map(len, text.split()))


def test_tokens() -> None:
    """Xin chào 你好 世界 ， 再見 - 12 สวัส ดีคร ับ x: words are all but the comma and the dash."""
    tokens = Tokens("Xin chào 你好世界，再見 - 12\n\nสวัสดีครับ\n x ")
    assert (tokens.pieces, tokens.words, tokens.lettered, tokens.is_spaced) == (12, 10, 9, False)
    assert tokens.lines == ["Xin chào 你好世界，再見 - 12", "สวัสดีครับ", "x"]
    assert tokens.paragraphs == ["Xin chào 你好世界，再見 - 12", "สวัสดีครับ\n x"]
    assert Tokens("Tôi thích đi 東京 lắm").is_spaced is True
