"""CUTER's XML: whatever goes in, what comes out is well formed and valid, or a ValueError says what was expected."""

import base64
import encodings.aliases
import time
from pathlib import Path
from xml.sax.saxutils import escape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

import bodytext
from bodytext import parse
from bodytext.cli import main
from bodytext.integrations.cuter_xml import answer
from bodytext.kernel import is_native
from example_counts import some_of
from hostile_pages import KINDS

SCHEMA = etree.XMLSchema(etree.parse(Path(bodytext.__file__).parent / "output/exchange.xsd"))
ADDRESS = "https://example.com/news/article.html"
TITLE = "The harbour wall"
SENTENCE = "Nobody on the island had asked for a new harbour, and yet the stones arrived every morning by boat."
PAGE = f"""<!doctype html><title>{TITLE} | Example</title><body>
<nav><a href="/">Home</a> <a href="/news">News</a> <a href="https://example.com/about">About us</a></nav>
<h1>{TITLE}</h1><figure><img src="wall.jpg" alt="A wall"><figcaption>The wall at low tide.</figcaption></figure>
<div class="article"><p>{SENTENCE} <b>Größe</b> &amp; more.</p><p>{SENTENCE}</p><p>{SENTENCE}</p></div>
<iframe src="https://www.youtube.com/embed/x" title="A film"></iframe>
<div class="offers"><a href="https://shop.example.net/1">Buy a boat</a> <a href="//shop.example.net">Sell it</a></div>
<div class="nothing"></div></body>"""


def item(html: str, url: str = ADDRESS, title: str = TITLE) -> str:
    return f"<item><url>{escape(url)}</url><title>{escape(title)}</title><html>{escape(html)}</html></item>"


def in_base64(page: bytes) -> str:
    return f'<item><html encoding="base64">{base64.encodebytes(page).decode()}</html></item>'


def ask(*items: str) -> list[etree._Element]:
    """The answers to items, once question and answer have been found valid."""
    question = f"<items>{''.join(items)}</items>".encode()
    written = answer(question)
    root = etree.fromstring(written)
    SCHEMA.assertValid(root)
    written.decode("utf-8")
    assert len(root) == len(items)
    return list(root)


def labels(page: str, url: str = ADDRESS) -> dict[str, str]:
    """The label of each listed node by its tag."""
    (reply,) = ask(item(page, url))
    return {node.get("tag"): node.get("label") for node in reply.iterfind("nodes/node")}


# what is in an answer


def test_an_item_is_answered() -> None:
    (reply,) = ask(item(PAGE))
    assert reply.findtext("url") == ADDRESS
    assert reply.findtext("title") == TITLE
    assert reply.findtext("page-title") == f"{TITLE} | Example"
    texts = [part.text for part in reply.iterfind("text/paragraph")]
    assert f"{SENTENCE} Größe & more." in texts
    assert not any("Home" in text or "boat</a>" in text or "Buy" in text for text in texts)


def test_offsets_count_bytes_of_the_page() -> None:
    (reply,) = ask(item("<p>Ünder</p><p>" + SENTENCE + " Größe</p><p>Ende</p>"))
    source = parse("<p>Ünder</p><p>" + SENTENCE + " Größe</p><p>Ende</p>").source
    paragraphs = reply.findall("text/paragraph")
    assert paragraphs
    for part in paragraphs:
        assert source[int(part.get("start")) : int(part.get("end"))].decode() == part.text


def test_multimedia_beside_the_article() -> None:
    (reply,) = ask(item(PAGE))
    media = {part.get("source"): part for part in reply.iterfind("multimedia/medium")}
    assert list(media) == ["https://example.com/news/wall.jpg", "https://www.youtube.com/embed/x"]
    image, film = media.values()
    assert (image.get("kind"), image.findtext("text"), image.findtext("caption")) == (
        "image",
        "A wall",
        "The wall at low tide.",
    )
    assert (film.get("kind"), film.findtext("text"), film.findtext("caption")) == (
        "embed",
        "A film",
        "",
    )
    assert PAGE.encode()[int(image.get("start")) :].startswith(b"<img")


