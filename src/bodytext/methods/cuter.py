"""CUTER: rate nodes by their share of links and text, unite neighbours, take the first big group.

George Adam, Christos Bouras and Vassilis Poulopoulos, "CUTER: an Efficient Useful Text Extraction Mechanism". For a
node, SL is the bytes of its text, SA the bytes of its text inside links, SH the bytes of the page's text:

    LP = SA / SL        TP = SL / SH

Nodes with an LP of at least `max_link_share` are removed with everything under them. Starting from the node with the
highest TP, neighbours by node number are united with it while their TP exceeds TP / `ratio`. Of the resulting groups,
the article is the first whose length exceeds `acceptable` times the longest group's, so long comments after it lose.

Settled here, with the measurements in docs/methods.md:
- A text-bearing node is the container of paragraphs, headings, items and quotes ("the parent node of the leaves"), not
  the single paragraph: otherwise a short paragraph between long ones would not belong to them.
- A node that holds most of the page's text outside links stays, however many links are in it: otherwise the wrapper of
  a page with a long menu would be removed with everything under it.
- minTP, which "depends on each webpage", is the TP that the best node's neighbours must exceed.
- Nodes are neighbours if at most `reach` of the page's nodes are between their texts; whatever is between united nodes
  and passes the link test belongs to the group.
- Formatting tags (b strong i em u p br span) are more frequent in useful text: a node without any counts half.
- Useful text comes after the title: nothing before the first heading with a known title is useful, and the article begins
  at the last such heading before the group, or at the last <h1> if none is like the title. So paragraphs in between
  (`_PARAGRAPH` bytes or more: most bylines and dates are shorter) belong to it. The page's own <title> shows the
  beginning where no other title is known.
- LP is computed for block-level elements; an inline element belongs to its block.
- `lexicon` and `meaning` are what the authors left for later: a kept block that is a known phrase of noise is dropped
  (`noise_phrases`), and with `meaning` one that shares no word with the rest of the article and its title.
"""

import re
from collections import Counter
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from bodytext.kernel.html import RULES, Flag, Kind, NodeFlag, TagRule
from bodytext.methods.noise_phrases import LONGEST, is_noise_phrase
from bodytext.methods.scores import Scores
from bodytext.page.tables import Column, Page, or_above, running_sum, tag_mask
from bodytext.page.urls import absolute, base_address, host_of, is_same_site

_LINK = int(Flag.LINK)
_Mask = npt.NDArray[np.bool_]


_SPECIAL = np.array([bool(rules & TagRule.SPECIAL) for rules in RULES])
_FORMATTING = tag_mask("b strong i em u p br span")
_LEAVES = tag_mask("p h1 h2 h3 h4 h5 h6 li ul ol blockquote pre dl dt dd figure figcaption")
_NEAR = 10  # nodes; on the smallest page these are still neighbours
_LEAF_DEPTH = 4  # a paragraph in an item in a list in a quote
_MOST_SHORT = 20_000  # blocks that are looked up; no honest page comes near this bound
_AT_ONCE = 1_000  # of them: a list of all their places would take many times the page in memory
_PARAGRAPH = 50  # bytes; most bylines and dates are shorter
_MAIN_HEADING = tag_mask("h1")
MEDIA = tag_mask("img video audio embed object iframe picture svg canvas")
_ROOTS = tag_mask("html body")

_WORD = re.compile(r"\w+")
_MIN_LETTERS = 4  # shorter words are in any text


class Label(StrEnum):
    """The class of a node."""

    ADVERTISEMENT = "advertisement"
    NAVIGATION = "navigation"
    TEXT = "text"
    MULTIMEDIA = "multimedia"
    EMPTY = "empty"


