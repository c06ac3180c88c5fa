"""Turn the bytes of a page into UTF-8.

The order of evidence is that of browsers (WHATWG Encoding and HTML standards): a byte-order mark,
the caller's label (from HTTP), a label in the page's head, then a guess. Labels have the meaning
the standard gives them, so `iso-8859-1` is windows-1252 and `gb2312` is GBK.

Four deviations keep the text right if labels are wrong:

* A page that is valid UTF-8 with at least `SURE_SEQUENCES` multi-byte sequences is UTF-8, whatever a legacy label says.
  On the pages of `benchmarks/encoding_guess.py --messages` a run of non-ASCII bytes in another encoding was valid UTF-8
  by chance in 0.1 % of cases, in the worst encoding (GB18030) in 2 %, and a page is valid only if all its runs are: for
  four runs that is less than one page in a million. Fewer sequences prove less; then the label decides.
* A label is refuted by bytes that do not fit it: UTF-8 with more than one broken sequence for every two whole ones (no
  page in another encoding had as many as one whole for two broken), a multi-byte encoding with more than one error for
  `CHARACTERS_PER_ERROR` characters, UTF-16 without a NUL. The next piece of evidence then decides. Milder damage
  becomes U+FFFD, as in browsers.
* windows-1252 is refuted by Vietnamese in windows-1258 (`vietnamese`), which is often labelled so. No page of
  `benchmarks/encoding_guess.py` in another language or encoding was mistaken for it.
* UTF-16 without a mark and ISO-2022-JP are recognised by their NUL bytes and escapes before any label is believed.

windows-1258 writes Vietnamese tones as combining marks after the vowel; the decoded text is
composed (NFC), because every other Vietnamese page has composed letters. The label `x-user-defined`
is read as windows-1252.

The prescan of the head and the guess with its tables are imported when a page needs them: most
pages do not.
"""

from collections.abc import Iterator
from typing import NamedTuple

from bodytext.kernel import count_sequences
from bodytext.page.encoding.codecs import REPLACEMENT, SINGLE_BYTE_CODECS, has_japanese_escape, read
from bodytext.page.encoding.names import encoding_for_label
from bodytext.page.encoding.unicode import UTF_16_BYTES, repair_utf_8, to_utf_8, utf_16_order

SURE_SEQUENCES = 4
CHARACTERS_PER_ERROR = 20

_PAGES = (str, bytes, bytearray, memoryview)
_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16le"), (b"\xfe\xff", "utf-16be"))
_FIRST_OF_MARKS = frozenset(mark[:1] for mark, _ in _MARKS)


class Decoded(NamedTuple):
    """A page as UTF-8 without a byte-order mark, the name of its encoding, and the evidence."""

    source: bytes
    encoding: str
    origin: str


def decode(page: bytes | bytearray | memoryview | str, charset: str | None = None) -> Decoded:
    """Return `page` as UTF-8.

    `charset` is a label or a whole Content-Type header, ignored if it is unknown. `origin` is
    "text" (page was a str), "mark", "caller", "meta", "utf-8" (the bytes themselves) or "detected".
    """
    if isinstance(page, str):
        return Decoded(to_utf_8(page.removeprefix("\ufeff")), "utf-8", "text")
    if not isinstance(page, bytes):
        require_page(page)
    data = bytes(page)
    if data[:1] in _FIRST_OF_MARKS or data.find(b"\0", 0, UTF_16_BYTES) >= 0:  # few pages
        decoded = _by_mark(data) or _by_order(data)
        if decoded:
            return decoded
    return _by_sequences(data) or _by_label(data, charset) or _by_guess(data)


def require_page(page: object) -> None:
    """Refuse anything but a page, such as a path or a number."""
    if not isinstance(page, _PAGES):
        raise TypeError(f"a page is bytes or str, not {type(page).__name__}; read the file first")


def _by_mark(data: bytes) -> Decoded | None:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            body = data[len(mark) :]
            if encoding == "utf-8" and count_sequences(body) >= 0:
                return Decoded(body, encoding, "mark")
            return Decoded(to_utf_8(read(body, encoding)), encoding, "mark")
    return None


def _by_order(data: bytes) -> Decoded | None:
    """Decide evident UTF-16, which no label can change."""
    order = utf_16_order(data)
    return Decoded(to_utf_8(read(data, order)), order, "detected") if order else None


def _by_sequences(data: bytes) -> Decoded | None:
    """Decide what no label can change either: evident UTF-8 and ISO-2022-JP, and plain ASCII."""
    count = count_sequences(data)
    if count >= SURE_SEQUENCES:  # most pages
        return Decoded(data, "utf-8", "utf-8")
    if count:
        return None
    if has_japanese_escape(data):
        return Decoded(to_utf_8(read(data, "iso-2022-jp")), "iso-2022-jp", "detected")
    return Decoded(data, "utf-8", "utf-8")


def _by_label(data: bytes, charset: str | None) -> Decoded | None:
    for encoding, origin in _labels(data, charset):
        source = _fitting(data, encoding)
        if source is not None:
            return Decoded(source, encoding, origin)
    return None


def _by_guess(data: bytes) -> Decoded:
    if count_sequences(data) >= 0:
        return Decoded(data, "utf-8", "utf-8")
    source = repair_utf_8(data)
    if source is not None:
        return Decoded(source, "utf-8", "detected")
    from bodytext.page.encoding.detection import guess

    encoding = guess(data)
    return Decoded(to_utf_8(read(data, encoding)), encoding, "detected")


def _labels(data: bytes, charset: str | None) -> Iterator[tuple[str, str]]:
    """Yield the encodings that the caller and the page name, in the order browsers trust them."""
    from bodytext.page.encoding.prescan import encoding_in_content, prescan

    if charset:
        named = encoding_for_label(charset) or encoding_in_content(
            charset.encode("utf-8", "replace")
        )
        if named:
            yield ("windows-1252" if named == "x-user-defined" else named), "caller"
    named = prescan(data)
    if named:
        yield named, "meta"


def _fitting(data: bytes, encoding: str) -> bytes | None:
    """Return `data` decoded as `encoding`, or None if the bytes refute that label."""
    if encoding == "utf-8":
        return data if count_sequences(data) >= 0 else repair_utf_8(data)
    if encoding.startswith("utf-16"):
        return to_utf_8(read(data, encoding)) if b"\0" in data else None
    if encoding == "windows-1252":
        from bodytext.page.encoding.vietnamese import is_vietnamese

        return None if is_vietnamese(data) else to_utf_8(read(data, encoding))
    if encoding in SINGLE_BYTE_CODECS:
        return to_utf_8(read(data, encoding))
    text = read(data, encoding)
    source = to_utf_8(text)
    # A last character that is cut in two was damaged in transport; it is no evidence against the
    # label.
    errors = text.count(REPLACEMENT) - text.endswith(REPLACEMENT)
    return None if errors * CHARACTERS_PER_ERROR > count_sequences(source) else source
