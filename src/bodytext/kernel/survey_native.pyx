# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Count the features of a page: the native twin of `survey.py`, which explains how.

All counting runs without Python's lock, in time linear in the tables. The sums of an element are one subtraction of
running sums. Blocks and elements that are alike are found with one hash table; its keys are mixed with a random number,
so that no page can be made to fill it badly.
"""

from cpython.pycapsule cimport PyCapsule_New
from libc.math cimport log1p, sqrt
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

include "constants.pxi"
include "columns.pxi"
include "page_tables.pxi"
include "new_arrays.pxi"

from bodytext.kernel.clues_native cimport Told, read_all_names, read_all_shapes

import os

from bodytext.kernel import feature_columns

cdef extern from "bytes.h" nogil:
    int LOWEST(uint64_t bits)

cdef enum:
    MARKS = FLAGS_COUNT + KIND_COUNT + 2 * TAG_GROUPS_COUNT
    ALIKE = GROUPINGS_COUNT
    # Where the parts of a row begin.
    FIRST_LEVEL = OWN_WIDTH + PLACE_WIDTH
    FIRST_GROUP = FIRST_LEVEL + LEVELS * LEVEL_WIDTH
    FIRST_SECTION = FIRST_GROUP + ALIKE * GROUP_WIDTH + COPY_WIDTH
    FIRST_HOLDER = FIRST_SECTION + SECTION_WIDTH
    FIRST_MARK = FIRST_HOLDER + SHARES_COUNT * HOLDER_WIDTH
    FIRST_TOPIC = FIRST_MARK + MARKS
    LOGS = 4096

include "row_source.pxi"

cdef int logged[LOGGED_COUNT]
cdef int group_of[TAGS_COUNT]
cdef int counted_as[TAGS_COUNT]
cdef float heading_level[TAGS_COUNT]
cdef int flag_bits[FLAGS_COUNT]
cdef int topic_column[TOPIC_NAMES_COUNT]
cdef uint64_t block_topics = 0  # all others are features of the page only
cdef float shares[SHARES_COUNT]
cdef float logs[LOGS]  # log(1 + n)
# Variables, so that the compiler calls the library, which is faster than the code that it writes itself.
cdef size_t MARK_BYTES = MARKS * sizeof(float), TOPIC_BYTES = BLOCK_TOPICS_COUNT * sizeof(float)
cdef uint64_t SEED = int.from_bytes(os.urandom(8), "little"), ODD = int.from_bytes(os.urandom(8), "little") | 1


cdef int fill_tables() except -1:
    global block_topics
    cdef int bit
    if TAGS_COUNT > 256:
        raise ImportError("a key has eight bits for a tag")
    cdef int index
    for index in range(TAGS_COUNT):
        group_of[index], counted_as[index] = feature_columns.GROUP_OF[index], feature_columns.COUNTED_AS[index]
        heading_level[index] = feature_columns.HEADING_LEVEL[index]
    for index in range(LOGGED_COUNT):
        logged[index] = feature_columns.SUM[feature_columns.LOGGED[index]]
    for index in range(FLAGS_COUNT):
        flag_bits[index] = feature_columns.FLAG_BITS[index]
    for index in range(SHARES_COUNT):
        shares[index] = feature_columns.SHARES[index]
    for index in range(BLOCK_TOPICS_COUNT):
        bit = feature_columns.TOPIC_BITS[index]
        topic_column[bit] = index
        block_topics |= 1ULL << bit
    for index in range(LOGS):
        logs[index] = <float>log1p(index)
    return 0


fill_tables()


cdef inline float log_of(int64_t count) noexcept nogil:
    return logs[count] if 0 <= count < LOGS else <float>log1p(<double>count)


cdef inline float log_gap(int64_t gap) noexcept nogil:
    return log_of(gap) if gap >= 0 else -log_of(-gap)


cdef inline float log_mean(int32_t sum, int32_t count) noexcept nogil:
    return log_of(sum // count) if sum % count == 0 else <float>log1p(<double>sum / count)


cdef inline float at_least_one(int64_t count) noexcept nogil:
    return <float>count if count > 1 else 1


cdef struct Group:
    int32_t count, first, last, words, linked, chars
    float how_many, share, mean  # logs of blocks and of words a block; share of the page's words
    float links, span, scale  # share of characters in links; blocks from the first to the last, of the page's; 1 / these blocks


cdef struct Kin:
    double words, squares
    int32_t count
    float spread


cdef struct Tables:
    PageTables p
    Told told[3]
    float* page  # its row
    int32_t* around  # the first, then the stop blocks of a larger element around each
    float* words  # of each block
    uint64_t* near  # topics of each node
    uint64_t* far
    uint32_t* signature
    int32_t* up  # the node around each that holds more
    int32_t* shapes  # of runs
    int32_t* sums  # a row more than runs
    int32_t* block_of  # each run, and the number of blocks at the end
    int32_t* holder  # SHARES_COUNT a node
    int32_t* kin_of  # each node, -1 if it is around no block
    int32_t* section  # of each block
    int32_t* section_first  # block; one more than sections
    int32_t* alike[ALIKE]  # the group of each block
    int32_t* copies  # of the text of each block; the first of them
    uint8_t* final  # whether a block ends as a sentence does
    uint8_t* copied  # whether the same text came before
    Group* groups[ALIKE]
    Kin* kin
    int32_t* node_words
    float total  # words, at least 1
    float a_word, a_block, a_stretch  # 1 / words of the page, blocks of the page, words of the stretch
    float before_stretch  # words
    bint begins  # the first block is a heading
    int32_t h1, title, start, stop  # blocks; -1 if there is none


cdef struct Numbering:
    int32_t* slots  # the number of the key in this slot, counted from 1, or 0
    int64_t* keys
    uint64_t mask
    int32_t count


cdef void begin_numbering(Numbering* h, Py_ssize_t most) noexcept nogil:
    cdef uint64_t size = 4
    while size < 2 * <uint64_t>most:
        size *= 2
    h.mask, h.count = size - 1, 0
    memset(h.slots, 0, size * sizeof(int32_t))


cdef inline int32_t number(Numbering* h, int64_t key) noexcept nogil:
    """The number of a key in the order of first appearance."""
    cdef uint64_t slot = (<uint64_t>key ^ SEED) * ODD
    slot = (slot ^ slot >> 32) * 0xD6E8FEB86659FD93u
    slot = (slot ^ slot >> 32) & h.mask
    while h.slots[slot]:
        if h.keys[h.slots[slot] - 1] == key:
            return h.slots[slot] - 1
        slot = (slot + 1) & h.mask
    h.keys[h.count] = key
    h.count += 1
    h.slots[slot] = h.count
    return h.count - 1


cdef inline const int32_t* sums_at(Tables* t, Py_ssize_t run) noexcept nogil:
    return t.sums + run * SUMS_COUNT


# Counting, once a page


cdef void add_up(Tables* t, int32_t* tag_counts) noexcept nogil:
    """Running sums of what is counted, a row a run."""
    cdef PageTables p = t.p
    cdef Py_ssize_t block, run, node, column
    cdef int32_t* row
    cdef const int32_t* before
    cdef const int32_t* shape
    cdef int32_t flags, words, chars
    cdef int counted
    cdef bint prose
    for node in range(p.nodes):
        tag_counts[group_of[get(&p.tag, node)]] += 1
        counted = counted_as[get(&p.tag, node)]
        if counted >= 0 and p.runs:
            t.sums[(min(get(&p.node_first, node), p.runs - 1) + 1) * SUMS_COUNT + FIRST_COUNTED_SUM + counted] += 1
    for block in range(p.blocks):
        prose = get(&p.kind, block) == KIND_PARAGRAPH
        for run in range(get(&p.first_run, block), get(&p.stop_run, block)):
            t.block_of[run] = <int32_t>block
            before = t.sums + run * SUMS_COUNT
            row = t.sums + (run + 1) * SUMS_COUNT
            shape = t.shapes + run * SHAPE_COUNT
            flags, words = get(&p.flags, run), get(&p.words, run)
            chars = get(&p.chars, run)
            row[SUM_WORDS], row[SUM_CHARS] = before[SUM_WORDS] + words, before[SUM_CHARS] + chars
            row[SUM_BYTES] = before[SUM_BYTES] + get(&p.bytes, run)
            row[SUM_TAGS] = before[SUM_TAGS] + get(&p.tags, run)
            row[SUM_LINK_RUNS] = before[SUM_LINK_RUNS] + ((flags & FLAG_LINK) != 0)
            row[SUM_LINKED] = before[SUM_LINKED] + (chars if flags & FLAG_LINK else 0)
            row[SUM_PROSE_WORDS] = before[SUM_PROSE_WORDS] + (words if prose and not flags & FLAG_LINK else 0)
            row[SUM_UNSEEN_WORDS] = before[SUM_UNSEEN_WORDS] + (words if flags & UNSEEN else 0)
            for column in range(SHAPE_COLUMNS_COUNT):
                row[FIRST_SHAPE_SUM + column] = before[FIRST_SHAPE_SUM + column] + shape[column]
            for column in range(FIRST_COUNTED_SUM, FIRST_COUNTED_SUM + COUNTED_COUNT):
                row[column] += before[column]
        t.final[block] = t.shapes[(get(&p.stop_run, block) - 1) * SHAPE_COUNT + SHAPE_FINAL] != 0
    t.block_of[p.runs] = <int32_t>p.blocks
    t.total = at_least_one(sums_at(t, p.runs)[SUM_WORDS])
    t.a_word, t.a_block = 1 / t.total, 1 / at_least_one(p.blocks)


cdef void find_places(Tables* t) noexcept nogil:
    """The sections, the first h1, the heading that is like the title, and Finn's stretch of many words and few tags."""
    cdef PageTables p = t.p
    cdef Py_ssize_t block
    cdef const int32_t* first
    cdef const int32_t* stop
    cdef int32_t sections = 0, likeness = 0, best = 0, low = 0
    cdef int64_t balance = 0, lowest = 0, most = 0
    cdef bint heading
    t.h1 = t.title = -1
    t.start = t.stop = 0
    for block in range(p.blocks):
        first, stop = sums_at(t, get(&p.first_run, block)), sums_at(t, get(&p.stop_run, block))
        heading = get(&p.kind, block) == KIND_HEADING
        if heading or block == 0:
            t.section_first[sections] = <int32_t>block
            sections += 1
        if block == 0:
            t.begins = heading
        t.section[block] = sections - 1
        if get(&p.tag, get(&p.node, block)) == TAG_H1:
            if t.h1 < 0:
                t.h1 = <int32_t>block
            likeness = 3 * (stop[SUM_TITLE_WORDS] - first[SUM_TITLE_WORDS])
        else:
            likeness = 2 * (stop[SUM_TITLE_WORDS] - first[SUM_TITLE_WORDS])
        if heading and likeness > best:
            best, t.title = likeness, <int32_t>block
        if block == 0 or balance < lowest:
            lowest, low = balance, <int32_t>block
        balance += stop[SUM_WORDS] - first[SUM_WORDS] - (stop[SUM_TAGS] - first[SUM_TAGS]) - (stop[SUM_LINKED] - first[SUM_LINKED]) // 4
        if block == 0 or balance - lowest > most:
            most, t.start, t.stop = balance - lowest, low, <int32_t>block
    t.section_first[sections] = <int32_t>p.blocks
    if p.blocks:
        first, stop = sums_at(t, get(&p.first_run, t.start)), sums_at(t, get(&p.stop_run, t.stop))
        t.before_stretch, t.a_stretch = first[SUM_WORDS], 1 / at_least_one(stop[SUM_WORDS] - first[SUM_WORDS])