@dataclass(frozen=True, slots=True)
class Cuter:
    """DOM nodes by link share and text share, neighbours united (Adam, Bouras and Poulopoulos)."""

    title: str = ""
    max_link_share: float = 0.5
    ratio: float = 3.0
    acceptable: float = 0.5
    reach: float = 0.2
    meaning: bool = False
    lexicon: bool = True

    def __post_init__(self) -> None:
        shares = (self.max_link_share, self.acceptable, self.reach)
        if not (all(0 <= share <= 1 for share in shares) and self.ratio >= 1):
            raise ValueError(
                "max_link_share, acceptable and reach lie between 0 and 1, ratio is at least 1"
            )

    def score(self, page: Page) -> Scores:
        """Score the blocks of the article's group 1."""
        size = page.per_block(page.runs.bytes)
        useful = self._candidates(page, size)
        if not useful.any():
            return Scores(useful.astype(np.float32))
        if self.title:
            useful[: _first_title(page, self.title, np.where(useful, size, 0))] = False
        kept = useful & self._article(page, useful, size)
        paragraphs = useful & (size >= _PARAGRAPH)
        kept[_beginning(page, self.title, paragraphs, int(kept.argmax()))] = True
        if self.lexicon:
            kept[_phrases(page, np.flatnonzero(kept & (size <= LONGEST)))] = False
        if self.meaning:
            kept = _related(page, kept, self.title)
        return Scores(kept.astype(np.float32))

    def _candidates(self, page: Page, size: Column) -> _Mask:
        """Return which blocks have text and are outside link-laden nodes."""
        linked = page.per_block(linked_bytes(page))
        laden = or_above(self.link_laden(page), page.nodes.parent)
        useful: _Mask = (
            page.seen
            & (size > 0)
            & (linked < self.max_link_share * size)
            & ~laden[page.blocks.node]
        )
        return useful

    def link_laden(self, page: Page) -> _Mask:
        """Return which nodes have an LP of at least the limit."""
        size, linked = page.per_node(page.runs.bytes), page.per_node(linked_bytes(page))
        plain = size - linked
        laden: _Mask = (size > 0) & (linked >= self.max_link_share * size) & (2 * plain < plain[0])
        laden &= _SPECIAL[page.nodes.tag] & ~_ROOTS[page.nodes.tag]
        return laden

    def _article(self, page: Page, useful: _Mask, size: Column) -> _Mask:
        """Return which blocks are between the first and the last of the article's group."""
        container = _containers(page)
        size = np.where(useful, size, 0)
        text = np.bincount(container, size, minlength=len(page.nodes.tag))
        share = text * np.where(_formatted(page), 1, 0.5)
        strong = np.flatnonzero(share > share.max() / self.ratio)
        first_block, last_block = _extents(container, useful, len(text))
        distance = (
            page.blocks.node[first_block[strong[1:]]] - page.blocks.node[last_block[strong[:-1]]]
        )
        gaps = np.flatnonzero(distance > max(self.reach * len(text), _NEAR)) + 1
        starts = first_block[strong[np.concatenate(([0], gaps))]]
        stops = np.maximum.reduceat(last_block[strong], np.concatenate(([0], gaps))) + 1
        running = running_sum(size.astype(np.int32))
        lengths = running[stops] - running[starts]
        chosen = int(np.argmax(lengths > self.acceptable * lengths.max()))
        inside = np.zeros(len(useful), dtype=np.bool_)
        inside[starts[chosen] : stops[chosen]] = True
        return inside


def _extents(container: Column, useful: _Mask, nodes: int) -> tuple[Column, Column]:
    """Return the first and the last useful block of each container."""
    first, last = np.zeros(nodes, dtype=np.int32), np.zeros(nodes, dtype=np.int32)
    blocks = np.flatnonzero(useful)
    last[container[blocks]] = blocks  # the last assignment stays
    first[container[blocks[::-1]]] = blocks[::-1]
    return first, last


def linked_bytes(page: Page) -> Column:
    """Return the bytes of each run that are inside links."""
    return np.where(page.runs.flags & _LINK, page.runs.bytes, 0)


def _containers(page: Page) -> Column:
    """Return the container of each block: the element above paragraphs, items and the like."""
    parent = np.maximum(page.nodes.parent, 0)
    container, tag = page.blocks.node, page.nodes.tag
    for _ in range(_LEAF_DEPTH):
        container = np.where(_LEAVES[tag[container]], parent[container], container)
    return container


def _formatted(page: Page) -> _Mask:
    """Return which nodes are formatting tags or have one as a child."""
    marked = _FORMATTING[page.nodes.tag]
    formatted = marked.copy()
    formatted[np.maximum(page.nodes.parent[marked], 0)] = True
    return formatted


def _first_title(page: Page, title: str, size: Column) -> int:
    """Return the block after the first heading that is the title and has a third of the text after it, or 0.

    A title that is repeated below the article, in a list of further reading, must not cost the article.
    """
    after = size.sum() - np.cumsum(size)
    enough = int(np.count_nonzero(3 * after >= size.sum()))  # `after` falls
    return min(_titles(page, title, enough), default=-1) + 1


def _beginning(page: Page, title: str, paragraphs: _Mask, first: int) -> npt.NDArray[np.intp]:
    """Return the paragraphs between the last heading with the title and the first block of the group."""
    before = np.flatnonzero(paragraphs[:first])
    if not len(before):  # on most pages
        return before
    titles = _titles(page, title or page.title, first) or _main_headings(page, first)
    return before[before > max(titles, default=first)]


def _main_headings(page: Page, stop: int) -> list[int]:
    """Return the blocks before a block that are in an <h1>."""
    headings = np.flatnonzero(page.blocks.kind[:stop] == Kind.HEADING)
    inside = or_above(_MAIN_HEADING[page.nodes.tag], page.nodes.parent)
    found: list[int] = headings[inside[page.blocks.node[headings]]].tolist()
    return found


