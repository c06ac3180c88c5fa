"""Chapters and pictures in, an EPUB 3 book as bytes out, written after the W3C's EPUB 3.3."""

import io
import uuid
import zipfile
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from bodytext.output.html import escape
from bodytext.reader.digest.chapters import STYLE, Chapter

MEDIA_TYPE = "application/epub+zip"
# Types of pictures that every reading system must show, and what their files are called.
PICTURE_ENDINGS = {"image/jpeg": "jpg", "image/png": "png", "image/gif": "gif", "image/webp": "webp"}
_SPACE = uuid.uuid5(uuid.NAMESPACE_URL, "https://bodytext.example/digest")
_EARLIEST = 315_532_800  # 1980: files in a zip cannot be older
_CONTAINER = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="EPUB/package.opf" media-type="application/oebps-package+xml"/></rootfiles></container>\n'
)


class Item(NamedTuple):
    """A file of the book."""

    path: str
    type: str
    data: bytes


class Cover(NamedTuple):
    """What the book says about itself."""

    title: str
    moment: int
    language: str


def write_epub(cover: Cover, chapters: Sequence[Chapter], pictures: Sequence[Item] = ()) -> bytes:
    """A book of the chapters, with a page of contents before them."""
    front = _write_page(
        cover.title, _write_front(cover, chapters), f' lang="{cover.language}" xml:lang="{cover.language}"'
    )
    pages = [
        Item(f"{chapter.name}.xhtml", "", _write_page(chapter.title, chapter.markup, chapter.attributes))
        for chapter in chapters
    ]
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as book:
        for path, data in (
            ("mimetype", MEDIA_TYPE.encode()),
            ("META-INF/container.xml", _CONTAINER.encode()),
            ("EPUB/package.opf", _write_package(cover, chapters, pictures).encode()),
            ("EPUB/contents.xhtml", _write_contents(cover, chapters)),
            ("EPUB/front.xhtml", front),
            ("EPUB/style.css", STYLE.encode()),
            *((f"EPUB/{page.path}", page.data) for page in pages),
            *((f"EPUB/{picture.path}", picture.data) for picture in pictures),
        ):
            entry = zipfile.ZipInfo(path, _clock(cover.moment).timetuple()[:6])
            # The type stands at the start of the file for all to see; a picture is packed already.
            plain = path == "mimetype" or path.startswith("EPUB/images/")
            entry.compress_type = zipfile.ZIP_STORED if plain else zipfile.ZIP_DEFLATED
            book.writestr(entry, data)
    return file.getvalue()


def _clock(moment: int) -> datetime:
    return datetime.fromtimestamp(max(moment, _EARLIEST), UTC)


def _write_page(title: str, body: str, attributes: str) -> bytes:
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE html>\n'
        f'<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"{attributes}>\n'
        f'<head><title>{escape(title)}</title><link rel="stylesheet" type="text/css" href="style.css"/></head>\n'
        f"<body>\n{body}</body>\n</html>\n"
    ).encode("utf-8", "replace")


def _write_front(cover: Cover, chapters: Sequence[Chapter]) -> str:
    return f"<h1>{escape(cover.title)}</h1>\n" + write_contents(chapters, lambda chapter: f"{chapter.name}.xhtml")


def write_contents(chapters: Sequence[Chapter], link: Callable[[Chapter], str]) -> str:
    """The titles of chapters by category, each with its origin and one sentence of it."""
    written: list[str] = []
    groups = list(dict.fromkeys(chapter.category for chapter in chapters))
    for category in groups:
        items = [
            f'<li><a href="{link(chapter)}">{escape(chapter.title)}</a>'
            + (f"<p{chapter.attributes}>{escape(chapter.summary)}</p>" if chapter.summary else "")
            + f"<p><small>{escape(chapter.origin)}</small></p></li>\n"
            for chapter in chapters
            if chapter.category == category
        ]
        name = category[:1].upper() + category[1:] if category or len(groups) == 1 else "Other"
        heading = f"<h2>{escape(name)}</h2>\n" if name else ""
        written.append(f'{heading}<ul class="contents">\n{"".join(items)}</ul>\n')
    return "".join(written)


def _write_contents(cover: Cover, chapters: Sequence[Chapter]) -> bytes:
    """The navigation that reading systems show; it must have an item at least."""
    items = "".join(f'<li><a href="{chapter.name}.xhtml">{escape(chapter.title)}</a></li>\n' for chapter in chapters)
    front = f'<li><a href="front.xhtml">{escape(cover.title)}</a></li>\n'
    return _write_page("Contents", f'<nav epub:type="toc"><h1>Contents</h1><ol>\n{front}{items}</ol></nav>\n', "")


def _write_package(cover: Cover, chapters: Sequence[Chapter], pictures: Sequence[Item]) -> str:
    named = "\n".join([cover.title, str(cover.moment), *(chapter.markup for chapter in chapters)])
    page = 'media-type="application/xhtml+xml"'
    manifest = [
        f'<item id="contents" href="contents.xhtml" {page} properties="nav"/>',
        f'<item id="front" href="front.xhtml" {page}/>',
        '<item id="style" href="style.css" media-type="text/css"/>',
        *(f'<item id="{chapter.name}" href="{chapter.name}.xhtml" {page}/>' for chapter in chapters),
        *(
            f'<item id="image-{number}" href="{picture.path}" media-type="{picture.type}"/>'
            for number, picture in enumerate(pictures, 1)
        ),
    ]
    spine = ['<itemref idref="front"/>', *(f'<itemref idref="{chapter.name}"/>' for chapter in chapters)]
    languages = dict.fromkeys([cover.language, *(chapter.language for chapter in chapters if chapter.language)])
    return "\n".join(
        [
            '<?xml version="1.0" encoding="UTF-8"?>',
            '<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="identifier">',
            '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">',
            f'<dc:identifier id="identifier">urn:uuid:{uuid.uuid5(_SPACE, named)}</dc:identifier>',
            f"<dc:title>{escape(cover.title)}</dc:title>",
            *(f"<dc:language>{language}</dc:language>" for language in languages),
            f"<dc:date>{_clock(cover.moment):%Y-%m-%d}</dc:date>",
            f'<meta property="dcterms:modified">{_clock(cover.moment):%Y-%m-%dT%H:%M:%SZ}</meta>',
            "</metadata>",
            "<manifest>",
            *manifest,
            "</manifest>",
            "<spine>",
            *spine,
            "</spine>",
            "</package>\n",
        ]
    )
