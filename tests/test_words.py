"""The word rule: examples in many scripts, and both ways of counting agree."""

import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bodytext.kernel import words
from bodytext.kernel.words import LETTER_OF, TABLE_SIZE, Letter, measure


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


def count_one_by_one(text: str) -> tuple[int, int, int]:
    """The rule, a character at a time."""
    seen = " ".join("".join(char for char in text if classify(char) != Letter.INVISIBLE).split())
    words, in_word = 0, False
    for letter in map(classify, seen):
        words += letter == Letter.WORD and not in_word
        if letter != Letter.SYMBOL:
            in_word = letter == Letter.WORD
    for letter, size in ((Letter.IDEOGRAPH, 2), (Letter.UNSPACED, 4)):
        words += -(-list(map(classify, seen)).count(letter) // size)
    return words, len(seen), len(seen.encode("utf-8", "surrogatepass"))


def classify(char: str) -> int:
    return LETTER_OF[ord(char)] if ord(char) < TABLE_SIZE else Letter.INVISIBLE


@pytest.mark.parametrize(
    "letters",
    [
        st.characters(max_codepoint=127),
        st.characters(),
        st.sampled_from(
            "ab1 -\n\u2014\u2019\xad\u200b\xa0\u6e2f\u306e\xe9\u0301\u0e44\u0e97\U0001f600"
        ),
    ],
)
@given(data=st.data())
def test_counting_by_expressions_follows_the_rule(
    letters: st.SearchStrategy[str], data: st.DataObject
) -> None:
    text = data.draw(st.text(letters))
    assert measure(text) == count_one_by_one(text)


def test_the_examples() -> None:
    assert doctest.testmod(words).failed == 0
