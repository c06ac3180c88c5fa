"""Make variants of a labelled page whose body text is other than the page's.

Training data has few small pages, few short articles among many headlines, and few articles that
are followed by another story. These variants make them: what is around the body text is left out,
an article is cut short, among lists or headlines of other pages too, the story of another page
follows it, or it is made very long.
"""

import html
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from bodytext.kernel.html import TAGS, Kind
from bodytext.page.parser import parse
from bodytext.page.tables import Page
from bodytext.studio.training.augmentation import find_boxes, vary
from bodytext.studio.training.page_edits import Edit, find_end, mark_runs, outermost, write_element

Content = npt.NDArray[np.bool_]

# The chances of changes to the body text or to all that is around it.
BARE, FRAGMENT, SHORT, CROWD, TEASERS, STORY, LONG = 0.12, 0.04, 0.09, 0.05, 0.04, 0.025, 0.03
BARE_SHARES = (0.7, 0.9, 1.0)  # of the elements without content that are left out
SHORT_BLOCKS = (1, 3)  # paragraphs of a short article
SHORT_WORDS = 12  # the least words of one of them
TINY = 0.25  # chance that most of what is around a short article is left out too
ALONE = 0.5  # the same of a short article beside headlines
MOST_LISTS = 3  # of other pages around a short article
TEASERS_A_PAGE = (8, 80)  # headlines beside a short article
TEASED = 0.25  # chance that the headlines have the first words of their stories
TEASER_WORDS = (8, 20)
HEADED = 0.4  # chance that a heading is above the headlines
HEADLINE_CHARS = (15, 120)
HEADLINES_A_PAGE = 30
FRAGMENT_SHARE = 0.95  # of the content's words
STORY_SHARE = 0.8  # of the content's words that a story has
STORY_WORDS = (60, 2_000)
LEVELS = (1, 4)  # elements between the content and what is put before or after it
LONG_BLOCKS = (100, 2_500)  # paragraphs that are added to make a page long
PARAGRAPH_WORDS = (8, 120)
PARAGRAPHS_A_PAGE = 12
_STORIES = frozenset({"article", "forum"})  # kinds of pages whose content may follow an article
_LISTS = frozenset({"listing", "collection"})  # and may be around it
# The markup of a list of headlines: what is around all of them, around each, and around its link.
_LAYOUTS = (
    ("ul", "li", ""),
    ("ul", "li", "h3"),
    ("div", "div class=card", "h3"),
    ("div", "div", "h2"),
    ("div", "div", ""),
    ("section", "article", "h3"),
    ("section", "div class=item", "h4"),
    ("div", "p", ""),
    ("aside", "div", "p"),
    ("div class=related", "div", "h4"),
    ("table", "tr", "td"),
)


@dataclass(slots=True)
class Stock:
    """Pieces of the pages of one fold, for variants of its other pages."""

    boxes: list[bytes] = field(default_factory=list)  # elements without content
    stories: list[bytes] = field(default_factory=list)  # elements with the content of an article
    lists: list[bytes] = field(default_factory=list)  # and of a listing
    paragraphs: list[str] = field(default_factory=list)
    headlines: list[str] = field(default_factory=list)

    def add(self, other: "Stock") -> None:
        """Add the pieces of another page."""
        self.boxes += other.boxes
        self.stories += other.stories
        self.lists += other.lists
        self.paragraphs += other.paragraphs
        self.headlines += other.headlines


@dataclass(frozen=True, slots=True)
class Variant:
    """A variant of a page, and its body text if that is another."""

    html: str
    reference: str | None = None
    added: frozenset[str] = frozenset()  # paragraphs of body text that the page does not have


def vary_content(
    page: Page, content: Content, is_article: bool, stock: Stock, random: np.random.Generator
) -> Variant:
    """A variant of a labelled page. Only articles are cut, made longer or followed by a story."""
    make = _choose_change(random)
    if not content.any() or (make in _OF_ARTICLES and not is_article):
        make = _keep
    return make(page, content, stock, random)


def find_pieces(page: Page, content: Content, page_type: str, random: np.random.Generator) -> Stock:
    """The pieces of a labelled page that other pages may have."""
    stock = Stock(find_boxes(page, content, random), headlines=_find_headlines(page, random))
    element = _find_content(page, content)
    if not element:
        return stock
    if page_type in _LISTS:
        stock.lists.append(element)
    elif page_type in _STORIES:
        # Without a heading, nothing would tell a story from the text before it.
        title = html.escape(page.title).encode()
        stock.stories.append(b"<div><h2>" + title + b"</h2>" + element + b"</div>")
        stock.paragraphs += _find_paragraphs(page, content, random)
    return stock


def _find_content(page: Page, content: Content) -> bytes:
    """The element with most of a page's content; or nothing."""
    if not content.any():
        return b""
    node = _find_holder(page, content, STORY_SHARE)
    words = int(page.per_node(page.runs.words)[node])
    return write_element(page, node) if STORY_WORDS[0] <= words <= STORY_WORDS[1] else b""


