"""Page -> sightings: its blocks by hashes of their text and place, a row each; of each site a sample of pages.

Elements are known by tag and class, digits aside. The same block has the same text in the same two elements; a block's
place are the elements around its own, so that a heading and the paragraphs under it stand at the same.

Of a site at most 64 pages are kept, those whose titles have the smallest hashes: a sample that does not depend on the
order of pages or shards, so that memory and disk are bounded, and a site of a million pages costs what one of 64 does.
Pages with the same title count as one: else two copies of an article would make boilerplate of it.
"""

from collections.abc import Iterable, Iterator
from hashlib import blake2b
from typing import NamedTuple
from urllib.parse import urlsplit

import numpy as np
import numpy.typing as npt

from bodytext.corpus.run.spill import Numbers, Records
from bodytext.kernel import read_names
from bodytext.kernel.class_names import automaton
from bodytext.kernel.shingles import BASE, mix
from bodytext.methods.learned.method import with_address
from bodytext.page.tables import Page

MOST_PAGES = 64  # of a site that its template is made from
MOST_BLOCKS = 20_000  # of a page; larger ones are not looked at, nor are those with more text
MOST_BYTES = 2 << 20
PLACE_LEVELS = 6  # elements that are looked at, each the next around it that holds more text
BLOCK_LEVELS = 2  # of them that the same block has in common, beside its text
_SAMPLE_ROWS = 1 << 20  # that are gathered before they are sampled

# What is noted of a page: a row a block, 36 bytes.
SIGHTING = np.dtype([("site", "<u8"), ("mark", "<u8"), ("block", "<u8"), ("place", "<u8"), ("words", "<u4")])
_NO_ROWS = np.zeros(0, SIGHTING)


class Traits(NamedTuple):
    """What the blocks of a page are known by."""

    block: Numbers
    place: Numbers
    words: npt.NDArray[np.int32]


def survey(page: Page) -> Records:
    """What is to be noted of a page, rows of the type SIGHTING; nothing where no host is known."""
    site, traits = site_of(with_address(page).url), describe(page)
    if not site or traits is None:
        return _NO_ROWS
    block, first = np.unique(traits.block, return_index=True)
    rows = np.empty(len(first), SIGHTING)
    rows["site"], rows["mark"], rows["block"] = site, mark_of(page), block
    rows["place"], rows["words"] = traits.place[first], traits.words[first]
    return rows


def describe(page: Page) -> Traits | None:
    """Hashes of each block with its place, and of the place alone; nothing of an empty page or of a flood."""
    words = page.per_block(page.runs.words)
    if not 0 < len(page) <= MOST_BLOCKS or int(page.runs.bytes.sum(dtype=np.int64)) > MOST_BYTES:
        return None
    nodes = page.nodes
    columns = (nodes.tag, nodes.parent, nodes.first_run, nodes.stop_run, nodes.start, nodes.end)
    _, _, signature, larger = read_names(page.source, columns, automaton())
    around, block = page.blocks.node, _hash_texts(page) + page.blocks.kind.astype(np.uint64)
    place = np.zeros(len(page), np.uint64)
    for level in range(PLACE_LEVELS):
        if level < BLOCK_LEVELS:
            block = mix(block * np.uint64(BASE) + signature[around])
        if level:
            place = mix(place * np.uint64(BASE) + signature[around])
        around = larger[around]
    return Traits(block, place, words)


def _hash_texts(page: Page) -> Numbers:
    nothing = bytes(len(page))
    buffer, (start, end) = page.write_texts(np.arange(len(page)), nothing, b"\1" * len(page))
    length = end - start
    powers = np.full(max(int(length.max()), 1), BASE, np.uint64)
    powers[0] = 1
    np.multiply.accumulate(powers, out=powers)
    letters = np.frombuffer(buffer, np.uint8)
    behind = np.repeat(end, length) - 1 - np.arange(len(letters), dtype=np.int32)
    sums = np.zeros(len(letters) + 1, np.uint64)
    np.cumsum((letters + np.uint64(1)) * powers[behind], out=sums[1:])
    return mix(sums[end] - sums[start])


def site_of(url: str) -> int:
    """A number for the host of an address, "www." aside; 0 where there is none."""
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return 0
    return _number(host.removeprefix("www.")) if host else 0


def mark_of(page: Page) -> int:
    """A number for the page's title, or for its address where it has none."""
    return _number(page.title or page.url)


def _number(text: str) -> int:
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little") or 1


def sample(rows: Records) -> Records:
    """Of each site the pages whose marks are smallest, MOST_PAGES at most, and of each page every block once."""
    rows = rows[np.lexsort((rows["block"], rows["mark"], rows["site"]))]
    site, mark, block = rows["site"], rows["mark"], rows["block"]
    new_site = np.concatenate(([True], site[1:] != site[:-1]))[: len(rows)]
    new_page = new_site | np.concatenate(([True], mark[1:] != mark[:-1]))[: len(rows)]
    new_block = new_page | np.concatenate(([True], block[1:] != block[:-1]))[: len(rows)]
    page = np.cumsum(new_page)
    first = page[new_site][np.cumsum(new_site) - 1]
    found: Records = rows[new_block & (page - first < MOST_PAGES)]
    return found


def sample_all(parts: Iterable[Records], most: int = _SAMPLE_ROWS) -> Iterator[Records]:
    """The samples of many pages in a few large parts; what `merge` makes of them is what it makes of all rows."""
    waiting: list[Records] = []
    count = 0
    for part in parts:
        waiting.append(part)
        count += len(part)
        if count >= most:
            waiting = [sample(np.concatenate(waiting))]
            count = len(waiting[0])
            if count >= most // 2:  # of so many sites that sampling saves little
                yield waiting.pop()
                count = 0
    if count:
        yield sample(np.concatenate(waiting))
