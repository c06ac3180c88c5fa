"""The functions of other packages: what their documentation shows works with a change of one import."""

import inspect
import json
import re
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

import bodytext
from bodytext.compat import newspaper, readability, trafilatura
from bodytext.sources.record import Record

HTML = (Path(__file__).parents[1] / "examples/article.html").read_text("utf-8")
URL = "https://gazette.example/lamp"
COMMENTS = "<div class=comments>{}</div>".format(
    "".join(
        f"<div class=comment><span class=author>Reader {n}</span><time datetime=2026-01-0{n}>January {n}</time>"
        f"<p class=comment-body>I saw {n} ships from the hill, and one was on fire.</p></div>"
        for n in range(1, 4)
    )
)


MIGRATION = (Path(__file__).parents[1] / "docs/migration.md").read_text("utf-8")


def named_in(section: str) -> set[str]:
    """The names in backticks in a section of docs/migration.md."""
    text = MIGRATION.partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    return set(re.findall(r"`([A-Za-z_0-9]+)[^`]*`", text))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("section", "module", "name"),
    [
        ("trafilatura", "trafilatura", "extract"),
        ("readability", "readability", "Document"),
        ("newspaper4k", "newspaper", "Article"),
        ("jusText", "justext", "justext"),
        ("resiliparse", "resiliparse.extract.html2text", "extract_plain_text"),
    ],
)
def test_the_page_on_migration_names_every_parameter(section: str, module: str, name: str) -> None:
    function = getattr(pytest.importorskip(module, exc_type=ImportError), name)
    assert set(own(inspect.signature(function).parameters)) - named_in(section) == set()


def own(parameters: Any) -> list[str]:
    return [name for name in parameters if name not in {"self", "kwargs"}]


# trafilatura


def test_the_parameters_are_trafilaturas() -> None:
    theirs = pytest.importorskip("trafilatura")
    for name in (
        "extract",
        "bare_extraction",
        "fetch_url",
        "html2txt",
        "baseline",
        "extract_metadata",
        "fetch_response",
        "load_html",
    ):
        mine = inspect.signature(getattr(trafilatura, name)).parameters
        others = inspect.signature(getattr(theirs, name)).parameters
        assert own(mine) == own(others), name
        for parameter in own(mine):
            default = others[parameter].default
            if parameter != "config":
                assert mine[parameter].default == default, (name, parameter)


def test_extract_gives_text_or_none() -> None:
    text = trafilatura.extract(HTML)
    assert text is not None
    assert text
    assert "For ninety years" in text
    assert "\n\n" not in text
    assert trafilatura.extract("") is trafilatura.extract(None) is None
    assert trafilatura.bare_extraction(None) is trafilatura.extract_with_metadata(None) is None
    assert trafilatura.extract(HTML, favor_precision=True) is not None
    assert len(trafilatura.extract(HTML, favor_recall=True) or "") >= len(text)


@pytest.mark.parametrize("name", ["txt", "markdown", "xml", "json", "csv", "html", "xmltei"])
def test_every_format_has_the_text(name: str) -> None:
    for with_metadata in (False, True):
        written = trafilatura.extract(
            HTML, url=URL, output_format=name, with_metadata=with_metadata
        )
        assert written is not None
        assert "eighty-one" in written
        if with_metadata:
            assert "Ines Holm" in written or name == "csv"
    with pytest.raises(AttributeError):
        trafilatura.extract(HTML, output_format="docx")
    with pytest.raises(ValueError, match="bare_extraction"):
        trafilatura.extract(HTML, output_format="python")


@pytest.mark.parametrize("name", ["txt", "markdown"])
def test_the_header_has_trafilaturas_keys(name: str) -> None:
    def header(extract: Callable[..., str | None]) -> str:
        written = extract(HTML, url=URL, output_format=name, with_metadata=True) or ""
        return written.partition("\n---\n")[0]

    ours = header(trafilatura.extract)
    assert 'author: "Ines Holm"\n' in ours
    theirs = header(pytest.importorskip("trafilatura").extract)
    keys = [{line.partition(":")[0] for line in text.splitlines()} for text in (ours, theirs)]
    assert {"title", "author", "url", "date", "hostname", "fingerprint"} <= keys[0] & keys[1]


