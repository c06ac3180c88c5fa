"""Unpack gzip and deflate data within a limit; a ValueError says what is wrong with the data."""

import zlib

GZIP_MARK = b"\x1f\x8b"
MAX_UNPACKED_BYTES = 512 * 2**20  # a gzip bomb stops here
CUT_OFF = "cut off: the packed data ends before what it holds does"
_GZIP, _ZLIB, _RAW = 31, 15, -15  # zlib's wbits
# Bytes at a time: zlib copies what follows the end of a member, and members can be tiny.
_STEP = 2**13


class OversizeError(ValueError):
    """Data of more bytes than the limit, before or after they are unpacked."""


def unpack_gzip(data: bytes, most: int = MAX_UNPACKED_BYTES) -> bytes:
    """Unpack all members of gzip data and ignore what follows them; return other data as it is."""
    if not data.startswith(GZIP_MARK):
        return data
    pieces: list[bytes] = []
    position, left = 0, most
    while data.startswith(GZIP_MARK, position):
        decompressor = zlib.decompressobj(wbits=_GZIP)
        while not decompressor.eof:
            packed = data[position : position + _STEP]
            if not packed:
                raise ValueError(CUT_OFF)
            pieces.append(_inflate(decompressor, packed, left + 1))
            position += len(packed)
            left -= len(pieces[-1])
            if left < 0:
                raise OversizeError(f"unpacks to more than {most:,} bytes")
        position -= len(decompressor.unused_data)
    return b"".join(pieces)


def unpack_deflate(data: bytes, most: int, *, whole: bool = True) -> bytes:
    """Unpack deflate data: zlib's, as the standard says, or raw, as some servers send it."""
    for wbits in (_ZLIB, _RAW):
        decompressor = zlib.decompressobj(wbits=wbits)
        try:
            unpacked = decompressor.decompress(data, most + 1)
        except zlib.error as error:
            problem = error
            continue
        if len(unpacked) > most:
            raise OversizeError(f"unpacks to more than {most:,} bytes")
        if whole and not decompressor.eof:
            raise ValueError(CUT_OFF)
        return unpacked
    raise ValueError(f"broken deflate data ({problem})")


def _inflate(decompressor: "zlib._Decompress", packed: bytes, most: int) -> bytes:
    try:
        return decompressor.decompress(packed, most)
    except zlib.error as error:
        raise ValueError(f"broken gzip data ({error})") from None
