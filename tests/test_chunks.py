"""Chunks: their sizes, the headings above them, and what is kept whole."""

import time
from typing import Any

import pytest

import bodytext
from bodytext import Document
from bodytext.views.chunks import count_words

SENTENCE = "The keeper of the lamp counts nine ships tonight."  # nine words


def keep_all(html: str) -> Document:
    return bodytext.extract(html, keep="body")


def test_a_chunk_knows_the_headings_above_it() -> None:
    document = keep_all(
        "<h1>Harbour</h1><p>One.<h2>Lamp</h2><p>Two.<h3>Lens</h3><p>Three.<h2>Boats</h2><p>Four."
    )
    assert [(chunk.headings, chunk.text) for chunk in document.chunks()] == [
        (("Harbour",), "Harbour\n\nOne."),
        (("Harbour", "Lamp"), "Lamp\n\nTwo."),
        (("Harbour", "Lamp", "Lens"), "Lens\n\nThree."),
        (("Harbour", "Boats"), "Boats\n\nFour."),
    ]
    assert document.chunks()[2].in_context == "Harbour > Lamp\n\nLens\n\nThree."


def test_headings_that_follow_each_other_share_a_chunk() -> None:
    (chunk,) = keep_all("<h1>Harbour</h1><h2>Lamp</h2><p>It turns.").chunks()
    assert chunk.headings == ("Harbour", "Lamp")
    assert chunk.in_context == chunk.text
    assert chunk.text == "Harbour\n\nLamp\n\nIt turns."


def test_offsets_are_places_in_the_source() -> None:
    html = f"<h2>Lamp</h2><p>{SENTENCE}</p><p>It turns.</p>"
    chunks = keep_all(html).chunks(max_words=10)
    assert [html[chunk.start : chunk.end] for chunk in chunks] == [
        f"Lamp</h2><p>{SENTENCE}",
        "It turns.",
    ]


@pytest.mark.parametrize("most", [1, 2, 7, 20, 60])
def test_no_chunk_is_too_large_and_no_word_is_lost(most: int) -> None:
    rows = "".join(f"<tr><td>row {row}<td>value {row}" for row in range(9))
    html = (
        f"<h2>Lamp</h2><p>{SENTENCE * 9}</p><p>{SENTENCE}</p><table>{rows}</table>"
        f"<pre>a = 1\nb = 2\n\nc = 3</pre><ul><li>First<li>Second</ul>"
    )
    document = keep_all(html)
    chunks = document.chunks(max_words=most)
    assert all(count_words(chunk.text) == chunk.size <= most for chunk in chunks)
    assert " ".join(chunk.text for chunk in chunks).split() == document.text.split()


def test_a_table_and_code_are_kept_whole_where_they_fit() -> None:
    table = "<table><tr><th>Name<th>Ships<tr><td>Nes<td>4<tr><td>Dal<td>5</table>"
    document = keep_all(f"<p>{SENTENCE}</p>{table}<pre>count()\nprint()</pre>")
    whole = document.chunks(max_words=6)
    assert [chunk.text for chunk in whole if chunk.kind == "table"] == [
        "Name\tShips\nNes\t4\nDal\t5"
    ]
    assert [chunk.text for chunk in whole if chunk.kind == "code"] == ["count()\nprint()"]
    assert [chunk.kind for chunk in document.chunks(max_words=100)] == ["text"]


def test_a_long_table_is_cut_between_rows_and_its_header_is_repeated() -> None:
    rows = "".join(f"<tr><td>n{row}<td>v{row}" for row in range(7))
    document = keep_all(f"<table><thead><tr><th>Name<th>Value</thead>{rows}</table>")
    chunks = document.chunks(max_words=8)
    assert [chunk.kind for chunk in chunks] == ["table"] * 3
    assert all(chunk.text.startswith("Name\tValue\nn") for chunk in chunks)
    assert [line for chunk in chunks for line in chunk.text.split("\n")[1:]] == [
        f"n{row}\tv{row}" for row in range(7)
    ]


def test_tables_beside_each_other_have_their_own_headers() -> None:
    def table(name: str) -> str:
        rows = "".join(f"<tr><td>{name}{row}<td>{row}" for row in range(4))
        return f"<table><tr><th>{name}<th>Count{rows}</table>"

    chunks = keep_all(table("A") + table("B")).chunks(max_words=6)
    assert [chunk.text.split("\n")[0] for chunk in chunks] == ["A\tCount"] * 2 + ["B\tCount"] * 2


def test_chunks_overlap_by_whole_sentences() -> None:
    text = " ".join(f"Sentence {number} ends." for number in range(9))
    chunks = keep_all(f"<p>{text}").chunks(max_words=9, overlap=3)
    assert [chunk.text for chunk in chunks][:2] == [
        "Sentence 0 ends. Sentence 1 ends. Sentence 2 ends.",
        "Sentence 2 ends. Sentence 3 ends. Sentence 4 ends.",
    ]
    assert all(chunk.size <= 9 for chunk in chunks)
    first = keep_all(f"<h2>A</h2><p>{SENTENCE}</p><h2>B</h2><p>Other.").chunks(overlap=20)
    assert SENTENCE not in first[1].text, "another section repeats nothing"


def test_a_counter_of_ones_own_counts_tokens() -> None:
    document = keep_all("<p>" + "這是一個很長的句子沒有空格" * 30)
    chunks = document.chunks(max_tokens=50, counter=len)
    assert all(chunk.size == len(chunk.text) <= 50 for chunk in chunks)
    assert "".join(chunk.text for chunk in chunks) == document.text
    # Such a counter counts more for the whole than for its parts.
    odd = document.chunks(max_tokens=60, counter=lambda text: len(text) + 10 * (len(text) > 20))
    assert all(chunk.size <= 60 for chunk in odd)


def test_arguments_that_do_not_fit_are_named() -> None:
    document = keep_all("<p>x")
    for arguments, message in (
        ({"max_tokens": 9}, "max_tokens needs a counter"),
        ({"max_words": 9, "max_tokens": 9, "counter": len}, "either max_words or max_tokens"),
        ({"max_words": 0}, "at least 1"),
        ({"max_words": 9, "overlap": 9}, "overlap must be from 0 to less"),
        ({"counter": len}, "max_tokens"),
    ):
        with pytest.raises(ValueError, match=message):
            document.chunks(**arguments)


@pytest.mark.parametrize("count", [0, -1, 2.5, None])
def test_a_counter_that_does_not_count_is_named(count: Any) -> None:
    document = keep_all(f"<p>{SENTENCE}" * 20)
    with pytest.raises(ValueError, match="counter"):
        document.chunks(max_tokens=9, overlap=2, counter=lambda text: count if text else 0)


def test_a_text_may_have_no_tokens() -> None:
    (chunk,) = keep_all("<p>* * *").chunks(max_tokens=9, counter=count_words)
    assert (chunk.text, chunk.size) == ("* * *", 0)


def test_an_empty_document_has_no_chunks() -> None:
    assert bodytext.extract("").chunks() == []


@pytest.mark.parametrize(
    "html", ["<p>" + "x" * 200_000, "<p>" + "a. " * 40_000, "<table>" + "<tr><td>a<td>b" * 10_000]
)
def test_hostile_pages_take_linear_time(html: str) -> None:
    def seconds(page: str) -> float:
        document = keep_all(page)
        times = []
        for _ in range(3):
            begin = time.process_time()
            document.chunks(max_words=50, overlap=10)
            times.append(time.process_time() - begin)
        return min(times)

    assert seconds(html) < 24 * max(seconds(html[: len(html) // 8]), 0.01)