cdef void find_holders(Tables* t) noexcept nogil:
    cdef PageTables p = t.p
    cdef Py_ssize_t node, parent
    cdef int32_t words
    cdef int share
    cdef double least[SHARES_COUNT]
    for share in range(SHARES_COUNT):
        least[share] = shares[share] * t.total
    for node in range(p.nodes):
        words = sums_at(t, get(&p.node_stop, node))[SUM_WORDS] - sums_at(t, get(&p.node_first, node))[SUM_WORDS]
        t.node_words[node] = words
        parent = get(&p.parent, node)
        for share in range(SHARES_COUNT):
            if parent < 0 or words >= least[share]:
                t.holder[node * SHARES_COUNT + share] = <int32_t>node
            else:
                t.holder[node * SHARES_COUNT + share] = t.holder[parent * SHARES_COUNT + share]


cdef int find_kin(Tables* t, Numbering* h) noexcept nogil:
    """How many siblings are like an element, and how unlike in length they are."""
    cdef PageTables p = t.p
    cdef Py_ssize_t block
    cdef int32_t node, which
    cdef int32_t had[LEVELS]
    cdef int level
    cdef float words
    cdef double mean
    cdef Kin* kin
    begin_numbering(h, min(p.nodes, p.blocks * LEVELS))
    memset(t.kin_of, 0xFF, p.nodes * sizeof(int32_t))
    memset(had, 0xFF, sizeof(had))
    for block in range(p.blocks):
        node = get(&p.node, block)
        for level in range(LEVELS):
            if had[level] == node:
                break  # and so are all wider ones those of the block before
            had[level] = node
            if t.kin_of[node] < 0:
                t.kin_of[node] = number(h, <int64_t>t.up[node] << 32 | t.signature[node])
            node = t.up[node]
    t.kin = <Kin*>calloc(h.count + 1, sizeof(Kin))
    if t.kin == NULL:
        return -1
    for node in range(<int32_t>p.nodes):
        if t.kin_of[node] >= 0:
            kin = t.kin + t.kin_of[node]
            words = t.node_words[node]
            kin.count += 1
            kin.words += words
            kin.squares += words * words
    for which in range(h.count):
        kin = t.kin + which
        mean = kin.words / kin.count
        kin.spread = <float>min(
            sqrt(max(kin.squares / kin.count - mean * mean, 0)) / (mean if mean > 1 else 1), MOST_SPREAD
        )
    return 0


