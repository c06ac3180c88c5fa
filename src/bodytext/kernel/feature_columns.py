"""The columns of a page's features, and the tables that they are counted by."""

from collections.abc import Iterable
from itertools import product

from bodytext.kernel.class_names import TOPIC_NAMES
from bodytext.kernel.html import RULES, TAGS, Flag, Kind, TagRule
from bodytext.kernel.letters import Shape

LEVELS = 6  # elements around a block that have features
SPAN_LEVEL = 3  # the one of them whose blocks `around` gives
# Of the page's words: the smallest elements around a block with so many have features
SHARES = (
    0.1,
    0.3,
    0.6,
)
MOST_HEADINGS = 20  # before a block
MOST_SPREAD = 4.0  # of the words of elements that are alike
MOST_A_WORD = 20.0  # of anything that is counted in a page, per word

FLAGS = (
    Flag.HEADER, Flag.NAV, Flag.MAIN, Flag.ARTICLE, Flag.ASIDE, Flag.FOOTER, Flag.FORM, Flag.HIDDEN, Flag.NOSCRIPT,
    Flag.PRE, Flag.LINK,
)  # fmt: skip

# Groups of tags that are alike to the features; 0 is every other tag.
TAG_GROUPS = (
    "div", "li", "td th", "section", "article", "main", "ul ol", "dl dd dt", "table tbody thead tr tfoot",
    "aside nav footer header", "form fieldset", "blockquote", "figure",
)  # fmt: skip
# Elements that are counted inside every element around a block.
COUNTED = {
    "images": "img", "headings": "h1 h2 h3 h4 h5 h6", "paragraphs": "p", "items": "li", "links": "a",
    "controls": "button input select textarea", "times": "time",
}  # fmt: skip

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
# What is added up over blocks, elements and the page
SUMS = (
    *RUN_COLUMNS,
    *SHAPE_COLUMNS,
    *COUNTED,
)
SUM = {name: number for number, name in enumerate(SUMS)}

# Sums whose logarithms are features of single blocks.
OWN = (
    "words", "linked", "bytes", "tags", "link runs", "prose words", "unseen words", "digits", "uppers", "ends",
    "separators", "symbols", "title words", "description words", "told pairs", "repeated",
)  # fmt: skip
# Topics that are features of single blocks; all are features of the page.
_TOPICS = """
    footer popup navigation comment review quote tab card documentation carousel header byline forum post lead body
    caption article related button table consent user code meta contents reply hidden popular content advert share
    newsletter sidebar product description price cart breadcrumb date
"""
TOPICS = tuple(_TOPICS.split())

# The names of the columns, part by part, in the order in which the survey writes them.
OWN_NAMES = (
    *(f"log {name}" for name in OWN), "link share", "word length", "text share of source",
    *(f"{name} share" for name in SHAPE_COLUMNS[:7]), "title share", "description share", "log source",
    "ends a sentence", "told share", "prose share", "repeated share",
)  # fmt: skip
PLACE_NAMES = (
    "place", "words before", "log place", "log places left", "heading level", "blocks since heading",
    "level of last heading", "has h1", "after h1", "distance to h1", "after title heading",
    "distance to title heading", "in densest stretch", "distance to stretch start",
    "distance to stretch end", "place in stretch", "headings before",
)  # fmt: skip
LEVEL_NAMES = (
    "log words", "log blocks", "share of page", "link share", "prose share", "sentence ends", "digit share",
    "currencies", *(f"log {name}" for name in COUNTED), "images a block", "like it", "spread of words",
    "told share", "unseen share", "repeated share", "place in it", "share of it",
)  # fmt: skip
GROUPINGS = ("same class", "same container", "same path")
GROUP_NAMES = ("how many", "share of page", "mean words", "link share", "place", "span")
COPY_NAMES = ("copies", "copy of an earlier one")
SECTION_NAMES = ("log words", "log blocks", "link share", "prose share", "mean words")
HOLDER_NAMES = (
    "share of page",
    "link share",
    "prose share",
    "log blocks",
    "place in it",
    "share of it",
)
_FLAG_NAMES = tuple(flag.name.lower() for flag in FLAGS if flag.name)
_KIND_NAMES = tuple(kind.name.lower() for kind in Kind)


def prefix(prefixes: Iterable[str], names: Iterable[str]) -> list[str]:
    """Put each prefix before all names, prefix by prefix."""
    return [f"{before}{name}" for before, name in product(prefixes, names)]


BLOCK_NAMES = (
    *OWN_NAMES,
    *PLACE_NAMES,
    *prefix(["in "], _FLAG_NAMES),
    *prefix(["kind "], _KIND_NAMES),
    *(f"tag {names}{' ^' * level}" for level in (1, 2) for names in TAG_GROUPS),
    *prefix([f"around {level}: " for level in range(LEVELS)], LEVEL_NAMES),
    *prefix([f"{grouping}: " for grouping in GROUPINGS], GROUP_NAMES),
    *COPY_NAMES,
    *prefix(["section: "], SECTION_NAMES),
    *prefix([f"holder of {share}: " for share in SHARES], HOLDER_NAMES),
    *prefix(["near ", "within "], TOPICS),
)
# The columns of the page's row that the survey fills.
PAGE_NAMES = (
    *prefix(["page "], ("blocks", "nodes", "bytes", "longest block", *SUMS)),
    *(f"page {name} a word" for name in SUMS[1:]),
    *prefix(["page tags "], ("other", *TAG_GROUPS)),
    *prefix(["page in "], _FLAG_NAMES),
    *prefix(["page kind "], _KIND_NAMES),
    *prefix(["page topic "], TOPIC_NAMES),
)
OWN_WIDTH = len(OWN_NAMES)
PLACE_WIDTH = len(PLACE_NAMES)
LEVEL_WIDTH = len(LEVEL_NAMES)
GROUP_WIDTH = len(GROUP_NAMES)
SECTION_WIDTH = len(SECTION_NAMES)
HOLDER_WIDTH = len(HOLDER_NAMES)
BLOCK_WIDTH = len(BLOCK_NAMES)
PAGE_WIDTH = len(PAGE_NAMES)


def _number(sets: tuple[str, ...], first: int) -> tuple[int, ...]:
    """Give each tag the number of the set that names it, counted from `first`, or one less."""
    number_of = {name: number for number, names in enumerate(sets, first) for name in names.split()}
    return tuple(number_of.get(name, first - 1) for name in TAGS)


_HEADINGS = frozenset(COUNTED["headings"].split())
GROUP_OF = _number(TAG_GROUPS, 1)
COUNTED_AS = _number(tuple(COUNTED.values()), 0)
# Whether an element's names are read
NAMED_TAGS = tuple(bool(rules & TagRule.SPECIAL) for rules in RULES)
# 1 for h1, a sixth less for each lower heading, 0 for other tags.
HEADING_LEVEL = tuple((7 - int(name[1])) / 6 if name in _HEADINGS else 0.0 for name in TAGS)
TOPIC_BITS = tuple(TOPIC_NAMES.index(name) for name in TOPICS)
FLAG_BITS = tuple(int(flag).bit_length() - 1 for flag in FLAGS)
