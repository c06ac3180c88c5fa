"""The phrases of noise: which texts they are, and what their file may look like."""

from pathlib import Path

import pytest

from bodytext.methods.noise_phrases import (
    find_words,
    index_phrases,
    is_noise_phrase,
    read_phrases,
)

PHRASES = index_phrases(["share this", "written by ...", "0 min read"])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Share this", True),
        ("SHARE THIS!", True),
        ("Share this lamp", False),
        ("Written by Anna", True),
        ("Written by", False),  # the first words of nothing
        ("12 min read", True),
        ("", False),
        ("Share", False),
    ],
)
def test_a_whole_text_or_its_first_words_must_match(text: str, expected: bool) -> None:
    assert is_noise_phrase(text, PHRASES) is expected


def test_the_file_has_comments_and_phrases(tmp_path: Path) -> None:
    path = tmp_path / "phrases.txt"
    path.write_text("# English\nshare this\n\nwritten by ...\n", "utf-8")
    assert read_phrases(str(path)) == ["share this", "written by ..."]


def test_our_phrases_can_be_found() -> None:
    phrases = read_phrases()
    assert len(phrases) > 100
    for phrase in phrases:
        text = phrase.removesuffix(" ...")
        assert " ".join(find_words(text)) == text
        assert is_noise_phrase(f"{text} x" if text != phrase else text)
