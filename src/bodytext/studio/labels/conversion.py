"""A folder of labels -> labelled pages, as training and evaluation take them; or a labelled set on file.

A page's reference is the text of the blocks that are content. Only pages that an annotator has gone through count; of
several annotators' labels of a page the newest do.
"""

import gzip
import json
from pathlib import Path, PurePosixPath

import numpy as np

from bodytext.methods.learned.consistency import find_copies
from bodytext.methods.learned.network import PAGE_TYPES
from bodytext.page.parser import parse
from bodytext.page.tables import Page
from bodytext.selection import select
from bodytext.sources.files import read_page
from bodytext.studio.labels.labelled_set import LabelledPage, read_labelled
from bodytext.studio.labels.labelling import COMMENT, CONTENT, Labelling, digest_source
from bodytext.studio.labels.spans import LABELS, label_blocks
from bodytext.studio.labels.store import LabelStore, SkippedPage, is_store, open_store

DEFAULT_TYPE = PAGE_TYPES[0]


def read_set(folder: Path) -> list[LabelledPage]:
    """The labelled pages of a folder: of a labelled set in one of its layouts, or of a folder with labels."""
    if not is_store(folder):
        return read_labelled(folder)
    pages, left = read_labels(open_store(folder))
    if not pages:
        reasons = "; ".join(f"{one.page}: {one.reason}" for one in left[:3])
        raise ValueError(f"{folder}: no page is labelled and done{f' ({reasons})' if left else ''}")
    return pages


def read_labels(store: LabelStore, annotator: str = "") -> tuple[list[LabelledPage], list[SkippedPage]]:
    """The pages that an annotator, or anybody, has gone through, by path; and those whose labels cannot be used."""
    used, left = _read_done(store, annotator)
    return [page for page, _ in used], left


def _read_done(store: LabelStore, annotator: str) -> tuple[list[tuple[LabelledPage, Labelling]], list[SkippedPage]]:
    newest: dict[str, Labelling] = {}
    used: list[tuple[LabelledPage, Labelling]] = []
    left: list[SkippedPage] = []
    for one in (one for name in ([annotator] if annotator else store.annotators()) for one in store.read_all(name)):
        if isinstance(one, SkippedPage):
            left.append(one)
            continue
        known = newest.get(one.page)
        if known is None or (one.done, one.time) > (known.done, known.time):
            newest[one.page] = one
    for _, labelling in sorted(newest.items()):
        found = _read_one(store, labelling)
        if isinstance(found, SkippedPage):
            left.append(found)
        else:
            used.append((found, labelling))
    return used, left


def _read_one(store: LabelStore, labelling: Labelling) -> LabelledPage | SkippedPage:
    path = store.pages / PurePosixPath(labelling.page)
    if not labelling.done:
        return SkippedPage(labelling.page, "is not done")
    if not path.is_file():
        return SkippedPage(labelling.page, f"there is no such page in {store.pages}")
    try:
        page = parse(read_page(path), url=labelling.url)
    except (OSError, ValueError) as problem:
        return SkippedPage(labelling.page, f"the page cannot be read: {problem}")
    if digest_source(page.source) != labelling.source:
        return SkippedPage(labelling.page, "the page has changed since it was labelled")
    return LabelledPage(
        identity=labelling.page,
        path=path,
        url=labelling.url,
        page_type=labelling.page_type or DEFAULT_TYPE,
        reference=write_text(page, labelling, CONTENT),
        present=(),
        absent=(),
        kind="",
        language="",
        content=tuple((one.start, one.end) for one in labelling.spans if one.label == CONTENT),
    )


def write_text(page: Page, labelling: Labelling, label: str) -> str:
    """The text of the blocks with a label; what stands in the page twice is given once, as the learned method does."""
    labels = label_blocks(page, labelling.spans) == LABELS.index(label)
    original = find_copies(page)
    chosen = np.bincount(original, labels, minlength=len(page)) > 0
    return str(select(page, (chosen & (original == np.arange(len(page)))).astype(np.float32)))


def export_set(store: LabelStore, folder: Path, annotator: str = "") -> tuple[int, list[SkippedPage]]:
    """Write the labelled pages as a set that stands alone, html/ID.html.gz and ground-truth/ID.json; how many."""
    if (folder / "ground-truth").exists():
        raise ValueError(f"{folder}: holds a labelled set already; name a new folder")
    used, left = _read_done(store, annotator)
    names = [_flatten(page.identity) for page, _ in used]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"two pages would both be called {twice}; rename one of them")
    for kind in ("html", "ground-truth") if used else ():  # an empty set would only stand in the way of the next one
        (folder / kind).mkdir(parents=True, exist_ok=True)
    for (page, labelling), name in zip(used, names, strict=True):
        html = page.read()
        (folder / "html" / f"{name}.html.gz").write_bytes(gzip.compress(html, mtime=0))
        comments = write_text(parse(html), labelling, COMMENT)
        truth = json.dumps(_truth(page, labelling, comments), indent=2, ensure_ascii=False)
        (folder / "ground-truth" / f"{name}.json").write_text(truth + "\n", "utf-8")
    return len(used), left


def _flatten(path: str) -> str:
    """A name without folders and suffixes."""
    pure = PurePosixPath(path)
    return "-".join((*pure.parts[:-1], PurePosixPath(pure.name.removesuffix(".gz")).stem))


def _truth(page: LabelledPage, labelling: Labelling, comments: str) -> dict[str, object]:
    return {
        "url": page.url,
        "page_type": page.page_type,
        "ground_truth": {
            "title": labelling.title,
            "authors": list(labelling.authors),
            "publish_date": labelling.date,
            "main_content": page.reference,
            "comments": comments,
        },
    }
