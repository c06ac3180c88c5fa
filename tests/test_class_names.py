"""The words of class names: their topics, found in one pass, are those of a plain search."""

import re
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bodytext.kernel.class_names import TOPIC_NAMES, TOPIC_WORDS
from bodytext.kernel.letters import LONGEST_CLASS
from example_counts import some_of
from kernel_twins import import_both

KERNELS = import_both("clues")

WORDS = sorted({word for words in TOPIC_WORDS.values() for word in words.split()})
names = st.lists(
    st.one_of(
        st.sampled_from(WORDS).map(lambda word: word.replace("|", "-")),
        st.sampled_from(WORDS).map(lambda word: word.replace("|", "").title()),
        st.sampled_from(["-", "_", " ", "__", "1", "s", "ad", "er", "X", "é", "Ad", "head"]),
        st.text(max_size=3),
    ),
    max_size=5,
).map("".join)


def topics(kernel: ModuleType, name: str) -> set[str]:
    bits = kernel.read_topics(name.encode())
    return {topic for number, topic in enumerate(TOPIC_NAMES) if bits >> number & 1}


def search(name: str) -> set[str]:
    """The topics by plain search, an edge for each byte that is no letter."""
    data = re.sub(rb"(?<=[a-z])(?=[A-Z])", b"|", name.encode()[:LONGEST_CLASS]).lower()
    text = "|" + re.sub(rb"[^a-z]", b"|", data).decode() + "|"
    return {
        topic for topic, words in TOPIC_WORDS.items() if any(word in text for word in words.split())
    }


def test_words_are_letters_and_edges() -> None:
    assert all(re.fullmatch(r"\|?[a-z]+(\|[a-z]+)*\|?", word) for word in WORDS)
    assert len(TOPIC_NAMES) <= 64  # bits of a number


def test_no_word_is_in_a_topic_twice() -> None:
    assert all(len(words.split()) == len(set(words.split())) for words in TOPIC_WORDS.values())


@pytest.mark.parametrize("kernel", KERNELS)
def test_every_word_is_found(kernel: ModuleType) -> None:
    for topic, words in TOPIC_WORDS.items():
        for word in words.split():
            assert topic in topics(kernel, word.replace("|", "-"))


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("", set()),
        ("q", set()),
        ("ad", {"advert"}),
        ("page ad-1", {"entry", "advert"}),
        ("shadow", set()),
        ("usercomments", {"user", "comment"}),
        ("userComments", {"user", "comment"}),
        ("USERCOMMENTS", {"user", "comment"}),
        ("sr-only", {"hidden"}),
        ("sr--only", set()),
        ("articleBody", {"article", "body"}),
        ("http://schema.org/Product", {"product"}),
    ],
)
def test_topics_of_names(kernel: ModuleType, name: str, expected: set[str]) -> None:
    assert topics(kernel, name) == expected


@pytest.mark.parametrize("kernel", KERNELS)
def test_the_end_of_a_long_name_is_not_read(kernel: ModuleType) -> None:
    assert topics(kernel, "q" * (LONGEST_CLASS - 7) + " footer") == {"footer"}
    assert topics(kernel, "q" * (LONGEST_CLASS - 6) + " footer") == set()


@pytest.mark.slow
@pytest.mark.parametrize("kernel", KERNELS)
@given(name=names)
@settings(max_examples=some_of(300), deadline=None)
def test_as_by_plain_search(kernel: ModuleType, name: str) -> None:
    assert topics(kernel, name) == search(name)
