"""Selection: which blocks are kept, and how their texts are separated."""

import json
import pickle
import random
import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bodytext import Scores, all_text, extract, parse, select
from bodytext.output.json import to_json
from bodytext.output.markdown import to_markdown
from bodytext.output.xml import to_xml
from bodytext.page.parser import foreign_format
from bodytext.selection import select_all
from example_counts import some_of


def text_of(html: str) -> str:
    """Return the text of all blocks."""
    page = parse(html)
    return str(select_all(page))


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>one</p><p>two</p>", "one\n\ntwo"),
        ("<h1>T</h1><ul><li>a<li>b</ul><p>c", "T\n\na\nb\n\nc"),
        ("<table><tr><td>a<td>b<tr><td>c<td>d</table>", "a\tb\nc\td"),
        ("<table><tr><td>a<br>x<td>b</table>", "a x\tb"),
        ("<table><tr><td>one<br><br>two</table>", "one\ntwo"),
        ("<dl><dt>t<dd>d<dt>u<dd>e</dl>", "t\nd\nu\ne"),
        ("one<br>two<br><br>three", "one\ntwo\n\nthree"),
        ("<p>a<b>b</b>c <i>d</i> <u>e</u>", "abc d e"),
        ("<div>a</div>b<div>c</div>", "a\n\nb\n\nc"),
        ("<span>a</span><span>b</span>", "ab"),
        ("<p>a <!-- x --> b<!-- y -->c", "a bc"),
        ("<pre>\n  x = 1\n\n\n\n  y</pre>", "  x = 1\n\n  y"),
        ("<pre>\n \n\n  a</pre><p>b", "  a\n\nb"),
        ("<textarea>a\n\n\n\nb</textarea>", "a\n\nb"),
        ("<pre>a\n&nbsp;\n&nbsp;\n\nb</pre>", "a\n\nb"),
        ("<table><tr><td><div>a</div><td><div>b</div></table>", "a\tb"),
        ("<ul><li>a<li><pre> </pre><li>b</ul>", "a\nb"),
        ("<p>seen <span style=display:none>secret</span> words", "seen words"),
        ("<p><span hidden>secret</span> seen", "seen"),
        (
            "<p>The <a href=x>report<span class=visually-hidden>, opens new tab</span></a> by Ann",
            "The report by Ann",
        ),
        ("<p>a<i style='clip:rect(0,0,0,0)'> secret <b>word</b></i> b", "a b"),
        ("<p>a <i style='clip:rect(0,90px,20px,0)'>window</i> b", "a window b"),
        ("<h1>Rugby<span class=sr-only>: </span><span>Madrid wins", "Rugby: Madrid wins"),
        ("<p><span class=sr-only>all that there is", "all that there is"),
        ("<p><b hidden>secret</b> <span class=sr-only>for ears", "for ears"),
        ("<p><b>one</b> <i hidden>x</i><b>two</b><br><i hidden>x</i>three", "one two\nthree"),
        ("<pre><i class=lineno>1</i>one<br><i class=lineno>2</i> two", "one\n two"),
        ("<p>one <b class='sr-only-not'>two</b> <b class='a sr-only b'>three</b>", "one two three"),
        ("<pre><span>  a</span>\n<span>  b</span><br>c</pre>", "  a\n  b\nc"),
        ("<p><span>Big Agnes</span><span>Anthracite 20</span>", "Big Agnes Anthracite 20"),
        ("<p><a href=a>steel watch</a><span><a href=b>Titanium", "steel watch Titanium"),
        ("<p><span>$30.98</span><span>$24.78</span><span>€2</span><span>£1", "$30.98 $24.78 €2 £1"),
        ("<p><span>It ends.</span><span>Go on.</span>", "It ends. Go on."),
        ("<p><span>Năm thế</span><span>Trong", "Năm thế Trong"),
        ("<p><span>хор</span><span>Мир", "хор Мир"),
        ("<p><span>i</span><span>Phone</span> <span>Mc</span><span>Donald", "iPhone McDonald"),
        ("<p><span>json.</span><span>JSONEncoder</span>", "json.JSONEncoder"),
        ("<p><span>Better</span>Help <b>Big</b><b>Word</b>", "BetterHelp BigWord"),
        ("<p><span>灯台</span><span>Skarv", "灯台Skarv"),
        ("<pre><span>word</span><span>Word</span>", "wordWord"),
        (
            "<p>10<sup>15</sup> or 10<sup class=a>9</sup>, $1<sup>st</sup> m<sup>2",
            "10^15 or 10^9, $1st m2",
        ),
        ("<p><b>$1,149</b><sup>00", "$1,149^00"),
        ("<p>be&shy;lieb&#173;t \u200b\ufeffend\u2060", "beliebt end"),
        ("<p>ng\xadêi", "ng\xadêi"),
        ("<p>one<p>\u200b &ZeroWidthSpace;<p>two", "one\n\ntwo"),
        ("<p>ភាសា\u200bខ្មែរ\u200b\u200b ไทย &#8203;ก", "ភាសា\u200bខ្មែរ\u200b ไทย ก"),
        ("<p>👩\u200d🚀 می\u200cخواهم", "👩\u200d🚀 می\u200cخواهم"),
        ("<table><tr><td>a<td><td>b<tr><td><td>c<td>d<tr><td><td>e", "a\t\tb\n\tc\td\ne"),
        ("<p>x<table><tr><th><th>A<th>B<td>&nbsp;<td><b></b><td>C", "x\n\n\tA\tB\t\t\tC"),
        ("<table><tr><td>a" + "<td>" * 40 + "b", "a" + "\t" * 13 + "b"),
        ("<pre><div>a = 1</div><div>  b</div></pre><pre>c</pre>", "a = 1\n  b\n\nc"),
        (
            "<p>Read <a href=a>it <svg><title>(in a new tab)</title><path/></svg></a>, then",
            "Read it , then",
        ),
        ("<p>Updated 2024<img src=a>If you are", "Updated 2024 If you are"),
        ("<h2>Use<a href=#use>#</a></h2>", "Use"),
        ("<h2><a href=#use>§ </a>Use</h2>", "Use"),
        ("<h2>C<a href=#c>#</a></h2><p>a <a href=#c>#</a>", "C\n\na #"),
        ("<h2><a href=#use>#</a></h2>", "#"),
        ("<p>EUR 5<span class=a-offscreen>EUR 5</span>", "EUR 5"),
        ("<p>a&nbsp;&nbsp;b&#160; c", "a b c"),
        ("<p>&lt;b&gt; &copy 2026", "<b> © 2026"),
        ("<button>Go</button><button>Stop</button>", "Go\nStop"),
        ("<p>nul\0l", "null"),
    ],
)
def test_words_and_blocks_are_separated_as_on_the_screen(html: str, text: str) -> None:
    assert text_of(html) == text


