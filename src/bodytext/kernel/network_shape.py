"""The shape of the learned method's network, and the limits within which its logits are cut."""

from bodytext.kernel.feature_columns import (
    ADDRESS_NAMES,
    BLOCK_WIDTH,
    DECLARED_NAMES,
    PAGE_WIDTH,
)
from bodytext.kernel.html import Kind

COLUMNS = BLOCK_WIDTH  # features of a block
# Features of a page: those of the survey, then those that the learned method adds.
PAGE_COLUMNS = PAGE_WIDTH + len(DECLARED_NAMES) + len(ADDRESS_NAMES)
# Where those of its address begin. The first says whether the address is known; if not, none of them is read.
FIRST_ADDRESS = PAGE_COLUMNS - len(ADDRESS_NAMES)
WIDTH = 24  # numbers that the network keeps of each block
PAGE_STATE = 32  # numbers that it keeps of the page
HIDDEN = 64  # numbers in the layers that groups of like blocks and the page have to themselves
# Kinds of page
PAGE_TYPES = ("article", "service", "product", "collection", "forum", "listing", "documentation")
TYPES = len(PAGE_TYPES)
TELLING_WORDS = 30  # of a page; fewer do not tell of what type it is
LOOK_WIDTH = 16  # of keys and queries
STEPS = (1, 2, 4, 8)  # how far the layers look before and after a block
POOL_BEFORE = 2  # means are mixed in before this layer
LOOK_AFTER = 2  # groups look at each other after this layer
MOST_GROUPS = 48  # groups that are looked at: those with the most words, of equals the earlier
GROUP_WEIGHT = 0.3  # of the logarithm of a group's words in the attention
LIMIT = 5.0  # standard deviations; features beyond are cut
PAGE_LIMIT = 4.0
AT_A_TIME = 256  # rows of features

SURE = 50.0  # logits beyond are certain in 32-bit numbers
CERTAIN = 12.0  # logits beyond are as good as certain
MOST_BETWEEN = 2.0  # logits between the last block that is kept and the first that is not, if the cut lies halfway
TOP = 4.0  # the likeliest block lies at least this far above the cut, so that a high threshold leaves the surest
LEAST_WORDS = 0.1  # added to each block, so that means over words never divide by zero

COPY_WORDS = 5  # a shorter text may well occur twice
# Whether a text of a kind that occurs twice is a copy.
IS_TELLING = tuple(
    kind not in {Kind.CODE, Kind.CELL, Kind.TERM, Kind.DEFINITION} for kind in range(len(Kind))
)