def test_nodes_are_characterised() -> None:
    (reply,) = ask(item(PAGE))
    nodes = {
        PAGE.encode()[int(node.get("start")) :][:20]: node for node in reply.iterfind("nodes/node")
    }
    by_opening = {opening: node.get("label") for opening, node in nodes.items()}
    assert by_opening[b'<div class="article"'] == "text"
    assert by_opening[b'<div class="offers">'] == "advertisement"
    assert by_opening[b'<nav><a href="/">Hom'] == "navigation"
    assert by_opening[b'<img src="wall.jpg" '] == "multimedia"
    assert b'<div class="nothing"' not in by_opening
    offers = nodes[b'<div class="offers">']
    assert (offers.get("size"), offers.get("link-share")) == ("17", "1.0000")


def test_numbers_are_depth_first_from_one_and_shares_are_of_the_whole() -> None:
    (reply,) = ask(item("<body><div><p>abcd</p><p>ab<a href=x>cd</a></p></div><x-y>efgh</x-y>"))
    rows = [
        [node.get(name) for name in ("number", "tag", "size", "link-share", "text-share")]
        for node in reply.iter("node")
    ]
    assert rows == [
        ["1", "html", "12", "0.1667", "1.0000"],
        ["2", "body", "12", "0.1667", "1.0000"],
        ["3", "div", "8", "0.2500", "0.6667"],
        ["4", "p", "4", "0.0000", "0.3333"],
        ["5", "p", "4", "0.5000", "0.3333"],
        ["6", "a", "2", "1.0000", "0.1667"],
        ["7", "x-y", "4", "0.0000", "0.3333"],
    ]


def test_without_an_address_nothing_is_an_advertisement() -> None:
    page = f"<p>{SENTENCE}</p><ul><li><a href=https://shop.example.net/>Buy a boat</a></li></ul>"
    assert labels(page)["ul"] == "advertisement"
    assert labels(page, "")["ul"] == "navigation"


def test_a_node_around_media_alone_is_listed() -> None:
    assert "section" in labels(f"<p>{SENTENCE}</p><section><span><img src=a.jpg></span></section>")


def test_a_node_without_text_or_media_is_not_listed() -> None:
    assert set(labels(f"<p>{SENTENCE}</p><section><span></span></section>")) == {
        "html",
        "body",
        "p",
    }


def test_the_title_marks_where_the_text_begins() -> None:
    page = f"<p>{SENTENCE}</p><h1>{TITLE}</h1><p>Body. {SENTENCE}</p>"
    (with_title,), (without,) = ask(item(page)), ask(item(page, title=""))
    assert [part.text for part in with_title.iterfind("text/paragraph")] == [f"Body. {SENTENCE}"]
    assert without.find("text/paragraph").text == SENTENCE


# forms of the input


def test_cdata_and_base64_and_escaped_text_give_the_same() -> None:
    forms = (
        item(PAGE, "", ""),
        f"<item><html><![CDATA[{PAGE}]]></html></item>",
        in_base64(PAGE.encode()),
    )
    first, second, third = (etree.tostring(reply) for reply in ask(*forms))
    assert first.strip() == second.strip() == third.strip()


def test_base64_holds_pages_in_other_encodings() -> None:
    page = f"<meta charset=windows-1252><p>Größe. {SENTENCE}</p>".encode("cp1252")
    (reply,) = ask(in_base64(page))
    assert reply.findtext("text/paragraph").startswith("Größe")


def test_other_encodings_of_the_document() -> None:
    question = f"<items>{item(PAGE)}</items>"
    expected = answer(question.encode())
    assert answer(question.encode("utf-16")) == expected
    assert (
        answer(b"<?xml version='1.0' encoding='iso-8859-1'?>" + question.encode("latin-1"))
        == expected
    )


def test_no_items() -> None:
    assert ask() == []


def test_unknown_elements_are_passed_over() -> None:
    root = etree.fromstring(
        answer(f"<items><x/><!-- c --><item><y/><html>{SENTENCE}</html></item></items>".encode())
    )
    assert [part.text for part in root.iter("paragraph")] == [SENTENCE]


def test_questions_are_valid() -> None:
    for document in (item(PAGE), in_base64(b"\0"), "<item><html/><url/></item>"):
        SCHEMA.assertValid(etree.fromstring(f"<items>{document}</items>"))
    assert not SCHEMA.validate(etree.fromstring("<items><item/></items>"))


