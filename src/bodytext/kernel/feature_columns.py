"""The columns of a page's features, and the tables that they are counted by."""

from bodytext.kernel.class_names import TOPIC_NAMES
from bodytext.kernel.html import RULES, TAGS, Flag, Kind, TagRule
from bodytext.kernel.letters import Shape

LEVELS = 6  # elements around a block that have features
SPAN_LEVEL = 3  # the one of them whose blocks `around` gives
SHARES = (0.1, 0.3, 0.6)  # of the page's words: the smallest elements around a block with so many have features
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

RUN_COLUMNS = ("words", "chars", "linked", "bytes", "tags", "link runs", "prose words", "unseen words")
SHAPE_COLUMNS = tuple(shape.name.lower().replace("_", " ") for shape in Shape if shape < Shape.FINAL)
SUMS = (*RUN_COLUMNS, *SHAPE_COLUMNS, *COUNTED)  # what is added up over blocks, elements and the page
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

# Columns of each part of a block's row.
OWN_WIDTH = len(OWN) + 17
PLACE_WIDTH = 17
LEVEL_WIDTH = 23
GROUP_WIDTH = 6
SECTION_WIDTH = 5
HOLDER_WIDTH = 6
BLOCK_WIDTH = (
    OWN_WIDTH + PLACE_WIDTH + len(FLAGS) + len(Kind) + 2 * len(TAG_GROUPS) + LEVELS * LEVEL_WIDTH + 3 * GROUP_WIDTH + 2
    + SECTION_WIDTH + len(SHARES) * HOLDER_WIDTH + 2 * len(TOPICS)
)  # fmt: skip
# Columns of the page's row that the survey fills.
PAGE_WIDTH = 4 + 2 * len(SUMS) - 1 + len(TAG_GROUPS) + 1 + len(FLAGS) + len(Kind) + len(TOPIC_NAMES)


def _number(sets: tuple[str, ...], first: int) -> tuple[int, ...]:
    """Give each tag the number of the set that names it, counted from `first`, or one less."""
    number_of = {name: number for number, names in enumerate(sets, first) for name in names.split()}
    return tuple(number_of.get(name, first - 1) for name in TAGS)


_HEADINGS = frozenset(COUNTED["headings"].split())
GROUP_OF = _number(TAG_GROUPS, 1)
COUNTED_AS = _number(tuple(COUNTED.values()), 0)
NAMED_TAGS = tuple(bool(rules & TagRule.SPECIAL) for rules in RULES)  # whether an element's names are read
# 1 for h1, a sixth less for each lower heading, 0 for other tags.
HEADING_LEVEL = tuple((7 - int(name[1])) / 6 if name in _HEADINGS else 0.0 for name in TAGS)
TOPIC_BITS = tuple(TOPIC_NAMES.index(name) for name in TOPICS)
FLAG_BITS = tuple(int(flag).bit_length() - 1 for flag in FLAGS)
