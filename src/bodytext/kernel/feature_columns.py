"""The columns of a page's features, and the tables that they are counted by."""

from collections.abc import Iterable
from itertools import product

from bodytext.kernel.class_names import TOPIC_NAMES
from bodytext.kernel.html import RULES, TAG, TAGS, Flag, Kind, TagRule
from bodytext.kernel.letters import Shape

LEVELS = 4  # elements around a block that have features
SPAN_LEVEL = 3  # the one of them whose blocks `around` gives
# Of the page's words: the smallest elements around a block with so many have features.
SHARES = (
    0.1,
    0.3,
    0.6,
)
MOST_HEADINGS = 20  # before a block
MOST_SPREAD = 4.0  # of the words of elements that are alike
MOST_A_WORD = 20.0  # of anything that is counted in a page, per word

FLAGS = (
    Flag.HEADER, Flag.NAV, Flag.MAIN, Flag.ARTICLE, Flag.ASIDE, Flag.FOOTER, Flag.FORM,
    Flag.HIDDEN, Flag.NOSCRIPT, Flag.PRE, Flag.LINK,
)  # fmt: skip

# Groups of tags that are alike to the features; 0 is every other tag.
TAG_GROUPS = (
    "div", "li", "td th", "section", "article", "main", "ul ol", "dl dd dt",
    "table tbody thead tr tfoot", "aside nav footer header", "form fieldset", "blockquote",
    "figure",
)  # fmt: skip
# Elements that are counted in the page.
COUNTED = {
    "images": "img",
    "headings": "h1 h2 h3 h4 h5 h6",
    "paragraphs": "p",
    "items": "li",
    "links": "a",
    "controls": "button input select textarea",
    "times": "time",
}
COUNTED_AROUND = tuple(COUNTED)[:-1]  # inside every element around a block: all but the times

# The kinds of things that pages declare in JSON-LD and Open Graph, and their names there.
DECLARED = {
    "article": """
        article newsarticle blogposting reportagenewsarticle opinionnewsarticle analysisnewsarticle
    """,
    "product": "product offer aggregateoffer productgroup",
    "list": "itemlist collectionpage offercatalog searchresultspage",
    "discussion": "discussionforumposting qapage question answer comment",
    "website": "website webpage",
    "organization": "organization corporation",
    "business": "localbusiness service professionalservice",
    "recipe": "recipe howto",
    "faq": "faqpage",
    "breadcrumb": "breadcrumblist",
    "technical": "techarticle apireference softwareapplication",
    "video": "videoobject video.other video",
    "event": "event",
    "person": "person profilepage profile",
    "blog": "blog",
    "image": "imageobject",
    "review": "review aggregaterating",
}
# Topics that are features of single blocks; all of TOPIC_NAMES are features of the page.
_BLOCK_TOPICS = """
    footer popup navigation comment review quote tab card documentation carousel header byline forum
    post lead body caption article related button table consent user code meta contents reply hidden
    popular content advert share newsletter sidebar product description price cart breadcrumb date
"""
BLOCK_TOPICS = tuple(_BLOCK_TOPICS.split())

# What is added up over blocks, elements and the page.
RUN_COLUMNS = (
    "words",
    "chars",
    "linked",
    "bytes",
    "tags",
    "link runs",
    "prose words",
    "unseen words",
)
SHAPE_COLUMNS = tuple(
    shape.name.lower().replace("_", " ") for shape in Shape if shape < Shape.FINAL
)
CHARACTER_COLUMNS = SHAPE_COLUMNS[: Shape.TITLE_WORDS]  # those that count characters
SUMS = (*RUN_COLUMNS, *SHAPE_COLUMNS, *COUNTED)
FIRST_SHAPE_SUM = len(RUN_COLUMNS)
FIRST_COUNTED_SUM = FIRST_SHAPE_SUM + len(SHAPE_COLUMNS)
# Sums whose logarithms are features of single blocks.
LOGGED = (
    "words", "linked", "bytes", "tags", "link runs", "prose words", "unseen words", "digits",
    "uppers", "ends", "separators", "symbols", "title words", "description words", "told pairs",
    "repeated",
)  # fmt: skip

