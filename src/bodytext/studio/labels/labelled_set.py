"""Read a labelled set: pages with the body text or the snippets that people have given.

Three layouts are read:

- `html/ID.html[.gz]` and `ground-truth/ID.json`, as in WCXB. A JSON file has url, page_type, and
  ground_truth with main_content and the snippets `with` and `without`.
- `html/ID.html[.gz]` and one `ground-truth.json` that maps ID to {articleBody, url}, as in
  Scrapinghub's article benchmark.
- The pages' files and one `snippets.json` that maps url to {file, with, without}, as in
  trafilatura's own evaluation.
"""

import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from reprlib import repr as shorten
from typing import Any
from urllib.parse import urlsplit

from bodytext.sources.files import find_inside, has_file, read_page

# The common second-level suffixes under which names are registered.
_REGISTRIES = frozenset({"ac", "co", "com", "edu", "gov", "ne", "net", "or", "org"})
_EXPECTED = "html/ID.html.gz with ground-truth/ID.json or ground-truth.json, or snippets.json"
_PAGE_FOLDERS = ("html", "cache", "eval", ".")


@dataclass(frozen=True, slots=True)
class LabelledPage:
    """A page and its labels. `reference` is None where only snippets are known."""

    identity: str
    path: Path
    url: str = ""
    page_type: str = ""
    reference: str | None = None
    present: tuple[str, ...] = ()  # snippets that must appear
    absent: tuple[str, ...] = ()  # snippets that must not
    kind: str = ""  # single-body, multi-body or commented, where the labels name it
    language: str = ""
    content: tuple[tuple[int, int], ...] | None = None  # offsets in the source, if marked there
    title: str = ""

    def read(self) -> bytes:
        """The page's bytes."""
        return read_page(self.path)

    @property
    def domain(self) -> str:
        """The registered domain of the page's URL."""
        return domain_of(self.url)


def read_labelled(folder: Path) -> list[LabelledPage]:
    """The pages of a labelled set, by name."""
    if (folder / "ground-truth").is_dir():
        pages = list(_read_separate(folder))
    elif (folder / "ground-truth.json").is_file():
        pages = list(_read_joined(folder))
    elif (folder / "snippets.json").is_file():
        pages = list(_read_snippets(folder))
    else:
        raise ValueError(f"{folder} is not a labelled set; expected {_EXPECTED}")
    if not pages:
        raise ValueError(f"{folder} has no labelled pages; expected {_EXPECTED}")
    return pages


def read_unlabelled(folder: Path) -> list[LabelledPage]:
    """The pages of a folder without labels: those in `html`, or in the folder itself."""
    inside = folder / "html" if (folder / "html").is_dir() else folder
    paths = [path for path in sorted(inside.iterdir()) if ".htm" in path.name and path.is_file()]
    if not paths:
        raise ValueError(f"{folder} has no pages; expected ID.html or ID.html.gz in it or in html/")
    return [LabelledPage(path.name.partition(".htm")[0], path) for path in paths]


def _read_separate(folder: Path) -> Iterator[LabelledPage]:
    for path in sorted((folder / "ground-truth").glob("*.json")):
        label = read_label(path)
        if label.values.get("ground_truth") is None:
            raise ValueError(f"{path}: the label has no ground_truth")
        truth = label.part("ground_truth")
        yield LabelledPage(
            identity=path.stem,
            path=_page_file(folder, path.stem),
            url=label.address(label.text("url")),
            page_type=label.text("page_type", "article"),
            reference=truth.text("main_content") if "main_content" in truth.values else None,
            present=truth.texts("with"),
            absent=truth.texts("without"),
            kind=label.text("kind"),
            language=label.text("language"),
            title=truth.text("title"),
        )


def _read_joined(folder: Path) -> Iterator[LabelledPage]:
    path = folder / "ground-truth.json"
    labels = read_label(path)
    for identity in sorted(labels.values):
        label = labels.part(identity)
        url, body = label.address(label.text("url")), label.text("articleBody")
        yield LabelledPage(identity, _page_file(folder, identity), url, "article", body)


