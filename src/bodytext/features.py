"""Page -> Features: a row of numbers for each block, one for the whole page, and which blocks are alike.

Everything is counted from the flat tables: running sums over the runs answer for every block and every element around
it. Nothing is read from the words themselves, so a page in any language looks the same.
"""

import re
from dataclasses import dataclass
from functools import cache
from urllib.parse import urlsplit

import numpy as np
import numpy.typing as npt

from bodytext._kernel import nearest_marked
from bodytext._kernel.clues import read_names, read_shapes
from bodytext._kernel.letters import Shape
from bodytext.markup import RULES, TAG, TAGS, Flag, Kind, Rule
from bodytext.names import TOPIC_NAMES, automaton
from bodytext.page import Page, tag_mask

Matrix = npt.NDArray[np.float32]
LEVELS = 6
_SHARES = (0.1, 0.3, 0.6)  # of the page's words

_HOLDS = np.array([bool(rules & Rule.SPECIAL) for rules in RULES])
_FLAGS = (
    Flag.HEADER, Flag.NAV, Flag.MAIN, Flag.ARTICLE, Flag.ASIDE, Flag.FOOTER, Flag.FORM, Flag.HIDDEN, Flag.NOSCRIPT,
    Flag.PRE, Flag.LINK,
)  # fmt: skip
_BITS = np.array([int(flag).bit_length() - 1 for flag in _FLAGS], dtype=np.int32)

# Tags that are alike to the features, by groups.
_GROUPS = (
    "div", "li", "td th", "section", "article", "main", "ul ol", "dl dd dt", "table tbody thead tr tfoot",
    "aside nav footer header", "form fieldset", "blockquote", "figure",
)  # fmt: skip
_GROUP = np.zeros(len(TAGS), dtype=np.int32)
for _number, _names in enumerate(_GROUPS, 1):
    _GROUP[tag_mask(_names)] = _number
_ONE_GROUP = np.eye(len(_GROUPS) + 1, dtype=np.float32)
_ONE_KIND = np.eye(len(Kind), dtype=np.float32)
_HEADING_LEVEL = np.zeros(len(TAGS), dtype=np.float32)
for _level in range(1, 7):
    _HEADING_LEVEL[TAG[f"h{_level}"]] = (7 - _level) / 6

# Elements that are counted inside every element around a block.
_COUNTED = ("img", "h1 h2 h3 h4 h5 h6", "p", "li", "a", "button input select textarea", "time")
_COUNTED_NAMES = ("images", "headings", "paragraphs", "items", "links", "controls", "times")
_COUNTED_AS = np.full(len(TAGS), -1, dtype=np.int32)
for _number, _names in enumerate(_COUNTED):
    _COUNTED_AS[tag_mask(_names)] = _number

# Columns of the table of sums.
_RUN_COLUMNS = ("words", "chars", "linked", "bytes", "tags", "link runs", "prose words", "unseen words")
_SHAPE_COLUMNS = tuple(shape.name.lower().replace("_", " ") for shape in Shape if shape < Shape.FINAL)
_SUMS = (*_RUN_COLUMNS, *_SHAPE_COLUMNS, *_COUNTED_NAMES)
_SUM = {name: number for number, name in enumerate(_SUMS)}
_UNSEEN = int(Flag.HIDDEN | Flag.ARIA_HIDDEN | Flag.NOSCRIPT | Flag.TEMPLATE | Flag.FALLBACK | Flag.SELECT | Flag.SVG)

_OWN_NAMES = (
    "words", "linked", "bytes", "tags", "link runs", "prose words", "unseen words", "digits", "uppers", "ends",
    "separators", "symbols", "title words", "description words", "told pairs", "repeated",
)  # fmt: skip
_OWN = [_SUM[name] for name in _OWN_NAMES]

# Topics that are told of single blocks; all are told of the page.
_TOPICS = """
    footer popup navigation comment review quote tab card documentation carousel header byline forum post lead body
    caption article related button table consent user code meta contents reply hidden popular content advert share
    newsletter sidebar product description price cart breadcrumb date
"""
NEAR = [TOPIC_NAMES.index(name) for name in _TOPICS.split()]

