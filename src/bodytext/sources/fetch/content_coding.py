"""Decompress a body as its Content-Encoding says, within limits."""

from collections.abc import Callable
from importlib.util import find_spec

from bodytext.sources.compression import unpack_deflate, unpack_gzip
from bodytext.sources.fetch.errors import CodingError
from bodytext.sources.fetch.limits import MIB, FetchLimits

_HARMLESS = MIB  # a body that expands to less is no danger, whatever its ratio
_MOST_LAYERS = 2
# The last three by hosts that misunderstand it.
_NO_CODINGS = frozenset({"", "identity", "none", "utf-8", "utf8"})
_LARGEST_WINDOW = 8 * MIB  # of zstd in HTTP: RFC 9659

_Unpacker = Callable[[bytes, int], bytes]


def unpack_body(body: bytes, coding: str, limits: FetchLimits) -> bytes:
    """Decompress a body, or raise a CodingError if its coding is broken, unknown or a bomb."""
    layers = [
        name for part in coding.split(",") if (name := part.strip().lower()) not in _NO_CODINGS
    ]
    if len(layers) > _MOST_LAYERS:
        raise CodingError(f"the body is packed {len(layers)} times over")
    most = min(limits.max_bytes, max(len(body) * limits.max_ratio, _HARMLESS))
    for name in reversed(layers):
        unpack = _UNPACKERS.get(name)
        if unpack is None:
            raise CodingError(f"the body is packed with {name[:40]!r}, which is not known here")
        try:
            body = unpack(body, most)
        except ValueError as error:
            raise CodingError(f"the body cannot be unpacked: {error}") from None
        if len(body) > most:
            raise CodingError(f"the body unpacks to more than {most:,} bytes")
    return body


def _unpack_brotli(body: bytes, most: int) -> bytes:
    import brotli

    decompressor, pieces, size = brotli.Decompressor(), [], 0
    try:
        while not decompressor.is_finished() and size <= most:
            piece = decompressor.process(body, output_buffer_limit=most - size + 1)
            body = b""
            if not piece:
                raise CodingError("the packed body ends early")
            pieces.append(piece)
            size += len(piece)
    except brotli.error as error:
        raise CodingError(f"the packed body is broken ({error})") from None
    return b"".join(pieces)


def _unpack_zstd(body: bytes, most: int) -> bytes:
    import zstandard

    decompressor = zstandard.ZstdDecompressor(max_window_size=_LARGEST_WINDOW)
    try:
        with decompressor.stream_reader(body, read_across_frames=True) as reader:
            return bytes(reader.read(most + 1))
    except zstandard.ZstdError as error:
        raise CodingError(f"the packed body is broken ({error})") from None


def _list_unpackers() -> dict[str, _Unpacker]:
    # Some caches declare gzip and send plain bytes: it takes both.
    unpackers: dict[str, _Unpacker] = {
        "gzip": unpack_gzip,
        "x-gzip": unpack_gzip,
        "deflate": unpack_deflate,
    }
    if find_spec("brotli"):
        import brotli

        # Before 1.2 nothing stopped a bomb.
        if hasattr(brotli.Decompressor(), "can_accept_more_data"):
            unpackers["br"] = _unpack_brotli
    if find_spec("zstandard"):
        unpackers["zstd"] = _unpack_zstd
    return unpackers


_UNPACKERS = _list_unpackers()
ACCEPTED = ", ".join(name for name in _UNPACKERS if name != "x-gzip")
