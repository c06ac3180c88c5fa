"""A folder of labelled pages (html/ID.html.gz, ground-truth/ID.json) -> pages with their block labels."""

import gzip
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import numpy.typing as npt

from bodytext.page import Page
from bodytext.parser import parse
from bodytext.train.labels import label_blocks

# Second-level suffixes under which people register names, as far as they are common.
_REGISTRIES = frozenset({"ac", "co", "com", "edu", "gov", "ne", "net", "or", "org"})


@dataclass(frozen=True, slots=True)
class Example:
    """A page, the site it is from, its kind, and which of its blocks are content."""

    identity: str
    page: Page
    domain: str
    page_type: str
    reference: str
    labels: npt.NDArray[np.bool_]


def read_examples(folder: Path) -> Iterator[Example]:
    """The labelled pages of a folder in the order of their names. A page without a reference text is left out."""
    sources = sorted((folder / "html").glob("*.html.gz"))
    if not sources:
        raise ValueError(f"{folder} holds no labelled pages; expected html/ID.html.gz and ground-truth/ID.json")
    for source in sources:
        identity = source.name.removesuffix(".html.gz")
        truth = json.loads((folder / "ground-truth" / f"{identity}.json").read_text("utf-8"))
        reference = truth["ground_truth"].get("main_content") or ""
        if not reference:
            continue
        page = parse(gzip.decompress(source.read_bytes()), url=truth.get("url", ""))
        labels = label_blocks(page.texts(), reference)
        yield Example(identity, page, domain_of(page.url), truth.get("page_type", "article"), reference, labels)


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


def digest_of(folder: Path) -> str:
    """A digest of the labelled pages of a folder, to stand beside every figure made from them."""
    digest = hashlib.sha256()
    for path in sorted((*(folder / "html").glob("*.html.gz"), *(folder / "ground-truth").glob("*.json"))):
        digest.update(path.name.encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:16]