# Kinds of things that JSON-LD and Open Graph say a page is about.
_THINGS = (
    "article newsarticle blogposting reportagenewsarticle opinionnewsarticle analysisnewsarticle",
    "product offer aggregateoffer productgroup", "itemlist collectionpage offercatalog searchresultspage",
    "discussionforumposting qapage question answer comment", "website webpage", "organization corporation",
    "localbusiness service professionalservice", "recipe howto", "faqpage", "breadcrumblist", "techarticle apireference softwareapplication",
    "videoobject video.other video", "event", "person profilepage profile", "blog", "imageobject", "review aggregaterating",
)  # fmt: skip
_THING_NAMES = ("article", "product", "list", "discussion", "website", "organization", "business", "recipe", "faq",
    "breadcrumb", "technical", "video", "event", "person", "blog", "image", "review")  # fmt: skip
_THING = {name.encode(): number for number, names in enumerate(_THINGS) for name in names.split()}
_TYPE = re.compile(rb'"@type"\s{0,9}:\s{0,9}\[?\s{0,9}"([A-Za-z:/.]{1,60})"')
_CONTENT = re.compile(rb'content\s{0,9}=\s{0,9}(?:"([^"]{0,2000})|\'([^\']{0,2000})|([^\s>]{1,200}))', re.IGNORECASE)
_MOST_SCRIPTS = 64
_MOST_TOLD = 32_768  # bytes of structured data whose words are looked for in the text
_DATED = re.compile(r"/(?:19|20)\d\d[/-]?[01]?\d")


@dataclass(frozen=True, slots=True, eq=False)
class Features:
    """What the learned method reads of a page."""

    blocks: Matrix  # a row a block, the columns of `block_names`
    page: Matrix  # one row, the columns of `page_names`
    groups: npt.NDArray[np.int32]  # three rows: blocks with the same number in one are alike
    around: npt.NDArray[np.int32]  # two rows: the first and the stop block of a larger element around each block

    @property
    def count(self) -> int:
        """How many blocks there are."""
        return len(self.blocks)

    def rows(self, first: int, stop: int) -> Matrix:
        """The rows of the blocks from `first` to `stop`."""
        return self.blocks[first:stop]


def read_features(page: Page) -> Features:
    """The features of a page that has blocks."""
    return _Reader(page).read()