cdef inline int64_t key_of(Tables* t, Py_ssize_t block, int make) noexcept nogil:
    """What blocks of the same make share: class, container, or path."""
    cdef int32_t first = get(&t.p.node, block)
    cdef int32_t second = t.up[first]
    cdef int32_t third = t.up[second]
    if make == 0:
        return (<int64_t>t.signature[first] * 31 + t.signature[second]) * 31 + <int64_t>t.signature[third] * 16 \
            + get(&t.p.kind, block)
    if make == 1:
        return <int64_t>third << 16 | get(&t.p.tag, first) << 8 | get(&t.p.tag, second)
    return ((<int64_t>get(&t.p.tag, first) << 8 | get(&t.p.tag, second)) << 8 | get(&t.p.tag, third)) << 8 \
        | get(&t.p.tag, t.up[third])


cdef int find_groups(Tables* t, Numbering* h, int make) noexcept nogil:
    """What blocks of the same make have in common, wherever they are."""
    cdef PageTables p = t.p
    cdef Py_ssize_t block
    cdef int32_t* alike = t.alike[make]
    cdef int64_t key, last = 0
    cdef int32_t which = 0
    cdef Group* group
    cdef const int32_t* first
    cdef const int32_t* stop
    begin_numbering(h, p.blocks)
    for block in range(p.blocks):
        key = key_of(t, block, make)
        if block == 0 or key != last:
            which, last = number(h, key), key
        alike[block] = which
    t.groups[make] = <Group*>calloc(h.count + 1, sizeof(Group))
    if t.groups[make] == NULL:
        return -1
    for block in range(p.blocks):
        group = t.groups[make] + alike[block]
        first, stop = sums_at(t, get(&p.first_run, block)), sums_at(t, get(&p.stop_run, block))
        if not group.count:
            group.first = <int32_t>block
        group.count += 1
        group.last = <int32_t>block
        group.words += stop[SUM_WORDS] - first[SUM_WORDS]
        group.linked += stop[SUM_LINKED] - first[SUM_LINKED]
        group.chars += stop[SUM_CHARS] - first[SUM_CHARS]
    for block in range(h.count):
        group = t.groups[make] + block
        group.how_many, group.share = log_of(group.count - 1), group.words * t.a_word
        group.mean, group.span = log_mean(group.words, group.count), <float>(group.last - group.first) * t.a_block
        group.links = group.linked / at_least_one(group.chars)
        group.scale = 1 / at_least_one(group.last - group.first)
    return 0


