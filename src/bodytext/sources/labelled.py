"""A labelled set -> its pages with what people say their body text is. Three layouts are read.

- `html/ID.html[.gz]` and `ground-truth/ID.json`, as WCXB has it; a JSON file holds url, page_type, and ground_truth
  with main_content and the snippets `with` and `without`.
- `html/ID.html[.gz]` and one `ground-truth.json` of ID -> {articleBody, url}, as Scrapinghub's article benchmark.
- One `snippets.json` of url -> {file, with, without}, as trafilatura's own evaluation has it, beside the pages' files.
"""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from bodytext.sources.files import read_page

# Second-level suffixes under which people register names, as far as they are common.
_REGISTRIES = frozenset({"ac", "co", "com", "edu", "gov", "ne", "net", "or", "org"})
_EXPECTED = "html/ID.html.gz with ground-truth/ID.json or ground-truth.json, or snippets.json"
_PAGE_FOLDERS = ("html", "cache", "eval", ".")


@dataclass(frozen=True, slots=True)
class LabelledPage:
    """A page and its labels. `reference` is None where only snippets are known."""

    identity: str
    path: Path
    url: str
    page_type: str
    reference: str | None
    present: tuple[str, ...]  # snippets that must appear
    absent: tuple[str, ...]  # snippets that must not
    kind: str  # single-body, multi-body or commented where the labels say so
    language: str

    def read(self) -> bytes:
        """The page's bytes."""
        return read_page(self.path)

    @property
    def domain(self) -> str:
        """The registered domain of the page's address."""
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
        raise ValueError(f"{folder} is no labelled set; expected {_EXPECTED}")
    if not pages:
        raise ValueError(f"{folder} holds no labelled pages; expected {_EXPECTED}")
    return pages


def _read_separate(folder: Path) -> Iterator[LabelledPage]:
    for path in sorted((folder / "ground-truth").glob("*.json")):
        label = _read_json(path)
        truth = label.get("ground_truth")
        if not isinstance(truth, dict):
            raise ValueError(f"{path}: there is no ground_truth in this label")
        yield LabelledPage(
            identity=path.stem,
            path=_page_file(folder, path.stem),
            url=label.get("url", ""),
            page_type=label.get("page_type", "article"),
            reference=(truth["main_content"] or "") if "main_content" in truth else None,
            present=tuple(truth.get("with") or ()),
            absent=tuple(truth.get("without") or ()),
            kind=label.get("kind", ""),
            language=label.get("language", ""),
        )


def _read_joined(folder: Path) -> Iterator[LabelledPage]:
    labels = _read_json(folder / "ground-truth.json")
    for identity, label in sorted(labels.items()):
        path, body = _page_file(folder, identity), label.get("articleBody") or ""
        yield LabelledPage(identity, path, label.get("url", ""), "article", body, (), (), "", "")


def _read_snippets(folder: Path) -> Iterator[LabelledPage]:
    labels = _read_json(folder / "snippets.json")
    for url, label in sorted(labels.items()):
        path = _page_file(folder, label["file"])
        present, absent = tuple(label.get("with") or ()), tuple(label.get("without") or ())
        yield LabelledPage(label["file"], path, url, "article", None, present, absent, "", "")


def _read_json(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text("utf-8"))
    except ValueError as problem:
        raise ValueError(f"{path}: is no JSON ({problem})") from None
    if not isinstance(value, dict):
        raise ValueError(f"{path}: holds no JSON object")
    return value


def _page_file(folder: Path, identity: str) -> Path:
    for subfolder in _PAGE_FOLDERS:
        for suffix in (".html.gz", ".html", ""):
            path = folder / subfolder / f"{identity}{suffix}"
            if path.is_file():
                return path
    raise ValueError(f"{folder}: there is no page for the label {identity!r}")


def domain_of(url: str) -> str:
    """The registered domain of an address.

    >>> domain_of("https://news.example.co.uk/a"), domain_of("http://www.example.vn:80/")
    ('example.co.uk', 'example.vn')
    """
    labels = (urlsplit(url).hostname or "").split(".")
    wanted = 3 if len(labels) > 2 and len(labels[-1]) == 2 and labels[-2] in _REGISTRIES else 2
    return ".".join(labels[-wanted:])


def fold_of(domain: str, folds: int) -> int:
    """Which fold a domain belongs to: by its hash, so that it never depends on the other pages."""
    return int.from_bytes(hashlib.sha256(domain.encode()).digest()[:4], "big") % folds


@cache
def file_digest(path: Path) -> bytes:
    """A digest of a page's bytes, read once in a run."""
    return hashlib.sha256(read_page(path)).digest()


def digest_of(pages: list[LabelledPage]) -> str:
    """A digest of pages and labels, to stand beside every figure made from them."""
    digest = hashlib.sha256()
    for page in pages:
        digest.update(f"{page.identity}\0{page.reference}\0{page.present}\0{page.absent}\0".encode())
        digest.update(file_digest(page.path))
    return digest.hexdigest()[:16]