class _Reader:
    """The tables that several groups of features are counted from."""

    def __init__(self, page: Page) -> None:
        self.page = page
        nodes, runs, blocks = page.nodes, page.runs, page.blocks
        self.count = len(page)
        self.tag = nodes.tag[blocks.node]
        sizes = blocks.stop_run - blocks.first_run
        numbers = np.arange(self.count, dtype=np.int32)
        self.block_of = np.append(np.repeat(numbers, sizes), np.int32(self.count))
        above = np.maximum(nodes.parent, 0)
        apart = (nodes.first_run != nodes.first_run[above]) | (nodes.stop_run != nodes.stop_run[above])
        apart[0] = True
        outermost = nearest_marked(apart, nodes.parent)
        self.up = above[outermost]
        self.title, self.description, self.told, self.things = _read_head(page)
        self.near, self.far, self.signature = read_names(
            page.source,
            (nodes.start, nodes.end, nodes.parent, nodes.tag),
            _HOLDS[nodes.tag] & (nodes.first_run < nodes.stop_run),
            apart,
            automaton(),
        )
        self.shapes = read_shapes(page.source, runs.start, runs.end, self.title, self.description, self.told)
        self.sums = self._sum(np.repeat(blocks.kind, sizes))
        self.own = self.sums[blocks.stop_run] - self.sums[blocks.first_run]
        self.total = np.maximum(self.sums[-1], 1).astype(np.float32)
        self.words = self.own[:, 0].astype(np.float32)
        self.around = np.empty((LEVELS, self.count), dtype=np.int32)
        node = blocks.node
        for level in range(LEVELS):
            self.around[level] = node
            node = self.up[node]

    def _sum(self, kind: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        """Running sums of what is counted, a row a run."""
        nodes, runs = self.page.nodes, self.page.runs
        rows = len(runs.words)
        table = np.zeros((rows + 1, len(_SUMS)), dtype=np.int32)
        link = (runs.flags & int(Flag.LINK)) != 0
        columns = table[1:]
        columns[:, 0], columns[:, 1], columns[:, 3], columns[:, 4] = runs.words, runs.chars, runs.bytes, runs.tags
        columns[:, 2], columns[:, 5] = runs.chars * link, link
        columns[:, 6] = runs.words * ((kind == Kind.PARAGRAPH) & ~link)
        columns[:, 7] = runs.words * ((runs.flags & _UNSEEN) != 0)
        first = len(_RUN_COLUMNS)
        columns[:, first : first + len(_SHAPE_COLUMNS)] = self.shapes[:, : len(_SHAPE_COLUMNS)]
        counted = _COUNTED_AS[nodes.tag]
        at = np.flatnonzero(counted >= 0)
        width = len(_COUNTED)
        places = np.minimum(nodes.first_run[at], rows - 1).astype(np.int64) * width + counted[at]
        columns[:, first + len(_SHAPE_COLUMNS) :] = np.bincount(places, minlength=rows * width).reshape(rows, width)
        np.cumsum(table, axis=0, out=table)
        return table

    def read(self) -> Features:
        topics = np.stack((self.near[self.around[:3]].T, self.far[self.around[:1]].T.repeat(3, 1)), 0)
        near = topics[0][:, 0] | topics[0][:, 1] | topics[0][:, 2]
        far = topics[1][:, 0]
        near_bits, far_bits = _unpack(near), _unpack(far)
        groups, group_features = self._groups()
        group_features = np.concatenate((group_features, self._sections(), self._holders()), 1)
        level_features, spans = self._levels()
        flags = ((self.page.runs.flags[self.page.blocks.first_run][:, None] >> _BITS) & 1).astype(np.float32)
        kind = _ONE_KIND[self.page.blocks.kind]
        tags = _ONE_GROUP[_GROUP[self.page.nodes.tag[self.around[1:3]]]][:, :, 1:]
        blocks = np.concatenate(
            (
                self._own(),
                self._places(),
                flags,
                kind,
                *tags,
                level_features,
                group_features,
                near_bits[:, NEAR],
                far_bits[:, NEAR],
            ),
            1,
        )
        return Features(blocks, self._page(flags, kind, far_bits), groups.astype(np.int32), spans)

    def _own(self) -> Matrix:
        """What is in the block."""
        own = self.own.astype(np.float32)
        words, chars = np.maximum(own[:, 0], 1), np.maximum(own[:, 1], 1)
        page, runs = self.page, self.page.runs
        end = runs.end[page.blocks.stop_run - 1]
        size = np.diff(end, prepend=np.int32(0)).astype(np.float32)
        ratios = np.empty((self.count, 17), dtype=np.float32)
        ratios[:, 0] = own[:, 2] / chars
        ratios[:, 1] = chars / words / 8
        ratios[:, 2] = np.minimum(own[:, 3] / np.maximum(size, 1), 1)
        ratios[:, 3:10] = own[:, 8:15] / chars[:, None]
        ratios[:, 10] = own[:, _SUM["title words"]] / words
        ratios[:, 11] = own[:, _SUM["description words"]] / words
        ratios[:, 12] = np.log1p(size) / 8
        ratios[:, 13] = self.shapes[page.blocks.stop_run - 1, Shape.FINAL]
        ratios[:, 14] = own[:, _SUM["told pairs"]] / words
        ratios[:, 15] = own[:, 6] / words
        ratios[:, 16] = own[:, _SUM["repeated"]] / words
        return np.concatenate((np.log1p(own[:, _OWN]), ratios), 1)

    def _places(self) -> Matrix:
        """Where the block stands."""
        n, words = self.count, self.words
        place = np.arange(n, dtype=np.float32)
        before = np.cumsum(words) - words
        heading = self.page.blocks.kind == Kind.HEADING
        numbers = np.arange(n)
        last = np.maximum.accumulate(np.where(heading, numbers, -1))
        likeness = self.own[:, _SUM["title words"]] * heading * (2 + (self.tag == TAG["h1"]))
        best = int(np.argmax(likeness)) if n and likeness.max() > 0 else -1
        h1 = np.flatnonzero(self.tag == TAG["h1"])
        found = np.empty((n, 17), dtype=np.float32)
        found[:, 0], found[:, 1] = place / n, before / self.total[0]
        found[:, 2], found[:, 3] = np.log1p(place), np.log1p(n - place)
        found[:, 4], found[:, 5] = _HEADING_LEVEL[self.tag], np.log1p(place - last)
        found[:, 6] = np.where(last >= 0, _HEADING_LEVEL[self.tag[last]], 0)
        found[:, 7:10] = _distance(place, int(h1[0]) if len(h1) else -1)
        found[:, 10:12] = _distance(place, best)[:, 1:]
        found[:, 12:16] = self._stretch(place, before)
        found[:, 16] = np.minimum(np.cumsum(heading), 20) / 20
        return found

    def _stretch(self, place: Matrix, before: Matrix) -> Matrix:
        """Finn's stretch on blocks: unlinked words for, and tags against."""
        balance = self.own[:, 0] - self.own[:, 4] - self.own[:, 2] // 4
        total = np.cumsum(balance)
        lowest = np.minimum.accumulate(total - balance)
        stop = int(np.argmax(total - lowest))
        start = int(np.searchsorted(-lowest[: stop + 1], -lowest[stop], side="left"))
        found = np.empty((self.count, 4), dtype=np.float32)
        found[:, 0] = (place >= start) & (place <= stop)
        found[:, 1] = np.sign(place - start) * np.log1p(np.abs(place - start))
        found[:, 2] = np.sign(place - stop) * np.log1p(np.abs(place - stop))
        found[:, 3] = (before - before[start]) / max(before[stop] + self.words[stop] - before[start], 1)
        return found

    def _levels(self) -> tuple[Matrix, npt.NDArray[np.int32]]:
        """What is in the elements around the block, from the nearest to wider ones, and how they repeat."""
        nodes, around = self.page.nodes, self.around
        marked = np.zeros(len(nodes.tag), dtype=np.bool_)
        marked[around] = True
        used = np.flatnonzero(marked)
        number = np.zeros(len(nodes.tag), dtype=np.int32)
        number[used] = np.arange(len(used), dtype=np.int32)
        which = number[around]
        first, stop = nodes.first_run[used], nodes.stop_run[used]
        sums = (self.sums[stop] - self.sums[first]).astype(np.float32)
        first_block, stop_block = self.block_of[first], self.block_of[stop]
        blocks = np.maximum(stop_block - first_block, 1).astype(np.float32)
        words, chars = np.maximum(sums[:, 0], 1), np.maximum(sums[:, 1], 1)
        table = np.empty((len(used), 21), dtype=np.float32)
        table[:, 0], table[:, 1] = np.log1p(sums[:, 0]), np.log1p(blocks)
        table[:, 2] = sums[:, 0] / self.total[0]
        table[:, 3] = sums[:, 2] / chars
        table[:, 4] = sums[:, 6] / words
        table[:, 5] = sums[:, _SUM["ends"]] / words
        table[:, 6] = sums[:, _SUM["digits"]] / chars
        table[:, 7] = sums[:, _SUM["currencies"]] / blocks
        table[:, 8:15] = np.log1p(sums[:, _SUM["images"] :])
        table[:, 15] = sums[:, _SUM["images"]] / blocks
        table[:, 16:18] = self._siblings(used, sums[:, 0])
        table[:, 18] = sums[:, _SUM["told pairs"]] / words
        table[:, 19] = sums[:, _SUM["unseen words"]] / words
        table[:, 20] = sums[:, _SUM["repeated"]] / words
        inside = np.empty((LEVELS, self.count, 2), dtype=np.float32)
        inside[:, :, 0] = (np.arange(self.count) - first_block[which]) / blocks[which]
        inside[:, :, 1] = self.words / words[which]
        levels = np.concatenate((table[which], inside), 2)
        spans = np.stack((first_block[which[3]], stop_block[which[3]]))
        return levels.transpose(1, 0, 2).reshape(self.count, -1), spans

    def _siblings(self, used: npt.NDArray[np.intp], words: Matrix) -> Matrix:
        """How often an element's like stands beside it, and how unlike in length they are."""
        key = self.up[used].astype(np.int64) << 32 | self.signature[used]
        _, inverse, counts = np.unique(key, return_inverse=True, return_counts=True)
        mean = np.bincount(inverse, words) / counts
        square = np.bincount(inverse, words * words) / counts
        spread = np.sqrt(np.maximum(square - mean * mean, 0)) / np.maximum(mean, 1)
        found = np.empty((len(used), 2), dtype=np.float32)
        found[:, 0] = np.log1p(counts - 1)[inverse]
        found[:, 1] = np.minimum(spread, 4)[inverse]
        return found

    def _groups(self) -> tuple[npt.NDArray[np.int64], Matrix]:
        """What blocks of the same make have in common, wherever they stand."""
        tag, around = self.page.nodes.tag, self.around
        signs = self.signature[around[:3]].astype(np.int64)
        kind = self.page.blocks.kind.astype(np.int64)
        keys = (
            (signs[0] * 31 + signs[1]) * 31 + signs[2] * 16 + kind,
            around[2].astype(np.int64) << 16 | tag[around[0]] << 8 | tag[around[1]],
            ((tag[around[0]].astype(np.int64) << 8 | tag[around[1]]) << 8 | tag[around[2]]) << 8 | tag[around[3]],
        )
        text = (
            np.add.reduceat(self.shapes[:, Shape.TEXT].astype(np.int64), self.page.blocks.first_run) * 64
            + self.own[:, 0]
        )
        groups, found = [], []
        for key in keys:
            inverse, columns = self._group(key)
            groups.append(inverse)
            found.append(columns)
        _, first, inverse, counts = np.unique(text, return_index=True, return_inverse=True, return_counts=True)
        copies = np.empty((self.count, 2), dtype=np.float32)
        copies[:, 0] = np.log1p(counts - 1)[inverse]
        copies[:, 1] = first[inverse] < np.arange(self.count)
        found.append(copies)
        return np.stack(groups), np.concatenate(found, 1)

    def _group(self, key: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], Matrix]:
        _, first, inverse, counts = np.unique(key, return_index=True, return_inverse=True, return_counts=True)
        words = np.bincount(inverse, self.words)
        place = np.arange(self.count)
        last = np.zeros(len(counts), dtype=np.int64)
        last[inverse] = place
        found = np.empty((self.count, 6), dtype=np.float32)
        found[:, 0] = np.log1p(counts - 1)[inverse]
        found[:, 1] = (words / self.total[0])[inverse]
        found[:, 2] = np.log1p(words / counts)[inverse]
        found[:, 3] = (np.bincount(inverse, self.own[:, 2]) / np.maximum(np.bincount(inverse, self.own[:, 1]), 1))[
            inverse
        ]
        found[:, 4] = ((place - first[inverse]) / np.maximum(last - first, 1)[inverse]).astype(np.float32)
        found[:, 5] = ((last - first) / self.count)[inverse]
        return inverse, found

    def _sections(self) -> Matrix:
        """What stands under the same heading."""
        heading = self.page.blocks.kind == Kind.HEADING
        heading[0] = True
        first = np.flatnonzero(heading)
        which = np.cumsum(heading) - 1
        sums = np.add.reduceat(self.own[:, :8], first, axis=0).astype(np.float32)
        sizes = np.diff(np.append(first, self.count)).astype(np.float32)
        words = np.maximum(sums[:, 0], 1)
        table = np.empty((len(first), 5), dtype=np.float32)
        table[:, 0], table[:, 1] = np.log1p(sums[:, 0]), np.log1p(sizes)
        table[:, 2], table[:, 3] = sums[:, 2] / np.maximum(sums[:, 1], 1), sums[:, 6] / words
        table[:, 4] = np.log1p(sums[:, 0] / sizes)
        return table[which]

    def _holders(self) -> Matrix:
        """The smallest elements around the block that hold a tenth, three tenths, six tenths of the page's words."""
        nodes = self.page.nodes
        words = self.sums[nodes.stop_run, 0] - self.sums[nodes.first_run, 0]
        found = np.zeros((self.count, len(_SHARES), 6), dtype=np.float32)
        for number, share in enumerate(_SHARES):
            holder = nearest_marked(words >= share * self.total[0], nodes.parent)[self.page.blocks.node]
            first, stop = nodes.first_run[holder], nodes.stop_run[holder]
            sums = (self.sums[stop, :7] - self.sums[first, :7]).astype(np.float32)
            first_block, stop_block = self.block_of[first], self.block_of[stop]
            blocks = np.maximum(stop_block - first_block, 1).astype(np.float32)
            column = found[:, number]
            column[:, 0] = sums[:, 0] / self.total[0]
            column[:, 1] = sums[:, 2] / np.maximum(sums[:, 1], 1)
            column[:, 2] = sums[:, 6] / np.maximum(sums[:, 0], 1)
            column[:, 3] = np.log1p(blocks)
            column[:, 4] = (np.arange(self.count) - first_block) / blocks
            column[:, 5] = (self.words + 1) / (sums[:, 0] + 1)
        return found.reshape(self.count, -1)

    def _page(self, flags: Matrix, kind: Matrix, topics: Matrix) -> Matrix:
        """What the page is as a whole."""
        page, total = self.page, self.sums[-1].astype(np.float32)
        share = self.words / self.total[0]
        sizes = np.array([self.count, len(page.nodes.tag), len(page.source), self.words.max()], dtype=np.float32)
        tags = np.bincount(_GROUP[page.nodes.tag], minlength=len(_GROUPS) + 1).astype(np.float32)
        ratios = total[1:] / self.total[0]
        return np.concatenate(
            (np.log1p(sizes), np.log1p(total), np.minimum(ratios, 20), np.log1p(tags), share @ flags, share @ kind,
             share @ topics, self.things, _read_address(page.url))
        )[None].astype(np.float32)  # fmt: skip


