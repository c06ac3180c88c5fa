"""The features of a page: what the columns mean, by hand-computed values, in several scripts, on any input."""

import math
import time
from typing import Literal
from unicodedata import normalize

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bodytext import kernel as _kernel
from bodytext import parse
from bodytext.kernel.html import TAGS
from bodytext.methods.learned.features import block_names, page_names, read_features
from example_counts import some_of
from hostile_pages import KINDS

LATIN, GREEK, CYRILLIC, HEBREW, ARABIC = (
    "abcdefghijklmnopqrstuvwx", "αβγδεζηθικλμνξοπρςστυφχψ", "абвгдежзийклмнопрстуфхцч", "אבגדהוזחטיךכלםמןנסעףפץצק",
    "ابتثجحخدذرزسشصضطظعغفقكلم",
)  # fmt: skip
# Columns that count bytes, or the words of title and description, of which the shortest by bytes are left out.
BYTES = {
    "log bytes", "text share of source", "log source", "log title words", "log description words", "title share",
    "description share", "page bytes", "page bytes a word", "page title words", "page title words a word",
    "page description words", "page description words a word",
}  # fmt: skip

# Seconds that a quadratic step would miss by far: natively these pages take some hundredths.
LIMIT = 2 if _kernel.is_native("survey") else 10


def columns(html: str, *names: str, url: str = "") -> list[list[float]]:
    """Columns of the blocks of a page, by name."""
    rows = read_features(parse(html, url=url)).blocks
    return [rows[:, block_names().index(name)].tolist() for name in names]


def page_columns(html: str, *columns: str, url: str = "") -> list[float]:
    row = read_features(parse(html, url=url)).page[0]
    return [float(row[page_names().index(column)]) for column in columns]


def log(*counts: float) -> object:
    return pytest.approx([math.log1p(count) for count in counts], abs=1e-6)


# Names and shapes


# Source and text
def test_a_name_for_every_column() -> None:
    features = read_features(parse("<p>One</p><p>Two"))
    assert features.count == 2
    assert features.blocks.shape == (2, len(block_names()))
    assert features.page.shape == (1, len(page_names()))
    assert features.groups.shape == (3, 2)
    assert features.around.shape == (2, 2)
    assert len(set(block_names())) == len(block_names())
    assert [name for name in set(page_names()) if page_names().count(name) > 1] == ["page bytes"]


def test_a_page_without_blocks() -> None:
    features = read_features(parse("", url="https://example.org/"))
    assert features.count == 0
    assert features.blocks.shape == (0, len(block_names()))
    assert np.isfinite(features.page).all()


# What is in a block

FOX = (
    "<title>Red fox</title><meta name=description content='About the quick fox'>"
    "<h1>Red fox</h1><p>One two three four.</p><ul><li><a href=x>Link</a> 12</ul><p>One two three four.</p>"
)


def test_what_is_in_a_block() -> None:
    words, linked, digits, ends, uppers = columns(
        FOX, "log words", "link share", "digits share", "ends share", "log uppers"
    )
    assert words == log(2, 4, 2, 4)
    assert linked == pytest.approx([0, 0, 4 / 6, 0])
    assert digits == pytest.approx([0, 0, 2 / 6, 0])
    assert ends == pytest.approx([0, 1 / 19, 0, 1 / 19])
    assert uppers == log(1, 1, 1, 1)
    assert columns(FOX, "ends a sentence", "prose share", "title share", "description share") == [
        [0, 1, 0, 1], [0, 1, 0, 1], [1, 0, 0, 0], [0.5, 0, 0, 0],
    ]  # fmt: skip


def test_copies_and_repeated_words() -> None:
    copies, again, repeated = columns(FOX, "copies", "copy of an earlier one", "log repeated")
    assert copies == log(0, 1, 0, 1)
    assert again == [0, 0, 0, 1]
    assert repeated == log(0, 0, 0, 1)  # one stretch of four words


def test_the_place_of_a_block() -> None:
    assert columns(FOX, "place", "has h1", "after h1", "heading level", "level of last heading", "headings before") == [
        [0, 0.25, 0.5, 0.75], [1] * 4, [1] * 4, [1, 0, 0, 0], [1] * 4, pytest.approx([0.05] * 4),
    ]  # fmt: skip
    since, distance, before = columns(FOX, "blocks since heading", "distance to h1", "words before")
    assert since == distance == log(0, 1, 2, 3)
    assert before == pytest.approx([0, 2 / 12, 6 / 12, 8 / 12])
    assert columns(f"<p>Before.{FOX}", "distance to title heading")[0][:2] == pytest.approx(
        [-math.log(2), 0]
    )


