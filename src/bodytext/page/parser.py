"""Parse a page: decode its bytes, then scan them into tables."""

from typing import Any

from bodytext.kernel import count_controls, scan
from bodytext.page.encoding import decode, require_page
from bodytext.page.encoding.names import encoding_for_label
from bodytext.page.encoding.unicode import utf_16_order
from bodytext.page.markup import PAGES, read_markup
from bodytext.page.tables import Page

MAX_BYTES = 2**31 - 2  # offsets are 32-bit

# How files that are not pages begin: offset, bytes, format. The first that fits counts.
_MARKS: tuple[tuple[int, bytes, str], ...] = (
    (0, b"%PDF-", "PDF"),
    (0, b"{\\rtf1", "RTF"),
    (0, b"\x89PNG\r\n", "PNG"),
    (0, b"\xff\xd8\xff", "JPEG"),
    (0, b"GIF8", "GIF"),
    (0, b"BM", "BMP"),
    (0, b"PK\x03\x04", "ZIP"),
    (0, b"\x1f\x8b\x08", "gzip"),
    (0, b"BZh", "bzip2"),
    (0, b"\xfd7zXZ", "xz"),
    (0, b"7z\xbc\xaf", "7z"),
    (0, b"Rar!\x1a", "RAR"),
    (0, b"\xd0\xcf\x11\xe0", "old Microsoft Office"),
    (0, b"\x7fELF", "a program"),
    (0, b"MZ", "a program"),
    (0, b"OggS\0", "Ogg"),
    (0, b"PAR1", "Parquet"),
    (0, b"SQLite format 3\0", "SQLite"),
    (0, b"\x28\xb5\x2f\xfd", "Zstandard"),
    (0, b"\x93NUMPY", "NumPy"),
    (0, b"\x80\x02", "a pickle"),
    (0, b"\x80\x03", "a pickle"),
    (0, b"\x80\x04\x95", "a pickle"),
    (0, b"\x80\x05\x95", "a pickle"),
    (0, b"ID3", "MP3"),
    (0, b"\xff\xfb", "MP3"),
    (0, b"II*\0", "TIFF"),
    (0, b"MM\0*", "TIFF"),
    (0, b"8BPS", "Photoshop"),
    (0, b"\x1aE\xdf\xa3", "WebM"),
    (0, b"\0\0\x01\0", "an icon"),
    (0, b"wOF", "a font"),
    (0, b"\0\x01\0\0", "a font"),
    (8, b"WEBP", "WebP"),
    (8, b"WAVE", "WAV"),
    (4, b"ftypavif", "AVIF"),
    (4, b"ftyphei", "HEIC"),
    (4, b"ftyp", "MP4"),
    (257, b"ustar", "tar"),
)
_FIRST_BYTES = frozenset(mark[:1] for offset, mark, _ in _MARKS if not offset)
_HEAD_BYTES = 1024
_MOST_CONTROLS = 0.02  # of the head of a text
# Letters of no encoding: TCVN, VISCII and VPS have Vietnamese letters in place of other controls.
# SO and SI switch alphabets, and what damaged a text left one or two kinds in it.
_NO_LETTERS = b"\x07\x08\x0b\x0e\x0f\x18\x1a\x1f"
_BINARY_KINDS = 4  # of those
_BINARY_BYTES = 4096  # in which they are counted
_UTF_16_MARKS = (b"\xff\xfe", b"\xfe\xff")
# What people pass by mistake. Only the text is looked at: no page may make this look for files.
_NO_PAGE = {
    "the path of a page": "what the file holds",
    "the address of a page": "what you fetched from there",
}
_PATH, _ADDRESS = _NO_PAGE
_ENDS_OF_PATHS = (".html", ".htm", ".xhtml", ".html.gz")
_LONGEST_PATH = 4_096  # characters


