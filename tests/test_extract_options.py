"""What callers can ask of `extract`: what is kept, what is left out, and what a page may be."""

import importlib
import json
import sys
from functools import partial
from pathlib import Path
from typing import get_args

import numpy as np
import pytest

import bodytext
from bodytext import Record
from bodytext.methods.wishes import Comments
from bodytext.page.selectors import SelectorError

WORDS = "The keeper of the lamp counts nine ships tonight, and writes each of them down. " * 6
LAYOUT = f"<table><tr><td><h2>Lamp</h2><p>{WORDS}</td></tr></table>"
DATA = "<table><tr><th>Village<th>Ships<tr><td>Nes<td>4<tr><td>Dal<td>5</table>"
COMMENTS = """<div id=comments class=comments>{}</div>""".format(
    "".join(
        f"<div class=comment><span class=author>Reader {number}</span>"
        f"<time datetime=2026-01-0{number}>January {number}</time>"
        f"<p class=comment-body>I saw {number} ships from the hill, and one of them was on fire.</p></div>"
        for number in range(1, 5)
    )
)
ARTICLE = f"<title>Lamp</title><article><h1>Lamp</h1><p>{WORDS}</p>{DATA}<p>{WORDS}</p></article>{COMMENTS}"


def test_tables_of_data_are_left_out_on_request() -> None:
    assert "Nes\t4" in bodytext.extract(ARTICLE, keep="table").text
    document = bodytext.extract(ARTICLE, keep="table", tables=False)
    assert "Nes" not in document.text + document.markdown
    assert document.text.count("keeper") == 12
    assert "keeper" in bodytext.extract(LAYOUT, keep="table", tables=False).text, "it only lays out"


def test_comments_are_in_the_text_apart_or_nowhere() -> None:
    texts = [f"I saw {number} ships" for number in range(1, 5)]
    extract = partial(bodytext.extract, ARTICLE, method="cuter")
    together, apart, without = (extract(comments=choice) for choice in get_args(Comments))
    for document in (together, apart, without):
        assert "keeper" in document.text
    assert all(text in together.text for text in texts)
    assert not any(text in apart.text + without.text for text in texts)
    assert [post.text[:13] for post in together.comments] == texts
    assert [post.text[:13] for post in apart.comments] == texts
    assert without.comments == ()
    with pytest.raises(ValueError, match="comments must be one of with, apart, without"):
        extract(comments="none")  # type: ignore[arg-type]


def test_the_posts_of_a_forum_are_its_text_in_any_case() -> None:
    class Forum:
        def score(self, page: bodytext.Page) -> bodytext.Scores:
            return bodytext.Scores(np.ones(len(page), np.float32), page_type="forum")

    thread = f"<h1>Ships</h1>{COMMENTS}"
    assert "I saw 4 ships" in bodytext.extract(thread, method=Forum(), comments="apart").text
    # A page that was taken for a forum, and is an article with comments.
    assert "I saw 4 ships" not in bodytext.extract(ARTICLE, method=Forum(), comments="apart").text


def test_links_and_images_are_chosen_for_all_formats_of_a_document() -> None:
    image = "<img src=https://x.example/a.png alt=Lamp width=400 height=300>"
    html = f"<p>{WORDS}<a href=https://x.example/>harbour</a> {image}{WORDS}"
    kept = bodytext.extract(html)
    assert "](https://x.example/)" in kept.markdown
    for value in (False, "drop"):
        document = bodytext.extract(html, links=value, images=value)
        assert "x.example" not in document.markdown + document.html + document.tei
        assert document.text == kept.text
        assert "](https://x.example/)" in document.to_markdown(links="keep")
    listed = bodytext.extract(html, links="references").markdown
    assert "[harbour][1]" in listed
    assert listed.endswith("[1]: https://x.example/")
    with pytest.raises(ValueError, match="links must be one of keep, drop, references"):
        bodytext.extract(html, links="none")  # type: ignore[arg-type]