def test_json_and_xml_have_trafilaturas_names() -> None:
    value = json.loads(
        trafilatura.extract(HTML, url=URL, output_format="json", with_metadata=True) or ""
    )
    assert (value["title"], value["author"]) == (
        "The lighthouse that would not go dark",
        "Ines Holm",
    )
    assert (value["source"], value["hostname"], value["date"]) == (
        URL,
        "gazette.example",
        "2026-11-14",
    )
    theirs = pytest.importorskip("trafilatura")
    other = json.loads(theirs.extract(HTML, url=URL, output_format="json", with_metadata=True))
    assert set(value) == set(other)
    root = ET.fromstring(  # noqa: S314
        trafilatura.extract(
            HTML, url=URL, output_format="xml", with_metadata=True, include_links=True
        )
        or ""
    )
    assert root.tag == "doc"
    assert root.get("title") == value["title"]
    headings = [head.get("rend") for head in root.iter("head")]
    assert [rank for rank in headings if rank != "h1"] == ["h2"]  # the headline may be in the text
    assert len(root.findall("main/list/item")) == 3


def test_switches_of_extract() -> None:
    html = HTML.replace("</article>", "</article>" + COMMENTS)
    assert "I saw 2 ships" in (trafilatura.extract(html) or "")
    assert "I saw 2 ships" not in (trafilatura.extract(html, include_comments=False) or "")
    table = "<table><tr><th>A<th>B<tr><td>c<td>d<tr><td>e<td>f</table><h2>"
    with_table = HTML.replace("<h2>", table)
    assert "<table>" not in (
        trafilatura.extract(with_table, output_format="html", include_tables=False) or ""
    )
    link = HTML.replace("Marta Lind,", "<a href=https://x.example/>Marta Lind</a>,")
    assert "https://x.example/" not in (trafilatura.extract(link, output_format="markdown") or "")
    assert "](https://x.example/)" in (
        trafilatura.extract(link, output_format="markdown", include_links=True) or ""
    )
    assert trafilatura.extract(HTML, only_with_metadata=True) is None, "there is no address"
    assert trafilatura.extract(HTML, url=URL, only_with_metadata=True)
    assert trafilatura.extract(HTML, url=URL, url_blacklist={URL}) is None
    assert trafilatura.extract(HTML, target_language="de") is None
    assert trafilatura.extract(HTML, target_language="en")
    assert trafilatura.extract(HTML, url=URL, output_format="xmltei", tei_validation=True)
    pytest.importorskip("lxml")
    assert "From Nes" not in (trafilatura.extract(HTML, prune_xpath="//ul") or "")


def test_bytes_and_trees_are_pages_too() -> None:
    expected = trafilatura.extract(HTML)
    assert trafilatura.extract(HTML.encode()) == expected
    assert readability.Document(HTML.encode()).summary() == readability.Document(HTML).summary()
    tree = pytest.importorskip("lxml.html").document_fromstring(HTML)
    assert trafilatura.extract(tree) == expected


def test_an_extractor_takes_the_place_of_the_parameters() -> None:
    extractor = pytest.importorskip("trafilatura.settings").Extractor
    options = extractor(output_format="json", with_metadata=True, url=URL, precision=True)
    value = json.loads(trafilatura.extract(HTML, options=options) or "")
    assert (value["source"], value["author"]) == (URL, "Ines Holm")
    found = trafilatura.bare_extraction(HTML, options=extractor(lang="de"))
    assert found is None
    with pytest.raises(ValueError, match="bare_extraction"):
        trafilatura.extract(HTML, options=extractor(output_format="python"))


def test_pages_as_trees() -> None:
    pytest.importorskip("lxml")
    latin = b"<?xml version='1.0' encoding='latin-1'?><p>Gr\xf6\xdfere Schiffe laufen nachts ein."
    assert trafilatura.load_html(latin).text_content().strip().startswith("Größere Schiffe")
    assert trafilatura.load_html("  ") is None
    assert trafilatura.extract(trafilatura.load_html(HTML)) == trafilatura.extract(HTML)


def test_bare_extraction_gives_a_document_or_a_dictionary() -> None:
    found = trafilatura.bare_extraction(HTML, url=URL, with_metadata=True)
    assert isinstance(found, trafilatura.Document)
    assert (found.title, found.author, found.date) == (
        "The lighthouse that would not go dark", "Ines Holm", "2026-11-14",
    )  # fmt: skip
    value = trafilatura.bare_extraction(HTML, url=URL, with_metadata=True, as_dict=True)
    assert isinstance(value, dict)
    assert value["text"] == found.text
    assert value == found.as_dict()
    blocked = trafilatura.extract_metadata(HTML, author_blacklist={"ines holm"})
    assert (blocked.author, blocked.title) == (None, found.title)
    assert trafilatura.bare_extraction("") is None
    again = trafilatura.extract_with_metadata(HTML, URL, record_id="7", include_links=True)
    assert again is not None
    assert (again.id, again.title) == ("7", found.title)
    theirs = pytest.importorskip("trafilatura.settings")
    assert set(theirs.Document.__slots__) == set(found.__slots__)