def _find_paragraphs(page: Page, content: Content, random: np.random.Generator) -> list[str]:
    """Some paragraphs of a page's content."""
    words = page.per_block(page.runs.words)
    fits = content & (page.blocks.kind == Kind.PARAGRAPH)
    fits &= (words >= PARAGRAPH_WORDS[0]) & (words <= PARAGRAPH_WORDS[1])
    texts = page.texts()
    chosen = random.permutation(np.flatnonzero(fits))[:PARAGRAPHS_A_PAGE]
    return [" ".join(texts[block].split()) for block in chosen]


def _find_headlines(page: Page, random: np.random.Generator) -> list[str]:
    """Some texts of a page that are links as a whole, and as long as headlines."""
    chars = page.per_block(page.runs.chars)
    fits = (page.per_block(page.runs.linked) == chars) & page.seen
    fits &= (chars >= HEADLINE_CHARS[0]) & (chars <= HEADLINE_CHARS[1])
    texts = page.texts()
    chosen = random.permutation(np.flatnonzero(fits))[:HEADLINES_A_PAGE]
    return list(dict.fromkeys(" ".join(texts[block].split()) for block in chosen))


def _keep(page: Page, _content: Content, stock: Stock, random: np.random.Generator) -> Variant:
    """Leave the body text as it is."""
    return Variant(vary(page, stock.boxes, random))


def _make_bare(page: Page, content: Content, _stock: Stock, random: np.random.Generator) -> Variant:
    """Leave out what is around the content."""
    return Variant(vary(page, (), random, list(_leave_bare(page, content, random))))


def _leave_bare(page: Page, content: Content, random: np.random.Generator) -> Iterator[Edit]:
    marked = mark_runs(page, content).astype(np.int32)
    share = float(random.choice(BARE_SHARES))
    for node in outermost(page, (page.per_node(marked) == 0) & (_count_words(page) > 0)):
        if random.random() < share:
            yield from _remove(page, node)


def _cut_fragment(
    page: Page, content: Content, stock: Stock, random: np.random.Generator
) -> Variant:
    """The element around the content, without the rest of the page."""
    element = write_element(page, _find_holder(page, content, FRAGMENT_SHARE))
    if not element:
        return _keep(page, content, stock, random)
    return Variant(vary(parse(element), (), random))


def _shorten(page: Page, content: Content, stock: Stock, random: np.random.Generator) -> Variant:
    """Keep the first paragraphs of an article, and everything around it."""
    bare = _leave_bare(page, content, random) if random.random() < TINY else ()
    return _cut_short(page, content, stock, random, bare)


def _crowd(page: Page, content: Content, stock: Stock, random: np.random.Generator) -> Variant:
    """Keep the first paragraphs of an article, and put the lists of other pages around them."""
    return _cut_short(page, content, stock, random, _add_lists(page, content, stock, random))


def _tease(page: Page, content: Content, stock: Stock, random: np.random.Generator) -> Variant:
    """Keep the first paragraphs of an article, and put headlines beside them."""
    if not stock.headlines:
        return _shorten(page, content, stock, random)
    around = list(_put_beside(page, content, _make_teasers(stock, random), random))
    if random.random() < ALONE:
        around += _leave_bare(page, content, random)
    return _cut_short(page, content, stock, random, around)


def _make_teasers(stock: Stock, random: np.random.Generator) -> bytes:
    """A list of headlines, some with a heading above or with the beginnings of their stories."""
    low, high = np.log(TEASERS_A_PAGE)
    count = round(float(np.exp(random.uniform(low, high))))
    chosen = random.permutation(len(stock.headlines))[:count].tolist()
    holder, item, inner = _LAYOUTS[int(random.integers(len(_LAYOUTS)))]
    teased = bool(stock.paragraphs) and random.random() < TEASED
    parts = []
    if random.random() < HEADED:
        parts.append(f"<h2>{html.escape(str(random.choice(stock.headlines)))}</h2>")
    for number in chosen:
        link = f'<a href="/{number}">{html.escape(stock.headlines[number])}</a>'
        link = f"<{inner}>{link}</{inner}>" if inner else link
        teaser = f"<p>{_begin_story(stock, random)}</p>" if teased else ""
        parts.append(f"<{item}>{link}{teaser}</{item.split()[0]}>")
    return f"<{holder}>{''.join(parts)}</{holder.split()[0]}>".encode()


def _begin_story(stock: Stock, random: np.random.Generator) -> str:
    words = stock.paragraphs[int(random.integers(len(stock.paragraphs)))].split()
    return html.escape(" ".join(words[: int(random.integers(*TEASER_WORDS))])) + " ..."


def _cut_short(
    page: Page,
    content: Content,
    stock: Stock,
    random: np.random.Generator,
    around: Iterable[Edit],
) -> Variant:
    words = page.per_block(page.runs.words)
    long = np.flatnonzero(content & (words >= SHORT_WORDS))
    count = int(random.integers(SHORT_BLOCKS[0], SHORT_BLOCKS[1] + 1))
    if len(long) <= count:
        return _keep(page, content, stock, random)
    removed = content.copy()
    removed[: long[count - 1] + 1] = False
    texts = page.texts()
    kept = [texts[block] for block in np.flatnonzero(content & ~removed)]
    edits = [*_remove_blocks(page, removed), *around]
    return Variant(vary(page, stock.boxes, random, edits), "\n".join(kept))