def test_the_densest_stretch() -> None:
    menu = "<ul>" + "<li><a href=x>Go</a>" * 5 + "</ul>"
    inside, start = columns(
        f"{menu}<p>{'word ' * 30}<p>{'word ' * 30}{menu}",
        "in densest stretch",
        "distance to stretch start",
    )
    assert inside == [0] * 5 + [1] * 2 + [0] * 5
    assert start[4:7] == pytest.approx([-math.log(2), 0, math.log(2)])


def test_what_is_around_a_block() -> None:
    html = "<div class=list><div class=item1><p>One two</div><div class=item2><p>Three four</div></div><p>Five"
    words, like, place = columns(
        html, "around 1: log words", "around 0: like it", "around 1: place in it"
    )
    assert words == log(4, 4, 5)
    assert like == log(1, 1, 0)  # digits in a class number the items
    assert place == pytest.approx([0, 0.5, 2 / 3])
    assert columns(html, "tag div ^", "tag div ^ ^") == [[1, 1, 0], [0, 0, 0]]
    assert read_features(parse(html)).around.tolist() == [[0, 0, 0], [3, 3, 3]]


def test_blocks_that_are_alike() -> None:
    features = read_features(parse("<p class=a>One<p class=b>Two<p class=a>Three<div>Four"))
    assert features.groups.tolist() == [[0, 1, 0, 2], [0, 0, 0, 1], [0, 0, 0, 1]]
    many, span = columns(
        "<p class=a>One<p class=b>Two<p class=a>Three", "same class: how many", "same class: span"
    )
    assert many == log(1, 0, 1)
    assert span == pytest.approx([2 / 3, 0, 2 / 3])


def test_topics_near_and_within() -> None:
    html = "<div class=sidebar><p>Menu</p><p id=comment-1>Hello</p></div><p>Text"
    assert columns(html, "near comment", "within comment", "near sidebar", "within sidebar") == [
        [0, 1, 0], [0, 1, 0], [1, 1, 0], [1, 1, 0],
    ]  # fmt: skip


def test_an_inner_element_that_holds_no_less_text_counts_with_the_outer() -> None:
    assert columns(
        "<div class=comments><div><p>One</p></div></div><p>Two",
        "near comment",
        "around 1: log blocks",
    ) == [
        [1, 0],
        pytest.approx([math.log1p(2)] * 2),
    ]


# What the page is


def test_what_the_page_says_it_is() -> None:
    html = (
        '<meta property="og:type" content="article"><script type="application/ld+json">'
        '{"@type": "Product", "author": {"@type": ["Person"]}}</script><p>One'
    )
    assert page_columns(
        html,
        "page says article",
        "page says product",
        "page says person",
        "page says event",
        "page has json-ld",
    ) == [1, 1, 1, 0, 1]
    assert page_columns("<p>One", "page says article", "page has json-ld") == [0, 0]


def test_structured_data_is_looked_for_in_the_text() -> None:
    data = '<script type="application/ld+json">{"d": "Soft red cotton"}</script>'
    assert columns(f"{data}<p>Soft red cotton<p>Red soft", "told share") == [
        pytest.approx([2 / 3, 0])
    ]


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("other", ["NFC", "NFD"])
def test_words_are_found_in_both_forms_of_their_letters(
    form: Literal["NFC", "NFD"], other: Literal["NFC", "NFD"]
) -> None:
    told = normalize(form, "Légende dorée déjà contée ガレージ 한국어")
    head = f'<title>{told}</title><meta name="description" content="{told}">'
    html = f"{head}<p>{normalize(other, 'dorée déjà contée ガレージ 한국어')}"
    assert columns(html, "log title words", "log description words") == [log(5), log(5)]


def test_the_address() -> None:
    columns = [
        f"address {name}"
        for name in ("known", "root", "depth", "hyphens", "dated", "suffix", "topic product")
    ]
    assert page_columns(
        "<p>One", *columns, url="https://example.org/product/2024/05/a-b-c.html"
    ) == pytest.approx([1, 0, 0.5, 2 / 12, 1, 1, 1])
    assert page_columns("<p>One", *columns) == [0] * 7
    assert page_columns("<p>One", *columns, url="http://[broken") == [0] * 7
    assert page_columns("<p>One", *columns, url="https://example.org/") == [1, 1, 0, 0, 0, 0, 0]


def test_shares_of_the_page() -> None:
    html = "<nav>One</nav><p>Two three four"
    assert page_columns(html, "page in nav", "page kind paragraph", "page links") == [0.25, 0.75, 0]


# Any language


@pytest.mark.parametrize(
    ("text", "ends", "digits"),
    [
        ("Noch 12 Tage!", 1, 2),
        ("港の灯台は、古い。", 1, 0),
        ("ما هذا؟ ٣", 1, 1),
        ("यह १२ घर है।", 1, 2),
        ("Որտե՞ղ է։", 1, 0),
        ("ไทย", 0, 0),
    ],
)
def test_ends_and_digits_in_any_script(text: str, ends: int, digits: int) -> None:
    found = columns(f"<p>{text}", "log ends", "log digits")
    assert [math.expm1(value[0]) for value in found] == pytest.approx([ends, digits], abs=1e-5)


