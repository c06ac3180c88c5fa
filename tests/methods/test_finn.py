"""finn: the published objective, against the literal search."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bodytext import parse
from bodytext.methods.finn import Finn, best_stretch
from bodytext.page.tables import Column

TAG, WORD = 1, 0


def objective(bits: list[int], i: int, j: int) -> int:
    """The document's T(i, j), word for word: three sums."""
    return sum(bits[:i]) + sum(1 - bit for bit in bits[i : j + 1]) + sum(bits[j + 1 :])


def search_literally(bits: list[int]) -> tuple[int, int, int]:
    """The best T with the longest, then the earliest stretch that reaches it."""
    pairs = [(i, j) for i in range(len(bits)) for j in range(i, len(bits))]
    return max((objective(bits, i, j), j - i, -i) for i, j in pairs)


def tables(bits: list[int]) -> tuple[Column, Column]:
    """The tags before and the words in each run of a token sequence."""
    tags: list[int] = []
    words: list[int] = []
    waiting = 0
    for position, bit in enumerate(bits):
        if bit == TAG:
            waiting += 1
        elif position and bits[position - 1] == WORD:
            words[-1] += 1
        else:
            tags.append(waiting)
            words.append(1)
            waiting = 0
    return np.array(tags, dtype=np.int32), np.array(words, dtype=np.int32)


def stretch_of_tokens(bits: list[int]) -> tuple[int, int]:
    """The one-pass result as token positions."""
    tags, words = tables(bits)
    first, stop = best_stretch(tags, words)
    before = int(tags[: first + 1].sum() + words[:first].sum())
    after = int(tags[:stop].sum() + words[:stop].sum())
    return before, after - 1


@given(
    st.lists(st.sampled_from((TAG, WORD)), min_size=1, max_size=40).filter(
        lambda bits: WORD in bits
    )
)
def test_one_pass_equals_the_literal_search(bits: list[int]) -> None:
    i, j = stretch_of_tokens(bits)
    assert (objective(bits, i, j), j - i, -i) == search_literally(bits)


def test_thousands_of_random_sequences() -> None:
    random = np.random.default_rng(1)
    for _ in range(3000):
        bits = random.integers(0, 2, random.integers(1, 14)).tolist()
        if WORD in bits:
            i, j = stretch_of_tokens(bits)
            assert (objective(bits, i, j), j - i, -i) == search_literally(bits)


def test_no_words_no_stretch() -> None:
    empty = np.zeros(0, dtype=np.int32)
    assert best_stretch(empty, empty) == (0, 0)


def test_the_plateau_is_kept_and_the_menus_are_not() -> None:
    page = parse(
        "<ul><li><a>one</a><li><a>two</a><li><a>three</a></ul>"
        "<p>many words that stand together without a tag between them at all</p><p>and a second paragraph of words</p>"
        "<ul><li><a>four</a><li><a>five</a></ul>"
    )
    assert Finn().score(page).values.tolist() == [0, 0, 0, 1, 1, 0, 0]


def test_script_and_style_are_no_words() -> None:
    page = parse(
        "<script>"
        + "word " * 50
        + "</script><style>"
        + "word " * 50
        + "</style><p>the only text here</p>"
    )
    assert Finn().score(page).values.tolist() == [1]
