"""Every format: the page with every structure, exactly; well formed for any input; the same words as the text."""

import csv
import inspect
import io
import json
import xml.etree.ElementTree as ET
from dataclasses import fields
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree
from trafilatura.xml import validate_tei

import bodytext
from bodytext import Document, extract, output
from bodytext.cli import main
from bodytext.output import tei as tei_module
from bodytext.output.csv import COLUMNS, to_csv
from bodytext.output.formats import FORMATS, RenderOptions, render
from bodytext.output.json import VERSION, to_json
from bodytext.output.tei import to_tei
from bodytext.output.tei_check import check_tei
from bodytext.output.xml import to_xml
from bodytext.studio.labels.labelled_set import read_labelled
from bodytext.studio.service.openapi import describe
from bodytext.studio.service.service_limits import ServiceLimits
from bodytext.views.metadata.fields import METADATA_FIELDS, Metadata
from bodytext.views.structure import Element
from example_counts import some_of
from expected_pages import (
    NAMES,
    PAGES,
    describe_mismatch,
    find_expected,
    keep_all,
    list_formats,
    render_page,
)
from hostile_pages import KINDS
from shapes import seen_words, words

ROOT = Path(__file__).parents[1]
LABELLED = ROOT / "labelled"
SCHEMA = etree.XMLSchema(etree.parse(Path(bodytext.__file__).parent / "output/exchange.xsd"))
TEI = "{http://www.tei-c.org/ns/1.0}"


def read_entry(tei: str) -> list[str]:
    """The words of the body text in TEI."""
    root = ET.fromstring(tei)  # noqa: S314
    entry = root.find(f".//{TEI}div[@type='entry']")
    assert entry is not None
    pieces: list[str] = []
    inline = {f"{TEI}{name}" for name in ("hi", "ref", "del", "seg", "graphic")}
    unseen = {f"{TEI}desc"}

    def read(element: ET.Element) -> None:
        if element.tag in unseen:
            return
        apart = "" if element.tag in inline else " "
        pieces.extend((apart, element.text or ""))
        for child in element:
            read(child)
            pieces.append(child.tail or "")
        pieces.append(apart)

    read(entry)
    return words("".join(pieces))


# The pages in tests/pages: a person has read their expected outputs.


@pytest.mark.parametrize(
    ("name", "format_name"),
    [(name, format_name) for name in NAMES for format_name in list_formats(name)],
)
def test_a_page_has_its_expected_output(name: str, format_name: str) -> None:
    path = find_expected(name, format_name)
    message = describe_mismatch(name, format_name)
    assert path.exists(), message
    assert render_page(name, format_name) == path.read_bytes().decode("utf-8"), message


# Well formed, whatever comes in.


def check_formats(document: Document) -> None:
    """Every format is well formed, and a reader of it gets what went in."""
    assert json.loads(to_json(document))["text"] == str(document)
    assert SCHEMA.validate(etree.fromstring(to_xml(document).encode()))
    tei = to_tei(document)
    assert validate_tei(etree.fromstring(tei.encode()))
    assert check_tei(tei) == []
    rows = list(csv.DictReader(io.StringIO(to_csv(document, source="x"), newline="")))
    assert [row["source"] for row in rows] == ["x"]
    assert words(rows[0]["text"]) == words(_without_controls(str(document)))
    for name in FORMATS.own:
        render(document, name).encode("utf-8")


def _without_controls(text: str) -> str:
    return "".join(
        character
        for character in text
        if (character >= " " and character != "\x7f") or character in "\t\n\r"
    )


@pytest.mark.slow
@settings(max_examples=some_of(200), deadline=None)
@given(
    st.binary() | st.text(st.characters()).map(lambda text: text.encode("utf-8", "surrogatepass"))
)
def test_any_bytes_go_into_every_format(data: bytes) -> None:
    check_formats(extract(data, url="https://example.org/"))
    check_formats(keep_all(data))