def _phrases(page: Page, blocks: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
    """Return which of the first short blocks are phrases of noise."""
    found: list[int] = []
    for first in range(0, min(len(blocks), _MOST_SHORT), _AT_ONCE):
        part = blocks[first : first + _AT_ONCE]
        nothing = bytes(len(part))
        buffer, spans = page.write_texts(part, nothing, nothing)
        for block, (start, end) in zip(part.tolist(), spans.T.tolist(), strict=True):
            if is_noise_phrase(buffer[start:end].decode("utf-8")):
                found.append(block)
    return np.array(found, np.intp)


def _titles(page: Page, title: str, stop: int) -> list[int]:
    """Return the headings before a block whose words are the title's, or more than half of them, or a little more."""
    wanted = " ".join(_WORD.findall(title.lower()))
    headings = np.flatnonzero(page.blocks.kind[:stop] == Kind.HEADING)
    nothing = bytes(len(headings))
    buffer, spans = page.write_texts(headings, nothing, nothing)
    titles = []
    for heading, (start, end) in zip(headings.tolist(), spans.T.tolist(), strict=True):
        words = " ".join(_WORD.findall(buffer[start:end].decode("utf-8").lower()))
        shorter, longer = sorted((words, wanted), key=len)
        # The lengths first: a huge title and many headings would take long
        if 2 * len(shorter) > len(longer) and shorter in longer:
            titles.append(heading)
    return titles


def _related(page: Page, kept: _Mask, title: str) -> _Mask:
    """Return which of the kept blocks share a word with another one or with the title."""
    chosen = np.flatnonzero(kept)
    nothing = bytes(len(chosen))
    buffer, spans = page.write_texts(chosen, nothing, nothing)
    terms = [_terms(buffer[start:end].decode("utf-8")) for start, end in spans.T.tolist()]
    known = Counter(term for block in terms for term in block)
    known.update(_terms(title or page.title))
    related = [not block or any(known[term] > 1 for term in block) for block in terms]
    result = kept.copy()
    result[chosen] = related
    return result


def _terms(text: str) -> set[str]:
    """Return the longer words of a text; for scripts without spaces, the pairs of neighbouring characters."""
    terms: set[str] = set()
    for word in _WORD.findall(text.lower()):
        if not word.isascii() and ord(max(word)) >= 0xE00:
            terms.update(word[at : at + 2] for at in range(len(word) - 1))
        elif len(word) >= _MIN_LETTERS:
            terms.add(word)
    return terms


def label_nodes(page: Page, method: Cuter | None = None) -> list[Label]:
    """Return the label of each node.

    A link-laden node whose links mostly leave the site is an advertisement, any other is navigation.
    """
    method = method or Cuter()
    tag, parent = page.nodes.tag, page.nodes.parent
    laden = method.link_laden(page)
    labels = np.full(len(tag), Label.EMPTY, dtype=object)
    labels[holds_media(page)] = Label.MULTIMEDIA
    labels[page.per_node(page.runs.bytes) > 0] = Label.TEXT
    labels[or_above(MEDIA[tag], parent)] = Label.MULTIMEDIA
    labels[or_above(laden, parent)] = Label.NAVIGATION
    labels[or_above(_outward(page, laden), parent)] = Label.ADVERTISEMENT
    result: list[Label] = labels.tolist()
    return result


def holds_media(page: Page) -> _Mask:
    """Return which nodes are media or contain one. Each walk up ends where an earlier one passed: linear work."""
    parent = page.nodes.parent.tolist()
    holds = np.zeros(len(parent), dtype=np.bool_)
    for medium in np.flatnonzero(MEDIA[page.nodes.tag]).tolist():
        node = medium
        while node >= 0 and not holds[node]:
            holds[node] = True
            node = parent[node]
    return holds


def _outward(page: Page, laden: _Mask) -> _Mask:
    """Return which link-laden nodes mostly link to other sites; none if the page's address is unknown.

    Only links with text count, since they make a node link-laden.
    """
    nodes, host = page.nodes, host_of(page.url)
    in_laden = or_above(laden, nodes.parent)
    links = np.flatnonzero(
        (nodes.flags & NodeFlag.LINK != 0) & (nodes.first_run < nodes.stop_run) & in_laden
    )
    if not host or not len(links):
        return np.zeros_like(laden)
    base = base_address(page)
    targets = [
        host_of(absolute(page.attributes(link).get("href", ""), base)) for link in links.tolist()
    ]
    known = np.array([bool(target) for target in targets])
    away = np.array([bool(target) and not is_same_site(target, host) for target in targets])
    balance = np.bincount(
        nodes.first_run[links], np.where(away, 1, -1) * known, minlength=len(page.runs.words)
    )
    total = running_sum(balance.astype(np.int32))
    return laden & (total[nodes.stop_run] > total[nodes.first_run])
