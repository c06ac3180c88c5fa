"""JSON-LD: broken JSON is read as far as it goes, once for each page, and no page takes long."""

import json
import pickle
import time
import tracemalloc
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bodytext import parse
from bodytext.diagnosis import diagnose
from bodytext.page.json_ld import MOST_CHARACTERS, json_ld, may_hold, of_type, types_of
from bodytext.page.lenient_json import DEEPEST, read_values
from bodytext.views.comments import find_posts
from bodytext.views.hidden_text import hidden_text
from bodytext.views.metadata import read_metadata
from example_counts import some_of


def linked(*texts: str) -> list[dict[str, Any]]:
    """The JSON-LD objects of a page with these scripts."""
    return list(
        json_ld(
            parse("".join(f'<script type="application/ld+json">{text}</script>' for text in texts))
        )
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a": 1}', [{"a": 1}]),
        ('\ufeff\n{"a": 1};\n', [{"a": 1}]),
        ('{"a": "two\nlines\tand \x01"}', [{"a": "two\nlines\tand \x01"}]),
        ('{"a": [1, 2,], "b": {},}', [{"a": [1, 2], "b": {}}]),
        ('<!-- {"a": 1} -->', [{"a": 1}]),
        ('//<![CDATA[\n{"a": 1}\n//]]>', [{"a": 1}]),
        ('/*<![CDATA[*/{"a": [1]}/*]]>*/', [{"a": [1]}]),
        ("{&quot;a&quot;: &quot;b &amp;amp; c&quot;}", [{"a": "b &amp; c"}]),
        ('[{&#34;a&#34;: "b"}]', [[{"a": "b"}]]),
        ('{"a": 1}{"b": 2}\n[3]', [{"a": 1}, {"b": 2}, [3]]),
        ('{"a": [1, {"b": "cut o', [{"a": [1, {"b": "cut o"}]}]),
        ('{"a": "cut at an escape\\', [{"a": "cut at an escape"}]),
        ('{"a": 1, "a": 2}', [{"a": 2}]),
        ('{"a": "She said "no" to it", "b": 1}', [{"a": 'She said "no" to it', "b": 1}]),
        ('{"a": "b"\n"c": "d"}', [{"a": "b", "c": "d"}]),
        (
            "{a: 'it\\'s', \"b\": true, c: undefined, d: f(x), e: 1}",
            [{"a": "it's", "b": True, "c": None, "e": 1}],
        ),
        ('{"a": [1, 2, "b": 3}', [{"a": [1, 2, "b", 3]}]),
        ('{"a": {"b": [1, 2}, "c": 3}', [{"a": {"b": [1, 2]}, "c": 3}]),
        ('{"a": , "c", "d": 2}', [{"d": 2}]),
        ('{"a": "\\u00e9\\x41\\/\\q", }', [{"a": "éA/q"}]),
        ("7", []),
        ("", []),
        ("No data here.", []),
    ],
)
def test_broken_json_is_read_as_far_as_it_goes(text: str, expected: list[Any]) -> None:
    assert read_values(text) == expected


@pytest.mark.parametrize("end", ["}", ",}"])  # good JSON and broken JSON: two readers
def test_lone_surrogates_are_replaced(end: str) -> None:
    text = '{"a": "\\ud83d\\ude00 \\ud83d \\\\ud83d \\ude00"' + end
    assert read_values(text) == [{"a": "😀 \ufffd \\ud83d \ufffd"}]


@pytest.mark.parametrize("end", ["}", ",}"])
def test_numbers_are_finite(end: str) -> None:
    text = (
        '{"a": '
        + "9" * 5_000
        + ', "b": 1e999, "c": NaN, "d": -Infinity, "e": -12, "f": 2.5e1'
        + end
    )
    read = read_values(text)[0]
    assert [read.get(key) for key in "abcdef"] == [None, None, None, None, -12, 25.0]