PIECES = st.sampled_from([
    "<p>", "</p>", "<h1>", "<h3>", "<ul>", "<ol start=-3>", "<ol reversed>", "<li>", "<li value=9>", "</ul>",
    "<table>", "<caption>", "<thead>",
    "<tr>", "<th>", "<td colspan=2>", "<td class=gutter>", "</table>", "<blockquote>", "</blockquote>", "<pre>",
    "</pre>", "<dl>", "<dt>",
    "<dd>", "</dl>", "<figure>", "<img src=/i.png alt='x&#1;'>", "<figcaption>", "</figure>", "<hr>", "<br>", "<b>",
    "</b>",
    "<i>", "<code>", "</code>", "<a href=/x>", "<a href='#n'>1</a>", "</a>", "<li id=n>", "<math>", "</math>",
    "<sup>", "<div>", "</div>",
    "<script type=math/tex>x</script>", "\\(", "\\)", "$$", "<textarea>", "<select>", "<option>", "<template>",
    "<svg>", "<noscript>",
    "word", " ", "1", "\x00", "\x08", "\x0b", "\x85", "\ufffe", "\uffff", "\u2028", "&#0;", "&#xD800;", "&#x1F;",
    "&#xFFFF;", "&lt;", "]]>",
    "&lol9;", "<!DOCTYPE x [<!ENTITY lol 'ha'>]>", "&lol;", "<!--", "-->", "é", "漢", "|", "*", "_", "`", "[", "]",
    "<", "&",
])  # fmt: skip


@pytest.mark.slow
@settings(max_examples=some_of(300), deadline=None)
@given(st.lists(PIECES, max_size=60).map("".join))
def test_any_markup_goes_into_every_format_with_the_same_words(html: str) -> None:
    document = keep_all(html)
    check_formats(document)
    if not has_formulas(document):
        assert (
            sorted(words(document.structure.text)) == sorted(words(str(document)))
            or "gutter" in html
        )


def has_formulas(document: Document) -> bool:
    return any(element.name == "math" for element in document.structure.walk())


@pytest.mark.parametrize("page", read_labelled(LABELLED), ids=lambda page: page.identity)
def test_the_words_of_every_format_are_those_of_the_text(page: object) -> None:
    document = extract(page.read(), url=page.url)  # type: ignore[attr-defined]
    expected = words(str(document))
    assert (
        seen_words(render(document, "html").partition("<body>")[2].partition("</body>")[0])
        == expected
    )
    assert read_entry(to_tei(document)) == expected
    assert words(document.structure.text) == expected
    check_formats(document)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(KINDS))
def test_hostile_pages_go_into_every_format(name: str) -> None:
    document = keep_all(KINDS[name].make(20_000))
    for format_name in FORMATS.own:
        render(document, format_name).encode("utf-8")


# The options, and the command line.


def test_no_option_changes_which_text_is_found() -> None:
    html = (PAGES / "everything" / "page.html").read_bytes()
    plain = str(extract(html))
    for name in FORMATS.own:
        document = extract(html)
        render(document, name, RenderOptions(links="drop", images="references"))
        assert str(document) == plain


def test_the_same_page_gives_the_same_output() -> None:
    html = (PAGES / "everything" / "page.html").read_bytes()
    for name in FORMATS.own:
        assert render(extract(html), name) == render(extract(html), name)


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(ValueError, match="there is no format 'pdf'; choose one of text, markdown"):
        render(keep_all("<p>x"), "pdf")


def test_json_says_its_version() -> None:
    value = json.loads(to_json(keep_all("<p>a <b>b")))
    assert value["version"] == VERSION == 2
    assert value["structure"] == {
        "name": "body",
        "children": [{"name": "p", "children": ["a ", {"name": "strong", "children": ["b"]}]}],
    }


def test_a_cell_of_csv_is_never_a_formula() -> None:
    row = next(
        csv.DictReader(
            io.StringIO(to_csv(keep_all("<title>=1+1</title><p>@sum"), source="-x"), newline="")
        )
    )
    assert tuple(row) == COLUMNS
    assert (row["title"], row["text"], row["source"]) == ("'=1+1", "'@sum", "'-x")


def test_tei_has_divisions_by_heading() -> None:
    root = ET.fromstring(to_tei(keep_all("<p>a<h2>B</h2><p>c<h3>D</h3><p>e<h2>F</h2>")))  # noqa: S314
    heads = [
        [head.text for head in part.findall(f"{TEI}div/{TEI}head")]
        for part in root.iter(f"{TEI}div")
    ]
    assert heads == [["B", "F"], ["D"], [], []]


