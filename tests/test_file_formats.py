"""PDF, EPUB, DOCX and RTF files: their text, headings and tables, and files that are broken or hostile."""

import doctest
import io
import re
import zipfile
from pathlib import Path

import pytest

from bodytext import extract
from bodytext.cli import main
from bodytext.sources import file_formats

WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
FALLBACK = 'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
RTF = rb"{\rtf1\ansi{\fonttbl{\f0 Times;}}\f0 The harbour at night.\par Ships call, and nobody answers: caf\'e9.\par}"


def pack(members: dict[str, str]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return buffer.getvalue()


def make_docx(body: str) -> bytes:
    return pack(
        {"word/document.xml": f"<w:document {WORD} {FALLBACK}><w:body>{body}</w:body></w:document>"}
    )


def paragraph(text: str, style: str = "") -> str:
    properties = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{properties}<w:r><w:t>{text}</w:t></w:r></w:p>"


def make_epub(chapters: dict[str, str], doctype: str = "") -> bytes:
    items = "".join(f'<item id="i{n}" href="{name}"/>' for n, name in enumerate(chapters))
    spine = "".join(f'<itemref idref="i{n}"/>' for n in range(len(chapters)))
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf"><metadata><dc:title '
        'xmlns:dc="http://purl.org/dc/elements/1.1/">The Harbour</dc:title></metadata>'
        f'<manifest>{items}<item id="n" href="nav.xhtml" properties="nav"/></manifest>'
        f'<spine><itemref idref="n"/>{spine}</spine></package>'
    )
    container = (
        f'{doctype}<container><rootfiles><rootfile full-path="book/a.opf"/></rootfiles></container>'
    )
    pages = {f"book/{name}": text for name, text in chapters.items()}
    return pack(
        {
            "META-INF/container.xml": container,
            "book/a.opf": package,
            "book/nav.xhtml": "<p>Contents</p>",
            **pages,
        }
    )


def make_pdf(pages: list[list[str]]) -> bytes:
    """Write a PDF with a line of text below the other."""
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    kids = []
    for lines in pages:
        shown = " ".join(f"({line}) Tj T*" for line in lines)
        stream = f"BT /F1 12 Tf 14 TL 50 750 Td {shown} ET"
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents {len(objects)} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>"
        )
        kids.append(f"{len(objects)} 0 R")
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>"
    data, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(data))
        data += f"{number} 0 obj\n{body}\nendobj\n".encode()
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    end = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}trailer << /Size {len(objects) + 1} /Root 1 0 R >>"
    return data + f"{end}\nstartxref\n{len(data)}\n%%EOF\n".encode()


def test_doctests() -> None:
    assert doctest.testmod(file_formats).failed == 0


def test_a_docx_file() -> None:
    table = f"<w:tbl><w:tr><w:tc>{paragraph('Ship')}</w:tc><w:tc>{paragraph('Lamp')}</w:tc></w:tr></w:tbl>"
    box = f"<w:p><mc:AlternateContent><mc:Fallback>{paragraph('Twice')}</mc:Fallback></mc:AlternateContent></w:p>"
    document = extract(
        make_docx(
            paragraph("The harbour", "Heading1") + paragraph("Ships &amp; lamps.") + box + table
        )
    )
    assert document.origin == "DOCX"
    assert document.text == "The harbour\n\nShips & lamps.\n\nShip\tLamp"
    assert document.markdown.startswith("# The harbour\n\nShips & lamps.")


def test_an_epub_file_in_the_order_of_its_spine() -> None:
    document = extract(
        make_epub(
            {
                "b.xhtml": "<html><body><h1>One</h1><p>First of all.</p></body></html>",
                "a.xhtml": "<html><head><title>x</title></head><body class='c'><p>Then this.</p></BODY></html>",
            }
        )
    )
    assert document.origin == "EPUB"
    assert document.text == "One\n\nFirst of all.\n\nThen this."
    assert document.title == "The Harbour"


def test_an_rtf_file() -> None:
    pytest.importorskip("striprtf")
    document = extract(RTF)
    assert document.origin == "RTF"
    assert document.text == "The harbour at night.\n\nShips call, and nobody answers: café."


def test_a_pdf_file_without_its_running_headers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("pypdf")
    pages = [
        [
            "The Harbour, a report",
            f"The night of day {name} was long and the lamps were lit all",
            f"along pier {name}.",
            str(number),
        ]
        for number, name in enumerate(("one", "two", "three"), 1)
    ]
    document = extract(make_pdf(pages))
    assert document.origin == "PDF"
    assert document.text.split("\n\n") == [
        f"The night of day {name} was long and the lamps were lit all along pier {name}."
        for name in ("one", "two", "three")
    ]
    file = tmp_path / "paper.pdf"
    file.write_bytes(make_pdf(pages))
    assert main([str(file)]) == 0
    assert "day two was long" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"PK\x03\x04 and nothing else", "damaged"),
        (make_docx("<w:p>")[:-20], "damaged"),
        (pack({"word/document.xml": "<a>"}), "damaged"),
        (pack({"word/document.xml": "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>"}), "DOCTYPE"),
        (make_epub({}, "<!DOCTYPE a>"), "DOCTYPE"),
        (pack({"META-INF/container.xml": "<a/>"}), "damaged"),
        (pack({"a.txt": "text"}), "is ZIP, not HTML"),
        (pack({"word/document.xml": '<?xml version="1.0" encoding="odd"?><a/>'}), "damaged"),
        (pack({"word/document.xml": f"<a>{'<b/>' * 2_000_000}</a>"}), "unpacks to more than"),
        (b"{\\rtf1\\u99999999999 ?}", "damaged"),
    ],
)
def test_broken_and_hostile_files_give_a_reason(data: bytes, reason: str) -> None:
    document = extract(data)
    assert not document
    assert reason in (document.reason or "")


def test_an_archive_that_grows_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_formats, "MAX_UNPACKED", 1000)
    document = extract(make_docx(paragraph("word " * 1000)))
    assert "more than 1,000 bytes" in (document.reason or "")


def test_a_page_of_a_pdf_that_is_listed_many_times_is_read_once() -> None:
    once = make_pdf([["The lamps were lit all along the pier."]])
    kids = re.search(rb"/Kids *\[ *(\d+ 0 R)", once)
    assert kids
    often = once.replace(kids[0], kids[0] + b" " + b" ".join([kids[1]] * 50))
    assert extract(often).text == extract(once).text


@pytest.mark.parametrize(("data", "package"), [(b"%PDF-1.4\n", "pypdf"), (RTF, "striprtf")])
def test_a_missing_package_is_named(
    data: bytes, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bodytext.sources.storage.find_spec", lambda _: None)
    assert f"needs {package}: pip install" in (extract(data).reason or "")


def test_an_encrypted_pdf_names_the_package_that_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    pypdf = pytest.importorskip("pypdf")
    from pypdf.errors import DependencyError

    def fail(*_: object) -> None:
        raise DependencyError("cryptography>=3.1 is required for AES algorithm")

    monkeypatch.setattr(pypdf.PdfReader, "__init__", fail)
    assert "pip install cryptography" in (extract(make_pdf([["A text."]])).reason or "")


@pytest.mark.parametrize(
    "data", [b"%PDF-1.4\n", b"%PDF-1.4\n1 0 obj << /Type /Catalog >>", make_pdf([[]])]
)
def test_a_pdf_without_text_says_so(data: bytes) -> None:
    pytest.importorskip("pypdf")
    assert "this PDF file" in (extract(data).reason or "")
