"""Read a file of weights, which may be anybody's: plain numbers in a zip file, as numpy writes them.

numpy's own reader believes what the file says of itself: it unpacks a zip bomb and evaluates headers.
"""

import re
import struct
import zipfile
import zlib
from math import prod
from pathlib import Path

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.float32]

LARGEST = 4 * 2**20  # bytes, packed and unpacked; the learned method's weights have 0.3 million
_MOST_ARRAYS = 1_000
_BEGINNING = b"\x93NUMPY\x01\x00"  # numpy writes this version for all plain arrays
_LENGTH_BYTES = 2  # that give the length of the header, after the beginning
_HEADER = re.compile(
    rb"\{'descr': '([<>]f4)', 'fortran_order': (True|False), 'shape': \(([0-9, ]{0,60})\), \} *+\n"
)
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_IS_ENCRYPTED = 1  # a flag of zip files
_LARGEST_DIMENSION = 7  # digits
_LARGEST_NUMBER = 1_000_000  # sums of products stay finite; the learned method's has 83
# What zipfile raises for files that are broken or have something that it does not know.
_ZIP_ERRORS = (
    zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, OverflowError, RuntimeError,
)  # fmt: skip


def unpack_arrays(path: Path) -> dict[str, Matrix]:
    """Return the arrays in a file by name; a ValueError says what is wrong with the file."""
    if path.stat().st_size > LARGEST:
        raise ValueError(f"it has more than {LARGEST:,} bytes, which is the limit")
    try:
        with zipfile.ZipFile(path) as file:
            members = file.infolist()
            _check_sizes(members)
            return {member.filename[:-4]: _read_array(file, member) for member in members}
    except _ZIP_ERRORS as error:
        raise ValueError(f"it is no zip file, or a damaged one: {error}") from None


def _check_sizes(members: list[zipfile.ZipInfo]) -> None:
    if not 0 < len(members) <= _MOST_ARRAYS:
        raise ValueError(f"it has {len(members):,} arrays, not 1 to {_MOST_ARRAYS:,}")
    if sum(member.file_size for member in members) > LARGEST:
        raise ValueError(f"unpacked it has more than {LARGEST:,} bytes, which is the limit")


def _read_array(file: zipfile.ZipFile, member: zipfile.ZipInfo) -> Matrix:
    is_plain = member.compress_type in _METHODS and not member.flag_bits & _IS_ENCRYPTED
    if not member.filename.endswith(".npy") or not is_plain:
        raise ValueError(f"{member.filename[:100]!r} in it is no array")
    with file.open(member) as packed:
        # Without a size it would unpack everything, whatever the file says of its own size.
        data = packed.read(member.file_size)
    array = _decode_array(data)
    if array is None:
        raise ValueError(f"{member.filename[:100]!r} in it is no array of 32-bit numbers")
    if not (np.abs(array) <= _LARGEST_NUMBER).all():  # nor NaN
        raise ValueError(f"{member.filename[:100]!r} in it has numbers beyond {_LARGEST_NUMBER:,}")
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