# failures


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        ("<item/>", "no html"),
        ("<item><html encoding='base64'>@@@</html></item>", "not base64"),
        ("<item><html encoding='base64'>QQ</html></item>", "not base64"),
        ("<item><html encoding='base64'>ü</html></item>", "not base64"),
        ("<item><html encoding='gzip'>QQ==</html></item>", "only 'base64'"),
        ("<item><html><p>Markup</p></html></item>", "CDATA"),
        (in_base64(b"%PDF-1.7"), "PDF"),
    ],
)
def test_one_failing_item_does_not_lose_the_others(broken: str, reason: str) -> None:
    first, failed, last = ask(item(PAGE), broken, item(PAGE))
    assert reason in failed.findtext("error")
    assert failed.find("text") is None
    for reply in (first, last):
        assert reply.find("error") is None
        assert len(reply.find("text"))


@pytest.mark.parametrize("page", ["", " ", "<title>x</title>", "<script>x</script>"])
def test_a_page_without_text_says_why(page: str) -> None:
    (reply,) = ask(item(page))
    assert reply.find("text").get("reason")
    assert not len(reply.find("text"))


LAUGHS = "".join(f"<!ENTITY a{n} '{f'&a{n - 1};' * 10}'>" for n in range(1, 10))


@pytest.mark.parametrize(
    "declaration",
    [
        "<!DOCTYPE items>",
        "<!DOCTYPE items SYSTEM 'http://127.0.0.1:9/x.dtd'>",
        f"<!DOCTYPE items [<!ENTITY a0 'ha'>{LAUGHS}]>",
        "<!DOCTYPE items [<!ENTITY a9 SYSTEM 'file:///etc/passwd'>]>",
        "<!DOCTYPE items [<!ENTITY % p SYSTEM 'file:///etc/passwd'> %p;]>",
        "<!DOCTYPE items [<!ATTLIST html encoding CDATA 'base64'>]>",
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_doctype_is_refused(declaration: str, encoding: str) -> None:
    with pytest.raises(ValueError, match="DOCTYPE"):
        answer(f"{declaration}<items><item><html>&a9;</html></item></items>".encode(encoding))


@pytest.mark.slow
@pytest.mark.parametrize(
    "document",
    [
        b"",
        b"\0",
        b"no markup",
        b"<items>",
        b"<items></item>",
        b"<items>&nbsp;</items>",
        b"<items>\x01</items>",
        b"<items>&#1;</items>",
        b"<items>&#xD800;</items>",
        b"<items>&#xFFFF;</items>",
        b"<items>\xed\xa0\x80</items>",
        b"<items>\xff</items>",
        b"<items/><items/>",
        b"<item><html/></item>",
        b"<items xmlns='urn:other'/>",
        b"<answers version='1'/>",
        b"<items>" + b"<a>" * 200_000,
    ],
)
def test_other_input_is_refused_with_what_is_expected(document: bytes) -> None:
    with pytest.raises(ValueError, match="expected is <items>"):
        answer(document)


@pytest.mark.parametrize(
    "encoding",
    sorted({*encodings.aliases.aliases.values(), "idna", "undefined", "none", "x" * 999}),
)
def test_any_declared_encoding_is_read_or_refused(encoding: str) -> None:
    try:
        answered = answer(
            f"<?xml version='1.0' encoding='{encoding.replace('_', '-')}'?><items/>".encode()
        )
    except ValueError as refused:
        assert "expected is <items>" in str(refused)  # noqa: PT017
    else:
        assert b"<answers" in answered


# hostile pages


@pytest.mark.parametrize("kind", KINDS)
def test_hostile_pages(kind: str) -> None:
    ask(in_base64(KINDS[kind].make(4_000)))


def test_characters_that_xml_cannot_hold_are_removed() -> None:
    page = (
        b"<meta charset=utf-8><title>a\x01b\xef\xbf\xbec</title>"
        b"<p>x\x00y\x0bz &#x1; &#xFFFF; &#xD800; &#55296; \x1b[31m text</p>"
        b"<x\x02y>more</x\x02y><img src=a.jpg alt='d\x03e'>"
    )
    (reply,) = ask(in_base64(page))
    assert reply.findtext("page-title") == "abc"
    assert reply.findtext("multimedia/medium/text") == "de"


def test_markup_in_texts_stays_text() -> None:
    markup = "]]></html><error>&amp;<!-- "
    (reply,) = ask(
        item(
            f"<title>{escape(markup)}</title><p>{escape(markup)} {SENTENCE}</p>",
            url=markup,
            title=markup,
        )
    )
    assert reply.findtext("url") == reply.findtext("title") == markup
    assert reply.findtext("page-title") == markup.strip()
    assert reply.find("error") is None


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit", ["<div>", "<div><img src=a>", "<x-y>a", "<ul><li><a href=https://example.net>b</a>"]
)
def test_time_is_linear_in_the_page(unit: str) -> None:
    count = 20_000 if is_native("scanner") else 500
    question = f"<items>{item(unit * count)}</items>".encode()
    start = time.process_time()
    answer(question)
    assert time.process_time() - start < 5


# any input


xml_text = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff"), max_size=40
)
pieces = st.sampled_from(
    """<p> </p> <div> </div> <nav> <a </a> href=//x.org href=/y href="http://[" > <img src=a.jpg srcset= <table> <td>
    <title> </title> <h1> </h1> <li> <ul> </ul> <figure> <figcaption> <noscript> <script> </script> <!-- --> <x-y
    <![CDATA[ ]]> &amp; &#0; &#xD800; &#xFFFE; word text""".split()  # noqa: SIM905
)
pages = st.lists(pieces | xml_text, max_size=30).map(" ".join)