cdef void find_copies(Tables* t, Numbering* h) noexcept nogil:
    """How often the text of each block is in the page. The keys of `h` hold the counts once all are numbered."""
    cdef PageTables p = t.p
    cdef Py_ssize_t block, run
    cdef int64_t text
    cdef int32_t before
    begin_numbering(h, p.blocks)
    for block in range(p.blocks):
        text = 0
        for run in range(get(&p.first_run, block), get(&p.stop_run, block)):
            text += t.shapes[run * SHAPE_COUNT + SHAPE_TEXT]
        before = h.count
        t.copies[block] = number(
            h, text * 64 + sums_at(t, get(&p.stop_run, block))[SUM_WORDS] - sums_at(t, get(&p.first_run, block))[SUM_WORDS]
        )
        t.copied[block] = h.count == before
    memset(h.keys, 0, h.count * sizeof(int64_t))
    for block in range(p.blocks):
        h.keys[t.copies[block]] += 1
    for block in range(p.blocks):
        t.copies[block] = <int32_t>h.keys[t.copies[block]]


# The page's row


cdef inline void add_bits(int64_t* row, uint64_t bits, int64_t weight) noexcept nogil:
    while bits:
        row[LOWEST(bits)] += weight
        bits &= bits - 1


cdef inline void add_flags(int64_t* row, int32_t flags, int64_t weight) noexcept nogil:
    cdef int index
    for index in range(FLAGS_COUNT):
        row[index] += weight if flags >> flag_bits[index] & 1 else 0


cdef void fill_page(Tables* t, float* row, const int32_t* tag_counts) noexcept nogil:
    cdef PageTables p = t.p
    cdef Py_ssize_t block
    cdef const int32_t* total = sums_at(t, p.runs)
    cdef int64_t counts[FLAGS_COUNT + KIND_COUNT + TOPIC_NAMES_COUNT]  # words in a flag, of a kind, under a topic
    cdef int64_t waiting = 0, flagged = 0  # words
    cdef int32_t words, longest = 0, flags = 0
    cdef int index
    cdef uint64_t topics = 0, own
    row[TOTAL_BLOCKS], row[TOTAL_NODES], row[TOTAL_BYTES] = log_of(p.blocks), log_of(p.nodes), log_of(p.size)
    memset(counts, 0, sizeof(counts))
    for block in range(p.blocks):
        words = sums_at(t, get(&p.stop_run, block))[SUM_WORDS] - sums_at(t, get(&p.first_run, block))[SUM_WORDS]
        longest = max(longest, words)
        if flags != get(&p.flags, get(&p.first_run, block)):
            add_flags(counts, flags, flagged)
            flags, flagged = get(&p.flags, get(&p.first_run, block)), 0
        flagged += words
        counts[FLAGS_COUNT + get(&p.kind, block)] += words
        own = t.far[get(&p.node, block)]
        if own != topics:
            add_bits(counts + FLAGS_COUNT + KIND_COUNT, topics, waiting)
            topics, waiting = own, 0
        waiting += words
    add_flags(counts, flags, flagged)
    add_bits(counts + FLAGS_COUNT + KIND_COUNT, topics, waiting)
    row[TOTAL_LONGEST_BLOCK] = log_of(longest)
    row += TOTAL_WIDTH
    for index in range(SUMS_COUNT):
        row[index] = log_of(total[index])
    row += SUMS_COUNT
    for index in range(1, SUMS_COUNT):
        row[index - 1] = min(<float>total[index] / t.total, MOST_A_WORD)
    row += SUMS_COUNT - 1
    for index in range(TAG_GROUPS_COUNT + 1):
        row[index] = log_of(tag_counts[index])
    row += TAG_GROUPS_COUNT + 1
    for index in range(FLAGS_COUNT + KIND_COUNT + TOPIC_NAMES_COUNT):
        row[index] = counts[index] / t.total


# The row of a block


cdef struct Block:
    Py_ssize_t number, first_run, stop_run
    const int32_t* first  # the sums before and after it
    const int32_t* stop
    int32_t node, words


cdef inline Block find_block(Tables* t, Py_ssize_t number) noexcept nogil:
    cdef Block b
    b.number, b.node = number, get(&t.p.node, number)
    b.first_run, b.stop_run = get(&t.p.first_run, number), get(&t.p.stop_run, number)
    b.first, b.stop = sums_at(t, b.first_run), sums_at(t, b.stop_run)
    b.words = b.stop[SUM_WORDS] - b.first[SUM_WORDS]
    return b