def _unpack(bits: npt.NDArray[np.uint64]) -> Matrix:
    """64 columns of 0 and 1."""
    table = np.unpackbits(bits.astype("<u8").view(np.uint8).reshape(-1, 8), axis=1, bitorder="little")
    return table.astype(np.float32)


def _distance(place: Matrix, other: int) -> Matrix:
    """Whether there is such a place, whether it lies before, and how far off it is."""
    found = np.zeros((len(place), 3), dtype=np.float32)
    if other >= 0:
        gap = place - other
        found[:, 0], found[:, 1], found[:, 2] = 1, gap >= 0, np.sign(gap) * np.log1p(np.abs(gap))
    return found


def _read_head(page: Page) -> tuple[bytes, bytes, bytes, Matrix]:
    """Title, description, and the kinds of things that the page says it is about."""
    nodes, source = page.nodes, page.source
    things = np.zeros(len(_THINGS) + 1, dtype=np.float32)
    description = told = b""
    for node in np.flatnonzero(nodes.tag == TAG["meta"])[:_MOST_SCRIPTS].tolist():
        tag = source[nodes.start[node] : nodes.end[node]]
        if not description and b"escription" in tag:
            description = _content(tag)
        elif b"og:type" in tag:
            _note(things, _content(tag))
    for node in np.flatnonzero(nodes.tag == TAG["script"])[:_MOST_SCRIPTS].tolist():
        start = int(nodes.end[node])
        if b"ld+json" in source[nodes.start[node] : start]:
            things[-1] = 1
            end = source.find(b"</script", start)
            end = end if end >= 0 else len(source)
            told += source[start : min(end, start + _MOST_TOLD - len(told))]
            for name in _TYPE.findall(source, start, end):
                _note(things, name)
    return page.title.encode(), description, told, things


