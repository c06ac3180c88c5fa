"""The numbers and tags by which blocks belong together. docs/learned.md says where they come from."""

from enum import IntFlag

from bodytext.kernel.class_names import TOPIC_NAMES
from bodytext.kernel.html import TAGS, UNSEEN, Flag, Kind

LINKED = 0.75  # of the words of a paragraph that leads elsewhere
MOST_LINKED = 25  # words of it
PROSE_WORDS = 10  # at least, of the paragraphs before and after it
MOST_IN_A_PIECE = 1.5  # blocks per cell or item; one with more is a part of the page
LEAST_COLUMNS = 1.5  # cells per row of a table that holds data
ENOUGH_WORDS = 20  # kept elsewhere, so that what is beside the text by its tag or name is left out
OUTSIDE_SHARE = 0.5  # of the kept words outside of links; with more, an element was not closed
FEW = 5  # blocks of a quotation, or of a question and its answer; a longer one may hold anything
TEXT_WORDS = 5  # outside of links, of a text that a heading may announce
ANNOUNCING_WORDS = 15  # of a heading or a lead-in; a longer one is a text in itself
LOWEST_RANK = len(TAGS)  # of headings that nobody sees: they end no section of another
LABEL_WORDS = 2  # of what may be between a lead-in and its code, such as the language
REACH = 3  # blocks after a lead-in among which is what it announces
UNLIKELY = 0.1  # a block that scores less announces nothing
MAIN_SHARE = 0.5  # of the kept words; a unit with more of them is the text
MANY = 8  # blocks of a unit that may part
UNEVEN = 0.5  # between the scores of its parts
SURE_ANSWER = 50.0  # logits of an answer's F1 beyond are certain
LEAST_WEIGHT = 0.5  # added to the words of a block, so that a cell of one or two characters counts
AROUND = 0.9  # of the kept words are in the element that is looked through for what was torn out
TORN_WORDS, TORN_SCORE = 10, 0.25  # at least, of a paragraph that may have been torn out
TORN_SHARE = 0.25  # of the kept words; less may well be an advertisement or a note on the author
TAIL = 64  # bytes in which the last character of a block is found


class PageTrait(IntFlag):
    """What is special about the pages of a type."""

    ARTICLE = 1 << 0  # it is one text: links in it lead away, and what was torn out is put back
    PARTS = 1 << 1  # its tables and lists may be given in parts
    REPEATS = 1 << 2  # what occurs twice is meant twice
    THREAD = 1 << 3  # its lists are made of posts, which may quote others
    NAMES = 1 << 4  # headings that are links name things
    HEADLINES = 1 << 5  # headings may be all of it
    BUTTONS = 1 << 6  # buttons are for buying, sorting and filtering
    OFFERS = 1 << 7  # links after a text are buttons, too


TRAITS: dict[str, int] = {
    "article": int(PageTrait.ARTICLE),
    "documentation": int(PageTrait.REPEATS),
    "forum": int(PageTrait.THREAD | PageTrait.PARTS),
    "service": int(PageTrait.OFFERS),
    "product": int(PageTrait.BUTTONS),
    "collection": int(PageTrait.NAMES | PageTrait.BUTTONS),
    "listing": int(PageTrait.HEADLINES | PageTrait.BUTTONS | PageTrait.PARTS),
}


class UnitRole(IntFlag):
    """What an element is to the blocks in it."""

    TABLE = 1 << 0
    ROW = 1 << 1
    PIECE = 1 << 2
    LIST = 1 << 3
    SHORT = 1 << 4
    HEADING = 1 << 5
    OUTSIDE = 1 << 6
    ASIDE = 1 << 7
    FIELD = 1 << 8


WHOLE = int(UnitRole.TABLE | UnitRole.LIST | UnitRole.SHORT)  # roles of what may be a unit
_TAGS_OF_ROLE = {
    UnitRole.TABLE: "table",
    UnitRole.ROW: "tr",
    UnitRole.PIECE: "td th li dt dd",
    UnitRole.LIST: "ul ol menu dir dl",
    UnitRole.SHORT: "blockquote details",
    UnitRole.HEADING: "h1 h2 h3 h4 h5 h6",
    UnitRole.OUTSIDE: "nav footer dialog",
    UnitRole.ASIDE: "aside",
    UnitRole.FIELD: "label",
}
_ROLE_OF_TAG = {name: int(role) for role, names in _TAGS_OF_ROLE.items() for name in names.split()}
ROLES: tuple[int, ...] = tuple(_ROLE_OF_TAG.get(name, 0) for name in TAGS)  # by tag
# By kind: whether such blocks are not in the line of the text.
BESIDE: tuple[int, ...] = tuple(
    int(kind in (Kind.CONTROL, Kind.CAPTION, Kind.HEADING)) for kind in Kind
)
PASSED_OVER = UNSEEN | int(Flag.LINK)  # flags of runs
# Flags of runs that no reader sees as text.
NEVER_SHOWN = int(Flag.TEMPLATE | Flag.SVG | Flag.FALLBACK | Flag.SPOKEN)
# What is beside the text of a page of some type, by what its elements are called: the type, the topic, the most of the
# kept words that it may hold (above it, the text is in there too), and the factor of its scores. Types are together.
ASIDES = tuple(
    (page_type, TOPIC_NAMES.index(name), most, factor)
    for page_type, name, most, factor in (
        ("article", "comment", 0.8, 0.0),
        ("article", "byline", 0.4, 0.0),
        ("article", "newsletter", 0.4, 0.0),
        ("article", "login", 0.4, 0.0),
        ("article", "caption", 0.4, 0.7),
        ("forum", "signature", 0.8, 0.0),
        ("forum", "notice", 0.8, 0.0),
        ("forum", "breadcrumb", 0.3, 0.0),
        ("service", "footer", 0.8, 0.0),
        ("service", "breadcrumb", 0.3, 0.0),
        ("product", "popup", 0.95, 0.0),
        ("product", "affiliate", 0.5, 0.0),
        ("product", "related", 0.5, 0.0),
        ("collection", "popup", 0.95, 0.0),
        ("collection", "search", 0.3, 0.0),
        ("collection", "breadcrumb", 0.3, 0.0),
        ("listing", "user", 0.4, 0.0),
        ("listing", "date", 0.3, 0.0),
        ("listing", "breadcrumb", 0.3, 0.0),
    )
)
ENDINGS = tuple(b":\x9a\t\n\f\r ;\xa0")  # the last bytes of colons and of white space