cdef void fill_own(Tables* t, const Block* b, float* row) noexcept nogil:
    """What is in the block."""
    cdef int32_t own[SUMS_COUNT]
    cdef int32_t size = max(get(&t.p.end, b.stop_run - 1) - (get(&t.p.end, b.first_run - 1) if b.first_run else 0), 0)
    cdef float a_word, a_char
    cdef int index
    for index in range(SUMS_COUNT):
        own[index] = b.stop[index] - b.first[index]
    for index in range(LOGGED_COUNT):
        row[index] = log_of(own[logged[index]])
    a_word, a_char = 1 / at_least_one(own[SUM_WORDS]), 1 / at_least_one(own[SUM_CHARS])
    row[OWN_LINK_SHARE] = own[SUM_LINKED] * a_char
    row[OWN_WORD_LENGTH] = at_least_one(own[SUM_CHARS]) * a_word / 8
    row[OWN_TEXT_SHARE_OF_SOURCE] = min(own[SUM_BYTES] / at_least_one(size), <float>1)
    for index in range(CHARACTER_COLUMNS_COUNT):
        row[FIRST_CHARACTER_SHARE + index] = own[FIRST_SHAPE_SUM + index] * a_char
    row[OWN_TITLE_SHARE] = own[SUM_TITLE_WORDS] * a_word
    row[OWN_DESCRIPTION_SHARE] = own[SUM_DESCRIPTION_WORDS] * a_word
    row[OWN_LOG_SOURCE] = log_of(size) / 8
    row[OWN_ENDS_A_SENTENCE] = t.final[b.number]
    row[OWN_TOLD_SHARE] = own[SUM_TOLD_PAIRS] * a_word
    row[OWN_PROSE_SHARE] = own[SUM_PROSE_WORDS] * a_word
    row[OWN_REPEATED_SHARE] = own[SUM_REPEATED] * a_word


cdef void fill_place(Tables* t, const Block* b, float* row) noexcept nogil:
    """Where the block is."""
    cdef Py_ssize_t block = b.number
    cdef int32_t section = t.section[block]
    cdef int32_t headings = section + t.begins
    cdef int32_t last = t.section_first[section] if headings else -1
    cdef float before = b.first[SUM_WORDS]
    row[PLACE_PLACE], row[PLACE_WORDS_BEFORE] = block * t.a_block, before * t.a_word
    row[PLACE_LOG_PLACE], row[PLACE_LOG_PLACES_LEFT] = log_of(block), log_of(t.p.blocks - block)
    row[PLACE_HEADING_LEVEL] = heading_level[get(&t.p.tag, b.node)]
    row[PLACE_BLOCKS_SINCE_HEADING] = log_of(block - last)
    row[PLACE_LEVEL_OF_LAST_HEADING] = heading_level[get(&t.p.tag, get(&t.p.node, last))] if last >= 0 else 0
    row[PLACE_HAS_H1] = t.h1 >= 0
    row[PLACE_AFTER_H1] = t.h1 >= 0 and block >= t.h1
    row[PLACE_DISTANCE_TO_H1] = log_gap(block - t.h1) if t.h1 >= 0 else 0
    row[PLACE_AFTER_TITLE_HEADING] = t.title >= 0 and block >= t.title
    row[PLACE_DISTANCE_TO_TITLE_HEADING] = log_gap(block - t.title) if t.title >= 0 else 0
    row[PLACE_IN_DENSEST_STRETCH] = t.start <= block <= t.stop
    row[PLACE_DISTANCE_TO_STRETCH_START] = log_gap(block - t.start)
    row[PLACE_DISTANCE_TO_STRETCH_END] = log_gap(block - t.stop)
    row[PLACE_PLACE_IN_STRETCH] = (before - t.before_stretch) * t.a_stretch
    row[PLACE_HEADINGS_BEFORE] = <float>min(headings, MOST_HEADINGS) / <float>MOST_HEADINGS


cdef inline uint64_t marks_of(Tables* t, const Block* b) noexcept nogil:
    """All that the marks of a block are made of."""
    cdef int32_t above = t.up[b.node]
    cdef uint64_t tags = group_of[get(&t.p.tag, above)] << 8 | group_of[get(&t.p.tag, t.up[above])]
    return tags << 40 | <uint64_t>get(&t.p.kind, b.number) << 32 | <uint32_t>get(&t.p.flags, b.first_run)


cdef void fill_marks(uint64_t marks, float* row) noexcept nogil:
    """Flags, kind, and the tags of the two elements around."""
    cdef int index, group
    memset(row, 0, MARK_BYTES)
    for index in range(FLAGS_COUNT):
        row[index] = marks >> flag_bits[index] & 1
    row += FLAGS_COUNT
    row[marks >> 32 & 255] = 1
    row += KIND_COUNT
    for index in range(2):
        group = marks >> (48 - 8 * index) & 255
        if group:
            row[group - 1] = 1
        row += TAG_GROUPS_COUNT


cdef void fill_node(Tables* t, Around* around, float* row) noexcept nogil:
    """What is in an element, and how it repeats."""
    cdef Py_ssize_t first_run = get(&t.p.node_first, around.node), stop_run = get(&t.p.node_stop, around.node)
    cdef const int32_t* first = sums_at(t, first_run)
    cdef const int32_t* stop = sums_at(t, stop_run)
    cdef Kin* kin = t.kin + t.kin_of[around.node]
    cdef int32_t own[SUMS_COUNT]
    cdef int32_t blocks = max(t.block_of[stop_run] - t.block_of[first_run], 1)
    cdef float a_word, a_char, a_block
    cdef int index
    for index in range(SUMS_COUNT):
        own[index] = stop[index] - first[index]
    a_word, a_char, a_block = 1 / at_least_one(own[SUM_WORDS]), 1 / at_least_one(own[SUM_CHARS]), 1 / <float>blocks
    around.first, around.a_word, around.a_block = t.block_of[first_run], a_word, a_block
    row[LEVEL_LOG_WORDS], row[LEVEL_LOG_BLOCKS] = log_of(own[SUM_WORDS]), log_of(blocks)
    row[LEVEL_SHARE_OF_PAGE] = own[SUM_WORDS] * t.a_word
    row[LEVEL_LINK_SHARE] = own[SUM_LINKED] * a_char
    row[LEVEL_PROSE_SHARE] = own[SUM_PROSE_WORDS] * a_word
    row[LEVEL_DIGIT_SHARE] = own[SUM_DIGITS] * a_char
    for index in range(COUNTED_AROUND_COUNT):
        row[FIRST_COUNTED_LEVEL + index] = log_of(own[FIRST_COUNTED_SUM + index])
    row[LEVEL_LIKE_IT], row[LEVEL_SPREAD_OF_WORDS] = log_of(kin.count - 1), kin.spread
    row[LEVEL_UNSEEN_SHARE] = own[SUM_UNSEEN_WORDS] * a_word