def write(alphabet: str) -> str:
    """One page in the letters of any alphabet."""
    numbers = iter(range(10_000))

    def words(*sizes: int) -> str:
        return " ".join(
            "".join(alphabet[next(numbers) * 7 % 24] for _ in range(size)) for size in sizes
        )

    title, repeated = words(5, 2, 7), words(4, 6, 3, 5)
    return (
        f"<title>{title}</title><meta name=description content='{repeated}'><nav class=menu><ul>"
        + "".join(f"<li><a href=x>{words(size, 4)}</a>" for size in (3, 6, 5, 8))
        + f"</ul></nav><div id=content><h1>{title}</h1><p>{repeated}, {words(3, 9, 2)}. {words(6, 4)} 12?</p>"
        + f"<p class=lead>{words(8, 2, 5)}: {repeated}!</p><h2>{words(5, 5)}</h2><table><tr><td>{words(4)} | 7"
        + f"<td>{words(6)}</table></div><footer>{words(3, 4, 5)}</footer>"
    )


def differing(one: str, other: str) -> set[str]:
    first, second = read_features(parse(one)), read_features(parse(other))
    assert np.array_equal(first.groups, second.groups)
    columns = {
        name
        for name, same in zip(block_names(), (first.blocks == second.blocks).all(0), strict=True)
        if not same
    }
    return columns | {
        name
        for name, same in zip(page_names(), (first.page == second.page)[0], strict=True)
        if not same
    }


@pytest.mark.parametrize("alphabet", [CYRILLIC, HEBREW, ARABIC])
def test_a_page_in_another_script_is_the_same_page(alphabet: str) -> None:
    assert differing(write(GREEK), write(alphabet)) == set()


@pytest.mark.parametrize("alphabet", [GREEK, CYRILLIC, HEBREW, ARABIC])
def test_a_page_in_letters_of_other_bytes_differs_only_in_bytes(alphabet: str) -> None:
    assert differing(write(LATIN), write(alphabet)) <= BYTES


def test_capitals_are_seen_only_in_their_own_columns() -> None:
    found = differing(write(CYRILLIC), write(CYRILLIC.upper()))
    assert found
    assert all("uppers" in name for name in found)


# Any input

TAG_PIECES = st.builds(
    "<{}{}>".format,
    st.sampled_from(TAGS[1:]),
    st.sampled_from(["", " class=card", " id=comments", ' content="x', " hidden", " href=/a"]),
)
PIECES = st.one_of(
    TAG_PIECES,
    st.sampled_from(["</div>", "</p>", "</a>", "&amp;", " ", "$ 9"]),
    st.text(max_size=8),
)


@pytest.mark.slow
@given(st.lists(PIECES, max_size=40).map("".join), st.text(max_size=20))
@settings(max_examples=some_of(200), deadline=None)
def test_features_of_anything_are_finite(html: str, url: str) -> None:
    features = read_features(parse(html.encode("utf-8", "replace"), url=url))
    assert features.blocks.shape == (features.count, len(block_names()))
    assert np.isfinite(features.blocks).all()
    assert np.isfinite(features.page).all()
    assert (features.around[0] <= np.arange(features.count)).all()
    assert (features.around[1] > np.arange(features.count)).all()


@pytest.mark.slow
@given(st.lists(PIECES, max_size=40).map("".join), st.integers(-2, 30), st.integers(-2, 30))
@settings(max_examples=some_of(100), deadline=None)
def test_a_stretch_has_the_rows_of_the_whole(html: str, first: int, stop: int) -> None:
    features = read_features(parse(html.encode("utf-8", "replace")))
    np.testing.assert_array_equal(
        features.rows(first, stop), features.blocks[max(first, 0) : max(stop, 0)]
    )


@pytest.mark.parametrize("kind", KINDS)
def test_hostile_pages_take_linear_time(kind: str) -> None:
    page = parse(KINDS[kind].make(200_000))
    began = time.process_time()
    features = read_features(page)
    for first in range(0, features.count, 4096):
        assert np.isfinite(features.rows(first, first + 4096)).all()
    assert time.process_time() - began < LIMIT


def test_hostile_heads_take_linear_time() -> None:
    for head in (
        '<meta content="description',
        "<meta name=description content=",
        '<script type="application/ld+json">{"@type":"Event"}</script>',
        '<script type="application/ld+json">' + '{"@type": ["Event"' * 30_000,
        "<title>" + "&amp;" * 100_000,
    ):
        page = parse(head * (500_000 // len(head) or 1) + "<p>One")
        began = time.process_time()
        assert np.isfinite(read_features(page).page).all()
        assert time.process_time() - began < LIMIT
