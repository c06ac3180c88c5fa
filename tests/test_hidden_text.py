"""What a page carries in its scripts: broken JSON is read as far as it goes, and no page makes the reading crawl."""

import json
import time
from html import escape
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bodytext import parse
from bodytext.page.json_ld import MOST_CHARACTERS, json_ld, of_type, types_of
from bodytext.page.lenient_json import DEEPEST, read_values
from bodytext.views.hidden_text import hidden_text
from bodytext.views.hidden_text import script_state as state


def linked(*texts: str) -> list[dict[str, Any]]:
    """The JSON-LD objects of a page with these scripts."""
    return list(json_ld(parse("".join(f'<script type="application/ld+json">{text}</script>' for text in texts))))


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
        ("{a: 'it\\'s', \"b\": true, c: undefined, d: f(x), e: 1}", [{"a": "it's", "b": True, "c": None, "e": 1}]),
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
def test_halves_of_characters_are_replaced(end: str) -> None:
    text = '{"a": "\\ud83d\\ude00 \\ud83d \\\\ud83d \\ude00"' + end
    assert read_values(text) == [{"a": "😀 \ufffd \\ud83d \ufffd"}]


@pytest.mark.parametrize("end", ["}", ",}"])
def test_numbers_are_finite(end: str) -> None:
    text = '{"a": ' + "9" * 5_000 + ', "b": 1e999, "c": NaN, "d": -Infinity, "e": -12, "f": 2.5e1' + end
    read = read_values(text)[0]
    assert [read.get(key) for key in "abcdef"] == [None, None, None, None, -12, 25.0]


@pytest.mark.parametrize("levels", [DEEPEST - 1, DEEPEST, DEEPEST + 1, 500, 100_000])
@pytest.mark.parametrize("closed", [True, False])
def test_depth_is_bounded(levels: int, closed: bool) -> None:
    for text in ("[" * levels + "]" * levels * closed, '{"a":' * levels + "1" + "}" * levels * closed):
        (value,) = read_values(text)
        depth = 0
        while isinstance(value, dict | list):
            depth += 1
            value = next(iter(value.values() if isinstance(value, dict) else value), None)
        assert depth == min(levels, DEEPEST)


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
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("abc", max_size=3), inner, max_size=4),
    max_leaves=20,
)


@settings(max_examples=200, deadline=None)
@given(st.lists(values, max_size=4), st.booleans())
def test_good_json_is_read_as_the_standard_says(value: list[Any], plain: bool) -> None:
    text = json.dumps(value, ensure_ascii=plain)
    assert read_values(text) == [value]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(["{", "}", "[", "]", ",", ":", '"', "'", "\\", "a", "\n", "1", "\\ud83d"]) | st.text()))
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
    one = '{"a": "' + "x" * (MOST_CHARACTERS - 20) + '"}'
    assert [len(found["a"]) for found in linked(one, one, one) if "a" in found] == [MOST_CHARACTERS - 20, 4]


def test_objects_of_a_type_are_found_inside_others() -> None:
    objects = linked(
        '{"@type": "WebPage", "mainEntity": {"@type": ["Thing", "http://schema.org/Question"], "n": 1,'
        ' "acceptedAnswer": [{"@type": "schema:Answer", "n": 2}]}, "about": {"@type": 5}}',
        '{"@type": "https://schema.org/QUESTION", "n": 3}',
    )
    assert [one["n"] for one in of_type(objects, "Question", "Answer")] == [1, 2, 3]
    assert not list(of_type(objects, "Article"))


@pytest.mark.parametrize("said", [None, 7, {}, [], "", " ", [None, {}]])
def test_an_odd_type_is_no_type(said: Any) -> None:
    assert types_of({"@type": said}) == []


