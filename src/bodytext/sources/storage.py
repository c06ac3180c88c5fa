"""Open files by path or by an address such as s3://bucket/key."""

import io
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, BinaryIO, cast

_PACKAGES = {"s3": "s3fs", "http": "aiohttp", "https": "aiohttp"}  # the extra s3 installs both
_NO_READ_AHEAD = {"cache_type": "none"}
# Names in botocore.
_LOGIN_ERRORS = ("NoCredentialsError", "PartialCredentialsError", "TokenRetrievalError")
# The facts that change with the content of a stored object: the names that S3, the web and others
# have for them.
_STAMPS = ("ETag", "etag", "mtime", "LastModified", "last_modified", "updated")


class SourceReadError(ValueError):
    """A source cannot be read now, but perhaps later: this says nothing about its records."""


def is_remote(source: str) -> bool:
    """Whether a source is read through fsspec, not from this machine's disk."""
    return "://" in source


def require(*packages: str, extra: str, purpose: str) -> None:
    """Raise a ValueError that says what to install if a package is missing."""
    for package in packages:
        if find_spec(package) is None:
            raise ValueError(f"{purpose} needs {package}: pip install 'bodytext[{extra}]'")


def open_source(source: str, *, sparse: bool = False) -> "WatchedFile":
    """Open a source for reading bytes at any offset; `sparse` for a few bytes here and there."""
    with _explaining(source, "read"):
        if not is_remote(source):
            return WatchedFile(Path(source).open("rb"), source)
        options = {}
        # By default these read megabytes ahead.
        if sparse and source.partition("://")[0] in _PACKAGES:
            options = _NO_READ_AHEAD
        return WatchedFile(_file_system(source).open(source, "rb", **options), source)


def describe_source(source: str) -> tuple[int, str]:
    """Return the size of a source, and a stamp that changes with its content."""
    with _explaining(source, "read"):
        if not is_remote(source):
            status = Path(source).stat()
            return status.st_size, str(status.st_mtime_ns)
        facts: dict[str, Any] = _file_system(source).info(source)
        stamp = next((str(facts[name]) for name in _STAMPS if facts.get(name)), "")
        return int(facts.get("size") or 0), stamp


def check_store(address: str) -> None:
    """Raise a ValueError if no package here can write to an address; nothing is asked of the store."""
    with _explaining(address, "written"):
        _file_system(address, "writing")


def upload_file(path: Path, address: str) -> None:
    """Copy a file to a store, where it is whole or absent."""
    with _explaining(address, "written"):
        _file_system(address, "writing").put_file(str(path), address)


def expand_pattern(pattern: str) -> list[str]:
    """List the addresses that match an address with * in it, by name."""
    with _explaining(pattern, "listed"):
        system = _file_system(pattern)
        return sorted(system.unstrip_protocol(path) for path in system.glob(pattern))


@contextmanager
def _explaining(source: str, done: str) -> Iterator[None]:
    """Turn what goes wrong into a SourceReadError."""
    try:
        yield
    except ValueError:
        raise  # it says what to do
    except Exception as error:  # a store's client has errors of its own
        raise SourceReadError(f"{source}: cannot be {done}: {_explain(error)}") from error


def _explain(error: Exception) -> str:
    """Say what went wrong and, if a store asks for a login, what to do."""
    if type(error).__name__ in _LOGIN_ERRORS:
        return (
            f"{error}; log in to the store, or for one that is open to all set FSSPEC_S3_ANON=true"
        )
    return (
        (error.strerror if isinstance(error, OSError) else "") or str(error) or type(error).__name__
    )


def _file_system(source: str, use: str = "reading") -> Any:
    scheme = source.partition("://")[0]
    purpose = f"{use} {scheme}:// addresses"
    require("fsspec", extra="corpus", purpose=purpose)
    if scheme in _PACKAGES:
        require(_PACKAGES[scheme], extra="s3", purpose=purpose)
    system, _ = import_module("fsspec.core").url_to_fs(source)
    return system


class WatchedFile(io.RawIOBase):
    """A file that remembers whether reading failed, which is not a broken archive."""

    def __init__(self, file: Any, name: str) -> None:
        super().__init__()
        self.file = cast("BinaryIO", file)
        self.source = name
        self.failure: Exception | None = None

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True."""
        return True

    def read(self, size: int | None = -1) -> bytes:
        """Read bytes from the current position."""
        try:
            return self.file.read(-1 if size is None else size)
        except Exception as error:  # a store's client has errors of its own
            self.failure = error
            raise

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer, as io.BufferedReader asks for."""
        data = self.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Move to an offset."""
        return self.file.seek(offset, whence)

    def tell(self) -> int:
        """Return the current position."""
        return self.file.tell()

    def read_at(self, offset: int, size: int) -> bytes:
        """Read bytes from an offset, or raise a SourceReadError."""
        try:
            self.seek(offset)
            return self.read(size)
        except Exception as error:
            raise SourceReadError(f"{self.source}: {error}") from error

    def close(self) -> None:
        """Close the file."""
        self.file.close()
        super().close()

    def check(self) -> None:
        """Raise a SourceReadError if reading the file has failed."""
        if self.failure is not None:
            raise SourceReadError(f"{self.source}: {self.failure}") from self.failure


def named_like(source: str, endings: Sequence[str]) -> bool:
    """Whether a source's name has one of these endings, without the query of an address.

    Files that were saved from the web may have a query in their names: `page.html?id=1`,
    `page.php?id=1.html`.
    """
    name, suffixes = source.lower(), tuple(endings)
    return name.partition("?")[0].endswith(suffixes) or (
        not is_remote(source) and name.endswith(suffixes)
    )