@pytest.mark.slow
@pytest.mark.parametrize("levels", [DEEPEST - 1, DEEPEST, DEEPEST + 1, 500, 100_000])
@pytest.mark.parametrize("closed", [True, False])
def test_depth_is_bounded(levels: int, closed: bool) -> None:
    for text in (
        "[" * levels + "]" * levels * closed,
        '{"a":' * levels + "1" + "}" * levels * closed,
    ):
        (value,) = read_values(text)
        depth = 0
        while isinstance(value, dict | list):
            depth += 1
            value = next(iter(value.values() if isinstance(value, dict) else value), None)
        assert depth == min(levels, DEEPEST)


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit",
    [
        "[",
        '{"a":',
        '"',
        '["" ,',
        '"\n',
        "\\",
        '["\\',
        '{"a"',
        "}",
        "[}",
        "<!--",
        " ",
        "'",
        "1",
        "\\ud800",
        "&quot;",
        '{"',
    ],
)
@pytest.mark.parametrize("start", ["", '["', "{", "[", '{"a": "'])
def test_reading_is_linear(unit: str, start: str) -> None:
    began = time.process_time()
    read_values(start + unit * (200_000 // len(unit)))
    assert time.process_time() - began < 2


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**9), 10**9)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text("abc", max_size=3), inner, max_size=4)
    ),
    max_leaves=20,
)


@pytest.mark.slow
@settings(max_examples=some_of(200), deadline=None)
@given(st.lists(values, max_size=4), st.booleans())
def test_good_json_is_read_as_the_standard_says(value: list[Any], plain: bool) -> None:
    text = json.dumps(value, ensure_ascii=plain)
    assert read_values(text) == [value]


@pytest.mark.slow
@settings(max_examples=some_of(300), deadline=None)
@given(
    st.lists(
        st.sampled_from(["{", "}", "[", "]", ",", ":", '"', "'", "\\", "a", "\n", "1", "\\ud83d"])
        | st.text()
    )
)
def test_any_text_can_be_read(parts: list[str]) -> None:
    for value in read_values("".join(parts)):
        assert isinstance(value, dict | list)
        json.dumps(value, ensure_ascii=False).encode()


def test_scripts_are_found_in_order_whatever_the_case_of_their_type() -> None:
    page = parse(
        '<SCRIPT TYPE=\' Application/LD+JSON; charset=utf-8 \'>{"a": 1}</SCRIPT><script>{"b": 1}</script>'
        '<p>text<script type=application/ld+json>[{"c": 1}, [{"d": "</p>"}], 5]</script>'
    )
    assert json_ld(page) == ({"a": 1}, {"c": 1}, {"d": "</p>"})


def test_graphs_are_flattened() -> None:
    assert linked(
        '{"@context": "x", "@graph": [{"a": 1}, {"@graph": {"b": 1}}]}',
        '{"@type": "Person", "@graph": [{"c": 1}]}',
        '{"@type": "Odd", "@graph": 7}',
    ) == [{"a": 1}, {"b": 1}, {"@type": "Person"}, {"c": 1}, {"@type": "Odd", "@graph": 7}]


def test_one_broken_script_does_not_hide_the_next() -> None:
    assert linked('{"a": "', '{"b": 1}') == [{"a": ""}, {"b": 1}]


def test_a_flood_of_data_is_cut() -> None:
    text = '{"a": "' + "x" * (MOST_CHARACTERS - 20) + '"}'
    assert [len(item["a"]) for item in linked(text, text, text) if "a" in item] == [
        MOST_CHARACTERS - 20,
        4,
    ]


def test_objects_of_a_type_are_found_inside_others() -> None:
    objects = linked(
        '{"@type": "WebPage", "mainEntity": {"@type": ["Thing", "http://schema.org/Question"], "n": 1,'
        ' "acceptedAnswer": [{"@type": "schema:Answer", "n": 2}]}, "about": {"@type": 5}}',
        '{"@type": "https://schema.org/QUESTION", "n": 3}',
    )
    assert [item["n"] for item in of_type(objects, "Question", "Answer")] == [1, 2, 3]
    assert not list(of_type(objects, "Article"))