def _read_snippets(folder: Path) -> Iterator[LabelledPage]:
    path = folder / "snippets.json"
    labels = read_label(path)
    for url in sorted(labels.values):
        label = labels.part(url)
        identity, present, absent = label.text("file"), label.texts("with"), label.texts("without")
        page, address = _page_file(folder, identity), label.address(url)
        yield LabelledPage(identity, page, address, "article", None, present, absent)


@dataclass(frozen=True, slots=True)
class LabelObject:
    """An object in a file of labels; errors name the value that has the wrong type."""

    place: str
    values: dict[str, Any]

    def text(self, key: str, missing: str = "") -> str:
        """The string under a key."""
        value = self.values.get(key)
        if value is None:
            return missing
        return str(self._checked(key, value, isinstance(value, str), "a string"))

    def texts(self, key: str) -> tuple[str, ...]:
        """The strings under a key."""
        value = self.values.get(key)
        if value is None:
            return ()
        is_list = isinstance(value, list) and all(isinstance(item, str) for item in value)
        return tuple(self._checked(key, value, is_list, "a list of strings"))

    def part(self, key: str) -> "LabelObject":
        """The object under a key."""
        value = self.values.get(key)
        return LabelObject(
            f"{self.place}: {key}", self._checked(key, value, isinstance(value, dict), "an object")
        )

    def address(self, url: str) -> str:
        """A URL, after it is checked."""
        try:
            domain_of(url)
        except ValueError as problem:
            raise ValueError(f"{self.place}: {url!r} is not a URL ({problem})") from None
        return url

    def _checked(self, key: str, value: Any, is_right: bool, expected: str) -> Any:
        if not is_right:
            raise ValueError(f"{self.place}: {key} should be {expected}, not {shorten(value)}")
        return value


def read_label(path: Path) -> LabelObject:
    """The object in a file of labels."""
    try:
        value = json.loads(path.read_text("utf-8"))
    except (ValueError, RecursionError) as problem:
        raise ValueError(f"{path}: not valid JSON ({problem})") from None
    if not isinstance(value, dict):
        raise ValueError(f"{path}: not a JSON object")
    return LabelObject(f"{path}", value)


def _page_file(folder: Path, identity: str) -> Path:
    for subfolder in _PAGE_FOLDERS:
        for suffix in (".html.gz", ".html", ""):
            path = find_inside(folder / subfolder, f"{identity}{suffix}")
            if has_file(path):
                return path
    raise ValueError(f"{folder}: the page of label {identity!r} is missing")


def domain_of(url: str) -> str:
    """The registered domain of a URL.

    >>> domain_of("https://news.example.co.uk/a"), domain_of("http://www.example.vn:80/")
    ('example.co.uk', 'example.vn')
    """
    labels = (urlsplit(url).hostname or "").split(".")
    wanted = 3 if len(labels) > 2 and len(labels[-1]) == 2 and labels[-2] in _REGISTRIES else 2
    return ".".join(labels[-wanted:])


def fold_of(domain: str, folds: int) -> int:
    """The fold of a domain, by its hash, so that it never depends on the other pages."""
    return int.from_bytes(hashlib.sha256(domain.encode()).digest()[:4], "big") % folds


@cache
def file_digest(path: Path) -> bytes:
    """A digest of a page's bytes; each file is read once in a run."""
    return hashlib.sha256(read_page(path)).digest()


def name_set(folder: Path) -> str:
    """The name of a set, as reports show it: that of its folder, where it is UTF-8."""
    return os.fsencode(folder.resolve().name).decode("utf-8", "replace")


def digest_of(pages: list[LabelledPage]) -> str:
    """A digest of pages and labels, to be given with every figure made from them."""
    digest = hashlib.sha256()
    for page in pages:
        digest.update(
            f"{page.identity}\0{page.reference}\0{page.present}\0{page.absent}\0".encode()
        )
        digest.update(file_digest(page.path))
    return digest.hexdigest()[:16]
