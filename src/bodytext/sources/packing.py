"""Bytes that may be packed with gzip -> the bytes inside, whole and within a limit; else a ValueError that says why."""

import zlib

GZIP_MARK = b"\x1f\x8b"
CUT_OFF = "cut off: the gzip data ends before what it holds does"
_GZIP = 31  # zlib's wbits
_STEP = 2**13  # bytes at a time: what stands behind the end of a member is copied, and members can be tiny


def unpack_gzip(data: bytes, most: int) -> bytes:
    """All members of gzip data, one behind the other; data that is no gzip is as it is. What follows is passed over."""
    if not data.startswith(GZIP_MARK):
        return data
    pieces: list[bytes] = []
    position, room = 0, most
    while data.startswith(GZIP_MARK, position):
        unpacker = zlib.decompressobj(wbits=_GZIP)
        while not unpacker.eof:
            packed = data[position : position + _STEP]
            if not packed:
                raise ValueError(CUT_OFF)
            pieces.append(_inflate(unpacker, packed, room + 1))
            position += len(packed)
            room -= len(pieces[-1])
            if room < 0:
                raise ValueError(f"unpacks to more than {most:,} bytes")
        position -= len(unpacker.unused_data)
    return b"".join(pieces)


def _inflate(unpacker: "zlib._Decompress", packed: bytes, most: int) -> bytes:
    try:
        return unpacker.decompress(packed, most)
    except zlib.error as error:
        raise ValueError(f"broken gzip data ({error})") from None