cdef void fill_levels(Tables* t, const Block* b, float* row, Around* around) noexcept nogil:
    """The elements around the block, from the nearest to wider ones. `around` are those that the row has."""
    cdef int32_t node = b.node
    cdef float words = b.words
    cdef int level
    for level in range(LEVELS):
        if around.node != node:
            around.node = node
            fill_node(t, around, row)
        row[LEVEL_PLACE_IN_IT] = <float>(b.number - around.first) * around.a_block
        row[LEVEL_SHARE_OF_IT] = words * around.a_word
        row += LEVEL_WIDTH
        around += 1
        node = t.up[node]


cdef void fill_groups(Tables* t, Py_ssize_t block, float* row) noexcept nogil:
    """The blocks that are like this one."""
    cdef Group* group
    cdef int make
    for make in range(ALIKE):
        group = t.groups[make] + t.alike[make][block]
        row[GROUP_HOW_MANY], row[GROUP_SHARE_OF_PAGE] = group.how_many, group.share
        row[GROUP_MEAN_WORDS], row[GROUP_LINK_SHARE] = group.mean, group.links
        row[GROUP_PLACE], row[GROUP_SPAN] = (block - group.first) * group.scale, group.span
        row += GROUP_WIDTH
    row[COPY_COPIES], row[COPY_COPY_OF_AN_EARLIER_ONE] = log_of(t.copies[block] - 1), t.copied[block]


cdef void fill_section(Tables* t, Py_ssize_t block, float* row) noexcept nogil:
    """The section that the block is in."""
    cdef int32_t first = t.section_first[t.section[block]], stop = t.section_first[t.section[block] + 1]
    cdef const int32_t* low = sums_at(t, get(&t.p.first_run, first))
    cdef const int32_t* high = sums_at(t, get(&t.p.stop_run, stop - 1))
    row[SECTION_LOG_WORDS], row[SECTION_LOG_BLOCKS] = log_of(high[SUM_WORDS] - low[SUM_WORDS]), log_of(stop - first)
    row[SECTION_LINK_SHARE] = (high[SUM_LINKED] - low[SUM_LINKED]) / at_least_one(high[SUM_CHARS] - low[SUM_CHARS])
    row[SECTION_PROSE_SHARE] = (high[SUM_PROSE_WORDS] - low[SUM_PROSE_WORDS]) / at_least_one(high[SUM_WORDS] - low[SUM_WORDS])
    row[SECTION_MEAN_WORDS] = log_mean(high[SUM_WORDS] - low[SUM_WORDS], stop - first)


cdef void fill_holder(Tables* t, Around* holder, float* row) noexcept nogil:
    """What is in an element with a large share of the page's words."""
    cdef Py_ssize_t first_run = get(&t.p.node_first, holder.node), stop_run = get(&t.p.node_stop, holder.node)
    cdef const int32_t* first = sums_at(t, first_run)
    cdef const int32_t* stop = sums_at(t, stop_run)
    cdef int32_t blocks = max(t.block_of[stop_run] - t.block_of[first_run], 1)
    row[HOLDER_SHARE_OF_PAGE] = (stop[SUM_WORDS] - first[SUM_WORDS]) * t.a_word
    row[HOLDER_LINK_SHARE] = (stop[SUM_LINKED] - first[SUM_LINKED]) / at_least_one(stop[SUM_CHARS] - first[SUM_CHARS])
    row[HOLDER_PROSE_SHARE] = (stop[SUM_PROSE_WORDS] - first[SUM_PROSE_WORDS]) / at_least_one(
        stop[SUM_WORDS] - first[SUM_WORDS]
    )
    row[HOLDER_LOG_BLOCKS] = log_of(blocks)
    holder.first = t.block_of[first_run]
    holder.a_block, holder.a_word = 1 / <float>blocks, 1 / <float>(stop[SUM_WORDS] - first[SUM_WORDS] + 1)


cdef void fill_holders(Tables* t, const Block* b, float* row, Around* holders) noexcept nogil:
    """The smallest elements around the block that hold a tenth, three tenths, six tenths of the page's words.

    `holders` are those that the row has.
    """
    cdef int32_t node
    cdef int share
    for share in range(SHARES_COUNT):
        node = t.holder[<Py_ssize_t>b.node * SHARES_COUNT + share]
        if holders.node != node:
            holders.node = node
            fill_holder(t, holders, row)
        row[HOLDER_PLACE_IN_IT] = <float>(b.number - holders.first) * holders.a_block
        row[HOLDER_SHARE_OF_IT] = <float>(b.words + 1) * holders.a_word
        row += HOLDER_WIDTH
        holders += 1