@pytest.mark.slow
@settings(max_examples=some_of(120), deadline=None)
@given(st.lists(st.tuples(pages, xml_text | st.just(ADDRESS), xml_text), max_size=3))
def test_any_items(questions: list[tuple[str, str, str]]) -> None:
    replies = ask(*(item(*question) for question in questions))
    for reply, (_, url, title) in zip(replies, questions, strict=True):
        assert (reply.findtext("url"), reply.findtext("title")) == (url, title)
        assert reply.find("error") is None


@pytest.mark.slow
@settings(max_examples=some_of(120), deadline=None)
@given(st.binary(max_size=200) | pages.map(lambda page: page.encode("utf-16")))
def test_any_bytes_as_a_page(page: bytes) -> None:
    ask(in_base64(page))


document_pieces = st.sampled_from(
    [
        "<items>",
        "</items>",
        "<item>",
        "</item>",
        "<html>",
        "</html>",
        "<!DOCTYPE ",
        "<![CDATA[",
        "]]>",
        "&a;",
        "<?x ?>",
    ]
)
documents = st.lists(document_pieces | xml_text, max_size=12).map(
    lambda parts: "".join(parts).encode()
)


@settings(max_examples=some_of(150), deadline=None)
@given(st.binary(max_size=60) | documents)
def test_any_bytes_as_a_document(document: bytes) -> None:
    try:
        answered = answer(document)
    except ValueError as refused:
        assert any(words in str(refused) for words in ("expected is <items>", "DOCTYPE"))  # noqa: PT017
    else:
        SCHEMA.assertValid(etree.fromstring(answered))


# the command


def test_the_command_prints_the_answer(
    tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    items = tmp_path / "items.xml"
    items.write_bytes(f"<items>{item(PAGE)}</items>".encode())
    assert main(["cuter", str(items)]) == 0
    printed = capsysbinary.readouterr().out
    assert printed == answer(items.read_bytes())
    SCHEMA.assertValid(etree.fromstring(printed))


def test_the_command_writes_a_file(
    tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    items, output = tmp_path / "items.xml", tmp_path / "answers.xml"
    items.write_bytes(f"<items>{item(PAGE)}</items>".encode())
    assert main(["cuter", str(items), "-o", str(output)]) == 0
    assert capsysbinary.readouterr().out == b""
    SCHEMA.assertValid(etree.parse(output))


@pytest.mark.parametrize("content", [b"<html>", b"<!DOCTYPE items><items/>", b"%PDF-1.7", None])
def test_the_command_says_what_is_wrong(
    content: bytes | None, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    items = tmp_path / "items.xml"
    if content is not None:
        items.write_bytes(content)
    assert main(["cuter", str(items)]) == 1
    captured = capsysbinary.readouterr()
    assert captured.out == b""
    assert captured.err.startswith(f"bodytext: {items}: ".encode())
