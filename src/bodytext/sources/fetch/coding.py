"""A body as it was sent, and its Content-Encoding -> the body itself, within limits."""

from collections.abc import Callable
from importlib.util import find_spec

from bodytext.sources.fetch.errors import CodingError
from bodytext.sources.fetch.limits import MIB, Limits
from bodytext.sources.packing import unpack_deflate, unpack_gzip

_SMALL = MIB  # what unpacks to less harms nobody, whatever its ratio
_MOST_LAYERS = 2
_NO_CODINGS = frozenset({"", "identity", "none", "utf-8", "utf8"})  # the last three by hosts that misunderstand it
_LARGEST_WINDOW = 8 * MIB  # of zstd in HTTP: RFC 9659


def unpack_body(body: bytes, coding: str, limits: Limits) -> bytes:
    """The body unpacked as its Content-Encoding says; a CodingError where it is broken, unknown or a bomb."""
    layers = [name for part in coding.split(",") if (name := part.strip().lower()) not in _NO_CODINGS]
    if len(layers) > _MOST_LAYERS:
        raise CodingError(f"the body is packed {len(layers)} times over")
    room = min(limits.max_bytes, max(len(body) * limits.max_ratio, _SMALL))
    for name in reversed(layers):
        unpack = _UNPACKERS.get(name)
        if unpack is None:
            raise CodingError(f"the body is packed with {name[:40]!r}, which is not known here")
        body = unpack(body, room)
        if len(body) > room:
            raise CodingError(f"the body unpacks to more than {room:,} bytes")
    return body


def _unpack_with(unpack: Callable[[bytes, int], bytes]) -> Callable[[bytes, int], bytes]:
    def unpack_or_say(body: bytes, room: int) -> bytes:
        try:
            return unpack(body, room)
        except ValueError as problem:
            raise CodingError(f"the body cannot be unpacked: {problem}") from None

    return unpack_or_say


def _unpack_brotli(body: bytes, room: int) -> bytes:
    import brotli

    unpacker, pieces, size = brotli.Decompressor(), [], 0
    try:
        while not unpacker.is_finished() and size <= room:
            piece = unpacker.process(body, output_buffer_limit=room - size + 1)
            body = b""
            if not piece:
                raise CodingError("the packed body ends early")
            pieces.append(piece)
            size += len(piece)
    except brotli.error as problem:
        raise CodingError(f"the packed body is broken ({problem})") from None
    return b"".join(pieces)


def _unpack_zstd(body: bytes, room: int) -> bytes:
    import zstandard

    unpacker = zstandard.ZstdDecompressor(max_window_size=_LARGEST_WINDOW)
    try:
        with unpacker.stream_reader(body, read_across_frames=True) as reader:
            return bytes(reader.read(room + 1))
    except zstandard.ZstdError as problem:
        raise CodingError(f"the packed body is broken ({problem})") from None


def _known() -> dict[str, Callable[[bytes, int], bytes]]:
    known: dict[str, Callable[[bytes, int], bytes]] = {
        "gzip": _unpack_with(unpack_gzip),  # also what is said to be packed, and is not: some caches answer so
        "x-gzip": _unpack_with(unpack_gzip),
        "deflate": _unpack_with(unpack_deflate),
    }
    if find_spec("brotli"):
        import brotli

        # Before 1.2 nothing stopped a bomb.
        if hasattr(brotli.Decompressor(), "can_accept_more_data"):
            known["br"] = _unpack_brotli
    if find_spec("zstandard"):
        known["zstd"] = _unpack_zstd
    return known


_UNPACKERS = _known()
ACCEPTED = ", ".join(name for name in _UNPACKERS if name != "x-gzip")