cdef inline uint64_t near_topics_of(Tables* t, int32_t node) noexcept nogil:
    """The topics of the names near a block."""
    cdef int32_t above = t.up[node]
    return t.near[node] | t.near[above] | t.near[t.up[above]]


cdef inline void fill_topics(float* row, uint64_t topics) noexcept nogil:
    memset(row, 0, TOPIC_BYTES)
    topics &= block_topics
    while topics:
        row[topic_column[LOWEST(topics)]] = 1
        topics &= topics - 1


cdef Py_ssize_t fill_row(const void* tables, RowState* state, Py_ssize_t block, float* row) noexcept nogil:
    """Write what may differ from the row before, which is in the same place; return where the columns that do not begin."""
    cdef Tables* t = <Tables*>tables
    cdef Block b = find_block(t, block)
    cdef uint64_t marks = marks_of(t, &b), near = near_topics_of(t, b.node), far = t.far[b.node]
    cdef bint new = state.section < 0  # the row holds nothing; all bits of topics may be set
    cdef Py_ssize_t stop = FIRST_MARK
    fill_own(t, &b, row)
    fill_place(t, &b, row + OWN_WIDTH)
    fill_levels(t, &b, row + FIRST_LEVEL, state.around)
    fill_groups(t, block, row + FIRST_GROUP)
    if state.section != t.section[block]:
        state.section = t.section[block]
        fill_section(t, block, row + FIRST_SECTION)
    fill_holders(t, &b, row + FIRST_HOLDER, state.holders)
    if state.marks != marks:
        state.marks, stop = marks, FIRST_TOPIC
        fill_marks(marks, row + FIRST_MARK)
    if new or state.near != near:
        state.near, stop = near, BLOCK_WIDTH
        fill_topics(row + FIRST_TOPIC, near)
    if new or state.far != far:
        state.far, stop = far, BLOCK_WIDTH
        fill_topics(row + FIRST_TOPIC + BLOCK_TOPICS_COUNT, far)
    return stop


cdef void fill_rows(Tables* t, Py_ssize_t first, Py_ssize_t stop, float* rows) noexcept nogil:
    cdef RowState state
    cdef Py_ssize_t block
    memset(&state, 0xFF, sizeof(state))
    for block in range(first, stop):
        if block > first:
            memcpy(rows, rows - BLOCK_WIDTH, BLOCK_WIDTH * sizeof(float))
        fill_row(t, &state, block, rows)
        rows += BLOCK_WIDTH


cdef void find_around(Tables* t) noexcept nogil:
    """The first and the stop block of a larger element around each block."""
    cdef PageTables p = t.p
    cdef Py_ssize_t block
    cdef int32_t node
    cdef int level
    for block in range(p.blocks):
        node = get(&p.node, block)
        for level in range(SPAN_LEVEL):
            node = t.up[node]
        t.around[block] = t.block_of[get(&p.node_first, node)]
        t.around[p.blocks + block] = t.block_of[get(&p.node_stop, node)]


cdef int count_page(void* tables) noexcept nogil:
    """All that is counted once a page; -1 if there is no memory for it."""
    cdef Tables* t = <Tables*>tables
    cdef Py_ssize_t most = max(t.p.blocks, min(t.p.nodes, t.p.blocks * LEVELS)), block
    cdef int32_t tag_counts[TAG_GROUPS_COUNT + 1]
    cdef int make, failed = 0
    cdef Numbering h
    h.keys = <int64_t*>malloc((most + 1) * sizeof(int64_t) + (4 * most + 4) * sizeof(int32_t))
    if h.keys == NULL:
        return -1
    h.slots = <int32_t*>(h.keys + most + 1)
    memset(tag_counts, 0, sizeof(tag_counts))
    memset(t.sums, 0, (t.p.runs + 1) * SUMS_COUNT * sizeof(int32_t))  # of no runs, and of counted elements
    read_all_names(&t.p, t.near, t.far, t.signature, t.up)
    failed |= read_all_shapes(&t.p, t.told, t.shapes)
    add_up(t, tag_counts)
    find_places(t)
    find_holders(t)
    find_copies(t, &h)
    failed |= find_kin(t, &h)
    for make in range(ALIKE):
        failed |= find_groups(t, &h, make)
    fill_page(t, t.page, tag_counts)
    find_around(t)
    for block in range(t.p.blocks):
        t.words[block] = sums_at(t, get(&t.p.stop_run, block))[SUM_WORDS] - sums_at(t, get(&t.p.first_run, block))[SUM_WORDS]
    free(h.keys)
    return failed


cdef object copy(const void* numbers, tuple shape, kind):
    """An array with a copy of numbers."""
    array = np.empty(shape, dtype=kind)
    memcpy(point(array, array.nbytes), numbers, array.nbytes)
    return array