SENTENCES = (
    "Nobody on the island had asked for a new harbour, and yet the stones arrived every morning by boat. "
    "By noon the wall was as high as a child, and by evening the tide had taken a third of it away again. "
)
GERMAN = "Niemand auf der Insel hatte einen neuen Hafen gewollt, und doch kamen jeden Morgen Steine mit dem Boot. "
CHINESE = "岛上没有人要求修建新的港口，可是每天早晨石头都会随船运到。到了中午，墙已经有孩子那么高了。"
LONG = SENTENCES * 4  # enough for every source


def hidden(markup: str) -> str:
    """The hidden text of a page, blocks apart by lines; or nothing."""
    found = hidden_text(parse(markup))
    return "\n".join(parse(found.html).texts()) if found else ""


def origin(markup: str) -> str:
    found = hidden_text(parse(markup))
    return found.origin if found else ""


def script(value: Any, attributes: str = "type=application/json") -> str:
    return f"<script {attributes}>" + json.dumps(value).replace("</", "<\\/") + "</script>"


@pytest.mark.parametrize("text", [LONG, GERMAN * 6, CHINESE * 6])
def test_an_article_body_in_json_ld(text: str) -> None:
    page = script({"@type": "NewsArticle", "articleBody": f"{text}\n\nThe end & more."}, "type=application/ld+json")
    assert hidden(page) == f"{text.strip()}\nThe end & more."
    assert origin(page) == "JSON-LD articleBody"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"<p>{SENTENCES}</p><p>Ende</p>", f"{SENTENCES.strip()}\nEnde"),
        (f"&lt;p&gt;{SENTENCES}&lt;/p&gt;&lt;p&gt;Ende&lt;/p&gt;", f"{SENTENCES.strip()}\nEnde"),
        (f"{SENTENCES}\nTom &amp; Jerry, 1 < 2", f"{SENTENCES.strip()}\nTom & Jerry, 1 < 2"),
    ],
)
def test_strings_may_be_markup_or_text(text: str, expected: str) -> None:
    assert hidden(script({"@type": "Product", "description": text}, "type=application/ld+json")) == expected


def test_a_question_comes_with_its_answers() -> None:
    data = {
        "@type": "QAPage",
        "mainEntity": {
            "@type": "Question",
            "name": "Why a wall?",
            "text": SENTENCES,
            "acceptedAnswer": {"@type": "Answer", "text": "First. " + SENTENCES, "author": {"name": "A"}},
            "suggestedAnswer": [{"@type": "Answer", "text": "No."}, {"@type": "Answer", "text": "No."}],
        },
    }
    lines = hidden(script(data, "type=application/ld+json")).split("\n")
    assert lines == ["Why a wall?", SENTENCES.strip(), f"First. {SENTENCES.strip()}", "No."]


def test_a_recipe_comes_with_its_steps() -> None:
    data = {
        "@type": "Recipe",
        "description": SENTENCES,
        "recipeIngredient": ["2 eggs", 7, "salt"],
        "recipeInstructions": [{"@type": "HowToSection", "name": "Dough", "itemListElement": [{"text": "Knead."}]}],
    }
    lines = hidden(script(data, "type=application/ld+json")).split("\n")
    assert lines == [SENTENCES.strip(), "2 eggs", "salt", "Dough", "Knead."]


STATE = {
    "locale": {"messages": {"welcome": LONG, "bye": LONG}},
    "theme": ".a{color:red} " * 100,
    "related": [{"body": LONG * 9}],
    "page": {"title": "Harbour", "posts": [{"id": n, "body": f"<p>{n} {LONG}</p>"} for n in (1, 2)]},
}
POSTS = f"1 {LONG.strip()}\n2 {LONG.strip()}"


