"""A path or an address such as s3://bucket/key -> an open file, and what tells whether it has changed."""

import io
import os
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, BinaryIO, cast

_EXTRAS = {"s3": "s3", "http": "s3", "https": "s3"}  # aiohttp, which addresses of the web want, comes with s3fs
_WANTED = {"s3": "s3fs", "http": "aiohttp", "https": "aiohttp"}
_NOT_AHEAD = {"cache_type": "none"}
_UNKNOWN_ASKERS = ("NoCredentialsError", "PartialCredentialsError", "TokenRetrievalError")  # names in botocore
# What says that an object in a store is the same one: the names that S3, the web and others have for it.
_STAMPS = ("ETag", "etag", "mtime", "LastModified", "last_modified", "updated")


class ReadError(ValueError):
    """A source that cannot be read now; another time it may: nothing is said about its records."""


def is_remote(source: str) -> bool:
    """Whether a source is read through fsspec and not from this machine's disk."""
    return "://" in source


def require(package: str, extra: str, why: str) -> None:
    """Raise an error that says what to install where a package is missing."""
    if find_spec(package) is None:
        raise ValueError(f"{why} wants {package}: pip install 'bodytext[{extra}]'")


def open_source(source: str, *, sparse: bool = False) -> "WatchedFile":
    """A source, open for reading bytes at any place; `sparse` where a few bytes here and there are wanted."""
    try:
        if not is_remote(source):
            return WatchedFile(Path(source).open("rb"), source)
        plain = sparse and source.partition("://")[0] in _WANTED  # these read megabytes ahead if they are let
        return WatchedFile(_file_system(source).open(source, "rb", **_NOT_AHEAD if plain else {}), source)
    except ValueError:
        raise  # it says what to do
    except Exception as error:  # a store's client has errors of its own
        raise ReadError(f"{source}: cannot be read: {_explain(error)}") from error


def describe_source(source: str) -> tuple[int, str]:
    """The size of a source, and a mark that is another one when its content has changed."""
    try:
        if not is_remote(source):
            found = Path(source).stat()
            return found.st_size, str(found.st_mtime_ns)
        facts: dict[str, Any] = _file_system(source).info(source)
    except ValueError:
        raise  # it says what to do
    except Exception as error:  # a store's client has errors of its own
        raise ReadError(f"{source}: cannot be read: {_explain(error)}") from None
    stamp = next((str(facts[name]) for name in _STAMPS if facts.get(name)), "")
    return int(facts.get("size") or 0), stamp


def list_sources(pattern: str) -> list[str]:
    """The addresses that an address with * in it stands for, by name."""
    system = _file_system(pattern)
    try:
        return sorted(system.unstrip_protocol(found) for found in system.glob(pattern))
    except Exception as error:  # a store's client has errors of its own
        raise ReadError(f"{pattern}: cannot be listed: {_explain(error)}") from None


def _explain(error: Exception) -> str:
    """What went wrong; where a store wants to know who asks, how to say that nobody in particular does."""
    if type(error).__name__ in _UNKNOWN_ASKERS:
        return f"{error}; log in as the store wants it, or for one that is open to all set FSSPEC_S3_ANON=true"
    return (error.strerror if isinstance(error, OSError) else "") or str(error) or type(error).__name__


def _file_system(source: str) -> Any:
    scheme = source.partition("://")[0]
    require("fsspec", "corpus", f"reading {scheme}:// addresses")
    if scheme in _WANTED:
        require(_WANTED[scheme], _EXTRAS[scheme], f"reading {scheme}:// addresses")
    system, _ = import_module("fsspec.core").url_to_fs(source)
    return system


class WatchedFile(io.RawIOBase):
    """A file that remembers whether reading it failed: what reads archives would call that a broken archive."""

    def __init__(self, file: Any, name: str) -> None:
        super().__init__()
        self.file = cast("BinaryIO", file)
        self.source = name
        self.failure: Exception | None = None

    def readable(self) -> bool:
        """It is."""
        return True

    def seekable(self) -> bool:
        """It is."""
        return True

    def read(self, size: int | None = -1) -> bytes:
        """Bytes from where the file stands."""
        try:
            return self.file.read(-1 if size is None else size)
        except Exception as error:  # a store's client has errors of its own
            self.failure = error
            raise

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer; what buffers a file reads it so."""
        data = self.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Go to a place."""
        return self.file.seek(offset, whence)

    def tell(self) -> int:
        """Where the file stands."""
        return self.file.tell()

    def read_at(self, offset: int, size: int) -> bytes:
        """Bytes from a place; a failure is told as one."""
        try:
            self.seek(offset)
            return self.read(size)
        except Exception as error:
            raise ReadError(f"{self.source}: {error}") from error

    def close(self) -> None:
        """Let go of the file."""
        self.file.close()
        super().close()

    def check(self) -> None:
        """Raise what went wrong with the file itself, if anything did."""
        if self.failure is not None:
            raise ReadError(f"{self.source}: {self.failure}") from self.failure


def named_like(source: str, endings: Sequence[str]) -> bool:
    """Whether a source's name ends in one of these; the query of an address does not count.

    Files that were saved from the web may have the query in their names: `page.html?id=1`, `page.php?id=1.html`.
    """
    name, found = source.lower(), tuple(endings)
    return name.partition("?")[0].endswith(found) or (not is_remote(source) and name.endswith(found))