def test_elements_are_pruned_or_kept_by_selectors() -> None:
    html = f"<nav id=menu>Menu</nav><p>{WORDS}<b class=ad>Buy</b></p><aside>Note</aside>"
    assert "Menu" in bodytext.extract(html, keep="#menu").text
    assert "Note" in bodytext.extract(html, keep=["#menu", "aside"]).text
    assert "Buy" not in bodytext.extract(html, prune=".ad").text
    assert "Menu" not in bodytext.extract(html, keep="nav", prune="nav").text
    with pytest.raises(SelectorError, match="prune: not a CSS selector: 'b\\['"):
        bodytext.extract(html, prune=["p", "b["])


def test_offsets_stay_true_when_elements_are_pruned() -> None:
    html = f"<nav>Menu</nav><p>{WORDS}</p><div class=ad>Buy</div><p>{WORDS}</p>"
    document = bodytext.extract(html, prune=".ad")
    assert [html[each.start : each.end].strip() for each in document.paragraphs] == [
        WORDS.strip()
    ] * 2


def test_without_wishes_nothing_changes() -> None:
    html = (Path(__file__).parents[1] / "examples/article.html").read_bytes()
    plain = bodytext.extract(html)
    asked = bodytext.extract(
        html, tables=True, prune=[], keep=(), links="keep", images=True, comments=None
    )
    assert plain == asked
    assert plain.json == asked.json


def test_trees_of_other_parsers_are_pages() -> None:
    html = (Path(__file__).parents[1] / "examples/article.html").read_text("utf-8")
    expected = bodytext.extract(html).text
    lxml_html = pytest.importorskip("lxml.html")
    tree = lxml_html.document_fromstring(html)
    assert bodytext.extract(tree).text == expected
    assert bodytext.extract(tree.getroottree()).text == expected
    assert bodytext.all_text(tree) == bodytext.all_text(html)
    assert bodytext.parse(tree).texts() == bodytext.parse(html).texts()


def test_soup_is_a_page() -> None:
    soup = pytest.importorskip("bs4").BeautifulSoup(ARTICLE, "html.parser")
    assert bodytext.extract(soup).text == bodytext.extract(ARTICLE).text


