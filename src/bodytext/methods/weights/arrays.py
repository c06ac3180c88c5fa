"""Read a file of weights, which may be anybody's: plain numbers in a zip file, as numpy writes them.

numpy's own reader believes what the file says of itself: it unpacks a zip bomb and evaluates headers.
A file whose arrays are not packed, as ours are, is read here; for all others `zipfile` is imported,
which takes longer than reading the arrays.
"""

import os
import re
import struct
import zlib
from collections.abc import Iterator
from math import prod
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from zipfile import ZipFile, ZipInfo

Matrix = npt.NDArray[np.float32]

LARGEST = 4 * 2**20  # bytes, packed and unpacked; the learned method's weights have 0.3 million
_MOST_ARRAYS = 1_000
_BEGINNING = b"\x93NUMPY\x01\x00"  # numpy writes this version for all plain arrays
_LENGTH_BYTES = 2  # that give the length of the header, after the beginning
_HEADER = re.compile(
    rb"\{'descr': '([<>]f4)', 'fortran_order': (True|False), 'shape': \(([0-9, ]{0,60})\), \} *+\n"
)
_IS_ENCRYPTED = 1  # a flag of zip files
_LARGEST_DIMENSION = 7  # digits
_LARGEST_NUMBER = 1_000_000  # sums of products stay finite; the learned method's has 83
# The parts of a zip file: the end of its directory, an entry of the directory, a file's own header.
_END = struct.Struct("<4s4HIIH")
_ENTRY = struct.Struct("<4s6H3I5HII")
_LOCAL = struct.Struct("<4s5H3I2H")


def unpack_arrays(path: str | os.PathLike[str]) -> dict[str, Matrix]:
    """Return the arrays in a file by name; a ValueError says what is wrong with the file."""
    # pathlib takes longer to import than all arrays to read.
    if os.stat(path).st_size > LARGEST:  # noqa: PTH116
        raise ValueError(f"it has more than {LARGEST:,} bytes, which is the limit")
    with open(path, "rb") as file:  # noqa: PTH123
        data = file.read(LARGEST + 1)
    try:
        members = dict(_read_stored(data))
    except (_NotStoredError, struct.error):
        return _unzip_arrays(path)
    return {name: _check_array(name, member) for name, member in members.items()}


class _NotStoredError(Exception):
    """A zip file of which anything is not as it is in ours."""


def _read_stored(data: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the bytes of each file in a zip file that packs none of them."""
    mark, _, _, count, all_files, size, place, comment = _END.unpack(data[-_END.size :])
    start, end = place, len(data) - _END.size
    if mark != b"PK\5\6" or count != all_files or comment or start + size != end:
        raise _NotStoredError
    if not 0 < count <= _MOST_ARRAYS:
        raise _NotStoredError
    total = 0
    for _ in range(count):
        mark, _, _, flags, method, _, _, check, packed, size, *lengths, _, _, _, at = (
            _ENTRY.unpack_from(data, start)
        )
        name_at = start + _ENTRY.size
        name = data[name_at : name_at + lengths[0]]
        start = name_at + sum(lengths)
        own, *_, name_length, extra_length = _LOCAL.unpack_from(data, at)
        first = at + _LOCAL.size + name_length + extra_length
        member = data[first : first + size]
        if (mark, own) != (b"PK\1\2", b"PK\3\4") or flags & _IS_ENCRYPTED or method:
            raise _NotStoredError
        total += size  # several names may lead to one place
        if (
            total > LARGEST
            or packed != size
            or zlib.crc32(member) != check
            or start > end
            or not name.isascii()
        ):
            raise _NotStoredError
        yield name.decode("ascii").removesuffix(".npy"), member


def _unzip_arrays(path: str | os.PathLike[str]) -> dict[str, Matrix]:
    """Return the arrays in any zip file."""
    from zipfile import BadZipFile, ZipFile

    try:
        with ZipFile(path) as file:
            members = file.infolist()
            _check_sizes(members)
            return {member.filename[:-4]: _read_array(file, member) for member in members}
    except (
        BadZipFile, zlib.error, struct.error, EOFError, OSError, OverflowError, RuntimeError,
    ) as error:  # fmt: skip
        raise ValueError(f"it is no zip file, or a damaged one: {error}") from None


def _check_sizes(members: "list[ZipInfo]") -> None:
    if not 0 < len(members) <= _MOST_ARRAYS:
        raise ValueError(f"it has {len(members):,} arrays, not 1 to {_MOST_ARRAYS:,}")
    if sum(member.file_size for member in members) > LARGEST:
        raise ValueError(f"unpacked it has more than {LARGEST:,} bytes, which is the limit")


def _read_array(file: "ZipFile", member: "ZipInfo") -> Matrix:
    from zipfile import ZIP_DEFLATED, ZIP_STORED

    methods = (ZIP_STORED, ZIP_DEFLATED)
    is_plain = member.compress_type in methods and not member.flag_bits & _IS_ENCRYPTED
    if not member.filename.endswith(".npy") or not is_plain:
        raise ValueError(f"{member.filename[:100]!r} in it is no array")
    with file.open(member) as packed:
        # Without a size it would unpack everything, whatever the file says of its own size.
        data = packed.read(member.file_size)
    return _check_array(member.filename, data)


def _check_array(name: str, data: bytes) -> Matrix:
    array = _decode_array(data)
    if array is None:
        raise ValueError(f"{name[:100]!r} in it is no array of 32-bit numbers")
    if array.size and not max(array.max(), -array.min()) <= _LARGEST_NUMBER:  # nor NaN
        raise ValueError(f"{name[:100]!r} in it has numbers beyond {_LARGEST_NUMBER:,}")
    return array


def _decode_array(data: bytes) -> Matrix | None:
    """Return the array in a file of numpy's format; None if there is none of ours."""
    start = len(_BEGINNING) + _LENGTH_BYTES
    stop = start + int.from_bytes(data[len(_BEGINNING) : start], "little")
    header = _HEADER.fullmatch(data[start:stop])
    if header is None or not data.startswith(_BEGINNING):
        return None
    shape = _read_shape(header[3].decode())
    if shape is None or len(data) - stop != 4 * prod(shape):
        return None
    numbers = np.frombuffer(data, header[1].decode(), offset=stop).astype(np.float32)
    if header[2] == b"True":
        return numbers.reshape(shape[::-1]).T
    return numbers.reshape(shape)


def _read_shape(text: str) -> tuple[int, ...] | None:
    sizes = [size.strip() for size in text.removesuffix(",").split(",")] if text else []
    if not all(size.isdigit() and len(size) <= _LARGEST_DIMENSION for size in sizes):
        return None
    return tuple(int(size) for size in sizes)