# The names of the columns, part by part, in the order in which the survey writes them.
_OWN_LOG_NAMES = tuple(f"log {name}" for name in LOGGED)
_CHARACTER_NAMES = tuple(f"{name} share" for name in CHARACTER_COLUMNS)
_COUNTED_NAMES = tuple(f"log {name}" for name in COUNTED_AROUND)
OWN_NAMES = (
    *_OWN_LOG_NAMES, "link share", "word length", "text share of source", *_CHARACTER_NAMES,
    "title share", "description share", "log source", "ends a sentence", "told share",
    "prose share", "repeated share",
)  # fmt: skip
PLACE_NAMES = (
    "place", "words before", "log place", "log places left", "heading level",
    "blocks since heading", "level of last heading", "has h1", "after h1", "distance to h1",
    "after title heading",
    "distance to title heading", "in densest stretch", "distance to stretch start",
    "distance to stretch end", "place in stretch", "headings before",
)  # fmt: skip
# The columns of an element, which are the same for every block in it.
ELEMENT_NAMES = (
    "log words", "log blocks", "share of page", "link share", "prose share", "digit share",
    *_COUNTED_NAMES, "like it", "spread of words", "unseen share",
)  # fmt: skip
LEVEL_NAMES = (*ELEMENT_NAMES, "place in it", "share of it")
GROUPINGS = ("same class", "same container", "same path")
GROUP_NAMES = ("how many", "share of page", "mean words", "link share", "place", "span")
COPY_NAMES = ("copies", "copy of an earlier one")
SECTION_NAMES = ("log words", "log blocks", "link share", "prose share", "mean words")
# The first four are the same for every block in the element.
HOLDER_NAMES = (
    "share of page",
    "link share",
    "prose share",
    "log blocks",
    "place in it",
    "share of it",
)
TOTAL_NAMES = ("blocks", "nodes", "bytes", "longest block")
_FLAG_NAMES = tuple(flag.name.lower() for flag in FLAGS if flag.name)
_KIND_NAMES = tuple(kind.name.lower() for kind in Kind)


def prefix(prefixes: Iterable[str], names: Iterable[str]) -> list[str]:
    """Put each prefix before all names, prefix by prefix."""
    return [f"{before}{name}" for before, name in product(prefixes, names)]


# Those that blocks often share with the block before come last.
BLOCK_NAMES = (
    *OWN_NAMES,
    *PLACE_NAMES,
    *prefix([f"around {level}: " for level in range(LEVELS)], LEVEL_NAMES),
    *prefix([f"{grouping}: " for grouping in GROUPINGS], GROUP_NAMES),
    *COPY_NAMES,
    *prefix(["section: "], SECTION_NAMES),
    *prefix([f"holder of {share}: " for share in SHARES], HOLDER_NAMES),
    *prefix(["in "], _FLAG_NAMES),
    *prefix(["kind "], _KIND_NAMES),
    *(f"tag {names}{' ^' * level}" for level in (1, 2) for names in TAG_GROUPS),
    *prefix(["near ", "within "], BLOCK_TOPICS),
)
# The columns of the page's row that the survey fills.
PAGE_NAMES = (
    *prefix(["page "], (*TOTAL_NAMES, *SUMS)),
    *(f"page {name} a word" for name in SUMS[1:]),
    *prefix(["page tags "], ("other", *TAG_GROUPS)),
    *prefix(["page in "], _FLAG_NAMES),
    *prefix(["page kind "], _KIND_NAMES),
    *prefix(["page topic "], TOPIC_NAMES),
)
# The columns that the learned method adds to it: what the page says it is, and its address.
DECLARED_NAMES = (*prefix(["page says "], DECLARED), "page has json-ld")
HAS_DATA = DECLARED_NAMES.index("page has json-ld")
THING_OF = {
    name.encode(): number
    for number, names in enumerate(DECLARED.values())
    for name in names.split()
}
# Limits that no honest page comes near.
MOST_HEAD_TAGS = 64  # the most meta elements, the most scripts and the most links that are read
MOST_TOLD = 32_768  # bytes of structured data whose words are sought in the text
MOST_PATH = 400  # characters of an address whose words are read
ADDRESS_PARTS = (
    "known", "root", "depth", "digits", "hyphens", "query", "dated", "suffix", "slash",
    "last length",
)  # fmt: skip
ADDRESS_NAMES = (
    *prefix(["address "], ADDRESS_PARTS),
    *prefix(["address topic "], TOPIC_NAMES),
)