def _content(tag: bytes) -> bytes:
    found = _CONTENT.search(tag)
    return next((value for value in found.groups() if value), b"") if found else b""


def _note(things: Matrix, name: bytes) -> None:
    thing = _THING.get(name.rpartition(b"/")[2].lower().strip())
    if thing is not None:
        things[thing] = 1


_ADDRESS_NAMES = ("known", "root", "depth", "digits", "hyphens", "query", "dated", "suffix", "slash", "last length")


def _read_address(url: str) -> Matrix:
    """The form of the page's address, and the topics that its words speak of."""
    found = np.zeros(len(_ADDRESS_NAMES) + len(TOPIC_NAMES), dtype=np.float32)
    if not url:
        return found
    try:
        parts = urlsplit(url)
    except ValueError:
        return found
    path = parts.path
    steps = [step for step in path.split("/") if step]
    last = steps[-1] if steps else ""
    found[: len(_ADDRESS_NAMES)] = (
        1, not steps, min(len(steps), 8) / 8, min(sum(map(str.isdigit, path)), 12) / 12, min(last.count("-"), 12) / 12,
        bool(parts.query), bool(_DATED.search(path)), "." in last[-6:], path.endswith("/"), min(len(last), 100) / 100,
    )  # fmt: skip
    quoted = re.sub(r"[^A-Za-z/-]", "-", path[:400])
    tag = f'<a id="{quoted}">'.encode()
    one = np.zeros(1, dtype=np.int32)
    mark = np.ones(1, dtype=np.bool_)
    topics = read_names(tag, (one, one + len(tag), one - 1, one), mark, mark, automaton())[0]
    found[len(_ADDRESS_NAMES) :] = _unpack(topics)[0]
    return found


