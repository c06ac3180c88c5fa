"""Write chapters and images as a book, in the W3C's EPUB 3.3."""

import io
import uuid
import zipfile
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from bodytext.output.html import escape
from bodytext.reader.digest.chapters import STYLE, Chapter

MEDIA_TYPE = "application/epub+zip"
# The types of images that every reading system must show, and the endings of their files.
IMAGE_ENDINGS = {"image/jpeg": "jpg", "image/png": "png", "image/gif": "gif", "image/webp": "webp"}
_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "https://bodytext.example/digest")
_PACKAGE = "http://www.idpf.org/2007/opf"
_EARLIEST = 315_532_800  # 1980: files in a zip cannot be older
_CONTAINER = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="EPUB/package.opf" media-type="application/oebps-package+xml"/>'
    "</rootfiles></container>\n"
)


class BookFile(NamedTuple):
    """A file of the book."""

    path: str
    type: str
    data: bytes


class BookInfo(NamedTuple):
    """The metadata of the book."""

    title: str
    moment: int
    language: str


def write_epub(
    info: BookInfo, chapters: Sequence[Chapter], images: Sequence[BookFile] = ()
) -> bytes:
    """Write a book of chapters, with a page of contents before them."""
    language = f' lang="{info.language}" xml:lang="{info.language}"'
    front = _write_page(info.title, _write_front(info, chapters), language)
    pages = [
        BookFile(
            f"{chapter.name}.xhtml",
            "",
            _write_page(chapter.title, chapter.markup, chapter.attributes),
        )
        for chapter in chapters
    ]
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as book:
        for path, data in (
            ("mimetype", MEDIA_TYPE.encode()),
            ("META-INF/container.xml", _CONTAINER.encode()),
            ("EPUB/package.opf", _write_package(info, chapters, images).encode()),
            ("EPUB/contents.xhtml", _write_navigation(info, chapters)),
            ("EPUB/front.xhtml", front),
            ("EPUB/style.css", STYLE.encode()),
            *((f"EPUB/{page.path}", page.data) for page in pages),
            *((f"EPUB/{image.path}", image.data) for image in images),
        ):
            entry = zipfile.ZipInfo(path, _date_of(info.moment).timetuple()[:6])
            # The type must be readable at the start of the file; an image is compressed already.
            is_stored = path == "mimetype" or path.startswith("EPUB/images/")
            entry.compress_type = zipfile.ZIP_STORED if is_stored else zipfile.ZIP_DEFLATED
            book.writestr(entry, data)
    return file.getvalue()


def _date_of(moment: int) -> datetime:
    return datetime.fromtimestamp(max(moment, _EARLIEST), UTC)


def _write_page(title: str, body: str, attributes: str) -> bytes:
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE html>\n'
        '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"'
        f"{attributes}>\n<head><title>{escape(title)}</title>"
        '<link rel="stylesheet" type="text/css" href="style.css"/></head>\n'
        f"<body>\n{body}</body>\n</html>\n"
    ).encode("utf-8", "replace")


def _write_front(info: BookInfo, chapters: Sequence[Chapter]) -> str:
    contents = write_contents(chapters, lambda chapter: f"{chapter.name}.xhtml")
    return f"<h1>{escape(info.title)}</h1>\n{contents}"


def write_contents(chapters: Sequence[Chapter], link: Callable[[Chapter], str]) -> str:
    """Write the titles of chapters by category, each with its origin and one sentence."""
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


def _write_navigation(info: BookInfo, chapters: Sequence[Chapter]) -> bytes:
    """Write the navigation that reading systems show; it must have one item or more."""
    pages = [("front", info.title), *((chapter.name, chapter.title) for chapter in chapters)]
    items = [f'<li><a href="{name}.xhtml">{escape(title)}</a></li>\n' for name, title in pages]
    heading = '<nav epub:type="toc"><h1>Contents</h1>'
    return _write_page("Contents", f"{heading}<ol>\n{''.join(items)}</ol></nav>\n", "")


def _write_package(info: BookInfo, chapters: Sequence[Chapter], images: Sequence[BookFile]) -> str:
    content = "\n".join([info.title, str(info.moment), *(chapter.markup for chapter in chapters)])
    identifier = f"urn:uuid:{uuid.uuid5(_NAMESPACE, content)}"
    page = 'media-type="application/xhtml+xml"'
    manifest = [
        f'<item id="contents" href="contents.xhtml" {page} properties="nav"/>',
        f'<item id="front" href="front.xhtml" {page}/>',
        '<item id="style" href="style.css" media-type="text/css"/>',
        *(
            f'<item id="{chapter.name}" href="{chapter.name}.xhtml" {page}/>'
            for chapter in chapters
        ),
        *(
            f'<item id="image-{number}" href="{image.path}" media-type="{image.type}"/>'
            for number, image in enumerate(images, 1)
        ),
    ]
    names = ["front", *(chapter.name for chapter in chapters)]
    languages = [info.language, *(chapter.language for chapter in chapters if chapter.language)]
    return "\n".join(
        [
            '<?xml version="1.0" encoding="UTF-8"?>',
            f'<package xmlns="{_PACKAGE}" version="3.0" unique-identifier="identifier">',
            '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">',
            f'<dc:identifier id="identifier">{identifier}</dc:identifier>',
            f"<dc:title>{escape(info.title)}</dc:title>",
            *(f"<dc:language>{language}</dc:language>" for language in dict.fromkeys(languages)),
            f"<dc:date>{_date_of(info.moment):%Y-%m-%d}</dc:date>",
            f'<meta property="dcterms:modified">{_date_of(info.moment):%Y-%m-%dT%H:%M:%SZ}</meta>',
            "</metadata>",
            "<manifest>",
            *manifest,
            "</manifest>",
            "<spine>",
            *(f'<itemref idref="{name}"/>' for name in names),
            "</spine>",
            "</package>\n",
        ]
    )
