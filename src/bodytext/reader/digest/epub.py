"""Write chapters and images as a book, in the W3C's EPUB 3.3."""

import io
import uuid
import zipfile
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from bodytext.reader.digest.chapters import Chapter, render

MEDIA_TYPE = "application/epub+zip"
# The types of images that every reading system must show, and the endings of their files.
IMAGE_ENDINGS = {"image/jpeg": "jpg", "image/png": "png", "image/gif": "gif", "image/webp": "webp"}
_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "https://bodytext.example/digest")
_EARLIEST = 315_532_800  # 1980: files in a zip cannot be older


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
    date = datetime.fromtimestamp(max(info.moment, _EARLIEST), UTC)
    language = f' lang="{info.language}" xml:lang="{info.language}"'
    known = {"info": info, "chapters": chapters}
    content = "\n".join([info.title, str(info.moment), *(chapter.markup for chapter in chapters)])
    package = render(
        "package.opf",
        **known,
        images=images,
        date=date,
        identifier=f"urn:uuid:{uuid.uuid5(_NAMESPACE, content)}",
        languages=dict.fromkeys(
            [info.language, *(chapter.language for chapter in chapters if chapter.language)]
        ),
    )
    texts = {
        "mimetype": MEDIA_TYPE,
        "META-INF/container.xml": render("container.xml"),
        "EPUB/package.opf": package,
        "EPUB/contents.xhtml": render("navigation.xhtml", title="Contents", attributes="", **known),
        "EPUB/front.xhtml": render(
            "front.xhtml", title=info.title, attributes=language, is_page=False, **known
        ),
        "EPUB/style.css": render("style.css"),
    }
    for chapter in chapters:
        texts[f"EPUB/{chapter.name}.xhtml"] = render(
            "page.xhtml",
            title=chapter.title,
            attributes=chapter.attributes,
            body=chapter.markup,
        )
    files = {path: text.encode("utf-8", "replace") for path, text in texts.items()}
    files |= {f"EPUB/{image.path}": image.data for image in images}
    book = io.BytesIO()
    with zipfile.ZipFile(book, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files.items():
            entry = zipfile.ZipInfo(path, date.timetuple()[:6])
            # The type must be readable at the start of the file; an image is compressed already.
            is_stored = path == "mimetype" or path.startswith("EPUB/images/")
            entry.compress_type = zipfile.ZIP_STORED if is_stored else zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    return book.getvalue()
