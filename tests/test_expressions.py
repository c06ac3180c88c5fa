"""Regular expressions mean the same in every version of Python that is allowed, and are linear."""

import re
import time
from collections.abc import Callable, Iterator
from re import _constants, _parser  # type: ignore[attr-defined]
from typing import Any

import pytest

from bodytext.corpus.stages.c4 import RULES
from bodytext.corpus.stages.quality_rule import QualitySample
from bodytext.reader.analysis.sentences import split_sentences
from bodytext.sources.archived_response import charset_of
from bodytext.sources.fetch.response import HttpResponse
from bodytext.studio.service.extraction_request import read_request
from bodytext.views.hidden_text.prose import to_markup
from expressions import OWN_TEXT, Use, list_modules, list_unread, list_uses
from long_texts import MOST_GROWTH, find_growth, parts_of

SINGLE = {_constants.LITERAL, _constants.NOT_LITERAL, _constants.ANY, _constants.IN}
# Matched with a position, but the caller stops or goes elsewhere where there is no match.
STOPS = {
    "bodytext.kernel.scanner._COMMENT",
    "bodytext.kernel.attributes._EQUALS",  # the caller skips the blanks itself
    "bodytext.page.encoding.prescan._ATTRIBUTE",
    "bodytext.sources.archived_response._CHUNK_SIZE",
    "bodytext.sources.listings.lenient_xml._REST",
    "bodytext.studio.training.page_edits._CLOSING",
}


def repeated_groups(tree: Any) -> Iterator[Any]:
    """Yield what a possessive quantifier repeats, if that is more than a single character."""
    for operator, value in tree:
        if operator is _constants.POSSESSIVE_REPEAT and (
            len(value[2]) != 1 or value[2][0][0] not in SINGLE
        ):
            yield value[2]
        for part in parts_of(value):
            yield from repeated_groups(part)


def test_possessive_quantifiers_repeat_single_characters_alone() -> None:
    """Python 3.11.2, which Debian 12 has, mistakes what is captured in a possessive group.

    An atomic group around the repetition says the same, and every version understands it.
    """
    expressions = {expression for module in list_modules() for expression in module.compiled}
    expressions |= {(use.pattern, use.flags) for use in list_uses()}
    assert len(expressions) > 200
    wrong = [
        pattern
        for pattern, flags in expressions
        if any(repeated_groups(_parser.parse(pattern, flags)))
    ]
    assert wrong == []


def test_the_check_finds_possessive_groups() -> None:
    assert list(repeated_groups(_parser.parse(r"x((?:a(b)?)*+)", 0)))
    assert not list(repeated_groups(_parser.parse(r"x(?>(?:a(b)?)*)[cd]*+e?+", 0)))


@pytest.mark.slow
def test_every_expression_is_linear() -> None:
    uses = list_uses()
    assert len(uses) > 300
    slow = []
    for use in sorted(uses, key=lambda use: (use.place, str(use.pattern), use.way)):
        if use.way == "match on" and use.place in STOPS:
            continue
        growth, text = find_growth(use)
        if text:
            slow.append(f"{use.place}: {use.way} {use.pattern!r} takes {growth:.0f} times: {text}")
    assert not slow, "\n".join(slow)


def test_every_expression_is_found() -> None:
    """An expression that a function makes of its variables needs values for them."""
    assert list_unread() == OWN_TEXT


@pytest.mark.slow
@pytest.mark.parametrize(
    ("pattern", "way"),
    [
        (r"\s*\n\s*", "split"),
        (r"\s*+\n\s*+", "split"),  # possessive, yet tried at each of the blanks
        (r"charset\s*=\s*[\"']?\s*([\w.:+-]{1,40})", "match"),
        (r"[.!?]+(?=[\"']*(?:\s|$))", "findall"),
        (r"<pre>.*?</pre>", "sub"),
        (rb"<script[^>]*ld\+json[^>]*>", "search"),
        (r"(?:dt |dd )+x", "search"),
        (r"(\d[\d,]*) of (\d[\d,]*)", "search"),
        (r"[\s#]++$", "sub"),
        (r"(?:a|a)*b", "match"),
        (r"(?:\w+\s?)*$", "fullmatch"),
        (r"\s*;", "match on"),
    ],
)
def test_the_check_finds_expressions_that_are_not_linear(pattern: str | bytes, way: str) -> None:
    growth, text = find_growth(Use(pattern, 0, way, ""))
    assert growth > MOST_GROWTH
    assert text


@pytest.mark.parametrize(
    ("pattern", "way"),
    [
        (r"(?<!\s)[^\S\n]*+\n\s*+", "split"),
        (r"charset\s*+=\s*+[\"']?\s*+([\w.:+-]{1,40})", "search"),
        (r"<[^<>]{0,500}>", "sub"),
        (r"\s*;", "match"),
        (r"\w+|\s+", "match on"),
    ],
)
def test_the_check_accepts_linear_expressions(pattern: str, way: str) -> None:
    assert find_growth(Use(pattern, int(re.IGNORECASE), way, "")) == (0.0, None)


def _split_article_body(size: int) -> None:
    to_markup("A sentence" + " " * size + "x")


def _read_requested_charset(size: int) -> None:
    headers = {"content-type": "text/html; charset=" + " " * size}
    assert read_request(headers, {}, b"<p>A page").charset == ""


def _read_fetched_charset(size: int) -> None:
    headers = {"content-type": "text/html; charset=" + " " * size}
    assert HttpResponse("http://a.example/", 200, b"", headers).charset == ""


def _read_archived_charset(size: int) -> None:
    assert charset_of("text/html; charset=" + " " * size) == ""


def _split_full_stops(size: int) -> None:
    assert split_sentences("." * size + "x") == [(0, size + 1)]


def _join_lines(size: int) -> None:
    line = "aa bb cc dd ee\n"
    assert len(split_sentences(line * (size // len(line)))) == 1


def _count_full_stops(size: int) -> None:
    sample = QualitySample("." * size + "x", "en")
    assert [rule.measure(sample) for rule in RULES if rule.name == "c4-sentences"] == [0]


@pytest.mark.parametrize(
    "work",
    [
        _split_article_body,
        _read_requested_charset,
        _read_fetched_charset,
        _read_archived_charset,
        _split_full_stops,
        _join_lines,
        _count_full_stops,
    ],
)
def test_long_rows_take_linear_time(work: Callable[[int], None]) -> None:
    small, large = (_best_time(work, size) for size in (32_000, 128_000))
    assert large < MOST_GROWTH * max(small, 0.01)


def _best_time(work: Callable[[int], None], size: int) -> float:
    """CPU seconds of the fastest of several runs."""
    times = []
    for _ in range(3):
        start = time.thread_time()
        work(size)
        times.append(time.thread_time() - start)
    return min(times)