def test_what_is_no_page_gets_advice(tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    path.write_text(ARTICLE)

    class Response:
        pass

    with path.open() as text, path.open("rb") as data:
        for value, advice in (
            (path, "path.read_bytes()"),
            (text, "file.read()"),
            (data, "file.read()"),
            (Response(), "response.content, and url=response.url"),
            (None, "what you fetched"),
            (7, "read the file first"),
            (bodytext.parse(ARTICLE), "the HTML that it was parsed from"),
            (bodytext.extract(ARTICLE), "the HTML that it was made from"),
        ):
            for function in (bodytext.extract, bodytext.parse, bodytext.all_text):
                with pytest.raises(TypeError) as caught:
                    function(value)
                assert advice in str(caught.value)
    with pytest.raises(TypeError, match=r"pass record\.html, with url=record\.url"):
        bodytext.parse(Record(b"<p>a"))


def test_arguments_without_a_meaning_are_refused() -> None:
    for selectors in (5, ["nav", 5]):
        with pytest.raises(ValueError, match=r"prune: a selector is text, .* not int"):
            bodytext.extract(ARTICLE, prune=selectors)  # type: ignore[arg-type]
    for function in (bodytext.extract, bodytext.parse, bodytext.all_text):
        with pytest.raises(TypeError, match="charset is a name"):
            function(ARTICLE, charset=5)  # type: ignore[arg-type]
        assert function(ARTICLE, charset="klingon")
    page = bodytext.parse(ARTICLE)
    for scores in (np.ones(len(page)), [1.0] * len(page)):
        with pytest.raises(TypeError, match=r"pass Scores\(np.array"):
            bodytext.select(page, scores)  # type: ignore[arg-type]
    document = bodytext.extract(ARTICLE)
    for counter in (5, lambda _: None):
        with pytest.raises(ValueError, match="counter must be a function"):
            document.chunks(max_tokens=9, counter=counter)  # type: ignore[arg-type]
    with pytest.raises(bodytext.FetchError, match="the address of a page is str, not NoneType"):
        bodytext.fetch(None)  # type: ignore[arg-type]


def test_a_corpus_without_its_extra_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("bodytext.corpus.report.html_report", "bodytext.output.jinja_templates"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'bodytext\[corpus\]'"):
        importlib.import_module("bodytext.corpus.report.html_report")


def test_a_record_brings_its_address_and_charset_along() -> None:
    record = Record(
        WORDS.replace("lamp", "Łódź").encode("iso-8859-2"),
        "http://a.example/",
        charset="iso-8859-2",
    )
    document = bodytext.extract(record)
    assert document.url == "http://a.example/"
    assert "Łódź" in document.text
    assert bodytext.extract(record, url="http://b.example/").url == "http://b.example/"
    missing = bodytext.extract(Record(b"", "http://a.example/", problem="HTTP 404 Not Found"))
    assert not missing
    assert missing.reason == "HTTP 404 Not Found"
    assert missing.markdown == missing.text == ""


def test_plain_text_keeps_its_paragraphs() -> None:
    document = bodytext.extract("First line\ngoes on.\r\n\r\nSecond & <\n \n\n\nThird.\n")
    assert document.text == "First line goes on.\n\nSecond & <\n\nThird."
    assert [each.kind for each in document.paragraphs] == ["paragraph"] * 3
    assert document.origin == "plain text"
    assert document.metadata.title == ""
    assert bodytext.extract("a < b\n\n<p>c").origin == "", "that is HTML"


def test_json_is_no_plain_text() -> None:
    assert bodytext.extract('{"title": "The lamp"}').origin == ""


def test_wishes_count_in_hidden_text_too() -> None:
    data = {"@type": "Article", "articleBody": f"<p>{WORDS}</p>{DATA}<p>{WORDS}</p>"}
    html = (
        "<title>T</title><p>Loading</p>"
        f"<script type=application/ld+json>{json.dumps(data)}</script><footer>©</footer>"
    )
    document = bodytext.extract(html)
    assert document.origin == "JSON-LD articleBody"
    assert "Nes" in document.text
    assert "Nes" not in bodytext.extract(html, tables=False).text


def test_all_text_is_what_a_page_shows_in_its_order() -> None:
    html = (
        "<title>T</title><style>p{}</style><nav><ul><li>Home<li>Help</ul></nav><p>Text &amp; more<script>x()</script>"
        "<p style='display:none'>Hidden</p><template>No</template><table><tr><td>a<td>b<tr><td>c<td>d</table><footer>End"
    )
    assert bodytext.all_text(html) == "Home\nHelp\n\nText & more\n\na\tb\nc\td\n\nEnd"
    assert bodytext.all_text(b"\xff\xfea\x00") == "a"
    assert bodytext.all_text("") == ""


def test_the_headline_and_front_matter_stand_above_the_text() -> None:
    html = (
        "<html lang=en><title>Lamp | News</title><meta name=author content='A: \"B\" # \x85 C'>"
        f"<h1>The lamp</h1><p>{WORDS}"
    )
    document = bodytext.extract(html, url="https://news.example/lamp", prune="h1")
    markdown = document.to_markdown(title=True, front_matter=True)
    head, _, body = markdown.removeprefix("---\n").partition("\n---\n\n")
    assert body.startswith("# Lamp\n\nThe keeper")
    assert 'title: "Lamp"' in head.splitlines()
    assert document.to_markdown() == document.markdown
    again = bodytext.extract(f"<title>Lamp</title><h1>Lamp</h1><p>{WORDS}", keep="h1")
    assert again.to_markdown(title=True).count("# Lamp") == 1, "the text begins with it"
    assert again.render("text", title=True).count("Lamp\n") == 1
    yaml = pytest.importorskip("yaml")
    assert yaml.safe_load(head)["authors"] == list(document.metadata.authors)


def test_a_document_writes_every_format_itself() -> None:
    from bodytext.output.formats import FORMATS, render

    document = bodytext.extract(ARTICLE, url="https://news.example/lamp")
    for name in ("html", "json", "xml", "tei"):
        assert getattr(document, name) == render(document, name) == document.render(name)
    for name in FORMATS.own:
        assert document.render(name) == render(document, name)
    value = document.to_dict()
    assert value["text"] == document.text
    assert value["metadata"]["title"] == "Lamp"
    with pytest.raises(ValueError, match="there is no format 'docx'"):
        document.render("docx")
