"""parse: the bytes or text of a page -> Page (decode, then scan)."""

from bodytext._kernel import scan
from bodytext.encoding import decode
from bodytext.page import Blocks, Nodes, Page, Runs

MAX_BYTES = 2**31 - 2  # offsets are 32-bit

# How files that are no pages begin.
_MARKS: tuple[tuple[bytes, str], ...] = (
    (b"%PDF-", "PDF"),
    (b"\x89PNG\r\n", "PNG"),
    (b"\xff\xd8\xff", "JPEG"),
    (b"GIF87a", "GIF"),
    (b"GIF89a", "GIF"),
    (b"PK\x03\x04", "ZIP"),
    (b"\x1f\x8b\x08", "gzip"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "old Microsoft Office"),
    (b"\x7fELF", "program"),
    (b"OggS", "Ogg"),
    (b"ID3", "MP3"),
    (b"II*\0", "TIFF"),
    (b"MM\0*", "TIFF"),
    (b"\x00\x00\x01\x00", "icon"),
    (b"wOF2", "font"),
)
_MARKS_INSIDE = ((b"RIFF", 8, b"WEBP", "WebP"), (b"RIFF", 8, b"WAVE", "WAV"), (b"\0\0\0", 4, b"ftyp", "MP4"))


def parse(html: bytes | str, *, url: str = "", charset: str | None = None) -> Page:
    """The tables of a page. `charset` is what the server said, if anything; bytes are decoded as browsers do it."""
    decoded = decode(html, charset)
    if len(decoded.source) > MAX_BYTES:
        raise ValueError(f"a page of {len(decoded.source):,} bytes is too large: the limit is {MAX_BYTES:,}")
    nodes, runs, blocks, tags = scan(decoded.source)
    for table in (nodes, runs, blocks):
        table.flags.writeable = False
    return Page(decoded.source, url, decoded.encoding, Nodes(*nodes), Runs(*runs), Blocks(*blocks), tags)


def foreign_format(data: bytes | str) -> str:
    """The format of bytes that are no web page, such as "PDF" or "PNG"; empty for anything that may be one.

    >>> foreign_format(b"%PDF-1.7 ...")
    'PDF'
    """
    if isinstance(data, str):
        return ""
    for mark, name in _MARKS:
        if data.startswith(mark):
            return name
    for mark, offset, second, name in _MARKS_INSIDE:
        if data.startswith(mark) and data[offset : offset + len(second)] == second:
            return name
    return ""
