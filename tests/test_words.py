"""The word rule: examples in many scripts, and both ways of counting agree."""

import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bodytext.kernel import words
from bodytext.kernel.words import _measure_any, measure


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("two words", 2),
        ("don't re-enter", 2),
        ("— | · …", 0),
        ("3.5 % of 1,000", 3),
        ("Tiếng Việt có dấu", 4),
        ("Это три слова", 3),
        ("שלום עולם", 2),
        ("مرحبا بالعالم", 2),
        ("हिन्दी में शब्द", 3),
        ("한국어 단어", 2),
        ("你好，世界。", 2),  # four Han characters
        ("これはペンです", 4),  # seven kana
        ("ภาษาไทย", 2),  # seven Thai characters
        ("ພາສາລາວ", 2),
        ("ភាសាខ្មែរ", 3),
        ("iPhone手机", 2),
        ("soft\u00adhyphen zero\u200bwidth", 2),
        ("\u200b \ufeff", 0),
    ],
)
def test_words_in_any_script(text: str, count: int) -> None:
    assert measure(text)[0] == count


def test_characters_and_bytes_are_counted_with_white_space_collapsed() -> None:
    assert measure(" a \n\t b\u00a0c ")[1:] == (5, 5)
    assert measure("é ế")[1:] == (3, 6)


@given(st.text(st.characters(max_codepoint=127)))
def test_the_fast_count_of_ascii_equals_the_rule(text: str) -> None:
    assert measure(text) == _measure_any(text)


def test_the_examples() -> None:
    assert doctest.testmod(words).failed == 0