def test_formats_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.html").write_text(
            f"<p>The text of {name}, <a href=http://x.example/>linked</a>. " * 9
        )
    assert main([str(tmp_path / "a.html"), "--format", "markdown", "--links", "drop"]) == 0
    assert "](" not in capsys.readouterr().out
    assert main([str(tmp_path / "a.html"), "--format", "markdown", "--links", "references"]) == 0
    assert capsys.readouterr().out.endswith("[1]: http://x.example/\n")
    assert main([str(tmp_path), "--format", "csv"]) == 0
    assert len(list(csv.reader(io.StringIO(capsys.readouterr().out, newline="")))) == 3
    assert main([str(tmp_path), "--format", "tei"]) == 2
    assert "name a folder with -o" in capsys.readouterr().err
    assert main([str(tmp_path), "--format", "tei", "-o", str(tmp_path / "out")]) == 0
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "a.html.tei.xml",
        "b.html.tei.xml",
    ]


# A new format is in every place that names formats, and a new metadata field in every format.


def test_every_module_with_a_format_is_in_the_table() -> None:
    paths = Path(output.__path__[0]).glob("*.py")
    written = {
        f"bodytext.output.{path.stem}" for path in paths if "\nFORMAT = " in path.read_text("utf-8")
    }
    assert written == {place.partition(":")[0] for place in FORMATS.own.values()}


@pytest.mark.parametrize("name", FORMATS.own)
def test_the_options_of_a_format_are_those_of_its_function(name: str) -> None:
    _, *parameters = inspect.signature(FORMATS[name].write).parameters.values()
    assert FORMATS[name].options == tuple(parameter.name for parameter in parameters)
    defaults = {field.name: field.default for field in fields(RenderOptions)}
    assert all(parameter.default == defaults[parameter.name] for parameter in parameters)


@pytest.mark.parametrize("name", FORMATS.own)
def test_every_format_is_in_the_documentation(name: str) -> None:
    known = FORMATS[name]
    options = ", ".join(f"`{option}`" for option in known.options if option in {"links", "images"})
    stream = ", ".join(f"`{suffix}`" for suffix in known.stream_suffixes)
    row = f"| `{name}` | {known.description} | `{known.suffix}` | {stream} | {options} | `{known.media_type}` |"
    rows = (ROOT / "docs/formats.md").read_text("utf-8").splitlines()
    assert row in rows, f"the table in docs/formats.md needs this line:\n{row}"


def test_the_command_line_and_the_service_name_every_format(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit):
        main(["extract", "--help"])
    assert "{" + ",".join(FORMATS.own) + "}" in capsys.readouterr().out
    description = describe(ServiceLimits(), fetching=True)
    request = description["components"]["schemas"]["Request"]
    assert request["properties"]["format"]["enum"] == list(FORMATS)
    answer = description["paths"]["/extract"]["post"]["responses"]["200"]
    assert set(answer["content"]) == {known.media_type for known in FORMATS.values()}


def describe_all(metadata: Metadata) -> SimpleNamespace:
    """A document without text: formats take any object that has what they read."""
    return SimpleNamespace(
        url="", title="", text="", paragraphs=(), reason="", page_type=metadata.page_type, confidence=None, origin="",
        structure=Element("body"), metadata=metadata, media=(), comments=(),
    )  # fmt: skip


@pytest.mark.parametrize("format_name", ["csv", "html", "json", "tei"])
def test_every_metadata_field_is_in_every_format_that_does_not_leave_it_out(
    format_name: str,
) -> None:
    values = {field.name: f"https://example.org/of-{field.name}." for field in METADATA_FIELDS}
    lists = {field.name: (values[field.name],) for field in METADATA_FIELDS if field.is_list}
    metadata = Metadata(**(values | lists))  # type: ignore[arg-type]
    written = render(describe_all(metadata), format_name)
    shown = [field.name for field in METADATA_FIELDS if values[field.name] in written]
    assert shown == [field.name for field in METADATA_FIELDS if field.is_in(format_name)]


def test_a_field_that_tei_has_no_element_for_is_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tei_module, "name_facts", lambda _: ["image", "feeds"])
    tei = to_tei(describe_all(Metadata(image="https://example.org/i.png", feeds=("/a", "/b"))))
    assert (
        '<note type="image">https://example.org/i.png</note>\n<note type="feeds">/a</note>' in tei
    )
    assert validate_tei(etree.fromstring(tei.encode()))
    assert check_tei(tei) == []
