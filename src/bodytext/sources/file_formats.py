"""Read PDF, EPUB, DOCX and RTF files as HTML, so that they go the way of every page.

Such files have no menus and no advertisements. What repeats at the edges of a PDF's pages (running
headers, page numbers) is left out; all else is body text. PDF and RTF need the extra `files`
(pypdf, striprtf). EPUB and DOCX are archives of XML, which the standard library reads.
"""

import io
import logging
import posixpath
import re
import xml.etree.ElementTree as ET
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from html import escape
from importlib import import_module
from urllib.parse import unquote

from bodytext.kernel.html import TAG
from bodytext.page.parser import parse
from bodytext.sources.storage import require

MAX_UNPACKED = 256 << 20  # bytes of an archive's members, all together
MAX_TIMES = 100  # the size of an archive; text is packed to a tenth of its size, floods of tags to a thousandth
FEW_UNPACKED = 4 << 20  # bytes that any archive may unpack to
MAX_PAGES = 5_000  # of a PDF; the rest is left out
_EDGE_LINES = 2  # at the top and at the bottom of a PDF's page may be a running header
_FEWEST_PAGES = 3  # on fewer pages a line that repeats says nothing
_SHORT_LINE = 0.8  # of the usual length; a line that is shorter may end a paragraph
_DIGITS = re.compile(r"\d+")
_ENDS_SENTENCE = re.compile(r"[.!?…:。！？][\"'”’»)\]]*$")
_BODY_END = re.compile(rb"</body", re.IGNORECASE)
_WORD_SPACE = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_PACKAGE = "{http://www.idpf.org/2007/opf}"
_HEADING = re.compile(r"heading ?([1-6])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class FileAsHtml:
    """The HTML that a file was turned into, and the name of its format."""

    html: str
    format_name: str


class UnreadableFileError(ValueError):
    """What is wrong with a file, in words for people; parsers raise other ValueErrors."""


def read_as_html(data: bytes, format_name: str) -> FileAsHtml | None:
    """Return a file as HTML; None if its format is not one of ours. Raise an UnreadableFileError if it is damaged."""
    try:
        if format_name == "ZIP":
            return _read_archive(data)
        reader = {"PDF": _read_pdf, "RTF": _read_rtf}.get(format_name)
        return FileAsHtml(reader(data), format_name) if reader else None
    except (UnreadableFileError, ImportError, MemoryError):  # these say what is wrong
        raise
    except Exception as problem:  # zip, XML, PDF and RTF have parsers that raise anything
        raise UnreadableFileError(f"this {format_name} file is damaged: {problem}") from None


def is_readable(data: bytes | str, format_name: str) -> bool:
    """Return whether a file is of a format that is read as HTML; it may be damaged."""
    if format_name != "ZIP" or isinstance(data, str):
        return format_name in {"PDF", "RTF"}
    with suppress(zipfile.BadZipFile), zipfile.ZipFile(io.BytesIO(data)) as archive:
        return not {name for name, *_ in _KINDS}.isdisjoint(archive.namelist())
    return False


# Archives


def _read_archive(data: bytes) -> FileAsHtml | None:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        names = set(archive.namelist())
        for name, format_name, read in _KINDS:
            if name in names:
                size = sum(member.file_size for member in archive.infolist())
                most = min(MAX_UNPACKED, max(MAX_TIMES * len(data), FEW_UNPACKED))
                if size > most:
                    raise UnreadableFileError(
                        f"this {format_name} file unpacks to more than {most:,} bytes"
                    )
                return FileAsHtml(read(archive), format_name)
    return None


def _read_member(archive: zipfile.ZipFile, name: str) -> bytes:
    """Read a member. Its size in the directory may be a lie, so no more than that is read."""
    with archive.open(name) as file:
        return file.read(archive.getinfo(name).file_size)


def _check_xml(data: bytes) -> bytes:
    """Refuse XML that declares a type: it could declare entities that grow without end."""
    if b"<!DOCTYPE" in data or b"\0" in data[:64]:
        raise UnreadableFileError(
            "the XML in this file declares a DOCTYPE or is not UTF-8; it is not read"
        )
    return data


@dataclass(slots=True)
class _WordWriter:
    """Turns the events of a DOCX document into HTML."""

    parts: list[str] = field(default_factory=list)
    texts: list[list[str]] = field(default_factory=list)  # of the open paragraphs
    styles: list[str] = field(default_factory=list)
    skipped: int = 0  # open elements that repeat what others say
    cells: int = 0  # open cells of tables

    def start(self, element: ET.Element) -> None:
        self.skipped += element.tag == _FALLBACK
        name = element.tag.removeprefix(_WORD_SPACE)
        if self.skipped:
            return
        if name == "p":
            self.texts.append([])
            self.styles.append("p")
        elif name in _TABLE:
            self.parts.append(f"<{_TABLE[name]}>")
            self.cells += name == "tc"

    def end(self, element: ET.Element) -> None:
        name = element.tag.removeprefix(_WORD_SPACE)
        if self.skipped:
            self.skipped -= element.tag == _FALLBACK
        elif name in _TABLE:
            self.parts.append(f"</{_TABLE[name]}>")
            self.cells -= name == "tc"
        elif self.texts:
            self._end_in_paragraph(name, element)
        element.clear()

    def _end_in_paragraph(self, name: str, element: ET.Element) -> None:
        if name == "t":
            self.texts[-1].append(escape(element.text or ""))
        elif name in {"tab", "br", "cr"}:
            self.texts[-1].append(" " if name == "tab" else "<br>")
        elif name == "numId":
            self.styles[-1] = "li"
        elif name == "pStyle":
            self.styles[-1] = _style_tag(element.get(f"{_WORD_SPACE}val", ""))
        elif name == "p":
            tag, text = self.styles.pop(), "".join(self.texts.pop())
            self.parts.append(f"{text} " if self.cells else f"<{tag}>{text}</{tag}>")


_TABLE = {"tbl": "table", "tr": "tr", "tc": "td"}


def _style_tag(style: str) -> str:
    match = _HEADING.match(style)
    if match:
        return f"h{match[1]}"
    return "h1" if style == "Title" else "p"


def _read_docx(archive: zipfile.ZipFile) -> str:
    data = _check_xml(_read_member(archive, "word/document.xml"))
    writer = _WordWriter()
    # No DOCTYPE, so nothing in it grows or reads files.
    for event, element in ET.iterparse(io.BytesIO(data), ("start", "end")):  # noqa: S314
        (writer.start if event == "start" else writer.end)(element)
    return f"<body><article>{''.join(writer.parts)}</article></body>"


def _read_epub(archive: zipfile.ZipFile) -> str:
    container = ET.fromstring(_check_xml(_read_member(archive, "META-INF/container.xml")))  # noqa: S314
    place = next(
        (element.get("full-path", "") for element in container.iter() if element.get("full-path")),
        "",
    )
    package = ET.fromstring(_check_xml(_read_member(archive, place)))  # noqa: S314
    items = {
        item.get("id"): posixpath.normpath(
            posixpath.join(posixpath.dirname(place), unquote(item.get("href", "")))
        )
        for item in package.iter(f"{_PACKAGE}item")
        if "nav" not in item.get("properties", "").split()
    }
    read = [
        items.get(entry.get("idref"))
        for entry in package.iter(f"{_PACKAGE}itemref")
        if entry.get("linear") != "no"
    ]
    names = set(archive.namelist())
    chapters = [
        _body_of(_read_member(archive, name))
        for name in dict.fromkeys(read)
        if name in names and name
    ]
    title = next(
        (element.text or "" for element in package.iter() if element.tag.endswith("}title")), ""
    )
    return f"<title>{escape(title)}</title><body><article>{''.join(chapters)}</article></body>"


def _body_of(data: bytes) -> str:
    """Return what is inside the body of a chapter."""
    page = parse(data)
    bodies = [
        int(end)
        for tag, end in zip(page.nodes.tag, page.nodes.end, strict=True)
        if tag == TAG["body"]
    ][:1]
    source = page.source[bodies[0] if bodies else 0 :]
    return f"<section>{_BODY_END.split(source)[0].decode('utf-8')}</section>"


_KINDS: tuple[tuple[str, str, Callable[[zipfile.ZipFile], str]], ...] = (
    ("word/document.xml", "DOCX", _read_docx),
    ("META-INF/container.xml", "EPUB", _read_epub),
)


# RTF and PDF


def _read_rtf(data: bytes) -> str:
    require("striprtf", extra="files", purpose="this file is RTF, and reading it")
    rtf_to_text = import_module("striprtf.striprtf").rtf_to_text  # it has no types
    text = rtf_to_text(data.decode("latin-1"), errors="replace")
    return _as_paragraphs(line.strip() for line in text.split("\n"))


def _read_pdf(data: bytes) -> str:
    require("pypdf", extra="files", purpose="this file is PDF, and reading it")
    from pypdf.errors import DependencyError

    try:
        pages = _read_pages(data)
    except DependencyError:
        message = "this PDF file is encrypted, and reading it needs cryptography: pip install cryptography"
        raise UnreadableFileError(message) from None
    if not any(line.strip() for page in pages for line in page):
        raise UnreadableFileError("this PDF file has no text; perhaps its pages are pictures")
    return _as_paragraphs(join_lines([line for page in drop_edges(pages) for line in page]))


def _read_pages(data: bytes) -> list[list[str]]:
    """Return the lines of each page of a PDF."""
    from pypdf import PdfReader

    # What it has to say about damage is not printed, but goes where a program has logs go.
    logging.getLogger("pypdf").addHandler(logging.NullHandler())
    reader = PdfReader(io.BytesIO(data))
    if reader.is_encrypted and not reader.decrypt(""):
        raise UnreadableFileError("this PDF file wants a password")
    # A page that is listed a thousand times is read once.
    different = {
        page.indirect_reference: page
        for page, _ in zip(reader.pages, range(MAX_PAGES), strict=False)
    }
    return [page.extract_text().split("\n") for page in different.values()]


def drop_edges(pages: Sequence[Sequence[str]]) -> list[list[str]]:
    """Leave out lines at the edges of pages that repeat on half of the pages, but for their numbers.

    >>> drop_edges([["The Harbour", f"Text {name}.", f"- {number} -"] for number, name in enumerate("abc")])
    [['Text a.'], ['Text b.'], ['Text c.']]
    """
    filled = [[line.strip() for line in page if line.strip()] for page in pages]
    counts = Counter(
        mark for page in filled for mark in {_mark(page[place]) for place in _edges(page)}
    )
    least = max(len(filled) / 2, _FEWEST_PAGES)
    kept = []
    for page in filled:
        gone = {place for place in _edges(page) if counts[_mark(page[place])] >= least}
        kept.append([line for place, line in enumerate(page) if place not in gone])
    return kept


def _mark(line: str) -> str:
    return _DIGITS.sub("0", line)


def _edges(page: Sequence[str]) -> set[int]:
    """Return the places of the first and the last lines of a page."""
    return {*range(min(_EDGE_LINES, len(page))), *range(max(len(page) - _EDGE_LINES, 0), len(page))}


def join_lines(lines: Sequence[str]) -> Iterator[str]:
    """Join the lines of paragraphs: a paragraph ends with a sentence, in a line that is not full.

    >>> list(join_lines(["Ships call at night, and the har-", "bour answers them.", "Then it is silent again here."]))
    ['Ships call at night, and the harbour answers them.', 'Then it is silent again here.']
    """
    lengths = sorted(map(len, lines))
    usual = lengths[len(lengths) * 3 // 4] if lengths else 0
    paragraph: list[str] = []
    for line in lines:
        if paragraph and paragraph[-1].endswith("-") and line[:1].islower():
            paragraph[-1] = paragraph[-1][:-1]
        elif paragraph:
            paragraph.append(" ")
        paragraph.append(line)
        if len(line) < _SHORT_LINE * usual and _ENDS_SENTENCE.search(line):
            yield "".join(paragraph)
            paragraph = []
    yield "".join(paragraph)


def _as_paragraphs(paragraphs: Iterator[str]) -> str:
    return (
        "<body><article>"
        + "".join(f"<p>{escape(text)}</p>" for text in paragraphs if text)
        + "</article></body>"
    )