@pytest.mark.parametrize(
    "page",
    [
        script(STATE),
        script(STATE, "id=__NEXT_DATA__ type='application/json; charset=utf-8'"),
        f"<script>window.__INITIAL_STATE__ = {json.dumps(STATE)};(function(){{var a={{}};}})()</script>",
        f"<script>var a = 1; window['__STATE__'] = JSON.parse({json.dumps(json.dumps(STATE))});</script>",
        f"<script>window.__NUXT__=(function(a,b){{return {{data:[{json.dumps(STATE)}],x:a}}}}(1,2));</script>",
        f"<div id=data data-preloaded='{escape(json.dumps({'topic_1': json.dumps(STATE)}))}'></div>",
    ],
)
def test_the_largest_set_of_prose_in_the_page_state(page: str) -> None:
    assert hidden(page) == POSTS
    found = hidden_text(parse(page))
    assert found
    assert (found.origin, found.whole) == ("page state", True)
    assert 0 <= found.start < found.end <= len(page.encode())


def test_paragraphs_of_a_tree_stay_in_order() -> None:
    tree = [
        {"type": "heading", "content": [{"text": "Harbour"}]},
        {"type": "paragraph", "content": [{"text": LONG}]},
        {"type": "list", "content": [{"type": "item", "content": [{"text": "A short item"}]}]},
        {"type": "paragraph", "content": [{"text": GERMAN}]},
    ]
    assert hidden(script({"body": {"content": tree}})).split("\n") == [
        "Harbour",
        LONG.strip(),
        "A short item",
        GERMAN.strip(),
    ]


@pytest.mark.parametrize(
    "page",
    [
        "",
        script({"i18n": {"cookies": LONG}}),
        script({"config": {"text": LONG}, "privacyPolicy": {"text": LONG}}),
        script({"messages": {f"page.{n}.help": f"{SENTENCES} {n}" for n in range(20)}}),
        script({f"page.{n}.help": f"{SENTENCES} {n}" for n in range(20)}),
        script({"text": "Hello %{name}, you have {count} new messages from your friends on the island. " * 20}),
        script({"css": ".harbour > .wall { margin: 0 auto; } " * 50, "icon": "<svg><path d='M0 0'></svg>" * 50}),
        script({"text": "https://example.com/a/b/c?d=e " * 50, "token": "eyJhbGciOiJIUzI1NiJ9" * 50}),
        script({"text": "Too short to be a page."}),
        f"<script>function show() {{ alert('{SENTENCES}'); }}</script>",
        "<noscript>You need to enable JavaScript to run this app.</noscript>",
        "<div hidden><ul>"
        + "<li><a href=/>One page of many others in this menu, and a long name</a>" * 40
        + "</ul></div>",
        script({"@type": "Organization", "description": LONG}, "type=application/ld+json"),
    ],
)
def test_what_is_no_body_text_is_left_alone(page: str) -> None:
    assert hidden(page) == ""


@pytest.mark.parametrize(
    ("opening", "closing", "expected"),
    [
        ("<noscript>", "</noscript>", "noscript"),
        ("<div hidden id=S:0>", "</div>", "hidden"),
        ("<main style='display: none'>", "</main>", "hidden"),
        ("<template>", "</template>", "template"),
    ],
)
def test_markup_that_is_not_shown_keeps_its_offsets(opening: str, closing: str, expected: str) -> None:
    html = f"<title>Häfen</title><p>Loading</p>{opening}<h1>Harbour</h1><p>{LONG}</p>{closing}<footer>©</footer>"
    found = hidden_text(parse(html))
    assert found
    assert (found.origin, found.whole) == (expected, False)
    inner = parse(found.html)
    assert inner.texts() == ["Harbour", LONG.strip()]
    assert inner.seen.all()
    assert html.encode()[inner.runs.start[0] : inner.runs.end[0]] == b"Harbour"
    assert html.encode()[found.start : found.end].startswith(b"<h1>")


def test_the_most_trusted_source_counts_unless_it_is_far_shorter() -> None:
    noscript = f"<noscript><p>{LONG}</p></noscript>"
    whole = script({"@type": "Article", "articleBody": LONG}, "type=application/ld+json")
    part = script({"@type": "Article", "articleBody": SENTENCES}, "type=application/ld+json")
    assert origin(noscript + whole) == "JSON-LD articleBody"
    assert origin(noscript + part) == "noscript"