def test_code_keeps_its_blank_lines_in_the_paragraph() -> None:
    page = parse("<pre>a\n\n\n\nb</pre>")
    document = select_all(page)
    assert document.paragraphs[0].text == "a\n\n\n\nb"
    assert str(document) == "a\n\nb"


def test_paragraphs_have_their_offsets() -> None:
    html = "<h2>Tí<b>t</b>le</h2><p>Text</p>"
    page = parse(html)
    document = select_all(page)
    source = html.encode()
    found = [(part.kind, source[part.start : part.end]) for part in document.paragraphs]
    assert found == [("heading", "Tí<b>t</b>le".encode()), ("paragraph", b"Text")]
    assert document.paragraphs[-1] == document.paragraphs[1]
    assert document.paragraphs[0:2] == (document.paragraphs[0], document.paragraphs[1])
    with pytest.raises(IndexError):
        document.paragraphs[2]


def test_a_higher_threshold_keeps_less() -> None:
    page = parse("<p>a</p><p>b</p><p>c</p>")
    scores = Scores(np.array([0, 0.4, 0.9], dtype=np.float32))
    assert [str(select(page, scores, threshold)) for threshold in (0, 0.3, 0.5, 1)] == [
        "b\n\nc",
        "b\n\nc",
        "c",
        "",
    ]


@pytest.mark.parametrize("threshold", [-0.1, 1.1, float("nan"), "0.5"])
def test_a_threshold_outside_its_range_is_refused(threshold: float) -> None:
    with pytest.raises(ValueError, match="threshold must be a number between 0 and 1"):
        extract("<p>a", threshold=threshold)


def test_scores_must_fit_the_page() -> None:
    with pytest.raises(ValueError, match="do not fit"):
        select(parse("<p>a"), Scores(np.ones(2, dtype=np.float32)))


@pytest.mark.parametrize(
    ("html", "reason"),
    [
        (b"", "the page is empty"),
        (b" \n ", "the page is empty"),
        (b"<img>", "the page holds no text"),
        (b"\x89PNG\r\n\x1a\n", "this file is PNG, not HTML"),
        ("page.html", "this is the path of a page, not the page: pass what the file holds"),
        (
            "/home/ann/Pages/A.HTM\n",
            "this is the path of a page, not the page: pass what the file holds",
        ),
        (
            "https://a.example/b?c=1",
            "this is the address of a page, not the page: pass what you fetched from there",
        ),
    ],
)
def test_an_empty_document_says_why(html: bytes | str, reason: str) -> None:
    document = extract(html)
    assert (str(document), len(document.paragraphs), document.reason) == ("", 0, reason)
    assert not document