cdef class Survey:
    """All that is counted of a page: its row, which blocks are alike, and on demand the rows of blocks.

    It is counted when something of it is asked for. The network counts it itself, so that Python's lock is given back
    once.
    """

    cdef Tables t
    cdef RowSource rows_here
    cdef object kept  # the arrays that the tables point into
    cdef void* memory
    cdef object _topics, _words  # arrays that the tables point into
    cdef object _page, _groups, _around  # copies, for the few who ask: to make an array takes time

    def __cinit__(self):
        memset(&self.t, 0, sizeof(Tables))

    def __dealloc__(self):
        cdef int make
        for make in range(ALIKE):
            free(self.t.groups[make])
        free(self.t.kin)
        free(self.memory)

    def __init__(self, bytes source, tables, told, more=()):
        cdef Tables* t = &self.t
        cdef RowSource* s = &self.rows_here
        cdef list last = list(more)
        cdef Py_ssize_t index, width = PAGE_WIDTH + len(last)
        cdef bytes text
        if self.memory != NULL:
            raise ValueError("a survey is made once")
        self.kept = (source, *tables, *told)
        take_page(&t.p, source, tables)
        for index in range(3):
            text = told[index]
            t.told[index].text, t.told[index].length = <const uint8_t*><const char*>text, len(text)
        self._topics, self._words = make_array(t.p.nodes, UINT64), new_floats(t.p.blocks)
        t.words = <float*>point(self._words, t.p.blocks * 4)
        t.far = <uint64_t*>point(self._topics, t.p.nodes * 8)
        self._allocate(width)
        for index in range(len(last)):
            t.page[PAGE_WIDTH + index] = last[index]
        s.tables, s.rows, s.fill, s.page, s.page_columns, s.words = t, t.p.blocks, fill_row, t.page, width, t.words
        s.alike, s.path, s.first, s.stop = t.alike[0], t.alike[ALIKE - 1], t.around, t.around + t.p.blocks
        s.count, s.state = count_page, UNCOUNTED
        s.page_tables, s.topics = &t.p, t.far

    cdef int _ensure(self) except -1:
        """Count the page if nobody has done so."""
        cdef int problem = 0
        if self.rows_here.state == HANDED_OVER:
            raise ValueError("the survey is being counted by a network, or could not be")
        if self.rows_here.state == UNCOUNTED:
            self.rows_here.state = HANDED_OVER
            with nogil:
                problem = count_page(&self.t)
            if problem:
                raise MemoryError
            self.rows_here.state = READY
        return 0

    cdef int _allocate(self, Py_ssize_t width) except -1:
        """All of it is one piece of numbers; the page's row has so many."""
        cdef Tables* t = &self.t
        cdef Py_ssize_t sums = (t.p.runs + 1) * SUMS_COUNT, nodes = t.p.nodes, runs = t.p.runs, blocks = t.p.blocks
        cdef Py_ssize_t numbers = sums + runs * (SHAPE_COUNT + 1) + nodes * (SHARES_COUNT + 6) + (5 + ALIKE) * blocks + 2
        cdef int32_t* rest
        cdef int make
        self.memory = malloc((numbers + width) * sizeof(int32_t) + 2 * blocks)
        if self.memory == NULL:
            raise MemoryError
        t.near = <uint64_t*>self.memory
        rest = <int32_t*>(t.near + nodes)
        t.sums, rest = rest, rest + sums
        t.shapes, rest = rest, rest + runs * SHAPE_COUNT
        t.block_of, rest = rest, rest + runs + 1
        t.holder, rest = rest, rest + nodes * SHARES_COUNT
        t.kin_of, rest = rest, rest + nodes
        t.node_words, rest = rest, rest + nodes
        t.up, rest = rest, rest + nodes
        t.signature, rest = <uint32_t*>rest, rest + nodes
        t.section, rest = rest, rest + blocks
        t.section_first, rest = rest, rest + blocks + 1
        t.copies, rest = rest, rest + blocks
        t.around, rest = rest, rest + 2 * blocks
        for make in range(ALIKE):
            t.alike[make], rest = rest, rest + blocks
        t.page, rest = <float*>rest, rest + width
        t.final = <uint8_t*>rest
        t.copied = t.final + blocks
        return 0

    @property
    def count(self):
        """The number of blocks."""
        return self.t.p.blocks

    @property
    def blocks(self):
        """The rows of all blocks. A row has 1.2 KB, so a hostile page needs gigabytes."""
        return self.rows(0, self.t.p.blocks)

    @property
    def page(self):
        """The row of the page."""
        self._ensure()
        if self._page is None:
            self._page = copy(self.t.page, (1, self.rows_here.page_columns), np.float32)
        return self._page

    @property
    def groups(self):
        """Three rows: blocks with the same number in one are alike."""
        self._ensure()
        if self._groups is None:
            self._groups = copy(self.t.alike[0], (ALIKE, self.t.p.blocks), np.int32)
        return self._groups

    @property
    def around(self):
        """The first and the stop block of a larger element around each block."""
        self._ensure()
        if self._around is None:
            self._around = copy(self.t.around, (2, self.t.p.blocks), np.int32)
        return self._around

    @property
    def topics(self):
        """Of all names around each node, a bit for each of TOPIC_NAMES."""
        self._ensure()
        return self._topics

    @property
    def words(self):
        """The words of each block."""
        self._ensure()
        return self._words

    @property
    def source(self):
        """What the native network reads without Python; it counts the page, and the survey must live as long."""
        if self.rows_here.state == HANDED_OVER:
            self._ensure()
        capsule = PyCapsule_New(&self.rows_here, ROW_SOURCE, NULL)
        if self.rows_here.state == UNCOUNTED:
            self.rows_here.state = HANDED_OVER
        return capsule

    def rows(self, Py_ssize_t first, Py_ssize_t stop):
        """The features of the blocks from `first` to `stop`."""
        self._ensure()
        first = min(max(first, 0), self.t.p.blocks)
        stop = min(max(stop, first), self.t.p.blocks)
        table = np.empty((stop - first, BLOCK_WIDTH), dtype=np.float32)
        cdef float* rows = <float*>point(table, (stop - first) * BLOCK_WIDTH * 4)
        with nogil:
            fill_rows(&self.t, first, stop, rows)
        return table