def test_pages_are_fetched_as_text_or_none(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    assert trafilatura.fetch_url("http://127.0.0.1/") is None
    assert "http://127.0.0.1/ was not fetched: " in caplog.text
    with monkeypatch.context() as without_extra:
        without_extra.setitem(sys.modules, "pycurl", None)
        assert trafilatura.fetch_response("https://93.184.215.14/") is None
    assert "pip install 'bodytext[fetch]'" in caplog.text
    monkeypatch.setattr(
        trafilatura,
        "fetch",
        lambda url: Record("<p>Łódź".encode("iso-8859-2"), url, charset="iso-8859-2"),
    )
    downloaded = trafilatura.fetch_url(URL)
    assert downloaded == "<p>Łódź"
    response = trafilatura.fetch_response(URL, decode=True, with_headers=True)
    assert response is not None
    assert (response.html, response.url, response.status) == ("<p>Łódź", URL, 200)
    assert response.headers == {"content-type": "text/html; charset=iso-8859-2"}
    assert trafilatura.extract(response) == "Łódź"
    assert trafilatura.html2txt(HTML) == bodytext.all_text(HTML)
    assert "eighty-one" in trafilatura.baseline(HTML)[1]


# readability


def test_a_readability_document() -> None:
    document = readability.Document(HTML)
    assert document.title() == "The lighthouse that would not go dark | Harbour Gazette"
    assert document.short_title() == "The lighthouse that would not go dark"
    assert document.author() == "Ines Holm"
    summary = document.summary()
    assert summary.startswith("<html><body><div>")
    assert "<p>For ninety years" in summary
    assert document.summary(html_partial=True).startswith("<div>")
    assert "<script" not in document.content()
    empty = readability.Document("")
    assert (empty.title(), empty.author()) == ("[no-title]", "[no-author]")
    assert empty.summary(html_partial=True) == "<div></div>"


def test_the_parameters_are_readabilitys() -> None:
    theirs = pytest.importorskip("readability").Document
    for name in ("__init__", "summary", "title", "short_title"):
        mine = inspect.signature(getattr(readability.Document, name)).parameters
        others = inspect.signature(getattr(theirs, name)).parameters
        assert own(mine) == own(others), name


# newspaper


def test_a_newspaper_article(monkeypatch: pytest.MonkeyPatch) -> None:
    article = newspaper.Article(URL)
    with pytest.raises(newspaper.ArticleException, match="call download"):
        article.parse()
    article.download(input_html=HTML)
    with pytest.raises(newspaper.ArticleException, match="call parse"):
        article.nlp()
    article.parse()
    assert article.title == "The lighthouse that would not go dark"
    assert article.authors == ["Ines Holm"]
    assert article.publish_date == datetime(2026, 11, 14)  # noqa: DTZ001
    assert "For ninety years" in article.text
    assert article.images == ["https://gazette.example/images/lens.jpg"]
    assert (article.meta_lang, article.source_url) == ("en", "https://gazette.example")
    article.nlp()
    assert "For ninety years" in article.summary
    assert json.loads(article.to_json())["title"] == article.title
    assert newspaper.fulltext(HTML) == article.text
    asked: dict[str, Any] = {}

    def fetch(url: str, **options: Any) -> Record:
        asked.update(options)
        return Record(HTML.encode(), url)

    monkeypatch.setattr(newspaper, "fetch", fetch)
    config = newspaper.Config()
    config.browser_user_agent = "paper/1.0"
    assert newspaper.article(URL, config=config, request_timeout=7).text == article.text
    assert asked == {"max_seconds": 7.0, "user_agent": "paper/1.0"}
    with pytest.raises(AttributeError, match="bodytext --crawl"):
        _ = newspaper.build
    with pytest.raises(AttributeError, match="no attribute 'bild'"):
        _ = newspaper.bild
    built = newspaper.build_article(URL)
    built.build()
    assert built.is_parsed


@pytest.mark.filterwarnings("ignore")
def test_the_parameters_are_newspapers() -> None:
    theirs = pytest.importorskip("newspaper", exc_type=ImportError)
    for name in ("__init__", "download", "parse", "nlp", "build", "to_json"):
        mine = inspect.signature(getattr(newspaper.Article, name)).parameters
        others = inspect.signature(getattr(theirs.Article, name)).parameters
        assert own(mine) == own(others), name
    made = theirs.Article(URL).download(input_html=HTML).parse()
    ours = newspaper.Article(URL).download(input_html=HTML).parse()
    for name in ("title", "authors", "images", "meta_lang", "source_url", "url"):
        assert getattr(ours, name) == getattr(made, name), name
    assert set(ours.to_json(as_string=False)) == set(made.to_json(as_string=False))


def test_a_missing_article_is_an_article_exception() -> None:
    with pytest.raises(newspaper.ArticleException, match="cannot be downloaded"):
        newspaper.Article("http://127.0.0.1/").download()