@pytest.mark.parametrize(
    "text", ["<p>see https://a.example/b.html", "Read me in index.html", b"page.html"]
)
def test_a_text_that_only_mentions_a_path_is_a_page(text: bytes | str) -> None:
    assert foreign_format(text) == ""


_PAGE = "<!DOCTYPE html><title>Cảng</title><p>Tàu vào cảng ban đêm, рано утром, 夜に. " * 40


@pytest.mark.parametrize("size", [1000, 100_000])
def test_binary_files_are_no_pages(size: int) -> None:
    data = random.Random(size).randbytes(size)
    assert b"<" in data[:1024]
    document = extract(data)
    assert (document.text, document.reason) == ("", "this file is binary, not HTML")
    packed = zlib.compress(data)
    assert foreign_format(packed[len(packed) // 2 :]) == foreign_format(b"\0" * size) == "binary"
    assert all_text(data) == all_text(b"\x89PNG\r\n\x1a\n<p>a") == ""


def test_formats_of_data_have_names() -> None:
    assert foreign_format(b"PAR1\x15\x04<p>") == "Parquet"
    assert foreign_format(pickle.dumps(["<p>one", "two"])) == "a pickle"
    assert foreign_format(b"PAR1 is a mark of Parquet") == ""


@pytest.mark.parametrize(
    "data",
    [
        *(_PAGE.encode(name) for name in ("utf-16", "utf-16le", "utf-16be", "utf-32", "utf-32be")),
        ("தமிழ்" * 900).encode("utf-16"),  # no markup, only a mark
        ("<p>" + "夜に船が着く。" * 99).encode("iso2022_jp"),
        ("<p>" + "밤에 배가 들어온다. " * 99).encode("iso2022_kr"),
        b"<p>" + bytes([2, 3, 4, 5, 6, 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x19, 0x1C, 0x1D]) * 99,
        b"<p>" + bytes([1, 2, 4, 5, 6, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17]) * 99,  # TCVN
        b"<p>" + b"caf\x1a \0" * 99,
        b"\0" * 3000 + b"<p>Damaged",
    ],
)
def test_pages_with_controls_are_pages(data: bytes) -> None:
    assert foreign_format(data) == ""


def test_a_named_encoding_makes_controls_letters() -> None:
    text = "".join(map(chr, range(0x4E00, 0x5200)))
    data = f"<p>{text}".encode("utf-16le")
    assert foreign_format(data) == "binary"
    assert text in extract(data, charset="utf-16le").text
    assert text in all_text(data, charset="UTF-16LE")
    assert text in extract(data, charset="iso-10646-ucs-2").text


def test_the_address_of_a_page_is_text() -> None:
    with pytest.raises(TypeError, match="url is the page's address as str, not int"):
        extract("<p>x", url=3)  # type: ignore[arg-type]


def test_a_document_has_its_text_and_markdown() -> None:
    page = parse("<title>T | Site</title><h1>T</h1><ul><li>one <b>two</b>")
    document = select_all(page)
    assert document
    assert document.text == str(document) == "T\n\none two"
    assert document.markdown == to_markdown(document) == "# T\n\n- one **two**"
    spoken = parse(
        "<p>a <a href=/x>report<i class=sr-only>, opens</i></a> b <b class=sr-only>c</b><p class=sr-only>d"
    )
    assert select_all(spoken).markdown == "a [report](/x) b\n\nd"
    assert (document.title, document.metadata.title) == ("T | Site", "T")
    written = to_xml(document)
    assert "<title>T</title>" in written
    assert "<page-title>T | Site</page-title>" in written


@settings(max_examples=some_of(150))
@given(st.text(alphabet="<>/abp =\"'&;#\n\t\0éประ你\u00a0", max_size=120))
def test_any_text_gives_tidy_text(html: str) -> None:
    text = text_of(html)
    assert "\0" not in text
    if "<pre" not in html.lower():
        assert "\n\n\n" not in text
        assert "  " not in text
        assert text == text.strip()


def test_json_has_text_and_paragraphs() -> None:
    value = json.loads(
        to_json(extract("<title>T</title><p>é\n x", url="http://a.example/"), source="a.html")
    )
    assert value["version"] == 2
    assert (value["source"], value["url"], value["title"]) == ("a.html", "http://a.example/", "T")
    assert value["text"] == value["paragraphs"][0]["text"] == "é x"