def _number_names(names: tuple[str, ...]) -> dict[str, int]:
    """Return the position of each name. No name may be there twice."""
    position = {name: number for number, name in enumerate(names)}
    twice = [name for number, name in enumerate(names) if position[name] != number]
    if twice:
        raise ValueError(f"two columns of one part cannot have the same name: {', '.join(twice)}")
    return position


# The position of each column in its part.
SUM = _number_names(SUMS)
OWN = _number_names(OWN_NAMES)
PLACE = _number_names(PLACE_NAMES)
LEVEL = _number_names(LEVEL_NAMES)
GROUP = _number_names(GROUP_NAMES)
COPY = _number_names(COPY_NAMES)
SECTION = _number_names(SECTION_NAMES)
HOLDER = _number_names(HOLDER_NAMES)
TOTAL = _number_names(TOTAL_NAMES)
FIRST_CHARACTER_SHARE = OWN[_CHARACTER_NAMES[0]]
FIRST_COUNTED_LEVEL = LEVEL[_COUNTED_NAMES[0]]
OWN_WIDTH = len(OWN_NAMES)
PLACE_WIDTH = len(PLACE_NAMES)
ELEMENT_WIDTH = len(ELEMENT_NAMES)
LEVEL_WIDTH = len(LEVEL_NAMES)
GROUP_WIDTH = len(GROUP_NAMES)
COPY_WIDTH = len(COPY_NAMES)
SECTION_WIDTH = len(SECTION_NAMES)
HOLDER_WIDTH = len(HOLDER_NAMES)
TOTAL_WIDTH = len(TOTAL_NAMES)
BLOCK_WIDTH = len(BLOCK_NAMES)
PAGE_WIDTH = len(PAGE_NAMES)  # of the columns that the survey fills


def _number_tags(sets: Iterable[str], first: int) -> tuple[int, ...]:
    """Give each tag the number of the set that names it, counted from `first`, or one less."""
    number_of: dict[str, int] = {}
    for number, names in enumerate(sets, first):
        for name in names.split():
            if name not in TAG:
                raise ValueError(
                    f"there is no tag {name!r} in kernel/html.py, so it cannot be counted"
                )
            if name in number_of:
                raise ValueError(f"the tag {name!r} can be counted in one set only, not in two")
            number_of[name] = number
    return tuple(number_of.get(name, first - 1) for name in TAGS)


def _find_topic(name: str) -> int:
    """Return the bit of a topic."""
    if name not in TOPIC_NAMES:
        raise ValueError(
            f"BLOCK_TOPICS has a topic {name!r} that is not in TOPIC_WORDS of class_names.py"
        )
    return TOPIC_NAMES.index(name)


GROUP_OF = _number_tags(TAG_GROUPS, 1)
COUNTED_AS = _number_tags(COUNTED.values(), 0)
# Whether an element's names are read.
NAMED_TAGS = tuple(bool(rules & TagRule.SPECIAL) for rules in RULES)
# 1 for h1, a sixth less for each lower heading, 0 for other tags.
_LEVEL_OF = {f"h{number}": (7 - number) / 6 for number in range(1, 7)}
HEADING_LEVEL = tuple(_LEVEL_OF.get(name, 0.0) for name in TAGS)
TOPIC_BITS = tuple(map(_find_topic, BLOCK_TOPICS))
FLAG_BITS = tuple(int(flag).bit_length() - 1 for flag in FLAGS)