def _remove_blocks(page: Page, removed: Content) -> Iterator[Edit]:
    """Remove blocks, with the elements that hold nothing else."""
    marked = mark_runs(page, removed)
    words = _count_words(page)
    whole = (words > 0) & (page.per_node(page.runs.words * marked) == words)
    for node in outermost(page, whole):
        yield from _remove(page, node)
    starts, ends = page.runs.start.tolist(), page.runs.end.tolist()
    for run in np.flatnonzero(marked).tolist():
        yield starts[run], ends[run], b""


def _add_lists(
    page: Page, content: Content, stock: Stock, random: np.random.Generator
) -> Iterator[Edit]:
    if not stock.lists:
        return
    for _ in range(int(random.integers(1, MOST_LISTS + 1))):
        chosen = stock.lists[int(random.integers(len(stock.lists)))]
        yield from _put_beside(page, content, chosen, random)


def _add_story(page: Page, content: Content, stock: Stock, random: np.random.Generator) -> Variant:
    """Add the content of another page after that of this page."""
    if not stock.stories:
        return _keep(page, content, stock, random)
    story = stock.stories[int(random.integers(len(stock.stories)))]
    edits = list(_put_after(page, content, story, random))
    return Variant(vary(page, stock.boxes, random, edits))


def _put_beside(
    page: Page, content: Content, element: bytes, random: np.random.Generator
) -> Iterator[Edit]:
    """Put an element before or after the content."""
    if random.random() < 0.5:
        yield from _put_after(page, content, element, random)
        return
    start = int(page.nodes.start[_go_up(page, int(np.flatnonzero(content)[0]), random)])
    if start:
        yield start, start, element


def _put_after(
    page: Page, content: Content, element: bytes, random: np.random.Generator
) -> Iterator[Edit]:
    end = find_end(page, _go_up(page, int(np.flatnonzero(content)[-1]), random))
    if end:
        yield end, end, element


def _go_up(page: Page, block: int, random: np.random.Generator) -> int:
    """An element some levels above the one that holds a block."""
    node = int(page.blocks.node[block])
    for _ in range(int(random.integers(LEVELS[0], LEVELS[1] + 1))):
        node = max(int(page.nodes.parent[node]), 0)
    return node


def _lengthen(page: Page, content: Content, stock: Stock, random: np.random.Generator) -> Variant:
    """Add many paragraphs of other pages to the content, in the markup of one of its own."""
    fits = content & (page.blocks.kind == Kind.PARAGRAPH)
    if not stock.paragraphs or not fits.any():
        return _keep(page, content, stock, random)
    low, high = np.log(LONG_BLOCKS)
    count = int(np.exp(random.uniform(low, high)))
    numbers = random.integers(len(stock.paragraphs), size=count)
    texts = [stock.paragraphs[number] for number in dict.fromkeys(numbers.tolist())]
    block = int(random.choice(np.flatnonzero(fits)))
    node = int(page.blocks.node[block])
    place, opening = (
        find_end(page, node),
        page.source[page.nodes.start[node] : page.nodes.end[node]],
    )
    closing = f"</{TAGS[page.nodes.tag[node]]}>".encode()
    if not place or TAGS[page.nodes.tag[node]] not in ("p", "div"):
        place = int(page.runs.end[page.blocks.stop_run[block] - 1])
        opening, closing = b"<br><br>", b""
    added = b"".join(opening + html.escape(text).encode() + closing for text in texts)
    edits = [(place, place, added)]
    if random.random() < 0.5:
        edits += _leave_bare(page, content, random)
    return Variant(vary(page, stock.boxes, random, edits), None, frozenset(texts))


def _remove(page: Page, node: int) -> Iterator[Edit]:
    end = find_end(page, node)
    if end and page.nodes.end[node] > page.nodes.start[node]:
        yield int(page.nodes.start[node]), end, b""


def _find_holder(page: Page, content: Content, share: float) -> int:
    """The innermost element with a share of the content's words."""
    words = page.per_node(page.runs.words * mark_runs(page, content))
    return int(np.flatnonzero(words >= share * words.max(initial=0))[-1])


def _count_words(page: Page) -> npt.NDArray[np.int32]:
    return page.per_node(page.runs.words)


Change = Callable[[Page, Content, Stock, np.random.Generator], Variant]

_OF_ARTICLES: tuple[Change, ...] = (_shorten, _crowd, _tease, _add_story, _lengthen)


def _choose_change(random: np.random.Generator) -> Change:
    """Choose one of the changes, or none."""
    draw = random.random()
    chances = (BARE, FRAGMENT, SHORT, CROWD, TEASERS, STORY, LONG)
    for chance, change in zip(chances, (_make_bare, _cut_fragment, *_OF_ARTICLES), strict=True):
        if draw < chance:
            return change
        draw -= chance
    return _keep