@cache
def block_names() -> tuple[str, ...]:
    """What each column of a block's features is."""
    own = [f"log {name}" for name in _OWN_NAMES] + [
        "link share", "word length", "text share of source", *(f"{name} share" for name in _SHAPE_COLUMNS[:7]),
        "title share", "description share", "log source", "ends a sentence", "told share", "prose share", "repeated share",
    ]  # fmt: skip
    places = [
        "place", "words before", "log place", "log places left", "heading level", "blocks since heading",
        "level of last heading", "has h1", "after h1", "distance to h1", "after title heading",
        "distance to title heading", "in densest stretch", "distance to stretch start", "distance to stretch end",
        "place in stretch", "headings before",
    ]  # fmt: skip
    flags = [f"in {flag.name.lower()}" for flag in _FLAGS if flag.name]
    kinds = [f"kind {kind.name.lower()}" for kind in Kind]
    tags = [f"tag {names}{' ^' * level}" for level in (1, 2) for names in _GROUPS]
    columns = [
        "log words", "log blocks", "share of page", "link share", "prose share", "sentence ends", "digit share",
        "currencies", *(f"log {name}" for name in _COUNTED_NAMES), "images a block", "like it", "spread of words",
        "told share", "unseen share", "repeated share", "place in it", "share of it",
    ]  # fmt: skip
    levels = [f"around {level}: {name}" for level in range(LEVELS) for name in columns]
    groups = [
        f"{make}: {name}" for make in ("same class", "same container", "same path")
        for name in ("how many", "share of page", "mean words", "link share", "place", "span")
    ]  # fmt: skip
    sections = [f"section: {name}" for name in ("log words", "log blocks", "link share", "prose share", "mean words")]
    holders = [
        f"holder of {share}: {name}" for share in _SHARES
        for name in ("share of page", "link share", "prose share", "log blocks", "place in it", "share of it")
    ]  # fmt: skip
    topics = [f"{where} {TOPIC_NAMES[topic]}" for where in ("near", "within") for topic in NEAR]
    return (
        *own,
        *places,
        *flags,
        *kinds,
        *tags,
        *levels,
        *groups,
        "copies",
        "copy of an earlier one",
        *sections,
        *holders,
        *topics,
    )


@cache
def page_names() -> tuple[str, ...]:
    """What each column of a page's features is."""
    return (
        "page blocks", "page nodes", "page bytes", "page longest block", *(f"page {name}" for name in _SUMS),
        *(f"page {name} a word" for name in _SUMS[1:]), *(f"page tags {names}" for names in ("other", *_GROUPS)),
        *(f"page in {flag.name.lower()}" for flag in _FLAGS if flag.name), *(f"page kind {kind.name.lower()}" for kind in Kind),
        *(f"page topic {topic}" for topic in TOPIC_NAMES), *(f"page says {name}" for name in _THING_NAMES), "page has json-ld",
        *(f"address {name}" for name in _ADDRESS_NAMES), *(f"address topic {topic}" for topic in TOPIC_NAMES),
    )  # fmt: skip
