"""Unpack the body of a request as its Content-Encoding says."""

from bodytext.sources.compression import GZIP_MARK, OversizeError, unpack_deflate, unpack_gzip

CODINGS = ("gzip", "deflate", "identity")


class UnpackError(ValueError):
    """A body that cannot be unpacked, with the HTTP status for it."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def is_packed(body: bytes, coding: str) -> bool:
    """Whether a body is packed according to its header or its first bytes."""
    return coding in {"gzip", "deflate"} or body.startswith(GZIP_MARK)


def unpack(body: bytes, coding: str, most: int) -> bytes:
    """Return the bytes of a page. Gzip data without a header is unpacked too, as in a file.

    >>> unpack(b"<p>as it is", "", 100)
    b'<p>as it is'
    """
    if not is_packed(body, coding):
        return body
    unpack_body = unpack_gzip if body.startswith(GZIP_MARK) else unpack_deflate
    try:
        return unpack_body(body, most)
    except OversizeError as problem:
        raise UnpackError(413, f"the body {problem}, the most that this server accepts") from None
    except ValueError as problem:
        name = coding or "gzip"
        message = f"the body is not valid {name} ({problem}); send it whole, or unpacked"
        raise UnpackError(400, message) from None