@pytest.mark.parametrize(
    "page",
    [
        "<div hidden>" * 20_000 + LONG,
        "<template><noscript>" * 10_000 + LONG,
        "<div hidden>a</div>" * 20_000,
        "<div data-page='" + "[" * 200_000 + "'>",
        "<div data-page='{}'>" * 20_000,
        "<script>" + "a={" * 60_000 + "</script>",
        "<script>" + 'a={"b":[' * 40_000 + "</script>",
        "<script>__STATE__=" + "({" * 60_000 + "</script>",
        "<script type=application/json>" + '{"a":' * 60_000 + f'"{LONG}"' + "</script>",
        "<script type=application/json>[" + '"<<<<<< a b c. ",' * 20_000 + "</script>",
        "<script type=application/json>[" + f'{{"a":"{SENTENCES}"}},' * 1_000 + "</script>",
        "<script type=application/json>"
        + json.dumps({f"k{chr(97 + n % 26)}{'x' * (n // 26)}": LONG for n in range(500)}),
    ],
    ids=range(12),
)
def test_hidden_text_is_quick(page: str) -> None:
    parsed = parse(page)
    began = time.process_time()
    hidden_text(parsed)
    assert time.process_time() - began < 3


@pytest.mark.parametrize("cut", [0, 1, len(SENTENCES)])
def test_state_is_read_up_to_the_limit(cut: int, monkeypatch: pytest.MonkeyPatch) -> None:
    opening = '{"body": "'
    monkeypatch.setattr(state, "MOST_CHARACTERS", len(opening + LONG) - cut)
    page = f"<script type=application/json>{opening}{LONG}</script>" + script({"body": LONG * 2})
    assert hidden(page) == LONG[: len(LONG) - cut].strip()


def cpu_seconds(page: str) -> float:
    """What hidden_text takes: the best of three runs, as noise only ever adds."""
    parsed, times = parse(page), []
    for _ in range(3):
        began = time.process_time()
        hidden_text(parsed)
        times.append(time.process_time() - began)
    return min(times)


@pytest.mark.parametrize(
    ("before", "unit", "after"),
    [
        ("<div ", "data-page=1 ", ">a</div>"),
        ("<div title='", "data-page= ", "'>a</div>"),
        ("<script>", "=[[x", "</script>"),
        ("<script>", '=["a"x', "</script>"),
        ("<script>", '=JSON.parse("\\x', "</script>"),
    ],
)
def test_time_grows_with_the_data(before: str, unit: str, after: str) -> None:
    small, large = (cpu_seconds(before + unit * (size // len(unit)) + after) for size in (50_000, 200_000))
    assert large < max(6 * small, 0.1)  # what is quadratic takes 16 times as long


def test_data_behind_scripts_that_only_look_like_data() -> None:
    assert hidden("<script>" + 'a={"b":c};' * 100 + f"d={json.dumps(STATE)}</script>") == POSTS


def test_a_tag_may_carry_several_data_attributes() -> None:
    data = escape(json.dumps(STATE))
    assert hidden(f"<div data-page='{{}}' DATA-STATE='{data}' data-state='[]' title='data-props=1'>") == POSTS


pieces = st.sampled_from(
    """<script> <script~type=application/json> <script~type=application/ld+json> </script> <noscript> <template>
    </template> <div~hidden> </div> { } [ ] , "a": "@type":"Article","articleBody": window.__STATE__= \\ "
    <div~data-page='""".replace("~", "\t").split(" ")
)


@settings(max_examples=100, deadline=None)
@given(st.lists(pieces | st.sampled_from([json.dumps(LONG), f"<p>{LONG}"]) | st.text(max_size=5), max_size=30))
def test_hidden_text_of_any_page(parts: list[str]) -> None:
    page = parse("".join(parts))
    if found := hidden_text(page):
        assert parse(found.html).texts()
        assert 0 <= found.start <= found.end <= len(page.source)
