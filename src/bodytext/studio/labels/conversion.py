"""Convert stored labels to labelled pages for training and evaluation, or to a labelled set.

The reference text of a page is the text of its content blocks. Only pages that an annotator has
finished are used. Where several annotators have finished a page, the newest labels are used.
"""

import gzip
import json
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

import numpy as np

from bodytext.kernel.network_shape import PAGE_TYPES
from bodytext.methods.density import line_bytes
from bodytext.methods.learned.copies import find_copies
from bodytext.methods.scores import Scores
from bodytext.page.parser import parse
from bodytext.page.tables import Page
from bodytext.selection import select
from bodytext.sources.files import find_inside, has_file, read_page
from bodytext.studio.labels.labelled_set import LabelledPage, read_labelled
from bodytext.studio.labels.labelling import COMMENT, CONTENT, Labelling, digest_source
from bodytext.studio.labels.spans import LABELS, label_blocks
from bodytext.studio.labels.store import LabelStore, SkippedPage, is_store, open_store

DEFAULT_TYPE = PAGE_TYPES[0]


def read_set(folder: Path) -> list[LabelledPage]:
    """The labelled pages of a labelled set, or of a folder with labels."""
    if not is_store(folder):
        return read_labelled(folder)
    pages, skipped = read_labels(open_store(folder))
    if not pages:
        reasons = "; ".join(f"{entry.page}: {entry.reason}" for entry in skipped[:3])
        raise ValueError(
            f"{folder}: no page is labelled and done" + (f" ({reasons})" if reasons else "")
        )
    return pages


def read_labels(
    store: LabelStore, annotator: str = ""
) -> tuple[list[LabelledPage], list[SkippedPage]]:
    """The pages that an annotator, or anyone, has finished, by path; and those skipped."""
    used, skipped = _read_done(store, annotator)
    return [page for page, _ in used], skipped


def _read_done(
    store: LabelStore, annotator: str
) -> tuple[list[tuple[LabelledPage, Labelling]], list[SkippedPage]]:
    newest, skipped = _read_newest(store, [annotator] if annotator else store.annotators())
    used: list[tuple[LabelledPage, Labelling]] = []
    for _, labelling in sorted(newest.items()):
        page = _read_page(store, labelling)
        if isinstance(page, SkippedPage):
            skipped.append(page)
        else:
            used.append((page, labelling))
    return used, skipped


def _read_newest(
    store: LabelStore, annotators: Sequence[str]
) -> tuple[dict[str, Labelling], list[SkippedPage]]:
    """The newest labels of each page, finished ones first; and the unreadable ones."""
    newest: dict[str, Labelling] = {}
    skipped: list[SkippedPage] = []
    for entry in (entry for name in annotators for entry in store.read_all(name)):
        if isinstance(entry, SkippedPage):
            skipped.append(entry)
            continue
        known = newest.get(entry.page)
        if known is None or (entry.done, entry.time) > (known.done, known.time):
            newest[entry.page] = entry
    return newest, skipped


def _read_page(store: LabelStore, labelling: Labelling) -> LabelledPage | SkippedPage:
    if not labelling.done:
        return SkippedPage(labelling.page, "is not done")
    try:
        path = find_inside(store.pages, labelling.page)
        if not has_file(path):
            return SkippedPage(labelling.page, f"is missing from {store.pages}")
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
        content=tuple((span.start, span.end) for span in labelling.spans if span.label == CONTENT),
    )


def write_text(page: Page, labelling: Labelling, label: str) -> str:
    """The text of the blocks with a label; as in the learned method, without repetitions."""
    labels = label_blocks(page, labelling.spans) == LABELS.index(label)
    original = find_copies(page)
    chosen = np.bincount(original, labels, minlength=len(page)) > 0
    return str(
        select(page, Scores((chosen & (original == np.arange(len(page)))).astype(np.float32)))
    )


def export_set(
    store: LabelStore, folder: Path, annotator: str = ""
) -> tuple[int, list[SkippedPage]]:
    """Write the finished pages as a labelled set; return their number and those skipped."""
    if (folder / "ground-truth").exists():
        raise ValueError(f"{folder}: already has a labelled set; choose a new folder")
    used, skipped = _read_done(store, annotator)
    names = [_flatten(page.identity) for page, _ in used]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"two pages would both be called {twice}; rename one of them")
    for (page, labelling), name in zip(used, names, strict=True):
        _export_page(page, labelling, folder, name)
    return len(used), skipped


def export_lines(
    store: LabelStore, file: Path, annotator: str = ""
) -> tuple[int, list[SkippedPage]]:
    """Write the lines of the finished pages in the form that FANN trains on.

    The first line has the numbers of lines, inputs and outputs. Then each line of a page has two:
    its density, HTML bytes and text bytes; and 1 if it is content, otherwise 0.
    """
    if file.exists():
        raise ValueError(f"{file}: already exists; choose a new name")
    used, skipped = _read_done(store, annotator)
    rows = [row for page, labelling in used for row in _write_lines(page, labelling)]
    if used:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("\n".join([f"{len(rows)} 3 1", *rows, ""]), "utf-8")
    return len(used), skipped


def _write_lines(source: LabelledPage, labelling: Labelling) -> list[str]:
    page = parse(source.read(), url=source.url)
    kept = label_blocks(page, labelling.spans) == LABELS.index(CONTENT)
    html, text = line_bytes(page)
    density = np.minimum(text / np.maximum(html, 1), 1)
    columns = (column[page.seen].tolist() for column in (density, html, text, kept))
    return [
        f"{share:.4f} {markup:.0f} {size:.0f}\n{is_kept:d}"
        for share, markup, size, is_kept in zip(*columns, strict=True)
    ]


def _export_page(page: LabelledPage, labelling: Labelling, folder: Path, name: str) -> None:
    for kind in ("html", "ground-truth"):
        (folder / kind).mkdir(parents=True, exist_ok=True)
    html = page.read()
    (folder / "html" / f"{name}.html.gz").write_bytes(gzip.compress(html, mtime=0))
    comments = write_text(parse(html), labelling, COMMENT)
    truth = json.dumps(_truth(page, labelling, comments), indent=2, ensure_ascii=False)
    (folder / "ground-truth" / f"{name}.json").write_text(truth + "\n", "utf-8")


def _flatten(path: str) -> str:
    """A path as one name, without folders and suffixes."""
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
