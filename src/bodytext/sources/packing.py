"""Bytes packed with gzip or deflate -> the bytes inside, within a limit; else a ValueError that says why."""

import zlib

GZIP_MARK = b"\x1f\x8b"
CUT_OFF = "cut off: the packed data ends before what it holds does"
_GZIP, _ZLIB, _RAW = 31, 15, -15  # zlib's wbits
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
                raise ValueError(_too_large(most))
        position -= len(unpacker.unused_data)
    return b"".join(pieces)


def unpack_deflate(data: bytes, most: int, *, whole: bool = True) -> bytes:
    """Data packed in one of the two ways that servers call deflate: the one of the standard, or the bare one."""
    for kind in (_ZLIB, _RAW):
        unpacker = zlib.decompressobj(wbits=kind)
        try:
            unpacked = unpacker.decompress(data, most + 1)
        except zlib.error as error:
            problem = error
            continue
        if len(unpacked) > most:
            raise ValueError(_too_large(most))
        if whole and not unpacker.eof:
            raise ValueError(CUT_OFF)
        return unpacked
    raise ValueError(f"broken deflate data ({problem})")


def _too_large(most: int) -> str:
    return f"unpacks to more than {most:,} bytes"


def _inflate(unpacker: "zlib._Decompress", packed: bytes, most: int) -> bytes:
    try:
        return unpacker.decompress(packed, most)
    except zlib.error as error:
        raise ValueError(f"broken gzip data ({error})") from None
