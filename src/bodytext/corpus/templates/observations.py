"""Observe the blocks of pages by hashes of their text and place, and sample the pages of each site.

An element is known by its tag and class, without digits. The place of a block is the elements around
its own, so a heading and the paragraphs under it have the same place. The sample of a site has the
pages whose titles have the smallest hashes, in whatever order they come. Pages with the same title
count as one; otherwise two copies of an article would make boilerplate of it.
"""

from collections.abc import Iterable, Iterator
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bodytext.corpus.partitions import Numbers, Records
from bodytext.kernel import read_names
from bodytext.kernel.hashing import HASH_BASE
from bodytext.kernel.shingles import mix
from bodytext.methods.learned.features import with_address
from bodytext.page.tables import Page
from bodytext.page.urls import host_of

MOST_PAGES = 64  # of a site in its template
MOST_BLOCKS = 20_000  # of a page; larger pages are left out, and so are those with more text
MOST_BYTES = 2 << 20
PLACE_LEVELS = 6  # elements of a place, each the next one outwards that holds more text
BLOCK_LEVELS = 2  # of these elements must be the same for equal blocks
_SAMPLE_ROWS = 1 << 20  # are collected before they are sampled

# A row for each block of a page, 36 bytes.
OBSERVATION = np.dtype(
    [("site", "<u8"), ("mark", "<u8"), ("block", "<u8"), ("place", "<u8"), ("words", "<u4")]
)
_NO_ROWS = np.zeros(0, OBSERVATION)


class Traits(NamedTuple):
    """The hashes and words of the blocks of a page."""

    block: Numbers
    place: Numbers
    words: npt.NDArray[np.int32]


def observe(page: Page) -> Records:
    """The blocks of a page as rows of the type OBSERVATION; none if its host is unknown."""
    site, traits = site_of(with_address(page).url), describe(page)
    if not site or traits is None:
        return _NO_ROWS
    block, first = np.unique(traits.block, return_index=True)
    rows = np.empty(len(first), OBSERVATION)
    rows["site"], rows["mark"], rows["block"] = site, mark_of(page), block
    rows["place"], rows["words"] = traits.place[first], traits.words[first]
    return rows


def describe(page: Page) -> Traits | None:
    """Hash blocks and their places; None for an empty page or a flood of blocks."""
    words = page.per_block(page.runs.words)
    if not 0 < len(page) <= MOST_BLOCKS or int(page.runs.bytes.sum(dtype=np.int64)) > MOST_BYTES:
        return None
    nodes = page.nodes
    columns = (nodes.tag, nodes.parent, nodes.first_run, nodes.stop_run, nodes.start, nodes.end)
    _, _, signature, larger = read_names(page.source, columns)
    around, block = page.blocks.node, _hash_texts(page) + page.blocks.kind.astype(np.uint64)
    place = np.zeros(len(page), np.uint64)
    for level in range(PLACE_LEVELS):
        if level < BLOCK_LEVELS:
            block = mix(block * np.uint64(HASH_BASE) + signature[around])
        if level:
            place = mix(place * np.uint64(HASH_BASE) + signature[around])
        around = larger[around]
    return Traits(block, place, words)


def _hash_texts(page: Page) -> Numbers:
    nothing = bytes(len(page))
    buffer, (start, end) = page.write_texts(np.arange(len(page)), nothing, b"\1" * len(page))
    length = end - start
    powers = np.full(max(int(length.max()), 1), HASH_BASE, np.uint64)
    powers[0] = 1
    np.multiply.accumulate(powers, out=powers)
    letters = np.frombuffer(buffer, np.uint8)
    following = np.repeat(end, length) - 1 - np.arange(len(letters), dtype=np.int32)
    sums = np.zeros(len(letters) + 1, np.uint64)
    np.cumsum((letters + np.uint64(1)) * powers[following], out=sums[1:])
    return mix(sums[end] - sums[start])


def site_of(url: str) -> int:
    """A number for the host of an address without "www."; 0 if there is none."""
    host = host_of(url)
    return _number(host) if host else 0


def mark_of(page: Page) -> int:
    """A number for the page's title, or for its address if it has none."""
    return _number(page.title or page.url)


def _number(text: str) -> int:
    return (
        int.from_bytes(
            blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little"
        )
        or 1
    )


def sample(rows: Records) -> Records:
    """Keep at most MOST_PAGES of each site, with the smallest marks, and each block once."""
    rows = rows[np.lexsort((rows["block"], rows["mark"], rows["site"]))]
    site, mark, block = rows["site"], rows["mark"], rows["block"]
    new_site = np.concatenate(([True], site[1:] != site[:-1]))[: len(rows)]
    new_page = new_site | np.concatenate(([True], mark[1:] != mark[:-1]))[: len(rows)]
    new_block = new_page | np.concatenate(([True], block[1:] != block[:-1]))[: len(rows)]
    page = np.cumsum(new_page)
    first = page[new_site][np.cumsum(new_site) - 1]
    kept: Records = rows[new_block & (page - first < MOST_PAGES)]
    return kept


def sample_all(parts: Iterable[Records], most: int = _SAMPLE_ROWS) -> Iterator[Records]:
    """Sample many pages in a few large parts. `merge` makes the same of them as of all rows."""
    waiting: list[Records] = []
    count = 0
    for part in parts:
        waiting.append(part)
        count += len(part)
        if count >= most:
            waiting = [sample(np.concatenate(waiting))]
            count = len(waiting[0])
            if count >= most // 2:  # with this many sites, sampling saves little
                yield waiting.pop()
                count = 0
    if count:
        yield sample(np.concatenate(waiting))