def parse(html: Any, *, url: str = "", charset: str | None = None) -> Page:
    """Return a page as flat tables: its elements, runs of text and blocks.

    Arguments:
        html: the page as bytes, which are decoded as browsers do it, as str, or as a tree of lxml
            or BeautifulSoup.
        url: the address of the page.
        charset: the encoding that the server named, if any. An unknown name counts as none, as in
            browsers.

    Returns:
        A `Page`.

    Raises:
        TypeError: `html` is no page, or `url` or `charset` no text.
        ValueError: the page has 2 GiB or more.

    Example:
        >>> parse("<h1>Harbour</h1><p>Ships call at night.").texts()
        ['Harbour', 'Ships call at night.']
    """
    if not isinstance(url, str):
        raise TypeError(
            f"url is the page's address as str, not {type(url).__name__}; leave it out if there is none"
        )
    if charset is not None and not isinstance(charset, str):
        raise TypeError(
            f'charset is a name such as "utf-8", not {type(charset).__name__}; leave it out if there is none'
        )
    decoded = decode(html if isinstance(html, PAGES) else read_markup(html), charset)
    if len(decoded.source) > MAX_BYTES:
        raise ValueError(
            f"a page of {len(decoded.source):,} bytes is too large: the limit is {MAX_BYTES:,}"
        )
    nodes, runs, blocks, tags = scan(decoded.source)
    return Page(decoded.source, url, decoded.encoding, (nodes, runs, blocks), tags)


def foreign_format(data: bytes | str, charset: str | None = None) -> str:
    r"""Return the format of data that is not a web page, such as "PDF"; else an empty string.

    A mark that is also a word ("BM", "ID3") counts only if control characters follow it. A file
    full of those is not text, unless it is UTF-16; nor is one with "<" if the controls are of many
    kinds. NULs say nothing beside text: damaged pages have runs of them. A server may have named
    UTF-16 as the charset. A str may be the path of a page.

    >>> foreign_format(b"%PDF-1.7 ..."), foreign_format(b"ID3 tags explained"), foreign_format(b"\x01\x02" * 9)
    ('PDF', '', 'binary')
    """
    if isinstance(data, str):
        return _mistaken(data)
    if not isinstance(data, bytes):
        require_page(data)
        data = bytes(data)
    controls = count_controls(data, _HEAD_BYTES)
    if not controls and data[:1] not in _FIRST_BYTES:  # most pages
        return ""
    head = data[:_HEAD_BYTES]
    for offset, mark, name in _MARKS:
        if head.startswith(mark, offset) and (controls or not mark.isalnum() or mark == b"GIF8"):
            return name
    many = controls > _MOST_CONTROLS * len(head)
    return "binary" if many and _is_binary(data, str(charset)) else ""


def _is_binary(data: bytes, charset: str) -> bool:
    """Whether data that begins with many controls is no text, whatever its encoding."""
    if (
        (encoding_for_label(charset) or "").startswith("utf-16")
        or data.startswith(_UTF_16_MARKS)
        or utf_16_order(data)
    ):
        return False
    head = data[:_HEAD_BYTES].translate(None, b"\0")
    if not head:
        return not data.strip(b"\0")
    if b"<" not in head:
        return count_controls(head, _HEAD_BYTES) > _MOST_CONTROLS * len(head)
    return len(set(data[:_BINARY_BYTES]).intersection(_NO_LETTERS)) >= _BINARY_KINDS


def _mistaken(text: str) -> str:
    """Return what a str without any markup is instead of a page."""
    if len(text) > _LONGEST_PATH or "<" in text or len(text.split()) != 1:
        return ""
    text = text.strip().lower()
    if text.startswith(("http://", "https://")):
        return _ADDRESS
    return _PATH if text.endswith(_ENDS_OF_PATHS) else ""


def not_html(format_name: str) -> str:
    """Return the message about such a file."""
    if format_name in _NO_PAGE:
        return f"this is {format_name}, not the page: pass {_NO_PAGE[format_name]}"
    return f"this file is {format_name}, not HTML"
