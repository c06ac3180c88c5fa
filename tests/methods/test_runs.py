"""runs: the cleaned page and the codes."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bodytext import extract, parse
from bodytext.methods.finn import best_stretch
from bodytext.methods.runs import DROPPED, Runs, clean, encode

TOKENS = st.lists(st.sampled_from((1, -1)), min_size=1, max_size=60)


def least_sum(values: list[int]) -> int:
    """The sum of the stretch with the most words (negative) and the fewest tags, by trying all."""
    return min(sum(values[i : j + 1]) for i in range(len(values)) for j in range(i, len(values)))


def test_two_tags_and_five_words_are_2_minus_5() -> None:
    assert encode([1, 1, -1, -1, -1, -1, -1]) == [2, -5]


@given(TOKENS)
def test_codes_alternate_and_keep_the_tokens(tokens: list[int]) -> None:
    codes = encode(tokens)
    assert [np.sign(code) for code in codes for _ in range(abs(code))] == tokens
    assert all(a * b < 0 for a, b in pairwise(codes))


@given(TOKENS.filter(lambda tokens: -1 in tokens))
def test_the_optimum_over_codes_is_the_optimum_over_tokens(tokens: list[int]) -> None:
    codes = encode(tokens)
    assert least_sum(codes) == least_sum(tokens)
    tags = np.array(
        [max(0, code) for code in ([0, *codes] if codes[0] < 0 else codes)][::2], dtype=np.int32
    )
    words = np.array([-code for code in codes if code < 0], dtype=np.int32)
    first, stop = best_stretch(tags[: len(words)], words)
    assert int(tags[first + 1 : stop].sum() - words[first:stop].sum()) == least_sum(tokens)


def test_dropped_elements_leave_no_tag_and_no_word() -> None:
    page = parse(
        "<body><p>one<script>x</script><img><input><select><option>a<option>b</select>"
        "<style>p {}</style><marquee>News <b>now</b></marquee><iframe>x</iframe><p>two</p>"
    )
    tags, words = clean(page)
    assert words[words > 0].tolist() == [1, 1]
    assert tags[words > 0].tolist() == [2, 1]


def test_nothing_but_the_documents_list_is_dropped() -> None:
    named = {"input", "script", "img", "marquee", "iframe", "select", "option"}
    assert set(DROPPED) == named | {"style"}
    tags, words = clean(parse("<p>one<noscript><b>two</b></noscript><svg><path/></svg>three"))
    assert words.sum() == 3
    assert tags.sum() == 8


def test_tags_never_become_negative() -> None:
    page = parse(
        "<div><button><span>x</span></button><textarea>y</textarea></div></select></svg>z<marquee>m</marquee>"
    )
    assert clean(page)[0].min() >= 0


def test_all_tags_leave_the_text() -> None:
    document = extract(
        "<p>some <b>bold</b> &lt;words&gt; and <i>others</i> that follow", method=Runs()
    )
    assert str(document) == "some bold <words> and others that follow"
