"""unpack: a body as it was sent + its content coding -> the page's bytes, within a limit."""

import zlib

CODINGS = ("gzip", "deflate", "identity")
_GZIP_MARK = b"\x1f\x8b\x08"
_ANY_HEADER = 47  # zlib's word for "gzip or zlib, whichever it is"


def is_packed(body: bytes, coding: str) -> bool:
    """Whether a body is packed: its headers say so, or its first bytes do."""
    return coding in {"gzip", "deflate"} or body.startswith(_GZIP_MARK)


class UnpackError(ValueError):
    """A body that is not what it says, with the status that tells of it."""

    def __init__(self, status: int, words: str) -> None:
        super().__init__(words)
        self.status = status


def unpack(body: bytes, coding: str, most: int) -> bytes:
    """The bytes of a page. A body that is gzip without saying so is unpacked too, as a file would be.

    >>> unpack(b"<p>as it is", "", 100)
    b'<p>as it is'
    """
    if not is_packed(body, coding):
        return body
    unpacker = zlib.decompressobj(wbits=_ANY_HEADER)
    try:
        page = unpacker.decompress(body, most)
    except zlib.error as problem:
        raise UnpackError(400, f"the body is no whole {coding or 'gzip'} ({problem}); send it unpacked") from None
    if unpacker.unconsumed_tail:
        raise UnpackError(413, f"the body unpacks to more than {most:,} bytes, which is the most this server takes")
    if not unpacker.eof:
        raise UnpackError(400, f"the {coding or 'gzip'} of the body is cut off; send it whole, or unpacked")
    return page
