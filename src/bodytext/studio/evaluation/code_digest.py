"""Compute a digest of the code, so that predictions of changed code are made again."""

import hashlib
from functools import cache
from pathlib import Path

import bodytext

_ROOMS = ("kernel", "page", "methods", "views")
_SUFFIXES = frozenset({".py", ".so", ".pyd", ".npz"})


@cache
def digest_code() -> str:
    """A short digest of every module and weight file that turns a page into text and metadata.

    These are the modules at the top of the package, and all of kernel, page, methods and views.
    """
    package = Path(bodytext.__file__).parent
    files = [
        *package.glob("*.py"),
        *(path for room in _ROOMS for path in (package / room).rglob("*")),
    ]
    digest = hashlib.sha256()
    for path in sorted(path for path in files if path.suffix in _SUFFIXES):
        digest.update(path.relative_to(package).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:8]