@pytest.mark.parametrize("value", [None, 7, {}, [], "", " ", [None, {}]])
def test_an_odd_type_is_no_type(value: Any) -> None:
    assert types_of({"@type": value}) == []


def test_a_page_is_read_once_however_many_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    texts: list[str] = []

    def count(text: str) -> list[Any]:
        texts.append(text)
        return read_values(text)

    monkeypatch.setattr("bodytext.page.json_ld.read_values", count)
    page = parse('<script type=application/ld+json>{"@type": "Article"}</script><p>text')
    read_metadata(page)
    find_posts(page)
    hidden_text(page)
    diagnose(page, np.zeros(0, dtype=np.intp))
    assert texts == ['{"@type": "Article"}']
    assert json_ld(page) is json_ld(page)
    assert json_ld(pickle.loads(pickle.dumps(page))) == json_ld(page)  # noqa: S301 - our own
    assert json_ld(replace(page, url="https://example.com/")) == json_ld(page)


WORDS = (b"mment", b"swer")


@pytest.mark.parametrize(
    "text",
    [
        '{"@type": "Comment"}',
        '{"@type": "cOMmENT"}',
        '{"@type": ["Thing", "schema:Answer"]}',
        r'{"@type": "\u0043om\u006Dent"}',
        r'{"@type": "Com\x6dent"}',
        r'{"@type": "Com\ment",}',
        '{"@type": "Com\\\nment",}',
        '{"@type": "Com\0ment"}',
        "{&quot;@type&quot;: &quot;Com&#109;ent&quot;}",
    ],
)
def test_words_of_json_ld_are_sought_however_they_are_written(text: str) -> None:
    page = parse(f'<script type="application/ld+json">{text}</script>')
    (item,) = json_ld(page)
    assert types_of(item)[-1].lower() in {"comment", "answer"}
    assert may_hold(page, WORDS)


@pytest.mark.parametrize(
    "text",
    [
        "",
        '{"@type": "Article", "name": "Com ment"}',
        r'{"url": "https:\/\/a.example\/", "name": "\"a\"\n\u00e9 \u003cb&#109;"}',
        '{"name": "comment"}</script><script type="application/ld+json">{"name": "b"}',
    ],
)
def test_json_ld_without_the_words_is_not_read_for_them(text: str) -> None:
    page = parse(f'<script type="application/ld+json">{text}</script><script>"comment"</script>')
    assert may_hold(page, WORDS) == ("comment" in text)
    assert not may_hold(parse("<p>comment"), WORDS)


WAYS = (
    "{0}",
    "{1}",
    "\\u00{2:02x}",
    "\\u00{2:02X}",
    "\\x{2:x}",
    "\\{0}",
    "\\{1}",
    "\\\n{0}",
    "\0{0}",
)


@given(
    st.sampled_from(["comment", "answer"]),
    st.lists(st.sampled_from(WAYS), min_size=7, max_size=7),
    st.sampled_from(["", ","]),
)
@settings(max_examples=some_of(300), deadline=None)
def test_no_type_is_overlooked(name: str, ways: list[str], rest: str) -> None:
    letters = zip(ways, name, strict=False)
    written = "".join(way.format(one, one.upper(), ord(one)) for way, one in letters)
    page = parse(f'<script type="application/ld+json">{{"@type": "{written}"{rest}}}</script>')
    assert may_hold(page, WORDS) or not list(of_type(json_ld(page), name))


def test_long_strings_of_broken_json_take_little_memory() -> None:
    text = f'{{"a": "{"x" * 200_000}", "b": \'{"x" * 200_000}\','
    read_values(text)
    tracemalloc.start()
    (value,) = read_values(text)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [len(value[name]) for name in "ab"] == [200_000, 200_000]
    assert peak < 5 * len(text)


def test_the_type_of_a_script_may_have_any_capitals() -> None:
    page = parse('<script type="application/ld+jSON">{"a": 1}</script><p>text')
    assert json_ld(page) == ({"a": 1},)
